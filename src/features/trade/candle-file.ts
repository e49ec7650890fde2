/** Candles in a file: piece by piece where it can be gone on with after a kill, whole or not at all else. */
import { accessSync, constants } from 'node:fs';
import { dirname, extname } from 'node:path';
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { AppendedFile, type BegunFile, type Request, readBegun, statePath } from '../../store/appended-file.ts';
import { checkNewFile, type NewFile, writeNewFile } from '../../store/new-file.ts';
import { fileFailure } from '../../store/own-file.ts';
import type { CandleReading, PartRead } from './candle-reading.ts';
import { type CandleRow, candleRow, type RowShape, rowLines } from './candle-rows.ts';

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
  /** A range is read from its beginning: what is there so far stays. */
  readonly fromBeginning: boolean;
}

/** What is kept with the file. */
export interface CandleMark extends PartRead {
  /** All is read until then; Unix seconds. */
  readonly through: number;
}

export interface CandleTarget extends NewFile {
  readonly format: CandleFormat;
  /** Grows piece by piece. */
  readonly grows: boolean;
  /** What was begun and is gone on with. */
  readonly begun: BegunFile | undefined;
}

/** Before anything is asked for. Exit 2 where the file must not be written, or cannot be gone on with. */
export function candleTarget({ path, force, resume, fromBeginning }: CandleFileOptions): CandleTarget {
  const format = FORMATS[extname(path).toLowerCase()];
  if (format === undefined) {
    throw new SvcError('invalid_value', `--out: ${path} has an ending that tells no format`, {
      hint: 'the endings are .csv, .ndjson and .json',
    });
  }
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch (error) {
    throw fileFailure(`--out: cannot write to ${dirname(path)}`, error);
  }
  const grows = fromBeginning && format !== 'json';
  const file = { option: '--out', path, force, format, grows };
  if (resume && format === 'json') {
    throw new SvcError('usage', '--resume: a .json file is written whole at the end, nothing of it stays', {
      hint: 'write .csv or .ndjson, which grow',
    });
  }
  const begun = force && !resume ? undefined : readBegun(path);
  if (resume && begun !== undefined) return { ...file, begun };
  if (resume && !fromBeginning) {
    throw new SvcError('usage', `--resume: no file ${path} was begun, and one is begun with --from only`);
  }
  if (begun !== undefined) {
    throw new SvcError('file_unusable', `${statePath(path)} is there: ${path} was begun and is not whole`, {
      hint: 'go on with --resume, or begin anew with --force',
    });
  }
  checkNewFile(file);
  return { ...file, begun };
}

/** Exit 2 where the file was begun for something else. Only what `request` has is compared. */
export function checkSameRequest({ path, begun }: CandleTarget, request: Request): void {
  for (const [name, value] of Object.entries(request)) {
    const before = begun?.request[name];
    if (begun === undefined || before === value) continue;
    throw new SvcError('invalid_value', `--resume: ${path} was begun with ${name} ${before ?? 'unset'}, not ${value}`, {
      hint: 'repeat the first command with --resume, or begin anew with --force',
    });
  }
}

/** What was read before, as far as it counts. */
export function markOf({ begun }: CandleTarget): CandleMark | undefined {
  return begun?.mark as CandleMark | undefined;
}

/** How many candles the file holds in the end. */
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
      // Nothing is begun before it is known that there is something to be had.
      file ??= AppendedFile.begin(path, begin, header, force);
      const text = candles.map((candle) => line(candleRow(candle, shape))).join('');
      const mark: CandleMark = { through, first: reading.first, last: reading.last, gaps };
      file.commit(text, mark);
    }
    if (file === undefined) throw new SvcError('internal', 'a range without a window');
    if (!reading.isPartial) file.finish();
    return file.lines;
  } finally {
    if (file !== undefined && !file.isWhole) {
      file.close();
      ctx.notice(`${path} holds ${file.lines} candles so far: the same command with --resume goes on`);
    }
  }
}

/** As it would be printed. */
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
