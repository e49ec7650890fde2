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

interface TradingGateway extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly peer: Peer;
  readonly pushes: Pushes;
  post(path: string, fields: Fields): Promise<Json>;
  rows(model: string, name: string): Promise<readonly Json[]>;
  /** The bid is this, and what comes of that has happened. */
  price(symbol: string, bid: number): void;
  /** After the order has ended: its trades and its outcome. */
  over(orderId: string): Promise<Json>;
}

async function startTrading(): Promise<TradingGateway> {
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
  test('is refused with the messages of the gateway', async () => {
    const REFUSED: readonly (readonly [name: string, path: string, fields: Fields, error: unknown])[] = [
      ['an amount that is no integer', 'open_trade', marketOrder({ amount: 1.5 }), step(1)],
      ['a side that is none', 'open_trade', marketOrder({ is_buy: 'yes' }), coded(2)],
      ['an amount that does not fit the account', 'open_trade', marketOrder({ account_id: '654062' }), step(10)],
      ['a name in the place of an id', 'open_trade', marketOrder({ account_id: '00654061' }), step(10)],
      ['a stop of pips that is none', 'open_trade', marketOrder({ stop: 3, is_in_pips: true }), coded(18)],
      ['a stop on the wrong side', 'open_trade', marketOrder({ stop: 1.16 }), coded(18)],
      ['a limit of 0', 'create_entry_order', entry({ limit: 0 }), coded(19)],
      [
        'a trailing step between',
        'open_trade',
        marketOrder({ stop: -9, is_in_pips: true, trailing_step: 5 }),
        coded(20),
      ],
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
    ];
    await using started = await startTrading();
    for (const [name, path, fields, error] of REFUSED) {
      const answer = await started.post(path, fields);
      expect(errorOf(answer), name).toEqual(error);
      expect(answer['data']).toEqual({});
    }
    expect(started.gateway.book.orders.size + started.gateway.book.trades.size).toBe(0);
  });

  test('of an unknown account is refused in the other format', async () => {
    await using started = await startTrading();
    expect(errorOf(await started.post('open_trade', marketOrder({ account_id: '1' })))).toEqual({
      type: 5,
      sessionId: 'SANDBOX',
      requestId: 'Request-1',
      text: ' Account is not in pool. Skip request for acct 1\n',
      code: 20001,
      stack: '',
    });
  });

  test('is listed until it is filled', async () => {
    await using started = await startTrading();
    // so that it waits for us
    started.gateway.traps.add('market-closed');
    const answer = await started.post('open_trade', marketOrder({ is_buy: false }));
    expect(answer).toEqual({ response: { executed: true }, data: { type: 0, orderId: expect.any(Number) } });
    expect(await started.rows('Order', 'orders')).toMatchObject([{ type: 'OM', status: 2, isBuy: false, buy: 0 }]);
    started.gateway.traps.delete('market-closed');
    started.gateway.tick();
    await started.over(orderIdOf(answer));
    expect(await started.rows('Order', 'orders')).toEqual([]);
    const [position, total] = await started.rows('OpenPosition', 'open_positions');
    expect(position).toMatchObject({ t: 1, isBuy: false, open: 1.15, close: 1.15013, grossPL: -0.65, visiblePL: -1.3 });
    expect(total).toMatchObject({ isTotal: true, accountId: '', grossPL: -0.65 });
  });
});

describe('an entry order', () => {
  test('waits for its price, and passes on its stop and limit', async () => {
    await using started = await startTrading();
    const orderId = orderIdOf(await started.post('create_entry_order', entry({ stop: -40, limit: 80 })));
    expect(await started.rows('Order', 'orders')).toMatchObject([
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
    started.price('EUR/USD', 1.1399);
    expect(await started.rows('OpenPosition', 'open_positions')).toHaveLength(1);
    started.price('EUR/USD', 1.1398);
    await started.over(orderId);
    expect(opened(started.pushes)).toMatchObject([{ open: 1.14, stop: 1.136, limit: 1.148, amountK: 3 }]);
    started.price('EUR/USD', 1.1359);
    expect(await started.pushes.until('ClosedPosition')).toMatchObject({ close: 1.1359, grossPL: -12.3, amountK: 3 });
    expect(started.gateway.book.trades.size).toBe(0);
  });

  test('trails a price that moves away', async () => {
    await using started = await startTrading();
    await started.post('create_entry_order', entry({ rate: 1.16, trailing_step: 10 }));
    started.price('EUR/USD', 1.149);
    expect(await started.rows('Order', 'orders')).toMatchObject([{ type: 'STE', buy: 1.159 }]);
    started.price('EUR/USD', 1.152);
    expect(await started.rows('Order', 'orders')).toMatchObject([{ buy: 1.159 }]);
  });

  test('trails from the price at which it begins to trail', async () => {
    await using started = await startTrading();
    const order_id = orderIdOf(await started.post('create_entry_order', entry({ rate: 1.16 })));
    started.price('EUR/USD', 1.149);
    await started.post('change_order', { order_id, rate: 1.16, amount: 3, range: 0, trailing_step: 10 });
    started.price('EUR/USD', 1.1489);
    expect(await started.rows('Order', 'orders')).toMatchObject([{ type: 'STE', buy: 1.1599 }]);
  });

  test('can be changed and deleted', async () => {
    await using started = await startTrading();
    const order_id = orderIdOf(await started.post('create_entry_order', entry()));
    expect(await started.post('change_order', { order_id, rate: 1.16, amount: 4, range: 0 })).toEqual({
      response: { executed: true },
      data: null,
    });
    await started.pushes.until('Order', ({ action, amountK }) => action === 'U' && amountK === 4);
    const exits = await started.post('change_order_stop_limit', {
      order_id,
      stop: -30,
      is_stop_in_pips: true,
      limit: 1.17,
    });
    expect(exits['data']).toEqual([
      { type: 0, orderId: Number(order_id) },
      { type: 0, orderId: Number(order_id) },
    ]);
    expect(await started.rows('Order', 'orders')).toMatchObject([
      { type: 'SE', buy: 1.16, amountK: 4, stopRate: 1.157, limitRate: 1.17 },
    ]);
    await started.post('delete_order', { order_id });
    expect(await started.over(order_id)).toMatchObject({ status: 3 });
    expect(opened(started.pushes)).toEqual([]);
  });

  test('expires', async () => {
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
  const open = async (started: TradingGateway, changes: Fields = {}): Promise<string> => {
    await started.over(orderIdOf(await started.post('open_trade', marketOrder(changes))));
    return String(opened(started.pushes).at(-1)?.['tradeId']);
  };

  test('can be closed in parts', async () => {
    await using started = await startTrading();
    const trade_id = await open(started);
    started.price('EUR/USD', 1.16);
    await started.over(orderIdOf(await started.post('close_trade', { trade_id, ...closing(2) })));
    const left = ([name, record]: readonly [string, Json]): boolean =>
      name === 'OpenPosition' && record['amountK'] === 3;
    expect(started.pushes.seen.find(left)?.[1]).toMatchObject({ tradeId: trade_id, action: 'U' });
    await started.over(orderIdOf(await started.post('close_trade', { trade_id, ...closing(3) })));
    expect(await started.pushes.until('OpenPosition', ({ action }) => action === 'D')).toMatchObject({
      tradeId: trade_id,
    });
    const [first, second, total] = await started.rows('ClosedPosition', 'closed_positions');
    expect([first, second, total]).toMatchObject([
      { tradeId: trade_id, amountK: 2, grossPL: 19.74, openTime: '06032026140000' },
      { amountK: 3, grossPL: 29.61 },
      { isTotal: true, grossPL: 49.35 },
    ]);
    expect(started.gateway.book.accounts[0]?.balance).toBeCloseTo(50_000 + 49.35 - 0.4);
    expect(errorOf(await started.post('close_trade', { trade_id, ...closing(1) }))).toEqual(coded(1));
  });

  test('has a stop and a limit that can be set, moved and removed', async () => {
    await using started = await startTrading();
    const trade_id = await open(started, { is_buy: false });
    const change = (fields: Fields) =>
      started.post('change_trade_stop_limit', { trade_id, trailing_step: 0, ...fields });
    const exits = async () => (await started.rows('OpenPosition', 'open_positions'))[0];
    await change({ is_stop: true, rate: -50, is_in_pips: true });
    await change({ is_stop: false, rate: 1.14, is_in_pips: false });
    expect(await exits()).toMatchObject({ stop: 1.155, limit: 1.14 });
    expect(errorOf(await change({ is_stop: true, rate: 1.14, is_in_pips: false }))).toEqual(coded(18));
    expect(errorOf(await change({ is_stop: true, rate: 'none', is_in_pips: false }))).toEqual(coded(2));
    expect(await exits()).toMatchObject({ stop: 1.155, limit: 1.14 });
    await change({ is_stop: true, rate: 0, is_in_pips: false });
    expect(await exits()).toMatchObject({ stop: 0, limit: 1.14 });
    started.price('EUR/USD', 1.1398);
    expect(await started.pushes.until('ClosedPosition')).toMatchObject({ tradeId: trade_id });
  });

  test.each([
    [1, 1.1522, 1.1472],
    [100, 1.1522, 1.147],
  ])('has a stop that follows by %d', async (trailing_step, bid, stop) => {
    await using started = await startTrading();
    const trade_id = await open(started);
    const fields = { trade_id, is_stop: true, rate: 1.145, is_in_pips: false, trailing_step };
    await started.post('change_trade_stop_limit', fields);
    started.price('EUR/USD', bid);
    started.price('EUR/USD', bid - 0.001);
    const [position] = await started.rows('OpenPosition', 'open_positions');
    expect(position).toMatchObject({ stopMove: trailing_step, stop });
  });

  test('of a netting account is closed by opposite orders, oldest first', async () => {
    await using started = await startTrading();
    const trade_id = await open(started, { account_id: '654062', amount: 20 });
    await open(started, { account_id: '654062', amount: 10 });
    expect(errorOf(await started.post('close_trade', { trade_id, ...closing(10) }))).toEqual(coded(12));
    const opposite = marketOrder({ account_id: '654062', amount: 40, is_buy: false });
    await started.over(orderIdOf(await started.post('open_trade', opposite)));
    const closed = await started.rows('ClosedPosition', 'closed_positions');
    expect(closed.map(({ amountK }) => amountK)).toEqual([20, 10, undefined]);
    expect(await started.rows('OpenPosition', 'open_positions')).toMatchObject([{ isBuy: false, amountK: 10 }, {}]);
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
