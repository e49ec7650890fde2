/** One POST of exact bytes to any address: no redirects, no retries, no credentials but the headers given. */
import type { SvcError } from '../errors.ts';
import type { Outbound } from './target.ts';

export interface Posting {
  readonly url: URL;
  /** Sent as they are, in this order; host and content-length are added. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** From the first attempt to connect to the end of the answer's head. */
  readonly timeoutMs: number;
}

export interface Posted {
  /** The answer's status, 3xx included, or undefined where there was no answer. */
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The first 4 KiB of the answer's body. */
  readonly text: Uint8Array;
  /** Until the answer's head, or the failure. */
  readonly ms: number;
  /** Why there is no answer. */
  readonly failure: SvcError | undefined;
}

export interface Poster {
  /** Never rejects but for an interruption. */
  post(posting: Posting): Promise<Posted>;
  close(): Promise<void>;
}

export type OpenPoster = (outbound: Outbound) => Poster;
