/** A disk that is full, read-only or broken, and a process out of file descriptors, at every step that svc does in the file system. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTradingEmulator, type TradingEmulator } from '../../src/sandbox/trading/server.ts';
import { readJournal } from '../../src/store/order-journal.ts';
import { keep, login, rotatingServer } from '../commands/oauth/rotating-server.ts';
import { HEDGING, ORDER_PATHS } from '../commands/trade/trader.ts';
import { type Ended, svc } from '../e2e/binary.ts';
import { freshFolder, namesIn, refusedAt, type StepFault, stepsOf } from './file-steps.ts';
import { counted, scaled } from './scale.ts';

type Refusal = Pick<StepFault, 'code' | 'forEver'>;

const REFUSALS: readonly Refusal[] = [
  { code: 'ENOSPC', forEver: true },
  { code: 'EROFS', forEver: true },
  { code: 'EIO' },
  { code: 'EACCES' },
  { code: 'EMFILE' },
];
const SHARE = scaled(100) / 100;
const name = ({ code, forEver }: Refusal): string => `${code}${forEver ? ' from then on' : ''}`;
/** Never a bare fault of the program: a message of svc and its own exit status. */
const isTold = ({ code, stderr }: Ended): boolean =>
  code !== null && code < 64 && !/\n {4}at |internal error|node:fs/.test(stderr);

/** Every step, or every so many where a share is asked for. */
async function refuseEverywhere(
  refusal: Refusal,
  run: (root: string, env: Record<string, string>) => Promise<Ended>,
  prepare: (root: string) => Promise<unknown> | unknown,
  check: (root: string, ended: Ended, step: string, before: readonly string[]) => Promise<void> | void,
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
    expect(isTold(ended) ? '' : `${ended.code}: ${ended.stderr}`, step).toBe('');
    await check(root, ended, step, steps.slice(0, at - 1));
    cases += 1;
  }
  return cases;
}

describe.each(REFUSALS.map((refusal) => ({ refusal, told: name(refusal) })))('$told', ({ refusal }) => {
  it('leaves the settings as they were, or as they were to be', async ({ task }) => {
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
        expect(await set(root, 'next'), step).toMatchObject({ code: 0 });
        expect({ step, author: author(root), names: namesIn(root) }).toEqual({
          step,
          author: 'next',
          names: ['settings.json'],
        });
      },
    );
    counted(task, cases);
  });

  it('spends no login, and loses none', async ({ task }) => {
    let server = await rotatingServer();
    const token = (root: string, more = {}) =>
      svc(['oauth', 'token'], { env: { SVC_CONFIG_DIR: root, SVC_WEBHOOKS_URL: server.url, ...more } });
    const cases = await refuseEverywhere(
      refusal,
      token,
      async (root) => {
        if (!server.alive) {
          await server[Symbol.asyncDispose]();
          server = await rotatingServer();
        }
        keep(root, login(server.url, -10, { refresh_token: server.current }));
      },
      async (root, ended, step, before) => {
        if (ended.code === 0) expect(ended.stdout, step).toMatch(/^at-\d+-/);
        const next = await token(root);
        const stands = ['credentials.json', 'credentials.json.new'].some(
          (file) => existsSync(join(root, file)) && readFileSync(join(root, file), 'utf8').includes(server.current),
        );
        // The token is spent once there is room for the next one. What a disk does to that room after all cannot be foreseen.
        if (!before.includes('fsyncSync')) expect(stands, step).toBe(true);
        expect({ step, code: next.code }).toEqual({ step, code: stands ? 0 : 4 });
        if (next.code === 4) expect(next.stderr, step).toContain('svc oauth login');
      },
    );
    counted(task, cases);
    await server[Symbol.asyncDispose]();
  });

  describe('an order', () => {
    let gateway: TradingEmulator;
    beforeAll(async () => {
      gateway = await startTradingEmulator({ now: Date.now, random: () => 0.5, fast: 20, tickMs: 0 });
      gateway.setPrice('EUR/USD', 1.16);
      gateway.tick();
    });
    afterAll(() => gateway.close());

    it('that cannot be written down is not sent', async ({ task }) => {
      let before = 0;
      const argv = ['trade', 'entry', 'sell', 'EUR/USD', '7', '--rate', '1.2', '--yes', '--transport', 'polling'];
      const cases = await refuseEverywhere(
        refusal,
        (root, more) =>
          svc(argv, {
            env: {
              SVC_CONFIG_DIR: root,
              XDG_STATE_HOME: root,
              XDG_CACHE_HOME: root,
              SVC_TRADE_URL: gateway.url,
              SVC_TRADE_TOKEN: gateway.token,
              SVC_TRADE_ACCOUNT: HEDGING,
              ...more,
            },
          }),
        () => {
          before = gateway.requests.length;
        },
        (root, { code }, step) => {
          const sent = gateway.requests.slice(before).filter(({ path }) => ORDER_PATHS.test(path)).length;
          const journal = readJournal({ config: root, state: join(root, 'svc'), cache: root });
          expect({ step, sent, journal: journal.length }).toMatchObject({ sent: code === 0 ? 1 : sent });
          expect(journal.length, step).toBeGreaterThanOrEqual(sent);
        },
      );
      counted(task, cases);
    });
  });
});

/** A file system of 64 KiB, where this user may mount one. */
const disk = mkdtempSync(join(tmpdir(), 'svc-disk-'));
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'tmpfs', disk]).status === 0;
afterAll(() => {
  if (isMounted) spawnSync('umount', [disk]);
  rmSync(disk, { recursive: true, force: true });
});

it.runIf(isMounted)('a real disk that is full (needs root, who may mount)', async ({ task }) => {
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
