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
import { SESSION_FLAGS } from '../trading-session.ts';

export const tradeCandles = listCommand({
  id: 'trade candles',
  summary: 'Read candles of any period and stretch of time, to the screen or a file',
  description:
    'Periods are m1 m5 m15 m30 H1 H2 H3 H4 H6 H8 D1 W1 M1; m1 is a minute and M1 a month. A range of any length is asked for in as many requests as the limits take (10,000 candles, and days by period). Doubles are removed, the candle that is not over is left out, and candles that are missing while forex was traded are told; holidays are not known. What answers to another range than the one asked for is refused. A part that cannot be read is left out and told, with exit status 10.\nIn JSON each candle has time, open, high, low, close (with --price both bidOpen … askClose) and tickQty. Times are as the gateway gives them (--label raw): as seen on the public implementation those of minutes and hours are when a candle starts, that of a day is when it ends (17:00 in New York); of weeks and months it is not known. The path of the request and its fields num, from and to are not in the interface document, either: they are as seen there.\n--out writes .csv or .ndjson piece by piece, each safe on disk before the next is asked for, with FILE.state.json beside it until all is there: after whatever ended it, the same command with --resume goes on, and the file is in the end as if nothing had happened. A .json file, and with --last any file, is written whole at the end. -o json then tells of the file.',
  effect: 'read',
  service: 'trade',
  args: {
    symbol: { help: 'As EUR/USD; eurusd is understood, too', required: true, complete: 'symbols' },
    period: { help: 'm1 to M1; upper and lower case differ', required: true },
  },
  flags: {
    from: { type: 'time', bare: 'back', dates: true, help: 'From the oldest one: 2026-01-01, 30d' },
    to: { type: 'time', bare: 'back', dates: true, help: 'Candles before this time (default now)' },
    last: {
      type: 'integer',
      value: 'n',
      min: 1,
      max: 1_000_000,
      help: 'Instead of --from: the newest n (default 100)',
    },
    price: { type: 'choice', choices: ['bid', 'ask', 'both', 'mid'], default: 'both', help: 'Which prices' },
    label: { type: 'choice', choices: ['raw', 'start', 'end'], default: 'raw', help: 'Which time a candle carries' },
    'include-partial': { type: 'boolean', help: 'With the candle that is not over yet' },
    gaps: { type: 'boolean', help: 'List the gaps instead of the candles' },
    'fail-on-gap': { type: 'boolean', help: 'Exit status 1 where candles are missing' },
    chart: { type: 'boolean', help: 'Draw where they close (of both sides the middle)' },
    ...CHART_FLAGS,
    out: { type: 'string', value: 'file', complete: 'files', help: 'Write them to a .csv, .ndjson or .json file' },
    resume: { type: 'boolean', help: 'With --out: go on with a file that was begun' },
    force: { type: 'boolean', help: 'With --out or --svg: replace the file if it is there' },
    'offer-id': {
      type: 'string',
      value: 'id',
      check: checkOfferId,
      help: 'Its id at this host, so that it is not looked up',
    },
    ...SESSION_FLAGS,
  },
  exits: ['condition_false', 'partly_done'],
  examples: [
    { run: 'svc trade candles EUR/USD H1', why: 'The newest hundred' },
    { run: 'svc trade candles EUR/USD D1 --last 250 --chart', why: 'A year as a chart' },
    { run: 'svc trade candles EUR/USD H1 --from 7d --chart --svg week.svg', why: 'A week, for a report' },
    {
      run: 'svc trade candles EUR/USD m1 --from 2025-01-01 --to 2026-01-01 --out eurusd.csv --resume',
      why: 'A year of minutes, begun or gone on with',
    },
    { run: 'svc trade candles EUR/USD m5 --from 30d --gaps --fail-on-gap', why: 'Check a month for holes' },
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
      reading.tell();
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
    // Connects when the first row is wanted, and not before it is known that rows can be printed so.
    const batches = async function* () {
      opened = await begin();
      for await (const { candles } of opened.reading.batches()) yield candles.map((candle) => candleRow(candle, shape));
      opened.reading.tell();
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

/** One line is drawn. */
function shownPrice({ chart, price }: Pick<CandlesInput, 'chart' | 'price'>): RowShape['price'] {
  return chart && price === 'both' ? 'mid' : price;
}

function checkTogether(input: CandlesInput): void {
  const { from, last, gaps, chart, out, resume, force, svg } = input;
  const clash = (one: string, other: string): never => {
    throw new SvcError('usage', `${one} and ${other} do not go together`);
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
  if (!/^\d{1,18}$/.test(text)) throw new SvcError('invalid_value', `${text} is no id of an offer: it is a number`);
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
  const kept = {
    host: ctx.target.baseUrl.href,
    period: period.name,
    price,
    label,
    includePartial: range.includePartial,
    ...rangeTexts(range),
  };
  // What can be told to differ without asking anybody.
  checkSameRequest(target, kept);
  const { reading, request } = await openReading(input, { ...range, period }, ctx, target);
  const { symbol, offerId } = request;
  const begin = { request: { ...kept, symbol, offerId }, begunAt: range.now };
  const candles = await writeCandles(reading, target, shape, begin, ctx);
  reading.tell();
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
    // Of what is no forex it is not known.
    gaps: request.isForex ? gaps.length : null,
    missing: request.isForex ? missing : null,
  };
  return { reading, request, report };
}
