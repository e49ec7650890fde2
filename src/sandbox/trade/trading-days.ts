/** The trading day, from 17:00 in New York: an hour earlier in UTC in daylight saving time. */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** From the second Sunday of March to the first of November, at 02:00 (since 2007). */
function savesDaylight(ms: number): boolean {
  const year = new Date(ms).getUTCFullYear();
  const sunday = (month: number, which: number): number => {
    const first = Date.UTC(year, month, 1);
    return first + (((7 - new Date(first).getUTCDay()) % 7) + (which - 1) * 7) * DAY_MS;
  };
  return ms >= sunday(2, 2) + 7 * HOUR_MS && ms < sunday(10, 1) + 6 * HOUR_MS;
}

/** When the trading day that a moment is in began. */
export function dayStart(ms: number): number {
  const midnight = Math.floor(ms / DAY_MS) * DAY_MS;
  const start = (day: number): number => day + (savesDaylight(day + 21.5 * HOUR_MS) ? 21 : 22) * HOUR_MS;
  const today = start(midnight);
  return ms >= today ? today : start(midnight - DAY_MS);
}

/** When the next one begins: 23 or 25 hours later on the days when clocks change. */
export function nextDay(start: number): number {
  return dayStart(start + 26 * HOUR_MS);
}

/** Days are named for the day they end on: those of Saturdays and Sundays are not traded. */
export function isTradingDay(start: number): boolean {
  const weekday = new Date(start + 12 * HOUR_MS).getUTCDay();
  return weekday !== 6 && weekday !== 0;
}

/** Saturday, as it begins on Friday at 17:00. */
export function weekStart(ms: number): number {
  let day = dayStart(ms);
  while (new Date(day + 12 * HOUR_MS).getUTCDay() !== 6) day = dayStart(day - HOUR_MS);
  return day;
}

export function monthStart(ms: number): number {
  const named = new Date(dayStart(ms) + 12 * HOUR_MS);
  return dayStart(Date.UTC(named.getUTCFullYear(), named.getUTCMonth(), 1));
}
