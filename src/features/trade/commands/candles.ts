import { CHART_FLAGS, checkSvg, drawn } from '../../../cli/chart-flags.ts';
import { type Answer, listCommand, type RunContext } from '../../../cli/command.ts';
import { TZ_FLAG } from '../../../cli/common-flags.ts';
import type { Instant } from '../../../cli/flags.ts';
import { UTC, zoneOf } from '../../../cli/time.ts';
import { SvcError } from '../../../errors.ts';
import { type AnyOutput, RowBatches } from '../../../output/types.ts';
import {
  CANDLE_FILE,
  candleChart,
  candleList,
  candlePicture,
  GAP_LIST,
  gapRows,
  usualChart,
} from '../candles/candles.ts';
import { downloadCandles } from '../candles/file.ts';
import {
  type CandleInput,
  type CandleRange,
  type CandleReading,
  candleRange,
  openReading,
} from '../candles/reading.ts';
import { candleRow, type RowShape } from '../candles/rows.ts';
import { checkLabel, findPeriod } from '../candles/series.ts';
import { SYMBOL_ARGUMENT } from '../gateway/trading-session.ts';
import type { Candle } from '../schema.ts';

const CHART = 'Chart options';

export const tradeCandles = listCommand({
  id: 'trade candles',
  summary: 'Show candles, or write them to a file',
  details:
    'Long ranges take several requests. Unfinished candles are omitted; a part that cannot be read is omitted with a notice and exit status 10. m1 is a minute, M1 a month.\nEach request is within the limits of its period (10,000 candles, and days by period; see svc trade limits). Duplicates are removed, a response outside the requested range is refused, and candles that are missing while forex was traded are reported; holidays are not known.\nIn JSON each candle has time, open, high, low, close (with --price both bid_open … ask_close) and tick_qty. Times are as received (--label raw), in UTC or the zone of --tz; a date or a time without a zone is local, or of --tz. On the public implementation, minutes and hours carry their start and days their end (17:00 in New York); weeks and months are not known. The path of the request and its fields num, from and to are as seen there, too.\n--out writes .csv and .ndjson step by step, each step safe on disk before the next request, with FILE.state.json beside it until the file is complete. After an interruption, the same command with --resume completes the file. A .json file, and any file with --last, is written at the end.\n--chart draws each candle from its low to its high, with a body from open to close: hollow if the price rose, filled if it fell. If there are more candles than columns, several are drawn as one, and the line below says how many. Times without candles stay empty. The price is the mid unless --price is given.',
  effect: 'read',
  service: 'trade',
  args: {
    symbol: SYMBOL_ARGUMENT,
    period: { help: 'm1 m5 m15 m30 H1 H2 H3 H4 H6 H8 D1 W1 M1', required: true },
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
    tz: { ...TZ_FLAG, help: 'Zone of times (default local; of printed ones UTC)' },
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
    resume: { type: 'boolean', group: 'File options', help: 'Complete an interrupted --out file' },
    force: { type: 'boolean', group: 'File options', help: 'Replace an existing --out or --svg file' },
  },
  exits: ['condition_false', 'partly_done'],
  examples: [
    { run: 'svc trade candles EUR/USD H1', why: 'Show the newest hundred' },
    {
      run: 'svc trade candles EUR/USD m1 --from 2025-01-01 --to 2026-01-01 --out eurusd.csv --resume',
      why: 'Start or resume a download of one year',
    },
  ],
  output: candleList('both'),
  outputOf,
  async run(typed, ctx) {
    const input = { ...typed, from: inZone('from', typed, ctx), to: inZone('to', typed, ctx) };
    checkTogether(input);
    checkSvg(input);
    const period = findPeriod(input.period);
    checkLabel(input.label, period);
    const zone = input.tz === undefined ? undefined : zoneOf(input.tz);
    const shape: RowShape = { price: shownPrice(input), label: input.label, period, zone };
    if (input.out !== undefined) return writeFile({ ...input, out: input.out }, shape, ctx);
    const range = candleRange(input, period, undefined, ctx);
    if (input.chart) return drawChart(input, shape, range, ctx);
    if (input.gaps) {
      const { reading } = await readAll(input, shape, range, ctx);
      return { value: gapRows(reading, shape), as: GAP_LIST, code: reading.code(input.failOnGap) };
    }
    let reading: CandleReading | undefined;
    // Connects only once the output options are checked and the first row is read.
    const batches = async function* () {
      reading = await openReading(input, { ...range, period }, ctx);
      try {
        for await (const { candles } of reading.batches()) yield candles.map((candle) => candleRow(candle, shape));
        reading.report();
      } finally {
        await reading.close();
      }
    };
    return {
      value: new RowBatches(batches()),
      as: candleList(shape.price),
      code: () => reading?.code(input.failOnGap),
    };
  },
});

/** A date is the start of that day in the zone. */
function inZone(
  name: 'from' | 'to',
  { tz = 'local', ...input }: Pick<CandlesInput, 'from' | 'to' | 'tz'>,
  ctx: RunContext,
): Instant | undefined {
  const given = input[name];
  if (!given?.date) return given;
  const zone = zoneOf(tz);
  const ms = zone.instant(given.ms);
  const iso = new Date(ms).toISOString();
  if (zone !== UTC) ctx.notice(`--${name} ${given.iso.slice(0, 10)} in ${zone.name} is ${iso}`);
  return { ...given, ms, iso };
}

async function readAll(
  input: CandlesInput,
  { period }: RowShape,
  range: CandleRange,
  ctx: RunContext,
): Promise<{ readonly reading: CandleReading; readonly candles: readonly Candle[] }> {
  const reading = await openReading(input, { ...range, period }, ctx);
  try {
    const candles: Candle[] = [];
    for await (const batch of reading.batches()) candles.push(...batch.candles);
    reading.report();
    return { reading, candles };
  } finally {
    await reading.close();
  }
}

async function drawChart(
  input: CandlesInput,
  shape: RowShape,
  range: CandleRange,
  ctx: RunContext,
): Promise<Answer<never>> {
  const { reading, candles } = await readAll(input, shape, range, ctx);
  const value = candles.map((candle) => candleRow(candle, shape));
  const { line, width, height, ascii } = input;
  const view = { ...shape, symbol: reading.request.symbol, line, width, height, ascii: ascii || undefined };
  const drawing = await drawn(input, candlePicture(value, view), ctx);
  const code = reading.code(input.failOnGap);
  if (drawing !== undefined) return { value: drawing, as: { kind: 'text' }, code };
  return { value, as: candleChart(value, view), code };
}

async function writeFile(
  input: CandlesInput & { readonly out: string },
  shape: RowShape,
  ctx: RunContext,
): Promise<Answer<never>> {
  const { reading, report } = await downloadCandles(input, shape, ctx);
  const code = reading.code(input.failOnGap);
  if (input.gaps) return { value: gapRows(reading, shape), as: GAP_LIST, code };
  return { value: report, as: CANDLE_FILE, code };
}

interface CandlesInput extends CandleInput {
  readonly period: string;
  readonly label: RowShape['label'];
  readonly tz: string | undefined;
  readonly gaps: boolean;
  readonly failOnGap: boolean;
  readonly chart: boolean;
  readonly line: boolean;
  readonly price: RowShape['price'];
  readonly out: string | undefined;
  readonly resume: boolean;
  readonly force: boolean;
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly ascii: boolean;
  readonly svg: string | undefined;
}

function outputOf(input: Pick<CandlesInput, 'gaps' | 'out' | 'chart' | 'price' | 'svg'>): AnyOutput {
  const { gaps, out, chart, price, svg } = input;
  if (gaps) return GAP_LIST;
  if (out !== undefined) return CANDLE_FILE;
  if (chart && svg === '-') return { kind: 'text' };
  return chart ? usualChart(price) : candleList(price);
}

/** A chart has one price. */
function shownPrice({ chart, price }: Pick<CandlesInput, 'chart' | 'price'>): RowShape['price'] {
  return chart && price === 'both' ? 'mid' : price;
}

function checkTogether(input: CandlesInput): void {
  const { from, last, gaps, chart, out, resume, force, svg } = input;
  const clashes: readonly (readonly [isGiven: boolean, one: string, other: string])[] = [
    [from !== undefined && last !== undefined, '--from', '--last'],
    [gaps && chart, '--gaps', '--chart'],
    [chart && out !== undefined, '--chart', '--out'],
    [resume && force, '--resume', '--force'],
  ];
  for (const [isGiven, one, other] of clashes) {
    if (isGiven) throw new SvcError('usage', `${one} and ${other} cannot be combined`);
  }
  const drawing = (['line', 'width', 'height', 'ascii', 'svg'] as const).find((name) => input[name]);
  if (drawing !== undefined && !chart) throw new SvcError('usage', `--${drawing} needs --chart`);
  if (resume && out === undefined) throw new SvcError('usage', '--resume needs --out');
  if (force && svg === undefined && out === undefined) throw new SvcError('usage', '--force needs --out or --svg');
}
