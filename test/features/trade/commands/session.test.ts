/** `svc trade session`: commands from standard input, events with the caller's id. */
import { expect, it } from 'vitest';
import { journal } from '../../../../src/store/order-journal.ts';
import { lockContext } from '../../../store/folder.ts';
import { type RunOptions, temporaryHome } from '../../../support/svc.ts';
import { holdOrder, holdTrade } from './holdings.ts';
import { liveSession } from './live-session.ts';
import { forwarder } from './lost-answers.ts';
import { fileTrader, HEDGING, NETTING, NOW } from './trader.ts';

const client = await fileTrader({ emptied: true });

interface Event {
  readonly event: string;
  readonly id: string | null;
  readonly [field: string]: unknown;
}

const BUY = { command: 'buy', symbol: 'EUR/USD', amount: 5 };
const ndjson = (...lines: readonly (object | string)[]): string =>
  lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');

async function session(
  stdin: string,
  { args = [], ...options }: RunOptions & { readonly args?: readonly string[] } = {},
) {
  const { code, stdout, stderr } = await client.run(['session', '--yes', '-o', 'ndjson', ...args], {
    ...options,
    stdin,
    sleeps: true,
  });
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Event);
  const of = (id: string) => events.filter((one) => one.id === id).map(({ event }) => event);
  return { code, stderr, events, of };
}

it('reports ready, the outcome of each command, and ended', async () => {
  const trade = holdTrade(client.gateway);
  const order = holdOrder(client.gateway);
  const { code, stderr, events, of } = await session(
    ndjson(
      { id: 'a1', ...BUY },
      { id: 'a2', command: 'entry buy', symbol: 'EUR/USD', amount: 7, rate: 1.15 },
      { id: 'a3', command: 'close', trade },
      { id: 'a4', command: 'orders cancel', order },
    ),
  );
  expect(code, stderr).toBe(0);
  expect(of('a1')).toEqual(['accepted', 'filled']);
  expect(of('a2')).toEqual(['accepted', 'open']);
  expect(of('a3')).toEqual(['accepted', 'closed']);
  expect(of('a4')).toEqual(['accepted']);
  expect([events[0]?.event, events.at(-1)?.event]).toEqual(['ready', 'ended']);
  // Draining does not wait for the entry order, which is still open.
  expect(events.at(-1)).toMatchObject({ id: null, open: [{ id: 'a2' }] });
  expect(client.orders()).toHaveLength(4);
});

it.each<[string, string, RegExp]>([
  ['that is not JSON', '{', /not valid JSON/],
  ['with an unknown command', '{"id":"b","command":"login"}', /a line cannot be "login"/],
  ['with a duplicate key', '{"id":"b","command":"buy","symbol":"EUR/USD","amount":1,"amount":2}', /given twice/],
  ['with a duplicate id', '{"id":"a","command":"buy","symbol":"EUR/USD","amount":1}', /"a" was used before/],
  ['with half a lot', '{"id":"b","command":"buy","symbol":"EUR/USD","amount":1.5}', /the amount "1.5" is not/],
])('refuses a line %s, and continues', async (_name, line, why) => {
  const { code, events, of } = await session(ndjson({ id: 'a', ...BUY }, line, { id: 'c', ...BUY, amount: 6 }));
  const refused = events.filter(({ event }) => event === 'refused');
  expect(refused).toEqual([
    expect.objectContaining({ line: 2, code: 'invalid_value', message: expect.stringMatching(why) }),
  ]);
  expect({ code, a: of('a'), c: of('c') }).toEqual({ code: 0, a: ['accepted', 'filled'], c: ['accepted', 'filled'] });
  expect(client.orders()).toHaveLength(2);
});

it('a refusal of the gateway has its code', async () => {
  const { events } = await session(ndjson({ id: 'a', ...BUY, account: '654062' }));
  expect(events.filter(({ id }) => id === 'a')).toEqual([
    expect.objectContaining({ event: 'refused', line: 1, server_code: expect.anything() }),
  ]);
});

it('does not connect without --yes', async () => {
  const { code } = await client.run(['session', '-o', 'ndjson'], { stdin: ndjson({ id: 'a', ...BUY }) });
  expect({ code, calls: client.calls() }).toEqual({ code: 2, calls: [] });
});

it.each<[number, string]>([
  [401, 'unauthorized'],
  [413, 'refused'],
  [429, 'limited'],
])('an order answered by %i is refused with its code, sent once, and the session continues', async (status, code) => {
  await using before = await forwarder(client.gateway.url);
  before.fault = { applied: false, answer: (response) => void response.writeHead(status).end() };
  const run = await session(ndjson({ id: 'a', ...BUY }), { env: { SVC_TRADE_URL: before.url } });
  expect(run.events).toMatchObject([
    { event: 'ready' },
    { event: 'refused', id: 'a', line: 1, code },
    { event: 'ended' },
  ]);
  expect({ code: run.code, orders: before.orders.length }).toEqual({ code: 0, orders: 1 });
  expect(JSON.stringify(run)).not.toContain(client.gateway.token);
});

it('exits 7 without an event if the gateway is unreachable at the start', async () => {
  const { code, stdout } = await client.run(['session', '--yes', '-o', 'ndjson'], {
    stdin: ndjson({ id: 'a', ...BUY }),
    env: { SVC_TRADE_URL: 'http://127.0.0.1:9' },
  });
  expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
});

it('reports a lost response as unknown at once, sends the order once, and settles it', async () => {
  await using before = await forwarder(client.gateway.url);
  before.fault = { applied: true, answer: (response) => void response.socket?.resetAndDestroy() };
  const { code, events, of } = await session(ndjson({ id: 'a', ...BUY }), { env: { SVC_TRADE_URL: before.url } });
  expect({ code, a: of('a').slice(0, 2), last: events.at(-1)?.event }).toEqual({
    code: 0,
    a: ['unknown', 'settled'],
    last: 'ended',
  });
  expect(events[1]).toMatchObject({ line: 1, code: 'outcome_unknown', journal_id: expect.any(String) });
  expect(events[2]).toMatchObject({
    outcome: expect.stringMatching(/^(open|filled)$/),
    journal_id: expect.any(String),
  });
  expect(events.at(-1)).toMatchObject({ open: [] });
  expect(before.orders).toHaveLength(1);
  expect(client.journal()).toMatchObject([{ outcome: events[2]?.['outcome'] }]);
});

it('settles an order that never arrived as absent', async () => {
  await using before = await forwarder(client.gateway.url);
  before.fault = { applied: false, answer: (response) => void response.socket?.resetAndDestroy() };
  const { code, events, of } = await session(ndjson({ id: 'a', ...BUY }), {
    env: { SVC_TRADE_URL: before.url },
    // Pushes are watched for this long.
    sleepsUntil: (ms) => (ms === 10_000 ? Promise.resolve() : undefined),
  });
  expect({ code, a: of('a') }).toEqual({ code: 0, a: ['unknown', 'settled'] });
  expect(events[2]).toMatchObject({ outcome: 'absent', order_ids: [] });
  expect(client.journal()).toMatchObject([{ outcome: 'absent' }]);
});

it('refuses an order that repeats an unknown one, but neither a close nor an equal order in flight', async () => {
  const home = temporaryHome();
  const paths = { config: `${home}/config`, state: `${home}/state`, cache: `${home}/cache` };
  const form = { account_id: HEDGING, symbol: 'EUR/USD', is_buy: 'true', rate: '0', amount: '5' };
  const market = { order_type: 'AtMarket', time_in_force: 'GTC' };
  const began = Date.now();
  const common = { at: new Date(NOW - 2_000).toISOString(), profile: 'default', base_url: `${client.gateway.url}/` };
  const trade = holdTrade(client.gateway, { amountK: 5 });
  const lost = [
    { id: 'lost-1', command: 'buy', path: '/trading/open_trade', form: { ...form, ...market } },
    {
      id: 'lost-2',
      command: 'close',
      path: '/trading/close_trade',
      form: { trade_id: trade, amount: '5', rate: '0', ...market },
    },
  ];
  for (const line of lost) await journal(paths, lockContext, { ...common, ...line });
  const { code, events, of, stderr } = await session(
    ndjson(
      { id: 'a', ...BUY },
      { id: 'b', command: 'close', trade },
      { id: 'c', ...BUY, amount: 6 },
      { id: 'd', ...BUY, amount: 6 },
    ),
    { home, now: () => NOW + Date.now() - began },
  );
  expect(code, stderr).toBe(0);
  expect({ a: of('a'), b: of('b')[0], c: of('c')[0], d: of('d')[0] }).toEqual({
    a: ['refused'],
    b: 'accepted',
    c: 'accepted',
    d: 'accepted',
  });
  expect(events.find(({ id }) => id === 'a')).toMatchObject({ code: 'confirmation_required', journal_id: 'lost-1' });
  expect(stderr).toContain('(journal lost-2); this one may double it');
  expect(client.orders()).toHaveLength(3);
});

it('sends at most one order with a key, and reports its outcome', async () => {
  const home = temporaryHome();
  const once = { ...BUY, once: 'k' };
  const first = await session(ndjson({ id: 'a', ...once }, { id: 'b', ...once }, { id: 'c', ...once, amount: 6 }), {
    home,
  });
  expect(first.code, first.stderr).toBe(0);
  expect([first.of('a'), first.of('b'), first.of('c')]).toEqual([
    ...Array(2).fill(['accepted', 'filled']),
    ['refused'],
  ]);
  expect(first.events.find(({ id }) => id === 'c')).toMatchObject({
    code: 'key_conflict',
    journal_id: expect.any(String),
  });
  expect(client.orders()).toHaveLength(1);
  const again = await session(ndjson({ id: 'd', ...once }), { home });
  expect(again.of('d')).toEqual(['accepted', 'filled']);
  const fieldsOf = ({ events }: typeof first, wanted: string) =>
    events.filter(({ id }) => id === wanted).map(({ id: _id, at: _at, ...fields }) => fields);
  expect(fieldsOf(again, 'd')).toEqual(fieldsOf(first, 'a'));
  expect(client.orders()).toHaveLength(0);
});

it('returns a lost order with a key after it is found', async () => {
  await using before = await forwarder(client.gateway.url);
  const lines = ndjson({ id: 'a', ...BUY, once: 'k' }, { id: 'b', ...BUY, once: 'k' });
  const env = { SVC_TRADE_URL: before.url };
  before.fault = { applied: true, answer: (response) => void response.socket?.resetAndDestroy() };
  const found = await session(lines, { env });
  expect(found.of('a').slice(0, 2)).toEqual(['unknown', 'settled']);
  expect(found.of('b'), found.stderr).toEqual(['accepted', 'filled']);
  expect(before.orders).toHaveLength(1);
});

it('sends every command at the end of input before it drains', async () => {
  const { code, of } = await session(ndjson({ id: 'a', ...BUY }, { id: 'b', ...BUY, amount: 6 }), {
    args: ['--drain', '0s'],
  });
  expect({ code, a: of('a')[0], b: of('b')[0] }).toEqual({ code: 0, a: 'accepted', b: 'accepted' });
  expect(client.orders()).toHaveLength(2);
});

it('answers commands that read', async () => {
  const trade = holdTrade(client.gateway);
  const order = holdOrder(client.gateway);
  const { code, events } = await session(
    ndjson(
      { id: 'r1', command: 'positions list' },
      { id: 'r2', command: 'orders' },
      { id: 'r3', command: 'orders get', order },
      { id: 'r4', command: 'candles', symbol: 'eurusd', period: 'H1', last: 3 },
      { id: 'r5', command: 'hours' },
      { id: 'r6', command: 'orders get', order: 1 },
      { id: 'r7', command: 'positions list', sumary: true },
      { id: 'r8', command: 'stream', name: 'EUR/USD' },
    ),
  );
  expect(code).toBe(0);
  const one = (id: string) => events.find((event) => event.id === id);
  expect(one('r1')).toMatchObject({
    event: 'result',
    command: 'positions list',
    value: [{ tradeId: trade }],
    code: null,
  });
  expect(one('r2')).toMatchObject({ event: 'result', command: 'orders list', value: [{ orderId: order }] });
  expect(one('r3')).toMatchObject({ event: 'result', value: { orderId: order } });
  expect(one('r4')).toMatchObject({ event: 'result', value: [{}, {}, {}] });
  expect(one('r5')).toMatchObject({ event: 'result', value: { state: 'open' } });
  expect(one('r6')).toMatchObject({ event: 'refused', code: 'not_found', line: 6 });
  expect(one('r7')).toMatchObject({ event: 'refused', code: 'invalid_value', line: 7 });
  expect(one('r8')).toMatchObject({ event: 'refused', line: 8 });
  for (const id of ['r1', 'r2', 'r3', 'r4']) expect(events.filter((event) => event.id === id)).toHaveLength(1);
});

it('runs every command of the group, or says why not', async () => {
  const { commands } = await import('../../../../src/features/trade/index.ts');
  const trade = holdTrade(client.gateway);
  const order = holdOrder(client.gateway);
  const all: Readonly<Record<string, object>> = {
    'positions get': { trade },
    'positions update': { trade, stop: '40pips' },
    'orders get': { order },
    'orders update': { order, rate: 1.14 },
    'orders cancel': { all: true },
    'oco create': { symbol: 'EUR/USD', amount: 5, leg: ['buy@1.17', 'sell@1.15'] },
    'oco add': { order: [order, order] },
    'oco remove': { order },
    'oco update': { group: 7, add: order },
    'entry buy': { symbol: 'EUR/USD', amount: 7, rate: 1.15 },
    'entry sell': { symbol: 'EUR/USD', amount: 7, rate: 1.3 },
    buy: { symbol: 'EUR/USD', amount: 5, 'require-open': true },
    sell: { symbol: 'EUR/USD', amount: 5, preview: true },
    close: { symbol: 'EUR/USD' },
    size: { symbol: 'EUR/USD', risk: '1%', stop: '40pips' },
    candles: { symbol: 'EUR/USD', period: 'H1', last: 2 },
    quote: { symbol: 'EUR/USD' },
    permissions: { symbol: 'EUR/USD' },
    model: { name: 'Account' },
    'symbols get': { symbol: 'EUR/USD' },
    'symbols show': { symbol: 'USD/CHF' },
    'symbols hide': { symbol: 'USD/CHF' },
  };
  const names = Object.keys(commands);
  const lines = names.map((command) => ({ id: command, command, ...all[command] }));
  const { code, events, of, stderr } = await session(ndjson(...lines), { args: ['--account', HEDGING] });
  expect(code, stderr).toBe(0);
  const reasons = new Map(events.flatMap(({ id, event, message }) => (event === 'refused' ? [[id, message]] : [])));
  const left = ['batch', 'dashboard', 'login', 'logout', 'session', 'stream', 'watch'];
  for (const name of left) expect(reasons.get(name)).toMatch(`a line cannot be "${name}": `);
  // Its rules may refuse a command, but not its name or options.
  for (const [name, message] of reasons) {
    if (!left.includes(String(name))) expect(message, String(name)).not.toMatch(/unknown|a line cannot/);
  }
  for (const name of names) expect(of(name), name).not.toEqual([]);
  expect(of('sell')).toEqual(['result']);
  expect(of('symbols show')).toEqual(['result']);
  expect(of('journal settle')).toEqual(['result']);
  // One connection, and another for ping, which measures a handshake.
  const handshakes = client.gateway.requests.filter(
    ({ path }) => path.startsWith('/socket.io/') && !path.includes('sid='),
  );
  expect(handshakes.length).toBeLessThanOrEqual(2);
});

it('a dry run reads and subscribes, and returns the requests that it does not send', async () => {
  const trade = holdTrade(client.gateway);
  const { code, events, stderr } = await session(
    ndjson(
      { id: 'a', ...BUY },
      { id: 'b', command: 'positions list' },
      { id: 'c', command: 'subscribe', what: 'Account' },
      { id: 'd', command: 'symbols hide', symbol: 'EUR/USD' },
      { id: 'e', ...BUY, amount: 1.5 },
    ),
    { args: ['--dry-run'] },
  );
  expect(code, stderr).toBe(0);
  const one = (id: string) => events.find((event) => event.id === id);
  expect(one('a')).toMatchObject({
    event: 'result',
    command: 'buy',
    value: [{ method: 'POST', body: { amount: '5' } }],
  });
  expect(one('b')).toMatchObject({ event: 'result', value: [{ tradeId: trade }] });
  expect(one('c')).toMatchObject({ event: 'result', value: ['Account'] });
  expect(one('d')).toMatchObject({ event: 'result', value: [{ method: 'POST' }] });
  expect(one('e')).toMatchObject({ event: 'refused' });
  expect(client.orders()).toEqual([]);
  expect(JSON.stringify(events)).not.toContain(client.gateway.token);
});

it('reads its own account, unless a command names another', async () => {
  const [own, other] = [holdTrade(client.gateway), holdTrade(client.gateway, { account: NETTING })];
  const { events } = await session(
    ndjson({ id: 'a', command: 'positions' }, { id: 'b', command: 'positions', account: NETTING }),
    { args: ['--account', HEDGING] },
  );
  expect(events.find(({ id }) => id === 'a')?.['value']).toMatchObject([{ tradeId: own }]);
  expect(events.find(({ id }) => id === 'b')?.['value']).toMatchObject([{ tradeId: other }]);
});

it('prints heartbeats at the requested interval, until it ends', async () => {
  const { code, events } = await session(ndjson({ id: 'b', ...BUY }), { args: ['--heartbeat', '5ms'] });
  expect(code).toBe(0);
  const beats = events.filter(({ event }) => event === 'heartbeat');
  expect(beats.length).toBeGreaterThan(0);
  expect(beats[0]).toMatchObject({
    id: null,
    reachable: true,
    in_flight: expect.any(Number),
    open: expect.any(Number),
  });
  expect(events.at(-1)?.event).toBe('ended');
});

it('cancels and closes even if the tables cannot be read', async () => {
  await using before = await forwarder(client.gateway.url);
  before.unauthorized = /get_model\?models=(Order|OpenPosition)/;
  const [order, trade] = [holdOrder(client.gateway), holdTrade(client.gateway)];
  const { of } = await session(
    ndjson({ id: 'a', command: 'orders cancel', order }, { id: 'b', command: 'close', trade, amount: 5 }),
    { env: { SVC_TRADE_URL: before.url } },
  );
  expect({ a: of('a'), b: of('b')[0], orders: before.orders.length }).toEqual({
    a: ['accepted'],
    b: 'accepted',
    orders: 2,
  });
});

it('a canceled entry order is closed, without trades', async () => {
  const session = liveSession({
    SVC_TRADE_URL: client.gateway.url,
    SVC_TRADE_TOKEN: client.gateway.token,
    SVC_TRADE_ACCOUNT: HEDGING,
  });
  session.send({ id: 'e', command: 'entry buy', symbol: 'EUR/USD', amount: 7, rate: 1.15 });
  const { order_ids } = await session.printed('open', { id: 'e' });
  const [order] = order_ids as string[];
  session.send({ id: 'c', command: 'orders cancel', order });
  expect(await session.printed('closed', { id: 'e' })).toMatchObject({
    order_ids: [order],
    trades: [],
    closed_trades: [],
    reason: 'its last state was "canceled"',
  });
  const { code } = await session.end();
  expect({ code, e: session.of('e'), c: session.of('c') }).toEqual({
    code: 0,
    e: ['accepted', 'open', 'closed'],
    c: ['accepted'],
  });
  expect(session.events().at(-1)).toMatchObject({ event: 'ended', open: [] });
});
