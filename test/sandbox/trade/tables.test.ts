/** Tables, subscriptions and candles of the sandbox's gateway. */
import { describe, expect, test } from 'vitest';
import { errorOf, type Fields, listen, NOW, startGateway } from './service.ts';

type Candle = readonly number[];

describe('a subscription', () => {
  test('belongs to its session, and ends on request', async () => {
    await using gateway = await startGateway();
    const [one, two] = [await gateway.peer(), await gateway.peer()];
    const first = await listen(gateway, one, ['EUR/USD', 'OpenPosition', 'Account', 'Offer', 'Summary']);
    const second = await listen(gateway, two, ['USD/JPY']);
    gateway.tick();
    await first.until('Summary', ({ offerId }) => offerId === 4001);
    await second.until('USD/JPY');
    expect(new Set(second.seen.map(([name]) => name))).toEqual(new Set(['USD/JPY']));
    const moved = first.seen.find(([name]) => name === 'OpenPosition')?.[1] ?? {};
    expect(Object.keys(moved)).toEqual(['t', 'tradeId', 'close', 'grossPL', 'visiblePL']);
    expect(first.seen.find(([name]) => name === 'Offer')?.[1]).toMatchObject({ t: 0, offerId: 1, action: 'U' });
    await gateway.call(one.id, 'POST', '/trading/unsubscribe', {
      models: ['OpenPosition', 'Account', 'Offer', 'Summary'],
    });
    expect(await gateway.call(one.id, 'POST', '/unsubscribe', { pairs: 'EUR/USD' })).toEqual({
      response: { executed: true },
      pairs: ['EUR/USD'],
    });
    const seen = first.seen.length;
    gateway.tick();
    await second.until('USD/JPY', () => second.seen.length === 2);
    expect(first.seen).toHaveLength(seen);
  });
});

describe('candles', () => {
  const ask = async (path: string, fields: Fields) => {
    await using gateway = await startGateway();
    const { id } = await gateway.peer();
    return await gateway.call(id, 'GET', `/candles/${path}`, fields);
  };
  const seconds = (text: string): number => Date.parse(text) / 1000;

  test('are the newest, and the last is unfinished', async () => {
    const answer = await ask('1/m1', { num: 3 });
    expect(answer).toMatchObject({ response: { executed: true, error: '' }, instrument_id: '1', period_id: 'm1' });
    const rows = answer['candles'] as Candle[];
    expect(rows.map(([at]) => at)).toEqual([NOW / 1000 - 120, NOW / 1000 - 60, NOW / 1000]);
    for (const [, open, close, high, low, askOpen, askClose, askHigh, askLow, ticks] of rows as number[][]) {
      expect(high).toBeGreaterThanOrEqual(Math.max(open ?? 0, close ?? 0));
      expect(low).toBeLessThanOrEqual(Math.min(open ?? 0, close ?? 0));
      for (const [bid, asked] of [
        [open, askOpen],
        [close, askClose],
        [high, askHigh],
        [low, askLow],
      ]) {
        expect(Number(asked) - Number(bid)).toBeCloseTo(0.00013, 6);
      }
      expect(ticks).toBeGreaterThan(0);
    }
  });

  test('of a range ignore their number', async () => {
    const from = seconds('2026-06-01T10:00Z');
    const to = seconds('2026-06-01T11:00Z');
    const rows = (await ask('1/m15', { num: 1, from, to }))['candles'] as Candle[];
    expect(rows.map(([at]) => (Number(at) - from) / 900)).toEqual([0, 1, 2, 3, 4]);
    const ignored = (await ask('1/m15', { num: 1, From: from, To: to }))['candles'] as Candle[];
    expect(ignored.map(([at]) => at)).toEqual([NOW / 1000]);
  });

  test('are refused with the messages of the gateway', async () => {
    await using gateway = await startGateway();
    const { id } = await gateway.peer();
    const error = async (path: string, fields: Fields) =>
      errorOf(await gateway.call(id, 'GET', `/candles/${path}`, fields));
    expect(await error('1/M5', { num: 1 })).toBe('Invalid period id.');
    expect(await error('999/m1', { num: 1 })).toBe('Invalid instrument id.');
    expect(await error('1/m1', {})).toBe('Invalid number of candles.');
    expect(await error('1/m1', { num: 10_001 })).toBe('Invalid number of candles.');
    expect(await error('1/m1', { num: 1, from: 2, to: 1 })).toBe('Invalid from/to parameneters.');
  });

  test('are limited to the days of doc 3 §8', async () => {
    const DAYS = { m1: 16, m5: 56, m15: 212, m30: 316, h1: 624, h2: 1224, h3: 2056, h4: 2664, h6: 3632, h8: 5128 };
    await using gateway = await startGateway();
    const { id } = await gateway.peer();
    // Before the beginning of all prices.
    const from = seconds('1990-01-01T00:00Z');
    const executed = async (period: string, to: number): Promise<unknown> => {
      const answer = await gateway.call(id, 'GET', `/candles/1/${period}`, { num: 10_000, from, to });
      return (answer['response'] as { readonly executed: boolean }).executed;
    };
    for (const [period, days] of Object.entries(DAYS)) {
      const to = from + days * 86_400;
      expect([await executed(period, to), await executed(period, to + 1)], period).toEqual([true, false]);
    }
    for (const period of ['D1', 'W1', 'M1']) expect(await executed(period, from + 9000 * 86_400), period).toBe(true);
  });
});
