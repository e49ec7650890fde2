/** The bytes of one answer, handed on as they arrive, with the sender held back where the reader is slow. */
import { SvcError } from '../errors.ts';
import type { Deadline } from './deadline.ts';

/** What the connection can be told. */
export interface Flow {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

const HIGH_WATER = 512 * 1024;

export class Body implements AsyncIterable<Buffer> {
  readonly #flow: Flow;
  readonly #deadline: Deadline;
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #waiting = 0;
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
    if (this.#received > this.#limit) {
      this.#flow.abort(tooLarge(this.#limit));
      return;
    }
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
    if (this.#gathering) return;
    if (this.#waiting > HIGH_WATER) this.#flow.pause();
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  fail(error: unknown): void {
    this.#failure ??= error;
    this.#ended = true;
    this.#wake?.();
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
    const [first] = this.#chunks;
    return this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
  }

  /** The first bytes, up to the limit; what follows is not waited for. A broken end is no error. */
  async start(limit: number): Promise<Buffer> {
    while (!this.#ended && this.#waiting < limit) await this.#change();
    if (!this.#ended) this.#flow.abort(tooLarge(limit));
    return Buffer.concat(this.#chunks).subarray(0, limit);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, void> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) {
          this.#waiting -= chunk.length;
          if (this.#waiting <= HIGH_WATER / 2) this.#flow.resume();
          yield chunk;
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
