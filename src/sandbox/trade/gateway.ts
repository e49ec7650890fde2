/** The HTTP requests beside the connection: who may send them, responses, and their traps. */
import { findRoute, json, Refusal, type Request, type Response } from '../http.ts';
import { hostile, withoutHostile } from '../traps.ts';
import type { EngineServer } from './engine-server.ts';
import type { EngineSession } from './engine-session.ts';
import { errorText, Form, refusal } from './form.ts';
import { EXECUTION_MS, type Exchange, type MatchingEngine } from './matching-engine.ts';
import { orderHandlers } from './orders.ts';
import { NOT_HOSTILE } from './outbox.ts';
import { tableHandlers } from './tables.ts';

interface GatewayOptions {
  readonly exchange: Exchange;
  readonly matching: MatchingEngine;
  readonly engine: EngineServer;
  readonly token: string;
  readonly hasCallLimits: boolean;
}

const FORM = 'application/x-www-form-urlencoded';
const ACCOUNTS = '/trading/get_model/Accounts';
/** Candles, even the current one. */
const CACHED = { 'cache-control': 'public, max-age=86400' };

export class Gateway {
  readonly #options: GatewayOptions;
  readonly #orders: ReturnType<typeof orderHandlers>;
  readonly #tables: ReturnType<typeof tableHandlers>;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#orders = orderHandlers(options.exchange, options.matching);
    this.#tables = tableHandlers(options.exchange, options.hasCallLimits);
  }

  respond(request: Request): Response {
    const path = request.path.replace(/(?<=.)\/$/, '');
    const route = `${request.method} ${path}`;
    const isHidden = path === ACCOUNTS && this.#options.exchange.traps.has('accounts-path-404');
    const [order] = findRoute(this.#orders, route) ?? [];
    const [table, parts = []] = (isHidden ? undefined : findRoute(this.#tables, route)) ?? [];
    if (order === undefined && table === undefined) {
      return this.#json(404, { Code: 404, Message: `Cannot ${request.method} ${request.path}` });
    }
    const wrong = findWrongHeader(request);
    if (wrong !== undefined) return this.#json(400, { Code: 400, Message: `Bad request: ${wrong}` });
    const session = this.#sessionOf(request);
    const form = formOf(request);
    const headers = path.startsWith('/candles/') ? CACHED : {};
    try {
      if (session === undefined) throw refusal('Unauthorized', emptyOf(path));
      if (order !== undefined) return this.#placeOrder(order, form);
      const beside = table?.(form, session, ...parts);
      return this.#json(200, { response: { executed: true }, ...beside }, headers);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return this.#json(error.status, error.value);
    }
  }

  /** The response to an order, which the traps change. */
  #placeOrder(place: (form: Form) => unknown, form: Form): Response {
    const { traps, fast } = this.#options.exchange;
    const failed = this.#json(500, { Code: 500, Message: 'Internal Server Error' });
    if (traps.has('order-500')) return failed;
    const data = place(form);
    if (traps.has('order-500-applied')) return failed;
    const error = errorText(99, 'The request was sent to the dealer, and no confirmation came');
    const value = traps.has('executed-with-error')
      ? { response: { executed: true, error }, data: null }
      : { response: { executed: true }, data };
    const delayMs = traps.has('push-before-answer') ? EXECUTION_MS / fast : undefined;
    return { ...this.#json(200, value), delayMs, lost: traps.has('lost-order-answer') };
  }

  /** The bearer is the id of the session, followed by the token with nothing in between. */
  #sessionOf({ headers, message }: Request): EngineSession | undefined {
    const { token, engine } = this.#options;
    const given = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    if (!given.endsWith(token)) return undefined;
    const session = engine.find(given.slice(0, -token.length), message);
    return session?.connected === true ? session : undefined;
  }

  #json(status: number, value: unknown, headers: Response['headers'] = {}): Response {
    const isHostile = this.#options.exchange.traps.has('hostile-gateway');
    return json(status, isHostile ? hostile(value, NOT_HOSTILE) : value, headers);
  }
}

/** The query of a GET, the body of anything else. */
export function parametersOf({ method, query, body }: Request): URLSearchParams {
  return new URLSearchParams(method === 'GET' ? query : body.toString('utf8'));
}

function formOf(request: Request): Form {
  const form = new URLSearchParams();
  for (const [name, value] of parametersOf(request)) form.append(name, withoutHostile(value));
  return new Form(form);
}

/** Doc 3 §4 requires these on every request, also on a GET. */
function findWrongHeader({ headers, message }: Request): string | undefined {
  if (message.httpVersion !== '1.1') return 'HTTP/1.1 is required';
  if (!headers['user-agent']) return 'User-Agent is required';
  if (!/\bapplication\/json\b/.test(headers.accept ?? '')) return 'Accept: application/json is required';
  if (!headers['content-type']?.startsWith(FORM)) return `Content-Type: ${FORM} is required`;
  return undefined;
}

/** Some refusals contain empty values of what was requested. */
function emptyOf(path: string): object {
  if (path.startsWith('/candles/')) return { instrument_id: 0, period_id: 0, candles: [] };
  return /^\/(?:un)?subscribe$/.test(path) ? { pairs: [] } : {};
}
