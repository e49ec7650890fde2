/** Sends one endpoint's request: dry run, confirmation, deadline, retries, the refresh after a 401, and what a failure means. */
import { endedBy, SvcError } from '../errors.ts';
import { contentType, errorInSuccess, type FailedAnswer, serviceMessage, statusFailure } from './answers.ts';
import { tooLarge } from './body.ts';
import type { CookieJar } from './cookie-jar.ts';
import { insecurityWarning } from './credential.ts';
import { Deadline, Deadlines } from './deadline.ts';
import { type CallValues, type Confirmed, type EndpointShape, Plan, type RequestValue } from './endpoint.ts';
import { type Answer, type AnswerHeaders, Exchange } from './exchange.ts';
import { reasonOf, toError } from './failures.ts';
import { JsonFault } from './json.ts';
import { proxyFor } from './proxy.ts';
import { redactText } from './redact.ts';
import { bodyText, type Headers, RequestBuilder } from './request.ts';
import { isPassing, MOST_RETRIES, parseRetryAfter, retryDelay } from './retry.ts';
import type { Target } from './target.ts';
import { shownHeaders, Tracer } from './tracer.ts';
import type { Wire } from './wire.ts';

/** What differs from service to service. */
export interface ServiceRules {
  /** What every path of the service begins with: `/api/v2`. */
  readonly basePath: string;
  /** The service's own reading of an answer of 400 and above; `undefined` leaves it to the common one. */
  explain?(answer: FailedAnswer, endpoint: EndpointShape): SvcError | undefined;
  /** Whether `explain` reads redirects, too. */
  readonly explainsRedirects?: true;
  readonly accept?: string;
  /** Of every request, whether it has a body or not. */
  readonly contentType?: string;
  /** Takes the cookies of answers, and gives them to requests. */
  readonly cookies?: CookieJar;
  readonly maxAnswerBytes?: number;
  /** Thousands of requests will follow each other. */
  readonly bulk?: boolean;
  /** Messages name the address without its query. */
  readonly hidesQuery?: true;
  /** Requests carry the id of a live session: no other program can send them. */
  readonly inSession?: true;
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
const FRESH: Headers = { 'cache-control': 'no-cache' };
/** What Go's server and nginx answer to a plain request at a port for TLS. */
const PLAIN_TO_TLS = /HTTP request (?:was sent )?to (?:an )?HTTPS (?:server|port)/i;
const GIVEN_UP = new SvcError('connection_lost', 'the rest of the answer is not wanted');

export class Sender {
  readonly #target: Target;
  readonly #rules: ServiceRules;
  readonly #tracer: Tracer | undefined;
  readonly #requests: RequestBuilder;
  readonly #origin: string;
  readonly #deadlines = new Deadlines();
  readonly #active = new Set<Exchange>();
  #wire: Promise<Wire> | undefined;
  #opened: Wire | undefined;
  #date = { text: '', ms: Number.NaN };
  /** The service's clock minus ours, of the latest answer that had a date. */
  clockSkewMs: number | undefined;
  /** For the messages of a websocket, where somebody wants to see them. */
  readonly traceFrame: Tracer['frame'] | undefined;

  constructor(target: Target, rules: ServiceRules) {
    this.#target = target;
    this.#rules = rules;
    this.#tracer = target.log.level === 0 ? undefined : new Tracer(target);
    this.traceFrame =
      target.log.level < 2 ? undefined : (direction, message) => this.#tracer?.frame(direction, message);
    target.secrets.addHeaders(target.headers, target.secretHeaders);
    this.#requests = new RequestBuilder(target, rules.basePath, rules.accept, rules.contentType);
    this.#origin = target.baseUrl.origin;
  }

  /** `read` takes from a success what the request is repeated for when it fails on the way. */
  async send<R>(
    endpoint: EndpointShape,
    values: CallValues,
    read: (answer: Answer) => R | Promise<R>,
    confirmed?: Confirmed,
  ): Promise<Sent<R>> {
    const target = this.#target;
    checkConfirmed(endpoint, confirmed);
    const { signal, authorizer, baseUrl } = target;
    const { timeoutMs = target.timeoutMs, upgrade } = values;
    const repeatable = endpoint.effect === 'read';
    const retries = repeatable && endpoint.method === 'GET' && endpoint.retry !== false ? MOST_RETRIES : 0;
    let exchange: Exchange | undefined;
    const expire = (): void => exchange?.cancel(timeout(exchange, timeoutMs, baseUrl));
    const deadline = new Deadline(this.#deadlines, timeoutMs, expire);
    let refreshed = false;
    for (let attempt = 1, failed = 0; ; attempt++) {
      // Awaited only where there is something to wait for: a command may send thousands of requests.
      const built = this.#request(endpoint, values);
      const request = built instanceof Promise ? await built : built;
      const wire = this.#opened ?? (await this.#connect());
      if (signal.aborted) throw interruption(signal);
      const current = new Exchange({
        deadline,
        limit: this.#rules.maxAnswerBytes ?? LARGEST_ANSWER,
        repeatable,
        tap: this.#tracer?.tap(),
        active: this.#active,
      });
      exchange = current;
      const trip = { request, exchange, attempt };
      const began = performance.now();
      const clock = target.now();
      let setback: Setback;
      try {
        this.#tracer?.request(request);
        current.start(wire, {
          method: request.method,
          path: request.url.slice(this.#origin.length),
          headers: request.headers,
          body: bodyText(request),
          bodyTimeout: this.#rules.stallMs ?? STALL_MS,
          upgrade: upgrade && 'websocket',
        });
        const answer = await current.answer;
        const { status, headers } = answer;
        this.#readClock(headers, (clock + target.now()) / 2);
        this.#rules.cookies?.take(headers['set-cookie'], clock);
        this.#tracer?.answer(request, attempt, performance.now() - began, status);
        if ((status >= 200 && status <= 299) || answer.socket !== undefined) {
          if (answer.socket === undefined) {
            checkHead(answer, endpoint, this.#rules);
            if (!endpoint.mislabelled && contentType(headers).includes('html')) throw await this.#page(answer);
          }
          const taken = read(answer);
          return { request, exchange, attempt, answer, result: taken instanceof Promise ? await taken : taken };
        }
        setback = await this.#refusal(answer, request, endpoint);
      } catch (error) {
        current.cancel(GIVEN_UP);
        const broken = this.#setback(wire.origin(error), trip);
        this.#tracer?.failure(request, attempt, performance.now() - began, broken.reason);
        setback = broken;
      }
      const { error, again, retryAfter } = setback;
      if (error.httpStatus === 401 && !refreshed && (await authorizer?.refresh?.())) {
        refreshed = true;
        continue;
      }
      if (!again || ++failed > retries) throw error;
      const delay = retryDelay(failed, retryAfter, target.now(), target.random());
      if (delay >= deadline.remaining) throw error;
      deadline.run();
      await target.sleep(delay, signal).finally(() => deadline.halt());
    }
  }

  /** Whether this is a dry run, in which the request is not sent. */
  plans({ effect }: EndpointShape): boolean {
    return this.#target.dryRun === true && effect !== 'read';
  }

  plan(endpoint: EndpointShape, values: CallValues): Plan {
    const { authorizer } = this.#target;
    // The credential is not asked for: that could connect to refresh it.
    const headers = authorizer === undefined ? NO_HEADERS : { authorization: '***' };
    return new Plan([{ ...this.#requests.build(endpoint, values, headers), inSession: this.#rules.inSession }]);
  }

  /** What a failure means in the user's words. An error of the program itself is thrown on. */
  failure(thrown: unknown, trip: Trip): SvcError {
    return this.#setback(thrown, trip).error;
  }

  /** The error text or page that a success holds in place of what was asked for, without secrets. */
  saidInstead({ answer }: Sent<unknown>, bytes: Buffer): string {
    const text = this.#target.secrets.hide(bytes.toString('utf8', 0, LARGEST_ERROR_TEXT));
    return errorInSuccess({ contentType: contentType(answer.headers), text });
  }

  /** What the head of an answer says, without secrets: those of its request, which it may repeat, among them. */
  shownHeaders({ answer }: Sent<unknown>): Record<string, string> {
    return shownHeaders(answer.headers, this.#target);
  }

  async close(): Promise<void> {
    this.#target.signal.removeEventListener('abort', this.#interrupt);
    const wire = await this.#wire?.catch(() => undefined);
    await wire?.close();
  }

  #request(endpoint: EndpointShape, values: CallValues): RequestValue | Promise<RequestValue> {
    const target = this.#target;
    if (endpoint.effect !== 'read') target.log.writing?.();
    const { cookies } = this.#rules;
    const isPlain = cookies === undefined && endpoint.fresh === undefined;
    const more = isPlain ? values.upgrade : { ...values.upgrade, ...cookies?.header(), ...(endpoint.fresh && FRESH) };
    if (more !== undefined) target.secrets.addHeaders(more);
    if (target.authorizer === undefined) return this.#requests.build(endpoint, values, more ?? NO_HEADERS);
    return target.authorizer.header().then((headers) => {
      target.secrets.addHeaders(headers);
      return this.#requests.build(endpoint, values, more === undefined ? headers : { ...headers, ...more });
    });
  }

  #connect(): Promise<Wire> {
    this.#wire ??= this.#open();
    return this.#wire;
  }

  async #open(): Promise<Wire> {
    const warning = insecurityWarning(this.#target);
    if (warning !== undefined) this.#target.log.warn(warning);
    // One listener for all requests: one for each would be a leak in the eyes of Node.
    this.#target.signal.addEventListener('abort', this.#interrupt);
    const { baseUrl, proxy } = this.#target;
    const direct = this.#rules.bulk === true && baseUrl.protocol === 'http:' && proxyFor(baseUrl, proxy) === undefined;
    const { openWire } = direct ? await import('./direct-wire.ts') : await import('./dispatcher.ts');
    this.#opened = await openWire(this.#target);
    return this.#opened;
  }

  readonly #interrupt = (): void => {
    for (const exchange of this.#active) exchange.cancel(interruption(this.#target.signal));
  };

  #setback(thrown: unknown, { request, exchange }: Trip): Setback & { readonly reason: string } {
    const progress = exchange.progress(this.#target.baseUrl);
    const found = reasonOf(thrown, progress);
    // It may name a type or an encoding that the service made up.
    const reason = { ...found, text: this.#target.secrets.hide(found.text) };
    const unsure = request.effect !== 'read' && exchange.sent && reason.refused !== true;
    const error = toError(reason, this.#line(request), unsure, progress.status);
    return { error, reason: reason.text, again: reason.again === true };
  }

  #line({ method, url }: RequestValue): string {
    const shown = this.#rules.hidesQuery ? url.replace(/\?.*/s, '') : url;
    return `${method} ${redactText(this.#target.secrets.hide(shown))}`;
  }

  async #page(answer: Answer): Promise<JsonFault> {
    const text = this.#target.secrets.hide((await answer.body.start(LARGEST_ERROR_TEXT)).toString());
    const page = serviceMessage({ contentType: 'text/html', text });
    return new JsonFault(
      `it is ${page}, perhaps of a proxy`,
      'check the address, and whether a proxy wants you to sign in',
    );
  }

  #readClock({ date = '' }: AnswerHeaders, middle: number): void {
    // Answers in a row have the same date.
    if (date !== this.#date.text) this.#date = { text: date, ms: Date.parse(date) };
    if (!Number.isNaN(this.#date.ms)) this.clockSkewMs = this.#date.ms - middle;
  }

  async #refusal(answer: Answer, request: RequestValue, endpoint: EndpointShape): Promise<Setback> {
    const { status, headers, body } = answer;
    const text = (await body.start(LARGEST_ERROR_TEXT)).toString();
    const told = this.#target.secrets.hide(text);
    const after = parseRetryAfter(headers['retry-after'], this.#target.now());
    const retryAt = after === undefined ? undefined : new Date(this.#target.now() + after).toISOString();
    const credentialSent = Object.keys(request.headers).some((name) => name.toLowerCase() === 'authorization');
    const location =
      headers['location'] === undefined ? {} : { location: this.#target.secrets.hide(headers['location']) };
    const shown = { ...headers, ...location };
    const failed = { status, headers: shown, contentType: contentType(headers), text: told, retryAt, credentialSent };
    if (status === 400 && this.#target.baseUrl.protocol === 'http:' && PLAIN_TO_TLS.test(text)) {
      const error = new SvcError('tls_failed', `${this.#target.baseUrl.host} speaks TLS`, {
        httpStatus: status,
        hint: 'write the address with https://',
      });
      return { error, again: false };
    }
    const explainable = status >= (this.#rules.explainsRedirects ? 300 : 400);
    const explained = explainable ? this.#rules.explain?.(failed, endpoint) : undefined;
    const error = explained ?? statusFailure(failed, this.#line(request), endpoint.effect);
    return { error, again: isPassing(status), retryAfter: headers['retry-after'] };
  }
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
  if (endpoint.mislabelled) return;
  if (!hasAnswer(endpoint) || type.includes('html') || LENIENT_TYPES.has(type) || /[/+]json$/.test(type)) return;
  throw new JsonFault(`it is ${type}, not JSON`);
}

/** The types require the proof of a caller that names its endpoint; this covers endpoints that are made at run time. */
function checkConfirmed({ method, path, effect }: EndpointShape, confirmed: Confirmed | undefined): void {
  if ((effect !== 'destroy' && effect !== 'money') || confirmed !== undefined) return;
  throw new SvcError('internal', `${method} ${path} was not confirmed; nothing was sent`);
}

/** Whether a success of the endpoint has a JSON body. */
export function hasAnswer(endpoint: EndpointShape): boolean {
  return endpoint.answer !== undefined || endpoint.item !== undefined;
}

/** Services and their mocks often label JSON so: the parser has the last word. */
export const LENIENT_TYPES = new Set(['', 'text/plain', 'text/json', 'application/octet-stream']);

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
  return signal.reason instanceof SvcError ? signal.reason : endedBy('SIGINT');
}
