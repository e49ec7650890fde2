/** The requests that read and subscribe (doc 3 §4; what it does not show follows the public implementation). */
import { candles, MAX_CANDLES, periodOf } from './candles.ts';
import type { EngineSession } from './engine-session.ts';
import { type Form, instrumentOf, invalid, refusal, refused } from './form.ts';
import { INSTRUMENTS, type Instrument, roundedRate } from './instruments.ts';
import type { Exchange } from './matching-engine.ts';
import type { ModelName, TableRow } from './outbox.ts';
import { accountRow, closedRow, offerRow, orderRow, summaryRow, totalRow, tradeRow } from './table-rows.ts';
import { DAY_MS } from './trading-days.ts';

interface Model {
  /** The field of the response that contains the rows. */
  readonly rows: string;
  /** The number of the command that reads it, if its calls are limited. */
  readonly cmd?: number;
  /** The number of the table, and the fields that its last row sums. */
  readonly total?: readonly [t: number, ...fields: string[]];
}

const MODELS: Readonly<Record<ModelName, Model>> = {
  Offer: { rows: 'offers' },
  OpenPosition: { rows: 'open_positions', cmd: 44, total: [1, 'grossPL', 'usedMargin', 'com', 'roll'] },
  ClosedPosition: { rows: 'closed_positions', cmd: 118, total: [2, 'grossPL', 'com', 'roll'] },
  Order: { rows: 'orders', cmd: 46 },
  Summary: { rows: 'summary', total: [5, 'grossPL', 'netPL', 'plBuy', 'plSell'] },
  LeverageProfile: { rows: 'leverage_profile' },
  Account: { rows: 'accounts', cmd: 79, total: [6, 'balance', 'equity', 'usableMargin', 'usdMr', 'grossPL', 'dayPL'] },
  Properties: { rows: 'properties' },
};

const SET_INSTRUMENTS = 24;
const HOUR_MS = 3_600_000;
/** Doc 3 §8: how often each command may be called, and in what time. */
const CALL_LIMITS: ReadonlyMap<number, readonly [maxCalls: number, ms: number]> = new Map([
  [SET_INSTRUMENTS, [500, HOUR_MS]],
  [44, [50, HOUR_MS]],
  [46, [1500, HOUR_MS]],
  [79, [500, HOUR_MS]],
  [118, [10, 60_000]],
]);

type TableHandler = (form: Form, session: EngineSession, ...parts: readonly string[]) => object;

/** By method and path; each handler returns what is beside `response`. */
export function tableHandlers(exchange: Exchange, hasCallLimits: boolean): Readonly<Record<string, TableHandler>> {
  const { book, market } = exchange;
  const countCalls = callCounter(exchange, hasCallLimits);

  const models = (names: readonly ModelName[]): object => {
    countCalls(names.flatMap((name) => MODELS[name].cmd ?? []));
    const tables = names.map((name) => {
      const [rows, { total, rows: field }] = [tableRows(name, exchange), MODELS[name]];
      return [field, total === undefined ? rows : [...rows, totalRow(rows, ...total)]];
    });
    return Object.fromEntries(tables);
  };

  return {
    'GET /trading/get_model': (form) => models(modelsOf(form)),
    'GET /trading/get_model/Accounts': () => models(['Account']),
    'GET /trading/get_instruments': () => {
      const instrument = INSTRUMENTS.map((one, index) => {
        return { symbol: one.symbol, visible: !book.hidden.has(one), order: index + 1 };
      });
      return { data: { instrument } };
    },
    'GET /candles/{}/{}': (form, _, offer = '', name = '') => readCandles(form, exchange, offer, name),
    'POST /subscribe': (form, { symbols }) => {
      const pairs = pairsOf(form);
      for (const { symbol } of pairs) symbols.add(symbol);
      return { pairs: pairs.map((instrument) => subscribedPrice(instrument, market)) };
    },
    'POST /unsubscribe': (form, { symbols }) => {
      const pairs = pairsOf(form).map(({ symbol }) => symbol);
      for (const symbol of pairs) symbols.delete(symbol);
      return { pairs };
    },
    'POST /trading/subscribe': (form, session) => {
      for (const model of modelsOf(form)) session.models.add(model);
      return {};
    },
    'POST /trading/unsubscribe': (form, session) => {
      for (const model of modelsOf(form)) session.models.delete(model);
      return {};
    },
    'POST /trading/update_subscriptions': (form) => {
      countCalls([SET_INSTRUMENTS]);
      const instrument = form.instrument();
      if (form.flag('visible') ?? true) book.hidden.delete(instrument);
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
function callCounter({ traps, now }: Exchange, hasCallLimits: boolean): (cmds: readonly number[]) => void {
  /** The times of the recent calls of each command. */
  const calls = new Map<number, number[]>();
  return (cmds) => {
    const lists = cmds.map((cmd) => {
      const [maxCalls, ms] = CALL_LIMITS.get(cmd) ?? [0, 0];
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
  if (from === undefined && to === undefined) {
    return { ...about, candles: candles(market, instrument, period, span, num, now()) };
  }
  const longestMs = (period.days ?? Number.POSITIVE_INFINITY) * DAY_MS;
  const isTooLong = Math.min(span.to, now()) - span.from > longestMs;
  // The gateway's own spelling.
  if (span.from > span.to || isTooLong) throw refusal('Invalid from/to parameneters.', about);
  return { ...about, candles: candles(market, instrument, period, span, most, now()) };
}

/** As pushed, with two more numbers. */
function subscribedPrice(instrument: Instrument, market: Exchange['market']): object {
  const { bid, ask, high, low, at } = market.quote(instrument);
  const more = [bid - instrument.pip, ask + instrument.pip].map((rate) => roundedRate(instrument, rate));
  return { Updated: at, Rates: [bid, ask, high, low, ...more], Symbol: instrument.symbol };
}

export function tableRows(name: ModelName, { book, market, traps }: Exchange): readonly TableRow[] {
  const trades = [...book.trades.values()];
  switch (name) {
    case 'Offer':
      return INSTRUMENTS.filter((instrument) => !book.hidden.has(instrument)).map((instrument) =>
        offerRow(instrument, market, !traps.has('market-closed')),
      );
    case 'OpenPosition':
      return trades.map((trade) => tradeRow(trade, market));
    case 'ClosedPosition':
      return book.closed.map(closedRow);
    case 'Order':
      return [...book.orders.values()].map(orderRow);
    case 'Summary':
      return INSTRUMENTS.filter((instrument) => trades.some((trade) => trade.instrument === instrument)).map(
        (instrument) => summaryRow(instrument, trades, market),
      );
    case 'Account':
      return book.accounts.map((account) => accountRow(account, trades, market));
    case 'LeverageProfile':
      return [{ profileId: '1', profileName: 'Sandbox', currencies: INSTRUMENTS.length }];
    case 'Properties':
      return [{ propertyName: 'BASE_CRNCY', propertyValue: 'USD' }];
  }
}

function modelsOf(form: Form): readonly ModelName[] {
  const names = form.texts('models');
  const unknown = names.length === 0 ? '' : names.find((name) => !Object.hasOwn(MODELS, name));
  if (unknown !== undefined) throw invalid('models', unknown);
  return names as readonly ModelName[];
}

function pairsOf(form: Form): readonly Instrument[] {
  const names = form.texts('pairs');
  if (names.length === 0) throw refusal('Missing pairs', { pairs: [] });
  return names.map((name) => instrumentOf(name, 'pairs'));
}
