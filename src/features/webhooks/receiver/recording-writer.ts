/** Writes recordings: every delivery answered as received is a complete line, whatever happens. */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { SvcError } from '../../../errors.ts';
import { endOfLastLine, fileFailure } from '../../../store/own-file.ts';
import type { RawHeader } from '../delivery.ts';
import type { ForwardedRow } from './rows.ts';

/** Does not wait for a pipe that replaced the file in the meantime. */
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);

/** Creates the file, for its owner only, or continues a recording. Throws `file_unusable`. */
export function openRecording(path: string, notice: (text: string) => void): RecordingWriter {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there?.isFIFO() || there?.isSocket() || there?.isDirectory()) {
    throw new SvcError('file_unusable', `--record: ${path} is not a file`);
  }
  let file: number | undefined;
  try {
    // Appending continues at the end, even after a truncation.
    file = openSync(path, APPEND, 0o600);
    const opened = fstatSync(file);
    if (there !== undefined && (opened.mode & 0o077) !== 0) {
      notice(`warning: --record: other users can read ${path}: chmod 600 ${path}`);
    }
    if (opened.isFile() && opened.size > 0) removeCutLine(path, file, opened.size, notice);
    return new RecordingWriter(path, file, opened.isFile(), there === undefined);
  } catch (error) {
    if (file !== undefined) closeSync(file);
    throw fileFailure(`--record: cannot write ${path}`, error);
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
  /** Why the file is incomplete, if it is. */
  failure: SvcError | undefined;
  #changed: (failure: SvcError | undefined) => void = () => {};

  constructor(path: string, file: number, regular: boolean, created: boolean) {
    this.#path = path;
    this.#file = file;
    this.#regular = regular;
    this.#created = created;
  }

  /** Calls back when writing begins to fail, and when it works again. */
  onChange(handler: (failure: SvcError | undefined) => void): void {
    this.#changed = handler;
  }

  /** Whether the line is in the file. Lines of one turn of the event loop are written together. */
  add(line: string): Promise<boolean> {
    if (this.#lines.push(line) === 1) setImmediate(() => this.#flush());
    return new Promise((done) => this.#waiting.push(done));
  }

  close(): void {
    this.#flush();
    closeSync(this.#file);
    this.#closed = true;
  }

  /** Removes a new file if nothing could be received. */
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
      const failure = fileFailure(`--record: cannot write ${this.#path}`, error);
      this.failure ??= failure;
      if (!this.#failing) this.#changed(failure);
      this.#failing = true;
      return false;
    }
  }

  /** A full disk writes only the beginning: the next line must not follow half a line. */
  #takeBack(bytes: number): void {
    if (bytes === 0 || !this.#regular) return;
    try {
      ftruncateSync(this.#file, fstatSync(this.#file).size - bytes);
    } catch {
      // The failure that was reported already is the one to act on.
    }
  }
}

const NOT_ASCII = /[^\x20-\x7e]/g;

/** A recording's line, in ASCII: header values are bytes, and hostile text must print safely. */
export function recordingLine({ body, ...delivery }: HandledDelivery): string {
  const { received_at, remote, method, path, headers, ...outcome } = delivery;
  const body_b64 = Buffer.from(body.buffer, body.byteOffset, body.length).toString('base64');
  const recorded: RecordedDelivery = { v: 1, received_at, remote, method, path, headers, body_b64, ...outcome };
  const json = JSON.stringify(recorded);
  return `${json.replace(NOT_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}

/** The beginning of every line of a recording. */
const BEGINNING = '{"v":1,';

/** A partial line of a killed recorder would spoil the next line. */
function removeCutLine(path: string, file: number, size: number, notice: (text: string) => void): void {
  const first = Buffer.alloc(BEGINNING.length);
  readSync(file, first, 0, first.length, 0);
  if (!BEGINNING.startsWith(first.toString('latin1', 0, Math.min(size, first.length)))) {
    throw new SvcError('file_unusable', `--record: ${path} is not a recording, and nothing was appended`);
  }
  const end = endOfLastLine(file, size);
  if (end === size) return;
  ftruncateSync(file, end);
  notice(`warning: --record: ${path} ended in the middle of a line; svc removed its ${size - end} bytes`);
}

/** One received delivery. Version 1; fields may be added. */
export interface RecordedDelivery {
  readonly v: 1;
  readonly received_at: string;
  readonly remote: string;
  readonly method: string;
  readonly path: string;
  /** As received: order, case and repeats. */
  readonly headers: readonly RawHeader[];
  readonly body_b64: string;
  /** A verdict of `signature.ts`. */
  readonly status: string;
  readonly event_id: string | null;
  readonly event_type: string | null;
  /** The same event was received and accepted before. */
  readonly duplicate: boolean;
  /** The target's response if it was forwarded. */
  readonly forward: ForwardedRow | null;
  readonly response: number;
}

/** What is recorded of a delivery, before it is written. */
export interface HandledDelivery extends Omit<RecordedDelivery, 'v' | 'body_b64'> {
  readonly body: Uint8Array;
}
