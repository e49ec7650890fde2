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

/** The time, or the server's complaint. An empty text is 1970. */
export function parseServerTime(text: string): ServerTime | string {
  if (text === '') return utc(0);
  for (const form of FORMS) {
    const match = form.exec(text);
    const time = match && timeOf(match.slice(1));
    if (time) return time;
  }
  return complaint(text);
}

function timeOf([year, month, day, hour, minute, second, fraction, zone]: (string | undefined)[]):
  | ServerTime
  | undefined {
  const parts = [year, month, day, hour, minute, second].map((part) => Number(part ?? 0));
  const [y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0] = parts;
  if (h > 23 || mi > 59 || s > 59) return undefined;
  const at = new Date(0);
  at.setUTCFullYear(y, mo - 1, d);
  // A day that the month has not would have moved on to the next.
  if (mo < 1 || d < 1 || at.getUTCMonth() !== mo - 1) return undefined;
  const offset = zone === undefined || zone === '' || zone === 'Z' ? 0 : zoneOffset(zone);
  if (offset === undefined) return undefined;
  const ms = Number((fraction ?? '').slice(0, 3).padEnd(3, '0'));
  return { ms: at.setUTCHours(h, mi, s, ms) - offset * 60_000, offset };
}

function zoneOffset(zone: string): number | undefined {
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4));
  if (hours > 24 || minutes > 60) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/** The server tries several layouts and reports why the last one, `2006-01-02 15:04:05`, did not fit. */
function complaint(text: string): string {
  const steps: [RegExp, string, (value: number) => string | undefined][] = [
    [/^\d{4}/, '2006', () => undefined],
    [/^-/, '-', () => undefined],
    [/^\d\d/, '01', (month) => (month >= 1 && month <= 12 ? undefined : 'month')],
    [/^-/, '-', () => undefined],
    [/^\d\d/, '02', () => undefined],
    [/^(?: +|$)/, ' ', () => undefined],
    [/^\d\d?/, '15', (hour) => (hour < 24 ? undefined : 'hour')],
    [/^:/, ':', () => undefined],
    [/^\d\d/, '04', (minute) => (minute < 60 ? undefined : 'minute')],
    [/^:/, ':', () => undefined],
    [/^\d\d/, '05', (second) => (second < 60 ? undefined : 'second')],
  ];
  const value = Buffer.from(text).toString('latin1');
  let rest = value;
  for (const [form, element, outside] of steps) {
    const found = form.exec(rest)?.[0];
    if (found === undefined) {
      // What begins like a year but is none is reported without its first four bytes.
      const shown = element === '2006' && /^\d[\s\S]{3}/.test(rest) ? rest.slice(4) : rest;
      return `parsing time ${quoteBytes(value)} as "2006-01-02 15:04:05": cannot parse ${quoteBytes(shown)} as "${element}"`;
    }
    const range = outside(Number(found));
    if (range !== undefined) return `parsing time ${quoteBytes(value)}: ${range} out of range`;
    rest = rest.slice(found.length);
  }
  return `parsing time ${quoteBytes(value)}: ${rest === '' ? 'day out of range' : `extra text: ${quoteBytes(rest)}`}`;
}

function quoteBytes(bytes: string): string {
  const shown = bytes.replace(/["\\]|[^ -\x7f]/g, (char) =>
    char > '\\' || char < ' ' ? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}` : `\\${char}`,
  );
  return `"${shown}"`;
}

/** Three digits of the second, and `Z` or the zone. */
export function formatServerTime({ ms, offset }: ServerTime): string {
  const local = new Date(ms + offset * 60_000).toISOString();
  if (offset === 0) return local;
  const minutes = Math.abs(offset);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${local.slice(0, -1)}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
