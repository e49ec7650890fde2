/** The bytes of one answer, handed on as they arrive, with the sender held back where the reader is slow. */
import { SvcError } from '../errors.ts';
import { ByteList } from './byte-list.ts';
import type { Deadline } from './deadline.ts';

/** What the connection can be told. */
export interface Flow {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

const HIGH_WATER = 512 * 1024;
/** The most that is gathered as one value: its text and what is read of it take six times as much memory. */
const LARGEST_WHOLE = 24 * 1024 * 1024;
/** A reader that is away for longer waits for its own output, which is no fault of the service. */
const LONGEST_HANDLING_MS = 100;

export class Body implements AsyncIterable<Buffer> {
  readonly #flow: Flow;
  readonly #deadline: Deadline;
  readonly #limit: number;
  readonly #bytes = new ByteList();
  #received = 0;
  #ended = false;
  #failure: unknown;
  #gathering = false;
  #wake: (() => void) | undefined;

  constructor(flow: Flow, deadline: Deadline, limit: number) {
    this.#flow = flow;
    this.#deadline = deadline;
    this.#limit = limit;
  }

  get received(): number {
    return this.#received;
  }

  push(chunk: Buffer): void {
    this.#received += chunk.length;
    const limit = this.#gathering ? Math.min(this.#limit, LARGEST_WHOLE) : this.#limit;
    if (this.#received > limit) {
      this.#flow.abort(tooLarge(limit));
      return;
    }
    this.#bytes.push(chunk);
    if (this.#gathering) return;
    if (this.#bytes.length > HIGH_WATER) this.#flow.pause();
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  fail(error: unknown): void {
    this.#failure ??= error;
    this.end();
  }

  /** All of it. At once where the last byte is there. */
  whole(): Buffer | Promise<Buffer> {
    if (this.#ended) return this.#taken();
    this.#gathering = true;
    this.#flow.resume();
    return this.#gathered();
  }

  async #gathered(): Promise<Buffer> {
    while (!this.#ended) await this.#change();
    return this.#taken();
  }

  #taken(): Buffer {
    if (this.#failure !== undefined) throw this.#failure;
    return this.#bytes.take();
  }

  /** The first bytes, up to the limit; what follows is not waited for. A broken end is no error. */
  async start(limit: number): Promise<Buffer> {
    while (!this.#ended && this.#bytes.length < limit) await this.#change();
    if (!this.#ended) this.#flow.abort(tooLarge(limit));
    return this.#bytes.take().subarray(0, limit);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, void> {
    try {
      for (;;) {
        const chunk = this.#bytes.shift();
        if (chunk !== undefined) {
          if (this.#bytes.length <= HIGH_WATER / 2) this.#flow.resume();
          const handed = performance.now();
          yield chunk;
          this.#deadline.spend(Math.min(performance.now() - handed, LONGEST_HANDLING_MS));
        } else if (this.#failure !== undefined) throw this.#failure;
        else if (this.#ended) return;
        else await this.#change();
      }
    } finally {
      if (!this.#ended) this.#flow.abort(new SvcError('connection_lost', 'the rest of the answer was not wanted'));
    }
  }

  async #change(): Promise<void> {
    this.#deadline.run();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
    this.#deadline.halt();
  }
}

export function tooLarge(limit: number): SvcError {
  return new SvcError('answer_too_large', `the answer is larger than ${limit} bytes`, {
    hint: 'ask for less, for example by a filter',
  });
}
