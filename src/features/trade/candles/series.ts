/**
 * The meaning of candle times, and a series without duplicates. On the public implementation, candles of minutes and hours carry their start, and days (17:00
 * to 17:00 in New York) their end; weeks and months are unknown.
 */
import { SvcError } from '../../../errors.ts';
import { daysLater } from '../market-hours.ts';
import type { Candle } from '../schema.ts';

export type CandleLabel = 'raw' | 'start' | 'end';

const LONGEST_MONTH_MS = 31 * 86_400_000;

/** The position of the ticks in a candle. */
const TICKS = 9;

export function timeOf(candle: Candle): number {
  return candle[0] ?? 0;
}

/** Keyed by time; of two candles for the same time, the one with more ticks. */
export function series(candles: readonly Candle[]): readonly Candle[] {
  const byTime = new Map<number, Candle>();
  for (const candle of candles) {
    const other = byTime.get(timeOf(candle));
    if (other === undefined || (candle[TICKS] ?? 0) > (other[TICKS] ?? 0)) byTime.set(timeOf(candle), candle);
  }
  return [...byTime.values()].sort((a, b) => timeOf(a) - timeOf(b));
}

export function isLabelKnown({ name }: Period): boolean {
  return name !== 'W1' && name !== 'M1';
}

export function checkLabel(label: CandleLabel, period: Period): void {
  if (label === 'raw' || isLabelKnown(period)) return;
  throw new SvcError(
    'invalid_value',
    `--label ${label}: whether ${period.name} carries its start or its end is not known`,
    {
      hint: 'use --label raw, the time as the gateway gives it',
    },
  );
}

/** Milliseconds since 1970, from the gateway's time in seconds. */
export function labeled(seconds: number, label: CandleLabel, { name, ms }: Period): number {
  const raw = seconds * 1000;
  if (name === 'D1') return label === 'start' ? daysLater(raw, -1) : raw;
  return label === 'end' ? raw + ms : raw;
}

/** Whether it is finished; weeks and months must be finished in any reading of their labels. */
export function isFinished(candle: Candle, { name, ms }: Period, now: number): boolean {
  const raw = timeOf(candle) * 1000;
  if (name === 'D1') return raw <= now;
  return raw + (name === 'M1' ? LONGEST_MONTH_MS : ms) <= now;
}

/** When a candle begins and ends, by its label; one of a week or a month counts as labeled by its start. */
export function spanOf(
  ms: number,
  label: CandleLabel,
  { name, ms: length }: Period,
): readonly [at: number, until: number] {
  if (name === 'D1') return label === 'start' ? [ms, daysLater(ms, 1)] : [daysLater(ms, -1), ms];
  return label === 'end' ? [ms - length, ms] : [ms, ms + length];
}

export interface Period {
  /** As the gateway expects it; `m1` is a minute and `M1` a month. */
  readonly name: string;
  /** Approximate for a month, and for a day when the clocks change. */
  readonly ms: number;
  /** Undefined without a limit. */
  readonly maxDaysBack?: number;
  readonly maxCandles?: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

const limited = (name: string, ms: number, maxDaysBack: number): Period => ({
  name,
  ms,
  maxDaysBack,
  maxCandles: 10_000,
});

export const PERIODS: readonly Period[] = [
  limited('m1', MINUTE_MS, 16),
  limited('m5', 5 * MINUTE_MS, 56),
  limited('m15', 15 * MINUTE_MS, 212),
  limited('m30', 30 * MINUTE_MS, 316),
  limited('H1', HOUR_MS, 624),
  limited('H2', 2 * HOUR_MS, 1224),
  limited('H3', 3 * HOUR_MS, 2056),
  limited('H4', 4 * HOUR_MS, 2664),
  limited('H6', 6 * HOUR_MS, 3632),
  limited('H8', 8 * HOUR_MS, 5128),
  { name: 'D1', ms: DAY_MS },
  { name: 'W1', ms: 7 * DAY_MS },
  { name: 'M1', ms: 30 * DAY_MS },
];

/** The document writes `h1`, gateways `H1`; case is ignored only if that cannot mean another period. */
export function findPeriod(text: string): Period {
  const upper = text.toUpperCase();
  const found =
    PERIODS.find(({ name }) => name === text) ??
    (/^[hdw]/.test(text) ? PERIODS.find(({ name }) => name === upper) : undefined);
  if (found !== undefined) return found;
  throw new SvcError('invalid_value', `there is no period ${text}`, {
    hint: `the periods are ${PERIODS.map(({ name }) => name).join(', ')}; m1 is a minute, M1 a month`,
  });
}
