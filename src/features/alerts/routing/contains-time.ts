/** Whether a time is in a time interval. Not beside its schema, which takes long to load. */
import { zoneOf } from '../../../cli/time.ts';
import type { Range, TimeInterval } from './time-intervals.ts';

/** Without a zone it is UTC. The zone of the server (`Local`) is not known: UTC, too. */
export function containsTime(interval: TimeInterval, ms: number): boolean {
  const zone = interval.location === undefined || interval.location === 'Local' ? 'UTC' : interval.location || 'UTC';
  const local = localTime(ms, zone);
  const daysInMonth = new Date(Date.UTC(local.year, local.month, 0)).getUTCDate();
  const within = (ranges: readonly Range[] | null | undefined, value: number) =>
    !ranges || ranges.some(({ begin, end }) => value >= begin && value <= end);
  // A range that ends after the month ends with it.
  const days = interval.days_of_month?.map(({ begin, end }) => ({
    begin: begin < 0 ? daysInMonth + begin + 1 : begin,
    end: end < 0 ? daysInMonth + end + 1 : end,
  }));
  return (
    (!interval.times || interval.times.some((of) => local.minute >= of.start_time && local.minute < of.end_time)) &&
    within(days, local.day) &&
    within(interval.months, local.month) &&
    within(interval.weekdays, local.weekday) &&
    within(interval.years, local.year)
  );
}

function localTime(ms: number, zone: string) {
  const clock = new Date(ms + zoneOf(zone).offset(ms));
  return {
    year: clock.getUTCFullYear(),
    month: clock.getUTCMonth() + 1,
    day: clock.getUTCDate(),
    weekday: clock.getUTCDay(),
    minute: clock.getUTCHours() * 60 + clock.getUTCMinutes(),
  };
}
