/** Numbers of the catalog: JSON numbers, or texts where a server writes decimals so. */

export type Numeric = number | string;

const DECIMAL = /^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/;

/** Null where there is none: for what is not there, and for a text that is no number. */
export function numberOf(value: Numeric | null | undefined): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !DECIMAL.test(value)) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}
