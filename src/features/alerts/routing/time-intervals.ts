/** The time intervals of a configuration, read and checked. */
import * as z from 'zod/mini';
import { PlainBoolean } from './yaml.ts';

const DAY_NAMES = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MONTH_NAMES = 'january february march april may june july august september october november december'.split(' ');

export const MAPPING = 'must be a mapping';

/** Both ends are included, but for the end of a time of day. */
export interface Range {
  readonly begin: number;
  readonly end: number;
}

/** A text that `read` turns into a value, or refuses with an error. */
export function readText<T>(read: (text: string) => T) {
  return z.pipe(
    text,
    z.transform((value: string, ctx): T => {
      try {
        return read(value);
      } catch (error) {
        ctx.issues.push({ code: 'custom', message: (error as Error).message, input: value });
        return z.NEVER;
      }
    }),
  );
}

/** A scalar that is a text for the server. */
export const text = z.pipe(
  z.nullish(z.union([z.string(), z.instanceof(PlainBoolean)], 'must be a text')),
  z.transform((value) => (value instanceof PlainBoolean ? value.text : (value ?? ''))),
);

/** An empty value is like a missing one. */
export function listOf<T>(item: z.ZodMiniType<T>) {
  return z.optional(z.nullable(z.array(item, 'must be a list')));
}

/** The server reads an empty item of a list as a range from 0 to 0. */
function orZero(range: z.ZodMiniType<Range>) {
  return z.pipe(
    z.nullable(range),
    z.transform((value) => value ?? { begin: 0, end: 0 }),
  );
}

function rangeOf(member: (text: string) => number, check: (range: Range) => string | undefined) {
  return orZero(
    readText((value): Range => {
      const parts = value.toLowerCase().split(':');
      if (parts.length > 2) throw new Error(`${value} is not a range: write begin:end`);
      const [begin = 0, end = begin] = parts.map(member);
      const fault = check({ begin, end });
      if (fault !== undefined) throw new Error(`${value}: ${fault}`);
      return { begin, end };
    }),
  );
}

function numberOf(value: string): number {
  if (!/^[+-]?\d+$/.test(value)) throw new Error(`${value} is not a number`);
  return Number(value);
}

const weekday = rangeOf(
  (value) => {
    const day = DAY_NAMES.indexOf(value);
    if (day === -1) throw new Error(`${value} is not a weekday`);
    return day;
  },
  ({ begin, end }) => (begin > end ? 'the last day is before the first; a week begins on Sunday' : undefined),
);

const month = rangeOf(
  // The server takes 13 for a month that never comes.
  (value) => MONTH_NAMES.indexOf(value) + 1 || numberOf(value),
  ({ begin, end }) => (begin > end ? 'the last month is before the first' : undefined),
);

const year = rangeOf(numberOf, ({ begin, end }) => (begin > end ? 'the last year is before the first' : undefined));

const dayOfMonth = rangeOf(numberOf, ({ begin, end }) => {
  const isDay = (day: number) => day !== 0 && Math.abs(day) <= 31;
  if (!isDay(begin) || !isDay(end)) return 'a day is 1 to 31, or -31 to -1 from the end of the month';
  if (begin < 0 && end > 0) return 'the last day must be negative if the first is';
  // So that the range is valid in February, too.
  const position = (day: number) => (day < 0 ? 28 + day : day);
  return position(begin) > position(end) ? 'the last day is before the first' : undefined;
});

const minute = readText((value) => {
  if (value === '24:00') return 24 * 60;
  const [, hour, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(value) ?? [];
  if (hour === undefined) throw new Error(`${value || 'an empty text'} is not a time of day: write HH:MM`);
  return Number(hour) * 60 + Number(minutes);
});

const timeOfDay = z
  .strictObject({ start_time: minute, end_time: minute }, MAPPING)
  .check(z.refine(({ start_time, end_time }) => start_time < end_time, 'start_time must be before end_time'));

const location = readText((value) => {
  if (value === '' || value === 'UTC' || value === 'Local') return value;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions();
    // Intl ignores the case of names and accepts offsets; the server does not.
    if (!/^[+-]/.test(value) && (timeZone === value || timeZone.toLowerCase() !== value.toLowerCase())) return value;
  } catch {
    // refused below
  }
  throw new Error(`the time zone ${value} is not known`);
});

export const timeInterval = z.strictObject(
  {
    times: listOf(timeOfDay),
    weekdays: listOf(weekday),
    days_of_month: listOf(dayOfMonth),
    months: listOf(month),
    years: listOf(year),
    location: z.optional(location),
  },
  MAPPING,
);
export type TimeInterval = z.infer<typeof timeInterval>;
