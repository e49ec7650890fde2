/** Sends one request to any origin and follows its response: connections, deadline, interruption, trace, and what a failure means. */
import type { Duplex } from 'node:stream';
import { endedBy, SvcError } from '../errors.ts';
import { Body, type Deadline, type Flow } from './body.ts';
import { bodyText, type Headers, type RequestValue } from './endpoint.ts';
import { bytes, type Reason, reasonOf } from './failures.ts';
import type { Pool, PoolRequest, RawHeaders, ResponseHandler } from './pool.ts';
import { redactHeaders, redactText } from './redact.ts';
import type { Outbound } from './target.ts';

/** Names in lower case; repeated headers are joined by commas, cookies by line breaks. */
export type ResponseHeaders = Readonly<Record<string, string>>;

export interface Response {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Body;
  /** If another protocol was requested and agreed to. */
  readonly socket?: Duplex;
}

interface ExchangeOptions {
  /** What is traced of the request. */
  readonly request: RequestValue;
  readonly deadline: Deadline;
  readonly attempt: number;
  /** The maximum size of a body in bytes. */
  readonly limit: number;
  /** Whether the request may be sent twice: never true for a write. */
  readonly repeatable: boolean;
}

/** All exchanges of one client. Connects only for the first. */
export class Transport {
  readonly tracer: Tracer | undefined;
  readonly #outbound: Outbound;
  readonly #active = new Set<Exchange>();
  readonly #pools = new Map<string, Promise<Pool>>();

  /** `secretHeaders`, in lower case, are not shown. */
  constructor(outbound: Outbound, secretHeaders: ReadonlySet<string> = new Set()) {
    this.#outbound = outbound;
    this.tracer = outbound.log.level === 0 ? undefined : new Tracer(outbound, secretHeaders);
  }

  /** Throws if the request cannot be sent at all, or the command was interrupted. */
  async start(origin: string, request: PoolRequest, options: ExchangeOptions): Promise<Exchange> {
    const { signal } = this.#outbound;
    // One listener for all exchanges: Node would report one for each as a leak.
    if (this.#pools.size === 0) signal.addEventListener('abort', this.#interrupt);
    const open = () => import('./pool.ts').then(({ openPool }) => openPool(new URL(origin), this.#outbound));
    const opening = this.#pools.get(origin) ?? open();
    this.#pools.set(origin, opening);
    const pool = await opening;
    if (signal.aborted) throw interruption(signal);
    const trace = this.tracer?.begin(options.request, options.attempt);
    const waited = this.#outbound.log.waiting?.(origin.replace(/^.*\/\//, ''));
    return new Exchange(pool, options, { trace, waited }, this.#active).start(request);
  }

  async close(): Promise<void> {
    this.#outbound.signal.removeEventListener('abort', this.#interrupt);
    const pools = await Promise.allSettled(this.#pools.values());
    await Promise.all(pools.map((opened) => (opened.status === 'fulfilled' ? opened.value.close() : undefined)));
  }

  readonly #interrupt = (): void => {
    for (const exchange of this.#active) exchange.cancel(interruption(this.#outbound.signal));
  };
}

/** One attempt: how far it came, and how it ends early. */
export class Exchange implements ResponseHandler {
  readonly request: RequestValue;
  readonly response: Promise<Response>;
  readonly #pool: Pool;
  readonly #options: ExchangeOptions;
  readonly #trace: Trace | undefined;
  readonly #waited: (() => void) | undefined;
  readonly #active: Set<Exchange>;
  #resolve!: (response: Response) => void;
  #reject!: (error: unknown) => void;
  #flow: Flow | undefined;
  #canceled: Error | undefined;
  #received: Response | undefined;
  #ended = false;

  /** Counts as active until nothing more can arrive. */
  constructor(
    pool: Pool,
    options: ExchangeOptions,
    { trace, waited }: { readonly trace: Trace | undefined; readonly waited: (() => void) | undefined },
    active: Set<Exchange>,
  ) {
    this.request = options.request;
    this.#pool = pool;
    this.#options = options;
    this.#trace = trace;
    this.#waited = waited;
    this.#active = active.add(this);
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  start(request: PoolRequest): this {
    this.#options.deadline.run();
    this.#pool.dispatch(request, this);
    return this;
  }

  /** Whether bytes of the request may have been sent: from then on a write may have been applied. */
  get sent(): boolean {
    return this.#flow !== undefined;
  }

  get status(): number | undefined {
    return this.#received?.status;
  }

  cancel(reason: Error): void {
    if (this.#ended) return;
    this.#canceled = reason;
    if (this.#flow === undefined) this.#fail(reason);
    else this.#flow.abort(reason);
  }

  /** Because its deadline has passed. */
  cancelLate(ms: number, hint?: string): void {
    const within = `within ${ms / 1000} s`;
    const received = this.#received?.body.received;
    if (received === undefined) {
      this.cancel(new SvcError('timeout', `${this.sent ? 'no response' : 'no connection'} ${within}`, { hint }));
    } else this.cancel(new SvcError('timeout', `the response was not complete ${within}; ${bytes(received)} arrived`));
  }

  /** What `thrown` means. A bug is rethrown. */
  reasonOf(thrown: unknown): Reason {
    const length = this.#received?.headers['content-length'];
    return reasonOf(this.#pool.firstError(thrown), {
      baseUrl: new URL(this.request.url),
      status: this.status,
      received: this.#received?.body.received ?? 0,
      expected: length === undefined ? undefined : Number(length),
    });
  }

  failed(thrown: unknown): Reason {
    this.cancel(new SvcError('connection_lost', 'the rest of the response is not needed'));
    const reason = this.reasonOf(thrown);
    this.#trace?.failed(reason.text);
    return reason;
  }

  onRequestStart(flow: Flow): void {
    if (this.#canceled !== undefined) flow.abort(this.#canceled);
    else if (this.#flow !== undefined && !this.#options.repeatable) {
      flow.abort(new SvcError('connection_lost', 'the connection broke, and the request was about to be sent again'));
    } else this.#flow = flow;
  }

  onResponseStart(flow: Flow, status: number, headers: RawHeaders): void {
    if (status < 200) return; // an interim response, such as 103
    const { deadline, limit } = this.#options;
    deadline.halt();
    this.#respond({ status, headers: joined(headers), body: new Body(flow, deadline, limit) });
  }

  onRequestUpgrade(_: Flow, status: number, headers: RawHeaders, socket: Duplex): void {
    const { deadline } = this.#options;
    deadline.halt();
    socket.on('error', () => {}); // without a listener an error would end the process
    if (this.#canceled !== undefined) {
      socket.destroy();
      return;
    }
    const flow: Flow = { pause: () => {}, resume: () => {}, abort: (reason) => void socket.destroy(reason) };
    this.#respond({ status, headers: joined(headers), body: new Body(flow, deadline, 0), socket });
    this.#end()?.end();
  }

  onResponseData(_: Flow, chunk: Buffer): void {
    this.#trace?.chunk(chunk);
    this.#received?.body.push(chunk);
  }

  onResponseEnd(): void {
    this.#end()?.end();
  }

  onResponseError(_: Flow | undefined, error: Error): void {
    this.#fail(this.#canceled ?? error);
  }

  #respond(response: Response): void {
    this.#received = response;
    this.#trace?.answered(response.status);
    this.#resolve(response);
  }

  #fail(error: Error): void {
    this.#options.deadline.halt();
    const body = this.#end();
    if (body === undefined) this.#reject(error);
    else body.fail(error);
  }

  #end(): Body | undefined {
    if (!this.#ended && this.#received !== undefined) this.#trace?.ended(this.#received);
    if (!this.#ended) this.#waited?.();
    this.#ended = true;
    this.#active.delete(this);
    return this.#received?.body;
  }
}

/** The reason that a signal was aborted with. */
function interruption(signal: AbortSignal): SvcError {
  return signal.reason instanceof SvcError ? signal.reason : endedBy('SIGINT');
}

function joined(headers: RawHeaders): ResponseHeaders {
  const flat: Record<string, string> = Object.create(null);
  for (const [name, value = ''] of Object.entries(headers)) {
    flat[name] = Array.isArray(value) ? value.join(name === 'set-cookie' ? '\n' : ', ') : value;
  }
  return flat;
}

const LONGEST_BODY = 16 * 1024;
const LONGEST_FRAME = 200;
/** How much of a frame is redacted before it is cut. */
const READ_FRAME = 4096;

export type Trace = ReturnType<Tracer['begin']>;

export class Tracer {
  readonly #outbound: Pick<Outbound, 'log' | 'secrets'>;
  readonly #secretHeaders: ReadonlySet<string>;

  constructor(outbound: Pick<Outbound, 'log' | 'secrets'>, secretHeaders: ReadonlySet<string>) {
    this.#outbound = outbound;
    this.#secretHeaders = secretHeaders;
  }

  begin(request: RequestValue, attempt: number) {
    const { log } = this.#outbound;
    const began = performance.now();
    const line = () => ({
      method: request.method,
      url: this.#hidden(request.url),
      ms: Math.round(performance.now() - began),
      attempt,
    });
    const inDetail = log.level === 2;
    if (inDetail) {
      const { method, url } = line();
      const headers = shownHeaders(request.headers, this.#secretHeaders, this.#outbound);
      const body = this.#shown(Buffer.from(bodyText(request) ?? ''));
      log.trace({ kind: 'request-detail', method, url, headers, body });
    }
    const chunks: Buffer[] = [];
    let size = 0;
    return {
      answered: (status: number) => log.trace({ kind: 'answer', ...line(), status }),
      failed: (reason: string) => log.trace({ kind: 'failure', ...line(), reason: this.#hidden(reason) }),
      /** A chunk of the response's body. */
      chunk: (chunk: Buffer) => {
        if (inDetail && size <= LONGEST_BODY) chunks.push(chunk);
        size += chunk.length;
      },
      ended: ({ status, headers }: { readonly status: number; readonly headers: Headers }) => {
        if (!inDetail) return;
        const shown = shownHeaders(headers, this.#secretHeaders, this.#outbound);
        log.trace({ kind: 'answer-detail', status, headers: shown, body: this.#shown(Buffer.concat(chunks)) });
      },
    };
  }

  frame(direction: 'sent' | 'received', message: string): void {
    if (this.#outbound.log.level < 2) return;
    const text = this.#hidden(message.slice(0, READ_FRAME));
    const isWhole = message.length <= READ_FRAME && text.length <= LONGEST_FRAME;
    this.#outbound.log.trace({
      kind: 'frame',
      direction,
      bytes: Buffer.byteLength(message),
      text: isWhole ? text : `${text.slice(0, LONGEST_FRAME)}…`,
    });
  }

  #hidden(text: string): string {
    return redactText(this.#outbound.secrets.hide(text));
  }

  #shown(body: Buffer): string {
    // Redacted before it is cut: half a secret at the cut would match no pattern.
    const text = this.#hidden(body.toString());
    return text.length > LONGEST_BODY ? `${text.slice(0, LONGEST_BODY)}…` : text;
  }
}

/** The headers of a request or a response, without secrets. */
export function shownHeaders(
  headers: Readonly<Record<string, string>>,
  secretHeaders: ReadonlySet<string>,
  { secrets }: Pick<Outbound, 'secrets'>,
): Record<string, string> {
  const shown = redactHeaders(headers, secretHeaders);
  return Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, secrets.hide(value)]));
}
