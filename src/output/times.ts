/** A service's times as people read them. */

export interface Clock {
  /** `iso` is the time as the service wrote it. */
  readonly time: 'relative' | 'utc' | 'local' | 'iso';
  readonly now: number;
}

const UNITS = [
  ['y', 365 * 86_400],
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const;

/** `text` is RFC 3339; what is no time is shown as it is. All but `relative` are RFC 3339 again. */
export function showTime(text: string, { time, now }: Clock): string {
  const ms = Date.parse(text);
  if (time === 'iso' || Number.isNaN(ms)) return text;
  if (time === 'relative') return relativeTime(ms, now);
  if (time === 'local') return localTime(ms);
  // A time in UTC keeps the digits it came with: services send nanoseconds.
  return /Z$/.test(text) ? text : new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** `3m ago`, `in 2h15m`, `now`: at most two neighbouring units, seconds only alone, rounded towards now. */
function relativeTime(ms: number, now: number): string {
  let seconds = Math.floor(Math.abs(ms - now) / 1000);
  if (seconds === 0) return 'now';
  const first = UNITS.findIndex(([, size]) => seconds >= size);
  let distance = '';
  for (const [unit, size] of UNITS.slice(first, unitAfter(first))) {
    const count = Math.floor(seconds / size);
    seconds -= count * size;
    if (count > 0) distance += `${count}${unit}`;
  }
  return ms < now ? `${distance} ago` : `in ${distance}`;
}

/** The end of the units shown: seconds beside minutes would only flicker. */
function unitAfter(first: number): number {
  return Math.min(first + 2, first < UNITS.length - 1 ? UNITS.length - 1 : UNITS.length);
}

function localTime(ms: number): string {
  const date = new Date(ms);
  const offset = -date.getTimezoneOffset();
  const wall = new Date(ms + offset * 60_000).toISOString().slice(0, 19);
  const hours = String(Math.floor(Math.abs(offset) / 60)).padStart(2, '0');
  const minutes = String(Math.abs(offset) % 60).padStart(2, '0');
  return `${wall}${offset < 0 ? '-' : '+'}${hours}:${minutes}`;
}
