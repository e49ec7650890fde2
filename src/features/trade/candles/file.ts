/** Writes candles to a file: step by step if it can be resumed, otherwise at the end. */
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { checkNewFile, type NewFile, outFormat, writeNewFile } from '../../../store/named-files.ts';
import { AppendedFile, type BegunFile, type Request, readBegun, statePath } from './appended-file.ts';
import type { CandleFileReport } from './candles.ts';
import { timeText } from './reader.ts';
import { type CandleReading, candleRange, openReading, type ResumePoint } from './reading.ts';
import { type CandleRow, candleRow, type RowShape, rowLines } from './rows.ts';

type CandleFormat = 'csv' | 'ndjson' | 'json';

const FORMATS: Readonly<Record<string, CandleFormat>> = {
  '.csv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
};

type DownloadInput = Parameters<typeof openReading>[0] & {
  readonly out: string;
  readonly force: boolean;
  readonly resume: boolean;
};

/** Writes a new file, or completes an interrupted one. */
export async function downloadCandles(input: DownloadInput, shape: RowShape, ctx: RunContext) {
  const { period, price, label, zone } = shape;
  const target = candleTarget(input);
  const range = candleRange(input, period, target.begun, ctx);
  const settled: Request = {
    host: ctx.target.baseUrl.href,
    period: period.name,
    price,
    label,
    includePartial: range.includePartial,
    ...(range.from === undefined ? {} : { from: timeText(range.from) }),
    to: timeText(range.to),
    ...(zone === undefined ? {} : { zone: zone.name }),
  };
  // Fails before anything is requested.
  checkSameRequest(target, settled);
  const reading = await openReading(input, { ...range, period }, ctx, target.begun);
  try {
    const { symbol, offerId } = reading.request;
    const begin = { request: { ...settled, symbol, offerId }, begunAt: range.now };
    checkSameRequest(target, begin.request);
    const isAppended = target.grows || target.begun !== undefined;
    const candles = isAppended
      ? await grow(reading, target, shape, begin, ctx)
      : await writeWhole(reading, target, shape, ctx);
    reading.report();
    return { reading, report: reportOf(input.out, candles, reading, shape) };
  } finally {
    await reading.close();
  }
}

function reportOf(file: string, candles: number, reading: CandleReading, { zone }: RowShape): CandleFileReport {
  const { gaps, missing } = reading.gaps;
  const { symbol, offerId, period, isForex } = reading.request;
  return {
    file,
    symbol,
    offer_id: offerId,
    period: period.name,
    complete: !reading.isPartial,
    candles,
    first: reading.first === undefined ? null : timeText(reading.first, zone),
    last: reading.last === undefined ? null : timeText(reading.last, zone),
    // Trading hours are only known for forex.
    gaps: isForex ? gaps.length : null,
    missing: isForex ? missing : null,
  };
}

interface CandleTarget extends NewFile {
  readonly format: CandleFormat;
  readonly grows: boolean;
  /** The interrupted file to resume. */
  readonly begun: BegunFile | undefined;
}

/** Throws before any request if the file must not be written or cannot be resumed. */
function candleTarget({ out: path, force, resume, from }: DownloadInput): CandleTarget {
  const format = outFormat(path, FORMATS, 'use .csv, .ndjson or .json');
  const grows = from !== undefined && format !== 'json';
  const file = { option: '--out', path, force, format, grows };
  if (resume && format === 'json') {
    throw new SvcError('usage', '--resume: a .json file is written at the end and cannot be resumed', {
      hint: 'use .csv or .ndjson',
    });
  }
  const begun = force && !resume ? undefined : readBegun(path);
  if (resume && begun !== undefined) return { ...file, begun };
  if (resume && from === undefined) {
    throw new SvcError('usage', `--resume: there is no interrupted file ${path}, and starting one needs --from`);
  }
  if (begun !== undefined) {
    throw new SvcError('file_unusable', `${statePath(path)} exists: ${path} is incomplete`, {
      hint: 'complete it with --resume, or start again with --force',
    });
  }
  checkNewFile(file);
  return { ...file, begun };
}

/** Throws if the file was started with other values than those of `request`. */
function checkSameRequest({ path, begun }: CandleTarget, request: Request): void {
  for (const [name, value] of Object.entries(request)) {
    const before = begun?.request[name];
    if (begun === undefined || before === value) continue;
    throw new SvcError(
      'invalid_value',
      `--resume: ${path} was started with ${name} ${before ?? 'unset'}, not ${value}`,
      {
        hint: 'repeat the first command with --resume, or start again with --force',
      },
    );
  }
}

async function grow(
  reading: CandleReading,
  { path, begun, force, format }: CandleTarget,
  shape: RowShape,
  begin: Pick<BegunFile, 'request' | 'begunAt'>,
  ctx: Pick<RunContext, 'notice'>,
): Promise<number> {
  const { header, line } = rowLines(format === 'csv' ? 'csv' : 'ndjson', shape.price);
  let file = begun === undefined ? undefined : AppendedFile.resume(path, begun, header);
  const { gaps } = reading.gaps;
  try {
    for await (const { through, candles } of reading.batches(true)) {
      // Starts the file only after the first successful response.
      file ??= AppendedFile.begin(path, begin, header, force);
      const text = candles.map((candle) => line(candleRow(candle, shape))).join('');
      const mark: ResumePoint = { through, first: reading.first, last: reading.last, gaps };
      file.commit(text, mark);
    }
    if (file === undefined) throw new SvcError('internal', 'a range without a window');
    if (!reading.isPartial) file.finish();
    return file.lines;
  } finally {
    if (file !== undefined && !file.isWhole) {
      file.close();
      ctx.notice(`${path} has ${file.lines} candles so far: repeat the command with --resume`);
    }
  }
}

async function writeWhole(
  reading: CandleReading,
  file: CandleTarget,
  shape: RowShape,
  { pid }: Pick<RunContext, 'pid'>,
): Promise<number> {
  const rows: CandleRow[] = [];
  for await (const { candles } of reading.batches()) {
    for (const candle of candles) rows.push(candleRow(candle, shape));
  }
  const { format } = file;
  if (format === 'json') writeNewFile(file, `${JSON.stringify(rows, null, 2)}\n`, pid);
  else {
    const { header, line } = rowLines(format, shape.price);
    writeNewFile(file, header + rows.map(line).join(''), pid);
  }
  return rows.length;
}
