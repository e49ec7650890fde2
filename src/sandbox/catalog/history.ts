/** The past of a row, made backwards from what it shows today: always the same for the same row. */

import { seededRandom } from '../random.ts';
import { DAY, HOUR, type Micros, type Snapshot, type SourceRow } from './records.ts';

export type Course = keyof typeof COURSES;

interface Pace {
  /** How long a price stays, at least and at most. */
  readonly lasts: readonly [Micros, Micros];
  /** A price as a part of the one before it. */
  readonly change: (random: () => number) => number;
}

const between = (low: number, high: number) => (random: () => number) => low + (high - low) * random();

const STEADY: Pace = { lasts: [14 * DAY, 30 * DAY], change: between(0.97, 1.04) };

const COURSES = {
  steady: STEADY,
  wavy: { lasts: [3 * DAY, 7 * DAY], change: between(0.91, 1.1) },
  rising: { lasts: [6 * DAY, 12 * DAY], change: between(1.005, 1.05) },
  /** For five hours three weeks ago the price was a multiple. */
  spike: { lasts: [10 * DAY, 20 * DAY], change: between(0.98, 1.03) },
  /** Two times without observations, and one without a price. */
  gaps: { lasts: [4 * DAY, 6 * DAY], change: between(0.97, 1.05) },
  discontinued: STEADY,
} as const satisfies Readonly<Record<string, Pace>>;

/** How far intervals reach back, and the single observations before them. */
const INTERVALS = 100 * DAY;
const POINTS = 240 * DAY;
const SINGLE = [2 * DAY, 5 * DAY] as const;

const SPIKE = { at: 21 * DAY, lasts: 5 * HOUR, times: 3.2 };
const UNSEEN = [
  [50 * DAY, 38 * DAY],
  [16 * DAY, 11 * DAY],
] as const;
const PRICELESS = [30 * DAY, 26 * DAY] as const;

type Values = Pick<Snapshot, 'price' | 'discount_price' | 'loyal_price' | 'available_count'>;
type Moment = Values & { readonly from: Micros; readonly to: Micros };

export function history(row: SourceRow, course: Course): readonly Snapshot[] {
  const { canonical_product_id, parser_name, source_id, price_unit, observed_at } = row;
  const moments = momentsOf(row, course);
  const all = course === 'spike' ? moments.flatMap((moment) => withSpike(moment, observed_at)) : moments;
  return all.toReversed().map(({ from, to, ...values }, index): Snapshot => {
    const [valid_from_at, valid_to_at] = from === to ? [null, null] : [from, to];
    const keys = { id: row.id * 1000 + index + 1, canonical_product_id, parser_name, source_id, price_unit };
    return { ...keys, valid_from_at, valid_to_at, observed_at: to, ...values };
  });
}

/** The latest first; a single observation ends when it begins. */
function momentsOf(row: SourceRow, course: Course): readonly Moment[] {
  const { lasts, change } = COURSES[course];
  const { observed_at } = row;
  const random = seededRandom(row.id);
  const moments: Moment[] = [];
  let part = 1;
  for (let age = 0, step = 0; age < POINTS; step++) {
    const seen = age;
    const isSingle = seen >= INTERVALS;
    const length = between(...(isSingle ? SINGLE : lasts))(random);
    // Whole milliseconds, so that neighbors meet.
    age = Math.min(seen + Math.round(length / 1000) * 1000, isSingle ? Infinity : INTERVALS);
    if (course !== 'gaps' || !isUnseen(seen, age)) {
      const values = valuesOf(row, part, step, random);
      const moment = { ...values, from: observed_at - (isSingle ? seen : age), to: observed_at - seen };
      moments.push(course === 'gaps' && isPriceless(seen) ? withoutPrices(moment) : moment);
    }
    part /= change(random);
  }
  return moments;
}

/** Whether a time between these ages has no observation. */
function isUnseen(latest: Micros, earliest: Micros): boolean {
  return UNSEEN.some(([start, stop]) => earliest > stop && latest < start);
}

function isPriceless(age: Micros): boolean {
  return age <= PRICELESS[0] && age >= PRICELESS[1];
}

function withoutPrices(moment: Moment): Moment {
  return { ...moment, price: null, discount_price: null, loyal_price: null };
}

/** A discount comes and goes; that of members stays. */
function valuesOf(row: SourceRow, part: number, step: number, random: () => number): Values {
  const { available_count } = row;
  return {
    price: asPrice(row.price, part),
    discount_price: step % 3 === 0 ? asPrice(row.discount_price, part) : null,
    loyal_price: asPrice(row.loyal_price, part),
    available_count:
      step === 0 || available_count === null ? available_count : Math.round(available_count * (0.5 + random())),
  };
}

/** Ends as the price of today does: in .99, or in nothing. */
function asPrice(today: number | null, part: number): number | null {
  if (today === null) return null;
  const cents = Math.round(today * 100) % 100;
  return Math.round(Math.max(1, Math.round((today - cents / 100) * part)) * 100 + cents) / 100;
}

function withSpike(moment: Moment, observed_at: Micros): readonly Moment[] {
  const [start, stop] = [observed_at - SPIKE.at, observed_at - SPIKE.at + SPIKE.lasts];
  if (moment.from >= start || moment.to <= stop) return [moment];
  const price = moment.price === null ? null : Math.round(moment.price * SPIKE.times * 100) / 100;
  return [
    { ...moment, from: stop },
    { ...moment, price, from: start, to: stop },
    { ...moment, to: start },
  ];
}
