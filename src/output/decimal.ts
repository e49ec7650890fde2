/** Decimal arithmetic on numbers as JSON writes them, for sums of money. */

/** The exact decimal sum: 0.1 and 0.2 make 0.3. */
export function exactSum(values: readonly number[]): number {
  if (!values.every(Number.isFinite)) return values.reduce((sum, value) => sum + value, 0);
  const parts = values.map(decimalOf);
  let scale = 0;
  for (const { decimals } of parts) scale = Math.max(scale, decimals);
  let sum = 0n;
  for (const { digits, decimals } of parts) sum += digits * 10n ** BigInt(scale - decimals);
  return Number(`${sum}e-${scale}`);
}

/** The mean, to 20 decimals more than the values have. */
export function exactMean(values: readonly number[]): number {
  const { digits, decimals } = decimalOf(exactSum(values));
  return Number(`${(digits * 10n ** 20n) / BigInt(values.length)}e-${decimals + 20}`);
}

/** Like `toFixed`, but rounded as the decimal is: 1.005 is 1.01, not 1.00. */
export function fixedText(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return String(value);
  const { digits, decimals: own } = decimalOf(value);
  if (own <= decimals) return value.toFixed(decimals);
  const unit = 10n ** BigInt(own - decimals);
  const half = digits < 0n ? -unit / 2n : unit / 2n;
  return Number(`${(digits + half) / unit}e-${decimals}`).toFixed(decimals);
}

const NUMBER = /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

/** `digits` times ten to the power of minus `decimals`, as the number is written in JSON. */
function decimalOf(value: number | string): Exact {
  const [, whole = '0', fraction = '', exponent = '0'] = NUMBER.exec(String(value)) ?? [];
  return { digits: BigInt(whole + fraction), decimals: fraction.length - Number(exponent) };
}

/** An integer and the number of its decimals. */
export interface Exact {
  readonly digits: bigint;
  readonly decimals: number;
}

/** Reads a decimal text, or a number as JSON writes it. */
export function exact(value: number | string): Exact {
  const { digits, decimals } = decimalOf(value);
  return decimals < 0 ? { digits: digits * 10n ** BigInt(-decimals), decimals: 0 } : { digits, decimals };
}

export function times(one: Exact, other: Exact): Exact {
  return { digits: one.digits * other.digits, decimals: one.decimals + other.decimals };
}

export function minus(one: Exact, other: Exact): Exact {
  const decimals = Math.max(one.decimals, other.decimals);
  const scaled = (value: Exact): bigint => value.digits * 10n ** BigInt(decimals - value.decimals);
  return { digits: scaled(one) - scaled(other), decimals };
}

/** For numbers above 0. Rounds down to `decimals`, and returns the digits without the point. */
export function ratio(one: Exact, other: Exact, decimals = 0): bigint {
  return (one.digits * 10n ** BigInt(other.decimals + decimals)) / (other.digits * 10n ** BigInt(one.decimals));
}
