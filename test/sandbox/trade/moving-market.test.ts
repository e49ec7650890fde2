/** The market that a seed moves: the same walk every time. */
import { describe, expect, test } from 'vitest';
import { INSTRUMENTS } from '../../../src/sandbox/trade/instruments.ts';
import { randomWalk } from '../../../src/sandbox/trade/moving-prices.ts';
import { type Json, listen, marketOrder, rowsOf, startGateway, type TestGateway } from './service.ts';

const DAY_MS = 86_400_000;

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
});

describe('a gateway with a seed', () => {
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
});
