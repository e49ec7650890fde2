/** A recording of ticks: whole lines at the end of a file, which is rotated by size or by day (docs/tick-files.md). */
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  readdirSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { SvcError } from '../../../errors.ts';
import { isObject, tryParseJson } from '../../../json-object.ts';
import { escapeJson, escapeText } from '../../../output/escape.ts';
import { csvField, withoutFormula } from '../../../output/formats.ts';
import { syncDirectory } from '../../../store/atomic-write.ts';
import { outFormat } from '../../../store/named-files.ts';
import { fileFailure, openOwnFile } from '../../../store/own-file.ts';
import { isTick, TICK_FIELDS, type TickRow } from './price-ticks.ts';

export type Rotation = { readonly bytes: number } | 'day' | undefined;

const UNITS: Readonly<Record<string, number>> = { KB: 1e3, MB: 1e6, GB: 1e9, KIB: 2 ** 10, MIB: 2 ** 20, GIB: 2 ** 30 };

export function parseRotation(text: string | undefined): Rotation {
  if (text === undefined || text === 'day') return text;
  const [, count, unit = ''] = /^(\d{1,6}(?:\.\d{1,3})?) ?([KMG]i?B)$/i.exec(text) ?? [];
  const bytes = Math.floor(Number(count) * (UNITS[unit.toUpperCase()] ?? Number.NaN));
  if (bytes >= 1000) return { bytes };
  throw new SvcError('invalid_value', `--rotate: "${text}" is neither day nor a size of 1KB or more`, {
    hint: 'such as day, 100MB or 1GiB',
  });
}

type Format = 'csv' | 'ndjson';

const FORMATS: Readonly<Record<string, Format>> = { '.csv': 'csv', '.ndjson': 'ndjson', '.jsonl': 'ndjson' };

/** Throws before anything is requested if the file cannot be recorded to. */
export function checkTickFile(path: string, { resume }: { readonly resume: boolean }): Format {
  const format = outFormat(path, FORMATS, 'use .csv or .ndjson');
  if (!resume && existsSync(path)) {
    throw new SvcError('file_unusable', `--out: ${path} already exists`, {
      hint: 'continue it with --resume, or use another name',
    });
  }
  return format;
}

const HEADER = `${TICK_FIELDS.join(',')}\n`;
/** How the lines of a recording begin. */
const NDJSON_STARTS = ['{"time":"', '{"event":"'];
/** Longer than any line. */
const TAIL = 65_536;
const SYNC_MS = 1000;

export interface TickFileOptions {
  readonly rotation: Rotation;
  readonly now: () => number;
  readonly notice: (text: string) => void;
}

export class TickFile {
  /** Ticks since it was opened, in all its parts. */
  ticks = 0;
  /** How many files it completed before the present one. */
  rotations = 0;
  readonly #path: string;
  readonly #format: Format;
  readonly #options: TickFileOptions;
  #file: number;
  #size: number;
  /** The UTC day of its last line. */
  #day: string;
  #syncedAt: number;

  private constructor(path: string, format: Format, options: TickFileOptions) {
    this.#path = path;
    this.#format = format;
    this.#options = options;
    this.#file = opened(path);
    const { size, mtimeMs } = fstatSync(this.#file);
    this.#size = size;
    this.#day = dayOf(size === 0 ? options.now() : mtimeMs);
    this.#syncedAt = options.now();
  }

  /** Continues a file that exists, after its last whole line. */
  static open(path: string, format: Format, options: TickFileOptions): TickFile {
    const file = new TickFile(path, format, options);
    try {
      file.#repair();
      if (file.#size > 0) file.#noteInterruption();
      else file.#append(format === 'csv' ? HEADER : '');
      syncDirectory(dirname(path));
    } catch (error) {
      closeSync(file.#file);
      throw fileFailure(`cannot record to ${path}`, error);
    }
    return file;
  }

  /** One system call for each line, so that a kill leaves whole ones. */
  write(row: TickRow): void {
    const line = this.#line(row);
    if (line === '') return;
    try {
      this.#rotateBefore(Buffer.byteLength(line));
      this.#append(line);
      const now = this.#options.now();
      if (now - this.#syncedAt >= SYNC_MS) this.#sync(now);
    } catch (error) {
      throw fileFailure(`cannot record to ${this.#path}`, error);
    }
    if (isTick(row)) this.ticks++;
  }

  close(): void {
    try {
      this.#close();
    } catch (error) {
      throw fileFailure(`cannot record to ${this.#path}`, error);
    }
  }

  /** After a failure, which is the one to report. */
  abandon(): void {
    try {
      this.#close();
    } catch {
      // what was written stays
    }
  }

  #close(): void {
    try {
      fsyncSync(this.#file);
    } finally {
      closeSync(this.#file);
    }
  }

  #line(row: TickRow): string {
    if (this.#format === 'ndjson') return `${escapeJson(JSON.stringify(row))}\n`;
    if (!isTick(row)) return '';
    const text = (value: string): string => csvField(withoutFormula(escapeText(value)));
    const fields = TICK_FIELDS.map((name) => row[name] ?? '');
    return `${fields.map((value) => (typeof value === 'string' ? text(value) : String(value))).join(',')}\n`;
  }

  #append(text: string): void {
    const bytes = Buffer.from(text);
    if (fstatSync(this.#file).size !== this.#size) {
      throw new SvcError('file_unusable', `another process writes to ${this.#path}`);
    }
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done);
    } catch (error) {
      // A full disk may have taken half of a line.
      ftruncateSync(this.#file, this.#size);
      throw error;
    }
    this.#size += bytes.length;
  }

  #sync(now: number): void {
    fsyncSync(this.#file);
    this.#syncedAt = now;
  }

  #rotateBefore(bytes: number): void {
    const { rotation, now } = this.#options;
    if (rotation === undefined) return;
    const today = dayOf(now());
    const isFull = rotation === 'day' ? today > this.#day : this.#size + bytes > rotation.bytes;
    if (isFull && this.#size > (this.#format === 'csv' ? HEADER.length : 0)) this.#rotate(rotation);
    if (today > this.#day) this.#day = today;
  }

  /** Killed between the two steps, it is resumed with a new file. */
  #rotate(rotation: Rotation): void {
    this.#close();
    renameSync(this.#path, rotation === 'day' ? freeName(this.#path, this.#day) : numberedName(this.#path));
    this.#file = opened(this.#path);
    this.#size = 0;
    this.#append(this.#format === 'csv' ? HEADER : '');
    syncDirectory(dirname(this.#path));
    this.rotations++;
  }

  /** Removes what is left of a line that was not completed. */
  #repair(): void {
    const start = read(this.#file, 0, Math.min(this.#size, TAIL)).toString('latin1');
    const firsts = this.#format === 'csv' ? [HEADER] : NDJSON_STARTS;
    if (!firsts.some((first) => start.startsWith(first) || first.startsWith(start))) {
      throw new SvcError('file_unusable', `${this.#path} is not a recording of ticks`, {
        hint: 'use another name; docs/tick-files.md describes the format',
      });
    }
    const end = this.#lastLineEnd();
    if (end === this.#size) return;
    this.#options.notice(`removed an incomplete line at the end of ${this.#path} (${this.#size - end} bytes)`);
    ftruncateSync(this.#file, end);
    this.#size = end;
  }

  /** The position after the last line feed. */
  #lastLineEnd(): number {
    for (let end = this.#size; end > 0; end -= TAIL) {
      const from = Math.max(0, end - TAIL);
      const at = read(this.#file, from, end - from).lastIndexOf(0x0a);
      if (at >= 0) return from + at + 1;
    }
    return 0;
  }

  /** In NDJSON as a gap; a table of numbers has no place for it. */
  #noteInterruption(): void {
    if (this.#format === 'csv') return;
    const from = Math.max(0, this.#size - TAIL);
    const [last = ''] = read(this.#file, from, this.#size - from)
      .toString()
      .trimEnd()
      .split('\n')
      .slice(-1);
    const at = new Date(this.#options.now()).toISOString();
    this.write({ event: 'gap', at, from: timeOf(last) ?? at, to: at, reason: 'the recording was interrupted' });
  }
}

function timeOf(line: string): string | undefined {
  const value = tryParseJson(line);
  const time = isObject(value) ? (value['time'] ?? value['at']) : undefined;
  return typeof time === 'string' ? time : undefined;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** For reading as well; what is written goes to its end. */
function opened(path: string): number {
  try {
    return openOwnFile(path, 'a+', 0o666);
  } catch (error) {
    throw fileFailure(`--out: cannot open ${path}`, error);
  }
}

function read(file: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, from));
}

/** `ticks.csv` → `ticks.2026-11-23.csv` */
function named(path: string, part: string): string {
  const ending = extname(path);
  return join(dirname(path), `${basename(path, ending)}.${part}${ending}`);
}

function freeName(path: string, day: string): string {
  for (let more = 1; ; more++) {
    const name = named(path, more === 1 ? day : `${day}.${more}`);
    if (!existsSync(name)) return name;
  }
}

/** The number after the highest one, with digits enough to sort by name. */
function numberedName(path: string): string {
  const ending = extname(path);
  const start = `${basename(path, ending)}.`;
  const numbers = readdirSync(dirname(path))
    .filter((name) => name.startsWith(start) && name.endsWith(ending))
    .map((name) => name.slice(start.length, -ending.length))
    .filter((part) => /^\d{6,}$/.test(part))
    .map(Number);
  return named(path, String(Math.max(0, ...numbers) + 1).padStart(6, '0'));
}
