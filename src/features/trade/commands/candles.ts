import { CHART_FLAGS, checkSvg, drawn } from '../../../cli/chart-flags.ts';
import { listCommand, type RunContext } from '../../../cli/command.ts';
import type { Instant } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { type AnyOutput, RowBatches } from '../../../output/types.ts';
import { candleTarget, checkSameRequest, writeCandles } from '../candle-file.ts';
import { candleRange, type OpenReading, openReading, rangeTexts } from '../candle-options.ts';
import { timeText } from '../candle-reader.ts';
import { candleRow, type RowShape } from '../candle-rows.ts';
import { checkLabel } from '../candle-series.ts';
import { CANDLE_FILE, candleChart, candleList, candlePicture, GAP_LIST, gapRows, usualChart } from '../candles.ts';
import { findPeriod } from '../periods.ts';
import { SESSION_FLAGS, SYMBOL_ARGUMENT } from '../trading-session.ts';

export const tradeCandles = listCommand({
  id: 'trade candles',
  summary: 'Read candles, to the screen or a file',
  description:
    'Periods: m1 m5 m15 m30 H1 H2 H3 H4 H6 H8 D1 W1 M1 (m1 is a minute, M1 a month). Long ranges take several requests. Unfinished candles are omitted; a part that cannot be read is omitted with a notice and exit status 10.',
  details:
    'Each request is within the limits of its period (10,000 candles, and days by period; see svc trade limits). Duplicates are removed, a response outside the requested range is refused, and candles that are missing while forex was traded are reported; holidays are not known.\nIn JSON each candle has time, open, high, low, close (with --price both bidOpen … askClose) and tickQty. Times are as received (--label raw). On the public implementation, minutes and hours carry their start and days their end (17:00 in New York); weeks and months are not known. The path of the request and its fields num, from and to are as seen there, too.\n--out writes .csv and .ndjson step by step, each step safe on disk before the next request, with FILE.state.json beside it until the file is complete. After an interruption, the same command with --resume completes the file. A .json file, and any file with --last, is written at the end.',
  effect: 'read',
  service: 'trade',
  args: {
    symbol: SYMBOL_ARGUMENT,
    period: { help: 'm1 to M1 (case-sensitive)', required: true },
  },
  flags: {
    from: { type: 'time', bare: 'back', dates: true, group: 'Range options', help: 'Start: 2026-01-01, 30d' },
    to: { type: 'time', bare: 'back', dates: true, group: 'Range options', help: 'End, not included (default: now)' },
    last: {
      type: 'integer',
      value: 'n',
      min: 1,
      max: 1_000_000,
      group: 'Range options',
      help: 'Newest n candles, without --from (default: 100)',
    },
    price: { type: 'choice', choices: ['bid', 'ask', 'both', 'mid'], default: 'both', help: 'Prices to show' },
    label: { type: 'choice', choices: ['raw', 'start', 'end'], default: 'raw', help: 'Time that labels a candle' },
    'include-partial': { type: 'boolean', group: 'Range options', help: 'Include the unfinished candle' },
    gaps: { type: 'boolean', group: 'Gap options', help: 'List gaps instead of candles' },
    'fail-on-gap': { type: 'boolean', group: 'Gap options', help: 'Exit 1 if candles are missing' },
    chart: { type: 'boolean', help: 'Draw the closing prices' },
    ...CHART_FLAGS,
    out: {
      type: 'string',
      value: 'file',
      complete: 'files',
      group: 'File options',
      help: 'Write a .csv, .ndjson or .json file',
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
  exits: ['condition_false', 'partly_done'],
  examples: [
    { run: 'svc trade candles EUR/USD H1', why: 'Show the newest hundred' },
    { run: 'svc trade candles EUR/USD D1 --last 250 --chart', why: 'Draw a year' },
    {
      run: 'svc trade candles EUR/USD m1 --from 2025-01-01 --to 2026-01-01 --out eurusd.csv --resume',
      why: 'Start or resume a download of one year',
    },
    { run: 'svc trade candles EUR/USD m5 --from 30d --gaps --fail-on-gap', why: 'Check a month for gaps' },
  ],
  output: candleList('both'),
  outputOf,
  async run(input, ctx) {
    checkTogether(input);
    checkSvg(input);
    const period = findPeriod(input.period);
    checkLabel(input.label, period);
    const shape: RowShape = { price: shownPrice(input), label: input.label, period };
    if (input.out !== undefined) {
      const { report, reading, request } = await downloadCandles({ ...input, out: input.out }, shape, ctx);
      const code = reading.code(input.failOnGap);
      if (input.gaps) return { value: gapRows(reading.gaps.gaps, request), as: GAP_LIST, code };
      return { value: report, as: CANDLE_FILE, code };
    }
    const range = candleRange(input, period, undefined, ctx);
    const begin = () => openReading(input, { ...range, period }, ctx);
    if (input.gaps || input.chart) {
      const { reading, request } = await begin();
      const candles = [];
      for await (const batch of reading.batches()) candles.push(...batch.candles);
      reading.report();
      const code = reading.code(input.failOnGap);
      if (input.gaps) return { value: gapRows(reading.gaps.gaps, request), as: GAP_LIST, code };
      const value = candles.map((candle) => candleRow(candle, shape));
      const { width, height, ascii } = input;
      const view = {
        ...shape,
        symbol: request.symbol,
        gaps: reading.gaps.gaps,
        width,
        height,
        ascii: ascii || undefined,
      };
      const drawing = await drawn(input, candlePicture(value, view), ctx);
      if (drawing !== undefined) return { value: drawing, as: { kind: 'text' }, code };
      return { value, as: candleChart(value, view), code };
    }
    let opened: OpenReading | undefined;
    // Connects only once the output options are checked and the first row is read.
    const batches = async function* () {
      opened = await begin();
      for await (const { candles } of opened.reading.batches()) yield candles.map((candle) => candleRow(candle, shape));
      opened.reading.report();
    };
    return {
      value: new RowBatches(batches()),
      as: candleList(shape.price),
      code: () => opened?.reading.code(input.failOnGap),
    };
  },
});

interface CandlesInput {
  readonly from: Instant | undefined;
  readonly last: number | undefined;
  readonly gaps: boolean;
  readonly chart: boolean;
  readonly price: RowShape['price'];
  readonly out: string | undefined;
  readonly resume: boolean;
  readonly force: boolean;
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly ascii: boolean;
  readonly svg: string | undefined;
}

function outputOf({
  gaps,
  out,
  chart,
  price,
  svg,
}: Pick<CandlesInput, 'gaps' | 'out' | 'chart' | 'price' | 'svg'>): AnyOutput {
  if (gaps) return GAP_LIST;
  if (out !== undefined) return CANDLE_FILE;
  if (chart && svg === '-') return { kind: 'text' };
  return chart ? usualChart(price) : candleList(price);
}

/** A chart has one line. */
function shownPrice({ chart, price }: Pick<CandlesInput, 'chart' | 'price'>): RowShape['price'] {
  return chart && price === 'both' ? 'mid' : price;
}

function checkTogether(input: CandlesInput): void {
  const { from, last, gaps, chart, out, resume, force, svg } = input;
  const clash = (one: string, other: string): never => {
    throw new SvcError('usage', `${one} and ${other} cannot be combined`);
  };
  if (from !== undefined && last !== undefined) clash('--from', '--last');
  if (gaps && chart) clash('--gaps', '--chart');
  if (chart && out !== undefined) clash('--chart', '--out');
  const drawing = (['width', 'height', 'ascii', 'svg'] as const).find((name) => input[name]);
  if (drawing !== undefined && !chart) throw new SvcError('usage', `--${drawing} needs --chart`);
  if ((resume || (force && svg === undefined)) && out === undefined) {
    throw new SvcError('usage', resume ? '--resume needs --out' : '--force needs --out or --svg');
  }
  if (resume && force) clash('--resume', '--force');
}

function checkOfferId(text: string): void {
  if (!/^\d{1,18}$/.test(text)) throw new SvcError('invalid_value', `${text} is not an offer id: expected a number`);
}

type DownloadInput = Parameters<typeof openReading>[0] & {
  readonly out: string;
  readonly force: boolean;
  readonly resume: boolean;
};

async function downloadCandles(input: DownloadInput, shape: RowShape, ctx: RunContext) {
  const { out, force, resume } = input;
  const { period, price, label } = shape;
  const target = candleTarget({ path: out, force, resume, fromBeginning: input.from !== undefined });
  const range = candleRange(input, period, target.begun, ctx);
  const settled = {
    host: ctx.target.baseUrl.href,
    period: period.name,
    price,
    label,
    includePartial: range.includePartial,
    ...rangeTexts(range),
  };
  // Fails before anything is requested.
  checkSameRequest(target, settled);
  const { reading, request } = await openReading(input, { ...range, period }, ctx, target);
  const { symbol, offerId } = request;
  const begin = { request: { ...settled, symbol, offerId }, begunAt: range.now };
  const candles = await writeCandles(reading, target, shape, begin, ctx);
  reading.report();
  const { gaps, missing } = reading.gaps;
  const time = (seconds: number | undefined) => (seconds === undefined ? null : timeText(seconds));
  const report = {
    file: out,
    symbol,
    offerId,
    period: period.name,
    complete: !reading.isPartial,
    candles,
    first: time(reading.first),
    last: time(reading.last),
    // Trading hours are only known for forex.
    gaps: request.isForex ? gaps.length : null,
    missing: request.isForex ? missing : null,
  };
  return { reading, request, report };
}
