/** A disk that is full, read-only or broken, and a process out of file descriptors, at every step that svc does in the file system. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startTradingEmulator } from '../../src/sandbox/trade/server.ts';
import { type Ended, type StartOptions, svc } from '../e2e/binary.ts';
import { environmentIn, ordersFromNow } from '../features/trade/commands/trader.ts';
import { parseSigningSecrets } from '../support/credentials.ts';
import { journalIn } from '../support/journal.ts';
import { FIRST, keep, login, rotatingServer } from '../support/rotating-server.ts';
import { freshFolder, namesIn, refusedAt, type StepFault, stepsOf } from './file-steps.ts';
import { counted, scaled } from './scale.ts';
import {
  credentialsIn,
  expectCredentialsAlone,
  expectLockFree,
  expectOtherStored,
  expectOwnAlone,
  keepDueLogin,
  keepOther,
  refreshTokensIn,
} from './stored-files.ts';

type Refusal = Pick<StepFault, 'code' | 'forEver'>;

const REFUSALS: readonly Refusal[] = [
  { code: 'ENOSPC', forEver: true },
  { code: 'EROFS', forEver: true },
  { code: 'EIO' },
  { code: 'EACCES' },
  { code: 'EMFILE' },
];
const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
/** The refused operation, in words. */
function expectTokenOrFailure(ended: Ended, isLost: boolean, step: string): void {
  const printed = ended.code === 0 ? { stdout: TOKEN } : { stdout: '', stderr: FAILURE };
  expect({ step, ...ended }).toMatchObject(printed);
  if (isLost) expect({ step, code: ended.code }).toEqual({ step, code: 2 });
}

/** Space is reserved, the request is sent, then the file is replaced, once more if that fails. A full disk refuses no rename. */
function refreshSteps(steps: readonly string[]): { readonly reserved: number; readonly replaced: number } {
  const reserved = steps.indexOf('fsyncSync');
  const written = steps.indexOf('fsyncSync', reserved + 1);
  return { reserved, replaced: Math.max(written, steps.indexOf('renameSync', reserved)) };
}

const TOKEN = expect.stringMatching(/^at-\d+-abcdefghijkl\n$/);
const FAILURE = expect.stringMatching(/cannot [a-z]+ /);
const SHARE = scaled(100) / 100;
const name = ({ code, forEver }: Refusal): string => `${code}${forEver ? ' from then on' : ''}`;
/** Never a bare fault of the program: a message of svc and its own exit status. */
const isExplained = ({ code, stderr }: Ended): boolean =>
  code !== null && code < 64 && !/\n {4}at |internal error|node:fs/.test(stderr);

/** Every step, or every nth with a scale below 1. */
async function refuseEverywhere(
  refusal: Refusal,
  run: (root: string, env: Record<string, string>) => Promise<Ended>,
  prepare: (root: string) => Promise<unknown> | unknown,
  check: (
    root: string,
    ended: Ended,
    step: string,
    before: readonly string[],
    steps: readonly string[],
  ) => Promise<void> | void,
): Promise<number> {
  const first = freshFolder();
  await prepare(first);
  const { steps } = await stepsOf(first, refusal.code, async (env) => {
    expect(await run(first, env)).toMatchObject({ code: 0 });
  });
  expect(steps.length).toBeGreaterThan(3);
  let cases = 0;
  for (let at = 1; at <= steps.length; at += Math.max(1, Math.round(1 / SHARE))) {
    const root = freshFolder();
    await prepare(root);
    const ended = await run(root, refusedAt(root, { ...refusal, at }));
    const step = `${at} of ${steps.length}: ${steps[at - 1]}`;
    expect(isExplained(ended) ? '' : `${ended.code}: ${ended.stderr}`, step).toBe('');
    await check(root, ended, step, steps.slice(0, at - 1), steps);
    cases += 1;
  }
  return cases;
}

/** Each has a folder and a service of its own, and two go on at a time. */
describe.each(REFUSALS.map((refusal) => ({ refusal, title: name(refusal) })))('$title', ({ refusal }) => {
  it.concurrent('leaves the old or the new settings', async ({ task }) => {
    const env = (root: string) => ({ SVC_CONFIG_DIR: join(root, 'config') });
    const set = (root: string, value: string, more = {}) =>
      svc(['config', 'set', 'alerts.author', value], { env: { ...env(root), ...more } });
    const author = (root: string): unknown =>
      JSON.parse(readFileSync(join(root, 'config', 'settings.json'), 'utf8')).profiles.default['alerts.author'];
    const cases = await refuseEverywhere(
      refusal,
      (root, more) => set(root, 'after', more),
      (root) => set(root, 'before'),
      async (root, { code }, step) => {
        expect(code === 0 ? ['after'] : ['before', 'after'], step).toContain(author(root));
        expectOwnAlone(root, step);
        await expectLockFree(join(root, 'config', 'settings.json'), step);
        expect(await set(root, 'next'), step).toMatchObject({ code: 0 });
        expect({ step, author: author(root), names: namesIn(root) }).toEqual({
          step,
          author: 'next',
          names: ['settings.json'],
        });
        expectOwnAlone(root, step);
      },
    );
    counted(task, cases);
  });

  it.concurrent('leaves the old secrets of endpoints, or adds the new one', async ({ task }) => {
    const store = (root: string, id: string, more = {}) =>
      svc(['webhooks', 'secrets', 'import', id], {
        env: { SVC_CONFIG_DIR: join(root, 'config'), ...more },
        input: SECRET,
      });
    const ids = (root: string): readonly string[] =>
      parseSigningSecrets(readFileSync(join(root, 'config', 'webhook-secrets.json'), 'utf8')).map(
        (one) => one.endpoint_id,
      );
    const cases = await refuseEverywhere(
      refusal,
      (root, more) => store(root, 'ep_after', more),
      (root) => store(root, 'ep_before'),
      async (root, { code }, step) => {
        expect(ids(root), step).toEqual(expect.arrayContaining(code === 0 ? ['ep_before', 'ep_after'] : ['ep_before']));
        expectOwnAlone(root, step);
        await expectLockFree(join(root, 'config', 'webhook-secrets.json'), step);
        expect(await store(root, 'ep_next'), step).toMatchObject({ code: 0 });
        expect(ids(root), step).toEqual(expect.arrayContaining(['ep_before', 'ep_next']));
        expect(namesIn(root), step).toEqual(['webhook-secrets.json']);
        expectOwnAlone(root, step);
      },
    );
    counted(task, cases);
  });

  it.concurrent('spends no login, and loses one only if its new token cannot be written anywhere', async ({ task }) => {
    let server = await rotatingServer();
    const restart = async (): Promise<void> => {
      await server[Symbol.asyncDispose]();
      server = await rotatingServer();
    };
    const oauth = (argv: readonly string[], root: string, more: StartOptions = {}) =>
      svc(['oauth', ...argv], { ...more, env: { SVC_CONFIG_DIR: root, SVC_WEBHOOKS_URL: server.url, ...more.env } });
    const expectNewLogin = async (root: string, step: string, next: Ended): Promise<void> => {
      const stderr = expect.stringContaining('sign in again with: svc oauth login');
      expect({ step, ...next }).toMatchObject({ code: 4, stderr });
      await restart();
      const again = await oauth(['login', '--token-stdin'], root, { input: FIRST.access });
      expect({ step, ...again }).toMatchObject({ code: 0 });
    };
    const expectRefresh = async (root: string, step: string, next: Ended): Promise<void> => {
      expect({ step, ...next }).toMatchObject({ code: 0 });
      expect({ step, ...(await oauth(['refresh'], root)) }).toMatchObject({ code: 0 });
    };
    let calls = 0;
    const cases = await refuseEverywhere(
      refusal,
      (root, env) => oauth(['token'], root, { env }),
      async (root) => {
        if (!server.alive) await restart();
        keepDueLogin(root, server);
        calls = server.calls;
      },
      async (root, ended, step, before, steps) => {
        const { reserved, replaced } = refreshSteps(steps);
        const isLost = refusal.forEver === true && before.length > reserved && before.length <= replaced;
        const asked = server.calls - calls;
        expect({ step, isLost: !refreshTokensIn(root).includes(server.current) }).toEqual({ step, isLost });
        expect(asked, step).toBe(ended.code !== 0 && before.length <= reserved ? 0 : 1);
        expectOtherStored(root, step);
        expectOwnAlone(root, step);
        await expectLockFree(join(root, 'credentials.json'), step);
        expectTokenOrFailure(ended, isLost, step);

        const next = await oauth(['token'], root);
        expect({ step, calls: server.calls - calls - asked }).toEqual({ step, calls: isLost || asked === 0 ? 1 : 0 });
        await (isLost ? expectNewLogin(root, step, next) : expectRefresh(root, step, next));
        expectCredentialsAlone(root, step);
      },
    );
    counted(task, cases);
    await server[Symbol.asyncDispose]();
  });

  it.concurrent('stores a new login or reports a failure, and keeps all others', async ({ task }) => {
    await using server = await rotatingServer();
    const oauth = (argv: readonly string[], root: string, more: StartOptions = {}) =>
      svc(['oauth', ...argv], { ...more, env: { SVC_CONFIG_DIR: root, SVC_WEBHOOKS_URL: server.url, ...more.env } });
    const signIn = (root: string, env = {}) => oauth(['login', '--token-stdin'], root, { input: FIRST.access, env });
    const cases = await refuseEverywhere(
      refusal,
      signIn,
      (root) => keepOther(root),
      async (root, ended, step) => {
        expectOtherStored(root, step);
        expectOwnAlone(root, step);
        await expectLockFree(join(root, 'credentials.json'), step);
        if (ended.code === 0) expect(credentialsIn(root).credentials, step).toHaveLength(2);
        else expect({ step, stderr: ended.stderr }).toMatchObject({ stderr: FAILURE });
        expect({ step, ...(await signIn(root)) }).toMatchObject({ code: 0 });
        expect(await oauth(['token'], root), step).toMatchObject({ code: 0, stdout: `${FIRST.access}\n` });
        expectCredentialsAlone(root, step);
      },
    );
    counted(task, cases);
  });

  it.concurrent('ends a login or reports a failure, and keeps all others', async ({ task }) => {
    await using server = await rotatingServer();
    const logout = (root: string, env = {}) =>
      svc(['oauth', 'logout'], { env: { SVC_CONFIG_DIR: root, SVC_WEBHOOKS_URL: server.url, ...env } });
    const cases = await refuseEverywhere(
      refusal,
      logout,
      (root) => keepDueLogin(root, server),
      async (root, ended, step) => {
        expectOtherStored(root, step);
        expectOwnAlone(root, step);
        if (ended.code === 0) expect(credentialsIn(root).credentials, step).toHaveLength(1);
        else expect({ step, stderr: ended.stderr }).toMatchObject({ stderr: FAILURE });
        expect({ step, ...(await logout(root)) }).toMatchObject({ code: 0 });
        expect(credentialsIn(root).credentials, step).toHaveLength(1);
        expect(namesIn(root), step).toEqual(['credentials.json']);
        expectOtherStored(root, step);
      },
    );
    counted(task, cases);
  });

  it.concurrent('sends no order that cannot be journaled', async ({ task }) => {
    const gateway = await startTradingEmulator({ now: Date.now, random: () => 0.5, fast: 20, tickMs: 0 });
    gateway.setPrice('EUR/USD', 1.16);
    gateway.tick();
    let arrived = ordersFromNow(gateway);
    const order = (root: string, more = {}, amount = '7') =>
      svc(['trade', 'entry', 'sell', 'EUR/USD', amount, '--rate', '1.2', '--yes'], {
        env: { ...environmentIn(root, gateway), ...more },
      });
    const journalAt = (root: string) => journalIn({ config: root, state: join(root, 'svc') });
    const cases = await refuseEverywhere(
      refusal,
      order,
      () => {
        arrived = ordersFromNow(gateway);
      },
      async (root, { code }, step) => {
        const sent = arrived().length;
        const journal = journalAt(root);
        // A failure to write the outcome is not a failure of the order.
        expect(sent, step).toBeLessThanOrEqual(1);
        expect(sent === 1 ? [0, 8] : [2], step).toContain(code);
        expect(journal.length, step).toBeGreaterThanOrEqual(sent);
        for (const { outcome } of journal) expect(['accepted', 'unknown'], step).toContain(outcome);
        expectOwnAlone(root, step);
        // Not an equal one: it would repeat an order of unknown outcome.
        expect({ step, ...(await order(root, {}, '8')) }).toMatchObject({ code: 0 });
        expect(journalAt(root).length, step).toBe(journal.length + 1);
        expect(journalAt(root).at(-1), step).toMatchObject({ outcome: 'accepted' });
        expectOwnAlone(root, step);
      },
    );
    counted(task, cases);
    await gateway.close();
  });
});

/** A file system of 64 KiB, where this user may mount one. */
const disk = mkdtempSync(join(tmpdir(), 'svc-disk-'));
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'tmpfs', disk]).status === 0;
afterAll(() => {
  if (isMounted) spawnSync('umount', [disk]);
  rmSync(disk, { recursive: true, force: true });
});

it.runIf(isMounted)('a real full disk (needs root)', async ({ task }) => {
  await using server = await rotatingServer();
  const env = { SVC_CONFIG_DIR: join(disk, 'config'), SVC_WEBHOOKS_URL: server.url, XDG_STATE_HOME: disk };
  mkdirSync(env.SVC_CONFIG_DIR, { mode: 0o700 });
  const path = keep(env.SVC_CONFIG_DIR, login(server.url, -10));
  expect(await svc(['config', 'set', 'alerts.author', 'before'], { env })).toMatchObject({ code: 0 });
  const settings = readFileSync(join(env.SVC_CONFIG_DIR, 'settings.json'), 'utf8');
  const before = readFileSync(path, 'utf8');
  // Full to the last byte, and then with a little room: less than what is to be written needs.
  for (const bytes of [65_536, 40_000, 45_000]) {
    rmSync(join(disk, 'filler'), { force: true });
    try {
      writeFileSync(join(disk, 'filler'), Buffer.alloc(bytes));
    } catch {
      // that is what full is
    }
    const token = await svc(['oauth', 'token'], { env });
    expect({ bytes, code: token.code, calls: server.calls }).toEqual({ bytes, code: 2, calls: 0 });
    expect(token.stderr).toContain('cannot');
    expect(readFileSync(path, 'utf8')).toBe(before);
    counted(task, 1);
  }
  rmSync(join(disk, 'filler'));
  writeFileSync(join(disk, 'filler'), Buffer.alloc(48_000));
  expect(readFileSync(join(env.SVC_CONFIG_DIR, 'settings.json'), 'utf8')).toBe(settings);
  rmSync(join(disk, 'filler'));
  expect(namesIn(disk)).toEqual(['credentials.json', 'settings.json']);
});
