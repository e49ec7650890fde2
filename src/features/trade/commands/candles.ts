import { CHART_FLAGS, checkSvg, drawn } from '../../../cli/chart-flags.ts';
import { type Answer, listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { type AnyOutput, RowBatches } from '../../../output/types.ts';
import type { ChangedRow } from '../candles/append.ts';
import {
  CANDLE_FILE,
  CANDLE_FILES,
  type CandleFileReport,
  candleChart,
  candleList,
  candlePicture,
  GAP_LIST,
  type GapRow,
  gapRows,
  usualChart,
} from '../candles/candles.ts';
import { downloadCandles, reportOf } from '../candles/download.ts';
import { type CandleInput, candleRange, type OpenReading } from '../candles/options.ts';
import { findPeriod } from '../candles/periods.ts';
import type { CandleRequest } from '../candles/reading.ts';
import { type CandleRow, candleRow, type RowShape } from '../candles/rows.ts';
import { checkLabel } from '../candles/series.ts';
import { type CandleSet, CandleSets, candleSets, pathOf } from '../candles/sets.ts';
import { SESSION_FLAGS, SYMBOL_ARGUMENT, type TradingOptions } from '../gateway/trading-session.ts';
import type { Candle } from '../schema.ts';

const CHART = 'Chart options';
const AS_ARGUMENT = { hint: 'the period follows the symbol: svc trade candles EUR/USD H1' };

export const tradeCandles = listCommand({
  id: 'trade candles',
  foreignOptions: { '--period': AS_ARGUMENT, '--timeframe': AS_ARGUMENT, '--interval': AS_ARGUMENT },
  summary: 'Show candles, or write them to a file',
  details:
    'Long ranges take several requests. Unfinished candles are omitted; a part that cannot be read is omitted with a notice and exit status 10. m1 is a minute, M1 a month.\nEach request is within the limits of its period (10,000 candles, and days by period; see svc trade limits). Duplicates are removed, a response outside the requested range is refused, and candles that are missing while forex was traded are reported; holidays are not known.\nIn JSON each candle has time, open, high, low, close (with --price both bidOpen … askClose) and tickQty. Times are as received (--label raw). On the public implementation, minutes and hours carry their start and days their end (17:00 in New York); weeks and months are not known. The path of the request and its fields num, from and to are as seen there, too.\n--out writes .csv and .ndjson step by step, each step safe on disk before the next request, with FILE.state.json beside it until the file is complete. After an interruption, the same command with --resume completes the file. A .json file, and any file with --last, is written at the end.\n--append reads a finished .csv or .ndjson file from its last row on. If the gateway still returns this row, what follows it is added: a copy of the file with the new rows takes the place of the old one, so that a kill leaves one or the other. If it returns other values, or none, nothing is added, both rows are printed, and the exit status is 3. Give the --price and --label with which the file was written.\nSymbols and periods may be several, separated by commas: rows then have symbol and period, and --out and --append need a name such as {symbol}-{period}.csv. One that fails is reported, and the others are read (exit 10).\n--chart draws each candle from its low to its high, with a body from open to close: hollow if the price rose, filled if it fell. If there are more candles than columns, several are drawn as one, and the line below says how many. Times without candles stay empty. The price is the mid unless --price is given.',
  effect: 'read',
  service: 'trade',
  args: {
    symbol: { ...SYMBOL_ARGUMENT, help: 'Symbol, or several: EUR/USD,USD/JPY' },
    period: { help: 'm1 m5 m15 m30 H1 H2 H3 H4 H6 H8 D1 W1 M1, or several: H1,D1', required: true },
  },
  flags: {
    from: { type: 'time', bare: 'back', dates: true, help: 'Start: 2026-01-01, 30d' },
    to: { type: 'time', bare: 'back', dates: true, help: 'End, not included (default: now)' },
    last: {
      type: 'integer',
      value: 'n',
      min: 1,
      max: 1_000_000,
      help: 'Newest n candles, without --from (default: 100)',
    },
    'include-partial': { type: 'boolean', help: 'Include the unfinished candle' },
    price: { type: 'choice', choices: ['bid', 'ask', 'both', 'mid'], default: 'both', help: 'Prices to show' },
    label: { type: 'choice', choices: ['raw', 'start', 'end'], default: 'raw', help: 'Time of a candle' },
    gaps: { type: 'boolean', help: 'List gaps instead of candles' },
    'fail-on-gap': { type: 'boolean', help: 'Exit 1 if candles are missing' },
    chart: { type: 'boolean', group: CHART, help: 'Draw candlesticks' },
    line: { type: 'boolean', group: CHART, help: 'Draw only the closing prices' },
    width: { ...CHART_FLAGS.width, group: CHART },
    height: { ...CHART_FLAGS.height, group: CHART },
    ascii: { ...CHART_FLAGS.ascii, group: CHART },
    svg: { ...CHART_FLAGS.svg, group: CHART },
    out: {
      type: 'string',
      value: 'file',
      complete: 'files',
      group: 'File options',
      help: 'Write a .csv, .ndjson or .json file',
    },
    append: {
      type: 'string',
      value: 'file',
      complete: 'files',
      group: 'File options',
      help: 'Add new candles to a finished file',
    },
    resume: { type: 'boolean', group: 'File options', help: 'Complete an interrupted --out file' },
    force: { type: 'boolean', group: 'File options', help: 'Replace an existing --out or --svg file' },
    'offer-id': {
      type: 'string',
      value: 'id',
      check: checkOfferId,
      group: 'Session options',
      help: 'Offer id of the symbol at this host',
    },
    ...SESSION_FLAGS,
  },
  exits: ['condition_false', 'partly_done', 'guarded'],
  examples: [
    { run: 'svc trade candles EUR/USD H1', why: 'Show the newest hundred' },
    {
      run: 'svc trade candles EUR/USD m1 --from 2025-01-01 --to 2026-01-01 --out eurusd.csv --resume',
      why: 'Start or resume a download of one year',
    },
  ],
  output: candleList('both'),
  outputOf,
  async run(input, ctx) {
    checkTogether(input);
    checkSvg(input);
    const sets = candleSets(input);
    for (const { period } of sets) checkLabel(input.label, period);
    const several = sets.length > 1;
    checkSeveral(input, sets);
    const shapeOf = ({ period }: Pick<CandleSet, 'period'>): RowShape => ({
      price: shownPrice(input),
      label: input.label,
      period,
    });
    const all = new CandleSets(sets, input, ctx);
    if (input.out !== undefined || input.append !== undefined) return writeFiles(input, { all, sets, shapeOf }, ctx);
    for (const set of sets) candleRange({ ...input, ...set }, set.period, undefined, ctx);
    if (input.gaps) {
      const rows: GapRow[] = [];
      for await (const _ of all.batches(input, (opened) => rows.push(...gapRowsOf(opened))));
      return { value: rows, as: GAP_LIST, code: all.code() };
    }
    if (input.chart) return chartOf(input, { all, shapeOf }, ctx);
    const batches = async function* () {
      for await (const { opened, candles } of all.batches(input)) {
        const { symbol, period } = opened.request;
        const named = several ? { symbol, period: period.name } : {};
        yield candles.map((candle): CandleRow => ({ ...named, ...candleRow(candle, shapeOf({ period })) }));
      }
    };
    // Connects only once the output options are checked and the first row is read.
    const as = candleList(shownPrice(input), several);
    return { value: new RowBatches(batches()), as, code: () => all.code() };
  },
});

interface Reading {
  readonly all: CandleSets;
  readonly shapeOf: (set: Pick<CandleSet, 'period'>) => RowShape;
}

async function chartOf(input: CandlesInput, { all, shapeOf }: Reading, ctx: RunContext): Promise<Answer<never>> {
  const candles: Candle[] = [];
  let request: CandleRequest | undefined;
  for await (const batch of all.batches(input)) {
    candles.push(...batch.candles);
    ({ request } = batch.opened);
  }
  const { symbol, period } = request ?? { symbol: input.symbol, period: findPeriod(input.period) };
  const shape = shapeOf({ period });
  const value = candles.map((candle) => candleRow(candle, shape));
  const { line, width, height, ascii } = input;
  const view = { ...shape, symbol, line, width, height, ascii: ascii || undefined };
  const drawing = await drawn(input, candlePicture(value, view), ctx);
  const code = all.code();
  if (drawing !== undefined) return { value: drawing, as: { kind: 'text' }, code };
  return { value, as: candleChart(value, view), code };
}

/** One file after the other. */
async function writeFiles(
  input: CandlesInput,
  { all, sets, shapeOf }: Reading & { readonly sets: readonly CandleSet[] },
  ctx: RunContext,
): Promise<Answer<never>> {
  const { append, out = '' } = input;
  const option = append === undefined ? '--out' : '--append';
  const paths = new Map(sets.map((set) => [set, pathOf(option, append ?? out, set, sets)]));
  const reports: CandleFileReport[] = [];
  const changed: ChangedRow[] = [];
  const gaps: GapRow[] = [];
  const work = all.each(async function* (set) {
    const path = paths.get(set) ?? '';
    const one = { ...input, ...set };
    if (append === undefined) {
      const { report, ...opened } = await downloadCandles({ ...one, out: path }, shapeOf(set), all.session, ctx);
      reports.push(report);
      gaps.push(...gapRowsOf(opened));
      all.note(opened.reading.code(input.failOnGap));
    } else {
      const { appendCandles } = await import('../candles/append.ts');
      const { added, first, last, ...opened } = await appendCandles(path, one, shapeOf(set), all.session, ctx);
      changed.push(...opened.changed);
      gaps.push(...gapRowsOf(opened));
      if (opened.changed.length > 0) all.note('guarded');
      else {
        reports.push(reportOf(path, { added, first: first ?? null, last: last ?? null }, opened));
        all.note(opened.reading.code(input.failOnGap));
      }
    }
    yield;
  });
  for await (const _ of work);
  if (changed.length > 0) {
    for (const { file, added } of reports) ctx.notice(`${file}: added ${added}`);
    if (reports.length > 0) all.note('partly_done');
    const { changedList } = await import('../candles/append.ts');
    return { value: changed, as: changedList(input.price), code: all.code() };
  }
  if (input.gaps) return { value: gaps, as: GAP_LIST, code: all.code() };
  if (sets.length > 1) return { value: reports, as: CANDLE_FILES, code: all.code() };
  return { value: reports[0], as: CANDLE_FILE, code: all.code() };
}

function gapRowsOf({ reading, request }: OpenReading): readonly GapRow[] {
  return gapRows(reading.gaps.gaps, request);
}

interface CandlesInput extends CandleInput, TradingOptions {
  readonly period: string;
  readonly label: RowShape['label'];
  readonly gaps: boolean;
  readonly failOnGap: boolean;
  readonly chart: boolean;
  readonly line: boolean;
  readonly price: RowShape['price'];
  readonly out: string | undefined;
  readonly append: string | undefined;
  readonly resume: boolean;
  readonly force: boolean;
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly ascii: boolean;
  readonly svg: string | undefined;
}

function outputOf(
  input: Pick<CandlesInput, 'symbol' | 'period' | 'gaps' | 'out' | 'append' | 'chart' | 'price' | 'svg'>,
): AnyOutput {
  const { symbol, period, gaps, out, append, chart, price, svg } = input;
  const several = `${symbol} ${period}`.includes(',');
  if (gaps) return GAP_LIST;
  if (out !== undefined || append !== undefined) return several ? CANDLE_FILES : CANDLE_FILE;
  if (chart && svg === '-') return { kind: 'text' };
  return chart ? usualChart(price) : candleList(price, several);
}

/** A chart has one price. */
function shownPrice({ chart, price }: Pick<CandlesInput, 'chart' | 'price'>): RowShape['price'] {
  return chart && price === 'both' ? 'mid' : price;
}

function checkTogether(input: CandlesInput): void {
  const { from, last, gaps, chart, out, append, resume, force, svg, includePartial } = input;
  const clash = (one: string, other: string): never => {
    throw new SvcError('usage', `${one} and ${other} cannot be combined`);
  };
  if (from !== undefined && last !== undefined) clash('--from', '--last');
  if (gaps && chart) clash('--gaps', '--chart');
  if (chart && out !== undefined) clash('--chart', '--out');
  if (append !== undefined) {
    const others = { from, last, chart, out, resume, force, 'include-partial': includePartial };
    const other = Object.entries(others).find(([, value]) => value !== undefined && value !== false)?.[0];
    if (other !== undefined) clash('--append', `--${other}`);
  }
  const drawing = (['line', 'width', 'height', 'ascii', 'svg'] as const).find((name) => input[name]);
  if (drawing !== undefined && !chart) throw new SvcError('usage', `--${drawing} needs --chart`);
  if ((resume || (force && svg === undefined)) && out === undefined) {
    throw new SvcError('usage', resume ? '--resume needs --out' : '--force needs --out or --svg');
  }
  if (resume && force) clash('--resume', '--force');
}

function checkSeveral({ chart, offerId, symbol }: CandlesInput, sets: readonly CandleSet[]): void {
  if (sets.length === 1) return;
  if (chart) throw new SvcError('usage', '--chart draws one symbol and one period');
  if (offerId !== undefined && symbol.includes(',')) throw new SvcError('usage', '--offer-id is of one symbol');
}

function checkOfferId(text: string): void {
  if (!/^\d{1,18}$/.test(text)) throw new SvcError('invalid_value', `${text} is not an offer id: expected a number`);
}
