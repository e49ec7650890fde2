/** One request on the wire and its answer: how far it came, and how it ends early. */
import type { Duplex } from 'node:stream';
import { SvcError } from '../errors.ts';
import { Body, type Flow } from './body.ts';
import type { Deadline } from './deadline.ts';
import type { Progress } from './failures.ts';
import type { AnswerHeaders, Wire, WireHandler } from './wire.ts';

export type { AnswerHeaders } from './wire.ts';

export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: Body;
  /** Where another protocol was asked for and agreed to. */
  readonly socket?: Duplex;
}

/** Listens in on an answer. */
export interface Tap {
  chunk(chunk: Buffer): void;
  end(status: number, headers: AnswerHeaders): void;
}

export interface ExchangeOptions {
  readonly deadline: Deadline;
  /** The most bytes that a body may have. */
  readonly limit: number;
  /** Whether the request may go out twice: never true for a write. */
  readonly repeatable: boolean;
  readonly tap: Tap | undefined;
  /** Those under way, of which it is one until nothing more can come. */
  readonly active: Set<Exchange>;
}

export class Exchange implements WireHandler {
  readonly answer: Promise<Answer>;
  readonly #options: ExchangeOptions;
  #resolve!: (answer: Answer) => void;
  #reject!: (error: unknown) => void;
  #controller: Flow | undefined;
  #cancelled: Error | undefined;
  #received: Answer | undefined;
  #ended = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    options.active.add(this);
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  start<Request>(wire: Wire<Request>, request: Request): void {
    this.#options.deadline.run();
    wire.dispatch(request, this);
  }

  /** Whether bytes of the request may have left: from here on a write may have been applied. */
  get sent(): boolean {
    return this.#controller !== undefined;
  }

  get ended(): boolean {
    return this.#ended;
  }

  progress(baseUrl: URL): Progress {
    const length = this.#received?.headers['content-length'];
    return {
      baseUrl,
      status: this.#received?.status,
      received: this.#received?.body.received ?? 0,
      expected: length === undefined ? undefined : Number(length),
    };
  }

  cancel(reason: Error): void {
    if (this.#ended) return;
    this.#cancelled = reason;
    if (this.#controller === undefined) this.#fail(reason);
    else this.#controller.abort(reason);
  }

  onRequestStart(controller: Flow): void {
    if (this.#cancelled !== undefined) controller.abort(this.#cancelled);
    else if (this.#controller !== undefined && !this.#options.repeatable) {
      controller.abort(
        new SvcError('connection_lost', 'the connection broke, and the request was about to be sent again'),
      );
    } else this.#controller = controller;
  }

  onResponseStart(controller: Flow, status: number, headers: AnswerHeaders): void {
    if (status < 200) return; // an interim answer, such as 103
    this.#options.deadline.halt();
    const body = new Body(controller, this.#options.deadline, this.#options.limit);
    this.#received = { status, headers, body };
    this.#resolve(this.#received);
  }

  onUpgrade(status: number, headers: AnswerHeaders, socket: Duplex): void {
    this.#options.deadline.halt();
    socket.on('error', () => {}); // an error that nobody listens to would end the process
    if (this.#cancelled !== undefined) {
      socket.destroy();
      return;
    }
    const body = new Body(socketFlow(socket), this.#options.deadline, 0);
    this.#received = { status, headers, body, socket };
    this.#end()?.end();
    this.#resolve(this.#received);
  }

  onResponseData(_controller: Flow, chunk: Buffer): void {
    this.#options.tap?.chunk(chunk);
    this.#received?.body.push(chunk);
  }

  onResponseEnd(): void {
    this.#end()?.end();
  }

  onResponseError(_controller: Flow | undefined, error: Error): void {
    this.#fail(this.#cancelled ?? error);
  }

  #fail(error: Error): void {
    this.#options.deadline.halt();
    const body = this.#end();
    if (body === undefined) this.#reject(error);
    else body.fail(error);
  }

  #end(): Body | undefined {
    const received = this.#received;
    if (!this.#ended) {
      this.#ended = true;
      this.#options.active.delete(this);
      if (received !== undefined) this.#options.tap?.end(received.status, received.headers);
    }
    return received?.body;
  }
}

function socketFlow(socket: Duplex): Flow {
  return { pause: () => {}, resume: () => {}, abort: (reason) => void socket.destroy(reason) };
}
