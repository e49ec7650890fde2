/** Candles of doc 3 §8, cut from the walk of prices. Labels and the shape of a row as seen on the public implementation. */
import { type Instrument, rounded } from './instruments.ts';
import { curvePrice, noise } from './price-curve.ts';
import { DAY_MS, dayStart, HOUR_MS, isTradingDay, MINUTE_MS, monthStart, nextDay, weekStart } from './trading-days.ts';

export const MOST_CANDLES = 10_000;

interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Period {
  readonly name: string;
  /** Undefined where there is no limit, neither of days nor of candles. */
  readonly days?: number;
  /** About. */
  readonly ms: number;
  /** The candle that a moment is in. */
  readonly around: (ms: number) => Span;
  /** Days are labelled by their end, everything else by its start. */
  readonly label?: 'end';
}

const short = (name: string, ms: number, days: number): Period => ({
  name,
  days,
  ms,
  around: (at) => {
    const from = Math.floor(at / ms) * ms;
    return { from, to: from + ms };
  },
});

/** Several hours, counted from the start of the trading day. */
const hours = (name: string, count: number, days: number): Period => ({
  name,
  days,
  ms: count * HOUR_MS,
  around: (at) => {
    const start = dayStart(at);
    const from = start + Math.floor((at - start) / (count * HOUR_MS)) * count * HOUR_MS;
    return { from, to: Math.min(from + count * HOUR_MS, nextDay(start)) };
  },
});

const PERIODS: readonly Period[] = [
  short('m1', MINUTE_MS, 16),
  short('m5', 5 * MINUTE_MS, 56),
  short('m15', 15 * MINUTE_MS, 212),
  short('m30', 30 * MINUTE_MS, 316),
  short('H1', HOUR_MS, 624),
  hours('H2', 2, 1224),
  hours('H3', 3, 2056),
  hours('H4', 4, 2664),
  hours('H6', 6, 3632),
  hours('H8', 8, 5128),
  {
    name: 'D1',
    ms: DAY_MS,
    label: 'end',
    around: (at) => ({ from: dayStart(at), to: nextDay(dayStart(at)) }),
  },
  {
    name: 'W1',
    ms: 7 * DAY_MS,
    around: (at) => {
      const from = weekStart(dayStart(at));
      return { from, to: weekStart(dayStart(from + 8 * DAY_MS)) };
    },
  },
  {
    name: 'M1',
    ms: 30 * DAY_MS,
    around: (at) => {
      const from = monthStart(dayStart(at));
      return { from, to: monthStart(dayStart(from + 33 * DAY_MS)) };
    },
  },
];

/** `h1` of doc 3 is `H1`; `m1` and `M1` are two. */
export function periodOf(name: string): Period | undefined {
  return PERIODS.find((period) => period.name === (/^[hdw]/.test(name) ? name.toUpperCase() : name));
}

/** Nothing is known of earlier years. */
const HISTORY_STARTS = Date.UTC(2012, 0, 3);

export type Row = readonly number[];

/** Labelled within the span, the ends included; the newest `most` of them, oldest first. The one that goes on is the last. */
export function candles(instrument: Instrument, period: Period, span: Span, most: number, now: number): readonly Row[] {
  const found: Row[] = [];
  const isEnd = period.label === 'end';
  const newest = isEnd ? span.to - 1 : Math.min(span.to, now);
  for (let at = Math.min(newest, now); at >= HISTORY_STARTS && found.length < most; ) {
    const { from, to } = period.around(at);
    const label = isEnd ? to : from;
    if (label < span.from) break;
    if (label <= span.to && isTraded(instrument, period, from)) found.push(row(instrument, label, from, to, now));
    at = from - 1;
  }
  return found.reverse();
}

function isTraded({ always }: Instrument, { ms }: Period, from: number): boolean {
  return always || ms > DAY_MS || isTradingDay(dayStart(from));
}

function row(instrument: Instrument, label: number, from: number, to: number, now: number): Row {
  const { digits, offerId, pip, spread, volatility } = instrument;
  const end = Math.min(to, now);
  const price = (part: number): number => curvePrice(instrument, from + (end - from) * part);
  const [open, close] = [price(0), price(1)];
  const inner = [open, close, price(0.25), price(0.5), price(0.75)];
  const index = Math.floor(from / MINUTE_MS);
  const wick = (open * volatility * Math.sqrt((end - from) / DAY_MS)) / 20;
  const high = Math.max(...inner) + wick * (1 + noise(offerId, index));
  const low = Math.min(...inner) - wick * (1 + noise(offerId + 1, index));
  const bid = [open, close, high, low];
  const ticks = Math.max(1, Math.round(((end - from) / MINUTE_MS) * (40 + 30 * noise(offerId + 2, index))));
  return [
    label / 1000,
    ...bid.map((value) => rounded(value, digits)),
    ...bid.map((value) => rounded(value + spread * pip, digits)),
    ticks,
  ];
}
