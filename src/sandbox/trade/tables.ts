/** Requests that read and subscribe (doc 3 §4; the rest follows the public implementation). */
import { cutCandles, MAX_CANDLES, periodOf } from './candles.ts';
import type { EngineSession } from './engine-session.ts';
import { type Form, instrumentOf, invalid, refusal, refused } from './form.ts';
import { INSTRUMENTS, type Instrument, roundRate } from './instruments.ts';
import type { Exchange } from './matching-engine.ts';
import type { TableRow } from './outbox.ts';
import { accountRow, closedRow, offerRow, orderRow, summaryRow, totalRow, tradeRow } from './table-rows.ts';
import { DAY_MS, HOUR_MS } from './trading-days.ts';

/** How often a command may be called, and in what time (doc 3 §8). */
interface CallLimit {
  readonly cmd: number;
  readonly maxCalls: number;
  readonly ms: number;
}

const SET_INSTRUMENTS: CallLimit = { cmd: 24, maxCalls: 500, ms: HOUR_MS };

interface Table {
  /** The field of the response that contains the rows. */
  readonly field: string;
  readonly limit?: CallLimit;
  /** The number of the table, and the fields that its last row sums. */
  readonly total?: readonly [t: number, ...fields: string[]];
  /** What every tick pushes of each row. */
  readonly moving?: readonly string[];
  readonly rows: (exchange: Exchange) => readonly TableRow[];
}

const ACCOUNTS: Table = {
  field: 'accounts',
  limit: { cmd: 79, maxCalls: 500, ms: HOUR_MS },
  total: [6, 'balance', 'equity', 'usableMargin', 'usdMr', 'grossPL', 'dayPL'],
  moving: ['t', 'accountId', 'equity', 'usableMargin', 'usableMarginPerc', 'dayPL', 'grossPL'],
  rows: ({ book, market }) => book.accounts.map((account) => accountRow(account, [...book.trades.values()], market)),
};

/** By the names of models (doc 3 §2). */
const TABLES: Readonly<Record<string, Table>> = {
  Offer: {
    field: 'offers',
    moving: ['t', 'offerId', 'time', 'sell', 'buy', 'high', 'low'],
    rows: ({ book, market, traps }) =>
      INSTRUMENTS.filter((instrument) => !book.hidden.has(instrument)).map((instrument) =>
        offerRow(instrument, market, !traps.has('market-closed')),
      ),
  },
  OpenPosition: {
    field: 'open_positions',
    limit: { cmd: 44, maxCalls: 50, ms: HOUR_MS },
    total: [1, 'grossPL', 'usedMargin', 'com', 'roll'],
    moving: ['t', 'tradeId', 'close', 'grossPL', 'visiblePL'],
    rows: ({ book, market }) => [...book.trades.values()].map((trade) => tradeRow(trade, market)),
  },
  ClosedPosition: {
    field: 'closed_positions',
    limit: { cmd: 118, maxCalls: 10, ms: 60_000 },
    total: [2, 'grossPL', 'com', 'roll'],
    rows: ({ book }) => book.closed.map(closedRow),
  },
  Order: {
    field: 'orders',
    limit: { cmd: 46, maxCalls: 1500, ms: HOUR_MS },
    rows: ({ book }) => [...book.orders.values()].map(orderRow),
  },
  Summary: {
    field: 'summary',
    total: [5, 'grossPL', 'netPL', 'plBuy', 'plSell'],
    moving: ['t', 'offerId', 'plBuy', 'plSell', 'grossPL', 'netPL'],
    rows({ book, market }) {
      const trades = [...book.trades.values()];
      const traded = INSTRUMENTS.filter((instrument) => trades.some((trade) => trade.instrument === instrument));
      return traded.map((instrument) => summaryRow(instrument, trades, market));
    },
  },
  Account: ACCOUNTS,
  LeverageProfile: {
    field: 'leverage_profile',
    rows: () => [{ profileId: '1', profileName: 'Sandbox', currencies: INSTRUMENTS.length }],
  },
  Properties: { field: 'properties', rows: () => [{ propertyName: 'BASE_CRNCY', propertyValue: 'USD' }] },
};

/** Pushes what a tick changes in the tables. */
export function pushMovedRows(exchange: Exchange): void {
  const { outbox } = exchange;
  for (const [name, { moving, rows }] of Object.entries(TABLES)) {
    if (moving === undefined || !outbox.wants(name)) continue;
    // The updates of positions have no action.
    const action = name === 'OpenPosition' ? {} : { action: 'U' };
    for (const row of rows(exchange)) {
      const moved = Object.fromEntries(moving.map((field) => [field, row[field]]));
      outbox.pushRow(name, { ...moved, ...action });
    }
  }
}

type TableHandler = (form: Form, session: EngineSession, ...parts: readonly string[]) => object;

/** By method and path; each handler returns what is beside `response`, or also that. */
export function tableHandlers(exchange: Exchange, hasCallLimits: boolean): Readonly<Record<string, TableHandler>> {
  const { book, market } = exchange;
  const countCalls = callCounter(exchange, hasCallLimits);

  const readTables = (tables: readonly Table[]): object => {
    countCalls(tables.flatMap(({ limit }) => limit ?? []));
    const fields = tables.map(({ field, total, rows: readRows }) => {
      const rows = readRows(exchange);
      return [field, total === undefined ? rows : [...rows, totalRow(rows, ...total)]];
    });
    return Object.fromEntries(fields);
  };

  return {
    'GET /trading/get_model': (form) => readTables(modelsOf(form).map(([, table]) => table)),
    'GET /trading/get_model/Accounts': () => readTables([ACCOUNTS]),
    'GET /trading/get_instruments': () => {
      const instrument = INSTRUMENTS.map((one, index) => {
        return { symbol: one.symbol, visible: !book.hidden.has(one), order: index + 1 };
      });
      return { data: { instrument } };
    },
    'GET /candles/{}/{}': (form, _, offer = '', name = '') => readCandles(form, exchange, offer, name),
    'POST /subscribe': (form, { subscriptions }) => {
      const pairs = pairsOf(form);
      for (const { symbol } of pairs) subscriptions.add(symbol);
      return { pairs: pairs.map((instrument) => subscribedPrice(instrument, market)) };
    },
    'POST /unsubscribe': (form, { subscriptions }) => {
      const pairs = pairsOf(form).map(({ symbol }) => symbol);
      for (const symbol of pairs) subscriptions.delete(symbol);
      return { pairs };
    },
    'POST /trading/subscribe': (form, { subscriptions }) => {
      for (const [model] of modelsOf(form)) subscriptions.add(model);
      return {};
    },
    'POST /trading/unsubscribe': (form, { subscriptions }) => {
      for (const [model] of modelsOf(form)) subscriptions.delete(model);
      return {};
    },
    'POST /trading/update_subscriptions': (form) => {
      countCalls([SET_INSTRUMENTS]);
      const instrument = form.instrument();
      if (form.flag('visible', true)) book.hidden.delete(instrument);
      else book.hidden.add(instrument);
      return {};
    },
    'POST /logout': (_, session) => {
      session.end();
      return {};
    },
  };
}

/** Counts one call of each command, or none if the limit of one of them is used up. */
function callCounter({ traps, now }: Exchange, hasCallLimits: boolean): (limits: readonly CallLimit[]) => void {
  /** The times of the recent calls of each command. */
  const calls = new Map<number, number[]>();
  return (limits) => {
    const lists = limits.map(({ cmd, maxCalls, ms }) => {
      const recent = (calls.get(cmd) ?? []).filter((time) => time > now() - ms);
      if (traps.has('ora-20301') || (hasCallLimits && recent.length >= maxCalls)) {
        throw refused(20301, `ORA-20301: the number of calls is exceeded, Cmd=${cmd}`, [String(cmd)]);
      }
      calls.set(cmd, recent);
      return recent;
    });
    for (const list of lists) list.push(now());
  };
}

function readCandles(form: Form, { market, now }: Exchange, offer: string, name: string): object {
  const instrument = INSTRUMENTS.find(({ offerId }) => String(offerId) === offer);
  const period = periodOf(name);
  const about = { instrument_id: offer, period_id: name, candles: [] };
  if (instrument === undefined) throw refusal('Invalid instrument id.', about);
  if (period === undefined) throw refusal('Invalid period id.', about);
  const most = period.days === undefined ? Number.POSITIVE_INFINITY : MAX_CANDLES;
  const num = form.number('num') ?? 0;
  if (!Number.isInteger(num) || num < 1 || num > most) throw refusal('Invalid number of candles.', about);
  const [from, to] = [form.number('from'), form.number('to')];
  const span = { from: (from ?? 0) * 1000, to: to === undefined ? now() + DAY_MS : to * 1000 };
  const isRange = from !== undefined || to !== undefined;
  const longestMs = (period.days ?? Number.POSITIVE_INFINITY) * DAY_MS;
  const isTooLong = Math.min(span.to, now()) - span.from > longestMs;
  // The gateway's own spelling.
  if (isRange && (span.from > span.to || isTooLong)) throw refusal('Invalid from/to parameneters.', about);
  const rows = cutCandles(market, instrument, period, span, isRange ? most : num, now());
  return { response: { executed: true, error: '' }, ...about, candles: rows };
}

/** As pushed, with two more numbers. */
function subscribedPrice(instrument: Instrument, market: Exchange['market']): object {
  const { bid, ask, high, low, at } = market.quote(instrument);
  const more = [bid - instrument.pip, ask + instrument.pip].map((rate) => roundRate(instrument, rate));
  return { Updated: at, Rates: [bid, ask, high, low, ...more], Symbol: instrument.symbol };
}

function modelsOf(form: Form): readonly (readonly [name: string, Table])[] {
  const names = form.texts('models');
  if (names.length === 0) throw invalid('models', '');
  return names.map((name) => {
    const table = Object.hasOwn(TABLES, name) ? TABLES[name] : undefined;
    if (table === undefined) throw invalid('models', name);
    return [name, table];
  });
}

function pairsOf(form: Form): readonly Instrument[] {
  const names = form.texts('pairs');
  if (names.length === 0) throw refusal('Missing pairs', { pairs: [] });
  return names.map((name) => instrumentOf(name, 'pairs'));
}
