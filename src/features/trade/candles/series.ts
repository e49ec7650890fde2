/**
 * The meaning of candle times, and a series without duplicates. On the public implementation, candles of minutes and hours carry their start, and days (17:00
 * to 17:00 in New York) their end; weeks and months are unknown.
 */
import { SvcError } from '../../../errors.ts';
import { daysLater } from '../market-hours.ts';
import type { Candle } from '../schema.ts';
import type { Period } from './periods.ts';

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
