/** The events that were accepted: delivery is at least once, and receivers de-duplicate on the event id (doc 2 §1). */
import { hash } from 'node:crypto';
import { closeSync, realpathSync, statSync, writeSync } from 'node:fs';
import { SvcError } from '../../../errors.ts';
import { writeAtomic } from '../../../store/atomic-write.ts';
import { fileFailure, openOwnFile, readOwnFile } from '../../../store/own-file.ts';

export const MOST_EVENTS = 100_000;
export const REMEMBERED_MS = 24 * 60 * 60 * 1000;

/** An event that was accepted before. */
interface SeenEvent {
  /** When it was accepted, in milliseconds since 1970. */
  readonly firstMs: number;
  /** The number of deliveries, this one included. */
  readonly deliveries: number;
}

/** Remembers the last 100,000 events for a day. */
export class SeenEvents {
  readonly #most: number;
  /** In the order of their acceptance. */
  readonly #events = new Map<string, SeenEvent>();
  /** A new iterator each time would first skip the places of all deleted events. */
  readonly #oldest = this.#events.keys();

  constructor(most = MOST_EVENTS) {
    this.#most = most;
  }

  /** Counts another delivery of an accepted event. Undefined if it was not accepted before. */
  recordDuplicate(key: string, nowMs: number): SeenEvent | undefined {
    const seen = this.#events.get(key);
    if (seen === undefined || nowMs - seen.firstMs >= REMEMBERED_MS) return undefined;
    const repeated = { firstMs: seen.firstMs, deliveries: seen.deliveries + 1 };
    this.#events.set(key, repeated);
    return repeated;
  }

  /** Only for a verified and accepted event: a forged or failed one would hide the real one. */
  add(key: string, nowMs: number): void {
    this.#events.delete(key);
    this.#events.set(key, { firstMs: nowMs, deliveries: 1 });
    if (this.#events.size > this.#most) this.#events.delete(this.#oldest.next().value ?? key);
  }
}

/** 128 bits of the SHA-256 of an id, in hexadecimal and in the byte order of the files that version 0.1.0 wrote. */
export function eventKey(id: string): string {
  return hash('sha256', id, 'buffer').subarray(0, 16).swap32().toString('hex');
}

const LINE = /^([0-9a-f]{32}) (\d{1,15})$/;
const LARGEST_BYTES = 64 << 20;

/** Creates the file for its owner alone if it does not exist. Throws `file_unusable`, and overwrites no file of another kind. */
export function openSeenFile(path: string, nowMs: number, onFailure: (why: string) => void): SeenFile {
  try {
    const real = statSync(path, { throwIfNoEntry: false }) === undefined ? path : realpathSync(path);
    const lines = readLines(real);
    const recent = lines.filter(({ at }) => nowMs - at < REMEMBERED_MS).slice(-MOST_EVENTS);
    if (recent.length < lines.length) rewrite(real, recent);
    return new SeenFile(openOwnFile(real, 'a+'), recent, onFailure);
  } catch (error) {
    throw fileFailure(`--dedupe-file: cannot use ${path}`, error);
  }
}

interface Line {
  readonly key: string;
  readonly at: number;
}

/** Also writes them to a file, one line each, for the next start. */
export class SeenFile extends SeenEvents {
  /** Undefined once it is closed: deliveries may finish after that. */
  #file: number | undefined;
  readonly #onFailure: (why: string) => void;
  #failing = false;

  constructor(file: number, lines: readonly Line[], onFailure: (why: string) => void) {
    super();
    this.#file = file;
    this.#onFailure = onFailure;
    for (const { key, at } of lines) super.add(key, at);
  }

  /** A line that cannot be written costs a repeated event after the next start, but no delivery. */
  override add(key: string, nowMs: number): void {
    super.add(key, nowMs);
    if (this.#file === undefined) return;
    try {
      writeSync(this.#file, format({ key, at: nowMs }));
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.#onFailure(reason(error));
      this.#failing = true;
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

function format({ key, at }: Line): string {
  return `${key} ${Math.trunc(at)}\n`;
}

function readLines(path: string): readonly Line[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  const wrongKind = new SvcError('file_unusable', `--dedupe-file: ${path} is not a list of events`, {
    hint: 'name another file; this one was not changed',
  });
  if (!stats.isFile() || stats.size > LARGEST_BYTES) throw wrongKind;
  const whole = readOwnFile(path).toString('latin1').split('\n');
  // What follows the last line end was cut off while it was written.
  const cut = whole.pop() ?? '';
  if (!/^[0-9a-f]{0,32}(?: \d{0,15})?$/.test(cut)) throw wrongKind;
  const lines = whole.map((one): Line => {
    const [, key, at] = LINE.exec(one) ?? [];
    if (key === undefined) throw wrongKind;
    return { key, at: Number(at) };
  });
  if (cut !== '') rewrite(path, lines);
  return lines;
}

function rewrite(path: string, lines: readonly Line[]): void {
  writeAtomic(path, lines.map(format).join(''));
}

function reason(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}
