/** Candles of doc 3 §8 from the curve of prices; the rest follows the public implementation. */
import { type Instrument, roundRate } from './instruments.ts';
import type { Market } from './market.ts';
import { DAY_MS, dayStart, HOUR_MS, isTradingDay, MINUTE_MS, monthStart, weekStart } from './trading-days.ts';

export const MAX_CANDLES = 10_000;

interface Span {
  readonly from: number;
  readonly to: number;
}

interface Period {
  readonly name: string;
  /** A time so much after the start of a candle is in the next one. */
  readonly ms: number;
  /** Undefined where neither days nor candles are limited. */
  readonly days?: number;
  /** The start of the candle that a moment is in. */
  readonly startOf: (ms: number) => number;
}

const DAY_PERIOD: Period = { name: 'D1', ms: 26 * HOUR_MS, startOf: dayStart };

/** Doc 3 §8: minutes of a candle, and days back. */
const WITHIN_DAY: readonly (readonly [name: string, minutes: number, days: number])[] = [
  ['m1', 1, 16],
  ['m5', 5, 56],
  ['m15', 15, 212],
  ['m30', 30, 316],
  ['H1', 60, 624],
  ['H2', 120, 1224],
  ['H3', 180, 2056],
  ['H4', 240, 2664],
  ['H6', 360, 3632],
  ['H8', 480, 5128],
];

const PERIODS: readonly Period[] = [
  ...WITHIN_DAY.map(([name, minutes, days]): Period => {
    const ms = minutes * MINUTE_MS;
    // Counted from the start of the trading day, which may cut its last candle short.
    return { name, ms, days, startOf: (at) => at - ((at - dayStart(at)) % ms) };
  }),
  DAY_PERIOD,
  { name: 'W1', ms: 8 * DAY_MS, startOf: weekStart },
  { name: 'M1', ms: 33 * DAY_MS, startOf: monthStart },
];

/** `h1` of doc 3 is `H1`; `m1` and `M1` are different periods. */
export function periodOf(name: string): Period | undefined {
  return PERIODS.find((period) => period.name === (/^[hdw]/.test(name) ? name.toUpperCase() : name));
}

const HISTORY_STARTS = Date.UTC(2012, 0, 3);

type Row = readonly number[];

/** The newest `max` with a label in the span, ends included. The last is the current candle. */
export function cutCandles(
  market: Market,
  instrument: Instrument,
  period: Period,
  span: Span,
  max: number,
  now: number,
): readonly Row[] {
  const found: Row[] = [];
  // Days are labeled by their end, all other candles by their start.
  const isEnd = period === DAY_PERIOD;
  const newest = isEnd ? span.to - 1 : Math.min(span.to, now);
  for (let at = Math.min(newest, now); at >= HISTORY_STARTS && found.length < max; ) {
    const from = period.startOf(at);
    const to = period.startOf(from + period.ms);
    const label = isEnd ? to : from;
    if (label < span.from) break;
    const isTraded = instrument.always || period.ms > 2 * DAY_MS || isTradingDay(dayStart(from));
    if (label <= span.to && isTraded) found.push(toRow(market, instrument, label, { from, to }, now));
    at = from - 1;
  }
  return found.reverse();
}

/** Parts of a candle's time whose prices, with the first and last, give its high and low. */
const PARTS = [0.2, 0.4, 0.6, 0.8];

function toRow(market: Market, instrument: Instrument, label: number, { from, to }: Span, now: number): Row {
  const end = Math.min(to, now);
  const price = (part: number): number => market.priceAt(instrument, from + (end - from) * part);
  const [open, close] = [price(0), price(1)];
  const all = [open, close, ...PARTS.map(price)];
  const [high, low] = [Math.max(...all), Math.min(...all)];
  const rates = [open, close, high, low];
  const bids = rates.map((bid) => roundRate(instrument, bid));
  const asks = rates.map((bid) => roundRate(instrument, bid + instrument.spread * instrument.pip));
  // Some each minute, and more where the price moved more.
  const ticks = 1 + Math.round(((end - from) / MINUTE_MS) * 20 + ((high - low) / instrument.pip) * 10);
  return [label / 1000, ...bids, ...asks, ticks];
}
