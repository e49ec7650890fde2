/** kill -9 before, during and after every file system operation: no file is incomplete, and the next command continues. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startTradingEmulator, type TradingEmulator } from '../../src/sandbox/trade/server.ts';
import { type Ended, type StartOptions, svc } from '../e2e/binary.ts';
import { candleGateway } from '../features/trade/commands/candle-gateway.ts';
import { environmentIn, ordersFromNow } from '../features/trade/commands/trader.ts';
import { journalIn } from '../support/journal.ts';
import { FIRST, rotatingServer } from '../support/rotating-server.ts';
import { freshFolder, killedAt, namesIn, stepsOf } from './file-steps.ts';
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

/** Every point, or every nth with a scale below 1. */
const STEP = Math.max(1, Math.round(100 / scaled(100)));

interface Victim {
  /** Before each kill, and once before the steps are counted. What the process may touch is in `root`. */
  prepare(root: string): Promise<void> | void;
  run(root: string, env: Record<string, string>): Promise<Ended>;
  /** After the kill: no file is incomplete, and the same or another command continues. */
  check(root: string, point: string, at: number, points: readonly string[]): Promise<void> | void;
  end?(): unknown;
}

/** The name of the point is in the failure. Two go on at a time: each has a folder and a service of its own. */
function killEverywhere(name: string, victim: () => Victim | Promise<Victim>): void {
  it.concurrent(name, async ({ task, onTestFinished }) => {
    const { prepare, run, check, end } = await victim();
    onTestFinished(async () => {
      await end?.();
    });
    const first = freshFolder();
    await prepare(first);
    const { points } = await stepsOf(first, undefined, async (env) => {
      expect(await run(first, env)).toMatchObject({ code: 0 });
    });
    expect(points.length).toBeGreaterThan(10);
    for (let at = 0; at < points.length; at += STEP) {
      const root = freshFolder();
      await prepare(root);
      const { signal, stderr } = await run(root, killedAt(root, at + 1));
      const point = `${at + 1} of ${points.length}: ${points[at]}`;
      expect({ point, signal, stderr: signal === null ? stderr : '' }).toMatchObject({ signal: 'SIGKILL' });
      await check(root, point, at, points);
      counted(task, 1);
    }
  });
}

killEverywhere('settings', () => {
  const env = (root: string) => ({ SVC_CONFIG_DIR: join(root, 'config') });
  const author = (root: string): unknown =>
    JSON.parse(readFileSync(join(root, 'config', 'settings.json'), 'utf8')).profiles.default['alerts.author'];
  return {
    async prepare(root) {
      await svc(['config', 'set', 'alerts.author', 'before'], { env: env(root) });
    },
    run: (root, more) => svc(['config', 'set', 'alerts.author', 'after'], { env: { ...env(root), ...more } }),
    async check(root, point) {
      expect(['before', 'after'], point).toContain(author(root));
      expectOwnAlone(root, point);
      await expectLockFree(join(root, 'config', 'settings.json'), point);
      const next = await svc(['config', 'set', 'alerts.author', 'next'], { env: env(root) });
      expect({ point, ...next }).toMatchObject({ code: 0 });
      expect({ point, author: author(root), names: namesIn(root) }).toEqual({
        point,
        author: 'next',
        names: ['settings.json'],
      });
    },
  };
});

killEverywhere('secrets of endpoints', () => {
  const store = (root: string, id: string, more = {}) =>
    svc(['webhooks', 'secrets', 'import', id], {
      env: { SVC_CONFIG_DIR: join(root, 'config'), ...more },
      input: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
    });
  const ids = (root: string): string[] => {
    const text = readFileSync(join(root, 'config', 'webhook-secrets.json'), 'utf8');
    return [...text.matchAll(/"ep_[a-z]+"/g)].map(([id]) => JSON.parse(id));
  };
  return {
    async prepare(root) {
      expect(await store(root, 'ep_before')).toMatchObject({ code: 0 });
    },
    run: (root, more) => store(root, 'ep_after', more),
    async check(root, point) {
      expect(ids(root), point).toContain('ep_before');
      expectOwnAlone(root, point);
      await expectLockFree(join(root, 'config', 'webhook-secrets.json'), point);
      expect({ point, ...(await store(root, 'ep_next')) }).toMatchObject({ code: 0 });
      expect(ids(root), point).toEqual(expect.arrayContaining(['ep_before', 'ep_next']));
      expect(namesIn(root), point).toEqual(['webhook-secrets.json']);
    },
  };
});

/** Whether another svc has written meanwhile. */
const aroundEach = (steps: readonly string[]) => steps.flatMap((step) => [`before ${step}`, `after ${step}`]);
const READS_AGAIN = aroundEach(['openSync', 'closeSync']);
/** Reads the lock, and looks for one that took over from it. */
const CHECKS_LOCK = [...aroundEach(['openSync', 'closeSync']), 'before openSync'];
const REPLACES = [
  ...CHECKS_LOCK,
  ...['before writeSync', 'within writeSync', 'after writeSync'],
  ...aroundEach(['ftruncateSync', 'fsyncSync']),
  ...CHECKS_LOCK,
  ...aroundEach(['renameSync']),
];

/** A service that can be restarted, where a kill has ended the login. */
async function signingIn() {
  const service = { server: await rotatingServer() };
  const end = () => service.server[Symbol.asyncDispose]();
  const oauth = (argv: readonly string[], root: string, more: StartOptions = {}) =>
    svc(['oauth', ...argv], {
      ...more,
      env: { SVC_CONFIG_DIR: root, SVC_WEBHOOKS_URL: service.server.url, ...more.env },
    });
  return {
    service,
    end,
    async restart(): Promise<void> {
      await end();
      service.server = await rotatingServer();
    },
    oauth,
    signIn: (root: string, env = {}) => oauth(['login', '--token-stdin'], root, { input: FIRST.access, env }),
  };
}

describe('a login', () => {
  killEverywhere('that is refreshed: its token is what the service honors, but where nobody can know it', async () => {
    const { service, restart, oauth, signIn, end } = await signingIn();
    let calls = 0;
    return {
      async prepare(root) {
        // A login that a kill has ended starts over.
        if (!service.server.alive) await restart();
        keepDueLogin(root, service.server);
        calls = service.server.calls;
      },
      run: (root, env) => oauth(['token'], root, { env }),
      end,
      async check(root, point, at, points) {
        // Space is reserved, the lock is checked, the request is sent, then the file is replaced: a kill before that loses the token.
        const reserved = points.indexOf('after fsyncSync');
        const replaced = points.indexOf('after renameSync', reserved);
        const sent = reserved + CHECKS_LOCK.length;
        const isLost = at > sent && at < replaced;
        const steps = [...CHECKS_LOCK, ...READS_AGAIN, ...REPLACES];
        expect(points.slice(reserved + 1, replaced + 1), point).toEqual(steps);
        expect({ point, calls: service.server.calls - calls }).toEqual({ point, calls: at > sent ? 1 : 0 });
        expect({ point, isLost: !refreshTokensIn(root).includes(service.server.current) }).toEqual({ point, isLost });
        expectOtherStored(root, point);
        expectOwnAlone(root, point);
        await expectLockFree(join(root, 'credentials.json'), point);

        const next = await oauth(['token'], root);
        if (isLost) {
          const stderr = expect.stringContaining('sign in again with: svc oauth login');
          expect({ point, ...next }).toMatchObject({ point, code: 4, stdout: '', stderr });
          await restart();
          expect({ point, ...(await signIn(root)) }).toMatchObject({ point, code: 0 });
        } else {
          const stdout = expect.stringMatching(/^at-\d+-abcdefghijkl\n$/);
          expect({ point, ...next }).toMatchObject({ point, code: 0, stdout });
          // What is fresh is read without the lock; the next owner clears away what the dead left.
          expect({ point, ...(await oauth(['refresh'], root)) }).toMatchObject({ point, code: 0 });
        }
        expectCredentialsAlone(root, point);
      },
    };
  });

  killEverywhere('that is kept: it is there, or it is not, and all others are', async () => {
    const { restart, oauth, signIn, end } = await signingIn();
    return {
      end,
      async prepare(root) {
        await restart();
        keepOther(root);
      },
      run: (root, env) => signIn(root, env),
      async check(root, point) {
        expectOtherStored(root, point);
        expectOwnAlone(root, point);
        await expectLockFree(join(root, 'credentials.json'), point);
        const isThere = credentialsIn(root).credentials.length > 1;
        const token = await oauth(['token'], root);
        expect({ point, code: token.code }).toEqual({ point, code: isThere ? 0 : 4 });
        expect({ point, ...(await signIn(root)) }).toMatchObject({ point, code: 0 });
        expect(await oauth(['token'], root), point).toMatchObject({ code: 0, stdout: `${FIRST.access}\n` });
        expectCredentialsAlone(root, point);
      },
    };
  });

  killEverywhere('that is ended: it is there, or it is not, and all others are', async () => {
    const { service, restart, oauth, end } = await signingIn();
    return {
      end,
      async prepare(root) {
        await restart();
        keepDueLogin(root, service.server);
      },
      run: (root, env) => oauth(['logout'], root, { env }),
      async check(root, point) {
        expectOtherStored(root, point);
        expectOwnAlone(root, point);
        await expectLockFree(join(root, 'credentials.json'), point);
        expect({ point, ...(await oauth(['logout'], root)) }).toMatchObject({ point, code: 0 });
        expect(credentialsIn(root).credentials, point).toHaveLength(1);
        expect(namesIn(root), point).toEqual(['credentials.json']);
        expectOtherStored(root, point);
      },
    };
  });
});

describe('an order', () => {
  const paths = (root: string) => ({ config: root, state: join(root, 'svc') });
  const trade = (gateway: TradingEmulator, root: string, argv: readonly string[], more = {}) =>
    svc(['trade', ...argv], {
      env: { ...environmentIn(root, gateway), ...more },
    });
  const SELL = ['entry', 'sell', 'EUR/USD', '7', '--rate', '1.2', '--once', 'k', '--yes', '-o', 'json'];

  killEverywhere('that arrived at the gateway is in the journal, and none is sent twice', async () => {
    const gateway = await startTradingEmulator({ now: Date.now, random: () => 0.5, fast: 20, tickMs: 0, caps: false });
    gateway.setPrice('EUR/USD', 1.16);
    gateway.tick();
    let arrived = ordersFromNow(gateway);
    const settle = async (root: string, id: string, point: string): Promise<void> => {
      // It may still be on its way if it did not arrive.
      const [as, code] = arrived().length === 1 ? ['open', 0] : ['absent', 3];
      const settled = await trade(gateway, root, ['journal', 'settle', id, '--as', as]);
      expect({ point, code: settled.code }).toEqual({ point, code });
      if (as === 'open') expect((await trade(gateway, root, SELL)).code, point).toBe(0);
      expect(arrived().length, point).toBeLessThanOrEqual(1);
    };
    return {
      end: () => gateway.close(),
      prepare() {
        gateway.book.orders.clear();
        gateway.book.trades.clear();
        arrived = ordersFromNow(gateway);
      },
      run: (root, more) => trade(gateway, root, SELL, more),
      async check(root, point) {
        const journal = journalIn(paths(root));
        expect(arrived().length, point).toBeLessThanOrEqual(1);
        expect(journal.length, point).toBeGreaterThanOrEqual(arrived().length);
        for (const { outcome } of journal) expect(['accepted', 'unknown'], point).toContain(outcome);
        const next = await trade(gateway, root, ['journal', '-o', 'json']);
        expect({ point, code: next.code, entries: JSON.parse(next.stdout).length }).toEqual({
          point,
          code: 0,
          entries: journal.length,
        });
        const again = await trade(gateway, root, SELL);
        const unknown = journal.find(({ outcome }) => outcome === 'unknown');
        expect({ point, ...again }).toMatchObject({ code: unknown === undefined ? 0 : 8 });
        expect(arrived().length, point).toBeLessThanOrEqual(1);
        if (unknown !== undefined) await settle(root, unknown.id, point);
        expectOwnAlone(root, point);
      },
    };
  });
});

killEverywhere('candles are in the end the same file as if nobody had', async () => {
  const served = await candleGateway();
  const RANGE = ['eurusd', 'm1', '--since', '2025-12-08', '--to', '2025-12-22', '--price', 'bid'];
  const file = (root: string): string => join(root, 'candles.csv');
  const run = (root: string, more = {}) => {
    const env = { ...served.env, XDG_STATE_HOME: `${root}-state`, SVC_CONFIG_DIR: `${root}-config`, ...more };
    return svc(['trade', 'candles', ...RANGE, '--out', file(root), '--resume'], { env });
  };

  let whole: Buffer | undefined;
  return {
    end: async () => served[Symbol.asyncDispose](),
    prepare: () => {},
    run,
    async check(root, point) {
      if (whole === undefined) {
        const other = freshFolder();
        expect(await run(other)).toMatchObject({ code: 0 });
        whole = readFileSync(file(other));
      }
      const next = await run(root);
      // Killed when it was whole already: there is nothing to go on with, and what is there is not touched.
      const wasWhole = next.code !== 0;
      if (wasWhole) expect(next.stderr, point).toContain('already exists');
      expect(readFileSync(file(root)).equals(whole), point).toBe(true);
      expect(existsSync(`${file(root)}.state.json`), point).toBe(false);
    },
  };
});
