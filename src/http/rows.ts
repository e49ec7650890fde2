/** Rows of a response, read one by one: an unreadable row is left out and hides no others. */
import { isObject, schemaProblem } from '../json-object.ts';
import type { Parser } from './endpoint.ts';

export interface ReadRows<Row> {
  readonly rows: readonly Row[];
  /** A sentence for each row that is left out: `row 3: tradeId is missing`. */
  readonly omitted: readonly string[];
  /** Those rows, as received. */
  readonly unread: readonly unknown[];
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
  const unread: unknown[] = [];
  for (const [index, value] of values.entries()) {
    const where = `${noun} ${before + index + 1}`;
    const outcome = schema.safeParse(value);
    if (outcome.success) {
      rows.push(outcome.data);
      for (const problem of outcome.omitted ?? []) omitted.push(`${where}: ${problem}`);
    } else {
      unread.push(value);
      omitted.push(`${where}: ${schemaProblem(outcome.error.issues, value, ': ')}`);
    }
  }
  return { rows, omitted, unread };
}

export interface ReceivedList<Row> {
  readonly rows: readonly Row[];
  /** How many rows came, with those that are left out: a page is short by this number only. */
  readonly received: number;
}

/** The list is the field `items`, or the response itself. Go writes null for an empty list. */
export function listParser<Row>(schema: Parser<Row>, noun: string): Parser<ReceivedList<Row>> {
  return {
    safeParse(value) {
      const items = isObject(value) ? value['items'] : value;
      if (items !== null && !Array.isArray(items)) {
        const kind = items === undefined ? 'invalid_value' : 'invalid_type';
        const path = isObject(value) ? ['items'] : [];
        return {
          success: false,
          error: { issues: [{ path, code: kind, expected: 'array', message: 'expected a list' }] },
        };
      }
      const received = items ?? [];
      const { rows, omitted } = readRows(schema, received, noun);
      const [first] = omitted;
      if (rows.length === 0 && first !== undefined) {
        return { success: false, error: { issues: [{ path: [], message: first }] } };
      }
      return { success: true, data: { rows, received: received.length }, omitted };
    },
  };
}
