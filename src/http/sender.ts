/** Sends one endpoint's request: dry run, confirmation, deadline, retries, the refresh after a 401, and what a failure means. */
import { SvcError } from '../errors.ts';
import { contentType, type FailedAnswer, statusFailure } from './answers.ts';
import { tooLarge } from './body.ts';
import { insecurityWarning } from './credential.ts';
import { Deadline } from './deadline.ts';
import type { Wire } from './dispatcher.ts';
import type { CallValues, EndpointShape, RequestValue } from './endpoint.ts';
import { type Answer, type AnswerHeaders, Exchange } from './exchange.ts';
import { reasonOf, toError } from './failures.ts';
import { JsonFault } from './json.ts';
import { redactText } from './redact.ts';
import { bodyText, buildRequest, type Headers } from './request.ts';
import { isPassing, MOST_RETRIES, retryDelay } from './retry.ts';
import { DryRunStop, type Target } from './target.ts';
import { secretsOf, Tracer, withoutSecrets } from './tracer.ts';

/** What differs from service to service. */
export interface ServiceRules {
  /** What every path of the service begins with: `/api/v2`. */
  readonly basePath: string;
  /** The service's own reading of an answer of 400 and above; `undefined` leaves it to the common one. */
  explain?(answer: FailedAnswer, endpoint: EndpointShape): SvcError | undefined;
  readonly accept?: string;
  readonly maxAnswerBytes?: number;
  /** The longest silence within an answer's body, 60 s unless told. */
  readonly stallMs?: number;
}

/** One attempt. */
export interface Trip {
  readonly request: RequestValue;
  readonly exchange: Exchange;
  readonly attempt: number;
}

/** One that was answered with a success. */
export interface Sent<R> extends Trip {
  readonly answer: Answer;
  readonly result: R;
}

/** One that failed. */
interface Setback {
  readonly error: SvcError;
  readonly again: boolean;
  readonly retryAfter?: string | undefined;
}

const LARGEST_ANSWER = 512 * 1024 * 1024;
const LARGEST_ERROR_TEXT = 64 * 1024;
const STALL_MS = 60_000;
const NO_HEADERS: Headers = {};
const GIVEN_UP = new SvcError('connection_lost', 'the rest of the answer is not wanted');

export class Sender {
  readonly #target: Target;
  readonly #rules: ServiceRules;
  readonly #tracer: Tracer | undefined;
  readonly #active = new Set<Exchange>();
  #wire: Promise<Wire> | undefined;
  /** The service's clock minus ours, of the latest answer that had a date. */
  clockSkewMs: number | undefined;

  constructor(target: Target, rules: ServiceRules) {
    this.#target = target;
    this.#rules = rules;
    this.#tracer = target.verbosity === 0 ? undefined : new Tracer(target);
  }

  /** `read` takes from a success what the request is repeated for when it fails on the way. */
  async send<R>(endpoint: EndpointShape, values: CallValues, read: (answer: Answer) => Promise<R>): Promise<Sent<R>> {
    const { signal, authorizer, baseUrl, timeoutMs } = this.#target;
    const repeatable = endpoint.effect === 'read';
    const retries = repeatable && endpoint.method === 'GET' && endpoint.retry !== false ? MOST_RETRIES : 0;
    let exchange: Exchange | undefined;
    const deadline = new Deadline(timeoutMs, () => exchange?.cancel(timeout(exchange, timeoutMs, baseUrl)));
    let refreshed = false;
    for (let attempt = 1, failed = 0; ; attempt++) {
      const request = await this.#request(endpoint, values);
      const wire = await this.#connect();
      if (signal.aborted) throw interruption(signal);
      const current = new Exchange({
        deadline,
        limit: this.#rules.maxAnswerBytes ?? LARGEST_ANSWER,
        repeatable,
        tap: this.#tracer?.tap(request),
        onEnd: () => this.#active.delete(current),
      });
      exchange = current;
      this.#active.add(current);
      const outcome = await this.#attempt(wire, { request, exchange: current, attempt }, endpoint, read);
      if ('result' in outcome) return outcome;
      const { error, again, retryAfter } = outcome;
      if (error.httpStatus === 401 && !refreshed && (await authorizer?.refresh?.())) {
        refreshed = true;
        continue;
      }
      if (!again || ++failed > retries) throw error;
      const delay = retryDelay(failed, retryAfter, this.#target.now(), this.#target.random());
      if (delay >= deadline.remaining) throw error;
      deadline.run();
      await this.#target.sleep(delay, signal).finally(() => deadline.halt());
    }
  }

  /** What a failure means in the user's words. An error of the program itself is thrown on. */
  failure(thrown: unknown, trip: Trip): SvcError {
    return this.#setback(thrown, trip).error;
  }

  async close(): Promise<void> {
    this.#target.signal.removeEventListener('abort', this.#interrupt);
    const wire = await this.#wire?.catch(() => undefined);
    await wire?.close();
  }

  async #request(endpoint: EndpointShape, values: CallValues): Promise<RequestValue> {
    const target = this.#target;
    const { basePath, accept } = this.#rules;
    if (target.dryRun !== undefined && endpoint.effect !== 'read') {
      // The credential is not asked for: that could connect to refresh it.
      const headers = target.authorizer === undefined ? NO_HEADERS : { authorization: '***' };
      target.dryRun.requests.push(buildRequest(target, basePath, endpoint, values, headers, accept));
      throw new DryRunStop();
    }
    if ((endpoint.effect === 'destroy' || endpoint.effect === 'money') && !target.confirmed()) {
      throw new SvcError('internal', `${endpoint.method} ${endpoint.path} was not confirmed; nothing was sent`);
    }
    const headers = target.authorizer === undefined ? NO_HEADERS : await target.authorizer.header();
    return buildRequest(target, basePath, endpoint, values, headers, accept);
  }

  #connect(): Promise<Wire> {
    this.#wire ??= this.#open();
    return this.#wire;
  }

  async #open(): Promise<Wire> {
    const warning = insecurityWarning(this.#target);
    if (warning !== undefined) this.#target.warn(warning);
    // One listener for all requests: one for each would be a leak in the eyes of Node.
    this.#target.signal.addEventListener('abort', this.#interrupt);
    const { openWire } = await import('./dispatcher.ts');
    return openWire(this.#target);
  }

  readonly #interrupt = (): void => {
    for (const exchange of this.#active) exchange.cancel(interruption(this.#target.signal));
  };

  async #attempt<R>(
    wire: Wire,
    trip: Trip,
    endpoint: EndpointShape,
    read: (answer: Answer) => Promise<R>,
  ): Promise<Sent<R> | Setback> {
    const { request, exchange, attempt } = trip;
    const target = this.#target;
    const began = performance.now();
    const clock = target.now();
    this.#tracer?.request(request);
    try {
      exchange.start(wire, {
        method: request.method,
        path: request.url.slice(target.baseUrl.origin.length),
        headers: request.headers,
        body: bodyText(request),
        bodyTimeout: this.#rules.stallMs ?? STALL_MS,
      });
      const answer = await exchange.answer;
      const { status, headers } = answer;
      this.#readClock(headers, (clock + target.now()) / 2);
      this.#tracer?.answer(request, attempt, performance.now() - began, status);
      if (status < 200 || status > 299) return await this.#refusal(answer, request, endpoint);
      checkHead(answer, endpoint, this.#rules);
      return { ...trip, answer, result: await read(answer) };
    } catch (error) {
      exchange.cancel(GIVEN_UP);
      const setback = this.#setback(wire.origin(error), trip);
      this.#tracer?.failure(request, attempt, performance.now() - began, setback.reason);
      return setback;
    }
  }

  #setback(thrown: unknown, { request, exchange }: Trip): Setback & { readonly reason: string } {
    const progress = exchange.progress(this.#target.baseUrl);
    const reason = reasonOf(thrown, progress);
    const unsure = request.effect !== 'read' && exchange.sent && reason.refused !== true;
    const error = toError(reason, lineOf(request), unsure, progress.status);
    return { error, reason: reason.text, again: reason.again === true };
  }

  #readClock(headers: AnswerHeaders, middle: number): void {
    const date = Date.parse(headers['date'] ?? '');
    if (!Number.isNaN(date)) this.clockSkewMs = date - middle;
  }

  async #refusal(answer: Answer, request: RequestValue, endpoint: EndpointShape): Promise<Setback> {
    const { status, headers, body } = answer;
    const text = (await body.start(LARGEST_ERROR_TEXT)).toString();
    const secrets = secretsOf(request, this.#target.secretHeaders);
    const failed = { status, headers, contentType: contentType(headers), text: withoutSecrets(text, secrets) };
    const explained = status >= 400 ? this.#rules.explain?.(failed, endpoint) : undefined;
    const error = explained ?? statusFailure(failed, lineOf(request), endpoint.effect);
    return { error, again: isPassing(status), retryAfter: headers['retry-after'] };
  }
}

function lineOf({ method, url }: RequestValue): string {
  return `${method} ${redactText(url)}`;
}

/** Checks what can be told before the body is there. */
function checkHead(
  { headers }: Answer,
  endpoint: EndpointShape,
  { maxAnswerBytes: limit = LARGEST_ANSWER }: ServiceRules,
): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  // Never asked for: a small compressed body can be a huge one.
  if (encoding !== 'identity') throw new JsonFault(`it is compressed (${encoding})`);
  if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const type = contentType(headers);
  if (type.includes('html')) throw new JsonFault('it is an HTML page, perhaps of a proxy');
  if (!hasAnswer(endpoint) || LENIENT_TYPES.has(type) || /[/+]json$/.test(type)) return;
  throw new JsonFault(`it is ${type}, not JSON`);
}

/** Whether a success of the endpoint has a JSON body. */
export function hasAnswer(endpoint: EndpointShape): boolean {
  return endpoint.answer !== undefined || endpoint.item !== undefined;
}

/** Services and their mocks often label JSON so: the parser has the last word. */
const LENIENT_TYPES = new Set(['', 'text/plain', 'text/json', 'application/octet-stream']);

function timeout(exchange: Exchange, ms: number, baseUrl: URL): SvcError {
  const { status, received } = exchange.progress(baseUrl);
  const within = `within ${ms / 1000} s`;
  if (status !== undefined)
    return new SvcError('timeout', `the answer was not complete ${within}, ${received} bytes came`);
  return new SvcError('timeout', exchange.sent ? `no answer ${within}` : `no connection ${within}`, {
    hint: 'allow more with --timeout',
  });
}

/** The reason a signal was aborted with. */
function interruption(signal: AbortSignal): SvcError {
  return signal.reason instanceof SvcError ? signal.reason : new SvcError('interrupted', 'interrupted');
}
