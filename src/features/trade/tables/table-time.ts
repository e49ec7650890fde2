/** The times of the gateway's tables: digits only, and in UTC as far as is known (doc 3 §2 shows only their length). */

/** `MMddyyyyHHmmss` with or without milliseconds; `MMddyyyy`, a day; or RFC 3339 as in the offers. */
const DIGITS = /^(\d{2})(\d{2})(\d{4})(?:(\d{2})(\d{2})(\d{2})(\d{3})?)?$/;

/** Milliseconds since 1970; undefined for an empty or invalid text. */
export function tableTime(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const digits = DIGITS.exec(text);
  if (digits === null) {
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
  // A thirteenth month is not January.
  return new Date(ms).getUTCMonth() === Number(month) - 1 ? ms : undefined;
}

/** RFC 3339, for a table cell; an invalid time is shown unchanged. */
export function shownTime(text: string | undefined): string | undefined {
  const ms = tableTime(text);
  return ms === undefined ? text : new Date(ms).toISOString();
}
