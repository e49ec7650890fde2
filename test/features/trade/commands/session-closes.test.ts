/** Nothing of svc's own delays a close, a cancel or flatten of a session. */
import { describe, expect, it } from 'vitest';
import { temporaryHome } from '../../../support/svc.ts';
import { until } from '../gateway.ts';
import { holdOrder, holdTrade } from './holdings.ts';
import { liveSession } from './live-session.ts';
import { forwarder } from './lost-answers.ts';
import { fileTrader, HEDGING, NOW } from './trader.ts';

const client = await fileTrader({ emptied: true });

const environment = (url: string) => ({
  SVC_TRADE_URL: url,
  SVC_TRADE_TOKEN: client.gateway.token,
  SVC_TRADE_ACCOUNT: HEDGING,
});

it('in an outage, a close that is refused is followed by an attempt to reconnect, however long the delay is', async () => {
  await using before = await forwarder(client.gateway.url);
  const waits: number[] = [];
  const sleepsUntil = (ms: number) => {
    if (ms < 1_000) return undefined;
    waits.push(ms);
    return new Promise<void>(() => {});
  };
  const session = liveSession(environment(before.url), ['--transport', 'polling'], { sleepsUntil });
  await session.printed('ready');
  before.isGone = true;
  client.gateway.cut();
  await session.printed('unreachable');
  await until(() => waits.length > 0);
  before.isGone = false;
  const trade = holdTrade(client.gateway);
  for (let tried = 0; !session.events().some(({ event }) => event === 'recovered'); tried++) {
    session.send({ id: `c${tried}`, command: 'close', trade });
    await session.printed('refused', { id: `c${tried}` });
  }
  session.send({ id: 'd', command: 'close', trade });
  await session.printed('accepted', { id: 'd' });
  expect((await session.interrupt('interrupted')).code).toBe(130);
});

describe('while the tables are not answered', () => {
  /** Awaits the request that changes something, and then lets the gateway answer the reads. */
  const sentWithout = async (
    what: RegExp,
    lines: readonly object[],
    { count = lines.length, knows }: { readonly count?: number; readonly knows?: readonly string[] } = {},
  ) => {
    await using before = await forwarder(client.gateway.url);
    const options = { home: temporaryHome(), clockOffset: NOW - Date.now() };
    if (knows !== undefined) await client.run(knows, { ...options, env: environment(before.url) });
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    before.before = async (url) => (what.test(url) ? answered : undefined);
    const session = liveSession(environment(before.url), ['--account', HEDGING], options);
    await session.printed('ready');
    session.send(...lines);
    await until(() => before.orders.length >= count);
    answer();
    const { code, stderr } = await session.end();
    return { session, code, stderr, orders: before.orders.slice(0, count) };
  };
  const ANY = /get_model/;

  it('a close with its amount is sent', async () => {
    const trade = holdTrade(client.gateway);
    const { session, orders, code } = await sentWithout(ANY, [{ id: 'c', command: 'close', trade, amount: 10 }]);
    expect(orders).toEqual([expect.stringContaining(`trade_id=${trade}`)]);
    expect({ code, c: session.of('c') }).toEqual({ code: 0, c: ['accepted', 'closed'] });
  });

  it('a close without an amount waits for the position, and for nothing else', async () => {
    const trade = holdTrade(client.gateway);
    const others = /get_model.*(Accounts|models=(Account|Order|ClosedPosition|Offer))/;
    const { orders } = await sentWithout(others, [{ id: 'c', command: 'close', trade }], { knows: ['offers'] });
    expect(orders).toEqual([expect.stringContaining(`trade_id=${trade}`)]);
  });

  it('a cancel is sent', async () => {
    const order = holdOrder(client.gateway);
    const { session, orders } = await sentWithout(ANY, [{ id: 'o', command: 'orders cancel', order }]);
    expect(orders).toEqual([`order_id=${order}`]);
    expect(session.of('o')).toEqual(['accepted']);
  });

  it('all of the account is closed, and what cannot be read is canceled later', async () => {
    holdTrade(client.gateway);
    const order = holdOrder(client.gateway);
    const { session, orders } = await sentWithout(ANY, [{ id: 'f', command: 'flatten', account: HEDGING }], {
      count: 1,
    });
    expect(orders[0]).toContain('forSymbol=false');
    expect(session.of('f').sort()).toEqual(['accepted', 'accepted', 'closed']);
    expect(client.gateway.book.orders.has(order)).toBe(false);
  });
});

it('no close waits for the response to another, and an unknown outcome of one stops none', async () => {
  await using before = await forwarder(client.gateway.url);
  const session = liveSession(environment(before.url));
  await session.printed('ready');
  const trades = [holdTrade(client.gateway), holdTrade(client.gateway), holdTrade(client.gateway)];
  before.fault = { applied: false, answer: () => {} };
  session.send({ id: 'c', command: 'close', trade: trades });
  await until(() => before.orders.length === 3);
  expect(trades.every((trade) => before.orders.some((form) => form.includes(`trade_id=${trade}`)))).toBe(true);
  expect((await session.interrupt('interrupted')).code).toBe(8);
});

it('a close does not wait for what is restored after a reconnect', async () => {
  await using before = await forwarder(client.gateway.url);
  const session = liveSession(environment(before.url));
  await session.printed('ready');
  const trade = holdTrade(client.gateway);
  let isRestoring = false;
  before.before = async (url) => {
    if (!url.startsWith('/trading/subscribe')) return;
    isRestoring = true;
    await new Promise(() => {});
  };
  client.gateway.cut();
  await session.printed('recovered');
  await until(() => isRestoring);
  session.send({ id: 'c', command: 'close', trade, amount: 10 });
  await session.printed('accepted', { id: 'c' });
  expect((await session.interrupt('interrupted')).code).toBe(130);
});

it('a close does not wait for other requests, however many the gateway does not answer', async () => {
  await using before = await forwarder(client.gateway.url);
  const session = liveSession(environment(before.url));
  await session.printed('ready');
  const trade = holdTrade(client.gateway);
  let asked = 0;
  before.before = async (url) => {
    if (!url.startsWith('/candles')) return;
    asked += 1;
    await new Promise(() => {});
  };
  const reads = Array.from({ length: 60 }, (_, i) => ({
    id: `r${i}`,
    command: 'candles',
    symbol: 'EUR/USD',
    period: 'H1',
    last: 3,
  }));
  session.send(...reads);
  await until(() => asked > 20);
  session.send({ id: 'c', command: 'close', trade, amount: 10 });
  await session.printed('accepted', { id: 'c' });
  expect((await session.interrupt('interrupted')).code).toBe(130);
});

it('the table of positions is read once, for all trades that were open before', async () => {
  await using before = await forwarder(client.gateway.url);
  const trades = [holdTrade(client.gateway), holdTrade(client.gateway)];
  let reads = 0;
  before.before = async (url) => {
    if (url.includes('models=OpenPosition')) reads += 1;
  };
  const session = liveSession(environment(before.url));
  for (const trade of trades) {
    session.send({ id: trade, command: 'close', trade });
    await session.printed('closed', { id: trade });
  }
  expect({ code: (await session.end()).code, reads }).toEqual({ code: 0, reads: 1 });
});

it('flatten does not say that nothing is pending where the orders cannot be read', async () => {
  await using before = await forwarder(client.gateway.url);
  before.unauthorized = /models=Order/;
  const session = liveSession(environment(before.url), ['--account', HEDGING]);
  session.send({ id: 'f', command: 'flatten', account: HEDGING });
  expect(await session.printed('refused', { id: 'f' })).toMatchObject({
    message: expect.not.stringContaining('no pending orders'),
  });
  await session.interrupt('interrupted');
});
