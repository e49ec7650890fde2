/** A queue of pushed values, iterated once. It counts them, so that a sender can be throttled. */
import { SvcError } from './errors.ts';

/** How many values that were read stay in the list before it is cut. */
const CUT = 4096;

export class AsyncQueue<T> implements AsyncIterable<T> {
  readonly #sizeOf: (value: T) => number;
  readonly #highWater: number;
  #values: T[] = [];
  #next = 0;
  #size = 0;
  #ended = false;
  #failure: unknown;
  #reading = false;
  #wake: (() => void) | undefined;
  #drained: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  /** Above `highWater` it is full. Each value counts as one by default. */
  constructor(sizeOf: (value: T) => number = () => 1, highWater = Number.POSITIVE_INFINITY) {
    this.#sizeOf = sizeOf;
    this.#highWater = highWater;
  }

  /** Of all waiting values. */
  get size(): number {
    return this.#size;
  }

  push(value: T): void {
    if (this.#ended) return;
    this.#size += this.#sizeOf(value);
    this.#values.push(value);
    this.#wake?.();
  }

  /** No more values: waiting values are still read, then the failure is thrown, if there is one. */
  end(failure?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#failure = failure;
    this.#wake?.();
    this.#release();
  }

  /** Ends it and drops waiting values. */
  abandon(failure?: unknown): void {
    this.#values = [];
    this.#next = this.#size = 0;
    this.end(failure);
  }

  /** Settles once a queue that was full is half empty; `undefined` if it can take more. */
  drained(): Promise<void> | undefined {
    if (this.#drained === undefined) {
      if (this.#size <= this.#highWater || this.#ended) return undefined;
      let resolve = (): void => {};
      const promise = new Promise<void>((done) => {
        resolve = done;
      });
      this.#drained = { promise, resolve };
    }
    return this.#drained.promise;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    if (this.#reading) throw new SvcError('internal', 'a queue is read twice');
    this.#reading = true;
    try {
      for (;;) {
        if (this.#next < this.#values.length) yield this.#take();
        else if (this.#failure !== undefined) throw this.#failure;
        else if (this.#ended) return;
        else await this.#change();
      }
    } finally {
      this.abandon();
    }
  }

  #take(): T {
    const value = this.#values[this.#next++] as T;
    this.#size -= this.#sizeOf(value);
    if (this.#next === this.#values.length) {
      this.#values = [];
      this.#next = 0;
    } else if (this.#next >= CUT) {
      this.#values.splice(0, this.#next);
      this.#next = 0;
    }
    if (this.#drained !== undefined && this.#size < this.#highWater / 2) this.#release();
    return value;
  }

  async #change(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }

  #release(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}
