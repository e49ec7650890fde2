/** Reads candles into a file, and tells what the file holds then. */
import type { RunContext } from '../../cli/command.ts';
import { candleTarget, checkSameRequest, writeCandles } from './candle-file.ts';
import { timeText } from './candle-reader.ts';
import type { RowShape } from './candle-rows.ts';
import { candleRange, openReading, rangeTexts } from './candle-wish.ts';

type DownloadInput = Parameters<typeof openReading>[0] & {
  readonly out: string;
  readonly force: boolean;
  readonly resume: boolean;
};

export async function downloadCandles(input: DownloadInput, shape: RowShape, ctx: RunContext) {
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
  const { reading, wish } = await openReading(input, { ...range, period }, ctx, target);
  const { symbol, offerId } = wish;
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
    gaps: wish.isForex ? gaps.length : null,
    missing: wish.isForex ? missing : null,
  };
  return { reading, wish, report };
}
