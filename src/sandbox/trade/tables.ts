/** Requests that read and subscribe (doc 3 §4; the rest follows the public implementation). */
import type { EngineSession } from './engine-session.ts';
import { type Form, instrumentOf, invalid, refusal, refused } from './form.ts';
import { INSTRUMENTS, type Instrument, roundRate } from './instruments.ts';
import type { Market } from './market.ts';
import type { Exchange } from './matching-engine.ts';
import type { TableRow } from './outbox.ts';
import { accountRow, closedRow, offerRow, orderRow, summaryRow, totalRow, tradeRow } from './table-rows.ts';
import { DAY_MS, dayStart, HOUR_MS, isTradingDay, MINUTE_MS, monthStart, weekStart } from './trading-days.ts';

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

export const MAX_CANDLES = 10_000;

interface Span {
  readonly from: number;
  readonly to: number;
}

interface Period {
  readonly name: string;
  /** A time so much after the start of a candle is in the next one. */
  readonly ms: number;
  /** Undefined where neither days nor candles are limited. */
  readonly days?: number;
  /** The start of the candle that a moment is in. */
  readonly startOf: (ms: number) => number;
}

const DAY_PERIOD: Period = { name: 'D1', ms: 26 * HOUR_MS, startOf: dayStart };

/** Doc 3 §8: minutes of a candle, and days back. */
const WITHIN_DAY: readonly (readonly [name: string, minutes: number, days: number])[] = [
  ['m1', 1, 16],
  ['m5', 5, 56],
  ['m15', 15, 212],
  ['m30', 30, 316],
  ['H1', 60, 624],
  ['H2', 120, 1224],
  ['H3', 180, 2056],
  ['H4', 240, 2664],
  ['H6', 360, 3632],
  ['H8', 480, 5128],
];

const PERIODS: readonly Period[] = [
  ...WITHIN_DAY.map(([name, minutes, days]): Period => {
    const ms = minutes * MINUTE_MS;
    // Counted from the start of the trading day, which may cut its last candle short.
    return { name, ms, days, startOf: (at) => at - ((at - dayStart(at)) % ms) };
  }),
  DAY_PERIOD,
  { name: 'W1', ms: 8 * DAY_MS, startOf: weekStart },
  { name: 'M1', ms: 33 * DAY_MS, startOf: monthStart },
];

/** `h1` of doc 3 is `H1`; `m1` and `M1` are different periods. */
export function periodOf(name: string): Period | undefined {
  return PERIODS.find((period) => period.name === (/^[hdw]/.test(name) ? name.toUpperCase() : name));
}

const HISTORY_STARTS = Date.UTC(2012, 0, 3);

type Row = readonly number[];

/** The newest `max` with a label in the span, ends included. The last is the current candle. */
export function cutCandles(
  market: Market,
  instrument: Instrument,
  period: Period,
  span: Span,
  max: number,
  now: number,
): readonly Row[] {
  const found: Row[] = [];
  // Days are labeled by their end, all other candles by their start.
  const isEnd = period === DAY_PERIOD;
  const newest = isEnd ? span.to - 1 : Math.min(span.to, now);
  for (let at = Math.min(newest, now); at >= HISTORY_STARTS && found.length < max; ) {
    const from = period.startOf(at);
    const to = period.startOf(from + period.ms);
    const label = isEnd ? to : from;
    if (label < span.from) break;
    const isTraded = instrument.always || period.ms > 2 * DAY_MS || isTradingDay(dayStart(from));
    if (label <= span.to && isTraded) found.push(toRow(market, instrument, label, { from, to }, now));
    at = from - 1;
  }
  return found.reverse();
}

/** Parts of a candle's time whose prices, with the first and last, give its high and low. */
const PARTS = [0.2, 0.4, 0.6, 0.8];

function toRow(market: Market, instrument: Instrument, label: number, { from, to }: Span, now: number): Row {
  const end = Math.min(to, now);
  const price = (part: number): number => market.priceAt(instrument, from + (end - from) * part);
  const [open, close] = [price(0), price(1)];
  const all = [open, close, ...PARTS.map(price)];
  const [high, low] = [Math.max(...all), Math.min(...all)];
  const rates = [open, close, high, low];
  const bids = rates.map((bid) => roundRate(instrument, bid));
  const asks = rates.map((bid) => roundRate(instrument, bid + instrument.spread * instrument.pip));
  // Some each minute, and more where the price moved more.
  const ticks = 1 + Math.round(((end - from) / MINUTE_MS) * 20 + ((high - low) / instrument.pip) * 10);
  return [label / 1000, ...bids, ...asks, ticks];
}
