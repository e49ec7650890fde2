/** Rows of a response, read one by one: a row that cannot be read is left out and never hides the others. */
import { schemaProblem } from '../json-object.ts';
import type { Parser } from './endpoint.ts';

export interface ReadRows<Row> {
  readonly rows: readonly Row[];
  /** A sentence for each row that is left out: `row 3: tradeId is missing`. */
  readonly omitted: readonly string[];
}

/** `noun` names one row, and `before` counts the rows that came earlier. */
export function readRows<Row>(
  schema: Parser<Row>,
  values: readonly unknown[],
  noun: string,
  before = 0,
): ReadRows<Row> {
  const rows: Row[] = [];
  const omitted: string[] = [];
  for (const [index, value] of values.entries()) {
    const where = `${noun} ${before + index + 1}`;
    const outcome = schema.safeParse(value);
    if (outcome.success) {
      rows.push(outcome.data);
      for (const problem of outcome.omitted ?? []) omitted.push(`${where}: ${problem}`);
    } else {
      omitted.push(`${where}: ${schemaProblem(outcome.error.issues, value, ': ')}`);
    }
  }
  return { rows, omitted };
}
