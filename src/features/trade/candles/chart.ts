/** Candles as a chart. */
import type { ChartCandle, ChartFacts, ChartOutput, ChartPicture, Column } from '../../../output/types.ts';
import { type Period, spanOf } from './plan.ts';
import { type CandleRow, candleList, type RowShape } from './rows.ts';

const NO_FACTS: ChartFacts = { columns: [], rows: [] };
const EMPTY: ChartPicture = { title: '', series: [], from: 0, to: 0, facts: NO_FACTS };

/** The value is the rows. */
export function candleChart(price: RowShape['price'], picture = EMPTY): ChartOutput<readonly CandleRow[], CandleRow> {
  return { kind: 'chart', chart: () => picture, rows: (value) => value, list: candleList(price) };
}

interface ChartInput extends RowShape, Pick<ChartPicture, 'width' | 'height'> {
  readonly symbol: string;
  readonly period: Period;
  readonly ascii: boolean;
}

/** Times without candles stay empty: weekends as well as missing ones. */
export function drawCandles(rows: readonly CandleRow[], input: ChartInput): ChartPicture {
  const { symbol, price, period, zone, width, height } = input;
  const list = rows.map((row): ChartCandle => {
    const [at, until] = spanOf(Date.parse(row.time), period);
    const [open = 0, high = 0, low = 0, close = 0] = ['open', 'high', 'low', 'close'].map((name) => Number(row[name]));
    return { at, until, open, high, low, close };
  });
  const from = list[0]?.at ?? 0;
  const to = list.at(-1)?.until ?? 0;
  return {
    title: `${symbol} ${period.name}: ${price}`,
    series: [],
    candles: { periodMs: period.ms, list },
    from,
    to,
    zone,
    facts: factsOf(rows, symbol),
    width,
    height,
    // Otherwise the locale decides.
    ascii: input.ascii || undefined,
  };
}

function factsOf(rows: readonly CandleRow[], symbol: string): ChartFacts {
  const [first] = rows;
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return NO_FACTS;
  const [open, close] = [Number(first['open']), Number(last['close'])];
  const change = ((close - open) / open) * 100;
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const row of rows) {
    low = Math.min(low, Number(row['low']));
    high = Math.max(high, Number(row['high']));
  }
  const row = { symbol, open, close, change: `${change > 0 ? '+' : ''}${change.toFixed(2)}%`, low, high };
  const numbers = (['open', 'close', 'change', 'low', 'high'] as const).map(
    (name): Column<typeof row> => ({ name, cell: (facts) => facts[name], align: 'right' }),
  );
  return { columns: [{ name: 'symbol', cell: (facts: typeof row) => facts.symbol }, ...numbers], rows: [row] };
}
