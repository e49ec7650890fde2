/** The thirteen time frames of candles, and the limits of one request for each (doc 3 §8). */
import { SvcError } from '../../../errors.ts';

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
