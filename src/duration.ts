/** Durations as in Prometheus: `1y2w3d4h5m6s7ms`, each unit once at most. A year is 365 days. */
import { SvcError } from './errors.ts';

const DAY = 86_400_000;
const WEEK = 7 * DAY;

const UNITS = [
  [365 * DAY, 'y'],
  [WEEK, 'w'],
  [DAY, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1000, 's'],
  [1, 'ms'],
] as const;

const FORM = /^(?=.)(?:(\d+)y)?(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;

/** The range of a Go duration (64 bits of nanoseconds): the services refuse more. */
const LONGEST = 9_223_372_036_854;

/** Milliseconds; undefined for a text that is no duration, or one that is too long. */
export function tryParseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const match = FORM.exec(text);
  if (match === null) return undefined;
  let ms = 0;
  for (const [index, [unit]] of UNITS.entries()) ms += unit * Number(match[index + 1] ?? 0);
  return ms <= LONGEST ? ms : undefined;
}

/** Milliseconds. Throws `invalid_value`. */
export function parseDuration(text: string): number {
  const ms = tryParseDuration(text);
  if (ms !== undefined) return ms;
  if (FORM.test(text)) {
    throw new SvcError('invalid_value', `"${text}" is too long`, { hint: 'the longest duration is 292y' });
  }
  const units = /^\d+$/.test(text) ? `${text}s, ${text}m, ${text}h or ${text}d` : 'it like 1h30m, 2d or 45s';
  const hint = `write ${units} (units y w d h m s ms)`;
  throw new SvcError('invalid_value', `"${text}" is not a duration`, { hint });
}

/** The shortest spelling that `parseDuration` reads back as this number of milliseconds. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s';
  let rest = ms;
  let text = '';
  for (const [unit, name] of UNITS) {
    // As in Prometheus: 90d reads better than 12w6d, so weeks and years only appear alone.
    if (unit >= WEEK && rest % unit !== 0) continue;
    const count = Math.floor(rest / unit);
    if (count > 0) text += `${count}${name}`;
    rest -= count * unit;
  }
  return text;
}
