/** Points in time as people write them: JavaScript's parser accepts 30 February and guesses zones. */
import { tryParseDuration } from '../duration.ts';
import { SvcError } from '../errors.ts';
import type { Zone } from '../output/types.ts';
import type { Instant } from './flags.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

export interface TimeRules {
  readonly now: number;
  /** What a bare duration (`2h`) means: from now forward, or back. */
  readonly bare: 'forward' | 'back';
  /** Whether a bare number is Unix seconds. */
  readonly unix?: boolean;
  /** Whether a bare date means the start of that day in UTC. */
  readonly dates?: boolean;
  /** Whose clocks `18:00` is read from. Without it, such a time is refused. */
  readonly zone?: () => Zone;
}

/** The years 1 to 9999, the range of RFC 3339 and of the services. */
const EARLIEST = -62_135_596_800_000;
const LATEST = 253_402_300_799_999;

const FORMS = 'write it like 2026-11-20T12:00:00Z, now, 2h ago or in 2h';

const CLOCK = /^(?:(today|tomorrow|yesterday)\s+|(\d{4}-\d{2}-\d{2})(?:T|\s+))?(\d{1,2}):(\d{2})(?::(\d{2}))?$/i;
const DAYS_FROM_TODAY: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };

/** Throws `invalid_value` with the reason. */
export function parseTime(text: string, rules: TimeRules): Instant {
  if (text === 'now') return { ...instant(rules.now, text), relative: true };
  if (rules.zone !== undefined && CLOCK.test(text)) return parseClockTime(text, rules, rules.zone());
  if (/^\d+$/.test(text)) return parseBareNumber(text, rules);
  if (/^\d{4}-\d/.test(text)) {
    const parsed = instant(parseRfc3339(text, rules), text);
    return text.length > '2026-11-20'.length ? parsed : { ...parsed, date: true };
  }
  return { ...parseRelative(text, rules), relative: true };
}

function instant(ms: number, text: string): Instant {
  if (ms < EARLIEST || ms > LATEST) throw invalid(text, 'is outside the years 1 to 9999', 'use a time closer to now');
  return { ms, iso: new Date(ms).toISOString() };
}

/** `18:00` is the next such time, or the last one if a bare duration means the past. */
function parseClockTime(text: string, { now, bare }: TimeRules, zone: Zone): Instant {
  const [, day, date, hour = '', minute = '', second = '00'] = CLOCK.exec(text) ?? [];
  const time = `T${hour.padStart(2, '0')}:${minute}:${second}`;
  if (!exists(`${date ?? '1970-01-01'}${time}`)) throw invalid(text, 'names a day or time that does not exist', FORMS);
  const today = Math.floor((now + zone.offset(now)) / DAY) * DAY;
  const onDay = (start: number): number => start + Date.parse(`1970-01-01${time}Z`);
  const resolved = (clock: number): Instant => ({ ...instant(readClock(clock, text, zone), text), zone: zone.name });
  if (date !== undefined) return resolved(onDay(Date.parse(date)));
  if (day !== undefined) return resolved(onDay(today + DAY * (DAYS_FROM_TODAY[day.toLowerCase()] ?? 0)));
  const ms = zone.instant(onDay(today));
  if (bare === 'forward') return resolved(onDay(ms >= now ? today : today + DAY));
  return resolved(onDay(ms <= now ? today : today - DAY));
}

/** Refuses what the clocks of the zone skip, or show twice. */
function readClock(clock: number, text: string, zone: Zone): number {
  const ms = zone.instant(clock);
  const shows = (at: number): boolean => at + zone.offset(at) === clock;
  const written = utcText(ms);
  if (!shows(ms)) throw invalid(text, `does not exist in ${zone.name}: the clocks skip it`, `write ${written}`);
  const second = [ms - DAY, ms + DAY].map((at) => clock - zone.offset(at)).find((at) => at !== ms && shows(at));
  if (second === undefined) return ms;
  throw invalid(text, `occurs twice in ${zone.name}`, `write ${written} or ${utcText(second)}`);
}

function invalid(text: string, why: string, hint: string): SvcError {
  return new SvcError('invalid_value', `"${text}" ${why}`, { hint });
}

function parseBareNumber(text: string, rules: TimeRules): Instant {
  const number = Number(text);
  // 13 digits as seconds would be the year 33658 or later; as milliseconds they are 2001 to 2286.
  const millis = text.length === 13;
  if (rules.unix && !millis) return instant(number * 1000, text);
  const seconds = millis ? Math.floor(number / 1000) : number;
  if (rules.unix) throw invalid(text, 'has 13 digits: milliseconds?', `divide by 1000: write ${seconds}`);
  // Nine digits or more are Unix seconds (since 1973), fewer may be a duration without a unit.
  const hint = text.length >= 9 && seconds * 1000 <= LATEST ? `write ${utcText(seconds * 1000)}` : FORMS;
  throw invalid(text, 'is a bare number, not a time', hint);
}

function parseRelative(text: string, { now, bare, zone }: TimeRules): Instant {
  const forms = zone === undefined ? FORMS : FORMS.replace('like', 'like 18:00, tomorrow 02:00,');
  const [, sign, prefix, rest = ''] = /^([+-])?(in\s+)?(.*)$/s.exec(text) ?? [];
  const suffix = /\sago$/.test(rest);
  const body = suffix ? rest.slice(0, -'ago'.length).trimEnd() : rest;
  const signs = [sign !== undefined, prefix !== undefined, suffix].filter((is) => is).length;
  if (signs > 1 || !/\d/.test(body)) throw invalid(text, 'is not a time', forms);
  const back = sign === '-' || suffix || (signs === 0 && bare === 'back');
  const distance = tryParseDuration(body);
  if (distance === undefined) throw invalid(text, 'is not a time', forms);
  return instant(now + (back ? -1 : 1) * distance, text);
}

const RFC3339 = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

function parseRfc3339(text: string, { dates = false }: TimeRules): number {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const match = RFC3339.exec(text);
  const [, day = text, time = '00:00:00', fraction = '', offset = 'Z'] = match ?? [];
  if ((isDay || match !== null) && !exists(`${day}T${time}`))
    throw invalid(text, 'names a day or time that does not exist', FORMS);
  if (match === null && !(isDay && dates)) {
    throw isDay
      ? invalid(text, 'has no time of day', `write "${text} 00:00"`)
      : invalid(text, 'is not an RFC 3339 time', 'write it like 2026-11-20T12:00:00Z');
  }
  // Digits beyond milliseconds are dropped, as the services do.
  return Date.parse(`${day}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}${offset}`);
}

/** JavaScript reads 30 February as 2 March. */
function exists(local: string): boolean {
  const ms = Date.parse(`${local}Z`);
  return Number.isFinite(ms) && new Date(ms).toISOString().startsWith(local);
}

/** Zones change their clocks at a quarter of an hour. */
const QUARTER = 15 * MINUTE;

export const UTC: Zone = { name: 'UTC', offset: () => 0, instant: (clock) => clock, text: utcText };

/** `local` is this machine's zone. Throws a RangeError for a name that is none. */
export function zoneOf(name: string): Zone {
  const format = new Intl.DateTimeFormat('en-US', {
    ...(name === 'local' ? {} : { timeZone: name }),
    timeZoneName: 'longOffset',
  });
  const { timeZone } = format.resolvedOptions();
  if (timeZone === 'UTC') return UTC;
  const read = (at: number): number => {
    const text = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes, seconds = '0'] = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text) ?? [];
    if (hours === undefined) return 0;
    return (sign === '-' ? -1 : 1) * ((Number(hours) * 60 + Number(minutes)) * MINUTE + Number(seconds) * 1000);
  };
  const offsets = new Map<number, number>();
  const offset = (at: number): number => {
    const quarter = Math.floor(at / QUARTER);
    const known = offsets.get(quarter) ?? read(at);
    offsets.set(quarter, known);
    return known;
  };
  return {
    name: timeZone,
    offset,
    instant(clock) {
      const [first, last] = [clock - offset(clock + DAY), clock - offset(clock - DAY)].sort((a, b) => a - b) as [
        number,
        number,
      ];
      return [first, last].find((at) => at + offset(at) === clock) ?? last;
    },
    text(at) {
      const minutes = Math.round(offset(at) / MINUTE);
      const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
      const distance = `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
      return utcText(at + minutes * MINUTE).replace('Z', distance);
    },
  };
}

function utcText(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z');
}
