/** The gateway's requests with their types. */
import { SvcError } from '../../errors.ts';
import type { CallValues, Effect, Endpoint, Parser } from '../../http/endpoint.ts';
import type { KnownTables, TableRow } from '../../store/known-tables.ts';
import { verdictOf } from './gateway/envelope.ts';
import { refusal } from './gateway/failed-answer.ts';
import { MODELS, type ModelName } from './models.ts';
import type { Candle, Envelope, ModelRows, Offer } from './schema.ts';

const envelope = async () => (await import('./schema.ts')).envelope;

function read(path: string): Endpoint<Envelope, 'read'> {
  return { method: 'GET', path, effect: 'read', exactIntegers: true, answer: envelope };
}

function post<E extends Effect>(path: string, effect: E): Endpoint<Envelope, E> {
  return { method: 'POST', path, effect, encoding: 'form', exactIntegers: true, answer: envelope };
}

/** Doc 3 §4. */
export const getAccounts = read('/trading/get_model/Accounts');
/** Doc 3 §4; the query `models` as seen on the public implementation. */
export const getModel = read('/trading/get_model');
/** Not shown in the document. */
export const getInstruments = read('/trading/get_instruments');
/** Doc 3 §8 has its limits; the path is not shown. Never from a cache, as the last candle changes by the second. */
export const getCandles = { ...read('/candles/{offer_id}/{period_id}'), fresh: true } as const;

/** Doc 3 §4; a read, as it only changes what this session receives. */
export const subscribePrices = post('/subscribe', 'read');
export const subscribeModel = post('/trading/subscribe', 'read');
/** Doc 3 §4: "Unsubscribing exists. Its path and fields: not shown." */
export const unsubscribePrices = post('/unsubscribe', 'read');
export const unsubscribeModel = post('/trading/unsubscribe', 'read');

/** Doc 3 §4. */
export const openTrade = post('/trading/open_trade', 'money');
/** To close a trade where the account does not hedge. */
export const oppositeTrade = { ...openTrade, urgent: true } as const;
export const createEntryOrder = post('/trading/create_entry_order', 'money');

/** Not shown in the document. */
export const closeTrade = { ...post('/trading/close_trade', 'money'), urgent: true } as const;
export const closeAllForSymbol = { ...post('/trading/close_all_for_symbol', 'money'), urgent: true } as const;
export const changeOrder = post('/trading/change_order', 'money');
export const deleteOrder = { ...post('/trading/delete_order', 'money'), urgent: true } as const;
export const changeTradeStopLimit = post('/trading/change_trade_stop_limit', 'money');
export const changeOrderStopLimit = post('/trading/change_order_stop_limit', 'money');

export interface Reader {
  call<T>(endpoint: Endpoint<T, 'read'>, values?: CallValues): Promise<T>;
}

export interface CandleQuery {
  readonly offerId: string;
  readonly period: string;
  /** Unix seconds. */
  readonly from: number;
  readonly to: number;
}

/** Doc 3 §8. */
export const MOST_CANDLES = 10_000;

/** The entry of the cache that says which path has the accounts. */
const ACCOUNTS_PATH = 'path of the accounts';

export type Trading = ReturnType<typeof openTrading>;

/** `known` keeps the tables that a later command may need. */
export function openTrading(session: Reader, known?: KnownTables) {
  const asked = async (what: string, endpoint: Endpoint<Envelope, 'read'>, values?: CallValues): Promise<Envelope> =>
    unlessRefused(what, await session.call(endpoint, values));
  const rowsOf = async <N extends ModelName>(answer: Envelope, name: N): Promise<readonly ModelRows[N][]> => {
    const { rows, key } = MODELS[name];
    const schema = (await schemas()).MODEL_ROWS[name] as unknown as Parser<ModelRows[N]>;
    return checked(withoutTotal(answer[rows], key), schema, rows);
  };
  const keep = (name: ModelName, rows: readonly object[]): void => {
    if (name === 'Offer') known?.keep(name, (rows as readonly Offer[]).map(withoutPrices));
    else if (CACHED_TABLES.has(name)) known?.keep(name, rows as readonly TableRow[]);
  };
  const accountsAt = {
    /** As doc 3 §4 shows it. */
    documented: () => asked('the accounts', getAccounts),
    /** As that of the other tables (seen on the public implementation). */
    common: () => asked('the accounts', getModel, { query: { models: 'Account' } }),
  } as const;
  return {
    /** The rows of a table without the row of totals. */
    async model<N extends ModelName>(name: N): Promise<readonly ModelRows[N][]> {
      const rows = await rowsOf(await asked(`the table ${name}`, getModel, { query: { models: name } }), name);
      keep(name, rows);
      return rows;
    },
    /** From the path of the document, or else of the other tables; the path that works is cached. */
    async accounts() {
      const isCommon = known?.read(ACCOUNTS_PATH)?.[0]?.['path'] === 'common';
      const [first, second] = isCommon ? (['common', 'documented'] as const) : (['documented', 'common'] as const);
      const answer = await ifKnown(accountsAt[first]());
      const isFirst = Array.isArray(answer?.['accounts']);
      const rows = await rowsOf(isFirst ? (answer ?? {}) : await accountsAt[second](), 'Account');
      if (!isFirst) known?.keep(ACCOUNTS_PATH, [{ path: second }]);
      keep('Account', rows);
      return rows;
    },
    async instruments() {
      const { data } = await asked('the instruments', getInstruments);
      const list = (data as { instrument?: unknown } | undefined)?.instrument;
      return checked(list, (await schemas()).instrument, 'data.instrument');
    },
    async subscribePrices(symbol: string) {
      await asked(`prices of ${symbol}`, subscribePrices, { body: { pairs: symbol } });
    },
    async unsubscribePrices(symbol: string) {
      await asked(`no more prices of ${symbol}`, unsubscribePrices, { body: { pairs: symbol } });
    },
    async subscribeModel(name: ModelName) {
      await asked(`updates of ${name}`, subscribeModel, { body: { models: name } });
    },
    async unsubscribeModel(name: ModelName) {
      await asked(`no more updates of ${name}`, unsubscribeModel, { body: { models: name } });
    },
    async candles({ offerId, period, from, to }: CandleQuery): Promise<readonly Candle[]> {
      const answer = await asked(`candles ${period}`, getCandles, {
        params: { offer_id: offerId, period_id: period },
        // `num` is required even where a range is given, and then ignored.
        query: { num: MOST_CANDLES, from, to },
      });
      return checked(answer['candles'], (await schemas()).candle, 'candles');
    },
  };
}

/** The tables that may be needed when a rate limit prevents their reading. */
const CACHED_TABLES: ReadonlySet<ModelName> = new Set(['Account', 'OpenPosition', 'Order']);

/** Without the fields that change every second. */
function withoutPrices({ sell: _, buy: __, high: ___, low: ____, time: _____, spread: ______, ...lasting }: Offer) {
  return lasting;
}

const schemas = () => import('./schema.ts');

function unlessRefused(what: string, answer: Envelope): Envelope {
  const { executed, error } = verdictOf(answer);
  if (executed === false || error !== undefined) throw refusal(error, what);
  return answer;
}

/** Undefined if the gateway does not know the path. */
async function ifKnown(answer: Promise<Envelope>): Promise<Envelope | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof SvcError && error.code === 'wrong_path') return undefined;
    throw error;
  }
}

/** The row of totals has isTotal or an empty key, and may lack other fields. */
function withoutTotal(rows: unknown, key = 'isTotal'): unknown {
  if (!Array.isArray(rows)) return rows;
  return rows.filter((row: Readonly<Record<string, unknown>> | null) => row?.['isTotal'] !== true && row?.[key] !== '');
}

function checked<T>(value: unknown, schema: Parser<T>, where: string): readonly T[] {
  if (!Array.isArray(value)) {
    throw new SvcError('bad_answer', `the gateway's response has no list "${where}"`);
  }
  return value.map((item, i) => {
    const outcome = schema.safeParse(item);
    if (outcome.success) return outcome.data;
    const [issue] = outcome.error.issues;
    const path = [where, i, ...(issue?.path ?? [])].join('.');
    throw new SvcError('bad_answer', `unexpected response of the gateway: ${path}: ${issue?.message ?? ''}`);
  });
}
