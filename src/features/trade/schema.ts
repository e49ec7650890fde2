/**
 * The records of doc 3 §2 Part B. Only the needed fields are required, and unknown ones are
 * preserved. Tables that the document does not show are as seen on the public implementation.
 */
import * as z from 'zod/mini';
import type { Parser } from '../../http/endpoint.ts';
import * as fields from '../../http/fields.ts';
import { orAbsent } from '../../http/fields.ts';
import { readRows } from '../../http/json.ts';
import { isObject } from '../../json-object.ts';
import { MODELS, type ModelName, numberOf } from './models.ts';

/** Integers in one response and strings in the next. */
const id = fields.identifier;
const optionalId = orAbsent(id);
const number = orAbsent(fields.number);
const text = orAbsent(fields.text);
const flag = orAbsent(fields.flag);

/** `error` is absent, empty, a sentence or a JSON text (seen on the public implementation). */
const body = z.looseObject({
  response: orAbsent(z.looseObject({ executed: flag, error: z.optional(z.unknown()) })),
});
export type Envelope = z.infer<typeof body>;
/** A body that is a string is an error. */
export const envelope = z.pipe(
  z.transform((value: unknown) => (typeof value === 'string' ? { response: { error: value } } : value)),
  body,
);

export const offer = z.looseObject({
  offerId: optionalId,
  currency: id,
  instrumentType: number,
  ratePrecision: number,
  sell: number,
  buy: number,
  high: number,
  low: number,
  spread: number,
  pip: number,
  pipFraction: number,
  pipCost: number,
  mmr: number,
  rollB: number,
  rollS: number,
  time: text,
  buyTradable: flag,
  sellTradable: flag,
  minQuantity: number,
  maxQuantity: number,
  instrBaseUnitSize: number,
});
export type Offer = z.infer<typeof offer>;

export const account = z.looseObject({
  accountId: id,
  accountName: optionalId,
  balance: number,
  equity: number,
  usableMargin: number,
  usableMarginPerc: number,
  grossPL: number,
  dayPL: number,
  mc: text,
  hedging: optionalId,
  isTotal: flag,
});
export type Account = z.infer<typeof account>;

/** Types of doc 3 §2; all but the id may be missing, because an update has only changed fields. */
export const order = z.looseObject({
  orderId: id,
  tradeId: optionalId,
  time: text,
  accountName: optionalId,
  accountId: optionalId,
  timeInForce: text,
  expireDate: text,
  currency: text,
  isBuy: flag,
  buy: number,
  sell: number,
  type: text,
  status: number,
  amountK: number,
  stopMove: optionalId,
  stop: number,
  stopRate: number,
  limit: number,
  limitRate: number,
  isEntryOrder: flag,
  ocoBulkId: optionalId,
  range: number,
  ratePrecision: number,
  isTotal: flag,
  action: text,
});
export type Order = z.infer<typeof order>;

const position = {
  tradeId: id,
  orderId: optionalId,
  accountName: optionalId,
  accountId: optionalId,
  currency: text,
  isBuy: flag,
  amountK: number,
  open: number,
  close: number,
  grossPL: number,
  visiblePL: number,
  roll: number,
  com: number,
  ratePrecision: number,
  isTotal: flag,
  action: text,
};

export const openPosition = z.looseObject({
  ...position,
  time: text,
  usedMargin: number,
  stop: number,
  stopMove: optionalId,
  limit: number,
});
export type OpenPosition = z.infer<typeof openPosition>;

export const closedPosition = z.looseObject({ ...position, openTime: text, closeTime: text });
export type ClosedPosition = z.infer<typeof closedPosition>;

export const instrument = z.looseObject({ symbol: id, visible: flag, order: number });
export type Instrument = z.infer<typeof instrument>;

/** Any table. */
export const row = z.looseObject({ isTotal: flag });
export type Row = z.infer<typeof row>;

/** The rows of each table. */
export const MODEL_ROWS = {
  Offer: offer,
  OpenPosition: openPosition,
  ClosedPosition: closedPosition,
  Order: order,
  Summary: z.looseObject({ offerId: optionalId, isTotal: flag }),
  LeverageProfile: row,
  Account: account,
  Properties: row,
};
export type ModelRows = { readonly [N in keyof typeof MODEL_ROWS]: z.infer<(typeof MODEL_ROWS)[N]> };

/**
 * `[time, bidOpen, bidClose, bidHigh, bidLow, askOpen, askClose, askHigh, askLow, ticks]`, the time
 * in Unix seconds. Only the ticks may be absent.
 */
const candle = z.pipe(
  z.transform((value: unknown) => {
    if (!Array.isArray(value) || value.every((one) => typeof one === 'number')) return value;
    const numbers = value.map(numberOf);
    return numbers[CANDLE_TICKS] === undefined ? numbers.slice(0, CANDLE_TICKS) : numbers;
  }),
  z.array(z.number()).check(z.minLength(9)),
);
const CANDLE_TICKS = 9;
export type Candle = readonly number[];

const count = z.number().check(z.int(), z.nonnegative());
const gap = z.object({ from: z.number(), to: z.number(), candles: count });
/** How far a download has come; times in Unix seconds. Everything up to `through` has been read. */
const candleProgress = z.object({
  through: z.optional(z.number()),
  candles: count,
  first: z.optional(z.number()),
  last: z.optional(z.number()),
  gaps: z.array(gap),
});
export type CandleProgress = z.infer<typeof candleProgress>;

/** `FILE.state.json`, beside a file of candles that is not complete. */
export const candleFileState = z.object({
  /** What the file was started for: only the same request continues it. */
  request: z.record(z.string(), z.union([z.string(), z.boolean()])),
  range: z.object({ from: z.optional(z.number()), to: z.number(), now: z.number() }),
  /** How many bytes of the file count, and the last of them. */
  length: count,
  tail: z.string(),
  progress: candleProgress,
});
export type CandleFileState = z.infer<typeof candleFileState>;

/** The rows of a response. The omitted ones cannot be read, and are as received. */
export interface ListAnswer<Row> {
  readonly rows?: readonly Row[] | undefined;
  readonly omitted?: readonly unknown[] | undefined;
}

/** Rows are read one by one, and the response is refused only if none can be read. */
function withRows<Row>(path: readonly string[], schema: Parser<Row>, noun: string, totalKey?: string) {
  return {
    safeParse(value: unknown) {
      const outcome = envelope.safeParse(value);
      let list: unknown = outcome.data;
      for (const name of path) list = isObject(list) ? list[name] : undefined;
      if (!outcome.success || !Array.isArray(list)) return outcome;
      const found = totalKey === undefined ? list : withoutTotal(list, totalKey);
      const { rows, unread: omitted, omitted: problems } = readRows(schema, found, noun);
      const first = rows.length === 0 && found.length > 0 ? schema.safeParse(found[0]) : undefined;
      if (first?.success === false) {
        const issues = first.error.issues.map((issue) => ({ ...issue, path: [...path, 0, ...issue.path] }));
        return { success: false, error: { issues } };
      }
      return { success: true, data: { ...outcome.data, rows, omitted }, omitted: problems };
    },
  } as Parser<Envelope & ListAnswer<Row>>;
}

export function tableAnswer<N extends ModelName>(name: N): Parser<Envelope & ListAnswer<ModelRows[N]>> {
  const { rows, key = 'isTotal' } = MODELS[name];
  return withRows([rows], MODEL_ROWS[name] as unknown as Parser<ModelRows[N]>, `${name} row`, key);
}

export const instrumentsAnswer = withRows(['data', 'instrument'], instrument, 'instrument');

export const candlesAnswer = withRows(['candles'], candle, 'candle');

/** The row of totals has isTotal or an empty key, and may lack other fields. */
function withoutTotal(rows: readonly unknown[], key: string): readonly unknown[] {
  return rows.filter((row) => !isObject(row) || (String(row['isTotal']) !== 'true' && row[key] !== ''));
}
