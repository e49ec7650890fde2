/** One request on the wire and its answer: how far it came, and how it ends early. */
import type { Dispatcher } from 'undici';
import { SvcError } from '../errors.ts';
import { Body } from './body.ts';
import type { Deadline } from './deadline.ts';
import type { Wire, WireRequest } from './dispatcher.ts';
import type { Progress } from './failures.ts';

export type AnswerHeaders = Readonly<Record<string, string>>;

export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: Body;
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
  /** Called once, when nothing more can come. */
  onEnd(): void;
}

export class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<Answer>;
  readonly #options: ExchangeOptions;
  #resolve!: (answer: Answer) => void;
  #reject!: (error: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #cancelled: Error | undefined;
  #received: Answer | undefined;
  #ended = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  start(wire: Wire, request: WireRequest): void {
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

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#cancelled !== undefined) controller.abort(this.#cancelled);
    else if (this.#controller !== undefined && !this.#options.repeatable) {
      controller.abort(
        new SvcError('connection_lost', 'the connection broke, and the request was about to be sent again'),
      );
    } else this.#controller = controller;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    if (status < 200) return; // an interim answer, such as 103
    this.#options.deadline.halt();
    const body = new Body(controller, this.#options.deadline, this.#options.limit);
    this.#received = { status, headers: joined(headers), body };
    this.#resolve(this.#received);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#options.tap?.chunk(chunk);
    this.#received?.body.push(chunk);
  }

  onResponseEnd(): void {
    this.#end()?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
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
      this.#options.onEnd();
      if (received !== undefined) this.#options.tap?.end(received.status, received.headers);
    }
    return received?.body;
  }
}

type RawHeaders = Readonly<Record<string, string | string[] | undefined>>;

function joined(headers: RawHeaders): AnswerHeaders {
  const flat: Record<string, string> = Object.create(null);
  for (const name in headers) {
    const value = headers[name];
    flat[name] = Array.isArray(value) ? value.join(', ') : (value ?? '');
  }
  return flat;
}
