/** The market that a seed moves: the same walk every time, and what it does to orders and accounts. */
import { describe, expect, test } from 'vitest';
import type { Order } from '../../../src/sandbox/trade/book.ts';
import { Dealer } from '../../../src/sandbox/trade/dealer.ts';
import { INSTRUMENTS, type Instrument } from '../../../src/sandbox/trade/instruments.ts';
import { Market } from '../../../src/sandbox/trade/market.ts';
import { randomWalk } from '../../../src/sandbox/trade/moving-prices.ts';
import { type Json, listen, marketOrder, orderIdOf, rowsOf, startGateway, type TestGateway } from './service.ts';

const EURUSD = INSTRUMENTS[0] as Instrument;
const DAY_MS = 86_400_000;
const HEDGING = '654061';

/** Each tick is 100 seconds of the market. */
const start = (seed: number, volatility = 1, fast = 10_000): Promise<TestGateway> =>
  startGateway({ movement: { seed, volatility }, fast, seed: 'empty' });

const model = async (gateway: TestGateway, sid: string, name: string, rows: string): Promise<readonly Json[]> =>
  rowsOf(await gateway.call(sid, 'GET', '/trading/get_model', { models: name }), rows).filter(
    ({ isTotal }) => isTotal !== true,
  );

function bids(seed: number, volatility: number, ticks: number): readonly number[] {
  const source = randomWalk({ seed, volatility, tickMs: 1000 });
  const first = source.start().map(({ bid }) => bid);
  return [...first, ...Array.from({ length: ticks }, () => source.next().map(({ bid }) => bid)).flat()];
}

describe('the walk', () => {
  test('of a seed is always the same, and that of another seed is another', () => {
    expect(bids(7, 1, 200)).toEqual(bids(7, 1, 200));
    expect(bids(7, 1, 200)).not.toEqual(bids(8, 1, 200));
    expect(bids(7, 1, 0)).toEqual(INSTRUMENTS.map(({ price }) => price));
  });

  /** The deviation of the daily logarithmic return, over many seeds. */
  const deviation = (volatility: number): number => {
    const returns = Array.from({ length: 40 }, (_, seed) => {
      const source = randomWalk({ seed: seed + 1, volatility, tickMs: DAY_MS / 50 });
      let last = 1.16;
      for (let tick = 0; tick < 50; tick++) {
        last = source.next().find(({ instrument }) => instrument.offerId === 1)?.bid ?? last;
      }
      return Math.log(last / 1.16);
    });
    return Math.sqrt(returns.reduce((sum, one) => sum + one * one, 0) / returns.length);
  };

  test('moves about half a percent a day, times the volatility', () => {
    expect(deviation(1)).toBeGreaterThan(0.003);
    expect(deviation(1)).toBeLessThan(0.008);
    expect(deviation(5) / deviation(1)).toBeCloseTo(5, 0);
  });

  test('stays positive and near its start at any volatility', () => {
    for (const volatility of [100, 1000]) {
      for (const [index, bid] of bids(3, volatility, 500).entries()) expect(bid, String(index)).toBeGreaterThan(0);
    }
  });

  test('stops at the weekend, if there is one, and opens with a gap', () => {
    const source = randomWalk({ seed: 5, volatility: 1, tickMs: 600_000 });
    const moved: number[] = [];
    const jumps: number[] = [];
    let last = 0;
    for (let tick = 1; tick <= 7 * 144 + 10; tick++) {
      const moves = source.next();
      const own = moves.find(({ instrument: { symbol } }) => symbol === 'EUR/USD');
      if (own !== undefined) {
        moved.push(tick);
        if (last !== 0) jumps[tick] = Math.abs(own.bid - last);
        last = own.bid;
      }
      const isWeekend = tick % (7 * 144) >= 5 * 144;
      for (const { offerId, always } of INSTRUMENTS) {
        const instrument = INSTRUMENTS.find((one) => one.offerId === offerId);
        if (instrument !== undefined) expect(source.isOpen(instrument)).toBe(always || !isWeekend);
      }
    }
    // One push at the close shows that the symbol is not tradable any more.
    expect(moved.filter((tick) => tick > 5 * 144 && tick < 7 * 144)).toEqual([]);
    expect(moved).toContain(7 * 144);
    const usual = Math.max(...jumps.filter((_, tick) => tick < 4 * 144 && tick > 1).filter(Number.isFinite));
    expect(jumps[7 * 144]).toBeGreaterThan(usual);
  });
});

/** Far from the price, so that only the test fills it. */
const ORDER: Order = {
  orderId: '1',
  tradeId: '2',
  account: { id: HEDGING, name: '', hedging: 'Y', step: 1, balance: 0, dayBalance: 0, mc: 'N' },
  instrument: EURUSD,
  isBuy: true,
  type: 'OM',
  status: 2,
  timeInForce: 'GTC',
  expires: undefined,
  time: 0,
  amountK: 10,
  rate: 0,
  range: 0,
  stop: undefined,
  limit: undefined,
  trail: 0,
  trailedFrom: 0,
  ocoBulkId: 0,
  quoted: 0,
  closes: undefined,
  fill: undefined,
};

describe('the dealer of a seed', () => {
  const market = new Market(() => 0, randomWalk({ seed: 1, volatility: 1, tickMs: 1000 }), false);
  const { bid, ask } = market.quote(EURUSD);
  const filled = (seed: number, of: Partial<Order>, times = 500): readonly number[] => {
    const dealer = new Dealer(market, seed);
    return Array.from({ length: times }, () => dealer.rate({ ...ORDER, ...of }));
  };

  test('slips mostly against the order, reproducibly', () => {
    for (const isBuy of [true, false]) {
      const against = filled(9, { isBuy }).map((rate) => (isBuy ? rate - ask : bid - rate));
      const share = (is: (slip: number) => boolean) => against.filter(is).length / against.length;
      expect(share((slip) => Math.abs(slip) < 1e-9)).toBeGreaterThan(0.5);
      expect(share((slip) => slip > 1e-9)).toBeGreaterThan(2 * share((slip) => slip < -1e-9));
      expect(share((slip) => slip < -1e-9)).toBeGreaterThan(0);
      expect(Math.max(...against)).toBeLessThan(ask - bid);
    }
    expect(filled(9, {})).toEqual(filled(9, {}));
    expect(filled(9, {})).not.toEqual(filled(10, {}));
  });

  test('fills a limit at its rate or better, and a stop at the price of the market', () => {
    expect(new Set(filled(1, { type: 'LE', rate: ask + 0.002 }))).toEqual(new Set([ask]));
    expect(new Set(filled(1, { type: 'LE', rate: ask - 0.002 }))).toEqual(new Set([ask - 0.002]));
    expect(new Set(filled(1, { type: 'L', closes: '2', isBuy: false, rate: bid - 0.002 }))).toEqual(new Set([bid]));
    for (const rate of filled(1, { type: 'SE', rate: ask - 0.01 })) expect(rate).toBeGreaterThan(ask - 0.001);
  });

  test('kills a range order whose rate is worse than its range allows', () => {
    const dealer = new Dealer(market, 1);
    const order = { ...ORDER, type: 'OR', range: 2, quoted: ask };
    expect([0, 1.9, 2, 2.1].map((pips) => dealer.isOutOfRange(order, ask + pips / 10_000))).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect(dealer.isOutOfRange({ ...order, isBuy: false, quoted: bid }, bid - 0.001)).toBe(true);
    expect(dealer.isOutOfRange({ ...order, type: 'OM' }, ask + 1)).toBe(false);
  });

  test('fills in parts that add up, and rejects one new order in fifty, never a close', () => {
    const dealer = new Dealer(market, 3);
    for (const amountK of [1, 50, 999, 20_000]) {
      const parts = dealer.parts({ ...ORDER, amountK });
      expect(parts.reduce((sum, part) => sum + part, 0)).toBe(amountK);
      expect(parts.length === 1).toBe(amountK <= 50);
    }
    const rejected = (type: string) => Array.from({ length: 2000 }, () => dealer.rejects({ ...ORDER, type }));
    expect(rejected('OM').filter(Boolean).length).toBeGreaterThan(15);
    expect(rejected('OM').filter(Boolean).length).toBeLessThan(80);
    for (const type of ['CM', 'CR', 'S', 'L', 'M', 'LE']) expect(rejected(type)).not.toContain(true);
  });
});

describe('a gateway with a seed', () => {
  test.each([
    ['GTC', 1000, 1000, 6],
    ['IOC', 50, 590, 3],
    ['FOK', 0, 0, 3],
  ])('fills a large order in parts: %s', async (time_in_force, least, most, status) => {
    await using gateway = await start(6);
    const peer = await gateway.peer();
    const pushes = await listen(gateway, peer, ['Order', 'OpenPosition']);
    const order = marketOrder({ amount: 1000, time_in_force });
    const orderId = orderIdOf(await gateway.call(peer.id, 'POST', '/trading/open_trade', order));
    expect(await pushes.until('Order', (row) => row['action'] === 'D' && row['orderId'] === orderId)).toMatchObject({
      status,
    });
    const amounts = [...gateway.book.trades.values()].map(({ amountK }) => amountK);
    const sum = amounts.reduce((all, amount) => all + amount, 0);
    expect(sum).toBeGreaterThanOrEqual(least);
    expect(sum).toBeLessThanOrEqual(most);
    expect(amounts.length > 1).toBe(sum === 1000);
  });

  test('pushes prices within the range of the day, with matching profit and loss', async () => {
    await using gateway = await start(11, 4);
    const peer = await gateway.peer();
    const { id } = peer;
    const pushes = await listen(gateway, peer, ['EUR/USD', 'OpenPosition', 'Account']);
    await gateway.call(id, 'POST', '/trading/open_trade', marketOrder({ amount: 20 }));
    await pushes.until('OpenPosition', ({ action }) => action === 'I');
    for (let count = 0; count < 30; count++) gateway.tick();
    await pushes.until('EUR/USD');
    const [trade] = await model(gateway, id, 'OpenPosition', 'open_positions');
    const [account] = await model(gateway, id, 'Account', 'accounts');
    const [offer] = await model(gateway, id, 'Offer', 'offers');
    const profit = (Number(offer?.['sell']) - Number(trade?.['open'])) * 20_000;
    expect(trade?.['close']).toBe(offer?.['sell']);
    expect(Number(trade?.['grossPL'])).toBeCloseTo(profit, 2);
    expect(Number(account?.['equity'])).toBeCloseTo(Number(account?.['balance']) + profit, 2);
    await pushes.until('Account', ({ equity }) => equity === account?.['equity']);
    const prices = pushes.seen.flatMap(([name, { Rates }]) => (name === 'EUR/USD' ? [Rates as number[]] : []));
    expect(prices.length).toBeGreaterThan(10);
    expect(new Set(prices.map(String)).size).toBe(prices.length);
    for (const [bid = 0, ask = 0, high = 0, low = 0] of prices) {
      expect(ask).toBeGreaterThan(bid);
      expect(high).toBeGreaterThanOrEqual(bid);
      expect(low).toBeLessThanOrEqual(bid);
    }
  });

  test('extends the candles of the past without a break', async () => {
    let now = Date.UTC(2026, 5, 3, 14);
    await using gateway = await startGateway({ movement: { seed: 2, volatility: 5 }, now: () => now });
    const { id } = await gateway.peer();
    for (let count = 0; count < 300; count++) {
      now += 1000;
      gateway.tick();
    }
    const { candles } = await gateway.call(id, 'GET', '/candles/1/m1', { num: 8 });
    const rows = candles as readonly (readonly number[])[];
    for (const [index, row] of rows.slice(1).entries()) expect(row[1]).toBe(rows[index]?.[2]);
    const [offer] = await model(gateway, id, 'Offer', 'offers');
    expect(rows.at(-1)?.[2]).toBe(offer?.['sell']);
    for (const [, open = 0, close = 0, high = 0, low = 0] of rows) {
      expect(high).toBeGreaterThanOrEqual(Math.max(open, close));
      expect(low).toBeLessThanOrEqual(Math.min(open, close));
    }
    const { candles: hours } = await gateway.call(id, 'GET', '/candles/1/H1', { num: 1 });
    const [, open, close, high] = (hours as readonly (readonly number[])[])[0] ?? [];
    expect(close).toBe(rows.at(-1)?.[2]);
    expect(high).toBeGreaterThanOrEqual(Math.max(...rows.slice(-6).map((row) => row[3] ?? 0)));
    expect(open).toBe(rows.at(-6)?.[1]);
  });

  test('queues market orders at the weekend, and fills a stop beyond the gap', async () => {
    await using gateway = await start(5, 1, 100_000);
    const peer = await gateway.peer();
    const { id } = peer;
    const pushes = await listen(gateway, peer, ['Order', 'ClosedPosition', 'Offer']);
    for (const is_buy of [true, false]) {
      const orderId = orderIdOf(await gateway.call(id, 'POST', '/trading/open_trade', marketOrder({ is_buy })));
      await pushes.until('Order', (row) => row['action'] === 'D' && row['orderId'] === orderId);
    }
    const eurusd = async () => (await model(gateway, id, 'Offer', 'offers')).find(({ offerId }) => offerId === 1);
    while ((await eurusd())?.['sellTradable'] === true) for (let count = 0; count < 10; count++) gateway.tick();
    const before = Number((await eurusd())?.['sell']);
    for (const trade of gateway.book.trades.values()) {
      trade.stop = { rate: trade.isBuy ? before - 0.0002 : before + 0.0008, trail: 0 };
    }
    const waiting = orderIdOf(await gateway.call(id, 'POST', '/trading/open_trade', marketOrder({ amount: 1 })));
    gateway.tick();
    await pushes.until('Offer', ({ offerId, sellTradable }) => offerId === 1 && sellTradable === false);
    expect([...gateway.book.orders.keys()]).toEqual([waiting]);
    while ((await eurusd())?.['sellTradable'] === false) gateway.tick();
    const after = Number((await eurusd())?.['sell']);
    const { close, isBuy } = await pushes.until('ClosedPosition');
    expect(isBuy).toBe(after < before);
    expect((Number(close) - before) / (after - before)).toBeGreaterThan(0.5);
    expect(Math.abs(Number(close) - before)).toBeGreaterThan(0.002);
    await pushes.until('Order', ({ action, orderId }) => action === 'D' && orderId === waiting);
  });

  test('sends a margin call without margin, and closes everything', async () => {
    await using gateway = await start(4, 8);
    const peer = await gateway.peer();
    const pushes = await listen(gateway, peer, ['Account', 'Order']);
    // Both sides lose the spread, and one of them the movement.
    await gateway.call(peer.id, 'POST', '/trading/open_trade', marketOrder({ amount: 1000 }));
    await pushes.until('Order', ({ action }) => action === 'D');
    const isHedging = ({ accountId }: Json) => accountId === HEDGING;
    let ticks = 0;
    for (; ![...gateway.book.orders.values()].some(({ type }) => type === 'M') && ticks < 20_000; ticks++)
      gateway.tick();
    expect(ticks).toBeLessThan(20_000);
    const called = await pushes.until('Account', (row) => isHedging(row) && row['mc'] === 'Y');
    expect(Number(called['usableMargin3'])).toBeLessThanOrEqual(0);
    expect(pushes.seen.findIndex(([, row]) => row['mc'] === 'W')).toBeLessThan(
      pushes.seen.findIndex(([, row]) => row['mc'] === 'Y'),
    );
    while (gateway.book.trades.size > 0) await new Promise(setImmediate);
    gateway.tick();
    const [account] = await model(gateway, peer.id, 'Account', 'accounts');
    expect(account).toMatchObject({ mc: 'N', usdMr: 0 });
    expect(account?.['balance']).toBe(account?.['equity']);
  });
});
