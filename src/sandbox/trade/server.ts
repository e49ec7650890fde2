import { type EmulatorOptions, type LocalServer, type Request, type Response, startServer } from '../http.ts';
import type { TradeTrap } from '../traps.ts';
import { Book } from './book.ts';
import { seedAccounts, seedDemo } from './demo.ts';
import { EngineServer } from './engine-server.ts';
import { Gateway, parametersOf } from './gateway.ts';
import { INSTRUMENTS, requireInstrument } from './instruments.ts';
import { Market, type Movement } from './market.ts';
import { type Exchange, MatchingEngine } from './matching-engine.ts';
import { Outbox } from './outbox.ts';
import { pushMovedRows } from './tables.ts';

/** `empty` has the accounts, too. */
export interface TradingEmulatorOptions extends EmulatorOptions {
  readonly random: () => number;
  /** Divides the time between ticks, and the time that an order takes. */
  readonly fast?: number;
  /** The time between two ticks; 0 for no ticks but those of `tick`. */
  readonly tickMs?: number;
  readonly movement?: Movement;
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
const MOVEMENT: Movement = { seed: 1, volatility: 1 };
const LOGGED = 1000;
const ENGINE_PATH = '/socket.io/';

export async function startTradingEmulator(options: TradingEmulatorOptions): Promise<TradingEmulator> {
  const { port, now, random, tickMs = TICK_MS, caps = true } = options;
  const traps = new Set<TradeTrap>();
  const token = Array.from({ length: 40 }, () => Math.floor(random() * 16).toString(16)).join('');
  const engine = new EngineServer({ traps, token });
  const exchange = openExchange(options, engine, traps);
  const { book, market } = exchange;
  const matching = new MatchingEngine(exchange);
  const gateway = new Gateway({ exchange, matching, engine, token, hasCallLimits: caps });
  const requests: LoggedRequest[] = [];

  const respond = (request: Request): Response => {
    requests.push({ method: request.method, path: request.path, form: [...parametersOf(request)] });
    if (requests.length > LOGGED) requests.shift();
    return gateway.respond(request);
  };

  const server = await startServer({
    port,
    now,
    respond: (request, response) =>
      request.path === ENGINE_PATH ? engine.handle(request, response) : respond(request),
  });
  const move = (): void => tick(exchange, matching);
  const ticking = tickMs === 0 ? undefined : setInterval(move, intervalOf(options));
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
    setPrice(symbol, bid) {
      market.fix(requireInstrument(symbol), bid);
    },
    cut: () => engine.close(),
    async close() {
      clearInterval(ticking);
      engine.close();
      await server.close();
    },
  };
}

function openExchange(options: TradingEmulatorOptions, engine: EngineServer, traps: ReadonlySet<TradeTrap>): Exchange {
  const { now, seed, fast = 1, movement = MOVEMENT } = options;
  const market = new Market({ ...movement, now, fast, tickMs: intervalOf(options) });
  const exchange = { book: new Book(), market, outbox: new Outbox(engine, traps), traps, now, fast };
  if (seed === 'demo') seedDemo(exchange);
  else seedAccounts(exchange.book);
  return exchange;
}

/** The time between two ticks, also where they come only on request. */
function intervalOf({ tickMs = TICK_MS, fast = 1 }: TradingEmulatorOptions): number {
  return Math.max(MIN_TICK_MS, (tickMs || TICK_MS) / fast);
}

function tick(exchange: Exchange, matching: MatchingEngine): void {
  const { market, outbox, traps } = exchange;
  if (traps.has('market-closed')) return;
  market.move();
  matching.check();
  if (traps.has('non-json-push')) outbox.pushInvalid();
  for (const instrument of INSTRUMENTS) {
    const { symbol } = instrument;
    const { bid, ask, high, low, at } = market.quote(instrument);
    outbox.pushPrice(symbol, { Updated: at, Rates: [bid, ask, high, low], Symbol: symbol });
  }
  pushMovedRows(exchange);
}
