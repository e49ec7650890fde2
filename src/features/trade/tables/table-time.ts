/** Times in the gateway's tables. Doc 3 §2 does not say that they are in UTC; svc assumes it. */

/** `MMddyyyyHHmmss`, with or without milliseconds, or the day `MMddyyyy`. */
const DIGITS = /^(\d{2})(\d{2})(\d{4})(?:(\d{2})(\d{2})(\d{2})(\d{3})?)?$/;

/** Milliseconds since 1970; undefined for an empty or invalid text. */
export function parseTableTime(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const digits = DIGITS.exec(text);
  if (digits === null) {
    // The table of offers has RFC 3339.
    const ms = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(ms) ? undefined : ms;
  }
  const [, month, day, year, hour = '0', minute = '0', second = '0', fraction = '0'] = digits;
  const ms = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
    Number(fraction),
  );
  // Date.UTC would take a thirteenth month as January.
  return new Date(ms).getUTCMonth() === Number(month) - 1 ? ms : undefined;
}

/** RFC 3339. An invalid time is shown unchanged. */
export function shownTime(text: string | undefined): string | undefined {
  const ms = parseTableTime(text);
  return ms === undefined ? text : new Date(ms).toISOString();
}
