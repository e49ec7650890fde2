/** Numbers of the catalog and statistics of a series. A point without a value is not zero. */

/** JSON numbers, or texts where a server writes decimals so. */
export type Numeric = number | string;

const DECIMAL = /^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/;

/** The same order in every locale. */
export function compare<T extends string | number>(a: T, b: T): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Whether there is nothing: absent, null or an empty text. */
export function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

/** Null where there is none: for what is not there, and for a text that is no number. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !DECIMAL.test(value)) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** The document does not show what the count of common products is called. */
const COUNTS = ['common_products_count', 'products_count', 'common_count', 'count', 'total'] as const;

/** Undefined where there is none. */
export function countIn(answer: Readonly<Record<string, unknown>>): Numeric | undefined {
  const name = COUNTS.find((one) => numberOf(answer[one]) !== null);
  return name && (answer[name] as Numeric);
}

export interface Series {
  readonly dates: readonly string[];
  readonly values: readonly (number | null)[];
}

export interface Statistics {
  readonly points: number;
  /** Points that have a value. */
  readonly covered: number;
  readonly first: number | null;
  readonly first_at: string | null;
  readonly last: number | null;
  readonly last_at: string | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  /** From the first value to the last; null where there are not two. */
  readonly change: number | null;
  /** Null also where the first value is 0: of nothing there is no percentage. */
  readonly change_percent: number | null;
}

export function statisticsOf({ dates, values }: Series): Statistics {
  const known = values.filter((value) => value !== null);
  const covered = known.length;
  const first = values.findIndex((value) => value !== null);
  const last = values.findLastIndex((value) => value !== null);
  const { min, max } = rangeOf(known);
  const firstValue = values[first] ?? null;
  const lastValue = values[last] ?? null;
  const change = covered < 2 || firstValue === null || lastValue === null ? null : exact(lastValue - firstValue);
  return {
    points: values.length,
    covered,
    first: firstValue,
    first_at: dates[first] ?? null,
    last: lastValue,
    last_at: dates[last] ?? null,
    min,
    max,
    mean: min === null || max === null ? null : meanOf(known, min, max),
    change,
    change_percent: change === null ? null : percentOf(change, firstValue),
  };
}

function rangeOf(values: readonly number[]): Pick<Statistics, 'min' | 'max'> {
  const [first] = values;
  if (first === undefined) return { min: null, max: null };
  let [min, max] = [first, first];
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min, max };
}

function meanOf(values: readonly number[], min: number, max: number): number {
  const sum = values.reduce((total, value) => total + value, 0);
  // The sum of many rounded values can leave their range by a hair.
  return Math.min(max, Math.max(min, exact(sum / values.length)));
}

/** `part` in hundredths of `whole`; null where there is no whole. */
export function percentOf(part: number, whole: number | null): number | null {
  return whole === null || whole === 0 ? null : exact((part / Math.abs(whole)) * 100);
}

/** Without the noise of binary fractions: 99.9 - 89.9 is 10. */
export function exact(value: number): number {
  return Number(value.toPrecision(12));
}

export function cents(value: number): number {
  // A hair is added because 1.005 is below 1.005 in binary.
  return Math.round(Number((value * 100).toPrecision(12))) / 100;
}
