/** One POST of exact bytes, or one GET: no redirects, no retries, no other credentials. */
import { SvcError } from '../errors.ts';
import { isConnectionHeader, isHeaderName, isHeaderValue, Plan, type RequestValue } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import type { PoolRequest } from './pool.ts';
import { Transport } from './sender.ts';
import type { Outbound } from './target.ts';

export interface Posting {
  readonly method?: 'GET' | 'POST';
  readonly url: URL;
  /** Sent unchanged, in this order and case, except those of the connection itself. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** From the first attempt to connect to the end of the response's headers. */
  readonly timeoutMs: number;
}

export interface Posted {
  /** The response's status, including 3xx; undefined without a response. */
  readonly status: number | undefined;
  /** Names in lower case; repeated headers are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first 64 KiB of the response's body, or the part before the deadline. Cut it after its secrets are hidden. */
  readonly text: Uint8Array;
  /** Until the response's headers, or the failure. */
  readonly ms: number;
  /** Whether bytes of the request may have been sent. */
  readonly sent: boolean;
  /** Why there is no response. */
  readonly failure: SvcError | undefined;
}

export type Poster = ReturnType<typeof openPoster>;

/** Reading a little more than needed keeps the connection usable. */
const MOST_READ_BYTES = 64 * 1024;
const STALL_MS = 60_000;
/** Longer bodies are sent in chunks: a receiver may respond before the end, as with a 413. */
const PIECE_BYTES = 16 * 1024;

/** Does not connect yet. Posts share connections. `clock` counts milliseconds. */
export function openPoster(outbound: Outbound, clock: () => number = () => performance.now()) {
  const transport = new Transport(outbound);
  return {
    /** Rejects only when it is interrupted. A dry run uses `planPosts` instead. */
    async post(posting: Posting): Promise<Posted> {
      const { signal, dryRun } = outbound;
      signal.throwIfAborted();
      if (dryRun) throw new SvcError('internal', 'the dry run reached a delivery that only a real run sends');
      const began = clock();
      const deadline = { ms: posting.timeoutMs, left: posting.timeoutMs };
      const limits = { deadline, bytes: Number.POSITIVE_INFINITY };
      let exchange: Exchange | undefined;
      try {
        exchange = await transport.send(requestValue(posting), exactRequest(posting), limits, 1);
        const { status, headers } = await exchange.readHead();
        const ms = clock() - began;
        const text = await exchange.readStart(MOST_READ_BYTES);
        signal.throwIfAborted();
        return { status, headers, text, ms, sent: true, failure: undefined };
      } catch (error) {
        signal.throwIfAborted();
        const none = { status: undefined, headers: {}, text: new Uint8Array(), ms: clock() - began };
        if (exchange !== undefined) {
          const { code, text, hint, refused } = exchange.fail(error);
          const failure = new SvcError(code, text, { hint, cause: error });
          return { ...none, sent: exchange.sent && refused !== true, failure };
        }
        if (error instanceof SvcError) return { ...none, sent: false, failure: error };
        throw error;
      }
    },
    close: () => transport.close(),
  };
}

/** What a dry run shows in place of `post`. */
export function planPosts(postings: readonly Omit<Posting, 'timeoutMs'>[]): Plan {
  return new Plan(postings.map(requestValue));
}

/** A repeated header is shown as one, with its values joined. */
function requestValue({ method = 'POST', url, headers, body }: Omit<Posting, 'timeoutMs'>): RequestValue {
  const shown = new Map<string, string>();
  for (const [name, value] of headers) {
    const known = [...shown.keys()].find((other) => other.toLowerCase() === name.toLowerCase()) ?? name;
    shown.set(known, shown.has(known) ? `${shown.get(known)}, ${value}` : value);
  }
  const joined = Object.fromEntries(shown);
  const effect = method === 'GET' ? 'read' : 'write';
  return { method, url: url.href, headers: joined, body, encoding: 'bytes', effect };
}

function exactRequest({ method = 'POST', url, headers, body }: Posting): PoolRequest {
  const flat: string[] = [];
  for (const [name, value] of headers) {
    if (isConnectionHeader(name)) continue;
    if (!isHeaderName(name) || !isHeaderValue(value)) {
      const message = `the header ${JSON.stringify(name)} cannot be sent: HTTP does not allow it`;
      throw new SvcError('invalid_value', message);
    }
    flat.push(name, value);
  }
  const isLong = body.length > PIECE_BYTES;
  if (isLong) flat.push('content-length', String(body.length));
  return {
    method,
    path: url.pathname + url.search,
    headers: flat,
    body: isLong ? pieces(body) : body,
    bodyTimeout: STALL_MS,
  };
}

function* pieces(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.length; at += PIECE_BYTES) yield body.subarray(at, at + PIECE_BYTES);
}
