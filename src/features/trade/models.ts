/** The tables of doc 3 §2 Part B, and their names in requests, responses and pushes. */
import { NUMERIC } from '../../json-object.ts';

export const MODEL_NAMES = [
  'Offer',
  'OpenPosition',
  'ClosedPosition',
  'Order',
  'Summary',
  'LeverageProfile',
  'Account',
  'Properties',
] as const;
export type ModelName = (typeof MODEL_NAMES)[number];

export interface Model {
  readonly name: ModelName;
  /** The field `t` of its records; the last two are not shown anywhere. */
  readonly table?: number;
  /** The field of its rows in a get_model response (seen on the public implementation). */
  readonly rows: string;
  /** The field that identifies a row, if there is one. */
  readonly key?: string;
}

export const MODELS: Readonly<Record<ModelName, Model>> = {
  Offer: { name: 'Offer', table: 0, rows: 'offers', key: 'offerId' },
  OpenPosition: { name: 'OpenPosition', table: 1, rows: 'open_positions', key: 'tradeId' },
  ClosedPosition: { name: 'ClosedPosition', table: 2, rows: 'closed_positions', key: 'tradeId' },
  Order: { name: 'Order', table: 3, rows: 'orders', key: 'orderId' },
  Summary: { name: 'Summary', table: 5, rows: 'summary', key: 'offerId' },
  LeverageProfile: { name: 'LeverageProfile', rows: 'leverage_profile' },
  Account: { name: 'Account', table: 6, rows: 'accounts', key: 'accountId' },
  Properties: { name: 'Properties', rows: 'properties' },
};

/** Exact: `order` could be a symbol, `Order` is the table. */
export function isModelName(text: string): text is ModelName {
  return Object.hasOwn(MODELS, text);
}

/** A table's rows, and unreadable ones as received: a decision may depend on what is in them. */
export interface TableRows<Row> extends ReadonlyArray<Row> {
  readonly omitted: readonly unknown[];
}

/** A number, also from a numeric string; null is none. Anything else as it is. */
export function numberOf(value: unknown): unknown {
  if (value === null) return undefined;
  return typeof value === 'string' && NUMERIC.test(value) ? Number(value) : value;
}
