/** Points of the calendar in a time zone, against the clocks that Intl shows. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UTC, zoneOf } from '../../../src/cli/time.ts';
import {
  bucketDates,
  bucketStart,
  calendarWindow,
  INTERVALS,
  plainInstant,
  STEP_MS,
} from '../../../src/features/catalog/window.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Santiago', // its clocks change at midnight
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Pacific/Apia', // it left out 30 December 2011
  'Australia/Lord_Howe', // its clocks change by half an hour
  'Africa/Casablanca',
];
const TIME = fc.integer({ min: Date.UTC(1975, 0, 1), max: Date.UTC(2037, 0, 1) });

/** What the clocks show: `2026-11-01 00:00:00`, and the weekday. */
function clockIn(timeZone: string) {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const weekday = new Intl.DateTimeFormat('en-US', { timeZone, weekday: 'short' });
  return (at: number) => ({ text: format.format(at), weekday: weekday.format(at) });
}

const CLOCKS = ZONES.map((name) => ({ zone: zoneOf(name), clock: clockIn(name) }));

test('a time is shown as Intl shows it, and read back, in any zone', () => {
  fc.assert(
    fc.property(TIME, fc.constantFrom(...CLOCKS), (any, { zone, clock }) => {
      const at = Math.floor(any / 1000) * 1000;
      const shown = new Date(at + zone.offset(at)).toISOString();
      expect(`${shown.slice(0, 10)} ${shown.slice(11, 19)}`).toBe(clock(at).text);
      const found = zone.instant(at + zone.offset(at));
      expect(clock(found).text).toBe(clock(at).text);
      expect(found).toBeLessThanOrEqual(at);
      expect(Date.parse(zone.text(at))).toBe(at);
      expect(zone.text(at).slice(0, 19).replace('T', ' ')).toBe(clock(at).text);
    }),
    { numRuns: 600 },
  );
});

/** All that a point covers has its day, and of a day the quarter or the hour. */
function partOf(text: string, interval: (typeof INTERVALS)[number]): string {
  if (interval === '1h') return text.slice(0, 13);
  if (interval === '6h') return `${text.slice(0, 10)} ${Math.floor(Number(text.slice(11, 13)) / 6)}`;
  return text.slice(0, 10);
}

test('points are hours, quarters of a day, days or weeks of local time, without gaps, in any zone', () => {
  const windows = fc.record({
    from: TIME,
    length: fc.integer({ min: 0, max: 400 * HOUR }),
    interval: fc.constantFrom(...INTERVALS),
    in: fc.constantFrom(...CLOCKS),
  });
  fc.assert(
    fc.property(windows, ({ from, length, interval, in: { zone, clock } }) => {
      const { starts, end } = calendarWindow({ from, to: from + length, interval }, zone);
      const edges = [...starts, end];
      expect(starts[0]).toBeLessThanOrEqual(from);
      expect(end).toBeGreaterThanOrEqual(from + length);
      const part = (at: number): string => partOf(clock(at).text, interval);
      for (const [index, start] of starts.entries()) {
        const next = edges[index + 1] ?? 0;
        expect(next).toBeGreaterThan(start);
        if (interval === '7d') expect(clock(start).weekday).toBe('Mon');
        else expect(part(next - 1)).toBe(part(start));
        if (interval !== '1h') expect(part(start - 1)).not.toBe(part(start));
        expect(bucketStart(next - 1, interval, zone)).toBe(start);
      }
    }),
    { numRuns: 300 },
  );
});

const hours = (starts: readonly number[], end: number): number[] =>
  starts.map((start, index) => ((starts[index + 1] ?? end) - start) / HOUR);

test('days with a clock change have 23 or 25 hours', () => {
  const zone = zoneOf('Europe/Berlin');
  const spring = calendarWindow(
    { from: Date.UTC(2026, 2, 27, 23), to: Date.UTC(2026, 2, 30, 22), interval: '1d' },
    zone,
    { exclusive: true },
  );
  expect(hours(spring.starts, spring.end)).toEqual([24, 23, 24]);
  expect(bucketDates(spring)).toEqual([
    '2026-03-28T00:00:00+01:00',
    '2026-03-29T00:00:00+01:00',
    '2026-03-30T00:00:00+02:00',
  ]);
  const autumn = calendarWindow(
    { from: Date.UTC(2026, 9, 24, 22), to: Date.UTC(2026, 9, 25, 23), interval: '1d' },
    zone,
    { exclusive: true },
  );
  expect(hours(autumn.starts, autumn.end)).toEqual([25]);
  expect(calendarWindow({ ...autumn, interval: '1h' }, zone, { exclusive: true }).starts).toHaveLength(25);
  const quarters = calendarWindow({ ...autumn, interval: '6h' }, zone, { exclusive: true });
  expect(hours(quarters.starts, quarters.end)).toEqual([7, 6, 6, 6]);
});

test('a date begins in the zone; a time with an offset is exact', () => {
  const zone = zoneOf('Asia/Tokyo');
  const ms = Date.UTC(2026, 10, 1);
  expect(plainInstant({ ms, date: true }, 0, zone)).toBe(ms - 9 * HOUR);
  expect(plainInstant({ ms }, 0, zone)).toBe(ms);
  expect(plainInstant({ ms: ms + 250, relative: true }, 0, zone)).toBe(ms);
});

test('refuses a reversed window, and one with too many points', () => {
  expect(() => calendarWindow({ from: 1, to: 0, interval: '1d' }, UTC)).toThrow('after --until');
  const all = { from: Date.UTC(1900, 0, 1), to: Date.UTC(2036, 0, 1) };
  expect(() => calendarWindow({ ...all, interval: '1h' }, UTC)).toThrow('the maximum is 1000000');
  expect(calendarWindow({ ...all, interval: '7d' }, UTC).starts.length).toBeGreaterThan(7000);
  expect(calendarWindow({ from: 5 * DAY, to: 5 * DAY, interval: '1h' }, UTC)).toMatchObject({
    starts: [5 * DAY],
    end: 5 * DAY + STEP_MS['1h'],
  });
});
