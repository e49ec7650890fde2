/** Points in time as the server reads and writes them. */

export interface ServerTime {
  readonly ms: number;
  /** Minutes east of UTC: alerts are shown in the zone they were sent in. */
  readonly offset: number;
}

const FORMS = [
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/,
  /^(\d{4})-(\d\d)-(\d\d)(?:T| +)(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?()$/,
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d)()()Z?$/,
];

export function utc(ms: number): ServerTime {
  return { ms, offset: 0 };
}

/** Undefined for what the server does not take for a time. An empty text is 1970. */
export function parseServerTime(text: string): ServerTime | undefined {
  if (text === '') return utc(0);
  const match = FORMS.map((form) => form.exec(text)).find((found) => found !== null);
  if (match === undefined) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const ms = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'));
  const [, sign, hours = 0, minutes = 0] = /^([+-])(\d\d):(\d\d)$/.exec(match[8] ?? '') ?? [];
  if (hour > 23 || minute > 59 || second > 59 || Number(hours) > 24 || Number(minutes) > 60) return undefined;
  const at = new Date(0);
  at.setUTCFullYear(year, month - 1, day);
  // A day that the month does not have moves to the next month.
  if (month < 1 || day < 1 || at.getUTCMonth() !== month - 1) return undefined;
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return { ms: at.setUTCHours(hour, minute, second, ms) - offset * 60_000, offset };
}

/** Three digits of the second, and `Z` or the zone. */
export function formatServerTime({ ms, offset }: ServerTime): string {
  const local = new Date(ms + offset * 60_000).toISOString();
  if (offset === 0) return local;
  const minutes = Math.abs(offset);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${local.slice(0, -1)}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
