/** A file that grows line by line and survives a kill at any moment: until it is complete, `<path>.state.json` beside it says how much of it counts. */
import { closeSync, fstatSync, fsyncSync, ftruncateSync, readSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SvcError } from '../../../errors.ts';
import { syncDirectory, writeAtomic } from '../../../store/atomic-write.ts';
import { errorCode, fileFailure, openOwnFile, readOwnFile, writeAll } from '../../../store/own-file.ts';

/** What a file was started for: only the same request continues it. */
export type Request = Readonly<Record<string, string | number | boolean>>;

export interface BegunFile {
  readonly version: 1;
  readonly request: Request;
  readonly begunAt: number;
  /** How many bytes of the file count. */
  readonly length: number;
  /** The number of these lines, without the header. */
  readonly lines: number;
  /** The last of them, if it may still be replaced. */
  readonly lastLine?: string;
  /** The writer's own progress mark. */
  readonly mark?: unknown;
}

export function statePath(path: string): string {
  return `${path}.state.json`;
}

/** Undefined if no file was started, or it is complete. */
export function readBegun(path: string): BegunFile | undefined {
  const state = statePath(path);
  let text: string;
  try {
    text = readOwnFile(state).toString();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw fileFailure(`cannot read ${state}`, error);
  }
  const begun = parsed(text);
  if (begun !== undefined) return begun;
  throw new SvcError('file_unusable', `${state} does not say how much of ${path} is complete`, {
    hint: 'use another name, or start over with --force',
  });
}

function parsed(text: string): BegunFile | undefined {
  try {
    const { version, request, begunAt, length, lines, lastLine, mark } = JSON.parse(text) as Partial<BegunFile>;
    if (version !== 1 || typeof request !== 'object' || request === null) return undefined;
    if (!isCount(begunAt) || !isCount(length) || !isCount(lines)) return undefined;
    if (lastLine !== undefined && typeof lastLine !== 'string') return undefined;
    return { version, request, begunAt, length, lines, mark, ...(lastLine === undefined ? {} : { lastLine }) };
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export class AppendedFile {
  readonly path: string;
  readonly #file: number;
  #state: BegunFile;
  isWhole = false;

  private constructor(path: string, file: number, state: BegunFile) {
    this.path = path;
    this.#file = file;
    this.#state = state;
  }

  /** Exit 2 if the file exists, unless it may be replaced. */
  static begin(
    path: string,
    begun: Pick<BegunFile, 'request' | 'begunAt'>,
    header: string,
    force: boolean,
  ): AppendedFile {
    const state: BegunFile = { version: 1, ...begun, length: 0, lines: 0 };
    // The state is written first: a file without one counts as complete.
    if (!force && statSync(path, { throwIfNoEntry: false }) !== undefined) throw there(path);
    writeAtomic(statePath(path), stateText(state));
    return AppendedFile.#headed(path, state, header, force ? 'w' : 'wx');
  }

  /** Continues without the last line, which is written again: it may not have been final. */
  static resume(path: string, begun: BegunFile, header: string): AppendedFile {
    if (begun.length === 0) return AppendedFile.#headed(path, begun, header, 'w');
    const file = opened(path, 'r+');
    try {
      const { lastLine = '', ...rest } = begun;
      const end = Buffer.alloc(Buffer.byteLength(lastLine));
      const length = begun.length - end.length;
      const isShort = fstatSync(file).size < begun.length || readSync(file, end, 0, end.length, length) < end.length;
      if (isShort || end.toString() !== lastLine) throw changed(path);
      const state = { ...rest, length, lines: begun.lines - (lastLine === '' ? 0 : 1) };
      // In this order: a file longer than its state says can be continued, a shorter one cannot.
      writeAtomic(statePath(path), stateText(state));
      ftruncateSync(file, length);
      return new AppendedFile(path, file, state);
    } catch (error) {
      closeSync(file);
      throw fileFailure(`cannot continue ${path}`, error);
    }
  }

  static #headed(path: string, state: BegunFile, header: string, flags: 'w' | 'wx'): AppendedFile {
    const file = opened(path, flags);
    ftruncateSync(file, 0);
    const appended = new AppendedFile(path, file, state);
    appended.#append(header);
    syncDirectory(dirname(path));
    return appended;
  }

  /** Appends complete lines. Once this returns they survive a crash, and so does `mark`. */
  commit(lines: string, mark: unknown): void {
    const from = lines.lastIndexOf('\n', lines.length - 2) + 1;
    this.#append(lines);
    const count = this.#state.lines + lines.split('\n').length - 1;
    this.#state = { ...this.#state, mark, lines: count, ...(lines === '' ? {} : { lastLine: lines.slice(from) }) };
    writeAtomic(statePath(this.path), stateText(this.#state));
  }

  finish(): void {
    this.isWhole = true;
    this.close();
    rmSync(statePath(this.path), { force: true });
    syncDirectory(dirname(this.path));
  }

  /** Lines that count so far, without the header. */
  get lines(): number {
    return this.#state.lines;
  }

  close(): void {
    closeSync(this.#file);
  }

  #append(text: string): void {
    const { length } = this.#state;
    try {
      if (fstatSync(this.#file).size !== length) {
        throw new SvcError('file_unusable', `another process changed ${this.path} in the meantime`);
      }
      const bytes = Buffer.from(text);
      writeAll(this.#file, bytes, length);
      fsyncSync(this.#file);
      this.#state = { ...this.#state, length: length + bytes.length };
    } catch (error) {
      throw fileFailure(`cannot write ${this.path}`, error);
    }
  }
}

function stateText(state: BegunFile): string {
  return `${JSON.stringify(state)}\n`;
}

function opened(path: string, flags: 'r+' | 'w' | 'wx'): number {
  try {
    return openOwnFile(path, flags, 0o666);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw there(path);
    throw fileFailure(`cannot open ${path}`, error);
  }
}

function there(path: string): SvcError {
  return new SvcError('file_unusable', `${path} already exists`, { hint: 'use another name, or pass --force' });
}

function changed(path: string): SvcError {
  return new SvcError('file_unusable', `${path} does not match ${statePath(path)}: it was changed`, {
    hint: 'use another name, or start over with --force',
  });
}
