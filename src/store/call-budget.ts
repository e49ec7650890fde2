/** How many calls the processes of this machine made recently, per command number: one file per address and token. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Paths } from '../context.ts';
import { remove, writeAtomic } from './atomic-write.ts';
import { type LockContext, withLock } from './lock.ts';
import { readOwnFile } from './own-file.ts';

/** A sliding window: the maximum number of calls in a time. */
export interface Window {
  readonly cmd: number;
  readonly maxCalls: number;
  readonly windowMs: number;
}

export interface Usage {
  readonly used: number;
  /** When a call is possible again, in milliseconds since 1970; undefined if it is possible now. */
  readonly freeAt: number | undefined;
}

interface BudgetFile {
  readonly version: 1;
  /** Times of calls in milliseconds since 1970, oldest first. */
  readonly calls: Readonly<Record<string, readonly number[]>>;
}

/** Identifies the caller; the token itself is never written. */
export function budgetPath(paths: Paths, address: string, token: string): string {
  const name = createHash('sha256').update(`${address}\n${token}`).digest('hex').slice(0, 16);
  return join(paths.state, 'trade', `budget-${name}.json`);
}

export class CallBudgetFile {
  readonly #path: string;
  readonly #context: LockContext;

  constructor(path: string, context: LockContext) {
    this.#path = path;
    this.#context = context;
  }

  /** Counts one call, or returns when it will be possible and counts nothing. */
  async take(window: Window): Promise<{ readonly freeAt: number } | undefined> {
    return this.#change(window, (recent, now) => {
      const freeAt = freeFrom(recent, window);
      return freeAt === undefined
        ? { next: [...recent, now], result: undefined }
        : { next: recent, result: { freeAt } };
    });
  }

  /** Marks all calls as used now, because another program may have made them. Returns when a call is possible again. */
  async fill(window: Window): Promise<number> {
    return this.#change(window, (recent, now) => {
      const next = [...recent, ...Array<number>(Math.max(0, window.maxCalls - recent.length)).fill(now)];
      return { next, result: freeFrom(next, window) ?? now };
    });
  }

  usage(window: Window): Usage {
    const recent = within(readCalls(this.#path)[window.cmd], window, this.#context.now());
    return { used: Math.min(recent.length, window.maxCalls), freeAt: freeFrom(recent, window) };
  }

  async forget(): Promise<void> {
    await withLock(`${this.#path}.lock`, this.#context, () => remove(this.#path));
  }

  async #change<R>(
    window: Window,
    decide: (recent: readonly number[], now: number) => { readonly next: readonly number[]; readonly result: R },
  ): Promise<R> {
    return withLock(`${this.#path}.lock`, this.#context, () => {
      const calls = readCalls(this.#path);
      const now = this.#context.now();
      const recent = within(calls[window.cmd], window, now);
      const { next, result } = decide(recent, now);
      if (next !== recent) {
        const file: BudgetFile = { version: 1, calls: { ...calls, [window.cmd]: next } };
        writeAtomic(this.#path, `${JSON.stringify(file)}\n`);
      }
      return result;
    });
  }
}

/** When the oldest call of a full window expires. */
function freeFrom(recent: readonly number[], { maxCalls, windowMs }: Window): number | undefined {
  const oldest = recent.at(-maxCalls);
  return oldest === undefined ? undefined : oldest + windowMs;
}

/** A clock that was set back leaves future times, which would count forever. */
function within(times: readonly number[] | undefined, { windowMs }: Window, now: number): readonly number[] {
  return (times ?? []).filter((at) => at > now - windowMs && at <= now);
}

/** The file may be lost at any time: unreadable counts as nothing used. */
function readCalls(path: string): BudgetFile['calls'] {
  try {
    const { version, calls } = JSON.parse(readOwnFile(path).toString()) as BudgetFile;
    const usable = version === 1 && Object.values(calls).every((times) => times.every((at) => typeof at === 'number'));
    return usable ? calls : {};
  } catch {
    return {};
  }
}
