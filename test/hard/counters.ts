/** The counters that instrumented code calls. As a setup file of the guided suite, it is loaded before the first module of src/. */

export interface Counters {
  /** By branch, how often the present input has reached it. */
  readonly counts: Uint32Array;
  /** Those that it has reached. */
  reached: number[];
  /** Texts in the code: what a parser compares with is among them. */
  readonly texts: Buffer[];
}

const shared = globalThis as { counters?: Counters; __reached?: unknown; __texts?: unknown };

if (shared.counters === undefined) {
  const counters: Counters = { counts: new Uint32Array(1 << 17), reached: [], texts: [] };
  shared.counters = counters;
  shared.__reached = (branch: number) => {
    if ((counters.counts[branch] as number) === 0) counters.reached.push(branch);
    counters.counts[branch] = (counters.counts[branch] as number) + 1;
  };
  shared.__texts = (texts: readonly string[]) => counters.texts.push(...texts.map((text) => Buffer.from(text)));
}

export const counters: Counters = shared.counters;
