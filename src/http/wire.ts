/** What carries requests to one service, and their answers back. */
import type { Duplex } from 'node:stream';
import type { Flow } from './body.ts';

export interface Wire<Request = WireRequest> {
  /** `path` begins with a slash and has the query. */
  dispatch(request: Request, handler: WireHandler): void;
  /**
   * The error that came first on the connection: undici forgets a TLS alert, such as the refusal of a client certificate, when
   * the end of the connection follows it.
   */
  origin(error: unknown): unknown;
  /** Ends everything at once, whatever is under way. */
  close(): Promise<void>;
}

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** The longest silence within an answer's body. */
  readonly bodyTimeout: number;
  /** Another protocol is asked for. */
  readonly upgrade?: 'websocket' | undefined;
}

/** One whose headers and bytes are those of somebody else. */
export interface ExactRequest extends Omit<WireRequest, 'headers' | 'body'> {
  /** Name, value, name, value, in the order and the case they are sent in. */
  readonly headers: readonly string[];
  /** In pieces it is sent as it is read, and an answer in between ends the connection. */
  readonly body: Uint8Array | Iterable<Uint8Array>;
}

/** Is told of one request, in the words of undici's handlers. */
export interface WireHandler {
  /** Right before the first byte is written. Whoever aborts here keeps the request from leaving. */
  onRequestStart(connection: Flow): void;
  /** The other protocol begins: the connection is the request's own. */
  onUpgrade(status: number, headers: AnswerHeaders, socket: Duplex): void;
  onResponseStart(connection: Flow, status: number, headers: AnswerHeaders): void;
  onResponseData(connection: Flow, chunk: Buffer): void;
  onResponseEnd(): void;
  onResponseError(connection: Flow | undefined, error: Error): void;
}

/** Names in lower case; what came more than once is joined by commas, and cookies by line breaks. */
export type AnswerHeaders = Readonly<Record<string, string>>;

export const CONNECT_MS = 10_000;
export const CONNECTIONS = 32;
/** Shorter than what servers use: a connection the service is about to close makes the outcome of a write unknown. */
export const KEEP_ALIVE_MS = 2_000;
