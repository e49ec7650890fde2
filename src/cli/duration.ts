/** Durations as Prometheus writes them: `1y2w3d4h5m6s7ms`, each unit at most once and in this order. A year is 365 days. */
import { SvcError } from '../errors.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
const YEAR = 365 * DAY;

const UNITS = [
  [YEAR, 'y'],
  [WEEK, 'w'],
  [DAY, 'd'],
  [HOUR, 'h'],
  [MINUTE, 'm'],
  [SECOND, 's'],
  [1, 'ms'],
] as const;

const FORM = /^(?:(\d+)y)?(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;

/** What a Go duration can hold (64 bits of nanoseconds): the services refuse more. */
const LONGEST = 9_223_372_036_854;

/** Spellings that mean a unit beyond doubt, used only to write the right form in a hint. */
const SPELLINGS: readonly (readonly [RegExp, number])[] = [
  [/^y(?:rs?|ears?)?$/i, YEAR],
  [/^w(?:ks?|eeks?)?$/i, WEEK],
  [/^d(?:ays?)?$/i, DAY],
  [/^h(?:rs?|ours?)?$/i, HOUR],
  [/^(?:m|mins?|minutes?)$/, MINUTE],
  [/^s(?:ecs?|econds?)?$/i, SECOND],
  [/^(?:ms|msecs?|millis|milliseconds?)$/, 1],
];

/** Milliseconds. Throws `invalid_value` with the right spelling as its hint where the text can be understood. */
export function parseDuration(text: string): number {
  if (text === '0') return 0;
  const match = FORM.exec(text);
  if (match === null || text === '') throw badDuration(text);
  const ms = UNITS.reduce((sum, [unit], index) => sum + unit * Number(match[index + 1] ?? 0), 0);
  if (ms > LONGEST)
    throw new SvcError('invalid_value', `"${text}" is too long`, { hint: 'the longest duration is 292y' });
  return ms;
}

/** The shortest spelling of a whole number of milliseconds, such that `parseDuration` gives the number back. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s';
  let rest = ms;
  let text = '';
  for (const [unit, name] of UNITS) {
    // As Prometheus does: 90d reads better than 12w6d, so a year or a week is only written when nothing is left over.
    if (unit >= WEEK && rest % unit !== 0) continue;
    const count = Math.floor(rest / unit);
    if (count > 0) text += `${count}${name}`;
    rest -= count * unit;
  }
  return text;
}

function badDuration(text: string): SvcError {
  const right = /^\d+$/.test(text) ? `${text}s, ${text}m, ${text}h or ${text}d` : correctedDuration(text);
  return new SvcError('invalid_value', `"${text}" is not a duration`, {
    hint: `write ${right ?? 'it like 1h30m, 2d or 45s (units y w d h m s ms)'}`,
  });
}

/** The right spelling of a duration with a sign, in any order, with fractions, blanks or long unit names. */
export function correctedDuration(text: string): string | undefined {
  const parts = text
    .replace(/^\s*[+-]\s*/, '')
    .trim()
    .split(/(?<=[a-z])[\s,]*(?=[\d.])/i);
  let sum = 0;
  for (const part of parts) {
    const [, count, name = ''] = /^(\d+(?:\.\d+)?|\.\d+)\s*([a-z]+)$/i.exec(part) ?? [];
    const unit = SPELLINGS.find(([spelling]) => spelling.test(name))?.[1];
    if (count === undefined || unit === undefined) return undefined;
    sum += Number(count) * unit;
  }
  const ms = Math.round(sum);
  const whole = Math.abs(sum - ms) < 1e-6;
  return whole && ms > 0 && ms <= LONGEST ? formatDuration(ms) : undefined;
}
