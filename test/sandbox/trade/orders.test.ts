/** What the sandbox's gateway makes of orders: refused, waiting, filled, closed. */
import { describe, expect, test } from 'vitest';
import {
  errorOf,
  type Fields,
  type Json,
  listen,
  marketOrder,
  NOW,
  orderIdOf,
  type Peer,
  type Pushes,
  rowsOf,
  startGateway,
  type TestGateway,
} from './service.ts';

const TABLES = ['Order', 'OpenPosition', 'ClosedPosition', 'Account', 'Summary'];

interface Desk extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly peer: Peer;
  readonly pushes: Pushes;
  post(path: string, fields: Fields): Promise<Json>;
  rows(model: string, name: string): Promise<readonly Json[]>;
  /** The bid is this, and what comes of that has happened. */
  price(symbol: string, bid: number): void;
  /** Once the order is no more: its trades, and what became of it. */
  over(orderId: string): Promise<Json>;
}

async function startDesk(): Promise<Desk> {
  const gateway = await startGateway({ seed: 'empty' });
  gateway.setPrice('EUR/USD', 1.15);
  gateway.tick();
  const peer = await gateway.peer();
  const pushes = await listen(gateway, peer, TABLES);
  return {
    gateway,
    peer,
    pushes,
    post: (path, fields) => gateway.call(peer.id, 'POST', `/trading/${path}`, fields),
    rows: async (model, name) =>
      rowsOf(await gateway.call(peer.id, 'GET', '/trading/get_model', { models: model }), name),
    price(symbol, bid) {
      gateway.setPrice(symbol, bid);
      gateway.tick();
    },
    over: (orderId) => pushes.until('Order', (record) => record['orderId'] === orderId && record['action'] === 'D'),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}

const entry = (changes: Fields = {}): Fields => ({
  account_id: '654061',
  symbol: 'EUR/USD',
  is_buy: true,
  rate: 1.14,
  amount: 3,
  order_type: 'Entry',
  time_in_force: 'GTC',
  is_in_pips: true,
  ...changes,
});

const opened = ({ seen }: Pushes): readonly Json[] =>
  seen.filter(([name, { action }]) => name === 'OpenPosition' && action === 'I').map(([, record]) => record);

describe('an order', () => {
  test.each<readonly [string, string, Fields, unknown]>([
    ['an amount that is no integer', 'open_trade', marketOrder({ amount: 1.5 }), step(1)],
    ['an amount that does not fit the account', 'open_trade', marketOrder({ account_id: '654062' }), step(10)],
    ['a name in the place of an id', 'open_trade', marketOrder({ account_id: '00654061' }), step(10)],
    ['a stop of pips that is none', 'open_trade', marketOrder({ stop: 3, is_in_pips: true }), coded(18)],
    ['a stop on the wrong side', 'open_trade', marketOrder({ stop: 1.16 }), coded(18)],
    ['a limit of 0', 'create_entry_order', entry({ limit: 0 }), coded(19)],
    ['a trailing step between', 'open_trade', marketOrder({ stop: -9, is_in_pips: true, trailing_step: 5 }), coded(20)],
    ['a trailing step of an entry', 'create_entry_order', entry({ stop: -9, trailing_stop_step: 2 }), coded(20)],
    ['GTD of a market order', 'open_trade', marketOrder({ time_in_force: 'GTD' }), coded(2)],
    ['GTC of a range', 'open_trade', marketOrder({ order_type: 'MarketRange', at_market: 3 }), coded(2)],
    [
      'a range without its size',
      'open_trade',
      marketOrder({ order_type: 'MarketRange', time_in_force: 'FOK' }),
      coded(2),
    ],
    ['a symbol that there is not', 'open_trade', marketOrder({ symbol: 'EURUSD' }), coded(2)],
    ['a trade that there is not', 'close_trade', { trade_id: '123.0', ...closing(1) }, coded(1)],
    ['a stop of such a trade', 'change_trade_stop_limit', { trade_id: '1', is_stop: true, rate: 0 }, coded(1)],
    ['an order that there is not', 'delete_order', { order_id: '1' }, coded(1)],
    ['a rate of nothing', 'create_entry_order', entry({ rate: 0 }), 'ORA-20105: order price is invalid'],
    ['more than the margin bears', 'open_trade', marketOrder({ amount: 40_000 }), 'ORA-20113: insufficient margin'],
    [
      'an expiry that is over',
      'create_entry_order',
      entry({ time_in_force: 'GTD', expiration: '2026-06-03 13:59' }),
      coded(2),
    ],
  ])('is refused with %s', async (_, path, fields, error) => {
    await using desk = await startDesk();
    const answer = await desk.post(path, fields);
    expect(errorOf(answer)).toEqual(error);
    expect(answer['data']).toEqual({});
    expect(desk.gateway.book.orders.size + desk.gateway.book.trades.size).toBe(0);
  });

  test('of an account that there is not is refused in the other shape', async () => {
    await using desk = await startDesk();
    expect(errorOf(await desk.post('open_trade', marketOrder({ account_id: '1' })))).toEqual({
      type: 5,
      sessionId: 'SANDBOX',
      requestId: 'Request-1',
      text: ' Account is not in pool. Skip request for acct 1\n',
      code: 20001,
      stack: '',
    });
  });

  test('without its side buys', async () => {
    await using desk = await startDesk();
    const { is_buy: _, ...fields } = marketOrder();
    await desk.over(orderIdOf(await desk.post('open_trade', fields)));
    expect(opened(desk.pushes)).toMatchObject([{ isBuy: true, open: 1.15013, amountK: 5, currency: 'EUR/USD' }]);
  });

  test('of contracts counts thousandths of them', async () => {
    await using desk = await startDesk();
    await desk.over(orderIdOf(await desk.post('open_trade', marketOrder({ symbol: 'BTC/USD', amount: 2 }))));
    expect(opened(desk.pushes)).toMatchObject([{ amountK: 0.002, currency: 'BTC/USD' }]);
  });

  test('at market is there at once, and gone once it is a trade', async () => {
    await using desk = await startDesk();
    // so that it waits for us
    desk.gateway.traps.add('market-closed');
    const answer = await desk.post('open_trade', marketOrder({ is_buy: false }));
    expect(answer).toEqual({ response: { executed: true }, data: { type: 0, orderId: expect.any(Number) } });
    expect(await desk.rows('Order', 'orders')).toMatchObject([{ type: 'OM', status: 2, isBuy: false, buy: 0 }]);
    desk.gateway.traps.delete('market-closed');
    desk.gateway.tick();
    await desk.over(orderIdOf(answer));
    expect(await desk.rows('Order', 'orders')).toEqual([]);
    const [position, total] = await desk.rows('OpenPosition', 'open_positions');
    expect(position).toMatchObject({ t: 1, isBuy: false, open: 1.15, close: 1.15013, grossPL: -0.65, visiblePL: -1.3 });
    expect(total).toMatchObject({ isTotal: true, accountId: '', grossPL: -0.65 });
  });
});

describe('an entry order', () => {
  test('waits for its price, and takes its stop and limit along', async () => {
    await using desk = await startDesk();
    const orderId = orderIdOf(await desk.post('create_entry_order', entry({ stop: -40, limit: 80 })));
    expect(await desk.rows('Order', 'orders')).toMatchObject([
      {
        orderId,
        type: 'LE',
        status: 1,
        isEntryOrder: true,
        buy: 1.14,
        stop: -40,
        stopRate: 1.136,
        limit: 80,
        limitRate: 1.148,
      },
    ]);
    desk.price('EUR/USD', 1.1399);
    expect(await desk.rows('OpenPosition', 'open_positions')).toHaveLength(1);
    desk.price('EUR/USD', 1.1398);
    await desk.over(orderId);
    expect(opened(desk.pushes)).toMatchObject([{ open: 1.14, stop: 1.136, limit: 1.148, amountK: 3 }]);
    desk.price('EUR/USD', 1.1359);
    expect(await desk.pushes.until('ClosedPosition')).toMatchObject({ close: 1.1359, grossPL: -12.3, amountK: 3 });
    expect(desk.gateway.book.trades.size).toBe(0);
  });

  test.each([
    [true, 1.14, 'LE'],
    [true, 1.16, 'SE'],
    [false, 1.16, 'LE'],
    [false, 1.14, 'SE'],
  ])('is a limit or a stop by where the price is: buy %s at %d', async (is_buy, rate, type) => {
    await using desk = await startDesk();
    await desk.post('create_entry_order', entry({ is_buy, rate }));
    expect(await desk.rows('Order', 'orders')).toMatchObject([{ type }]);
    desk.price('EUR/USD', rate > 1.15 ? 1.17 : 1.13);
    await desk.pushes.until('OpenPosition');
    expect(opened(desk.pushes)).toMatchObject([{ open: rate, isBuy: is_buy }]);
  });

  test('trails the price that goes away from it', async () => {
    await using desk = await startDesk();
    await desk.post('create_entry_order', entry({ rate: 1.16, trailing_step: 10 }));
    desk.price('EUR/USD', 1.149);
    expect(await desk.rows('Order', 'orders')).toMatchObject([{ type: 'STE', buy: 1.159 }]);
    desk.price('EUR/USD', 1.152);
    expect(await desk.rows('Order', 'orders')).toMatchObject([{ buy: 1.159 }]);
  });

  test('is changed, and deleted', async () => {
    await using desk = await startDesk();
    const order_id = orderIdOf(await desk.post('create_entry_order', entry()));
    expect(await desk.post('change_order', { order_id, rate: 1.16, amount: 4, range: 0 })).toEqual({
      response: { executed: true },
      data: null,
    });
    const exits = await desk.post('change_order_stop_limit', {
      order_id,
      stop: -30,
      is_stop_in_pips: true,
      limit: 1.17,
    });
    expect(exits['data']).toEqual([
      { type: 0, orderId: Number(order_id) },
      { type: 0, orderId: Number(order_id) },
    ]);
    expect(await desk.rows('Order', 'orders')).toMatchObject([
      { type: 'SE', buy: 1.16, amountK: 4, stopRate: 1.157, limitRate: 1.17 },
    ]);
    await desk.post('delete_order', { order_id });
    expect(await desk.over(order_id)).toMatchObject({ status: 3 });
    expect(opened(desk.pushes)).toEqual([]);
  });

  test('ends with its time', async () => {
    let now = NOW;
    await using gateway = await startGateway({ seed: 'empty', now: () => now });
    const peer = await gateway.peer();
    for (const changes of [
      { time_in_force: 'GTD', expiration: '2026-06-03 15:00' },
      { time_in_force: 'GTD', expiration: '2026-06-05' },
      { time_in_force: 'DAY' },
    ]) {
      await gateway.call(peer.id, 'POST', '/trading/create_entry_order', entry({ rate: 0.5, ...changes }));
    }
    const orders = async () =>
      rowsOf(await gateway.call(peer.id, 'GET', '/trading/get_model', { models: 'Order' }), 'orders').map(
        ({ expireDate }) => expireDate,
      );
    expect(await orders()).toEqual(['06032026150000', '06042026210000', '06032026210000']);
    now += 3_600_000;
    gateway.tick();
    expect(await orders()).toEqual(['06042026210000', '06032026210000']);
  });
});

describe('a trade', () => {
  const open = async (desk: Desk, changes: Fields = {}): Promise<string> => {
    await desk.over(orderIdOf(await desk.post('open_trade', marketOrder(changes))));
    return String(opened(desk.pushes).at(-1)?.['tradeId']);
  };

  test('is closed in parts', async () => {
    await using desk = await startDesk();
    const trade_id = await open(desk);
    desk.price('EUR/USD', 1.16);
    await desk.over(orderIdOf(await desk.post('close_trade', { trade_id, ...closing(2) })));
    const left = ([name, record]: readonly [string, Json]): boolean =>
      name === 'OpenPosition' && record['amountK'] === 3;
    expect(desk.pushes.seen.find(left)?.[1]).toMatchObject({ tradeId: trade_id, action: 'U' });
    await desk.over(orderIdOf(await desk.post('close_trade', { trade_id, ...closing(3) })));
    expect(await desk.pushes.until('OpenPosition', ({ action }) => action === 'D')).toMatchObject({
      tradeId: trade_id,
    });
    const [first, second, total] = await desk.rows('ClosedPosition', 'closed_positions');
    expect([first, second, total]).toMatchObject([
      { tradeId: trade_id, amountK: 2, grossPL: 19.74, openTime: '06032026140000' },
      { amountK: 3, grossPL: 29.61 },
      { isTotal: true, grossPL: 49.35 },
    ]);
    expect(desk.gateway.book.accounts[0]?.balance).toBeCloseTo(50_000 + 49.35 - 0.4);
    expect(errorOf(await desk.post('close_trade', { trade_id, ...closing(1) }))).toEqual(coded(1));
  });

  test('is closed once, however often that is asked for', async () => {
    await using desk = await startDesk();
    const trade_id = await open(desk);
    desk.gateway.traps.add('market-closed');
    const first = orderIdOf(await desk.post('close_trade', { trade_id, ...closing(5) }));
    const second = orderIdOf(await desk.post('close_trade', { trade_id, ...closing(5) }));
    desk.gateway.traps.delete('market-closed');
    desk.gateway.tick();
    expect([(await desk.over(first))['status'], (await desk.over(second))['status']]).toEqual([6, 3]);
    expect(desk.gateway.book.closed).toHaveLength(1);
  });

  test('has a stop and a limit that are set, moved and taken away', async () => {
    await using desk = await startDesk();
    const trade_id = await open(desk, { is_buy: false });
    const change = (fields: Fields) => desk.post('change_trade_stop_limit', { trade_id, trailing_step: 0, ...fields });
    const exits = async () => (await desk.rows('OpenPosition', 'open_positions'))[0];
    await change({ is_stop: true, rate: -50, is_in_pips: true });
    await change({ is_stop: false, rate: 1.14, is_in_pips: false });
    expect(await exits()).toMatchObject({ stop: 1.155, limit: 1.14 });
    expect(errorOf(await change({ is_stop: true, rate: 1.14, is_in_pips: false }))).toEqual(coded(18));
    await change({ is_stop: true, rate: 0, is_in_pips: false });
    expect(await exits()).toMatchObject({ stop: 0, limit: 1.14 });
    desk.price('EUR/USD', 1.1398);
    expect(await desk.pushes.until('ClosedPosition')).toMatchObject({ tradeId: trade_id });
  });

  test.each([
    [1, 1.1522, 1.1472],
    [100, 1.1522, 1.147],
  ])('has a stop that follows by %d', async (trailing_step, bid, stop) => {
    await using desk = await startDesk();
    const trade_id = await open(desk);
    const fields = { trade_id, is_stop: true, rate: 1.145, is_in_pips: false, trailing_step };
    await desk.post('change_trade_stop_limit', fields);
    desk.price('EUR/USD', bid);
    desk.price('EUR/USD', bid - 0.001);
    const [position] = await desk.rows('OpenPosition', 'open_positions');
    expect(position).toMatchObject({ stopMove: trailing_step, stop });
  });

  test('of an account that nets is closed by its opposite, the oldest first', async () => {
    await using desk = await startDesk();
    const trade_id = await open(desk, { account_id: '654062', amount: 20 });
    await open(desk, { account_id: '654062', amount: 10 });
    expect(errorOf(await desk.post('close_trade', { trade_id, ...closing(10) }))).toEqual(coded(12));
    const opposite = marketOrder({ account_id: '654062', amount: 40, is_buy: false });
    await desk.over(orderIdOf(await desk.post('open_trade', opposite)));
    const closed = await desk.rows('ClosedPosition', 'closed_positions');
    expect(closed.map(({ amountK }) => amountK)).toEqual([20, 10, undefined]);
    expect(await desk.rows('OpenPosition', 'open_positions')).toMatchObject([{ isBuy: false, amountK: 10 }, {}]);
  });

  test('is closed with all of its symbol, or of its account', async () => {
    await using desk = await startDesk();
    await open(desk);
    await open(desk, { symbol: 'XAU/USD' });
    await open(desk, { symbol: 'USD/JPY', account_id: '654062', amount: 10 });
    const all = { account_id: '654061', order_type: 'AtMarket', time_in_force: 'GTC' };
    const one = await desk.post('close_all_for_symbol', { ...all, forSymbol: true, symbol: 'EUR/USD' });
    expect(one['data']).toEqual([{ type: 0, orderId: expect.any(Number) }]);
    const [{ orderId }] = one['data'] as [{ orderId: number }];
    await desk.over(String(orderId));
    const rest = await desk.post('close_all_for_symbol', { ...all, forSymbol: false, symbol: '' });
    await desk.over(String((rest['data'] as [{ orderId: number }])[0].orderId));
    expect([...desk.gateway.book.trades.values()].map(({ instrument }) => instrument.symbol)).toEqual(['USD/JPY']);
  });
});

describe('a group of orders', () => {
  const pair = { ...entry(), is_buy2: false, rate2: 1.16, stop: -20, stop2: -30 };
  const groups = ({ gateway }: Desk) => [...gateway.book.orders.values()].map(({ ocoBulkId }) => ocoBulkId);

  test('is made, and goes with one of them', async () => {
    await using desk = await startDesk();
    const { data } = await desk.post('simple_oco', pair);
    const [first, second] = data as [{ orderId: number }, { orderId: number }];
    const [group, same] = groups(desk);
    expect(group).toBeGreaterThan(0);
    expect(same).toBe(group);
    await desk.post('delete_order', { order_id: first.orderId });
    await desk.over(String(second.orderId));
    expect(groups(desk)).toEqual([]);
  });

  test('is one filled and one canceled', async () => {
    await using desk = await startDesk();
    const { data } = await desk.post('simple_oco', pair);
    const [, second] = data as [{ orderId: number }, { orderId: number }];
    desk.price('EUR/USD', 1.139);
    expect(await desk.over(String(second.orderId))).toMatchObject({ status: 3 });
    await desk.pushes.until('OpenPosition', ({ action }) => action === 'I');
    expect(opened(desk.pushes)).toHaveLength(1);
  });

  test('is joined and left', async () => {
    await using desk = await startDesk();
    const ids = [
      orderIdOf(await desk.post('create_entry_order', entry())),
      orderIdOf(await desk.post('create_entry_order', entry({ rate: 1.13 }))),
    ];
    const [first = '', second = ''] = ids;
    expect((await desk.post('add_to_oco', { orderIds: ids, ocoBulkId: 0 }))['data']).toEqual([null, null]);
    const [group] = groups(desk);
    expect(groups(desk)).toEqual([group, group]);
    await desk.post('remove_from_oco', { orderIds: first });
    expect(groups(desk)).toEqual([0, group]);
    await desk.post('edit_oco', { ocoBulkId: String(group), addOrderIds: first, removeOrderIds: second });
    expect(groups(desk)).toEqual([group, 0]);
  });

  test('is not made where one of them is wrong', async () => {
    await using desk = await startDesk();
    expect(errorOf(await desk.post('simple_oco', { ...pair, rate2: 0 }))).toMatch('ORA-20105');
    expect(groups(desk)).toEqual([]);
  });
});

function closing(amount: number): Fields {
  return { amount, order_type: 'AtMarket', time_in_force: 'GTC', rate: 0, at_market: 0 };
}

function coded(code: number): unknown {
  return expect.objectContaining({ code });
}

function step(divisor: number): unknown {
  return { code: 3, message: `Amount should be divisible by ${divisor}`, parameters: [String(divisor)] };
}
