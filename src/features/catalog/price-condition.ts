/** A condition on a product's prices, and whether it holds now: yes, no, or not known. */
import { SvcError } from '../../errors.ts';
import type { SeriesField } from './api.ts';

export type Condition =
  | { readonly kind: 'below' | 'above'; readonly limit: number }
  | { readonly kind: 'change'; readonly percent: number; readonly direction: 'up' | 'down' | 'either' };

/** For the offer with the lowest value, for one at least, or for every one. */
export type Judged = 'lowest' | 'any' | 'all';

interface Wanted {
  readonly below: number | undefined;
  readonly above: number | undefined;
  readonly change: string | undefined;
}

/** Throws `usage` and `invalid_value` unless there is just one. */
export function conditionOf({ below, above, change }: Wanted): Condition {
  const [condition, ...more] = [
    ...(below === undefined ? [] : [{ kind: 'below', limit: below } as const]),
    ...(above === undefined ? [] : [{ kind: 'above', limit: above } as const]),
    ...(change === undefined ? [] : [changeOf(change)]),
  ];
  if (condition === undefined || more.length > 0) {
    const what = condition === undefined ? 'nothing says what is checked' : 'only one condition can be checked';
    throw new SvcError('usage', what, { hint: 'pass one of --below, --above and --change' });
  }
  return condition;
}

function changeOf(text: string): Condition {
  const [, sign = '', digits = ''] = /^([+-]?)(\d{1,6}(?:\.\d{1,6})?)%$/.exec(text) ?? [];
  const percent = Number(digits);
  if (digits === '' || percent === 0) {
    const hint = /^[+-]?\d+(\.\d+)?$/.test(text) && Number(text) !== 0 ? `write ${text}%` : CHANGE_FORMS;
    throw new SvcError('invalid_value', `--change: "${text}" is not a percentage above 0`, { hint });
  }
  return { kind: 'change', percent, direction: sign === '+' ? 'up' : sign === '-' ? 'down' : 'either' };
}

const CHANGE_FORMS = 'write it like 10% (either way), +10% (a rise) or -10% (a fall)';

/** As in a sentence: `below 100`. */
export function conditionText(condition: Condition): string {
  if (condition.kind !== 'change') return `${condition.kind} ${condition.limit}`;
  const way = { up: 'a rise', down: 'a fall', either: 'a change' }[condition.direction];
  return `${way} of ${condition.percent}% or more`;
}

/** What is known of one offer: of a product at one store, in one place, by one unit. */
export interface Reading {
  readonly parser_name: string;
  readonly source_id: string;
  /** What it is called among the others. */
  readonly series: string;
  readonly field: SeriesField | null;
  /** The latest one; null where there is none. */
  readonly value: number | null;
  /** What a price is for: of different units there is no lowest one. Empty for a count. */
  readonly unit: string;
  readonly observed_at: string | null;
  /** It was observed too long ago to be a current value. */
  readonly stale: boolean;
  /** With a change: the value in effect at --since, and how far the latest is from it. */
  readonly first?: number | null;
  readonly changePercent?: number | null;
}

export type JudgedReading = Reading & {
  /** Null where it is not known. */
  readonly holds: boolean | null;
};

export interface Verdict {
  /** Null where it is not known. */
  readonly ok: boolean | null;
  readonly sources: readonly JudgedReading[];
  /** Those whose value is no current one. */
  readonly stale: readonly Reading[];
}

/**
 * Old values are no current ones: an offer that has ended would otherwise hold forever. They decide nothing but that, with `all`, not
 * every offer is known. An offer without a value has no such price, and can neither hold nor be a reason to say that nothing is known.
 */
export function judge(condition: Condition, readings: readonly Reading[], judged: Judged): Verdict {
  const stale = readings.filter((reading) => reading.stale);
  const current = readings.filter((reading) => !reading.stale);
  const chosen = judged === 'lowest' ? lowest(current) : current;
  const sources = chosen.map((reading) => ({ ...reading, holds: holds(condition, reading) }));
  const outcomes = sources.filter(({ value }) => judged === 'all' || value !== null).map((one) => one.holds);
  if (judged === 'all' && stale.length > 0) outcomes.push(null);
  return { ok: outcomes.length === 0 ? null : decided(outcomes, judged !== 'all'), sources, stale };
}

/** One outcome of this kind decides; else all must be known. */
function decided(outcomes: readonly (boolean | null)[], decisive: boolean): boolean | null {
  if (outcomes.includes(decisive)) return decisive;
  return outcomes.includes(null) ? null : !decisive;
}

function holds(condition: Condition, { value, changePercent }: Reading): boolean | null {
  if (condition.kind === 'change') {
    if (changePercent === undefined || changePercent === null) return null;
    const { direction, percent } = condition;
    return { up: changePercent, down: -changePercent, either: Math.abs(changePercent) }[direction] >= percent;
  }
  if (value === null) return null;
  return condition.kind === 'below' ? value < condition.limit : value > condition.limit;
}

/** Throws `guarded` where prices by different units have no lowest one. */
function lowest(readings: readonly Reading[]): readonly Reading[] {
  const known = readings.filter(({ value }) => value !== null);
  const units = [...new Set(known.map(({ unit }) => unit || 'an unnamed unit'))].sort();
  if (units.length > 1) {
    throw new SvcError('guarded', `the sources sell by different units, and none is the lowest: ${units.join(', ')}`, {
      hint: 'choose some with --store and --source, or judge each with --any or --all',
    });
  }
  const [first, ...others] = known;
  if (first === undefined) return readings;
  return [others.reduce((least, one) => (Number(one.value) < Number(least.value) ? one : least), first)];
}

/** So many offers are named in a sentence. */
const MOST_NAMED = 4;

/** What was found: `the lowest is 79.9 RUB/PCE (discount_price, fixprice Moscow)`. */
export function verdictText({ sources, stale }: Verdict, judged: Judged): string {
  return [foundText(sources, judged), ...(stale.length === 0 ? [] : [staleText(stale)])].join('; ');
}

function foundText(sources: readonly JudgedReading[], judged: Judged): string {
  const [first] = sources;
  if (sources.every(({ value }) => value === null)) return 'no current value is known';
  if (judged === 'lowest' && first !== undefined) {
    return `the lowest is ${[first.value, first.unit].filter((part) => part !== '').join(' ')} (${first.field}, ${first.series})`;
  }
  const named = mostTelling(sources, judged).map(sourceText).join(', ');
  const count = sources.filter(({ holds }) => holds === true).length;
  const what = `${count} of ${sources.length} ${sources.length === 1 ? 'offer' : 'offers'}`;
  return `it holds for ${what} (${named}${more(sources)})`;
}

function staleText(stale: readonly Reading[]): string {
  const named = stale
    .slice(0, MOST_NAMED)
    .map(({ series, value, observed_at: at }) => `${series} ${value ?? '-'} of ${at}`);
  return `too old to be current: ${named.join(', ')}${more(stale)}`;
}

function more({ length }: readonly Reading[]): string {
  return length > MOST_NAMED ? `, and ${length - MOST_NAMED} more` : '';
}

/** Where not all can be named, those that decide come first: with `all` one that does not hold, else one that does. */
function mostTelling(sources: readonly JudgedReading[], judged: Judged): readonly JudgedReading[] {
  if (sources.length <= MOST_NAMED) return sources;
  const decides = ({ holds }: JudgedReading): boolean => (holds === true) === (judged !== 'all');
  return [...sources.filter(decides), ...sources.filter((one) => !decides(one))].slice(0, MOST_NAMED);
}

function sourceText({ series, value, first, changePercent }: JudgedReading): string {
  if (value === null) return `${series} not known`;
  if (first === undefined) return `${series} ${value}`;
  if (changePercent === undefined || changePercent === null) return `${series} ${value}, change not known`;
  const sign = changePercent > 0 ? '+' : '';
  return `${series} ${first} to ${value}, ${sign}${Number(changePercent.toFixed(1))}%`;
}
