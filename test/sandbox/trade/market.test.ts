/** The prices of the sandbox's gateway. */
import { describe, expect, test } from 'vitest';
import { INSTRUMENTS } from '../../../src/sandbox/trade/instruments.ts';
import { Market } from '../../../src/sandbox/trade/market.ts';
import { type Json, listen, marketOrder, NOW, rowsOf, startGateway, type TestGateway } from './service.ts';

const DAY_MS = 86_400_000;
const TICK_MS = 200;

const model = async (gateway: TestGateway, sid: string, name: string, rows: string): Promise<readonly Json[]> =>
  rowsOf(await gateway.call(sid, 'GET', '/trading/get_model', { models: name }), rows).filter(
    ({ isTotal }) => isTotal !== true,
  );

/** The bids of so many ticks; each timer is late by another time, as real ones are. */
function bids(ticks: number, startedAt = NOW): readonly number[] {
  let now = startedAt;
  const market = new Market({ now: () => now, tickMs: TICK_MS, fast: 50 });
  const seen: number[] = [];
  for (let tick = 0; tick <= ticks; tick++) {
    now = startedAt + tick * TICK_MS + Math.floor(Math.random() * 90);
    market.move();
    seen.push(...INSTRUMENTS.map((instrument) => market.quote(instrument).bid));
  }
  return seen;
}

describe('prices', () => {
  test('are the same in every run, counted from its start', () => {
    expect(bids(200)).toEqual(bids(200, NOW + 12_345_678));
    expect(bids(0)).toEqual(INSTRUMENTS.map(({ price }) => price));
  });

  test('move about half a percent a day', () => {
    const [eurusd] = INSTRUMENTS;
    if (eurusd === undefined) throw new Error('there are no instruments');
    const market = new Market({ now: () => NOW, tickMs: TICK_MS, fast: 1 });
    const at = (day: number) => market.priceAt(eurusd, NOW + day * DAY_MS);
    const returns = Array.from({ length: 100 }, (_, day) => Math.log(at(day + 1) / at(day)));
    const deviation = Math.sqrt(returns.reduce((sum, one) => sum + one * one, 0) / returns.length);
    expect(deviation).toBeGreaterThan(0.003);
    expect(deviation).toBeLessThan(0.008);
  });
});

describe('a gateway', () => {
  test('pushes prices within the range of the day, with matching profit and loss', async () => {
    let now = NOW;
    await using gateway = await startGateway({ seed: 'empty', now: () => now, fast: 10 });
    const peer = await gateway.peer();
    const { id } = peer;
    const pushes = await listen(gateway, peer, ['EUR/USD', 'OpenPosition', 'Account']);
    await gateway.call(id, 'POST', '/trading/open_trade', marketOrder({ amount: 20 }));
    await pushes.until('OpenPosition', ({ action }) => action === 'I');
    for (let count = 0; count < 30; count++) {
      now += 10_000;
      gateway.tick();
    }
    const [trade] = await model(gateway, id, 'OpenPosition', 'open_positions');
    const [account] = await model(gateway, id, 'Account', 'accounts');
    const [offer] = await model(gateway, id, 'Offer', 'offers');
    const profit = (Number(offer?.['sell']) - Number(trade?.['open'])) * 20_000;
    expect(trade?.['close']).toBe(offer?.['sell']);
    expect(Number(trade?.['grossPL'])).toBeCloseTo(profit, 2);
    expect(Number(account?.['equity'])).toBeCloseTo(Number(account?.['balance']) + profit, 2);
    await pushes.until('Account', ({ equity }) => equity === account?.['equity']);
    const prices = pushes.seen.flatMap(([name, { Rates }]) => (name === 'EUR/USD' ? [Rates as number[]] : []));
    expect(prices).toHaveLength(30);
    expect(new Set(prices.map(String)).size).toBeGreaterThan(25);
    for (const [bid = 0, ask = 0, high = 0, low = 0] of prices) {
      expect(ask).toBeGreaterThan(bid);
      expect(high).toBeGreaterThanOrEqual(bid);
      expect(low).toBeLessThanOrEqual(bid);
    }
  });

  test('has candles without a break, of which the last ends at the price', async () => {
    let now = NOW;
    await using gateway = await startGateway({ now: () => now, fast: 1 });
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
    const [, open, close] = (hours as readonly (readonly number[])[])[0] ?? [];
    expect([open, close]).toEqual([rows.at(-6)?.[1], rows.at(-1)?.[2]]);
  });
});
