/** What a thread of `lock-schedules.ts` and its schedule tell each other, in shared memory. */

export const Cell = {
  state: 0,
  command: 1,
  /** How long a pause takes. */
  ms: 2,
  /** The process whose name the thread uses: it counts as dead once this process is. */
  pid: 3,
  /** 1: on a host that the others cannot examine. */
  isElsewhere: 4,
  /** 0: the file system has no hard links. */
  hasLinks: 5,
  seed: 6,
  now: 7,
  /** 1: it runs the body. */
  isInside: 8,
  writes: 9,
  losses: 10,
  failures: 11,
} as const;

export const State = { runs: 0, step: 1, pause: 2, done: 3 } as const;
export type State = (typeof State)[keyof typeof State];

export const Command = { none: 0, go: 1, die: 2 } as const;

const CELLS = 16;

export function allocateCells(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(threads * CELLS * Int32Array.BYTES_PER_ELEMENT);
}

export function cellsOf(memory: SharedArrayBuffer, index: number): Int32Array {
  return new Int32Array(memory, index * CELLS * Int32Array.BYTES_PER_ELEMENT, CELLS);
}

export interface ThreadSetup {
  readonly memory: SharedArrayBuffer;
  readonly index: number;
  readonly lock: string;
  readonly counter: string;
}
