/** Writes recordings such that what was answered as received is in the file, in whole lines, whatever happens. */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { SvcError } from '../../../errors.ts';
import type { RawHeader } from '../delivery.ts';

interface OpenedRecording {
  readonly writer: RecordingWriter;
  /** What the user should know of the file that was there: a cut last line that was removed, others who may read it. */
  readonly notices: readonly string[];
}

/** A pipe that took the file's place meanwhile is not waited for. */
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);

/** Creates the file, readable by its owner only; with `append` one that is there is continued. Throws `file_unusable`. */
export function openRecording(path: string, { append }: { readonly append: boolean }): OpenedRecording {
  const there = statSync(path, { throwIfNoEntry: false });
  if (!append && lstatSync(path, { throwIfNoEntry: false }) !== undefined) {
    throw new SvcError('file_unusable', `--record: ${path} already exists`, {
      hint: 'name another file, or append to it with --append',
    });
  }
  if (there?.isFIFO() || there?.isSocket() || there?.isDirectory()) {
    throw new SvcError('file_unusable', `--record: ${path} is not a file`);
  }
  let file: number | undefined;
  try {
    // Exclusive creation follows no symbolic link that somebody left there. Appending goes on at the end, also where it was cut.
    file = openSync(path, append ? APPEND : APPEND | constants.O_EXCL, 0o600);
    const opened = fstatSync(file);
    const notices: string[] = there === undefined ? [] : othersMayRead(path, opened);
    if (opened.isFile() && opened.size > 0) notices.push(...removeCutLine(path, file, opened.size));
    return { writer: new RecordingWriter(path, file, opened.isFile(), there === undefined), notices };
  } catch (error) {
    if (file !== undefined) closeSync(file);
    throw error instanceof SvcError ? error : unwritable(path, error);
  }
}

export class RecordingWriter {
  readonly #path: string;
  readonly #file: number;
  readonly #regular: boolean;
  readonly #created: boolean;
  #lines: string[] = [];
  #waiting: ((written: boolean) => void)[] = [];
  #closed = false;
  #failing = false;
  #firstFailure: SvcError | undefined;
  #changed: (failure: SvcError | undefined) => void = () => {};

  constructor(path: string, file: number, regular: boolean, created: boolean) {
    this.#path = path;
    this.#file = file;
    this.#regular = regular;
    this.#created = created;
  }

  /** Why something is missing in the file, if anything is. */
  get failure(): SvcError | undefined {
    return this.#firstFailure;
  }

  /** Calls back when writing begins to fail, and when it works again. */
  onChange(handler: (failure: SvcError | undefined) => void): void {
    this.#changed = handler;
  }

  /** Whether the line is in the file. What is added in one turn of the event loop is one write at its end. */
  add(line: string): Promise<boolean> {
    if (this.#lines.push(line) === 1) setImmediate(() => this.#flush());
    return new Promise((done) => this.#waiting.push(done));
  }

  close(): void {
    this.#flush();
    closeSync(this.#file);
    this.#closed = true;
  }

  /** Where nothing could be received in the end: a file that was not there before is gone again. */
  discard(): void {
    if (this.#created) rmSync(this.#path, { force: true });
  }

  #flush(): void {
    if (this.#lines.length === 0) return;
    const waiting = this.#waiting;
    const bytes = Buffer.from(this.#lines.join(''), 'latin1');
    this.#lines = [];
    this.#waiting = [];
    const written = !this.#closed && this.#write(bytes);
    for (const done of waiting) done(written);
  }

  #write(bytes: Buffer): boolean {
    let done = 0;
    try {
      while (done < bytes.length) done += writeSync(this.#file, bytes, done);
      if (this.#failing) this.#changed(undefined);
      this.#failing = false;
      return true;
    } catch (error) {
      this.#takeBack(done);
      const failure = unwritable(this.#path, error);
      this.#firstFailure ??= failure;
      if (!this.#failing) this.#changed(failure);
      this.#failing = true;
      return false;
    }
  }

  /** A disk that is full takes the beginning of what it is given: the next line must not stand behind half a one. */
  #takeBack(bytes: number): void {
    if (bytes === 0 || !this.#regular) return;
    try {
      ftruncateSync(this.#file, fstatSync(this.#file).size - bytes);
    } catch {
      // The failure that is told already is the one to act on.
    }
  }
}

const NOT_ASCII = /[^\x20-\x7e]/g;

/** One line of a recording, in ASCII: header values are bytes, and hostile text is to harm nobody who prints the file. */
export function recordingLine(delivery: RecordedDelivery): string {
  const json = JSON.stringify(delivery);
  return `${json.replace(NOT_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}

/** How every line of a recording begins. */
const BEGINNING = '{"v":1,';
const TAIL_BYTES = 64 * 1024;

/** What a recorder that was killed left at the end would spoil the line that is written next. */
function removeCutLine(path: string, file: number, size: number): string[] {
  const first = Buffer.alloc(BEGINNING.length);
  readSync(file, first, 0, first.length, 0);
  if (!BEGINNING.startsWith(first.toString('latin1', 0, Math.min(size, first.length)))) {
    throw new SvcError('file_unusable', `--record: ${path} is not a recording, and nothing was appended`);
  }
  const end = endOfLastLine(file, size);
  if (end === size) return [];
  ftruncateSync(file, end);
  return [`--record: ${path} ended in the middle of a line; svc removed its ${size - end} bytes`];
}

/** The offset behind the last line feed. */
function endOfLastLine(file: number, size: number): number {
  const buffer = Buffer.alloc(TAIL_BYTES);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - buffer.length);
    const count = readSync(file, buffer, 0, end - start, start);
    const at = buffer.subarray(0, count).lastIndexOf(0x0a);
    if (at >= 0) return start + at + 1;
    end = start;
  }
  return 0;
}

function othersMayRead(path: string, { mode }: Stats): string[] {
  return (mode & 0o077) === 0 ? [] : [`--record: other users can read ${path}: chmod 600 ${path}`];
}

function unwritable(path: string, error: unknown): SvcError {
  const { message } = error as NodeJS.ErrnoException;
  const reason = /^E[A-Z0-9]+: (.+?)(?:, \w+.*)?$/s.exec(message)?.[1] ?? message;
  return new SvcError('file_unusable', `--record: cannot write ${path}: ${reason}`, { cause: error });
}

/** One delivery that was received. Version 1; fields may be added. */
export interface RecordedDelivery {
  readonly v: 1;
  /** RFC 3339 in UTC with milliseconds. */
  readonly received_at: string;
  readonly remote: string;
  readonly method: string;
  readonly path: string;
  /** As they came: order, case and repeats. */
  readonly headers: readonly RawHeader[];
  readonly body_b64: string;
  /** A verdict of `signature.ts`, or `unchecked`. */
  readonly status: string;
  readonly event_id: string | null;
  readonly event_type: string | null;
  /** The same event was received and accepted before. */
  readonly duplicate: boolean;
  /** What the target answered where it was forwarded: a status, or why there is none. */
  readonly forward: { readonly status: number | null; readonly ms: number; readonly error?: string } | null;
  /** What the sender was answered. */
  readonly response: number;
}
