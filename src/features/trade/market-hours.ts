/** Forex hours (doc 3 §1): Sunday 17:00–17:15 to Friday about 16:55, in New York's time. */

const OPEN = { weekday: 0, minutes: 17 * 60 } as const;
/** By then it has certainly opened. */
const OPEN_FOR_SURE = 17 * 60 + 15;
const CLOSE = { weekday: 5, minutes: 16 * 60 + 55 } as const;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

export interface MarketHours {
  /** `opening`: within the quarter of an hour in which it opens. Holidays are unknown. */
  readonly state: 'open' | 'opening' | 'closed';
  /** Milliseconds since 1970: the next opening time, or the latest one while it is opening. */
  readonly opensAt: number;
  readonly closesAt: number;
}

export function marketHours(now: number): MarketHours {
  const { weekday, minutes } = newYork(now);
  const afterClose = weekday > CLOSE.weekday || (weekday === CLOSE.weekday && minutes >= CLOSE.minutes);
  const beforeOpen = weekday === OPEN.weekday && minutes < OPEN.minutes;
  const opening = weekday === OPEN.weekday && minutes >= OPEN.minutes && minutes < OPEN_FOR_SURE;
  const openState = opening ? 'opening' : 'open';
  return {
    state: afterClose || beforeOpen ? 'closed' : openState,
    get opensAt() {
      return next(now, OPEN.weekday, opening ? OPEN_FOR_SURE : OPEN.minutes);
    },
    get closesAt() {
      return next(now, CLOSE.weekday, CLOSE.minutes);
    },
  };
}

/** Whether a candle may be missing because nothing was traded during its time. */
export function isClosedThroughout(from: number, to: number): boolean {
  const { state, opensAt } = marketHours(from);
  return state === 'closed' && to <= opensAt;
}

/** At the same time of day in New York: an hour more or less if its clocks change in between. */
export function daysLater(ms: number, days: number): number {
  const then = ms + days * DAY_MS;
  const shift = (newYork(ms).minutes - newYork(then).minutes) * MINUTE_MS;
  // Past midnight the difference is nearly a day.
  if (shift > DAY_MS / 2) return then + shift - DAY_MS;
  return shift < -DAY_MS / 2 ? then + shift + DAY_MS : then + shift;
}

/** When the current trading day began: 17:00 in New York. */
export function marketDayStart(now: number): number {
  const { minutes, rest } = newYork(now);
  const DAY_MINUTES = DAY_MS / MINUTE_MS;
  const since = (minutes - OPEN.minutes + DAY_MINUTES) % DAY_MINUTES;
  const start = now - since * MINUTE_MS - rest;
  // The clocks may have changed since.
  return start + (OPEN.minutes - newYork(start).minutes) * MINUTE_MS;
}

/** The first time after `now` that New York's clocks show this weekday and minute. */
function next(now: number, weekday: number, minutes: number): number {
  for (let day = 0; day <= 7; day++) {
    // From late in the evening, days of 24 hours would skip the wanted day when the clocks change.
    const sameTime = daysLater(now, day);
    const then = newYork(sameTime);
    if (then.weekday !== weekday) continue;
    // The clocks may also change between the two times of day.
    let at = sameTime + (minutes - then.minutes) * MINUTE_MS - then.rest;
    at += (minutes - newYork(at).minutes) * MINUTE_MS;
    if (at > now) return at;
  }
  throw new RangeError('a week has seven days');
}

interface LocalTime {
  /** 0 is Sunday. */
  readonly weekday: number;
  readonly minutes: number;
  /** Milliseconds into the minute. */
  readonly rest: number;
}

const FORMATTER = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  weekday: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

function newYork(ms: number): LocalTime {
  const parts = new Map(FORMATTER.formatToParts(ms).map(({ type, value }) => [type, value]));
  return {
    weekday: WEEKDAYS.indexOf(parts.get('weekday') ?? ''),
    minutes: Number(parts.get('hour')) * 60 + Number(parts.get('minute')),
    rest: ((ms % MINUTE_MS) + MINUTE_MS) % MINUTE_MS,
  };
}
