/** Pictures of prices as a catalog has them, always the same. */
import type { ChartPicture, ChartSeries, Column } from '../../../src/output/types.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export const TO = Date.parse('2026-02-14T00:00:00Z');
export const FROM = TO - 30 * DAY;

interface Course {
  readonly name: string;
  readonly base: number;
  readonly seed: number;
  /** Of the points, which have no value. */
  readonly gap?: readonly [start: number, end: number];
  /** The point at which the price was mistyped, or sold off. */
  readonly spike?: number;
}

/** A price every six hours for thirty days, that changes now and then. */
function course({ name, base, seed, gap, spike }: Course): ChartSeries {
  let state = seed;
  const random = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  let price = base;
  const values = Array.from({ length: 120 }, (_, index): number | null => {
    if (random() < 0.07) price = Math.round(price * (1 + (random() - 0.5) * 0.12) * 100) / 100;
    if (gap !== undefined && index >= gap[0] && index < gap[1]) return null;
    return index === spike ? Math.round(price * 150) / 100 : price;
  });
  return { name, at: values.map((_, index) => FROM + index * 6 * HOUR), values, until: TO };
}

export function series(changes: Partial<ChartSeries> = {}): ChartSeries {
  return { name: 'a', at: [FROM], values: [10.5], until: TO, ...changes };
}

export const NO_FACTS: ChartPicture['facts'] = { columns: [], rows: [] };

export function picture(changes: Partial<ChartPicture> = {}): ChartPicture {
  return { title: 'Price', series: [series()], from: FROM, to: TO, facts: NO_FACTS, ...changes };
}

const known = ({ values }: ChartSeries): readonly number[] => values.filter((value) => value !== null);
const FACTS: readonly Column<ChartSeries>[] = [
  { name: 'series', cell: ({ name }) => name, shrinks: true },
  { name: 'first', cell: (one) => known(one)[0], align: 'right' },
  { name: 'last', cell: (one) => known(one).at(-1), align: 'right' },
  { name: 'min', cell: (one) => Math.min(...known(one)), align: 'right' },
  { name: 'max', cell: (one) => Math.max(...known(one)), align: 'right' },
  { name: 'coverage', cell: (one) => `${known(one).length}/${one.values.length}`, align: 'right' },
  { name: 'change', cell: (one) => (known(one).at(-1) ?? 0) - (known(one)[0] ?? 0), align: 'right' },
  { name: 'points', cell: ({ values }) => values.length, wide: true },
];

const STORES = [
  course({ name: 'Пятёрочка / Москва', base: 94.9, seed: 7, spike: 70 }),
  course({ name: 'Magnit / Kazan', base: 89.9, seed: 23, gap: [40, 70] }),
  course({ name: 'METRO 日本', base: 101.5, seed: 4 }),
];

const ONE = [course({ name: 'Lenta', base: 64.99, seed: 11, gap: [80, 95] })];

/** Three stores, one with a gap, one with a spike. */
export const STORE_PRICES = picture({
  title: 'Milk «Prostokvashino» 2.5 % 930 ml: price',
  unit: 'RUB',
  series: STORES,
  facts: { columns: FACTS, rows: STORES },
});

export const ONE_STORE = picture({
  title: 'Rye bread 400 g: price',
  unit: 'RUB',
  series: ONE,
  facts: { columns: FACTS, rows: ONE },
});

/** Snapshots of one hour each, days apart. */
export const POINTS = picture({
  title: 'Old snapshots',
  series: [
    series({
      name: 'Dixy',
      at: Array.from({ length: 720 }, (_, index) => FROM + index * HOUR),
      values: Array.from({ length: 720 }, (_, index) => (index % 97 === 5 ? 100 + index / 50 : null)),
    }),
  ],
});
