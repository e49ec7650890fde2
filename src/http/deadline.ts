/** The total time one request may take, counted only while somebody waits for the service. */
const LONGEST_TIMER = 2 ** 31 - 1;

export class Deadline {
  readonly ms: number;
  readonly #expire: () => void;
  #left: number;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Does not run yet. */
  constructor(ms: number, expire: () => void) {
    this.ms = Math.min(ms, LONGEST_TIMER);
    this.#left = this.ms;
    this.#expire = expire;
  }

  run(): void {
    if (this.#timer !== undefined) return;
    this.#since = performance.now();
    this.#timer = setTimeout(() => {
      this.halt();
      this.#expire();
    }, this.#left);
  }

  /** Stops the clock: a reader that is slow to take the answer is no fault of the service. */
  halt(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left = Math.max(0, this.#left - (performance.now() - this.#since));
  }

  get remaining(): number {
    return this.#timer === undefined ? this.#left : Math.max(0, this.#left - (performance.now() - this.#since));
  }
}
