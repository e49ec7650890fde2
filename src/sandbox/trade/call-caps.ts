/** The caps on calls of doc 3 §8, for the commands that a request is known to call. */
import { tooOften } from './refusals.ts';

/** By the number of the command. */
const CAPS: ReadonlyMap<number, { readonly maxCalls: number; readonly windowMs: number }> = new Map([
  [24, { maxCalls: 500, windowMs: 3_600_000 }],
  [44, { maxCalls: 50, windowMs: 3_600_000 }],
  [46, { maxCalls: 1500, windowMs: 3_600_000 }],
  [79, { maxCalls: 500, windowMs: 3_600_000 }],
  [118, { maxCalls: 10, windowMs: 60_000 }],
]);

export class CallCaps {
  readonly #now: () => number;
  /** When each command was called, within its window. */
  readonly #calls = new Map<number, number[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts one call of each command. Throws for the first whose calls are used up, and counts none. */
  take(cmds: readonly number[]): void {
    const at = this.#now();
    const lists = cmds.map((cmd) => {
      const { maxCalls, windowMs } = CAPS.get(cmd) ?? { maxCalls: Number.POSITIVE_INFINITY, windowMs: 0 };
      const recent = (this.#calls.get(cmd) ?? []).filter((time) => time > at - windowMs);
      if (recent.length >= maxCalls) throw tooOften(cmd);
      this.#calls.set(cmd, recent);
      return recent;
    });
    for (const list of lists) list.push(at);
  }
}
