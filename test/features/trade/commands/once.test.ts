/** `--once`: the same key sends at most one order, and a repetition returns what became of it. */
import { beforeEach, describe, expect, it } from 'vitest';
import { lockOwner, withLock } from '../../../../src/store/lock.ts';
import { journal, type OrderAnswered, type OrderSent } from '../../../../src/store/order-journal.ts';
import { lockContext } from '../../../store/folder.ts';
import { temporaryHome } from '../../../support/svc.ts';
import { ACCOUNT, errorOf, fileGateway, reply, tableTime } from './document-gateway.ts';

const gateway = await fileGateway();
beforeEach(() => {
  gateway.feed.onOrder = (response) => reply(response, 200, ACCEPTED);
});

const ACCEPTED = '{"response":{"executed":true},"data":{"type":0,"orderId":390285837}}';
const BUY = ['buy', 'EUR/USD', '9', '--yes', '-o', 'json'];
const ONCE = [...BUY, '--once', 'k'];
const posts = (): number => gateway.feed.orders.length;

interface Earlier {
  readonly ago?: number;
  readonly answered?: Partial<OrderAnswered>;
  readonly sent?: Partial<OrderSent>;
}

/** A home whose journal has an order with the key. */
async function homeWith(earlier: Earlier = {}): Promise<string> {
  const home = temporaryHome();
  await add(home, earlier);
  return home;
}

async function add(home: string, { ago = 15_000, answered, sent }: Earlier): Promise<void> {
  const paths = { config: `${home}/config`, state: `${home}/state`, cache: `${home}/cache` };
  const at = new Date(Date.now() - ago).toISOString();
  const market = { rate: '0', order_type: 'AtMarket', time_in_force: 'GTC' };
  await journal(paths, lockContext, {
    id: 'id-1',
    at,
    profile: 'default',
    base_url: `${gateway.feed.env['SVC_TRADE_URL']}/`,
    command: 'buy',
    path: '/trading/open_trade',
    form: { account_id: ACCOUNT, symbol: 'EUR/USD', is_buy: 'true', amount: '9', ...market },
    once: 'k',
    asked: { command: 'buy', symbol: 'EURUSD', amount: 9, tif: 'GTC', account: ACCOUNT },
    ...sent,
  });
  if (answered !== undefined) await journal(paths, lockContext, { id: 'id-1', at, outcome: 'accepted', ...answered });
}

const position = (more: object = {}) => {
  const time = tableTime(Date.now() - 14_000);
  return {
    t: 1,
    tradeId: '7',
    accountId: ACCOUNT,
    currency: 'EUR/USD',
    isBuy: true,
    amountK: 9,
    open: 1.16,
    time,
    ...more,
  };
};

describe('the same key', () => {
  it('returns the order that was accepted, and sends no other', async () => {
    const first = await gateway.run(ONCE);
    const { home } = gateway;
    const again = await gateway.run(ONCE, { home });
    expect({ code: again.code, stdout: again.stdout, posts: posts() }, again.stderr).toEqual({
      code: 0,
      stdout: first.stdout,
      posts: 1,
    });
    expect(again.stderr).toContain('the key k was used at');
    expect(gateway.journal()).toMatchObject([{ once: 'k', outcome: 'accepted' }]);
    // Written differently, it is the same order.
    const same = ['buy', 'eurusd', '9', '--yes', '--account', '01027808', '--tif', 'GTC', '--once', 'k', '-q'];
    expect(await gateway.run(same, { home })).toMatchObject({ code: 0, stdout: '390285837\n' });
    expect(posts()).toBe(1);
  });

  it('returns the refusal of the service, with its exit status', async () => {
    gateway.feed.onOrder = (response) => reply(response, 400, '{"code":20001,"message":"no","parameters":[]}');
    const first = await gateway.run(ONCE);
    const again = await gateway.run(ONCE, { home: gateway.home });
    expect([first.code, again.code, posts()]).toEqual([3, 3, 1]);
    const { code, server_code } = errorOf(first);
    expect(errorOf(again)).toMatchObject({ code, server_code, journal_id: gateway.journal()[0]?.id });
  });

  it('sends an order again that a rate limit stopped or that was not sent', async () => {
    gateway.feed.onOrder = (response) => reply(response, 429, '{}');
    expect((await gateway.run(ONCE)).code).toBe(6);
    gateway.feed.onOrder = (response) => reply(response, 200, ACCEPTED);
    expect((await gateway.run(ONCE, { home: gateway.home })).code).toBe(0);
    const home = await homeWith({ answered: { outcome: 'not_sent' } });
    expect((await gateway.run(ONCE, { home })).code).toBe(0);
    expect(posts()).toBe(3);
  });

  it.each([
    ['amount', ['buy', 'EUR/USD', '8']],
    ['command', ['sell', 'EUR/USD', '9']],
    ['command', ['entry', 'buy', 'EUR/USD', '9', '--rate', '1.1']],
    ['symbol', ['buy', 'USD/JPY', '9']],
    ['stop', ['buy', 'EUR/USD', '9', '--stop', '40pips']],
    ['account', ['buy', 'EUR/USD', '9', '--account', '5']],
  ])('is refused with another %s', async (name, argv) => {
    gateway.feed.tables['Account'] = [ACCOUNT, '5'].map((id) => ({
      accountId: id,
      accountName: id,
      hedging: 'Y',
      mc: 'N',
    }));
    const home = await homeWith({ answered: {} });
    const run = await gateway.run([...argv, '--yes', '--once', 'k', '-o', 'json'], { home });
    expect({ code: run.code, posts: posts() }, run.stderr).toEqual({ code: 2, posts: 0 });
    expect(errorOf(run)).toMatchObject({ code: 'key_conflict', message: expect.stringContaining(`another ${name}`) });
  });

  it('is independent at another gateway, and has one line in the journal', async () => {
    const home = await homeWith({ sent: { base_url: 'http://127.0.0.1:9/' }, answered: { outcome: 'accepted' } });
    expect((await gateway.run(ONCE, { home })).code).toBe(0);
    expect(posts()).toBe(1);
    expect((await gateway.run([...BUY, '--once', 'a\nb'], { home })).code).toBe(2);
  });

  it('matches an entry order with the same text `2h`', async () => {
    const entry = ['entry', 'buy', 'EUR/USD', '9', '--rate', '1.10', '--expires', '2h', '--once', 'k', '--yes'];
    const now = Date.now();
    await gateway.run(entry, { now: () => now });
    const { home } = gateway;
    const later = entry.with(5, '1.1');
    expect((await gateway.run(later, { home, now: () => now + 300_000 })).code).toBe(0);
    expect(posts()).toBe(1);
    expect((await gateway.run(entry.with(7, '3h'), { home })).code).toBe(2);
  });
});

describe('an order with a key whose outcome is unknown', () => {
  it('is returned after the tables show it', async () => {
    gateway.feed.tables['OpenPosition'] = [position()];
    const home = await homeWith();
    const run = await gateway.run(ONCE, { home });
    expect({ code: run.code, posts: posts() }, run.stderr).toEqual({ code: 0, posts: 0 });
    expect(JSON.parse(run.stdout)).toMatchObject({ status: 'filled', trades: [{ tradeId: '7', rate: 1.16 }] });
    expect(gateway.journal()).toMatchObject([{ outcome: 'filled', trade_ids: ['7'] }]);
    expect((await gateway.run(ONCE, { home })).stdout).toBe(run.stdout);
    // The id of the order was in the response that was lost.
    const { stdout } = await gateway.run(['buy', 'EUR/USD', '9', '--yes', '--once', 'k'], { home });
    expect(stdout).toMatch(/^order accepted\ntrade 7 9K @ 1.16 filled\n/);
  });

  it('is sent again if the tables prove that it was not executed', async () => {
    const run = await gateway.run(ONCE, { home: await homeWith() });
    expect({ code: run.code, posts: posts() }, run.stderr).toEqual({ code: 0, posts: 1 });
    expect(gateway.journal()).toMatchObject([{ outcome: 'absent' }, { outcome: 'accepted', once: 'k' }]);
  });

  it.each<[string, Earlier]>([
    ['two days ago', { ago: 172_800_000 }],
    ['with an order id', { answered: { outcome: 'unknown', order_ids: ['39'] } }],
    ['by a process that still runs', { sent: { owner: { ...lockOwner(process.pid) } } }],
  ])('%s is neither sent again nor called absent', async (_name, earlier) => {
    const home = await homeWith(earlier);
    const run = await gateway.run([...ONCE, '--timeout', '1s'], { home });
    expect({ code: run.code, posts: posts() }, run.stderr).toEqual({ code: 8, posts: 0 });
    expect(errorOf(run)).toMatchObject({ code: 'outcome_unknown', journal_id: 'id-1' });
  });

  const entry = ['entry', 'buy', 'EUR/USD', '9', '--rate', '1.1', '--yes', '-o', 'json', '--once', 'k'];
  const sentEntry: Partial<OrderSent> = {
    command: 'entry buy',
    path: '/trading/create_entry_order',
    form: { account_id: ACCOUNT, symbol: 'EUR/USD', is_buy: 'true', amount: '9', rate: '1.1', order_type: 'Entry' },
    asked: { command: 'entry buy', symbol: 'EURUSD', amount: 9, rate: 1.1, tif: 'GTC', account: ACCOUNT },
  };
  const order = (more: object = {}) => position({ t: 3, orderId: '39', tradeId: '8', type: 'OM', ...more });
  const closed = (more: object = {}) => {
    const closeTime = tableTime(Date.now() - 13_000);
    return { ...position({ openTime: position().time, close: 1.15, closeTime, ...more }), time: undefined };
  };
  const stop = () => order({ orderId: '40', tradeId: '7', type: 'S', isBuy: false, isEntryOrder: false });
  const netting = { accountId: ACCOUNT, accountName: ACCOUNT, hedging: 'N', mc: 'N' };
  it.each<[string, number, () => Record<string, readonly object[]>]>([
    ['whose position has a stop', 0, () => ({ OpenPosition: [position()], Order: [stop()] })],
    ['whose position is being closed', 0, () => ({ OpenPosition: [position()], Order: [{ ...stop(), type: 'CM' }] })],
    ['that was stopped out at once', 0, () => ({ ClosedPosition: [closed()] })],
    ['that may be partly filled', 8, () => ({ OpenPosition: [position({ amountK: 4 })] })],
    ['that may be partly filled and was stopped out', 8, () => ({ ClosedPosition: [closed({ amountK: 4 })] })],
    ['of which a part may be left', 8, () => ({ Order: [order({ amountK: 4 })] })],
    [
      'that may have closed positions, as something else did',
      8,
      () => ({ Account: [netting], ClosedPosition: [closed({ isBuy: false, amountK: 12 })] }),
    ],
    [
      'that may have closed some of a position',
      8,
      () => ({ Account: [netting], ClosedPosition: [closed({ isBuy: false, amountK: 4 })] }),
    ],
  ])('%s is not sent again: exit %i', async (_name, code, tables) => {
    Object.assign(gateway.feed.tables, tables());
    const run = await gateway.run(ONCE, { home: await homeWith() });
    expect({ code: run.code, posts: posts() }, run.stderr).toEqual({ code, posts: 0 });
  });

  it('is not sent again if it is an entry order that may be filled at another price', async () => {
    gateway.feed.tables['OpenPosition'] = [position({ open: 1.1004 })];
    const run = await gateway.run(entry, { home: await homeWith({ sent: sentEntry }) });
    expect({ code: run.code, posts: posts() }, run.stderr).toEqual({ code: 8, posts: 0 });
  });

  it.each([
    ['absent', { code: 0, posts: 1 }],
    ['filled', { code: 0, posts: 0 }],
  ])('that stays unknown is settled as its hint says: %s', async (as, expected) => {
    gateway.feed.tables['OpenPosition'] = [position({ amountK: 4 })];
    const home = await homeWith();
    const { stderr } = await gateway.run(ONCE, { home });
    const { hint, candidates, message } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error;
    expect({ candidates, message }).toEqual({ candidates: '7', message: expect.stringContaining('buy 4K EUR/USD') });
    const [command = ''] = RegExp(`svc trade (journal settle id-1 --as ${as}[^;]*)`).exec(hint)?.slice(1) ?? [];
    expect(command.split(' ').slice(5)).toEqual(as === 'filled' ? ['--trade', '7'] : []);
    expect((await gateway.run(command.split(' '), { home })).code).toBe(0);
    const run = await gateway.run(ONCE, { home });
    expect({ code: run.code, posts: posts() }, run.stderr).toEqual(expected);
  });

  it('is not called absent by tables that were read too early', async () => {
    let late = 0;
    const now = () => Date.now() + late;
    gateway.feed.onModel = (model) => {
      if (model !== 'ClosedPosition') return false;
      // The order arrives between the tables and the look at the clock.
      gateway.feed.tables['OpenPosition'] = [position()];
      late += 5_000;
      return false;
    };
    const run = await gateway.run(ONCE, { home: await homeWith({ ago: 8_000 }), now });
    expect({ code: run.code, posts: posts() }, run.stderr).toEqual({ code: 0, posts: 0 });
  });

  it("is found even if this machine's clock was set since", async () => {
    gateway.feed.tables['OpenPosition'] = [position()];
    const home = await homeWith({ ago: 15_000 - 3_600_000, sent: { clock_skew: -3_600_000 } });
    const run = await gateway.run(ONCE, { home });
    expect({ code: run.code, posts: posts() }, run.stderr).toEqual({ code: 0, posts: 0 });
  });

  it("is not called absent while the gateway's clock is unknown", async () => {
    gateway.feed.onModel = (_model, response) => {
      response.sendDate = false;
      return false;
    };
    const run = await gateway.run(ONCE, { home: await homeWith() });
    expect({ code: run.code, posts: posts() }, run.stderr).toEqual({ code: 8, posts: 0 });
  });

  it('is as old as its line in the journal', async () => {
    const home = temporaryHome();
    let late = 0;
    let waits = 0;
    const now = () => Date.now() + late;
    const { run, released } = await withLock(`${home}/state/trade/orders.ndjson.lock`, lockContext, async () => {
      let ready = (): void => {};
      const waited = new Promise<void>((resolve) => {
        ready = resolve;
      });
      const sleepsUntil = (): undefined => {
        if (++waits === 5) ready();
        if (waits <= 5) late += 2_000;
      };
      const run = gateway.run(ONCE, { home, now, sleepsUntil });
      await waited;
      return { run: [run], released: now() };
    });
    expect((await run[0])?.code).toBe(0);
    expect(Date.parse(gateway.journal()[0]?.at ?? '')).toBeGreaterThanOrEqual(released);
  });

  it('does not need the user while an equal order is in flight', async () => {
    gateway.feed.tables['OpenPosition'] = [position()];
    const home = await homeWith();
    await add(home, { sent: { id: 'id-2', once: 'l', owner: { ...lockOwner(process.pid) } } });
    const run = await gateway.run([...ONCE, '--timeout', '1s'], { home });
    expect({ code: run.code, posts: posts() }, run.stderr).toEqual({ code: 8, posts: 0 });
    expect(errorOf(run)).toMatchObject({ hint: 'repeat the command later', journal_id: 'id-1' });
  });

  it('does not claim a position that another process claimed', async () => {
    gateway.feed.tables['OpenPosition'] = [position()];
    const home = await homeWith();
    await add(home, { sent: { id: 'id-2', once: 'l' } });
    const lock = `${home}/state/trade/orders.ndjson.lock`;
    let reads = 0;
    gateway.feed.onModel = (model) => {
      if (model === 'ClosedPosition') reads += 1;
      return false;
    };
    // Both wait for the journal once they have read the tables.
    const runs = await withLock(lock, lockContext, async () => {
      const waiting = new Set<unknown>();
      let ready = (): void => {};
      const both = new Promise<void>((resolve) => {
        ready = resolve;
      });
      const started = [ONCE, ONCE.with(-1, 'l')].map((argv) => {
        const sleepsUntil = (): undefined => {
          if (reads === 2) waiting.add(argv);
          if (waiting.size === 2) ready();
        };
        return gateway.run(argv, { home, sleepsUntil });
      });
      await both;
      return started;
    });
    const ended = await Promise.all(runs);
    expect(
      ended.map(({ code }) => code),
      ended.map(({ stderr }) => stderr).join(''),
    ).toEqual([0, 0]);
    expect(posts()).toBe(1);
  });

  it('does not claim the position of an equal order', async () => {
    gateway.feed.tables['OpenPosition'] = [position()];
    const home = await homeWith();
    await add(home, { sent: { id: 'id-2', once: 'l' } });
    expect(JSON.parse((await gateway.run(ONCE, { home })).stdout)).toMatchObject({ trades: [{ tradeId: '7' }] });
    const other = await gateway.run(ONCE.with(-1, 'l'), { home });
    expect({ code: other.code, posts: posts() }, other.stderr).toEqual({ code: 0, posts: 1 });
  });

  it('makes svc wait while another process waits for its response', async () => {
    let answer = (): unknown => undefined;
    const arrived = new Promise<void>((resolve) => {
      gateway.feed.onOrder = (response) => {
        answer = () => response.headersSent || reply(response, 200, ACCEPTED);
        resolve();
      };
    });
    const home = temporaryHome();
    const first = gateway.run(ONCE, { home });
    await arrived;
    const pause = (ms: number) => {
      if (ms !== 100) return undefined;
      answer();
      return new Promise<void>((resolve) => setImmediate(resolve));
    };
    const second = gateway.run(ONCE, { home, sleepsUntil: pause });
    expect((await second).stdout, (await second).stderr).toBe((await first).stdout);
    expect({ posts: posts(), entries: gateway.journal().length }).toEqual({ posts: 1, entries: 1 });
  });
});

it('twenty processes with one key send one order', async () => {
  const home = temporaryHome();
  const runs = await Promise.all(Array.from({ length: 20 }, () => gateway.run(ONCE, { home })));
  expect(new Set(runs.map(({ code, stdout }) => `${code} ${stdout}`)).size).toBe(1);
  expect(posts()).toBe(1);
});
