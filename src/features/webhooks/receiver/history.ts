/** The last valid deliveries, as a recording, for `replay` by id. A user's listeners share it. */
import { join } from 'node:path';
import type { Paths } from '../../../context.ts';
import { type LockContext, withLock } from '../../../store/lock.ts';
import { errorCode, fileFailure, readOwnFile, writeAtomic } from '../../../store/own-file.ts';
import { type HandledDelivery, recordingLine } from './recording-writer.ts';

const MOST_DELIVERIES = 100;
const MOST_BYTES = 16 * 2 ** 20;
/** How long a delivery waits for others that are written with it. */
const PAUSE_MS = 500;

export function historyPath(paths: Paths): string {
  return join(paths.state, 'deliveries.ndjson');
}

/** The lines of the file, without line ends; none if there is no file. */
export function readHistory(path: string): readonly string[] {
  try {
    const lines = readOwnFile(path).toString('latin1').split('\n');
    return lines.filter((line) => line.startsWith('{"v":1,') && line.endsWith('}'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw fileFailure(`cannot read ${path}`, error);
  }
}

/** A line's event id in JSON escapes. Quotes in strings are escaped: no sender can imitate it. */
export function eventIdIn(line: string): string | undefined {
  return /,"event_id":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1];
}

export class History {
  readonly #path: string;
  readonly #context: LockContext;
  readonly #warn: (text: string) => void;
  /** Not in the file yet. */
  #waiting: HandledDelivery[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  /** `warn` is called for each failure to write. */
  constructor(path: string, context: LockContext, warn: (text: string) => void) {
    this.#path = path;
    const { sleep, now, random, pid, processName } = context;
    // What came before Ctrl-C is written after it.
    this.#context = { sleep, now, random, pid, processName, signal: new AbortController().signal };
    this.#warn = warn;
  }

  /** It is in the file at most about a second later. */
  add(delivery: HandledDelivery): void {
    if (delivery.body.length > MOST_BYTES) return;
    this.#waiting.push(delivery);
    if (this.#waiting.length > MOST_DELIVERIES) this.#waiting.shift();
    this.#timer ??= setTimeout(() => void this.write(), PAUSE_MS);
  }

  /** Writes what is not in the file yet. */
  write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const added = this.#waiting;
    if (added.length === 0) return;
    this.#waiting = [];
    try {
      await withLock(`${this.#path}.lock`, this.#context, (lock) => {
        const lines = [...readHistory(this.#path), ...added.map((one) => recordingLine(one).trimEnd())];
        writeAtomic(this.#path, lastOf(lines).join(''), { lock });
      });
    } catch (error) {
      this.#warn(`deliveries are not kept for svc webhooks replay: ${(error as Error).message}`);
    }
  }
}

/** The last delivery of each of the last events, as far as there is room. */
function lastOf(lines: readonly string[]): readonly string[] {
  const chosen: string[] = [];
  const ids = new Set<string>();
  let bytes = 0;
  for (const line of lines.toReversed()) {
    const id = eventIdIn(line);
    if (chosen.length === MOST_DELIVERIES) break;
    if ((id !== undefined && ids.has(id)) || bytes + line.length >= MOST_BYTES) continue;
    if (id !== undefined) ids.add(id);
    bytes += line.length + 1;
    chosen.push(`${line}\n`);
  }
  return chosen.reverse();
}
