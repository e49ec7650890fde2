/**
 * How many calls and connections the user's processes made recently, by gateway and token. An
 * estimate: if the file is lost or the disk is full, nothing counts as used and no call fails.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Paths } from '../context.ts';
import { SvcError } from '../errors.ts';
import { type Lock, type LockContext, withLock } from './lock.ts';
import { readOwnFile, writeAtomic } from './own-file.ts';

/** A sliding window: the maximum number of calls in a time. */
export interface Window {
  /** The command number, or that of connections. */
  readonly cmd: number | 'connections';
  readonly maxCalls: number;
  readonly windowMs: number;
}

export interface Usage {
  readonly used: number;
  /** When a call is possible again, in milliseconds since 1970; undefined if it is possible now. */
  readonly freeAt: number | undefined;
}

interface CountsFile {
  readonly version: 1;
  /** Times of calls in milliseconds since 1970, oldest first. */
  readonly calls: Readonly<Record<string, readonly number[]>>;
}

export interface CountsContext extends LockContext {
  readonly paths: Pick<Paths, 'state'>;
  notice(text: string): void;
}

/** Long enough for a read to take over from a process that cannot be examined. */
const LOCK_MS = 20_000;

interface Change<R> {
  readonly next: readonly number[];
  readonly result: R;
}

export class CallCounts {
  readonly path: string;
  readonly #context: CountsContext;
  readonly #lockMs: number;

  /** The token is never written. Pass 0 as `lockMs` for orders, cancels and closes: no waiting. */
  constructor(address: string, token: string, context: CountsContext, lockMs = LOCK_MS) {
    const name = createHash('sha256').update(`${address}\n${token}`).digest('hex').slice(0, 16);
    this.path = join(context.paths.state, 'trade', `calls-${name}.json`);
    this.#context = context;
    this.#lockMs = lockMs;
  }

  /** Counts a call if one is possible now. Otherwise returns when a call is possible again. */
  take(window: Window): Promise<number | undefined> {
    return this.#change<number | undefined>(window, undefined, (recent, now) => {
      const freeAt = freeFrom(recent, window);
      return { next: freeAt === undefined ? [...recent, now] : recent, result: freeAt };
    });
  }

  /** Counts all as used: another program may have made them. Returns when one is possible. */
  fill(window: Window): Promise<number> {
    const { maxCalls, windowMs } = window;
    return this.#change(window, this.#context.now() + windowMs, (recent, now) => {
      const next = [...recent, ...Array<number>(Math.max(0, maxCalls - recent.length)).fill(now)];
      return { next, result: freeFrom(next, window) ?? now };
    });
  }

  usage(window: Window): Usage {
    const recent = timesWithin(readCalls(this.path)[window.cmd], window, this.#context.now());
    return { used: recent.length, freeAt: freeFrom(recent, window) };
  }

  async #change<R>(
    window: Window,
    uncounted: R,
    decide: (recent: readonly number[], now: number) => Change<R>,
  ): Promise<R> {
    const change = (lock: Lock): R => {
      const calls = readCalls(this.path);
      const now = this.#context.now();
      const recent = timesWithin(calls[window.cmd], window, now);
      const { next, result } = decide(recent, now);
      if (next !== recent) {
        const file: CountsFile = { version: 1, calls: { ...calls, [window.cmd]: next } };
        writeAtomic(this.path, `${JSON.stringify(file)}\n`, { lock });
      }
      return result;
    };
    try {
      return await withLock(`${this.path}.lock`, this.#context, change, this.#lockMs);
    } catch (error) {
      if (!(error instanceof SvcError) || this.#context.signal.aborted) throw error;
      if (error.code !== 'timeout') this.#context.notice(`svc cannot count calls: ${error.message}`);
      return uncounted;
    }
  }
}

/** When the oldest call of a full window leaves it. */
function freeFrom(recent: readonly number[], { maxCalls, windowMs }: Window): number | undefined {
  const oldest = recent.at(-maxCalls);
  return oldest === undefined ? undefined : oldest + windowMs;
}

/** The latest, at most a full window. Times of a clock since set back would count forever. */
function timesWithin(
  times: readonly number[] | undefined,
  { maxCalls, windowMs }: Window,
  now: number,
): readonly number[] {
  return (times ?? []).filter((at) => at > now - windowMs && at <= now).slice(-maxCalls);
}

/** Anything but a file of this form counts as nothing used. */
function readCalls(path: string): CountsFile['calls'] {
  try {
    const { version, calls } = JSON.parse(readOwnFile(path).toString()) as CountsFile;
    const usable = version === 1 && Object.values(calls).every((times) => times.every((at) => typeof at === 'number'));
    return usable ? calls : {};
  } catch {
    return {};
  }
}
