/**
 * What times candles stand for, and a series without doubles. Seen on the public implementation: candles of minutes and hours carry
 * the time at which they start, those of a day (17:00 to 17:00 in New York) that at which they end; of weeks and months it is not known.
 */
import { SvcError } from '../../errors.ts';
import { daysLater } from './market-hours.ts';
import type { Period } from './periods.ts';
import type { Candle } from './schema.ts';

export type CandleLabel = 'raw' | 'start' | 'end';

const LONGEST_MONTH_MS = 31 * 86_400_000;

/** Where the ticks are within a candle. */
const TICKS = 9;

export function timeOf(candle: Candle): number {
  return candle[0] ?? 0;
}

/** By time; of two of the same time the one that has seen more ticks. */
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

/** In milliseconds since 1970, of a time as the gateway gives it in seconds. */
export function labelled(seconds: number, label: CandleLabel, { name, ms }: Period): number {
  const raw = seconds * 1000;
  if (name === 'D1') return label === 'start' ? daysLater(raw, -1) : raw;
  return label === 'end' ? raw + ms : raw;
}

/** Whether its time is over; of weeks and months, whether it is in any reading of their labels. */
export function isFinished(candle: Candle, { name, ms }: Period, now: number): boolean {
  const raw = timeOf(candle) * 1000;
  if (name === 'D1') return raw <= now;
  return raw + (name === 'M1' ? LONGEST_MONTH_MS : ms) <= now;
}
