/** kill -9 at every step that svc does in the file system, before, within and after it: nothing is half, and the next one goes on. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTradingEmulator, type TradingEmulator } from '../../src/sandbox/trading/server.ts';
import { readJournal } from '../../src/store/order-journal.ts';
import { keep, login, type RotatingServer, rotatingServer } from '../commands/oauth/rotating-server.ts';
import { type CandleGateway, candleGateway } from '../commands/trade/candle-gateway.ts';
import { HEDGING, ORDER_PATHS } from '../commands/trade/trader.ts';
import { type Ended, svc } from '../e2e/binary.ts';
import { freshFolder, killedAt, namesIn, stepsOf } from './file-steps.ts';
import { counted, scaled } from './scale.ts';

/** Every point, or every so many where a share is asked for. */
const STEP = Math.max(1, Math.round(100 / scaled(100)));

interface Victim {
  /** Before each kill, and once before the steps are counted. What the process may touch is in `root`. */
  prepare(root: string): Promise<void> | void;
  run(root: string, env: Record<string, string>): Promise<Ended>;
  /** After the kill: nothing is half, and the same or another command goes on. */
  check(root: string, point: string, at: number, points: readonly string[]): Promise<void> | void;
}

/** The name of the point is in the failure. */
function killEverywhere(name: string, victim: () => Victim): void {
  it(name, async ({ task }) => {
    const { prepare, run, check } = victim();
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
      expect({ point, ...(await store(root, 'ep_next')) }).toMatchObject({ code: 0 });
      expect(ids(root), point).toEqual(expect.arrayContaining(['ep_before', 'ep_next']));
      expect(namesIn(root), point).toEqual(['webhook-secrets.json']);
    },
  };
});

describe('a login that is refreshed', () => {
  let server: RotatingServer;
  beforeAll(async () => {
    server = await rotatingServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const kept = (root: string): (string | undefined)[] =>
    ['credentials.json', 'credentials.json.new'].map((name) => {
      try {
        return JSON.parse(readFileSync(join(root, name), 'utf8')).credentials[0].refresh_token;
      } catch {
        return undefined;
      }
    });
  const oauth = (verb: string, root: string, more = {}) =>
    svc(['oauth', verb], { env: { SVC_CONFIG_DIR: root, SVC_WEBHOOKS_URL: server.url, ...more } });
  const token = (root: string, more = {}) => oauth('token', root, more);
  const refresh = (root: string) => oauth('refresh', root);

  killEverywhere('the token is what the service honours, wherever it can be known', () => ({
    async prepare(root) {
      // A login that a kill has ended begins anew.
      if (!server.alive) {
        await server[Symbol.asyncDispose]();
        server = await rotatingServer();
      }
      keep(root, login(server.url, -10, { refresh_token: server.current }));
    },
    run: token,
    async check(root, point, at, points) {
      const recoverable = kept(root).includes(server.current);
      if (!recoverable) {
        // Only where the service has spent the old token, for which room was made, and the new one was not written yet.
        const roomMade = points.indexOf('after fsyncSync');
        expect(at, point).toBeGreaterThan(roomMade);
        expect(at, point).toBeLessThan(points.indexOf('after writeSync', roomMade));
      }
      const began = performance.now();
      const next = await token(root);
      expect({ point, code: next.code, stderr: next.code === 4 ? '' : next.stderr }).toEqual({
        point,
        code: recoverable ? 0 : 4,
        stderr: '',
      });
      expect(performance.now() - began, point).toBeLessThan(5000);
      // What is fresh is read without the lock; whoever takes it next clears away what the dead left.
      if (recoverable) expect(await refresh(root), point).toMatchObject({ code: 0 });
      expect(namesIn(root), point).toEqual(['credentials.json']);
    },
  }));
});

describe('an order', () => {
  let gateway: TradingEmulator;
  let before = 0;
  beforeAll(async () => {
    gateway = await startTradingEmulator({ now: Date.now, random: () => 0.5, fast: 20, tickMs: 0 });
    gateway.setPrice('EUR/USD', 1.16);
    gateway.tick();
  });
  afterAll(() => gateway.close());

  const paths = (root: string) => ({ config: root, state: join(root, 'svc'), cache: root });
  const sent = (): number => gateway.requests.slice(before).filter(({ path }) => ORDER_PATHS.test(path)).length;
  const trade = (root: string, argv: readonly string[], more = {}) =>
    svc(['trade', ...argv], {
      env: {
        SVC_CONFIG_DIR: root,
        XDG_STATE_HOME: root,
        XDG_CACHE_HOME: root,
        SVC_TRADE_URL: gateway.url,
        SVC_TRADE_TOKEN: gateway.token,
        SVC_TRADE_ACCOUNT: HEDGING,
        ...more,
      },
    });
  const SELL = ['entry', 'sell', 'EUR/USD', '7', '--rate', '1.2', '--yes', '-o', 'json', '--transport', 'polling'];

  killEverywhere('that arrived at the gateway is in the journal, and none is sent twice', () => ({
    prepare() {
      gateway.book.orders.clear();
      gateway.book.trades.clear();
      before = gateway.requests.length;
    },
    run: (root, more) => trade(root, SELL, more),
    async check(root, point) {
      const journal = readJournal(paths(root));
      const arrived = sent();
      expect(arrived, point).toBeLessThanOrEqual(1);
      expect(journal.length, point).toBeGreaterThanOrEqual(arrived);
      for (const { outcome } of journal) expect(['accepted', 'unknown'], point).toContain(outcome);
      const next = await trade(root, ['journal', '-o', 'json']);
      expect({ point, code: next.code, entries: JSON.parse(next.stdout).length }).toEqual({
        point,
        code: 0,
        entries: journal.length,
      });
      const again = await trade(root, SELL);
      expect({ point, code: again.code, stderr: again.code === 0 ? '' : again.stderr }).toMatchObject({ code: 0 });
      expect(readJournal(paths(root)).length, point).toBe(journal.length + 1);
    },
  }));
});

describe('candles', () => {
  let served: CandleGateway;
  beforeAll(async () => {
    served = await candleGateway();
  });
  afterAll(() => served[Symbol.asyncDispose]());

  const RANGE = ['eurusd', 'm1', '--from', '2025-12-08', '--to', '2025-12-22', '--price', 'bid'];
  const file = (root: string): string => join(root, 'candles.csv');
  const run = (root: string, more = {}) => {
    const env = { ...served.env, XDG_STATE_HOME: `${root}-state`, SVC_CONFIG_DIR: `${root}-config`, ...more };
    return svc(['trade', 'candles', ...RANGE, '--out', file(root), '--resume'], { env });
  };

  killEverywhere('are in the end the same file as if nobody had', () => {
    let whole: Buffer | undefined;
    return {
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
        if (wasWhole) expect(next.stderr, point).toContain('is there already');
        expect(readFileSync(file(root)).equals(whole), point).toBe(true);
        expect(existsSync(`${file(root)}.state.json`), point).toBe(false);
      },
    };
  });
});
