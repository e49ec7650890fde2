/** What was pushed and not read yet: counted in bytes, read once, in order. */
import { SvcError } from '../../errors.ts';

/** Past this a sender that can be held back is. */
const HELD_BACK = 8 * 1024 * 1024;
/** How many read events are kept before the list is cut. */
const CUT = 4096;

export class EventQueue<E> implements AsyncIterable<E> {
  readonly #sizeOf: (event: E) => number;
  #events: E[] = [];
  #next = 0;
  #size = 0;
  #ended = false;
  #failure: unknown;
  #reading = false;
  #wake: (() => void) | undefined;
  #room: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  constructor(sizeOf: (event: E) => number) {
    this.#sizeOf = sizeOf;
  }

  /** Bytes that wait, about. */
  get size(): number {
    return this.#size;
  }

  push(event: E): void {
    if (this.#ended) return;
    this.#size += this.#sizeOf(event);
    this.#events.push(event);
    this.#wake?.();
  }

  /** No more events: what waits is still read, and then the failure is raised, where there is one. */
  end(failure?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#failure = failure;
    this.#wake?.();
    this.#release();
  }

  /** Ends it, and what waits is not read any more. */
  abandon(failure?: unknown): void {
    this.#events = [];
    this.#next = this.#size = 0;
    this.end(failure);
  }

  /** Settles once there is room for more; `undefined` where there is. */
  room(): Promise<void> | undefined {
    if (this.#size <= HELD_BACK || this.#ended) return undefined;
    if (this.#room === undefined) {
      let resolve = (): void => {};
      const promise = new Promise<void>((done) => {
        resolve = done;
      });
      this.#room = { promise, resolve };
    }
    return this.#room.promise;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<E, void, void> {
    if (this.#reading) throw new SvcError('internal', 'the events of a session are read twice');
    this.#reading = true;
    try {
      for (;;) {
        if (this.#next < this.#events.length) yield this.#take();
        else if (this.#failure !== undefined) throw this.#failure;
        else if (this.#ended) return;
        else await this.#change();
      }
    } finally {
      this.abandon();
    }
  }

  #take(): E {
    const event = this.#events[this.#next++] as E;
    this.#size -= this.#sizeOf(event);
    if (this.#next === this.#events.length) {
      this.#events = [];
      this.#next = 0;
    } else if (this.#next >= CUT) {
      this.#events.splice(0, this.#next);
      this.#next = 0;
    }
    if (this.#room !== undefined && this.#size < HELD_BACK / 2) this.#release();
    return event;
  }

  async #change(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }

  #release(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
