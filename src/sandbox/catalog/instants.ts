/** Times to the microsecond, as the service stores, reads and writes them. */

/** Microseconds since 1970. */
export type Micros = number;

export const SECOND: Micros = 1_000_000;
export const HOUR: Micros = 3600 * SECOND;
export const DAY: Micros = 24 * HOUR;

/** UTC with `Z`; with a fraction of six digits unless it is zero. */
export function isoZ(time: Micros): string {
  const seconds = Math.floor(time / SECOND);
  const fraction = time - seconds * SECOND;
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  return `${text}${fraction === 0 ? '' : `.${String(fraction).padStart(6, '0')}`}Z`;
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?)?$/;

/** Undefined for a text that is no such time, NaN for a time without a zone. */
export function parseIso(text: string): Micros | undefined {
  const [, day, time = '00:00:00', fraction = '', zone] = ISO.exec(text) ?? [];
  const utc = Date.parse(`${day}T${time}Z`);
  // Date.parse takes the 30th of February for the second of March.
  if (Number.isNaN(utc) || new Date(utc).toISOString().slice(0, 19) !== `${day}T${time}`) return undefined;
  return Date.parse(`${day}T${time}${zone}`) * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}
