/** The clocks of a time zone. */

const MINUTE = 60_000;
const DAY = 86_400_000;
/** No zone changes its clocks twice within it. */
const STRETCH = 8 * DAY;

export interface Zone {
  /** `Europe/Berlin`, `UTC`. */
  readonly name: string;
  /** Milliseconds that its clocks are ahead of UTC at a time in milliseconds since 1970. */
  offset(at: number): number;
  /**
   * When its clocks show a time, which is given as if they were those of UTC: the first of two such times, and the end of the gap
   * where a change of the clocks leaves it out.
   */
  instant(clock: number): number;
  /** RFC 3339 with the zone's offset: `2026-11-01T00:00:00+01:00`. */
  text(at: number): string;
}

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
  const stretches = new Map<number, { readonly before: number; readonly change: number; readonly after: number }>();
  const stretchOf = (index: number) => {
    let [low, high] = [index * STRETCH, (index + 1) * STRETCH - 1];
    const [before, after] = [read(low), read(high)];
    while (before !== after && high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (read(middle) === before) low = middle;
      else high = middle;
    }
    return { before, change: before === after ? Number.POSITIVE_INFINITY : high, after };
  };
  const offset = (at: number): number => {
    const index = Math.floor(at / STRETCH);
    const stretch = stretches.get(index) ?? stretchOf(index);
    stretches.set(index, stretch);
    return at < stretch.change ? stretch.before : stretch.after;
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
