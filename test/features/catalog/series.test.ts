import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Snapshot, Source } from '../../../src/features/catalog/schema.ts';
import { bucketAmounts, inEffect, seriesOf } from '../../../src/features/catalog/series.ts';
import { INTERVALS, pointsIn, STEP_MS, suitableInterval } from '../../../src/features/catalog/window.ts';
import { type Observation, referenceDynamics } from './reference-dynamics.ts';

const DAY = 86_400_000;
const BEGIN = Date.UTC(2026, 0, 5, 10, 30, 0, 250);

const iso = (micros: number): string =>
  `${new Date(Math.floor(micros / 1e6) * 1000).toISOString().slice(0, 19)}.${String(micros % 1e6).padStart(6, '0')}Z`;

function snapshotOf({ observed, value, valid }: Observation, id: number, source_id: string): Snapshot {
  const [valid_from_at, valid_to_at] = valid ? valid.map(iso) : [null, null];
  return {
    id,
    parser_name: 'fixprice',
    source_id,
    price: value,
    observed_at: iso(observed),
    valid_from_at,
    valid_to_at,
  };
}

const row = (source_id: string, fields: Partial<Source> = {}): Source => ({
  parser_name: 'fixprice',
  source_id,
  price_unit: 'RUB',
  unit: 'PCE',
  settlement: { id: 1, name: 'Moscow' },
  ...fields,
});

const time = fc.oneof(
  fc.integer({ min: (BEGIN - 3 * DAY) * 1000, max: (BEGIN + 40 * DAY) * 1000 }),
  // Just before, at and just after the points of the window.
  fc
    .tuple(fc.integer({ min: -2, max: 700 }), fc.integer({ min: -1, max: 1 }))
    .map(([hours, off]) => (BEGIN + hours * 3_600_000) * 1000 + off),
);
const observation: fc.Arbitrary<Observation> = fc.record(
  {
    observed: time,
    // A price of 0 is none.
    value: fc.option(fc.integer({ min: 1, max: 500 })),
    valid: fc.tuple(time, time).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const),
  },
  { requiredKeys: ['observed', 'value'] },
);

/** The points of the service: an interval apart, wherever the window begins. */
function uniform(from: number, to: number, interval: (typeof INTERVALS)[number]) {
  const step = STEP_MS[interval];
  const starts = Array.from({ length: pointsIn({ from, to, interval }) }, (_, index) => from + index * step);
  return { from, to, interval, starts, end: (starts.at(-1) ?? from) + step };
}

test("equals the service's own series, however many sources have the observations", () => {
  fc.assert(
    fc.property(
      fc.array(observation, { maxLength: 25 }),
      fc.constantFrom(...INTERVALS),
      fc.integer({ min: 0, max: 30 * DAY }),
      fc.integer({ min: 1, max: 30 }),
      (observations, interval, length, sources) => {
        const snapshots = observations.map((one, id) => snapshotOf(one, id, `r:${id % sources}`));
        const rows = [...new Set(snapshots.map((one) => one.source_id))].map((id) => row(id));
        const window = uniform(BEGIN, BEGIN + length, interval);
        const query = { date_from: iso(window.from * 1000), date_to: iso(window.to * 1000), interval };
        const series = seriesOf(rows, snapshots.toReversed());
        expect(series).toHaveLength(observations.length === 0 ? 0 : 1);
        const amounts = bucketAmounts(series[0]?.observations ?? [], 'price', window);
        expect(amounts.map((amount) => amount?.value ?? null)).toEqual(referenceDynamics(observations, query)?.values);
      },
    ),
    { numRuns: 300 },
  );
});

test('is in the order of observation, however many digits a second has', () => {
  const seconds = ['00.1235', '00.12349', '00.123', '00.123501', '01'];
  const snapshots = seconds.map((second, id): Snapshot => {
    const observed_at = `2026-01-02T10:00:${second}Z`;
    return {
      id,
      parser_name: 'fixprice',
      source_id: 'r',
      price: id,
      observed_at,
      valid_from_at: null,
      valid_to_at: null,
    };
  });
  const [series] = seriesOf([row('r')], snapshots);
  expect(series?.observations.map(({ snapshot: { id } }) => seconds[Number(id)])).toEqual([
    '00.123',
    '00.12349',
    '00.1235',
    '00.123501',
    '01',
  ]);
});

test('is in the order of ids where the times are the same, a missing id first', () => {
  const observed_at = '2026-01-02T10:00:00Z';
  const snapshots = [2, 1, null].map((id): Snapshot => {
    const common = { parser_name: 'fixprice', source_id: 'r', price: 1, valid_from_at: null, valid_to_at: null };
    return { ...common, id: id ?? undefined, observed_at } as Snapshot;
  });
  const [series] = seriesOf([row('r')], snapshots);
  expect(series?.observations.map(({ snapshot: { id } }) => id)).toEqual([undefined, 1, 2]);
});

describe('rows of one series', () => {
  const names = (rows: readonly Source[], snapshots: readonly Snapshot[] = []) =>
    seriesOf(rows, snapshots).map((one) => [one.source_id, one.price_unit, one.unit]);

  test('have the same store, place and unit; the newest row names them', () => {
    const rows = [
      row('old', { observed_at: '2026-01-01T00:00:00Z' }),
      row('new', { observed_at: '2026-01-02T00:00:00.000001Z' }),
      row('middle', { observed_at: '2026-01-02T00:00:00Z' }),
      row('undated'),
      row('kilogram', { unit: 'KGM' }),
      row('tula', { settlement: { id: 2, name: 'Moscow' } }),
      row('other', { parser_name: 'chizhik' }),
      row('nowhere', { settlement: null }),
    ];
    expect(names(rows)).toEqual([
      ['other', 'RUB', 'PCE'],
      ['nowhere', 'RUB', 'PCE'],
      ['kilogram', 'RUB', 'KGM'],
      ['new', 'RUB', 'PCE'],
      ['tula', 'RUB', 'PCE'],
    ]);
  });

  test('a row without a price has no unit, and belongs to the only series of its place', () => {
    const sold = row('sold', { price: 5, observed_at: '2026-01-01T00:00:00Z' });
    const out = row('out', { price: null, price_unit: null, observed_at: '2026-01-02T00:00:00Z' });
    expect(names([sold, out])).toEqual([['out', 'RUB', 'PCE']]);
    expect(names([sold, out, row('euro', { price_unit: 'EUR' })])).toHaveLength(3);
  });

  test('sources without rows may have different places', () => {
    const one = snapshotOf({ observed: BEGIN * 1000, value: 5 }, 1, 'a');
    expect(names([], [one, { ...one, source_id: 'b' }])).toHaveLength(2);
    expect(
      names(
        [],
        [
          { ...one, price_unit: 'RUB' },
          { ...one, price_unit: 'EUR' },
        ],
      ),
    ).toHaveLength(2);
  });
});

test('a value is valid until the next observation, even one without a value', () => {
  const at = (days: number) => (BEGIN + days * DAY) * 1000;
  const [series] = seriesOf(
    [row('a'), row('b')],
    [
      snapshotOf({ observed: at(1), value: 10 }, 1, 'a'),
      snapshotOf({ observed: at(5), value: 20, valid: [at(3), at(5)] }, 2, 'b'),
      snapshotOf({ observed: at(4), value: 15, valid: [at(3.5), at(4)] }, 3, 'a'),
      snapshotOf({ observed: at(7), value: null }, 4, 'a'),
    ],
  );
  const value = (days: number) => inEffect(series?.observations ?? [], 'price', BEGIN + days * DAY);
  expect(value(0.9)).toBeUndefined();
  expect(value(2)).toEqual({ value: 10, field: 'price', until: BEGIN + DAY });
  expect(value(3.7)).toEqual({ value: 20, field: 'price', until: BEGIN + 3.7 * DAY });
  expect(value(6)).toEqual({ value: 20, field: 'price', until: BEGIN + 5 * DAY });
  expect(value(8)).toEqual({ value: null, field: null, until: BEGIN + 7 * DAY });
});

test('a window has an interval that suits its length', () => {
  const DAYS = { 0: '1h', 1: '1h', 4: '1h', 5: '6h', 24: '6h', 30: '1d', 99: '1d', 100: '7d', 366: '7d', 9000: '7d' };
  const found = Object.keys(DAYS).map((days) => [
    days,
    suitableInterval({ from: BEGIN, to: BEGIN + Number(days) * DAY }),
  ]);
  expect(Object.fromEntries(found)).toEqual(DAYS);
});
