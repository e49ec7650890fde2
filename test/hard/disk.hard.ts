/**
 * A disk that fails below Node: broken-disk.c, compiled here, fails the nth step on the files of svc with EIO, reads too. svc says so and
 * goes on next time; it never takes half a file for the whole.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startTradingEmulator } from '../../src/sandbox/trade/server.ts';
import { type Ended, HOME, svc } from '../e2e/binary.ts';
import { environmentIn, ORDER_PATHS } from '../features/trade/commands/trader.ts';
import { SECRET } from '../features/webhooks/vectors.ts';
import { parseSigningSecrets } from '../support/credentials.ts';
import { FIRST, keep, login, rotatingServer } from '../support/rotating-server.ts';
import { answer, faultServer } from '../support/servers.ts';
import { freshFolder } from './file-steps.ts';
import { counted, scaled } from './scale.ts';
import { expectOtherStored, expectOwnAlone, keepOther } from './stored-files.ts';

const STEP = Math.max(1, Math.round(100 / scaled(100)));
const LIBRARY = join(mkdtempSync(join(HOME, 'disk-')), 'broken-disk.so');
const SOURCE = fileURLToPath(new URL('./broken-disk.c', import.meta.url));
const isCompiled =
  process.platform === 'linux' && spawnSync('cc', ['-shared', '-fPIC', '-o', LIBRARY, SOURCE, '-ldl']).status === 0;

interface Victim {
  /** The contents of the disk are in `root`. */
  prepare(root: string): unknown;
  run(root: string, env: Record<string, string>): Promise<Ended>;
  /** After a run in which one step failed. */
  check(root: string, ended: Ended, step: string): unknown;
  end?(): unknown;
}

const isExplained = ({ code, stderr }: Ended): boolean =>
  code !== null && code < 64 && !/\n {4}at |internal error|a bug in svc|node:fs/.test(stderr);

function failEverywhere(name: string, victim: () => Victim | Promise<Victim>): void {
  it.concurrent(name, async ({ task, onTestFinished }) => {
    const { prepare, run, check, end } = await victim();
    onTestFinished(async () => {
      await end?.();
    });
    const loading = (root: string): Record<string, string> => ({ LD_PRELOAD: LIBRARY, BROKEN_DISK_ROOT: root });
    const first = freshFolder();
    await prepare(first);
    const log = join(freshFolder(), 'steps');
    expect(await run(first, { ...loading(first), BROKEN_DISK_LOG: log })).toMatchObject({ code: 0 });
    const steps = readFileSync(log, 'utf8').trim().split('\n');
    expect(steps.length).toBeGreaterThan(1);
    for (let at = 1; at <= steps.length; at += STEP) {
      const root = freshFolder();
      await prepare(root);
      const ended = await run(root, { ...loading(root), BROKEN_DISK_AT: String(at) });
      const step = `${at} of ${steps.length}: ${steps[at - 1]}`;
      expect(isExplained(ended) ? '' : `${ended.code}: ${ended.stderr}`, step).toBe('');
      await check(root, ended, step);
      counted(task, 1);
    }
  });
}

describe.skipIf(!isCompiled)('EIO at every step of', () => {
  failEverywhere('a setting: the old one or the new one', () => {
    const set = (root: string, value: string, more = {}) =>
      svc(['config', 'set', 'alerts.author', value], { env: { SVC_CONFIG_DIR: root, ...more } });
    const author = (root: string): unknown =>
      JSON.parse(readFileSync(join(root, 'settings.json'), 'utf8')).profiles.default['alerts.author'];
    return {
      prepare: (root) => set(root, 'before'),
      run: (root, env) => set(root, 'after', env),
      async check(root, { code }, step) {
        expect(code === 0 ? ['after'] : ['before', 'after'], step).toContain(author(root));
        expectOwnAlone(root, step);
        expect({ step, ...(await set(root, 'next')) }).toMatchObject({ code: 0 });
        expect(author(root), step).toBe('next');
      },
    };
  });

  failEverywhere('a command with settings: it asks their server or none', async () => {
    const right = await faultServer((socket) => socket.write(answer(200, '[]')));
    return {
      end: () => right.close(),
      prepare: (root) => keep(root, { profiles: { default: { 'alerts.url': right.url } } }, 'settings.json'),
      run: (root, env) => svc(['alerts', 'list', '-o', 'json'], { env: { SVC_CONFIG_DIR: root, ...env } }),
      check(_root, { code, stdout, stderr }, step) {
        // Without the settings it would ask localhost:9093, which is exit 7.
        expect([0, 2], `${step}: ${stderr}`).toContain(code);
        expect(stdout.trim(), step).toBe(code === 0 ? '[]' : '');
      },
    };
  });

  failEverywhere('a secret: the others are kept', () => {
    const store = (root: string, id: string, more = {}) =>
      svc(['webhooks', 'secrets', 'import', id], { env: { SVC_CONFIG_DIR: root, ...more }, input: SECRET });
    const ids = (root: string): readonly string[] =>
      parseSigningSecrets(readFileSync(join(root, 'webhook-secrets.json'), 'utf8')).map((one) => one.endpoint_id);
    return {
      prepare: (root) => store(root, 'ep_before'),
      run: (root, env) => store(root, 'ep_after', env),
      async check(root, { code }, step) {
        expect(ids(root), step).toEqual(expect.arrayContaining(code === 0 ? ['ep_before', 'ep_after'] : ['ep_before']));
        expectOwnAlone(root, step);
        expect({ step, ...(await store(root, 'ep_next')) }).toMatchObject({ code: 0 });
        expect(ids(root), step).toEqual(expect.arrayContaining(['ep_before', 'ep_next']));
      },
    };
  });

  failEverywhere('a login that is kept: the others stay', async () => {
    const server = await rotatingServer();
    const oauth = (argv: readonly string[], root: string, env = {}, input?: string) =>
      svc(['oauth', ...argv], {
        env: { SVC_CONFIG_DIR: root, SVC_WEBHOOKS_URL: server.url, ...env },
        ...(input === undefined ? {} : { input }),
      });
    return {
      end: () => server[Symbol.asyncDispose](),
      prepare: keepOther,
      run: (root, env) => oauth(['login', '--token-stdin'], root, env, FIRST.access),
      async check(root, _ended, step) {
        expectOtherStored(root, step);
        expectOwnAlone(root, step);
        expect({ step, ...(await oauth(['login', '--token-stdin'], root, {}, FIRST.access)) }).toMatchObject({
          code: 0,
        });
        expect(await oauth(['token'], root), step).toMatchObject({ code: 0, stdout: `${FIRST.access}\n` });
      },
    };
  });

  failEverywhere('a stored login: its token or none', async () => {
    const server = await rotatingServer();
    const token = (root: string, env = {}) =>
      svc(['oauth', 'token'], { env: { SVC_CONFIG_DIR: root, SVC_WEBHOOKS_URL: server.url, ...env } });
    return {
      end: () => server[Symbol.asyncDispose](),
      prepare: (root) => keep(root, login(server.url, 3600)),
      run: token,
      async check(root, { code, stdout }, step) {
        expect(stdout, step).toBe(code === 0 ? 'at-0-abcdefghijkl\n' : '');
        // An unreadable login does not mean signed out: no new sign-in is needed.
        expect([0, 2], step).toContain(code);
        expect(await token(root), step).toMatchObject({ code: 0, stdout: 'at-0-abcdefghijkl\n' });
        expect(server.calls, step).toBe(0);
      },
    };
  });

  failEverywhere('an order: none is sent that is not written down', async () => {
    const gateway = await startTradingEmulator({ now: Date.now, random: () => 0.5, fast: 20, tickMs: 0 });
    gateway.setPrice('EUR/USD', 1.16);
    gateway.tick();
    let before = 0;
    const trade = (argv: readonly string[], root: string, more = {}) =>
      svc(['trade', ...argv], {
        env: { ...environmentIn(root, gateway), ...more },
      });
    const entries = async (root: string): Promise<readonly { readonly outcome: string }[]> =>
      JSON.parse((await trade(['journal', '-o', 'json'], root)).stdout || '[]');
    const order = ['entry', 'sell', 'EUR/USD', '7', '--rate', '1.2', '--yes'];
    return {
      end: () => gateway.close(),
      prepare: () => {
        before = gateway.requests.length;
      },
      run: (root, env) => trade(order, root, env),
      async check(root, { code, stderr }, step) {
        const sent = gateway.requests.slice(before).filter(({ path }) => ORDER_PATHS.test(path)).length;
        expect(sent, step).toBeLessThanOrEqual(1);
        expect(sent === 1 ? [0, 8] : [2], `${step}: ${stderr}`).toContain(code);
        const journal = await entries(root);
        expect(journal.length, step).toBeGreaterThanOrEqual(sent);
        const next = await trade(order, root);
        // The same again while the outcome is not known needs a look first.
        const isRefused = journal.some(({ outcome }) => outcome === 'unknown') && next.code === 2;
        expect({ step, ...next }).toMatchObject(
          isRefused ? { stderr: expect.stringContaining('identical') } : { code: 0 },
        );
        expect(await entries(root), step).toHaveLength(journal.length + (isRefused ? 0 : 1));
      },
    };
  });

  failEverywhere('the journal that is shown: all of it, or none', () => {
    const entry = (n: number) =>
      JSON.stringify({
        ...{ id: `o${n}`, at: '2026-03-02T09:00:00.000Z', profile: 'default', base_url: 'https://gateway.example.com' },
        ...{ command: 'buy', path: '/trading/open_trade', form: { symbol: 'EUR/USD', note: 'x'.repeat(500) } },
      });
    const COUNT = 500;
    return {
      prepare(root) {
        keep(join(root, 'svc', 'trade'), {}, 'x');
        writeFileSync(
          join(root, 'svc', 'trade', 'orders.ndjson'),
          Array.from({ length: COUNT }, (_, n) => `${entry(n)}\n`).join(''),
          { mode: 0o600 },
        );
      },
      run: (root, env) =>
        svc(['trade', 'journal', '-o', 'json', '--limit', '1000'], {
          env: { SVC_CONFIG_DIR: root, XDG_STATE_HOME: root, SVC_TRADE_URL: 'https://gateway.example.com', ...env },
        }),
      check(_root, { code, stdout, stderr }, step) {
        expect([0, 2], `${step}: ${stderr}`).toContain(code);
        if (code === 0) expect(JSON.parse(stdout), step).toHaveLength(COUNT);
        else expect(stdout, step).toBe('');
      },
    };
  });

  failEverywhere('a file of deliveries: what is missing is no success', () => {
    const CAPTURE = fileURLToPath(new URL('../features/webhooks/captures/recording.ndjson', import.meta.url));
    const first = readFileSync(CAPTURE, 'utf8').split('\n')[0] ?? '';
    const COUNT = 500;
    return {
      prepare: (root) => writeFileSync(join(root, 'rec.ndjson'), `${first}\n`.repeat(COUNT)),
      run: (root, env) =>
        svc(['webhooks', 'verify', join(root, 'rec.ndjson'), '-o', 'ndjson'], {
          env: { SVC_WEBHOOK_SECRET: SECRET, SVC_CONFIG_DIR: `${root}-config`, ...env },
        }),
      check(_root, { code, stdout, stderr }, step) {
        const rows = stdout.split('\n').filter((line) => line !== '').length;
        if (code === 0) expect(rows, step).toBe(COUNT);
        else expect([2, 10], `${step}: ${stderr}`).toContain(code);
      },
    };
  });

  failEverywhere('a file of silences: nothing is sent of half of it', async () => {
    const server = await faultServer((socket, { method }) =>
      socket.write(answer(200, method === 'GET' ? '[]' : '{"silenceID":"2f1a0000-0000-4000-8000-000000000000"}')),
    );
    const COUNT = 300;
    let before = 0;
    const silence = {
      createdBy: 'ann',
      comment: 'c',
      startsAt: '2030-01-01T00:00:00Z',
      endsAt: '2030-01-02T00:00:00Z',
    };
    return {
      end: () => server.close(),
      prepare(root) {
        before = server.requests.length;
        const all = Array.from({ length: COUNT }, (_, n) => ({
          ...silence,
          matchers: [{ name: 'row', value: `${n}-${'x'.repeat(200)}`, isRegex: false, isEqual: true }],
        }));
        writeFileSync(join(root, 'silences.json'), JSON.stringify(all));
      },
      run: (root, env) =>
        svc(['silences', 'import', join(root, 'silences.json'), '-o', 'ndjson'], {
          env: { SVC_ALERTS_URL: server.url, SVC_CONFIG_DIR: `${root}-config`, ...env },
        }),
      check(root, { code, stderr }, step) {
        const sent = server.requests.slice(before).filter(({ method }) => method === 'POST').length;
        expect([0, 2], `${step}: ${stderr}`).toContain(code);
        expect(sent, step).toBe(code === 0 ? COUNT : 0);
        expect(existsSync(join(root, 'silences.json'))).toBe(true);
        rmSync(root, { recursive: true });
      },
    };
  });
});

it.skipIf(process.platform !== 'linux')('a compiler is installed (without one, nothing here runs)', () => {
  expect(isCompiled).toBe(true);
});
