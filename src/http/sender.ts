/** Sends one endpoint's request, with its dry run, confirmation, deadline, retries and failures. */
import { setMaxListeners } from 'node:events';
import { SvcError } from '../errors.ts';
import { checkConnection } from './address.ts';
import {
  errorInSuccess,
  type FailedAnswer,
  isPassing,
  parseRetryAfter,
  retryDelay,
  serviceMessage,
  statusFailure,
} from './answers.ts';
import {
  bodyText,
  buildRequest,
  type CallValues,
  type Confirmed,
  type EndpointShape,
  Plan,
  type RequestRules,
  type RequestValue,
} from './endpoint.ts';
import { type Deadline, Exchange, type ExchangeLimits, type Head, type ResponseHeaders } from './exchange.ts';
import { interruption, type Reason, toError, tooLarge } from './failures.ts';
import { JsonFault } from './json.ts';
import type { Pool, PoolRequest } from './pool.ts';
import { redactText, secretsIn } from './redact.ts';
import type { Outbound, Target } from './target.ts';
import { shownHeaders, Trace } from './trace.ts';

export interface ServiceRules extends RequestRules {
  /** The service's own reading of a status of 400 or above; `undefined` uses the common one. */
  explain?(answer: FailedAnswer, endpoint: EndpointShape): SvcError | undefined;
  /** Takes cookies from responses and adds them to requests. */
  readonly cookies?: CookieJar;
  readonly maxAnswerBytes?: number;
  /** Messages show the address without its query. */
  readonly hidesQuery?: true;
  /** Requests contain the id of a live session, so no other program can send them. */
  readonly inSession?: true;
  /** The longest silence within a response's body, 60 s by default. */
  readonly stallMs?: number;
}

/** How much of the body must arrive: until then a failure may lead to a retry. */
export type Reading = 'all' | 'first' | 'none';

export interface Response extends Head {
  /** The part of the body that was read already. */
  readonly start: Buffer;
  /** Brings the rest. */
  readonly exchange: Exchange;
}

interface Failure {
  readonly error: SvcError;
  readonly again: boolean;
  readonly retryAfter?: string | undefined;
}

const NONE: ReadonlySet<string> = new Set();
const MOST_RETRIES = 3;
const LARGEST_ANSWER = 512 * 1024 * 1024;
/** The largest response read as one value: text and result take six times as much memory. */
const LARGEST_WHOLE = 24 * 1024 * 1024;
export const LARGEST_FIRST = 4 * 1024 * 1024;
const LEAST = { all: LARGEST_WHOLE + 1, first: LARGEST_FIRST + 1 };
const NO_BYTES = Buffer.alloc(0);
const LARGEST_ERROR_TEXT = 64 * 1024;
const STALL_MS = 60_000;
/** The response of Go's server and nginx to plain http on a TLS port. */
const PLAIN_TO_TLS = /HTTP request (?:was sent )?to (?:an )?HTTPS (?:server|port)/i;

export class Sender {
  readonly #target: Target;
  readonly #rules: ServiceRules;
  readonly #transport: Transport;
  /** Printed once, and not before something is sent. */
  #warning: string | undefined;
  /** The service's clock minus ours, from the latest response with a date. */
  clockSkewMs: number | undefined;

  /** Throws `credential_unusable` if the address must not get the credential. Does not connect. */
  constructor(target: Target, rules: ServiceRules) {
    this.#target = target;
    this.#rules = rules;
    this.#transport = new Transport(target, target.secretHeaders);
    this.#warning = checkConnection(target);
    for (const secret of secretsIn(target.headers, target.secretHeaders)) target.secrets.add(secret);
  }

  /** Sends a request and returns the response if it is a success. A write is sent once. */
  async request(
    endpoint: EndpointShape,
    values: CallValues,
    reading: Reading,
    confirmed?: Confirmed,
  ): Promise<Response> {
    checkConfirmed(endpoint, confirmed);
    const { method, effect } = endpoint;
    const { authorizer, now, random } = this.#target;
    const { timeoutMs: ms = this.#target.timeoutMs } = values;
    const deadline = { ms, left: ms, hint: 'allow more time with --timeout' };
    const retries = effect === 'read' && method === 'GET' && endpoint.retry !== false ? MOST_RETRIES : 0;
    let refreshed = false;
    for (let attempt = 1, failed = 0; ; attempt++) {
      const exchange = await this.#send(endpoint, values, deadline, attempt);
      const outcome = await this.#receive(exchange, endpoint, reading);
      if ('exchange' in outcome) return outcome;
      const { error, again, retryAfter } = outcome;
      if (error.httpStatus === 401 && !refreshed && (await authorizer?.refresh?.())) {
        refreshed = true;
        continue;
      }
      if (!again || ++failed > retries) throw error;
      const delay = retryDelay(failed, retryAfter, now(), random());
      if (delay >= deadline.left) throw error;
      deadline.left -= delay;
      await this.#pause(delay);
    }
  }

  async #send(endpoint: EndpointShape, values: CallValues, deadline: Deadline, attempt: number): Promise<Exchange> {
    const { log, secrets, authorizer, baseUrl } = this.#target;
    const { cookies, stallMs: bodyTimeout = STALL_MS, maxAnswerBytes = LARGEST_ANSWER } = this.#rules;
    if (endpoint.effect !== 'read') log.writing?.();
    const more = {
      ...(await authorizer?.header()),
      ...cookies?.header(),
      ...(endpoint.fresh && { 'cache-control': 'no-cache' }),
    };
    for (const secret of secretsIn(more, NONE)) secrets.addPassing(secret);
    const request = buildRequest(this.#target, this.#rules, endpoint, values, more);
    if (this.#warning !== undefined) log.warn(this.#warning);
    this.#warning = undefined;
    const wire = {
      method: request.method,
      path: request.url.slice(baseUrl.origin.length),
      headers: Object.entries(request.headers).flat(),
      body: bodyText(request),
      bodyTimeout,
    };
    return this.#transport.send(request, wire, { deadline, bytes: maxAnswerBytes }, attempt);
  }

  /** A successful response, or what its failure means. */
  async #receive(exchange: Exchange, endpoint: EndpointShape, reading: Reading): Promise<Response | Failure> {
    const { now } = this.#target;
    const sentAt = now();
    try {
      const head = await exchange.readHead();
      const { status, headers } = head;
      const serverTime = Date.parse(headers['date'] ?? '');
      if (!Number.isNaN(serverTime)) this.clockSkewMs = serverTime - (sentAt + now()) / 2;
      this.#rules.cookies?.take(headers['set-cookie']);
      if (status < 200 || status > 299) return await this.#refusal(head, exchange, endpoint);
      checkHead(headers, endpoint, this.#rules.maxAnswerBytes ?? LARGEST_ANSWER);
      if (!endpoint.mislabeled && contentType(headers).includes('html')) throw await this.#page(exchange);
      const start = reading === 'none' ? NO_BYTES : await exchange.read(LEAST[reading]);
      if (reading === 'all' && start.length > LARGEST_WHOLE) throw tooLarge(LARGEST_WHOLE);
      return { ...head, exchange, start };
    } catch (error) {
      const reason = exchange.fail(error);
      return { error: this.#toError(reason, exchange), again: reason.again === true };
    }
  }

  async #pause(delay: number): Promise<void> {
    const { baseUrl, sleep, signal, log } = this.#target;
    const endWaiting = log.waiting?.(baseUrl.host);
    await sleep(delay, signal).finally(endWaiting);
  }

  /** Whether this is a dry run, in which no request is sent. */
  plans({ effect }: EndpointShape): boolean {
    return this.#target.dryRun === true && effect !== 'read';
  }

  /** What a dry run shows of a request. */
  plan(endpoint: EndpointShape, values: CallValues = {}): Plan {
    // The credential is not requested: that might connect to refresh it.
    const credential = this.#target.authorizer === undefined ? undefined : { authorization: '***' };
    const request = buildRequest(this.#target, this.#rules, endpoint, values, credential);
    return new Plan([{ ...request, inSession: this.#rules.inSession }]);
  }

  /** Reports a row that is left out of a response because it cannot be read. */
  omit({ path }: EndpointShape, row: string): void {
    this.#target.log.omit?.(`left out of the response of ${path}: ${row}`);
  }

  /** `start` is the first bytes of the response, which may say what is wrong. A bug is rethrown. */
  explain(thrown: unknown, { exchange, headers, start: read }: Response, start = read): SvcError {
    const reason = exchange.fail(thrown);
    if (!(thrown instanceof JsonFault)) return this.#toError(reason, exchange);
    const text = this.#target.secrets.hide(start.toString('utf8', 0, LARGEST_ERROR_TEXT));
    const instead = errorInSuccess({ contentType: contentType(headers), text });
    if (instead === '') return this.#toError(reason, exchange);
    return this.#toError({ ...reason, text: `${reason.text}, but says: ${instead}` }, exchange);
  }

  /** Without secrets, including those of the request, which a response may repeat. */
  shownHeaders({ headers }: Head): Record<string, string> {
    return shownHeaders(headers, this.#target.secretHeaders, this.#target);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  #toError(reason: Reason, { request, sent, status }: Exchange): SvcError {
    const unsure = request.effect !== 'read' && sent && reason.refused !== true;
    // It may contain a type or an encoding that the service made up.
    const text = this.#target.secrets.hide(reason.text);
    return toError({ ...reason, text }, this.#line(request), unsure, status);
  }

  #line({ method, url }: RequestValue): string {
    const shown = this.#rules.hidesQuery ? url.replace(/\?.*/s, '') : url;
    return `${method} ${redactText(this.#target.secrets.hide(shown))}`;
  }

  async #page(exchange: Exchange): Promise<JsonFault> {
    const text = this.#target.secrets.hide((await exchange.readStart(LARGEST_ERROR_TEXT)).toString());
    const page = serviceMessage({ contentType: 'text/html', text });
    return new JsonFault(
      `it is ${page}, perhaps from a proxy`,
      'check the address, and whether a proxy requires you to sign in',
    );
  }

  async #refusal({ status, headers }: Head, exchange: Exchange, endpoint: EndpointShape): Promise<Failure> {
    const { baseUrl, secrets, now, authorizer } = this.#target;
    const text = (await exchange.readStart(LARGEST_ERROR_TEXT)).toString();
    if (status === 400 && baseUrl.protocol === 'http:' && PLAIN_TO_TLS.test(text)) {
      const hint = 'write the address with https://';
      return {
        error: new SvcError('tls_failed', `${baseUrl.host} speaks TLS`, { httpStatus: status, hint }),
        again: false,
      };
    }
    const { location, 'retry-after': retryAfter } = headers;
    const after = parseRetryAfter(retryAfter, now());
    const failed: FailedAnswer = {
      status,
      headers: location === undefined ? headers : { ...headers, location: secrets.hide(location) },
      contentType: contentType(headers),
      text: secrets.hide(text),
      retryAt: after === undefined ? undefined : new Date(now() + after).toISOString(),
      credentialSent: 'authorization' in exchange.request.headers,
      credentialSource: authorizer?.source,
    };
    const explainable = status >= 400;
    const explained = explainable ? this.#rules.explain?.(failed, endpoint) : undefined;
    const error = explained ?? statusFailure(failed, this.#line(exchange.request), endpoint.effect);
    return { error, again: isPassing(status, error), retryAfter };
  }
}

/** Without parameters, in lower case. */
export function contentType(headers: ResponseHeaders): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Checks what is known before the body arrives. */
function checkHead(headers: ResponseHeaders, endpoint: EndpointShape, limit: number): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  // Never requested: a small compressed body can be huge.
  if (encoding !== 'identity') throw new JsonFault(`it is compressed (${encoding})`);
  if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const type = contentType(headers);
  // An endpoint with neither has no JSON in a successful response.
  if (endpoint.mislabeled || (endpoint.answer ?? endpoint.item) === undefined) return;
  if (type.includes('html') || LENIENT_TYPES.has(type) || /[/+]json$/.test(type)) return;
  throw new JsonFault(`it is ${type}, not JSON`);
}

/** For endpoints made at run time; the types require the proof for all others. */
function checkConfirmed({ method, path, effect }: EndpointShape, confirmed: Confirmed | undefined): void {
  if ((effect !== 'destroy' && effect !== 'money') || confirmed !== undefined) return;
  throw new SvcError('internal', `${method} ${path} was not confirmed; nothing was sent`);
}

/** Services and their mocks often label JSON like this: the parser decides. */
export const LENIENT_TYPES = new Set(['', 'text/plain', 'text/json', 'application/octet-stream']);

/** A balancer, which finds the node of a connection by them, needs only a few. */
const MOST_COOKIES = 50;
const LONGEST_COOKIE = 4096;

/** Requests go to one origin, and a cookie lives as long as its connection: the rest is ignored. */
export class CookieJar {
  readonly #cookies = new Map<string, string>();

  /** Reads the lines of `set-cookie`. */
  take(lines: string | undefined): void {
    for (const line of lines?.split('\n') ?? []) {
      const [pair = ''] = line.split(';');
      const equals = pair.indexOf('=');
      const name = pair.slice(0, equals).trim();
      const value = pair.slice(equals + 1).trim();
      if (equals < 1 || line.length > LONGEST_COOKIE || /[^\x21-\x7e]/.test(name + value)) continue;
      this.#cookies.delete(name);
      if (value !== '' && this.#cookies.size < MOST_COOKIES) this.#cookies.set(name, value);
    }
  }

  header(): { readonly cookie?: string } {
    const pairs: string[] = [];
    for (const [name, value] of this.#cookies) pairs.push(`${name}=${value}`);
    return pairs.length === 0 ? {} : { cookie: pairs.join('; ') };
  }

  clear(): void {
    this.#cookies.clear();
  }
}

export class Transport {
  readonly #outbound: Outbound;
  readonly #secretHeaders: ReadonlySet<string>;
  readonly #pools = new Map<string, Promise<Pool>>();

  /** `secretHeaders`, in lower case, are not shown. */
  constructor(outbound: Outbound, secretHeaders: ReadonlySet<string> = new Set()) {
    this.#outbound = outbound;
    this.#secretHeaders = secretHeaders;
    // Each exchange listens: Node.js would report more than ten as a leak.
    setMaxListeners(0, outbound.signal);
  }

  /**
   * `request` is the form that is shown, and `wire` the form that is sent. Throws if it cannot be
   * sent at all, or after an interruption.
   */
  async send(request: RequestValue, wire: PoolRequest, limits: ExchangeLimits, attempt: number): Promise<Exchange> {
    const { signal, log } = this.#outbound;
    const { origin } = new URL(request.url);
    const opening = this.#pools.get(origin) ?? this.#openPool(origin);
    this.#pools.set(origin, opening);
    const pool = await opening;
    if (signal.aborted) throw interruption(signal);
    const trace = log.level === 0 ? undefined : new Trace(request, attempt, this.#outbound, this.#secretHeaders);
    const exchange = new Exchange(pool, request, limits, this.#outbound, trace);
    pool.dispatch(wire, exchange);
    return exchange;
  }

  async close(): Promise<void> {
    const pools = await Promise.allSettled(this.#pools.values());
    await Promise.all(pools.map((opened) => (opened.status === 'fulfilled' ? opened.value.close() : undefined)));
  }

  async #openPool(origin: string): Promise<Pool> {
    const { openPool } = await import('./pool.ts');
    return openPool(new URL(origin), this.#outbound);
  }
}
