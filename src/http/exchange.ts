/** One attempt of a request and its response. A slow reader throttles the service. */
import { SvcError } from '../errors.ts';
import type { RequestValue } from './endpoint.ts';
import { bytes, interruption, type Reason, reasonOf, tooLarge } from './failures.ts';
import type { Flow, Pool, RawHeaders, ResponseHandler } from './pool.ts';
import type { Outbound } from './target.ts';
import type { Trace } from './trace.ts';

/** Names in lower case; repeated headers are joined by commas, cookies by line breaks. */
export type ResponseHeaders = Readonly<Record<string, string>>;

export interface Head {
  readonly status: number;
  readonly headers: ResponseHeaders;
}

/** The total time of one request with retries, without the waits for svc's own output. */
export interface Deadline {
  readonly ms: number;
  left: number;
  /** How to allow more time for a response. */
  readonly hint?: string;
}

export interface ExchangeLimits {
  readonly deadline: Deadline;
  /** The maximum size of a body in bytes. */
  readonly bytes: number;
}

/** So many bytes wait for their reader before the service is throttled. */
const HIGH_WATER = 128 * 1024;
/** A reader that pauses longer waits for its own output, which is not the service's fault. */
const LONGEST_HANDLING_MS = 100;
const LONGEST_TIMER = 2 ** 31 - 1;

export class Exchange implements ResponseHandler {
  readonly request: RequestValue;
  readonly #pool: Pool;
  readonly #limits: ExchangeLimits;
  readonly #signal: AbortSignal;
  readonly #trace: Trace | undefined;
  readonly #endWaiting: (() => void) | undefined;
  readonly #interrupt = (): void => this.#cancel(interruption(this.#signal));
  readonly #bytes = new ByteList();
  #head: Head | undefined;
  #received = 0;
  /** How many bytes its reader waits for. */
  #wanted = 0;
  #flow: Flow | undefined;
  #failure: Error | undefined;
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(pool: Pool, request: RequestValue, limits: ExchangeLimits, outbound: Outbound, trace: Trace | undefined) {
    this.request = request;
    this.#pool = pool;
    this.#limits = limits;
    this.#trace = trace;
    this.#endWaiting = outbound.log.waiting?.(new URL(request.url).host);
    this.#signal = outbound.signal;
    this.#signal.addEventListener('abort', this.#interrupt);
  }

  /** Whether bytes of it may have been sent: from then on a write may have been applied. */
  get sent(): boolean {
    return this.#flow !== undefined;
  }

  get status(): number | undefined {
    return this.#head?.status;
  }

  async readHead(): Promise<Head> {
    while (this.#head === undefined && !this.#ended) await this.#wait();
    if (this.#head === undefined) throw this.#failure;
    return this.#head;
  }

  /** At least so many bytes of the body, or all if there are fewer. */
  async read(least: number): Promise<Buffer> {
    await this.#gather(least);
    if (this.#failure !== undefined && this.#bytes.length < least) throw this.#failure;
    return this.#bytes.take();
  }

  /** At most so many bytes, without waiting for the rest. A broken end is not an error. */
  async readStart(most: number): Promise<Buffer> {
    await this.#gather(most);
    this.#cancel();
    return this.#bytes.take().subarray(0, most);
  }

  /** The body as it arrives. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, void> {
    const { deadline } = this.#limits;
    try {
      for (;;) {
        const chunk = await this.read(1);
        if (chunk.length === 0) return;
        const handed = performance.now();
        yield chunk;
        // A service that always has more is never waited for: what its data takes counts, too.
        deadline.left -= Math.min(performance.now() - handed, LONGEST_HANDLING_MS);
        if (deadline.left <= 0) this.#expire();
      }
    } finally {
      if (!this.#ended) this.#cancel();
    }
  }

  /** Ends it, and says what `thrown` means. A bug is rethrown. */
  fail(thrown: unknown): Reason {
    this.#cancel();
    const length = this.#head?.headers['content-length'];
    const reason = reasonOf(this.#pool.firstError(thrown), {
      baseUrl: new URL(this.request.url),
      status: this.status,
      received: this.#received,
      expected: length === undefined ? undefined : Number(length),
    });
    this.#trace?.failed(reason.text);
    return reason;
  }

  onRequestStart(flow: Flow): void {
    if (this.#failure !== undefined) flow.abort(this.#failure);
    else if (this.#flow !== undefined && this.request.effect !== 'read') {
      flow.abort(new SvcError('connection_lost', 'the connection broke, and the request was about to be sent again'));
    } else this.#flow = flow;
  }

  onResponseStart(_: Flow, status: number, received: RawHeaders): void {
    if (status < 200) return; // an interim response, such as 103
    const headers: Record<string, string> = Object.create(null);
    for (const [name, value = ''] of Object.entries(received)) {
      headers[name] = Array.isArray(value) ? value.join(name === 'set-cookie' ? '\n' : ', ') : value;
    }
    this.#head = { status, headers };
    this.#trace?.answered(status);
    this.#wake?.();
  }

  onResponseData(flow: Flow, chunk: Buffer): void {
    this.#trace?.addChunk(chunk);
    this.#received += chunk.length;
    if (this.#received > this.#limits.bytes) {
      this.#cancel(tooLarge(this.#limits.bytes));
      return;
    }
    this.#bytes.push(chunk);
    if (this.#bytes.length >= Math.max(this.#wanted, HIGH_WATER)) flow.pause();
    if (this.#bytes.length >= this.#wanted) this.#wake?.();
  }

  onResponseEnd(): void {
    this.#end();
  }

  onResponseError(_: Flow | undefined, error: Error): void {
    this.#failure ??= error;
    this.#end();
  }

  /** Without a reason, because the rest is not needed. */
  #cancel(reason: Error = new SvcError('connection_lost', 'the rest of the response is not needed')): void {
    if (this.#ended) return;
    this.#failure ??= reason;
    if (this.#flow === undefined) this.#end();
    else this.#flow.abort(reason);
  }

  #expire(): void {
    const { ms, hint } = this.#limits.deadline;
    const within = `within ${ms / 1000} s`;
    if (this.#head === undefined) {
      this.#cancel(new SvcError('timeout', `${this.sent ? 'no response' : 'no connection'} ${within}`, { hint }));
    } else {
      const text = `the response was not complete ${within}; ${bytes(this.#received)} arrived`;
      this.#cancel(new SvcError('timeout', text));
    }
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#signal.removeEventListener('abort', this.#interrupt);
    this.#endWaiting?.();
    if (this.#head !== undefined) this.#trace?.ended(this.#head.status, this.#head.headers);
    this.#wake?.();
  }

  async #gather(least: number): Promise<void> {
    this.#wanted = least;
    for (;;) {
      this.#flow?.resume(); // may bring data at once
      if (this.#ended || this.#bytes.length >= least) return;
      await this.#wait();
    }
  }

  /** Waits for the connection, until the deadline. */
  async #wait(): Promise<void> {
    const { deadline } = this.#limits;
    const began = performance.now();
    let waits = true;
    const timer = setTimeout(
      // After a suspension, what has arrived meanwhile counts: sockets are read before the next
      // immediate.
      () => setImmediate(() => waits && this.#expire()),
      Math.min(deadline.left, LONGEST_TIMER),
    );
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    waits = false;
    clearTimeout(timer);
    // A process that had to wait is late, and Node.js warns about negative times.
    deadline.left = Math.max(0, deadline.left - (performance.now() - began));
  }
}

const MOST_CHUNKS = 1024;

/** Joins chunks to blocks: a service that sends single bytes must not cost an object for each. */
class ByteList {
  #blocks: Buffer[] = [];
  #chunks: Buffer[] = [];
  length = 0;

  push(chunk: Buffer): void {
    this.length += chunk.length;
    this.#chunks.push(chunk);
    if (this.#chunks.length < MOST_CHUNKS) return;
    this.#blocks.push(Buffer.concat(this.#chunks));
    this.#chunks = [];
  }

  /** Removes and returns all of them. */
  take(): Buffer {
    const all = [...this.#blocks, ...this.#chunks];
    this.#blocks = [];
    this.#chunks = [];
    this.length = 0;
    return all.length === 1 ? (all[0] as Buffer) : Buffer.concat(all);
  }
}
