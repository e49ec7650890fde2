/**
 * Writes candles to a file, window by window. Until the file is complete, `FILE.state.json` beside
 * it says how much of it counts: after a kill at any moment, --resume completes it.
 */
import { closeSync, fstatSync, fsyncSync, ftruncateSync, readSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RunContext } from '../../../cli/command.ts';
import type { Instant } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { tryParseJson } from '../../../json-object.ts';
import type { RecordOutput } from '../../../output/types.ts';
import { checkNewFile, outFormat } from '../../../store/named-files.ts';
import {
  discard,
  errorCode,
  fileFailure,
  openOwnFile,
  readOwnFile,
  syncDirectory,
  writeAll,
  writeAtomic,
} from '../../../store/own-file.ts';
import type { CandleFileState, CandleProgress } from '../schema.ts';
import type { CandleBatch } from './download.ts';
import type { Coverage } from './gaps.ts';
import { type CandleRange, NO_PROGRESS, timeText } from './plan.ts';
import { candleRow, type FileFormat, type RowShape, rowLines } from './rows.ts';

const FORMATS: Readonly<Record<string, FileFormat>> = { '.csv': 'csv', '.ndjson': 'ndjson', '.jsonl': 'ndjson' };

interface FileInput extends RowShape {
  readonly out: string;
  readonly resume: boolean;
  readonly force: boolean;
  readonly symbol: string;
  readonly period: { readonly name: string };
  readonly from: Instant | undefined;
  readonly to: Instant | undefined;
  readonly includePartial: boolean;
}

export interface CandleTarget extends RowShape {
  readonly path: string;
  readonly force: boolean;
  readonly format: FileFormat;
  readonly request: CandleFileState['request'];
  /** The interrupted file to complete. */
  readonly begun: CandleFileState | undefined;
}

/** Throws before any request if the file must not be written, or cannot be resumed. */
export async function prepareFile(input: FileInput, ctx: RunContext): Promise<CandleTarget> {
  const { out: path, resume, force, from, price, zone } = input;
  const format = outFormat(path, FORMATS, 'use .csv or .ndjson');
  const begun = force ? undefined : await readState(path);
  const request = requestOf(input, ctx);
  if (begun === undefined) {
    if (from === undefined) throw new SvcError('usage', '--out needs --since, unless --resume completes a file');
    checkNewFile({ option: '--out', path, force });
  } else {
    if (!resume) {
      throw new SvcError('file_unusable', `${statePath(path)} exists: ${path} is incomplete`, {
        hint: 'complete it with --resume, or start again with --force',
      });
    }
    checkSameRequest(path, begun, request);
    checkUnchanged(path, begun);
  }
  return { path, force, format, price, zone, request, begun };
}

/** As typed: a relative time means on --resume what it meant at the start. */
function requestOf({ symbol, period, price, zone, includePartial, from, to }: FileInput, ctx: RunContext) {
  return {
    host: ctx.target.baseUrl.href,
    symbol,
    period: period.name,
    price,
    zone: zone.name,
    includePartial,
    ...(from === undefined ? {} : { from: from.text ?? from.iso }),
    ...(to === undefined ? {} : { to: to.text ?? to.iso }),
  };
}

function checkSameRequest(path: string, begun: CandleFileState, request: CandleFileState['request']): void {
  for (const [name, value] of Object.entries(request)) {
    const before = begun.request[name];
    if (before === value) continue;
    throw new SvcError(
      'invalid_value',
      `--resume: ${path} was started with ${name} ${before ?? 'unset'}, not ${value}`,
      { hint: 'repeat the first command with --resume, or start again with --force' },
    );
  }
}

function statePath(path: string): string {
  return `${path}.state.json`;
}

/** Undefined if no file was started, or it is complete. */
async function readState(path: string): Promise<CandleFileState | undefined> {
  const state = statePath(path);
  let text: string;
  try {
    text = readOwnFile(state).toString();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw fileFailure(`cannot read ${state}`, error);
  }
  const { candleFileState } = await import('../schema.ts');
  const { data } = candleFileState.safeParse(tryParseJson(text));
  if (data !== undefined) return data;
  throw new SvcError('file_unusable', `${state} does not say how much of ${path} is complete`, {
    hint: 'use another name, or start over with --force',
  });
}

/** It may be longer than its state says: a line was being written when svc was killed. */
function checkUnchanged(path: string, { length, tail }: CandleFileState): void {
  if (length === 0) return;
  const file = openFile(path, 'r');
  try {
    const found = Buffer.alloc(Buffer.byteLength(tail));
    const count = readSync(file, found, 0, found.length, length - found.length);
    if (count === found.length && found.toString() === tail) return;
  } finally {
    closeSync(file);
  }
  throw new SvcError('file_unusable', `${path} does not match ${statePath(path)}: it was changed`, {
    hint: 'use another name, or start over with --force',
  });
}

function openFile(path: string, flags: 'r' | 'w' | 'wx'): number {
  try {
    return openOwnFile(path, flags, 0o666);
  } catch (error) {
    throw fileFailure(`cannot open ${path}`, error);
  }
}

/** What is compared when a file is resumed. */
const TAIL_CHARACTERS = 64;

class CandleFile {
  readonly #path: string;
  readonly #file: number;
  #state: CandleFileState;
  isComplete = false;

  /** `state`: how much of the open file counts. */
  constructor(path: string, file: number, state: CandleFileState) {
    this.#path = path;
    this.#file = file;
    this.#state = state;
  }

  /** Appends complete lines. Once this returns they survive a crash, and so does the progress. */
  append(lines: string, progress: CandleProgress): void {
    const { length, tail } = this.#state;
    const bytes = Buffer.from(lines);
    try {
      if (fstatSync(this.#file).size !== length) {
        throw new SvcError('file_unusable', `another process changed ${this.#path} in the meantime`);
      }
      writeAll(this.#file, bytes, length);
      fsyncSync(this.#file);
    } catch (error) {
      throw fileFailure(`cannot write ${this.#path}`, error);
    }
    const newTail = lines === '' ? tail : lines.slice(-TAIL_CHARACTERS);
    this.#state = { ...this.#state, length: length + bytes.length, tail: newTail, progress };
    writeState(this.#path, this.#state);
  }

  /** How many candles count. */
  get candles(): number {
    return this.#state.progress.candles;
  }

  finish(): void {
    this.close();
    rmSync(statePath(this.#path), { force: true });
    syncDirectory(dirname(this.#path));
    this.isComplete = true;
  }

  close(): void {
    closeSync(this.#file);
  }
}

function writeState(path: string, state: CandleFileState): void {
  writeAtomic(statePath(path), `${JSON.stringify(state)}\n`);
}

/** Starts the file, or continues it after what its state says. */
function startFile(target: CandleTarget, range: CandleRange, header: string): CandleFile {
  const { path, request, begun } = target;
  const { from, to, now } = range;
  const state: CandleFileState = begun ?? {
    request,
    range: { from, to, now },
    length: 0,
    tail: '',
    progress: NO_PROGRESS,
  };
  const file = begun === undefined ? createFile(target, state) : openFile(path, 'w');
  if (fstatSync(file).size > state.length) ftruncateSync(file, state.length);
  const started = new CandleFile(path, file, state);
  if (state.length === 0) started.append(header, state.progress);
  return started;
}

function createFile({ path, force }: CandleTarget, state: CandleFileState): number {
  checkNewFile({ option: '--out', path, force });
  // The state is written first: a file without one counts as complete.
  writeState(path, state);
  try {
    return openFile(path, force ? 'w' : 'wx');
  } catch (error) {
    // Another process was faster, and its file must not be taken for the beginning of this one.
    discard(statePath(path));
    throw error;
  }
}

/** Appends each batch as it comes. Removes the state once the file is complete. */
export async function writeFile(
  target: CandleTarget,
  batches: AsyncIterable<CandleBatch>,
  coverage: Coverage,
  ctx: Pick<RunContext, 'notice'>,
): Promise<CandleFileReport> {
  const { path, format, price } = target;
  const { header, line } = rowLines(format, price);
  let file: CandleFile | undefined;
  try {
    for await (const { candles } of batches) {
      // Not before the first response: a request that fails starts no file.
      file ??= startFile(target, coverage.request, header);
      file.append(candles.map((candle) => line(candleRow(candle, target))).join(''), coverage.progress);
    }
    // Without a batch, the file was interrupted when all of it was there.
    file ??= startFile(target, coverage.request, header);
    if (!coverage.isPartial) file.finish();
  } finally {
    if (file?.isComplete === false) {
      file.close();
      ctx.notice(`${path} has ${file.candles} candles so far: repeat the command with --resume`);
    }
  }
  return reportOf(target, coverage);
}

interface CandleFileReport {
  readonly file: string;
  readonly symbol: string;
  readonly period: string;
  readonly candles: number;
  readonly first: string | null;
  readonly last: string | null;
  /** Null if unknown. */
  readonly gaps: number | null;
  readonly missing: number | null;
  readonly complete: boolean;
}

function reportOf({ path, zone }: CandleTarget, coverage: Coverage): CandleFileReport {
  const { source, request, gaps, missing, isPartial } = coverage;
  const { candles, first, last } = coverage.progress;
  return {
    file: path,
    symbol: source.symbol,
    period: request.period.name,
    candles,
    first: first === undefined ? null : timeText(first, zone),
    last: last === undefined ? null : timeText(last, zone),
    gaps: source.isForex ? gaps.length : null,
    missing: source.isForex ? missing : null,
    complete: !isPartial,
  };
}

export const CANDLE_FILE: RecordOutput<CandleFileReport> = {
  kind: 'record',
  columns: [
    { name: 'file', cell: ({ file }) => file },
    { name: 'symbol', cell: ({ symbol }) => symbol },
    { name: 'period', cell: ({ period }) => period },
    { name: 'candles', cell: ({ candles }) => candles },
    { name: 'first', cell: ({ first }) => first ?? undefined },
    { name: 'last', cell: ({ last }) => last ?? undefined },
    { name: 'gaps', cell: ({ gaps, missing }) => (gaps ? `${gaps} (${missing} candles)` : (gaps ?? 'not known')) },
    { name: 'complete', cell: ({ complete }) => (complete ? 'yes' : { text: 'no', tone: 'warn' }) },
  ],
  id: ({ file }) => file,
};
