/** Open positions summed up for each symbol, as the table Summary has them for all accounts together. */
import type { OpenPosition, Summary } from './schema.ts';

export interface AccountSummary extends Summary {
  readonly accountId: string;
}

export function summaryOf(accountId: string, positions: readonly OpenPosition[]): readonly AccountSummary[] {
  const symbols = new Set(positions.map(({ currency = '' }) => currency));
  return [...symbols].map((currency) => {
    const rows = positions.filter((row) => (row.currency ?? '') === currency);
    const [buys, sells] = [rows.filter(({ isBuy }) => isBuy === true), rows.filter(({ isBuy }) => isBuy === false)];
    const precision = rows[0]?.ratePrecision;
    const grossPL = total(rows, 'grossPL');
    return {
      accountId,
      currency,
      ...(precision === undefined ? {} : { ratePrecision: precision }),
      amountKSell: total(sells, 'amountK'),
      amountKBuy: total(buys, 'amountK'),
      amountK: exactSum([total(buys, 'amountK'), -total(sells, 'amountK')]),
      avgSell: average(sells, precision),
      avgBuy: average(buys, precision),
      plSell: total(sells, 'grossPL'),
      plBuy: total(buys, 'grossPL'),
      grossPL,
      netPL: exactSum([grossPL, -total(rows, 'com'), total(rows, 'roll')]),
    };
  });
}

function total(rows: readonly OpenPosition[], name: 'amountK' | 'grossPL' | 'com' | 'roll'): number {
  return exactSum(rows.map((row) => row[name] ?? 0));
}

/** Of the rates at which they were opened, by amount; 0 stands for none. */
function average(rows: readonly OpenPosition[], precision = 5): number {
  const amount = total(rows, 'amountK');
  const weighed = rows.reduce((sum, { amountK = 0, open = 0 }) => sum + amountK * open, 0);
  return amount === 0 ? 0 : Number((weighed / amount).toFixed(precision));
}

/** `toFixed` writes no digits beyond this. */
const LARGEST = 1e21;

/** Of decimals as they are written: 0.1 and 0.2 make 0.3. */
export function exactSum(values: readonly number[]): number {
  if (values.some((value) => Math.abs(value) >= LARGEST)) return values.reduce((sum, value) => sum + value, 0);
  const digits = Math.max(0, ...values.map((value) => decimals(value)));
  const sum = values.reduce((all, value) => all + BigInt(value.toFixed(digits).replace('.', '')), 0n);
  return Number(`${sum}e-${digits}`);
}

/** How many digits stand behind the point: of 1e-7 they are 7. */
function decimals(value: number): number {
  const [, fraction = '', exponent = '0'] = /^-?\d+(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return Math.min(100, Math.max(0, fraction.length - Number(exponent)));
}
