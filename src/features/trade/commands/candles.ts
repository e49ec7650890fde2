import { listCommand, type RunContext } from '../../../cli/command.ts';
import { TZ_FLAG } from '../../../cli/common-flags.ts';
import type { Arguments, Flags, Input, Instant } from '../../../cli/flags.ts';
import { UTC, zoneOf } from '../../../cli/time.ts';
import { SvcError } from '../../../errors.ts';
import { type AnyOutput, RowBatches } from '../../../output/types.ts';
import { type CandleBatch, downloadCandles, openSource } from '../candles/download.ts';
import { CANDLE_FILE, prepareFile, writeFile } from '../candles/file.ts';
import { Coverage, GAP_LIST, listGaps } from '../candles/gaps.ts';
import { findPeriod, NO_PROGRESS, type Period, planRange, planWindows } from '../candles/plan.ts';
import { type CandleRow, candleList, candleRow, type RowShape } from '../candles/rows.ts';
import { SYMBOL_ARGUMENT } from '../gateway/trading-session.ts';

const USUAL_LAST = 100;

const ARGS = {
  symbol: SYMBOL_ARGUMENT,
  period: { help: 'm1 m5 m15 m30 H1 H2 H3 H4 H6 H8 D1 W1 M1', required: true },
} as const satisfies Arguments;

const FLAGS = {
  since: { type: 'time', aliases: ['from'], bare: 'back', dates: true, help: 'Start: 2026-01-01, 30d' },
  until: { type: 'time', aliases: ['to'], bare: 'back', dates: true, help: 'End, not included (default: now)' },
  last: {
    type: 'integer',
    value: 'n',
    min: 1,
    max: 1_000_000,
    help: 'Newest n candles, without --since (default: 100)',
  },
  'include-partial': { type: 'boolean', help: 'Include the unfinished candle' },
  price: { type: 'choice', choices: ['bid', 'ask', 'both', 'mid'], default: 'both', help: 'Prices to show' },
  tz: { ...TZ_FLAG, help: 'Zone of times (default local; of printed ones UTC)' },
  gaps: { type: 'boolean', help: 'List gaps instead of candles' },
  'fail-on-gap': { type: 'boolean', help: 'Exit 1 if candles are missing' },
  out: {
    type: 'string',
    value: 'file',
    complete: 'files',
    group: 'File options',
    help: 'Write a .csv or .ndjson file',
  },
  resume: { type: 'boolean', group: 'File options', help: 'Complete an interrupted --out file' },
  force: { type: 'boolean', group: 'File options', help: 'Replace an existing --out file' },
} as const satisfies Flags;

type TypedInput = Input<typeof ARGS, typeof FLAGS>;

export const tradeCandles = listCommand({
  id: 'trade candles',
  summary: 'Show candles, or write them to a file',
  details:
    'Long ranges take several requests. Unfinished candles are omitted; if a request fails after others, what came before it is printed, and the exit status is 10. m1 is a minute, M1 a month.\nEach request is within the limits of its period (10,000 candles, and days by period: m1 16, m5 56, m15 212, m30 316, H1 624, H2 1224, H3 2056, H4 2664, H6 3632, H8 5128). Duplicates are removed, a response outside the requested range is refused, and candles that are missing while forex was traded are reported; holidays are not known.\nIn JSON each candle has time, open, high, low, close (with --price both bid_open … ask_close) and tick_qty. Times are as received, in UTC or the zone of --tz; a date or a time without a zone is local, or of --tz. On the public implementation, minutes and hours carry their start and days their end (17:00 in New York); weeks and months are not known. The path of the request and its fields num, from and to are as seen there, too.\n--out needs --since, and writes .csv and .ndjson step by step, each step safe on disk before the next request, with FILE.state.json beside it until the file is complete. After an interruption, the same command with --resume completes the file.',
  effect: 'read',
  service: 'trade',
  args: ARGS,
  flags: FLAGS,
  exits: ['condition_false', 'partly_done'],
  examples: [
    { run: 'svc trade candles EUR/USD H1', why: 'Show the newest hundred' },
    {
      run: 'svc trade candles EUR/USD m1 --since 2025-01-01 --until 2026-01-01 --out eurusd.csv --resume',
      why: 'Start or resume a download of one year',
    },
  ],
  output: candleList('both'),
  outputOf,
  async run(typed, ctx) {
    const input = readInput(typed, ctx);
    const target = input.out === undefined ? undefined : await prepareFile({ ...input, out: input.out }, ctx);
    const { range = planRange(input, ctx.startedAt), progress = NO_PROGRESS } = target?.begun ?? {};
    const { period, last = USUAL_LAST, includePartial } = input;
    const request = { ...range, period, last, includePartial };
    const windows = planWindows(request, progress.through);

    const source = await openSource(input, ctx);
    const coverage = new Coverage(request, source, progress);
    const batches = coverage.follow(downloadCandles(source, request, windows, ctx), ctx);

    const code = () => coverage.exitCode(input.failOnGap);
    if (target !== undefined) {
      return { value: await writeFile(target, batches, coverage, ctx), as: CANDLE_FILE, code };
    }
    if (input.gaps) return { value: await listGaps(batches, coverage, input.zone), as: GAP_LIST, code };
    return { value: new RowBatches(rowBatches(batches, input)), as: candleList(input.price), code };
  },
});

interface CandlesInput extends Omit<TypedInput, 'period'>, RowShape {
  readonly period: Period;
  readonly from: Instant | undefined;
  readonly to: Instant | undefined;
}

function readInput(typed: TypedInput, ctx: RunContext): CandlesInput {
  checkTogether(typed);
  return {
    ...typed,
    period: findPeriod(typed.period),
    from: inZone('since', typed, ctx),
    to: inZone('until', typed, ctx),
    zone: typed.tz === undefined ? UTC : zoneOf(typed.tz),
  };
}

/** A date is the start of that day in the zone. */
function inZone(
  name: 'since' | 'until',
  { tz = 'local', ...input }: Pick<TypedInput, 'since' | 'until' | 'tz'>,
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

async function* rowBatches(
  batches: AsyncIterable<CandleBatch>,
  shape: RowShape,
): AsyncGenerator<readonly CandleRow[], void, void> {
  for await (const { candles } of batches) yield candles.map((candle) => candleRow(candle, shape));
}

function outputOf({ gaps, out, price }: Pick<TypedInput, 'gaps' | 'out' | 'price'>): AnyOutput {
  if (gaps) return GAP_LIST;
  return out === undefined ? candleList(price) : CANDLE_FILE;
}

function checkTogether(input: TypedInput): void {
  const { since, last, gaps, out, resume, force } = input;
  const clashes: readonly (readonly [isGiven: boolean, one: string, other: string])[] = [
    [since !== undefined && last !== undefined, '--since', '--last'],
    [gaps && out !== undefined, '--gaps', '--out'],
    [resume && force, '--resume', '--force'],
  ];
  for (const [isGiven, one, other] of clashes) {
    if (isGiven) throw new SvcError('usage', `${one} and ${other} cannot be combined`);
  }
  if (resume && out === undefined) throw new SvcError('usage', '--resume needs --out');
  if (force && out === undefined) throw new SvcError('usage', '--force needs --out');
}
