/** One POST of exact bytes to any address: no redirects, no retries, no credentials but the headers given. */
import { SvcError } from '../errors.ts';
import type { Body } from './body.ts';
import { Deadline, Deadlines } from './deadline.ts';
import { Plan, type RequestValue } from './endpoint.ts';
import { Exchange } from './exchange.ts';
import { reasonOf } from './failures.ts';
import { isHeaderName, isHeaderValue } from './header-syntax.ts';
import type { Outbound } from './target.ts';
import { Tracer } from './tracer.ts';
import type { ExactRequest, Wire } from './wire.ts';

export interface Posting {
  readonly url: URL;
  /**
   * Sent as they are, in this order and case. Those that belong to the connection (host, content-length, transfer-encoding, …)
   * are left out: it has its own.
   */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** From the first attempt to connect to the end of the answer's head. */
  readonly timeoutMs: number;
}

export interface Posted {
  /** The answer's status, 3xx included, or undefined where there was no answer. */
  readonly status: number | undefined;
  /** Names in lower case; what came more than once is joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first 4 KiB of the answer's body, or as much of them as came before the deadline. */
  readonly text: Uint8Array;
  /** Until the answer's head, or the failure. */
  readonly ms: number;
  /** Whether bytes of the request may have left. */
  readonly sent: boolean;
  /** Why there is no answer. */
  readonly failure: SvcError | undefined;
}

export interface Poster {
  /** Rejects only when it is interrupted. A dry run takes `planPosts` instead. */
  post(posting: Posting): Promise<Posted>;
  close(): Promise<void>;
}

/** Connects to nothing yet. Connections are kept between posts. `clock` counts milliseconds. */
export function openPoster(outbound: Outbound, clock: () => number = () => performance.now()): Poster {
  return new WirePoster(outbound, clock);
}

const KEPT_BYTES = 4096;
/** Reading a little more than is kept saves the connection. */
const MOST_READ_BYTES = 64 * 1024;
const STALL_MS = 60_000;
/** A longer body goes out in pieces of this size: the receiver may answer before it has read all, as it does with a 413. */
const PIECE_BYTES = 16 * 1024;

const OWN_HEADERS = new Set([
  'host',
  'content-length',
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'expect',
  'te',
  'trailer',
]);

class WirePoster implements Poster {
  readonly #outbound: Outbound;
  readonly #clock: () => number;
  readonly #wires = new Map<string, Promise<Wire<ExactRequest>>>();
  readonly #deadlines = new Deadlines();
  readonly #active = new Set<Exchange>();
  readonly #tracer: Tracer | undefined;

  constructor(outbound: Outbound, clock: () => number) {
    this.#outbound = outbound;
    this.#tracer = outbound.log.level === 0 ? undefined : new Tracer({ ...outbound, secretHeaders: new Set() });
    this.#clock = clock;
    // One listener for all posts: one for each would be a leak in the eyes of Node.
    outbound.signal.addEventListener('abort', this.#interrupt);
  }

  async post(posting: Posting): Promise<Posted> {
    const { signal, dryRun } = this.#outbound;
    signal.throwIfAborted();
    if (dryRun) throw new SvcError('internal', 'a dry run came to a delivery that only a real run sends');
    const began = this.#clock();
    try {
      const request = exactRequest(posting);
      const wire = await this.#wire(posting.url);
      signal.throwIfAborted();
      return await this.#exchange(wire, request, posting);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof SvcError)) throw error;
      return unanswered(error, this.#clock() - began, false);
    }
  }

  async close(): Promise<void> {
    this.#outbound.signal.removeEventListener('abort', this.#interrupt);
    await Promise.all(
      [...this.#wires.values()].map(async (opening) => (await opening.catch(() => undefined))?.close()),
    );
  }

  async #exchange(wire: Wire<ExactRequest>, request: ExactRequest, posting: Posting): Promise<Posted> {
    const { url, timeoutMs } = posting;
    const tracer = this.#tracer;
    const traced = tracer && requestValue(posting);
    const began = this.#clock();
    const deadline = new Deadline(this.#deadlines, timeoutMs, () => exchange.cancel(late(exchange, timeoutMs)));
    const exchange = new Exchange({
      deadline,
      limit: Number.POSITIVE_INFINITY,
      repeatable: false,
      tap: traced && tracer?.tap(),
      active: this.#active,
    });
    try {
      if (traced) tracer?.request(traced);
      exchange.start(wire, request);
      const { status, headers, body } = await exchange.answer;
      const ms = this.#clock() - began;
      if (traced) tracer?.answer(traced, 1, ms, status);
      const text = await beginning(body);
      this.#outbound.signal.throwIfAborted();
      return { status, headers, text, ms, sent: true, failure: undefined };
    } catch (error) {
      this.#outbound.signal.throwIfAborted();
      const { code, text, hint, refused } = reasonOf(wire.origin(error), exchange.progress(url));
      if (traced) tracer?.failure(traced, 1, this.#clock() - began, text);
      const failure = new SvcError(code, text, { cause: error, ...(hint === undefined ? {} : { hint }) });
      return unanswered(failure, this.#clock() - began, exchange.sent && refused !== true);
    }
  }

  #wire({ origin }: URL): Promise<Wire<ExactRequest>> {
    const known = this.#wires.get(origin);
    if (known !== undefined) return known;
    const opening = import('./dispatcher.ts').then(({ openWire }) =>
      openWire({ ...this.#outbound, baseUrl: new URL(origin) }),
    );
    this.#wires.set(origin, opening);
    return opening;
  }

  readonly #interrupt = (): void => {
    for (const exchange of this.#active) exchange.cancel(this.#outbound.signal.reason as Error);
  };
}

function unanswered(failure: SvcError, ms: number, sent: boolean): Posted {
  return { status: undefined, headers: {}, text: new Uint8Array(), ms, sent, failure };
}

/** What a dry run shows in place of `post`. */
export function planPosts(postings: readonly Omit<Posting, 'timeoutMs'>[]): Plan {
  return new Plan(postings.map(requestValue));
}

/** A header that is there twice is shown as one, with its values joined. */
function requestValue({ url, headers, body }: Omit<Posting, 'timeoutMs'>): RequestValue {
  const shown = new Map<string, string>();
  for (const [name, value] of headers) {
    const known = [...shown.keys()].find((other) => other.toLowerCase() === name.toLowerCase()) ?? name;
    shown.set(known, shown.has(known) ? `${shown.get(known)}, ${value}` : value);
  }
  return {
    method: 'POST',
    url: url.href,
    headers: Object.fromEntries(shown),
    body,
    encoding: 'bytes',
    effect: 'write',
  };
}

function exactRequest({ url, headers, body }: Posting): ExactRequest {
  const flat: string[] = [];
  for (const [name, value] of headers) {
    if (OWN_HEADERS.has(name.toLowerCase())) continue;
    if (!isHeaderName(name) || !isHeaderValue(value)) {
      throw new SvcError(
        'invalid_value',
        `the header ${JSON.stringify(name)} cannot be sent: HTTP has no such headers`,
      );
    }
    flat.push(name, value);
  }
  const long = body.length > PIECE_BYTES;
  if (long) flat.push('content-length', String(body.length));
  return {
    method: 'POST',
    path: url.pathname + url.search,
    headers: flat,
    body: long ? pieces(body) : body,
    bodyTimeout: STALL_MS,
  };
}

function* pieces(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.length; at += PIECE_BYTES) yield body.subarray(at, at + PIECE_BYTES);
}

/** A broken end is no failure: the answer is its head. */
async function beginning(body: Body): Promise<Uint8Array> {
  const kept: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      if (size < KEPT_BYTES) kept.push(chunk);
      size += chunk.length;
      if (size >= MOST_READ_BYTES) break;
    }
  } catch {}
  return Buffer.concat(kept).subarray(0, KEPT_BYTES);
}

function late(exchange: Exchange, ms: number): SvcError {
  return new SvcError('timeout', `${exchange.sent ? 'no answer' : 'no connection'} within ${ms / 1000} s`);
}
