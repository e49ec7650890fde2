/** `subscribe` and `unsubscribe` in `svc trade session`, on the real socket.io server. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TOKEN, until } from '../gateway.ts';
import { type FeedGateway, feedGateway, ORDER } from './feed.ts';
import { type LiveSession, liveSession } from './live-session.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const tick = (bid: number): object => ({ Symbol: 'EUR/USD', Rates: [bid, bid + 0.0002], Updated: 1_768_392_000_000 });

let feed: FeedGateway;
let session: LiveSession;
let isRevoked: boolean;
beforeEach(async () => {
  isRevoked = false;
  feed = await feedGateway({ accepts: (token) => token === TOKEN && !isRevoked });
  const sleepsUntil = (ms: number) => (ms > 10_000 ? Promise.resolve() : undefined);
  session = liveSession(feed.env, ['--drain', '100ms'], { sleepsUntil });
  await session.printed('ready');
});
afterEach(async () => {
  await session.interrupt('interrupted');
  await feed[Symbol.asyncDispose]();
});

const pushes = () => session.events().filter(({ event }) => event === 'push');

it('prints the pushes of its subscriptions only, with the id of the command', async () => {
  session.send({ id: 's1', command: 'subscribe', what: 'eurusd' }, { id: 's2', command: 'subscribe', what: ['Order'] });
  expect(await session.printed('result', { id: 's1' })).toMatchObject({ command: 'subscribe', value: ['EUR/USD'] });
  expect(await session.printed('result', { id: 's2' })).toMatchObject({ value: ['EUR/USD', 'Order'] });
  feed.push('OpenPosition', { t: 1, tradeId: '7', action: 'I' });
  feed.push('EUR/USD', tick(1.1));
  feed.push('Order', { ...ORDER, action: 'I' }, 'half a record');
  await until(() => pushes().length === 3);
  expect(pushes()).toEqual([
    { event: 'push', id: 's1', at: TIME, kind: 'price', table: null, key: 'EUR/USD', data: tick(1.1) },
    {
      event: 'push',
      id: 's2',
      at: TIME,
      kind: 'I',
      table: 'Order',
      key: ORDER.orderId,
      data: { ...ORDER, action: 'I' },
    },
    { event: 'push', id: 's2', at: TIME, kind: 'other', table: null, key: 'Order', data: 'half a record' },
  ]);
});

it('stops printing them after unsubscribe, and still follows its orders', async () => {
  session.send({ id: 's', command: 'subscribe', what: ['EUR/USD', 'Order'] });
  await session.printed('result', { id: 's' });
  session.send({ id: 'u', command: 'unsubscribe', what: ['Order', 'EUR/USD'] });
  expect(await session.printed('result', { id: 'u' })).toMatchObject({ command: 'unsubscribe', value: [] });
  expect(feed.calls.filter((call) => call.includes('/unsubscribe'))).toEqual(['POST /unsubscribe pairs=EUR/USD']);
  feed.push('Order', ORDER);
  session.send({ id: 's2', command: 'subscribe', what: 'USD/JPY' });
  await feed.subscribed('USD/JPY');
  feed.push('USD/JPY', { Symbol: 'USD/JPY', Rates: [110, 111] });
  await session.printed('push', { id: 's2' });
  expect(pushes()).toHaveLength(1);
});

it('restores subscriptions after a reconnect, and says what may be missing', async () => {
  session.send({ id: 's', command: 'subscribe', what: ['EUR/USD', 'Account'] });
  await session.printed('result', { id: 's' });
  feed.drop();
  const { from, to, ...gap } = await session.printed('gap');
  expect(gap).toMatchObject({ id: null, subscriptions: ['Account', 'EUR/USD'], reason: expect.any(String) });
  expect(Date.parse(String(from))).toBeLessThanOrEqual(Date.parse(String(to)));
  const restored = feed.subscribed('EUR/USD');
  await restored;
  feed.push('EUR/USD', tick(1.2));
  await session.printed('push', { id: 's' });
  const names = session.events().map(({ event }) => event);
  expect(names.slice(2)).toEqual(['unreachable', 'recovered', 'gap', 'push']);
});

it('a subscription that the gateway refuses is refused, and the session continues', async () => {
  session.send({ id: 'a', command: 'subscribe', what: ['EURUSDX'] });
  expect(await session.printed('refused', { id: 'a' })).toMatchObject({ code: 'not_found', line: 1 });
  session.send({ id: 'b', command: 'subscribe', what: [] }, { id: 'c', command: 'subscribe', to: 'Order' });
  expect(await session.printed('refused', { id: 'b' })).toMatchObject({ line: 2 });
  expect(await session.printed('refused', { id: 'c' })).toMatchObject({ code: 'invalid_value', line: 3 });
  session.send({ id: 'd', command: 'subscribe', what: 'Order' });
  await session.printed('result', { id: 'd' });
});

describe('a refused token', () => {
  it('is an outage if requests are refused on a live connection', async () => {
    // The command, and the request that checks the token.
    feed.refusals = 2;
    session.send({ id: 'a', command: 'positions' });
    expect(await session.printed('refused', { id: 'a' })).toMatchObject({ code: 'unauthorized' });
    expect(await session.printed('unreachable')).toMatchObject({ code: 'unauthorized', id: null });
    await session.printed('recovered');
    session.send({ id: 'b', command: 'positions' });
    await session.printed('result', { id: 'b' });
  });

  it('is not an outage if one request is refused', async () => {
    feed.refusals = 1;
    session.send({ id: 'a', command: 'positions' });
    await session.printed('refused', { id: 'a' });
    await feed.called('POST /trading/subscribe models=Order');
    session.send({ id: 'b', command: 'positions' });
    await session.printed('result', { id: 'b' });
    expect(session.events().map(({ event }) => event)).toEqual(['ready', 'refused', 'result']);
  });

  it('is reported at once after a lost connection, and ends the session if it stays refused', async () => {
    isRevoked = true;
    feed.drop();
    // Six attempts, with minutes between them.
    const { code } = await session.run;
    expect(code).toBe(4);
    expect(session.events()).toMatchObject([
      { event: 'ready' },
      { event: 'unreachable', code: 'connection_lost' },
      { event: 'unreachable', code: 'unauthorized' },
      { event: 'ended', open: [] },
    ]);
    expect(JSON.stringify(session.events())).not.toContain(TOKEN);
  });
});

it('ends after --drain if the gateway stays unreachable, and refuses waiting commands', async () => {
  await feed.gateway.stop();
  await session.printed('unreachable');
  session.send({ id: 'r', command: 'positions' });
  const { code } = await session.end();
  expect(code).toBe(7);
  expect(session.events().slice(-2)).toMatchObject([
    { event: 'refused', id: 'r', code: 'connection_lost', line: 1 },
    { event: 'ended', open: [] },
  ]);
});
