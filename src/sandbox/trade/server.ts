/** The trading gateway on loopback, emulated from its document: for trying `svc` out, and for its tests. */
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { isLoopbackHost } from '../alerts/requests.ts';
import type { TradeTrap } from '../traps.ts';
import { Book } from './book.ts';
import { CallCaps } from './call-caps.ts';
import { seedAccounts, seedDemo } from './demo.ts';
import { EngineServer } from './engine-server.ts';
import { Gateway, type GatewayAnswer } from './gateway.ts';
import { INSTRUMENTS } from './instruments.ts';
import { Market } from './market.ts';
import { EXECUTION_MS, MatchingEngine } from './matching-engine.ts';
import { OrderRequests } from './order-requests.ts';
import { Outbox } from './outbox.ts';
import { PriceWatch } from './price-watch.ts';
import { TableRequests } from './table-requests.ts';
import { accountRow, offerRow, summaryRow, tradeMoves } from './table-rows.ts';

export interface TradingEmulatorOptions {
  /** Any free one by default. */
  readonly port?: number;
  /** Milliseconds since 1970; the `Date` header says the same. */
  readonly now: () => number;
  /** Uniform in [0, 1): the token is made from it, and how prices move. */
  readonly random: () => number;
  /** The accounts are there in any case. */
  readonly seed?: 'demo' | 'empty';
  /** The time between ticks, what an order takes, and a slow answer are divided by this. */
  readonly fast?: number;
  /** Between two ticks, before it is divided; 0 for none but those of `tick`. */
  readonly tickMs?: number;
  readonly pingIntervalMs?: number;
  readonly pingTimeoutMs?: number;
  /** False: every call is answered, also beyond the caps of doc 3 §8. */
  readonly caps?: boolean;
}

export interface LoggedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** What was in the query of a GET, in the body of a POST. */
  readonly form: readonly (readonly [string, string])[];
}

export interface TradingEmulator {
  readonly url: string;
  /** 40 hexadecimal digits. */
  readonly token: string;
  /** Switches that may be thrown at any time. */
  readonly traps: Set<TradeTrap>;
  /** Everything but the polls of the connections: the latest thousand. */
  readonly requests: readonly LoggedRequest[];
  /** What it knows, to be looked at and changed behind the clients' backs. */
  readonly book: Book;
  /** The ids of the connections that are live. */
  readonly sessions: readonly string[];
  /** The prices move, now. */
  tick(): void;
  /** The bid of a symbol is this from now on, at each tick. */
  setPrice(symbol: string, bid: number): void;
  /** Every connection is cut, as by a network. */
  cut(): void;
  close(): Promise<void>;
}

const TICK_MS = 200;
/** However fast. */
const LEAST_TICK_MS = 10;
const LOGGED = 1000;
const LONGEST_BODY = 1 << 20;
const ENGINE = '/socket.io/';

export async function startTradingEmulator(options: TradingEmulatorOptions): Promise<TradingEmulator> {
  const { port = 0, now, random, seed = 'empty', fast = 1, tickMs = TICK_MS } = options;
  const { pingIntervalMs = 25_000, pingTimeoutMs = 20_000, caps = true } = options;
  const traps = new Set<TradeTrap>();
  const token = Array.from({ length: 40 }, () => Math.floor(random() * 16).toString(16)).join('');
  const book = new Book();
  const market = new Market(now, random);
  if (seed === 'demo') seedDemo(book, market, now());
  else seedAccounts(book);
  const engine = new EngineServer({ traps, accepts: (given) => given === token, pingIntervalMs, pingTimeoutMs });
  const outbox = new Outbox(engine, traps);
  const matching = new MatchingEngine({ book, market, outbox, traps, now, fast });
  const watch = new PriceWatch({ book, matching, market, now });
  const orders = new OrderRequests({ book, matching, market, now });
  const tables = new TableRequests({ book, market, traps, now, caps: caps ? new CallCaps(now) : undefined });
  const gateway = new Gateway({ token, engine, orders, tables, traps });
  const requests: LoggedRequest[] = [];
  const move = (): void => tick({ book, watch, market, outbox, traps });

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', headers, url = '/' } = request;
    response.sendDate = false;
    response.setHeader('date', new Date(now()).toUTCString());
    // A name that resolves to loopback must not let a web page in (DNS rebinding).
    if (!isLoopbackHost(headers.host)) return send(response, { status: 403, body: LOOPBACK_ONLY });
    const { pathname, search, searchParams } = new URL(url, 'http://sandbox');
    if (pathname === ENGINE) return engine.handle(request, response, searchParams);
    const body = await text(request);
    if (body === undefined) return send(response, { status: 413, body: '{}', headers: { connection: 'close' } });
    const form = [...new URLSearchParams(method === 'GET' ? search : body)];
    requests.push({ method, path: pathname, form });
    if (requests.length > LOGGED) requests.shift();
    const { result, release } = outbox.collect(() => gateway.answer(request, pathname, search.slice(1), body));
    const isEarly = result.isOrder === true && traps.has('push-before-answer');
    if (isEarly) release();
    if (isEarly) await pause(EXECUTION_MS / fast);
    if (result.isOrder === true && traps.has('lost-order-answer')) request.socket.destroy();
    else send(response, result);
    if (!isEarly) release();
  };

  const server = http.createServer({ keepAliveTimeout: 0 }, (request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.on('upgrade', (request: IncomingMessage, stream, head: Buffer) => {
    stream.on('error', () => stream.destroy());
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sandbox');
    if (!isLoopbackHost(request.headers.host) || pathname !== ENGINE) stream.destroy();
    else engine.upgrade(request, stream, head, searchParams);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const ticking = tickMs === 0 ? undefined : setInterval(move, Math.max(LEAST_TICK_MS, tickMs / fast));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    traps,
    requests,
    book,
    get sessions() {
      return [...engine.sessions.values()].filter(({ connected }) => connected).map(({ id }) => id);
    },
    tick: move,
    setPrice(symbol, bid) {
      const instrument = INSTRUMENTS.find((one) => one.symbol === symbol);
      if (instrument === undefined) throw new Error(`the sandbox has no ${symbol}`);
      market.hold(instrument, bid);
    },
    cut: () => engine.close(),
    close: async () => {
      clearInterval(ticking);
      matching.close();
      engine.close();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const LOOPBACK_ONLY = '{"Code":403,"Message":"The sandbox answers to loopback addresses only."}';

const pause = (ms: number): Promise<void> => setTimeout(ms, undefined, { ref: false });

async function text(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > LONGEST_BODY) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, { status, body, headers = {} }: GatewayAnswer): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

interface TickerOptions {
  readonly book: Book;
  readonly market: Market;
  readonly watch: PriceWatch;
  readonly outbox: Outbox;
  readonly traps: ReadonlySet<TradeTrap>;
}

export function tick({ book, watch, market, outbox, traps }: TickerOptions): void {
  if (traps.has('market-closed')) return;
  market.tick();
  watch.look();
  if (traps.has('non-json-push')) outbox.rubbish();
  for (const instrument of INSTRUMENTS) {
    const { bid, ask, high, low, at } = market.quote(instrument);
    outbox.price(instrument.symbol, { Updated: at, Rates: [bid, ask, high, low], Symbol: instrument.symbol });
  }
  if (outbox.wants('Offer')) {
    for (const instrument of book.offered) {
      const { t, offerId, time, sell, buy, high, low } = offerRow(instrument, market);
      outbox.row('Offer', { t, offerId, time, sell, buy, high, low, action: 'U' });
    }
  }
  const trades = [...book.trades.values()];
  // an update may come without the word for it
  for (const trade of outbox.wants('OpenPosition') ? trades : []) {
    outbox.row('OpenPosition', { t: 1, tradeId: trade.tradeId, ...tradeMoves(trade, market) });
  }
  for (const account of outbox.wants('Account') ? book.accounts : []) {
    if (!trades.some((trade) => trade.account === account)) continue;
    const { t, accountId, equity, usableMargin, usableMarginPerc, dayPL, grossPL } = accountRow(
      account,
      trades,
      market,
    );
    outbox.row('Account', { t, accountId, equity, usableMargin, usableMarginPerc, dayPL, grossPL, action: 'U' });
  }
  for (const instrument of outbox.wants('Summary') ? INSTRUMENTS : []) {
    if (!trades.some((trade) => trade.instrument === instrument)) continue;
    const { t, offerId, plBuy, plSell, grossPL, netPL } = summaryRow(instrument, trades, market);
    outbox.row('Summary', { t, offerId, plBuy, plSell, grossPL, netPL, action: 'U' });
  }
}
