/** Writes candles to a file: step by step if it can be resumed, otherwise at the end. */
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { AppendedFile, type BegunFile, type Request, readBegun, statePath } from '../../../store/appended-file.ts';
import { checkNewFile, type NewFile, outFormat, writeNewFile } from '../../../store/named-files.ts';
import type { CandleReading, PartRead } from './reading.ts';
import { type CandleRow, candleRow, type RowShape, rowLines } from './rows.ts';

export type CandleFormat = 'csv' | 'ndjson' | 'json';

const FORMATS: Readonly<Record<string, CandleFormat>> = {
  '.csv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
};

export interface CandleFileOptions {
  readonly path: string;
  readonly force: boolean;
  readonly resume: boolean;
  /** With --from, so that the file can grow. */
  readonly fromBeginning: boolean;
}

/** Stored beside the file. */
export interface ResumePoint extends PartRead {
  /** Everything up to here has been read; Unix seconds. */
  readonly through: number;
}

export interface CandleTarget extends NewFile {
  readonly format: CandleFormat;
  readonly grows: boolean;
  /** The interrupted file to resume. */
  readonly begun: BegunFile | undefined;
}

/** Throws before any request if the file must not be written or cannot be resumed. */
export function candleTarget({ path, force, resume, fromBeginning }: CandleFileOptions): CandleTarget {
  const format = outFormat(path, FORMATS, 'use .csv, .ndjson or .json');
  const grows = fromBeginning && format !== 'json';
  const file = { option: '--out', path, force, format, grows };
  if (resume && format === 'json') {
    throw new SvcError('usage', '--resume: a .json file is written at the end and cannot be resumed', {
      hint: 'use .csv or .ndjson',
    });
  }
  const begun = force && !resume ? undefined : readBegun(path);
  if (resume && begun !== undefined) return { ...file, begun };
  if (resume && !fromBeginning) {
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
export function checkSameRequest({ path, begun }: CandleTarget, request: Request): void {
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

export function resumePointOf({ begun }: CandleTarget): ResumePoint | undefined {
  return begun?.mark as ResumePoint | undefined;
}

/** Returns the number of candles in the file. */
export async function writeCandles(
  reading: CandleReading,
  target: CandleTarget,
  shape: RowShape,
  begin: Pick<BegunFile, 'request' | 'begunAt'>,
  ctx: Pick<RunContext, 'pid' | 'notice'>,
): Promise<number> {
  return target.grows || target.begun !== undefined
    ? grow(reading, target, shape, begin, ctx)
    : writeWhole(reading, target, shape, ctx);
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
