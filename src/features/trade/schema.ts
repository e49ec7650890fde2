/**
 * The records of doc 3 §2 Part B, read leniently: unknown fields are preserved, and only the needed fields are required. Tables that the document does not show
 * are as seen on the public implementation.
 */
import * as z from 'zod/mini';

/** Integers in one response and strings in the next: converted to strings, as they are identifiers. */
const id = z.pipe(
  z.union([z.string(), z.number()]),
  z.transform((value) => String(value)),
);
const optionalId = z.optional(id);
const number = z.optional(z.number());
const text = z.optional(z.string());
const flag = z.optional(z.boolean());

/** The fields of every response beside its rows (seen on the public implementation): `error` is absent, empty, a sentence, or JSON in a string. */
const body = z.looseObject({
  response: z.optional(z.looseObject({ executed: z.optional(z.boolean()), error: z.optional(z.unknown()) })),
});
export type Envelope = z.infer<typeof body>;
/** A body that is a string is an error. */
const errorText = z.pipe(
  z.string(),
  z.transform((error): Envelope => ({ response: { error } })),
);
export const envelope = z.union([body, errorText]);

export const offer = z.looseObject({
  offerId: id,
  currency: z.string(),
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
  hedging: z.optional(id),
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

export const summary = z.looseObject({
  offerId: optionalId,
  currency: text,
  amountKSell: number,
  amountKBuy: number,
  amountK: number,
  avgSell: number,
  avgBuy: number,
  plSell: number,
  plBuy: number,
  grossPL: number,
  netPL: number,
  ratePrecision: number,
  isTotal: flag,
});
export type Summary = z.infer<typeof summary>;

export const instrument = z.looseObject({ symbol: z.string(), visible: flag, order: number });
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
  Summary: summary,
  LeverageProfile: row,
  Account: account,
  Properties: row,
};
export type ModelRows = { readonly [N in keyof typeof MODEL_ROWS]: z.infer<(typeof MODEL_ROWS)[N]> };

/** `[time, bidOpen, bidClose, bidHigh, bidLow, askOpen, askClose, askHigh, askLow, ticks]`, the time in Unix seconds. */
export const candle = z.array(z.number()).check(z.minLength(10));
export type Candle = readonly number[];
