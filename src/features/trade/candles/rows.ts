/**
 * Candles as rows with names: doc 3 does not show them, and the gateway sends arrays (seen on the
 * public implementation).
 */
import type { Column, ListOutput, Zone } from '../../../output/types.ts';
import type { Candle } from '../schema.ts';
import { timeText } from './plan.ts';

export type CandlePrice = 'bid' | 'ask' | 'both' | 'mid';

/** Time first, ticks last, and prices of one side (`open`) or both (`bid_open`) between them. */
export type CandleRow = Readonly<Record<string, string | number | null>> & { readonly time: string };

const SIDES = ['Open', 'High', 'Low', 'Close'] as const;
/** Their positions in a candle, as the schema shows them. */
const BID = { Open: 1, Close: 2, High: 3, Low: 4 } as const;
const ASK = { Open: 5, Close: 6, High: 7, Low: 8 } as const;
export const TICKS = 9;

/** The sum of two prices may have digits that neither has. */
const DIGITS = 12;

/** In seconds since 1970. */
export function timeOf(candle: Candle): number {
  return candle[0] ?? 0;
}

export interface RowShape {
  readonly price: CandlePrice;
  /** Of the times. */
  readonly zone: Zone;
}

function priceFields(price: CandlePrice): readonly string[] {
  const sides = price === 'both' ? ['bid_', 'ask_'] : [''];
  return sides.flatMap((side) => SIDES.map((name) => side + name.toLowerCase()));
}

export function candleRow(candle: Candle, { price, zone }: RowShape): CandleRow {
  const row: Record<string, string | number | null> = { time: timeText(timeOf(candle), zone) };
  if (price === 'both') {
    for (const name of SIDES) row[`bid_${name.toLowerCase()}`] = candle[BID[name]] ?? 0;
    for (const name of SIDES) row[`ask_${name.toLowerCase()}`] = candle[ASK[name]] ?? 0;
  } else {
    for (const name of SIDES) row[name.toLowerCase()] = priceOf(candle, name, price);
  }
  row['tick_qty'] = candle[TICKS] ?? null;
  return row as CandleRow;
}

function priceOf(candle: Candle, name: (typeof SIDES)[number], price: Exclude<CandlePrice, 'both'>): number {
  const [bid, ask] = [candle[BID[name]] ?? 0, candle[ASK[name]] ?? 0];
  if (price === 'bid') return bid;
  if (price === 'ask') return ask;
  return Number(((bid + ask) / 2).toPrecision(DIGITS));
}

/** `bid_open` → the column `bid-open`. */
function columnName(field: string): string {
  return field.replaceAll('_', '-');
}

const ONLY_WIDE = new Set(['ask_open', 'ask_high', 'ask_low']);

export function candleList(price: CandlePrice): ListOutput<CandleRow> {
  const numbers = [...priceFields(price), 'tick_qty'].map(
    (field): Column<CandleRow> => ({
      name: columnName(field),
      cell: (row) => row[field],
      align: 'right',
      ...(ONLY_WIDE.has(field) ? { wide: true } : {}),
    }),
  );
  return {
    kind: 'list',
    columns: [{ name: 'time', cell: ({ time }) => time }, ...numbers],
    id: ({ time }) => time,
    empty: 'no candles',
  };
}

export type FileFormat = 'csv' | 'ndjson';

/** The lines of rows in a file: the same bytes as printed in that format. */
export interface RowLines {
  readonly header: string;
  readonly line: (row: CandleRow) => string;
}

export function rowLines(format: FileFormat, price: CandlePrice): RowLines {
  if (format === 'ndjson') return { header: '', line: (row) => `${JSON.stringify(row)}\n` };
  const fields = ['time', ...priceFields(price), 'tick_qty'];
  return {
    header: `${fields.map(columnName).join(',')}\n`,
    line: (row) => `${fields.map((field) => row[field] ?? '').join(',')}\n`,
  };
}
