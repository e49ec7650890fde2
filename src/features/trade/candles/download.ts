/** `trade candles --out`, and what is reported of a file. */
import type { RunContext } from '../../../cli/command.ts';
import type { CandleFileReport } from './candles.ts';
import { candleTarget, checkSameRequest, writeCandles } from './file.ts';
import { candleRange, type OpenReading, openReading, rangeTexts } from './options.ts';
import { timeText } from './reader.ts';
import type { CandleSession } from './reading.ts';
import type { RowShape } from './rows.ts';

type DownloadInput = Parameters<typeof openReading>[0] & {
  readonly out: string;
  readonly force: boolean;
  readonly resume: boolean;
};

/** Writes a new file, or completes an interrupted one. */
export async function downloadCandles(
  input: DownloadInput,
  shape: RowShape,
  session: CandleSession,
  ctx: RunContext,
): Promise<WrittenFile> {
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
  const { reading, request } = await openReading(input, { ...range, period }, session, ctx, target);
  const { symbol, offerId } = request;
  const begin = { request: { ...settled, symbol, offerId }, begunAt: range.now };
  const candles = await writeCandles(reading, target, shape, begin, ctx);
  reading.report();
  const time = (seconds: number | undefined) => (seconds === undefined ? null : timeText(seconds));
  const [first, last] = [time(reading.first), time(reading.last)];
  return { reading, request, report: reportOf(out, { candles, first, last }, { reading, request }) };
}

export interface WrittenFile extends OpenReading {
  readonly report: CandleFileReport;
}

/** The part of a report that `--append` shares. */
export function reportOf(
  file: string,
  { first = null, last = null, ...counts }: Partial<Pick<CandleFileReport, 'candles' | 'added' | 'first' | 'last'>>,
  { reading, request }: OpenReading,
): CandleFileReport {
  const { gaps, missing } = reading.gaps;
  const { symbol, offerId, period, isForex } = request;
  return {
    file,
    symbol,
    offerId,
    period: period.name,
    complete: !reading.isPartial,
    ...counts,
    first,
    last,
    // Trading hours are only known for forex.
    gaps: isForex ? gaps.length : null,
    missing: isForex ? missing : null,
  };
}
