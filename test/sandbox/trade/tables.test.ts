/** Tables, subscriptions and candles of the sandbox's gateway. */
import { describe, expect, test } from 'vitest';
import { INSTRUMENTS } from '../../../src/sandbox/trade/instruments.ts';
import { Market } from '../../../src/sandbox/trade/market.ts';
import { cutCandles, periodOf } from '../../../src/sandbox/trade/tables.ts';
import { dayStart, nextDay } from '../../../src/sandbox/trade/trading-days.ts';
import { errorOf, type Fields, type Json, listen, NOW, rowsOf, startGateway } from './service.ts';

type Candle = readonly number[];

describe('the demo', () => {
  test('has two accounts, offers, trades and a pending order', async () => {
    await using gateway = await startGateway();
    const { id } = await gateway.peer();
    const model = (models: string) => gateway.call(id, 'GET', '/trading/get_model/', { models });
    expect(await gateway.call(id, 'GET', '/trading/get_model/Accounts')).toEqual(await model('Account'));
    const accounts = rowsOf(await model('Account'), 'accounts');
    expect(accounts.map(({ accountName, accountId, hedging }) => [accountName, accountId, hedging])).toEqual([
      ['00654061', '654061', 'Y'],
      ['00654062', '654062', '0'],
      [undefined, '', undefined],
    ]);
    const { offers, open_positions, closed_positions, orders, summary } = await gateway.call(
      id,
      'GET',
      '/trading/get_model',
      { models: ['Offer', 'OpenPosition', 'ClosedPosition', 'Order', 'Summary'] },
    );
    expect((offers as Json[]).map(({ currency, offerId }) => [currency, offerId])).toEqual([
      ['EUR/USD', 1],
      ['USD/JPY', 2],
      ['GBP/USD', 3],
      ['XAU/USD', 4001],
      ['US30', 1013],
      ['BTC/USD', 5028],
    ]);
    expect(open_positions).toHaveLength(5);
    expect(closed_positions).toHaveLength(4);
    expect(summary).toHaveLength(5);
    expect(orders).toMatchObject([{ status: 1, type: 'LE', time: '06032026110000000', stop: -40, limit: 80 }]);
    for (const name of ['LeverageProfile', 'Properties']) {
      expect(Object.values(await model(name))).toContainEqual([expect.any(Object)]);
    }
    expect(errorOf(await model('Orders'))).toMatchObject({ code: 2 });
  });

  test('has trades from market hours on any day', async () => {
    for (let day = 0; day < 7; day++) {
      await using gateway = await startGateway({ now: () => NOW + day * 86_400_000 });
      const { trades, closed, orders } = gateway.book;
      const times = [...trades.values(), ...orders.values(), ...closed].map(({ time }) => time);
      for (const time of [...times, ...closed.map(({ closeTime }) => closeTime)]) {
        // the day in New York, which ends at 17:00 there
        expect([0, 6]).not.toContain(new Date(time + 3 * 3_600_000).getUTCDay());
      }
      for (const { time, closeTime } of closed) expect(closeTime).toBeGreaterThan(time);
    }
  });

  test('has consistent sums', async () => {
    await using gateway = await startGateway();
    const { id } = await gateway.peer();
    gateway.tick();
    const all = await gateway.call(id, 'GET', '/trading/get_model', { models: ['Account', 'OpenPosition', 'Summary'] });
    const sum = (rows: readonly Json[], name: string): number =>
      rows.filter(({ isTotal }) => isTotal !== true).reduce((total, row) => total + Number(row[name]), 0);
    const grossPL = sum(rowsOf(all, 'open_positions'), 'grossPL');
    expect(sum(rowsOf(all, 'accounts'), 'grossPL')).toBeCloseTo(grossPL, 1);
    expect(sum(rowsOf(all, 'summary'), 'grossPL')).toBeCloseTo(grossPL, 1);
    expect(rowsOf(all, 'open_positions').at(-1)).toMatchObject({ isTotal: true, accountId: '' });
    const [account] = rowsOf(all, 'accounts');
    expect(Number(account?.['equity'])).toBeCloseTo(Number(account?.['balance']) + Number(account?.['grossPL']), 4);
  });
});

describe('subscriptions', () => {
  test('belong to a session, and end on request', async () => {
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

  test('push the price at once', async () => {
    await using gateway = await startGateway();
    const { id } = await gateway.peer();
    const { pairs } = await gateway.call(id, 'POST', '/subscribe', { pairs: ['EUR/USD', 'US30'] });
    expect((pairs as Json[]).map(({ Symbol: symbol, Rates: rates }) => [symbol, (rates as number[]).length])).toEqual([
      ['EUR/USD', 6],
      ['US30', 6],
    ]);
    expect(errorOf(await gateway.call(id, 'POST', '/subscribe', { pairs: 'EURUSD' }))).toMatchObject({ code: 2 });
  });

  test('shows and hides a symbol for all accounts', async () => {
    await using gateway = await startGateway();
    const { id } = await gateway.peer();
    const shown = async () => {
      const { data } = await gateway.call(id, 'GET', '/trading/get_instruments');
      const { instrument } = data as { readonly instrument: readonly { symbol: string; visible: boolean }[] };
      return instrument.filter(({ visible }) => !visible).map(({ symbol }) => symbol);
    };
    expect(await shown()).toEqual(['USD/CHF', 'AUD/USD']);
    const set = (symbol: string, visible: boolean) =>
      gateway.call(id, 'POST', '/trading/update_subscriptions', { symbol, visible });
    await set('USD/CHF', true);
    await set('US30', false);
    expect(await shown()).toEqual(['AUD/USD', 'US30']);
  });
});

describe('candles', () => {
  const ask = async (path: string, fields: Fields) => {
    await using gateway = await startGateway();
    const { id } = await gateway.peer();
    return await gateway.call(id, 'GET', `/candles/${path}`, fields);
  };
  const seconds = (text: string): number => Date.parse(text) / 1000;

  test('are the newest, with an unfinished last one', async () => {
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

  test('of a range ignore the number in any spelling', async () => {
    const from = seconds('2026-06-01T10:00Z');
    const to = seconds('2026-06-01T11:00Z');
    const rows = (await ask('1/m15', { num: 1, from, to }))['candles'] as Candle[];
    expect(rows.map(([at]) => (Number(at) - from) / 900)).toEqual([0, 1, 2, 3, 4]);
    const ignored = (await ask('1/m15', { num: 1, From: from, To: to }))['candles'] as Candle[];
    expect(ignored.map(([at]) => at)).toEqual([NOW / 1000]);
  });

  test('are the same in any window, and contiguous', () => {
    const [eurusd] = INSTRUMENTS;
    const [m5, h1] = [periodOf('m5'), periodOf('h1')];
    if (eurusd === undefined || m5 === undefined || h1 === undefined) throw new Error('what is missing?');
    const market = new Market({ now: () => NOW, tickMs: 200, fast: 1 });
    const day = Date.UTC(2026, 5, 2);
    const whole = cutCandles(market, eurusd, m5, { from: day, to: day + 86_399_999 }, 10_000, NOW);
    const parts = [0, 1, 2].flatMap((part) =>
      cutCandles(
        market,
        eurusd,
        m5,
        { from: day + part * 28_800_000, to: day + (part + 1) * 28_800_000 - 1 },
        10_000,
        NOW,
      ),
    );
    expect(whole).toHaveLength(288);
    expect(parts).toEqual(whole);
    for (const [index, row] of whole.slice(1).entries()) expect(row[1]).toBe(whole[index]?.[2]);
    const hour = cutCandles(market, eurusd, h1, { from: day, to: day }, 1, NOW)[0];
    expect([hour?.[1], hour?.[2]]).toEqual([whole[0]?.[1], whole[11]?.[2]]);
  });

  test.each([
    ['a period that there is not', '1/M5', { num: 1 }, 'Invalid period id.'],
    ['a symbol that there is not', '999/m1', { num: 1 }, 'Invalid instrument id.'],
    ['no number', '1/m1', {}, 'Invalid number of candles.'],
    ['too many', '1/m1', { num: 10_001 }, 'Invalid number of candles.'],
    [
      'too many days',
      '1/m1',
      { num: 1, from: NOW / 1000 - 17 * 86_400, to: NOW / 1000 },
      'Invalid from/to parameneters.',
    ],
    ['an end before the start', '1/m1', { num: 1, from: 2, to: 1 }, 'Invalid from/to parameneters.'],
  ])('are refused with %s', async (_, path, fields, error) => {
    const answer = await ask(path, fields);
    expect(errorOf(answer)).toBe(error);
    expect(answer['candles']).toEqual([]);
  });

  /** The table of doc 3 §8. The ranges are before the beginning of all prices. */
  test.each([
    ['m1', 16],
    ['m5', 56],
    ['m15', 212],
    ['m30', 316],
    ['h1', 624],
    ['h2', 1224],
    ['h3', 2056],
    ['h4', 2664],
    ['h6', 3632],
    ['h8', 5128],
    ['D1', undefined],
    ['W1', undefined],
    ['M1', undefined],
  ])('%s: at most %s days, and ten thousand', async (period, days) => {
    await using gateway = await startGateway();
    const { id } = await gateway.peer();
    const executed = async (fields: Fields): Promise<unknown> => {
      const { response } = await gateway.call(id, 'GET', `/candles/1/${period}`, fields);
      return (response as { readonly executed: boolean }).executed;
    };
    const from = seconds('1990-01-01T00:00Z');
    const to = from + (days ?? 8000) * 86_400;
    expect(await executed({ num: 10_000, from, to })).toBe(true);
    expect(await executed({ num: 10_000, from, to: to + 1 })).toBe(days === undefined);
    expect(await executed({ num: 10_001, from, to: from })).toBe(days === undefined);
  });

  test('are at most ten thousand, except days and longer', async () => {
    const to = NOW / 1000;
    const minutes = (await ask('1/m1', { num: 1, from: to - 16 * 86_400, to }))['candles'] as Candle[];
    expect([minutes.length, minutes.at(-1)?.[0]]).toEqual([10_000, to]);
    const days = (await ask('1/D1', { num: 1, from: 0, to }))['candles'] as Candle[];
    expect(days.length).toBeGreaterThan(3500);
  });

  test('of days are labeled by their end in New York', async () => {
    const labels = async (from: string, to: string) =>
      ((await ask('1/D1', { num: 1, from: seconds(from), to: seconds(to) }))['candles'] as Candle[]).map(([at]) =>
        new Date(Number(at) * 1000).toISOString().slice(0, 16),
      );
    expect(await labels('2026-03-05T00:00Z', '2026-03-10T23:00Z')).toEqual([
      '2026-03-05T22:00',
      '2026-03-06T22:00',
      '2026-03-09T21:00',
      '2026-03-10T21:00',
    ]);
  });

  test('leave out weekends, except for symbols that trade then', async () => {
    const weekend = { num: 1, from: seconds('2026-05-29T19:30Z'), to: seconds('2026-05-31T22:30Z') };
    const hours = (rows: unknown) =>
      (rows as Candle[]).map(([at]) => new Date(Number(at) * 1000).toISOString().slice(8, 13));
    expect(hours((await ask('1/H1', weekend))['candles'])).toEqual(['29T20', '31T21', '31T22']);
    expect((await ask('5028/H1', weekend))['candles']).toHaveLength(51);
  });

  test.each(['m1', 'm5', 'm15', 'm30', 'H1', 'H2', 'H3', 'H4', 'H6', 'H8', 'D1', 'W1', 'M1', 'h4', 'd1', 'w1'])(
    'come in %s',
    async (period) => {
      const rows = (await ask(`3/${period}`, { num: 40 }))['candles'] as Candle[];
      const times = rows.map(([at]) => Number(at));
      expect(times).toHaveLength(40);
      expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
    },
  );

  test('trading days are contiguous through both clock changes', () => {
    let day = dayStart(Date.UTC(2026, 1, 1));
    const lengths = Array.from({ length: 300 }, () => {
      const next = nextDay(day);
      const hours = (next - day) / 3_600_000;
      day = next;
      return hours;
    });
    expect(lengths.filter((hours) => hours !== 24)).toEqual([23, 25]);
  });
});
