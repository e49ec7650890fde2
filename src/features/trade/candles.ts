/** How candles are shown: as rows, as a chart of closing prices, as gaps, and as the file they were written to. */
import type {
  AnyOutput,
  ChartFacts,
  ChartOutput,
  ChartPicture,
  Column,
  ListOutput,
  RecordOutput,
} from '../../output/types.ts';
import type { CandleGap } from './candle-gaps.ts';
import { timeText } from './candle-reader.ts';
import { type CandlePrice, type CandleRow, columnName, priceFields, type RowShape } from './candle-rows.ts';
import { labelled } from './candle-series.ts';
import type { Period } from './periods.ts';

const WIDE = new Set(['askOpen', 'askHigh', 'askLow']);

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
      { name: 'tick-qty', cell: (row) => row['tickQty'], align: 'right' },
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

export function gapRows(
  gaps: readonly CandleGap[],
  { symbol, period }: { readonly symbol: string; readonly period: Period },
): readonly GapRow[] {
  return gaps.map(({ from, to, candles }) => ({
    symbol,
    period: period.name,
    from: timeText(from),
    to: timeText(to),
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

interface CandleFileReport {
  readonly file: string;
  readonly symbol: string;
  readonly offerId: string;
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
    { name: 'offer-id', cell: ({ offerId }) => offerId },
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
  readonly gaps: readonly CandleGap[];
}

/** The closing prices, one line with a break at each gap. The value is the rows. */
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

export function candlePicture(rows: readonly CandleRow[], drawing: CandleDrawing): ChartPicture {
  const { symbol, price, label, period, gaps, width, height, ascii } = drawing;
  const breaks = new Map(gaps.map((gap) => [labelled(gap.to, label, period), labelled(gap.from, label, period)]));
  const at: number[] = [];
  const values: (number | null)[] = [];
  for (const row of rows) {
    const time = Date.parse(row.time);
    const since = breaks.get(time);
    if (since !== undefined && at.length > 0) {
      at.push(since);
      values.push(null);
    }
    at.push(time);
    values.push(Number(row['close']));
  }
  const from = at[0] ?? 0;
  const to = (at.at(-1) ?? 0) + period.ms;
  const title = `${symbol} ${period.name}: ${price} close`;
  const series = [{ name: 'close', at, values, until: to }];
  return { title, series, from, to, facts: facts(rows), width, height, ascii };
}

function facts(rows: readonly CandleRow[]): ChartFacts {
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
  const row = { series: 'close', open, close, change: `${change > 0 ? '+' : ''}${change.toFixed(2)}%`, low, high };
  const names = ['series', 'open', 'close', 'change', 'low', 'high'] as const;
  return {
    columns: names.map(
      (name): Column<typeof row> => ({
        name,
        cell: (it) => it[name],
        ...(name === 'series' ? {} : { align: 'right' }),
      }),
    ),
    rows: [row],
  };
}
