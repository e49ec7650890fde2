/** `trade candles --append`: adds what is new to a finished file, if its last candle is still what the gateway returns. */
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, extname } from 'node:path';
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { isObject, tryParseJson } from '../../../json-object.ts';
import type { ListOutput } from '../../../output/types.ts';
import { readBegun, statePath } from '../../../store/appended-file.ts';
import { discard, keepOwner, realTarget, stagedPath, syncDirectory } from '../../../store/atomic-write.ts';
import { asOnlyWriter } from '../../../store/lock.ts';
import { fileFailure, readEnds } from '../../../store/own-file.ts';
import { candleList } from './candles.ts';
import { type CandleInput, candleRange, type OpenReading, openReading } from './options.ts';
import type { CandleSession } from './reading.ts';
import { type CandleRow, candleRow, priceFields, type RowShape, rowLines } from './rows.ts';
import { rawTime } from './series.ts';

export interface ChangedRow extends Readonly<Record<string, string | number>> {
  readonly file: string;
  readonly source: 'file' | 'gateway';
  readonly time: string;
}

/** The last row of a file, and what the gateway returns for its time. */
export function changedList(price: RowShape['price']): ListOutput<ChangedRow> {
  const { columns } = candleList(price);
  return {
    kind: 'list',
    columns: [
      { name: 'file', cell: ({ file }) => file },
      { name: 'source', cell: ({ source }) => source },
      ...columns.map(({ name, cell, align }) => ({ name, cell, ...(align === undefined ? {} : { align }) })),
    ],
    id: ({ file, source }) => (source === 'file' ? file : undefined),
  };
}

export interface Appended extends OpenReading {
  readonly added: number;
  /** Of the new candles. */
  readonly first: string | undefined;
  readonly last: string | undefined;
  /** Nothing was appended because of them. */
  readonly changed: readonly ChangedRow[];
}

type AppendInput = Omit<CandleInput, 'from' | 'last'> & { readonly gaps: boolean; readonly failOnGap: boolean };

/** A new file takes the place of the old one only when it is complete: a kill leaves the old one. */
export function appendCandles(
  path: string,
  input: AppendInput,
  shape: RowShape,
  session: CandleSession,
  ctx: RunContext,
): Promise<Appended> {
  const format = checkFinished(path);
  return asOnlyWriter(path, ctx, async () => {
    const before = lastRow(path, format, shape.price);
    const { line } = rowLines(format, shape.price);
    const from = rawTime(Date.parse(before.row.time), shape.label, shape.period) / 1000;
    const range = candleRange({ ...input, from: undefined, last: undefined }, shape.period, undefined, ctx);
    if (range.to <= from) throw new SvcError('invalid_value', `--to is not after the last candle of ${path}`);
    const opened = await openReading(
      { ...input, from: undefined, last: undefined },
      { ...range, from, period: shape.period },
      session,
      ctx,
    );
    const added: CandleRow[] = [];
    let isSame = false;
    for await (const { candles } of opened.reading.batches(true)) {
      const rows = candles.map((candle) => candleRow(candle, shape));
      if (!isSame) {
        const now = rows.shift();
        if (now === undefined) continue;
        if (!isEqual(before.row, now)) return refused(path, before.row, now, opened);
        isSame = true;
      }
      added.push(...rows);
    }
    if (!isSame) return refused(path, before.row, undefined, opened);
    opened.reading.report();
    if (added.length > 0) addText(path, before.size, added.map(line).join(''));
    return { ...opened, added: added.length, first: added[0]?.time, last: added.at(-1)?.time, changed: [] };
  });

  function refused(file: string, row: CandleRow, now: CandleRow | undefined, opened: OpenReading): Appended {
    const changed = [
      { file, source: 'file', ...row },
      ...(now?.time === row.time ? [{ file, source: 'gateway', ...now }] : []),
    ];
    const what = changed.length > 1 ? 'now returns other values for' : 'returns no finished candle for the time of';
    ctx.warn(`the gateway ${what} the last row of ${file}: nothing was appended`);
    return { ...opened, added: 0, first: undefined, last: undefined, changed: changed as readonly ChangedRow[] };
  }
}

function checkFinished(path: string): 'csv' | 'ndjson' {
  const format = { '.csv': 'csv', '.ndjson': 'ndjson', '.jsonl': 'ndjson' }[extname(path).toLowerCase()];
  if (format === undefined) {
    throw new SvcError('invalid_value', `--append: ${path} is not a .csv or .ndjson file`);
  }
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    throw new SvcError('file_unusable', `--append: there is no file ${path}`, {
      hint: 'start it with --from and --out',
    });
  }
  if (readBegun(path) !== undefined) {
    throw new SvcError('file_unusable', `${statePath(path)} exists: ${path} is incomplete`, {
      hint: 'complete it first, with --out and --resume',
    });
  }
  return format as 'csv' | 'ndjson';
}

/** Longer than any row. */
const TAIL = 4096;

function lastRow(path: string, format: 'csv' | 'ndjson', price: RowShape['price']): { row: CandleRow; size: number } {
  const { header } = rowLines(format, price);
  const { start, end, size } = endsOf(path);
  const unusable = (what: string, hint?: string): SvcError =>
    new SvcError('file_unusable', `--append: ${path} ${what}`, { hint });
  if (!start.startsWith(header)) {
    const hint = 'the first line must have the columns of this --price';
    throw unusable(`has other columns than ${header.trimEnd()}`, hint);
  }
  if (!end.endsWith('\n')) throw unusable('ends in an incomplete line', 'remove that line');
  const text = end.trimEnd().split('\n').at(-1) ?? '';
  if (size === header.length || text === '') throw unusable('has no candles', 'start it with --from and --out');
  const row = format === 'csv' ? csvRow(text, header) : jsonRow(text);
  const fields = [...priceFields(price), 'tickQty'];
  if (
    row === undefined ||
    Number.isNaN(Date.parse(String(row['time']))) ||
    fields.some((name) => typeof row[name] !== 'number')
  ) {
    throw unusable(`does not end with a candle of --price ${price}`, 'pass the --price with which it was written');
  }
  return { row: row as CandleRow, size };
}

function endsOf(path: string): ReturnType<typeof readEnds> {
  try {
    return readEnds(path, TAIL);
  } catch (error) {
    throw fileFailure(`--append: cannot read ${path}`, error);
  }
}

function csvRow(text: string, header: string): Readonly<Record<string, string | number>> | undefined {
  const names = header
    .trimEnd()
    .split(',')
    .map((name) => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()));
  const values = text.split(',');
  if (values.length !== names.length) return undefined;
  return Object.fromEntries(
    names.map((name, index) => {
      const value = values[index] ?? '';
      return [name, name === 'time' || value === '' || !Number.isFinite(Number(value)) ? value : Number(value)];
    }),
  );
}

function jsonRow(text: string): Readonly<Record<string, string | number>> | undefined {
  const value = tryParseJson(text);
  return isObject(value) ? (value as Readonly<Record<string, string | number>>) : undefined;
}

/** Numbers may be written in another way: 1.10 and 1.1. */
function isEqual(row: CandleRow, now: CandleRow): boolean {
  return (
    Date.parse(row.time) === Date.parse(now.time) &&
    Object.entries(now).every(([name, value]) => name === 'time' || row[name] === value)
  );
}

function addText(path: string, size: number, text: string): void {
  const target = realTarget(path);
  const staged = stagedPath(target);
  try {
    // Of a process that was killed; the lock is ours.
    rmSync(staged, { force: true });
    const before = statSync(target);
    copyFileSync(target, staged, constants.COPYFILE_EXCL);
    const file = openSync(staged, 'a');
    try {
      writeFileSync(file, text);
      keepOwner(file, before);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    const now = statSync(target);
    if (now.size !== size || now.mtimeMs !== before.mtimeMs || now.ino !== before.ino) {
      throw new SvcError('file_unusable', `another process changed ${path} in the meantime: nothing was appended`);
    }
    renameSync(staged, target);
    syncDirectory(dirname(target));
  } catch (error) {
    discard(staged);
    throw fileFailure(`--append: cannot write ${path}`, error);
  }
}
