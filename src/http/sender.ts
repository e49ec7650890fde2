/** Sends one endpoint's request: dry run, confirmation, deadline, retries, the refresh after a 401, and what a failure means. */
import { SvcError } from '../errors.ts';
import { insecurityWarning } from './address.ts';
import {
  contentType,
  errorInSuccess,
  type FailedAnswer,
  isPassing,
  parseRetryAfter,
  retryDelay,
  serviceMessage,
  statusFailure,
} from './answers.ts';
import { Deadline, tooLarge } from './body.ts';
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
import { type Reason, toError } from './failures.ts';
import { JsonFault } from './json.ts';
import { secretsIn } from './known-secrets.ts';
import { redactText } from './redact.ts';
import type { Target } from './target.ts';
import { type Exchange, type Response, type ResponseHeaders, shownHeaders, Transport } from './transport.ts';

export interface ServiceRules extends RequestRules {
  /** The service's own interpretation of a status of 400 or above; `undefined` uses the common one. */
  explain?(answer: FailedAnswer, endpoint: EndpointShape): SvcError | undefined;
  /** Whether `explain` also handles redirects. */
  readonly explainsRedirects?: true;
  /** Takes cookies from responses and adds them to requests. */
  readonly cookies?: {
    /** The lines of `set-cookie`. */
    take(lines: string | undefined): void;
    header(): { readonly cookie?: string };
  };
  readonly maxAnswerBytes?: number;
  /** Messages show the address without its query. */
  readonly hidesQuery?: true;
  /** Requests contain the id of a live session, so no other program can send them. */
  readonly inSession?: true;
  /** The longest silence within a response's body, 60 s by default. */
  readonly stallMs?: number;
}

export interface Sent<R> {
  readonly exchange: Exchange;
  readonly response: Response;
  readonly result: R;
}

interface Failure {
  readonly error: SvcError;
  readonly again: boolean;
  readonly retryAfter?: string | undefined;
}

const NONE: ReadonlySet<string> = new Set();
const MOST_RETRIES = 3;
const LARGEST_ANSWER = 512 * 1024 * 1024;
const LARGEST_ERROR_TEXT = 64 * 1024;
const STALL_MS = 60_000;
/** The response of Go's server and nginx to plain http on a TLS port. */
const PLAIN_TO_TLS = /HTTP request (?:was sent )?to (?:an )?HTTPS (?:server|port)/i;

export class Sender {
  readonly #target: Target;
  readonly #rules: ServiceRules;
  readonly #transport: Transport;
  #warned = false;
  /** The service's clock minus ours, from the latest response with a date. */
  clockSkewMs: number | undefined;

  constructor(target: Target, rules: ServiceRules) {
    this.#target = target;
    this.#rules = rules;
    this.#transport = new Transport(target, target.secretHeaders);
    for (const secret of secretsIn(target.headers, target.secretHeaders)) target.secrets.add(secret);
  }

  /** `read` takes from a successful response the part whose failure leads to a retry. */
  async send<R>(
    endpoint: EndpointShape,
    values: CallValues,
    read: (response: Response) => R | Promise<R>,
    confirmed?: Confirmed,
  ): Promise<Sent<R>> {
    checkConfirmed(endpoint, confirmed);
    const { baseUrl, authorizer, now, random } = this.#target;
    const { origin } = baseUrl;
    const { maxAnswerBytes: limit = LARGEST_ANSWER, stallMs: bodyTimeout = STALL_MS } = this.#rules;
    const { timeoutMs = this.#target.timeoutMs, upgrade } = values;
    const repeatable = endpoint.effect === 'read';
    const retries = repeatable && endpoint.method === 'GET' && endpoint.retry !== false ? MOST_RETRIES : 0;
    let exchange: Exchange | undefined;
    const deadline = new Deadline(timeoutMs, () => exchange?.cancelLate(timeoutMs, 'allow more time with --timeout'));
    let refreshed = false;
    for (let attempt = 1, failed = 0; ; attempt++) {
      const request = await this.#request(endpoint, values);
      this.#warn();
      const { method, headers } = request;
      exchange = await this.#transport.start(
        origin,
        {
          method,
          path: request.url.slice(origin.length),
          headers: Object.entries(headers).flat(),
          body: bodyText(request),
          bodyTimeout,
          urgent: endpoint.urgent,
          upgrade: upgrade && 'websocket',
        },
        { request, deadline, attempt, limit, repeatable },
      );
      const outcome = await this.#receive(exchange, endpoint, limit, read);
      if ('result' in outcome) return outcome;
      const { error, again, retryAfter } = outcome;
      if (error.httpStatus === 401 && !refreshed && (await authorizer?.refresh?.())) {
        refreshed = true;
        continue;
      }
      if (!again || ++failed > retries) throw error;
      const delay = retryDelay(failed, retryAfter, now(), random());
      if (delay >= deadline.remaining) throw error;
      await this.#waitToRetry(delay, deadline);
    }
  }

  /** The result of a successful response, or what its failure means. */
  async #receive<R>(
    exchange: Exchange,
    endpoint: EndpointShape,
    limit: number,
    read: (response: Response) => R | Promise<R>,
  ): Promise<Sent<R> | Failure> {
    const { now } = this.#target;
    const clock = now();
    try {
      const response = await exchange.response;
      const { status, headers, socket } = response;
      this.#readClock(headers, (clock + now()) / 2);
      this.#rules.cookies?.take(headers['set-cookie']);
      if (socket !== undefined) return { exchange, response, result: await read(response) };
      if (status < 200 || status > 299) return await this.#refusal(response, exchange.request, endpoint);
      checkHead(response, endpoint, limit);
      if (!endpoint.mislabeled && contentType(headers).includes('html')) throw await this.#page(response);
      return { exchange, response, result: await read(response) };
    } catch (error) {
      const reason = exchange.failed(error);
      return { error: this.#toError(reason, exchange), again: reason.again === true };
    }
  }

  /** The wait counts against the deadline. */
  async #waitToRetry(delay: number, deadline: Deadline): Promise<void> {
    const { baseUrl, sleep, signal, log } = this.#target;
    deadline.run();
    const waited = log.waiting?.(baseUrl.host);
    await sleep(delay, signal).finally(() => {
      deadline.halt();
      waited?.();
    });
  }

  /** Whether this is a dry run, in which no request is sent. */
  plans({ effect }: EndpointShape): boolean {
    return this.#target.dryRun === true && effect !== 'read';
  }

  plan(endpoint: EndpointShape, values: CallValues): Plan {
    // The credential is not requested: that might connect to refresh it.
    const credential = this.#target.authorizer === undefined ? undefined : { authorization: '***' };
    const request = buildRequest(this.#target, this.#rules, endpoint, values, credential);
    return new Plan([{ ...request, inSession: this.#rules.inSession }]);
  }

  /** Reports the rows that are left out of a response because they cannot be read. */
  omit({ path }: EndpointShape, rows: readonly string[]): void {
    for (const row of rows) this.#target.log.omit?.(`left out of the response of ${path}: ${row}`);
  }

  /** What a failure means to the user. A bug is rethrown. */
  failure(thrown: unknown, exchange: Exchange): SvcError {
    return this.#toError(exchange.reasonOf(thrown), exchange);
  }

  /** The error text or page in a successful response that should have had data, without secrets. */
  saidInstead({ headers }: Response, bytes: Buffer): string {
    const text = this.#target.secrets.hide(bytes.toString('utf8', 0, LARGEST_ERROR_TEXT));
    return errorInSuccess({ contentType: contentType(headers), text });
  }

  /** What the headers of a response say, without secrets, including those of the request, which it may repeat. */
  shownHeaders({ headers }: Response): Record<string, string> {
    return shownHeaders(headers, this.#target.secretHeaders, this.#target);
  }

  traceFrame(direction: 'sent' | 'received', message: string): void {
    this.#transport.tracer?.frame(direction, message);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async #request(endpoint: EndpointShape, values: CallValues): Promise<RequestValue> {
    const { log, secrets, authorizer } = this.#target;
    if (endpoint.effect !== 'read') log.writing?.();
    const headers = {
      ...(await authorizer?.header()),
      ...values.upgrade,
      ...this.#rules.cookies?.header(),
      ...(endpoint.fresh && { 'cache-control': 'no-cache' }),
    };
    for (const secret of secretsIn(headers, NONE)) secrets.addPassing(secret);
    return buildRequest(this.#target, this.#rules, endpoint, values, headers);
  }

  /** Once, and not before something is sent. */
  #warn(): void {
    const warning = this.#warned ? undefined : insecurityWarning(this.#target);
    this.#warned = true;
    if (warning !== undefined) this.#target.log.warn(warning);
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

  async #page({ body }: Response): Promise<JsonFault> {
    const text = this.#target.secrets.hide((await body.start(LARGEST_ERROR_TEXT)).toString());
    const page = serviceMessage({ contentType: 'text/html', text });
    return new JsonFault(
      `it is ${page}, perhaps from a proxy`,
      'check the address, and whether a proxy requires you to sign in',
    );
  }

  #readClock({ date = '' }: ResponseHeaders, middle: number): void {
    const ms = Date.parse(date);
    if (!Number.isNaN(ms)) this.clockSkewMs = ms - middle;
  }

  async #refusal(
    { status, headers, body }: Response,
    request: RequestValue,
    endpoint: EndpointShape,
  ): Promise<Failure> {
    const { baseUrl, secrets, now, authorizer } = this.#target;
    const text = (await body.start(LARGEST_ERROR_TEXT)).toString();
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
      credentialSent: 'authorization' in request.headers,
      credentialSource: authorizer?.source,
    };
    const explainable = status >= (this.#rules.explainsRedirects ? 300 : 400);
    const explained = explainable ? this.#rules.explain?.(failed, endpoint) : undefined;
    const error = explained ?? statusFailure(failed, this.#line(request), endpoint.effect);
    return { error, again: isPassing(status, error), retryAfter };
  }
}

/** Checks what is known before the body arrives. */
function checkHead({ headers }: Response, endpoint: EndpointShape, limit: number): void {
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

/** The types require the proof for endpoints known at compile time; this covers endpoints made at run time. */
function checkConfirmed({ method, path, effect }: EndpointShape, confirmed: Confirmed | undefined): void {
  if ((effect !== 'destroy' && effect !== 'money') || confirmed !== undefined) return;
  throw new SvcError('internal', `${method} ${path} was not confirmed; nothing was sent`);
}

/** Services and their mocks often label JSON like this: the parser decides. */
export const LENIENT_TYPES = new Set(['', 'text/plain', 'text/json', 'application/octet-stream']);
