/** The trading gateway on loopback, emulated at the wire: its HTTP requests, ticks and sample data. */
import {
  type EmulatorOptions,
  findRoute,
  json,
  type LocalServer,
  Refusal,
  type Request,
  type Response,
  startServer,
} from '../http.ts';
import { hostile, type TradeTrap, withoutHostile } from '../traps.ts';
import { type Account, Book, type Trade } from './book.ts';
import { EngineServer } from './engine-server.ts';
import type { EngineSession } from './engine-session.ts';
import { errorText, Form, refusal } from './form.ts';
import { INSTRUMENTS, type Instrument, inThousands, requireInstrument, round, roundRate } from './instruments.ts';
import { Market } from './market.ts';
import { EXECUTION_MS, type Exchange, MatchingEngine } from './matching-engine.ts';
import { orderHandlers } from './orders.ts';
import { NOT_HOSTILE, Outbox } from './outbox.ts';
import { profitOf } from './table-rows.ts';
import { pushMovedRows, tableHandlers } from './tables.ts';
import { dayStart, HOUR_MS, isTradingDay, MINUTE_MS, weekStart } from './trading-days.ts';

/** `empty` has the accounts, too. */
export interface TradingEmulatorOptions extends EmulatorOptions {
  readonly random: () => number;
  /** Divides the time between ticks, and the time that an order takes. */
  readonly fast?: number;
  /** The time between two ticks; 0 for no ticks but those of `tick`. */
  readonly tickMs?: number;
  /** False: no call limits (doc 3 §8). */
  readonly caps?: boolean;
}

interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  readonly form: readonly (readonly [string, string])[];
}

export interface TradingEmulator extends LocalServer {
  /** 40 hexadecimal digits. */
  readonly token: string;
  readonly traps: Set<TradeTrap>;
  /** The latest thousand, without the polls of the connections. */
  readonly requests: readonly LoggedRequest[];
  /** Tests may read and change it at any time. */
  readonly book: Book;
  readonly sessions: readonly string[];
  tick(): void;
  setPrice(symbol: string, bid: number): void;
  cut(): void;
}

const TICK_MS = 200;
/** However large `fast` is. */
const MIN_TICK_MS = 10;
const LOGGED = 1000;
const ENGINE_PATH = '/socket.io/';

export async function startTradingEmulator(options: TradingEmulatorOptions): Promise<TradingEmulator> {
  const { port, now, random, seed, fast = 1, tickMs = TICK_MS, caps = true } = options;
  const traps = new Set<TradeTrap>();
  const token = Array.from({ length: 40 }, () => Math.floor(random() * 16).toString(16)).join('');
  const engine = new EngineServer(token, traps);
  const intervalMs = Math.max(MIN_TICK_MS, (tickMs || TICK_MS) / fast);
  const [book, market] = [new Book(), new Market({ now, fast, tickMs: intervalMs })];
  const exchange: Exchange = { book, market, outbox: new Outbox(engine, traps), traps, now, fast };
  const accounts = seedAccounts(book);
  if (seed === 'demo') seedDemo(exchange, accounts);
  const matching = new MatchingEngine(exchange);
  const orders = orderHandlers(exchange, matching);
  const gateway: Gateway = { exchange, engine, token, orders, tables: tableHandlers(exchange, caps) };
  const requests: LoggedRequest[] = [];
  const server = await startServer({
    port,
    now,
    respond(request, response) {
      if (request.path === ENGINE_PATH) return engine.handle(request, response);
      requests.push({ method: request.method, path: request.path, form: [...parametersOf(request)] });
      if (requests.length > LOGGED) requests.shift();
      return respond(gateway, request);
    },
  });
  const move = (): void => tick(exchange, matching);
  const ticking = tickMs === 0 ? undefined : setInterval(move, intervalMs);
  return {
    ...server,
    token,
    traps,
    requests,
    book,
    get sessions() {
      return engine.connected.map(({ id }) => id);
    },
    tick: move,
    setPrice: (symbol, bid) => market.fix(requireInstrument(symbol), bid),
    cut: () => engine.close(),
    async close() {
      clearInterval(ticking);
      engine.close();
      await server.close();
    },
  };
}

function tick(exchange: Exchange, matching: MatchingEngine): void {
  const { market, outbox, traps } = exchange;
  if (traps.has('market-closed')) return;
  market.move();
  matching.check();
  for (const instrument of INSTRUMENTS) {
    const { symbol } = instrument;
    const { bid, ask, high, low, at } = market.quote(instrument);
    outbox.pushPrice(symbol, { Updated: at, Rates: [bid, ask, high, low], Symbol: symbol });
  }
  pushMovedRows(exchange);
}

/** What answers the HTTP requests beside the connection. */
interface Gateway {
  readonly exchange: Exchange;
  readonly engine: EngineServer;
  readonly token: string;
  readonly orders: ReturnType<typeof orderHandlers>;
  readonly tables: ReturnType<typeof tableHandlers>;
}

const FORM = 'application/x-www-form-urlencoded';
const ACCOUNTS = '/trading/get_model/Accounts';

function respond(gateway: Gateway, request: Request): Response {
  const path = request.path.replace(/(?<=.)\/$/, '');
  const route = `${request.method} ${path}`;
  const isHidden = path === ACCOUNTS && gateway.exchange.traps.has('accounts-path-404');
  const [order] = findRoute(gateway.orders, route) ?? [];
  const [table, parts = []] = (isHidden ? undefined : findRoute(gateway.tables, route)) ?? [];
  if (order === undefined && table === undefined) {
    return answer(gateway, 404, { Code: 404, Message: `Cannot ${request.method} ${request.path}` });
  }
  const wrong = findWrongHeader(request);
  if (wrong !== undefined) return answer(gateway, 400, { Code: 400, Message: `Bad request: ${wrong}` });
  try {
    const session = findSession(gateway, request);
    if (session === undefined) throw refusal('Unauthorized', {});
    const form = formOf(request);
    if (order !== undefined) return placeOrder(gateway, order, form);
    return answer(gateway, 200, { response: { executed: true }, ...table?.(form, session, ...parts) });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return answer(gateway, error.status, error.value);
  }
}

/** The response to an order, which the traps change. */
function placeOrder(gateway: Gateway, place: (form: Form) => unknown, form: Form): Response {
  const { traps, fast } = gateway.exchange;
  const failed = answer(gateway, 500, { Code: 500, Message: 'Internal Server Error' });
  if (traps.has('order-500')) return failed;
  const data = place(form);
  if (traps.has('order-500-applied')) return failed;
  const error = errorText(99, 'The request was sent to the dealer, and no confirmation came');
  const value = traps.has('executed-with-error')
    ? { response: { executed: true, error }, data: null }
    : { response: { executed: true }, data };
  const delayMs = traps.has('push-before-answer') ? EXECUTION_MS / fast : undefined;
  return { ...answer(gateway, 200, value), delayMs, lost: traps.has('lost-order-answer') };
}

/** The bearer is the id of the session, followed by the token with nothing in between. */
function findSession({ token, engine }: Gateway, { headers, message }: Request): EngineSession | undefined {
  const given = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  if (!given.endsWith(token)) return undefined;
  const session = engine.find(given.slice(0, -token.length), message);
  return session?.connected === true ? session : undefined;
}

function answer({ exchange: { traps } }: Gateway, status: number, value: unknown): Response {
  return json(status, traps.has('hostile-gateway') ? hostile(value, NOT_HOSTILE) : value);
}

/** The query of a GET, the body of anything else. */
function parametersOf({ method, query, body }: Request): URLSearchParams {
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

const HIDDEN = ['USD/CHF', 'AUD/USD'];

type Accounts = readonly [hedging: Account, netting: Account];

function seedAccounts({ accounts, hidden }: Book): Accounts {
  const [more, less] = [50_000, 20_000];
  const own: Accounts = [
    { id: '654061', name: '00654061', hedging: 'Y', step: 1, dayBalance: more, balance: more },
    { id: '654062', name: '00654062', hedging: '0', step: 10, dayBalance: less, balance: less },
  ];
  accounts.push(...own);
  for (const symbol of HIDDEN) hidden.add(requireInstrument(symbol));
  return own;
}

/** Trades of some hours ago, open and closed, and an order that waits. */
function seedDemo({ book, market, now }: Exchange, [hedging, netting]: Accounts): void {
  const open = (account: Account, symbol: string, isBuy: boolean, amount: number, hoursAgo: number): Trade => {
    const instrument = requireInstrument(symbol);
    const time = tradedAt(now(), hoursAgo);
    const rate = priceAt(market, instrument, isBuy, time);
    return book.addTrade({ account, instrument, isBuy, amountK: inThousands(instrument, amount), open: rate }, time);
  };
  const close = (trade: Trade, hoursAgo: number): void => {
    const closeTime = tradedAt(now(), hoursAgo);
    const rate = priceAt(market, trade.instrument, !trade.isBuy, closeTime);
    const commission = round(trade.commission * 2, 2);
    book.trades.delete(trade.tradeId);
    book.closed.push({ ...trade, commission, close: rate, closeTime, grossPL: profitOf(trade, rate) });
  };
  close(open(hedging, 'EUR/USD', true, 20, 70), 52);
  close(open(hedging, 'USD/JPY', false, 10, 47), 31);
  close(open(netting, 'GBP/USD', true, 10, 30), 26);
  open(hedging, 'EUR/USD', true, 10, 29);
  open(hedging, 'USD/JPY', false, 5, 22);
  open(hedging, 'XAU/USD', true, 2, 7);
  open(netting, 'GBP/USD', false, 10, 5);
  const instrument = requireInstrument('EUR/USD');
  const below = (pips: number) => roundRate(instrument, market.rate(instrument, true) - pips * instrument.pip);
  const entry = { account: hedging, instrument, isBuy: true, amountK: 10, type: 'LE', timeInForce: 'GTC' };
  const exits = { stop: { rate: below(100), trail: 0 }, limit: { rate: below(-20), trail: 0 } };
  book.addOrder({ ...entry, rate: below(60), ...exits }, tradedAt(now(), 3));
}

/** So many hours ago, or late on the Friday before. */
function tradedAt(now: number, hoursAgo: number): number {
  const time = now - hoursAgo * HOUR_MS;
  const day = dayStart(time);
  return isTradingDay(day) ? time : weekStart(day) - hoursAgo * 4 * MINUTE_MS;
}

function priceAt(market: Market, instrument: Instrument, isBuy: boolean, ms: number): number {
  return roundRate(instrument, market.priceAt(instrument, ms) + (isBuy ? instrument.spread * instrument.pip : 0));
}
