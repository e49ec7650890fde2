/** How candles are shown: as rows, as a chart, as gaps, and as the file they were written to. */
import type {
  AnyOutput,
  ChartCandle,
  ChartFacts,
  ChartOutput,
  ChartPicture,
  Column,
  ListOutput,
  RecordOutput,
} from '../../../output/types.ts';
import { timeText } from './reader.ts';
import type { CandleReading } from './reading.ts';
import { type CandlePrice, type CandleRow, columnName, priceFields, type RowShape } from './rows.ts';
import { spanOf } from './series.ts';

const WIDE = new Set(['ask_open', 'ask_high', 'ask_low']);

export function candleList(price: CandlePrice): ListOutput<CandleRow> {
  return {
    kind: 'list',
    columns: [
      { name: 'time', cell: ({ time }) => time },
      ...priceFields(price).map(
        (field): Column<CandleRow> => ({
          name: columnName(field),
          cell: (row) => row[field],
          align: 'right',
          ...(WIDE.has(field) ? { wide: true } : {}),
        }),
      ),
      { name: 'tick-qty', cell: (row) => row['tick_qty'], align: 'right' },
    ],
    id: ({ time }) => time,
    empty: 'no candles',
  };
}

interface GapRow {
  readonly symbol: string;
  readonly period: string;
  /** The first missing candle, and the first one after it. */
  readonly from: string;
  readonly to: string;
  readonly candles: number;
}

export function gapRows({ gaps, request }: CandleReading, { zone }: RowShape): readonly GapRow[] {
  return gaps.gaps.map(({ from, to, candles }) => ({
    symbol: request.symbol,
    period: request.period.name,
    from: timeText(from, zone),
    to: timeText(to, zone),
    candles,
  }));
}

export const GAP_LIST: ListOutput<GapRow> = {
  kind: 'list',
  columns: [
    { name: 'symbol', cell: ({ symbol }) => symbol },
    { name: 'period', cell: ({ period }) => period },
    { name: 'from', cell: ({ from }) => from },
    { name: 'to', cell: ({ to }) => to },
    { name: 'candles', cell: ({ candles }) => candles, align: 'right' },
  ],
  id: ({ from }) => from,
  empty: 'no gaps',
};

export interface CandleFileReport {
  readonly file: string;
  readonly symbol: string;
  readonly offer_id: string;
  readonly complete: boolean;
  readonly period: string;
  readonly candles: number;
  readonly first: string | null;
  readonly last: string | null;
  /** Null if unknown. */
  readonly gaps: number | null;
  readonly missing: number | null;
}

export const CANDLE_FILE: RecordOutput<CandleFileReport> = {
  kind: 'record',
  columns: [
    { name: 'file', cell: ({ file }) => file },
    { name: 'symbol', cell: ({ symbol }) => symbol },
    { name: 'offer-id', cell: ({ offer_id }) => offer_id },
    { name: 'period', cell: ({ period }) => period },
    { name: 'candles', cell: ({ candles }) => candles },
    { name: 'first', cell: ({ first }) => first ?? undefined },
    { name: 'last', cell: ({ last }) => last ?? undefined },
    { name: 'gaps', cell: ({ gaps, missing }) => (gaps ? `${gaps} (${missing} candles)` : (gaps ?? 'not known')) },
    { name: 'complete', cell: ({ complete }) => (complete ? 'yes' : { text: 'no', tone: 'warn' }) },
  ],
  id: ({ file }) => file,
};

export interface CandleDrawing extends RowShape, Pick<ChartPicture, 'width' | 'height' | 'ascii'> {
  readonly symbol: string;
  /** Only the closing prices. */
  readonly line: boolean;
}

/** The value is the rows. */
export function candleChart(
  rows: readonly CandleRow[],
  drawing: CandleDrawing,
): ChartOutput<readonly CandleRow[], CandleRow> {
  return {
    kind: 'chart',
    chart: () => candlePicture(rows, drawing),
    rows: (value) => value,
    list: candleList(drawing.price),
  };
}

/** Describes the output before anything is read. */
export function usualChart(price: CandlePrice): AnyOutput {
  return {
    kind: 'chart',
    chart: () => ({ title: '', series: [], from: 0, to: 0 }),
    rows: () => [],
    list: candleList(price),
  };
}

/** Times without candles stay empty: weekends as well as missing ones. */
export function candlePicture(rows: readonly CandleRow[], drawing: CandleDrawing): ChartPicture {
  const { symbol, price, label, period, line, width, height, ascii } = drawing;
  const list = rows.map((row): ChartCandle => {
    const [at, until] = spanOf(Date.parse(row.time), label, period);
    const [open, high, low, close] = ['open', 'high', 'low', 'close'].map((name) => Number(row[name]));
    return { at, until, open: open ?? 0, high: high ?? 0, low: low ?? 0, close: close ?? 0 };
  });
  const at: number[] = [];
  const values: (number | null)[] = [];
  for (const [index, candle] of list.entries()) {
    at.push(candle.at);
    values.push(candle.close);
    const next = list[index + 1];
    // Months, and days when the clocks change, differ in length.
    if (next === undefined || next.at - candle.until <= period.ms / 2) continue;
    at.push(candle.until);
    values.push(null);
  }
  const from = list[0]?.at ?? 0;
  const to = list.at(-1)?.until ?? 0;
  const title = `${symbol} ${period.name}: ${price}${line ? ' close' : ''}`;
  const series = [{ name: 'close', at, values, until: to }];
  const candles = line ? undefined : { periodMs: period.ms, list };
  return { title, series, candles, from, to, facts: facts(rows, symbol), width, height, ascii };
}

function facts(rows: readonly CandleRow[], symbol: string): ChartFacts {
  const [first] = rows;
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return { columns: [], rows: [] };
  const [open, close] = [Number(first['open']), Number(last['close'])];
  const change = ((close - open) / open) * 100;
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const row of rows) {
    low = Math.min(low, Number(row['low']));
    high = Math.max(high, Number(row['high']));
  }
  const row = { symbol, open, close, change: `${change > 0 ? '+' : ''}${change.toFixed(2)}%`, low, high };
  const names = ['symbol', 'open', 'close', 'change', 'low', 'high'] as const;
  return {
    columns: names.map(
      (name): Column<typeof row> => ({
        name,
        cell: (it) => it[name],
        ...(name === 'symbol' ? {} : { align: 'right' }),
      }),
    ),
    rows: [row],
  };
}
