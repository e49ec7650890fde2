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

const KEY_BYTES = 16;
const CHAINS = 1 << 17;

/** Remembers the last 100,000 events for a day, in 5 MB: V8 would let a Map of them grow to 80 MB before it collects those that are gone. */
export class SeenEvents {
  readonly #most: number;
  /** Of all that were added. Event n of them, counted from 1, is at n % most, until event n + most takes its place. */
  #added = 0;
  readonly #keys: Buffer;
  readonly #firstMs: Float64Array;
  readonly #deliveries: Uint32Array;
  /** A hash table: the last event of each chain, and the one before each event. */
  readonly #last = new Float64Array(CHAINS);
  readonly #before: Float64Array;

  constructor(most = MOST_EVENTS) {
    this.#most = most;
    this.#keys = Buffer.alloc(most * KEY_BYTES);
    this.#firstMs = new Float64Array(most);
    this.#deliveries = new Uint32Array(most);
    this.#before = new Float64Array(most);
  }

  /** Counts another delivery of an accepted event. Undefined if it was not accepted before. */
  recordDuplicate(key: string, nowMs: number): SeenEvent | undefined {
    const event = this.#find(key);
    const at = event % this.#most;
    const firstMs = this.#firstMs[at] ?? 0;
    if (event === 0 || nowMs - firstMs >= REMEMBERED_MS) return undefined;
    const deliveries = (this.#deliveries[at] ?? 0) + 1;
    this.#deliveries[at] = deliveries;
    return { firstMs, deliveries };
  }

  /** Only for a verified and accepted event: a forged or failed one would hide the real one. */
  add(key: string, nowMs: number): void {
    const event = ++this.#added;
    const at = event % this.#most;
    this.#keys.write(key, at * KEY_BYTES, KEY_BYTES, 'hex');
    this.#firstMs[at] = nowMs;
    this.#deliveries[at] = 1;
    const chain = chainOf(key);
    this.#before[at] = this.#last[chain] ?? 0;
    this.#last[chain] = event;
  }

  /** The key of each, and when it was accepted, oldest first; twice if it came again after a day. */
  *entries(): Iterable<[key: string, firstMs: number]> {
    for (let event = this.#forgotten() + 1; event <= this.#added; event++) {
      const at = event % this.#most;
      yield [this.#keys.toString('hex', at * KEY_BYTES, (at + 1) * KEY_BYTES), this.#firstMs[at] ?? 0];
    }
  }

  /** The last with this key; 0 if there is none. */
  #find(key: string): number {
    const bytes = Buffer.from(key, 'hex');
    const forgotten = this.#forgotten();
    let event = this.#last[chainOf(key)] ?? 0;
    while (event > forgotten) {
      const start = (event % this.#most) * KEY_BYTES;
      if (this.#keys.compare(bytes, 0, KEY_BYTES, start, start + KEY_BYTES) === 0) return event;
      event = this.#before[event % this.#most] ?? 0;
    }
    return 0;
  }

  #forgotten(): number {
    return Math.max(0, this.#added - this.#most);
  }
}

function chainOf(key: string): number {
  return Number.parseInt(key.slice(0, 8), 16) % CHAINS;
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
