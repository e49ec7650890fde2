/** The total time one request may take, counted only while somebody waits for the service. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Those of one service's requests, of which a command may have thousands: one timer serves them all. */
export class Deadlines {
  readonly #running = new Set<Deadline>();
  #timer: NodeJS.Timeout | undefined;
  #wake = Number.POSITIVE_INFINITY;

  add(deadline: Deadline, due: number): void {
    this.#running.add(deadline);
    if (due < this.#wake) this.#arm(due);
  }

  remove(deadline: Deadline): void {
    this.#running.delete(deadline);
    if (this.#running.size > 0) return;
    clearTimeout(this.#timer);
    this.#wake = Number.POSITIVE_INFINITY;
  }

  #arm(due: number): void {
    clearTimeout(this.#timer);
    this.#wake = due;
    this.#timer = setTimeout(this.#check, Math.max(1, due - performance.now()));
  }

  readonly #check = (): void => {
    this.#wake = Number.POSITIVE_INFINITY;
    for (const deadline of [...this.#running]) {
      if (deadline.remaining <= 0) deadline.expire();
      else if (deadline.due < this.#wake) this.#arm(deadline.due);
    }
  };
}

export class Deadline {
  readonly #all: Deadlines;
  readonly #expire: () => void;
  #left: number;
  #running = false;
  /** When it expires, while it runs, by the clock of `performance`. */
  due = 0;

  /** Does not run yet. */
  constructor(all: Deadlines, ms: number, expire: () => void) {
    this.#all = all;
    this.#left = Math.min(ms, LONGEST_TIMER);
    this.#expire = expire;
  }

  run(): void {
    if (this.#running) return;
    this.#running = true;
    this.due = performance.now() + this.#left;
    this.#all.add(this, this.due);
  }

  /** Stops the clock: a reader that is slow to take the answer is no fault of the service. */
  halt(): void {
    if (!this.#running) return;
    this.#left = this.remaining;
    this.#running = false;
    this.#all.remove(this);
  }

  /** Counts what was spent on the answer while the clock stopped. */
  spend(ms: number): void {
    this.#left -= ms;
    if (this.#left <= 0) this.expire();
  }

  expire(): void {
    this.halt();
    this.#expire();
  }

  get remaining(): number {
    return this.#running ? Math.max(0, this.due - performance.now()) : this.#left;
  }
}
