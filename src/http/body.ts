/** The bytes of one response, passed on as they arrive, and their time limit. A slow reader throttles the service. */
import { SvcError } from '../errors.ts';

/** What a connection can do with the response. */
export interface Flow {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

const LONGEST_TIMER = 2 ** 31 - 1;

/** The total time of one request, counted only while svc waits for the service. */
export class Deadline {
  readonly #expire: () => void;
  #left: number;
  #started = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, expire: () => void) {
    this.#left = Math.min(ms, LONGEST_TIMER);
    this.#expire = expire;
  }

  get remaining(): number {
    return this.#timer === undefined ? this.#left : this.#left - (performance.now() - this.#started);
  }

  run(): void {
    if (this.#timer !== undefined) return;
    this.#started = performance.now();
    const timer = setTimeout(() => {
      // A process that was suspended first reads what has arrived in the meantime: sockets are read before the next immediate.
      setImmediate(() => {
        if (this.#timer !== timer) return;
        this.halt();
        this.#expire();
      });
    }, this.#left);
    this.#timer = timer;
  }

  halt(): void {
    this.#left = Math.max(0, this.remaining); // a process that had to wait is late, and Node.js warns about negative times
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Adds time spent on the response while the clock was stopped. */
  spend(ms: number): void {
    this.#left -= ms;
    if (this.#left <= 0) this.#expire();
  }
}

const SMALL = 4096;
/** A block is as large as the data so far, within these bounds: most responses are short. */
const SMALLEST_BLOCK = 1024;
const LARGEST_BLOCK = 64 * 1024;

/** Bytes in order of arrival, with small chunks merged: a service that sends single bytes must not cost an object for each. */
export class ByteList {
  #chunks: Buffer[] = [];
  #block = Buffer.alloc(0);
  #used = 0;
  length = 0;

  push(chunk: Buffer): void {
    this.length += chunk.length;
    if (chunk.length >= SMALL) {
      this.#seal();
      this.#chunks.push(chunk);
      return;
    }
    if (this.#used + chunk.length > this.#block.length) {
      this.#seal();
      this.#block = Buffer.allocUnsafe(Math.min(LARGEST_BLOCK, Math.max(SMALLEST_BLOCK, chunk.length, this.length)));
    }
    chunk.copy(this.#block, this.#used);
    this.#used += chunk.length;
  }

  shift(): Buffer | undefined {
    if (this.#chunks.length === 0) this.#seal();
    const chunk = this.#chunks.shift();
    this.length -= chunk?.length ?? 0;
    return chunk;
  }

  take(): Buffer {
    this.#seal();
    const [first] = this.#chunks;
    const bytes = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks, this.length);
    this.#chunks = [];
    this.length = 0;
    return bytes;
  }

  #seal(): void {
    if (this.#used === 0) return;
    this.#chunks.push(this.#block.subarray(0, this.#used));
    this.#block = this.#block.subarray(this.#used);
    this.#used = 0;
  }
}

const HIGH_WATER = 512 * 1024;
/** The largest response read as one value: its text and the parsed result take six times as much memory. */
const LARGEST_WHOLE = 24 * 1024 * 1024;
/** A reader that pauses longer waits for its own output, which is not the service's fault. */
const LONGEST_HANDLING_MS = 100;

export class Body implements AsyncIterable<Buffer> {
  readonly #flow: Flow;
  readonly #deadline: Deadline;
  readonly #bytes = new ByteList();
  #limit: number;
  received = 0;
  #ended = false;
  #failure: unknown;
  #gathering = false;
  #wake: (() => void) | undefined;

  constructor(flow: Flow, deadline: Deadline, limit: number) {
    this.#flow = flow;
    this.#deadline = deadline;
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    this.received += chunk.length;
    if (this.received > this.#limit) {
      this.#flow.abort(tooLarge(this.#limit));
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

  async whole(): Promise<Buffer> {
    this.#limit = Math.min(this.#limit, LARGEST_WHOLE);
    this.#gathering = true;
    if (!this.#ended) this.#flow.resume();
    while (!this.#ended) await this.#change();
    if (this.#failure !== undefined) throw this.#failure;
    return this.#bytes.take();
  }

  /** The first bytes, up to the limit, without waiting for the rest. A broken end is not an error. */
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
      if (!this.#ended) this.#flow.abort(new SvcError('connection_lost', 'the rest of the response was not needed'));
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
  return new SvcError('answer_too_large', `the response is larger than ${limit} bytes`, {
    hint: 'request less, for example with a filter',
  });
}
