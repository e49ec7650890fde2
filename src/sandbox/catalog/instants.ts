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

const ISO =
  /^(\d{4})(-?)(\d\d)\2(\d\d)(?:.(\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)?)?(?:([+-])(\d\d)(?::?(\d\d)(?::?(\d\d))?)?)?$/su;

/** What Python's `datetime.fromisoformat` takes, without its dates by week. Undefined: no such time; NaN: it has no zone. */
export function parseIso(text: string): Micros | undefined {
  const found = ISO.exec(text.trim().replaceAll('Z', '+00:00'));
  if (found === null) return undefined;
  const whole = (index: number): number => Number(found[index] ?? 0);
  const [year, month, day, hour, minute, second] = [whole(1), whole(3), whole(4), whole(5), whole(6), whole(7)];
  const [zoneHour, zoneMinute, zoneSecond] = [whole(10), whole(11), whole(12)];
  const date = new Date(Date.UTC(2000, 0));
  date.setUTCFullYear(year, month - 1, day);
  if (year === 0 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  if (hour > 23 || minute > 59 || second > 59 || zoneHour > 23 || zoneMinute > 59 || zoneSecond > 59) return undefined;
  if (found[9] === undefined) return Number.NaN;
  const offset = (zoneHour * 3600 + zoneMinute * 60 + zoneSecond) * (found[9] === '-' ? -1 : 1);
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset;
  return seconds * SECOND + Number((found[8] ?? '').padEnd(6, '0').slice(0, 6));
}
