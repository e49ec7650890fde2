/** A gateway on the real socket.io server that pushes what a test says to its subscribers. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeEach } from 'vitest';
import { type Run, type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';
import { type Gateway, type GatewayOptions, gateway, TOKEN, until } from '../gateway.ts';
import { ORDER_PATHS } from './trader.ts';

export const OFFERS = [
  { t: 0, offerId: 1, currency: 'EUR/USD', sell: 1.18983, buy: 1.19008, high: 1.19962, low: 1.18977, ratePrecision: 5 },
  { t: 0, offerId: 2, currency: 'USD/JPY', sell: 110.1, buy: 110.12, high: 111, low: 109, ratePrecision: 3 },
];

/** As doc 3 §2 shows its fields. */
export const ORDER = {
  t: 3,
  ratePrecision: 5,
  orderId: '390285837',
  tradeId: '170162801',
  time: '04252018120716391',
  accountId: '654061',
  timeInForce: 'GTC',
  currency: 'EUR/USD',
  isBuy: true,
  buy: 1.21818,
  sell: 0,
  type: 'OM',
  status: 2,
  amountK: 5,
  stop: 0,
  limit: 0,
};

const ROWS: Readonly<Record<string, string>> = {
  Offer: 'offers',
  OpenPosition: 'open_positions',
  ClosedPosition: 'closed_positions',
  Order: 'orders',
  Account: 'accounts',
};

export interface CandleRequest {
  readonly offer: string;
  readonly period: string;
  readonly num: number;
  readonly from: number;
  readonly to: number;
}

export interface FeedGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  /** `POST /trading/subscribe models=Order`, in the order they came. */
  readonly calls: string[];
  readonly tables: Record<string, readonly object[]>;
  /** Tables whose calls are used up. */
  readonly usedUp: Set<string>;
  /** Of every POST that trades. */
  readonly orders: Readonly<Record<string, string>>[];
  /** So many requests are answered as those without a valid token; connections are not affected. */
  refusals: number;
  /** Answers it. */
  onOrder: ((response: ServerResponse, form: Readonly<Record<string, string>>) => void) | undefined;
  /** What every request for candles finds: rows, or the text of an error. Undefined where it has answered itself. */
  onCandles: (request: CandleRequest, response: ServerResponse) => readonly unknown[] | string | undefined;
  /** Answers `GET /trading/get_model` in the place of the gateway, where it returns true. */
  onModel: ((model: string, response: ServerResponse) => boolean) | undefined;
  /** To every connection that is subscribed to the name. A text goes out as it is. */
  push(name: string, ...records: readonly (object | string)[]): void;
  /** Once a connection is subscribed to it. */
  subscribed(name: string): Promise<void>;
  /** Resolves after the request. */
  called(call: string): Promise<void>;
  /** Ends every connection, after what was pushed. */
  drop(): void;
  run(argv: readonly string[], options?: RunOptions): Promise<Run>;
  readonly env: Readonly<Record<string, string>>;
}

type Hooks = Pick<FeedGateway, 'refusals' | 'onOrder' | 'onModel' | 'onCandles'>;
type State = Hooks & Pick<FeedGateway, 'calls' | 'tables' | 'usedUp' | 'orders'>;

/** By the connection, the names that it is subscribed to. */
class Subscriptions {
  readonly #names = new Map<string, Set<string>>();

  has(id: string, name: string): boolean {
    return this.#names.get(id)?.has(name) === true;
  }

  update(id: string, pathname: string, form: URLSearchParams): void {
    const names = this.#names.get(id) ?? new Set();
    this.#names.set(id, names);
    for (const name of [...form.getAll('models'), ...form.getAll('pairs')]) {
      if (pathname.endsWith('/unsubscribe')) names.delete(name);
      else names.add(name);
    }
  }
}

/** The answer to a read or a subscription, as JSON. */
function answerOf(state: State, model: string, isKnown: boolean): object {
  if (state.usedUp.has(model)) return { response: { executed: false, error: 'Error code ORA-20301, Cmd=46' } };
  if (!isKnown) return { response: { executed: false, error: 'Unauthorized' } };
  const rows = model === '' ? {} : { [ROWS[model] ?? model]: state.tables[model] ?? [] };
  return { response: { executed: true }, data: { instrument: [{ symbol: 'EUR/USD', visible: true }] }, ...rows };
}

function serveCandles({ onCandles }: State, { pathname, searchParams }: URL, response: ServerResponse): void {
  const [, , offer = '', period = ''] = pathname.split('/');
  const [num = 0, from = 0, to = 0] = ['num', 'from', 'to'].map((key) => Number(searchParams.get(key)));
  const found = onCandles({ offer, period, num, from, to }, response);
  if (found === undefined) return;
  const error = typeof found === 'string' ? found : '';
  response.end(JSON.stringify({ response: { executed: error === '', error }, candles: error === '' ? found : [] }));
}

interface FeedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The connection that it belongs to. */
  readonly id: string | undefined;
  readonly body: string;
}

function serve(state: State, subscriptions: Subscriptions, { request, response, id, body }: FeedRequest): void {
  const url = new URL(request.url ?? '', 'http://gateway');
  const { pathname, searchParams } = url;
  state.calls.push(`${request.method} ${pathname} ${decodeURIComponent(body) || searchParams}`.trim());
  if (ORDER_PATHS.test(pathname)) {
    const fields = Object.fromEntries(new URLSearchParams(body));
    state.orders.push(fields);
    if (state.onOrder !== undefined) {
      state.onOrder(response, fields);
      return;
    }
  }
  subscriptions.update(id ?? '', pathname, new URLSearchParams(body));
  const model = searchParams.get('models') ?? (pathname.endsWith('/Accounts') ? 'Account' : '');
  response.setHeader('content-type', 'application/json');
  if (model !== '' && state.onModel?.(model, response)) return;
  if (id !== undefined && pathname.startsWith('/candles/')) {
    serveCandles(state, url, response);
    return;
  }
  response.end(JSON.stringify(answerOf(state, model, id !== undefined)));
}

export async function feedGateway(
  options: Pick<GatewayOptions, 'accepts' | 'engine' | 'port'> = {},
): Promise<FeedGateway> {
  const hooks: Hooks = { refusals: 0, onOrder: undefined, onModel: undefined, onCandles: () => [] };
  const state: State = Object.assign(hooks, {
    calls: [],
    tables: { Offer: OFFERS },
    usedUp: new Set<string>(),
    orders: [],
  });
  const subscriptions = new Subscriptions();
  const server = await gateway({
    ...options,
    before(request, response) {
      if (request.url?.startsWith('/socket.io')) return false;
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on('end', () => {
        const isOf = ({ id }: { readonly id: string }) => request.headers.authorization === `Bearer ${id}${TOKEN}`;
        const id = state.refusals-- > 0 ? undefined : server.live.find(isOf)?.id;
        serve(state, subscriptions, { request, response, id, body });
      });
      return true;
    },
  });
  const listeners = (name: string) => server.live.filter(({ id }) => subscriptions.has(id, name));
  const env = { SVC_TRADE_URL: server.url, SVC_TRADE_TOKEN: TOKEN };
  return Object.assign(state, {
    gateway: server,
    env,
    push(name, ...records) {
      for (const client of listeners(name)) {
        for (const record of records) client.emit(name, typeof record === 'string' ? record : JSON.stringify(record));
      }
    },
    subscribed: (name) => until(() => listeners(name).length > 0),
    called: (call) => until(() => state.calls.includes(call)),
    drop() {
      for (const client of server.live) client.disconnect(true);
    },
    run: (argv, more = {}) => svc(['trade', ...argv], { home: temporaryHome(), sleeps: true, env, ...more }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  } satisfies Omit<FeedGateway, keyof State>);
}

/** For all tests of a file; each begins without calls. */
export async function fileFeed(): Promise<FeedGateway> {
  const feed = await feedGateway();
  afterAll(() => feed[Symbol.asyncDispose]());
  beforeEach(() => {
    feed.calls.length = 0;
  });
  return feed;
}

export function lines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
