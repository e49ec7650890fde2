/** The requests of HTTP beside the connection: who may ask, what is answered, and the traps that answers have. */
import type { IncomingMessage } from 'node:http';
import { hostile, type TradeTrap, withoutHostile } from '../traps.ts';
import type { EngineServer } from './engine-server.ts';
import type { EngineSession } from './engine-session.ts';
import { Form } from './form.ts';
import type { OrderRequests } from './order-requests.ts';
import { HOSTILE_KEPT } from './outbox.ts';
import { Refused, refused } from './refusals.ts';
import type { TableRequests } from './table-requests.ts';

export interface GatewayOptions {
  readonly token: string;
  readonly engine: EngineServer;
  readonly orders: OrderRequests;
  readonly tables: TableRequests;
  readonly traps: ReadonlySet<TradeTrap>;
}

export interface GatewayAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** It is of a request that trades. */
  readonly isOrder?: boolean;
}

const FORM = 'application/x-www-form-urlencoded';
const CANDLES = /^\/candles\/([^/]+)\/([^/]+)$/;
const ACCOUNTS = '/trading/get_model/Accounts';
/** Of candles even the last, which goes on. */
const CACHED = { 'cache-control': 'public, max-age=86400' };

export class Gateway {
  readonly #options: GatewayOptions;

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  answer(request: IncomingMessage, path: string, query: string, body: string): GatewayAnswer {
    const { traps } = this.#options;
    const { method = 'GET' } = request;
    const clean = path.replace(/(?<=.)\/$/, '');
    const form = new Form(method === 'GET' ? query : body, traps.has('hostile-gateway') ? withoutHostile : undefined);
    const handler = this.#find(method, clean, form);
    if (handler === undefined) return this.#json(404, { Code: 404, Message: `Cannot ${method} ${path}` });
    const wrong = wrongHeader(request);
    if (wrong !== undefined) return this.#json(400, { Code: 400, Message: `Bad request: ${wrong}` });
    const session = this.#sessionOf(request);
    const headers = CANDLES.test(clean) ? CACHED : {};
    try {
      if (session === undefined) throw new Refused('Unauthorized', emptyOf(clean));
      return { ...handler(session), headers };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return this.#json(200, { response: { executed: false, error: error.error }, ...error.beside });
    }
  }

  #find(method: string, path: string, form: Form): ((session: EngineSession) => GatewayAnswer) | undefined {
    const { orders, tables, traps } = this.#options;
    const [, offer, period] = CANDLES.exec(path) ?? [];
    if (method === 'GET' && offer !== undefined && period !== undefined) {
      return () => this.#json(200, { response: { executed: true, error: '' }, ...tables.candles(offer, period, form) });
    }
    if (path === ACCOUNTS && traps.has('accounts-path-404')) return undefined;
    const order = method === 'POST' && Object.hasOwn(orders.handlers, path) ? orders.handlers[path] : undefined;
    if (order !== undefined) return () => this.#order(() => order(form));
    const name = `${method} ${path}`;
    const table = Object.hasOwn(tables.handlers, name) ? tables.handlers[name] : undefined;
    if (table !== undefined) {
      return (session) => this.#json(200, { response: { executed: true }, ...table(form, session) });
    }
    if (name !== 'POST /logout') return undefined;
    return (session) => {
      session.end();
      return this.#json(200, { response: { executed: true } });
    };
  }

  #order(run: () => unknown): GatewayAnswer {
    const { traps } = this.#options;
    const failed = { ...this.#json(500, { Code: 500, Message: 'Internal Server Error' }), isOrder: true };
    if (traps.has('order-500')) return failed;
    const data = run();
    if (traps.has('order-500-applied')) return failed;
    if (!traps.has('executed-with-error')) {
      return { ...this.#json(200, { response: { executed: true }, data }), isOrder: true };
    }
    const { error } = refused(99, 'The request was sent to the dealer, and no confirmation came');
    return { ...this.#json(200, { response: { executed: true, error }, data: null }), isOrder: true };
  }

  /** The id is followed by the token, with nothing in between. */
  #sessionOf(request: IncomingMessage): EngineSession | undefined {
    const { token, engine } = this.#options;
    const given = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (!given.endsWith(token)) return undefined;
    const session = engine.find(given.slice(0, -token.length), request);
    return session?.connected === true ? session : undefined;
  }

  #json(status: number, value: unknown): GatewayAnswer {
    const isHostile = this.#options.traps.has('hostile-gateway');
    return { status, body: JSON.stringify(isHostile ? hostile(value, HOSTILE_KEPT) : value) };
  }
}

/** Doc 3 §4 asks for them on every request, a GET as well. */
function wrongHeader({ headers, httpVersion }: IncomingMessage): string | undefined {
  if (httpVersion !== '1.1') return 'HTTP/1.1 is required';
  if (!headers['user-agent']) return 'User-Agent is required';
  if (!/\bapplication\/json\b/.test(headers.accept ?? '')) return 'Accept: application/json is required';
  if (!(headers['content-type'] ?? '').startsWith(FORM)) return `Content-Type: ${FORM} is required`;
  return undefined;
}

/** Some refusals hold an empty place for what was asked for. */
function emptyOf(path: string): Readonly<Record<string, unknown>> {
  if (path.startsWith('/candles/')) return { instrument_id: 0, period_id: 0, candles: [] };
  return /^\/(?:un)?subscribe$/.test(path) ? { pairs: [] } : {};
}
