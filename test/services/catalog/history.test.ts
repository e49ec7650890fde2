import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import type { Catalog } from '../../../src/services/catalog/client.ts';
import { readHistory } from '../../../src/services/catalog/history.ts';
import { historyWindow, suitableInterval } from '../../../src/services/catalog/history-window.ts';
import { INTERVALS, partsOf, pointsIn, STEP_MS, type Window } from '../../../src/services/catalog/window.ts';
import { microseconds, type Observation, referenceDynamics } from './reference-dynamics.ts';

const DAY = 86_400_000;
const BEGIN = Date.UTC(2026, 0, 5, 10, 30, 0, 250);
const SOURCE = { parser_name: 'fixprice', source_id: 'receiver:run-1:1' };

function serving(observations: readonly Observation[], asked: string[] = []): Pick<Catalog, 'dynamics'> {
  return {
    async dynamics(_, query) {
      asked.push(`${query.date_from} ${query.date_to}`);
      const series = referenceDynamics(observations, query);
      if (series === undefined) throw new SvcError('refused', 'requested range is too large');
      const { dates, values } = series;
      return { dates: [...dates], values, meta: { date_from: query.date_from, date_to: query.date_to } };
    },
  };
}

const read = (catalog: Pick<Catalog, 'dynamics'>, window: Window, most?: number) =>
  readHistory(catalog, 'p1', SOURCE, 'price', window, most === undefined ? {} : { most });

test('parts of any size join to the one answer, whatever was observed and when', async () => {
  const at = fc.integer({ min: (BEGIN - 3 * DAY) * 1000, max: (BEGIN + 40 * DAY) * 1000 });
  // Just before, at and just after the points of the window is where parts could lose or double something.
  const edge = fc
    .tuple(fc.integer({ min: -2, max: 700 }), fc.integer({ min: -1, max: 1 }))
    .map(([hours, off]) => (BEGIN + hours * 3_600_000) * 1000 + off);
  const time = fc.oneof(at, edge);
  const observation: fc.Arbitrary<Observation> = fc.record(
    {
      observed: time,
      value: fc.option(fc.integer({ min: 0, max: 500 })),
      valid: fc.tuple(time, time).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const),
    },
    { requiredKeys: ['observed', 'value'] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(observation, { maxLength: 25 }),
      fc.constantFrom(...INTERVALS),
      fc.integer({ min: 0, max: 30 * DAY }),
      fc.integer({ min: 1, max: 60 }),
      async (observations, interval, length, most) => {
        const window = { from: BEGIN, to: BEGIN + length, interval };
        const { dates, values } = await read(serving(observations), window, most);
        const whole = await read(serving(observations), window);
        expect({ dates, values }).toEqual({ dates: whole.dates, values: whole.values });
        expect(dates).toHaveLength(pointsIn(window));
      },
    ),
    { numRuns: 150 },
  );
});

test('a window of more points than one answer may have is asked for in parts, each as large as it may be', async () => {
  const asked: string[] = [];
  const window: Window = { from: BEGIN, to: BEGIN + 1700 * DAY, interval: '1h' };
  const observations = [19_999, 20_000, 40_000].map((hour) => ({
    observed: (BEGIN + hour * 3_600_000) * 1000 - 1,
    value: hour,
  }));
  const { values, dates, meta } = await read(serving(observations, asked), window);
  expect(asked).toEqual([
    '2026-01-05T10:30:00.250Z 2028-04-17T18:30:00.249999Z',
    '2028-04-17T18:30:00.250Z 2030-07-30T02:30:00.249999Z',
    '2030-07-30T02:30:00.250Z 2030-09-01T10:30:00.250Z',
  ]);
  expect(values).toHaveLength(40_801);
  expect(values.flatMap((value, index) => (value === null ? [] : [[index, value]]))).toEqual([
    [19_998, 19_999],
    [19_999, 20_000],
    [39_999, 40_000],
  ]);
  expect(microseconds(dates[20_000] ?? '')).toBe((BEGIN + 20_000 * 3_600_000) * 1000);
  expect(meta).toEqual({ date_from: '2026-01-05T10:30:00.250Z', date_to: '2030-09-01T10:30:00.250Z' });
});

test('each part of a window stays within the limit, and they meet', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -2_208_988_800_000, max: 4_102_444_800_000 }),
      fc.integer({ min: 0, max: 100 * 365 * DAY }),
      fc.constantFrom(...INTERVALS),
      fc.integer({ min: 1, max: 20_000 }),
      (from, length, interval, most) => {
        const window = { from, to: from + length, interval };
        const parts = partsOf(window, Math.max(most, Math.ceil(pointsIn(window) / 50)));
        const step = STEP_MS[interval] * 1000;
        let next = from;
        for (const part of parts) {
          expect(microseconds(part.dateFrom)).toBe(next * 1000);
          const points = Math.floor((microseconds(part.dateTo) - microseconds(part.dateFrom)) / step) + 1;
          expect(points).toBe(part.points);
          next += part.points * STEP_MS[interval];
        }
        expect(parts.reduce((sum, { points }) => sum + points, 0)).toBe(pointsIn(window));
      },
    ),
    { numRuns: 100 },
  );
});

describe('answers that do not join are an error, not a wrong chart', () => {
  const window: Window = { from: BEGIN, to: BEGIN + 9 * DAY, interval: '1d' };
  const changed = (change: (dates: readonly string[]) => readonly string[]): Pick<Catalog, 'dynamics'> => ({
    async dynamics(id, query) {
      const answer = await serving([]).dynamics(id, query);
      const dates = [...change(answer.dates)];
      return { ...answer, dates, values: dates.map(() => null) };
    },
  });
  test.each([
    ['points at midnight', (dates: readonly string[]) => dates.map((date) => `${date.slice(0, 10)}T00:00:00Z`)],
    ['a point less', (dates: readonly string[]) => dates.slice(1)],
    ['a point more', (dates: readonly string[]) => [...dates, '2026-03-01T00:00:00Z']],
    ['no date', (dates: readonly string[]) => dates.map(() => 'soon')],
    ['nothing', () => []],
  ])('%s', async (_, change) => {
    await expect(read(changed(change), window, 5)).rejects.toMatchObject({
      code: 'bad_answer',
      message: expect.stringContaining('do not join'),
    });
  });
  test('in one answer the points are where the service puts them', async () => {
    const { dates } = await read(
      changed((all) => all.slice(1)),
      window,
    );
    expect(dates).toHaveLength(9);
  });
});

test.each([
  [0, '1h'],
  [DAY, '1h'],
  [14 * DAY, '1h'],
  [17 * DAY, '6h'],
  [30 * DAY, '6h'],
  [90 * DAY, '6h'],
  [100 * DAY, '1d'],
  [366 * DAY, '1d'],
  [400 * DAY, '7d'],
  [9000 * DAY, '7d'],
])('a window of %i ms is asked for by %s', (length, interval) => {
  expect(suitableInterval({ from: BEGIN, to: BEGIN + length })).toBe(interval);
});

test('a window with its end first, and one of far too many points, is refused before anything is sent', () => {
  expect(() => historyWindow({ from: BEGIN, to: BEGIN - 1 }, 'auto')).toThrow('after --to');
  expect(() => historyWindow({ from: 0, to: BEGIN }, '1h')).toThrow('240000 is the most');
  expect(historyWindow({ from: BEGIN, to: BEGIN }, 'auto')).toEqual({ from: BEGIN, to: BEGIN, interval: '1h' });
});
