/** Times to the microsecond, as the service keeps them, and as it reads and writes them. */

/** Microseconds since 1970. */
export type Micros = number;

export const SECOND: Micros = 1_000_000;
export const HOUR: Micros = 3600 * SECOND;
export const DAY: Micros = 24 * HOUR;

/** UTC with `Z`; the fraction only where there is one, then with six digits. */
export function isoZ(time: Micros): string {
  return `${isoWithoutZone(time)}Z`;
}

/** As the state table holds it: the offset spelled out. */
export function isoOffset(time: Micros): string {
  return `${isoWithoutZone(time)}+00:00`;
}

function isoWithoutZone(time: Micros): string {
  const seconds = Math.floor(time / SECOND);
  const fraction = time - seconds * SECOND;
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  return fraction === 0 ? text : `${text}.${String(fraction).padStart(6, '0')}`;
}

const DATE = String.raw`(?<year>\d{4})(-?)(?<month>\d\d)\2(?<day>\d\d)`;
const TIME = String.raw`(?<hour>\d\d)(?:(:?)(?<minute>\d\d)(?:\6(?<second>\d\d)(?:[.,](?<fraction>\d*))?)?)?`;
const ZONE = String.raw`(?<sign>[+-])(?<zoneHour>\d\d)(?:(:?)(?<zoneMinute>\d\d)(?:\12(?<zoneSecond>\d\d))?)?`;
/** Between the date and the time there is any one character. Colons are everywhere or nowhere in a time, and in a zone. */
const ISO = new RegExp(`^${DATE}(?:.${TIME})?(?:${ZONE})?$`, 'su');

/** What Python's `datetime.fromisoformat` takes, without its dates by week. Undefined: no such time; NaN: it has no zone. */
export function parseIso(text: string): Micros | undefined {
  const found = ISO.exec(text.trim().replaceAll('Z', '+00:00'))?.groups;
  if (found === undefined) return undefined;
  const whole = (name: string): number => Number(found[name] ?? 0);
  const year = whole('year');
  const date = new Date(Date.UTC(2000, 0));
  date.setUTCFullYear(year, whole('month') - 1, whole('day'));
  if (year === 0 || date.getUTCMonth() !== whole('month') - 1 || date.getUTCDate() !== whole('day')) return undefined;
  if (whole('hour') > 23 || whole('zoneHour') > 23) return undefined;
  if (['minute', 'second', 'zoneMinute', 'zoneSecond'].some((name) => whole(name) > 59)) return undefined;
  if (found['sign'] === undefined) return Number.NaN;
  const offset = whole('zoneHour') * 3600 + whole('zoneMinute') * 60 + whole('zoneSecond');
  const ofDay = whole('hour') * 3600 + whole('minute') * 60 + whole('second');
  const seconds = date.getTime() / 1000 + ofDay - (found['sign'] === '-' ? -offset : offset);
  return seconds * SECOND + Number((found['fraction'] ?? '').padEnd(6, '0').slice(0, 6));
}
