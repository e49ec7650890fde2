/** The gateway's requests with their types. */
import { SvcError } from '../../errors.ts';
import type { CallValues, Effect, Endpoint } from '../../http/endpoint.ts';
import { verdictOf } from './gateway/envelope.ts';
import { refusal } from './gateway/failed-answer.ts';
import { MODELS, type ModelName, type TableRows } from './models.ts';
import type { Candle, Envelope, ListAnswer, ModelRows } from './schema.ts';

const envelope = async () => (await import('./schema.ts')).envelope;

function read(path: string): Endpoint<Envelope, 'read'> {
  return { method: 'GET', path, effect: 'read', answer: envelope };
}

function post<E extends Effect>(path: string, effect: E): Endpoint<Envelope, E> {
  return { method: 'POST', path, effect, encoding: 'form', answer: envelope };
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
export const createEntryOrder = post('/trading/create_entry_order', 'money');

/** Not shown in the document. */
export const closeTrade = post('/trading/close_trade', 'money');
export const closeAllForSymbol = post('/trading/close_all_for_symbol', 'money');
export const changeOrder = post('/trading/change_order', 'money');
export const deleteOrder = post('/trading/delete_order', 'money');
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

export type Trading = ReturnType<typeof openTrading>;

export function openTrading(session: Reader) {
  const asked = async <A extends Envelope>(what: string, endpoint: Endpoint<A, 'read'>, values?: CallValues) =>
    unlessRefused(what, await session.call(endpoint, values));
  const table = <N extends ModelName>(
    what: string,
    endpoint: Endpoint<Envelope, 'read'>,
    name: N,
    values?: CallValues,
  ) => asked(what, { ...endpoint, answer: async () => (await schemas()).tableAnswer(name) }, values);
  return {
    /** The rows of a table without the row of totals. */
    async model<N extends ModelName>(name: N): Promise<TableRows<ModelRows[N]>> {
      const answer = await table(`the table ${name}`, getModel, name, { query: { models: name } });
      return rowsOf(answer, MODELS[name].rows);
    },
    /** From the path of doc 3 §4, or else from that of the other tables, as seen on the public implementation. */
    async accounts() {
      const answer = await ifKnown(table('the accounts', getAccounts, 'Account'));
      const query = { models: 'Account' };
      const found = answer?.rows === undefined ? await table('the accounts', getModel, 'Account', { query }) : answer;
      return rowsOf(found, MODELS.Account.rows);
    },
    async instruments() {
      const answer = async () => (await schemas()).instrumentsAnswer;
      return rowsOf(await asked('the instruments', { ...getInstruments, answer }), 'data.instrument');
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
      const answer = async () => (await schemas()).candlesAnswer;
      const found = await asked(
        `candles ${period}`,
        { ...getCandles, answer },
        {
          params: { offer_id: offerId, period_id: period },
          // `num` is required even where a range is given, and then ignored.
          query: { num: MOST_CANDLES, from, to },
        },
      );
      return rowsOf(found, 'candles');
    },
  };
}

const schemas = () => import('./schema.ts');

function unlessRefused<A extends Envelope>(what: string, answer: A): A {
  const { executed, error } = verdictOf(answer);
  if (executed === false || error !== undefined) throw refusal(error, what);
  return answer;
}

/** Undefined if the gateway does not know the path. */
async function ifKnown<A>(answer: Promise<A>): Promise<A | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof SvcError && error.code === 'wrong_path') return undefined;
    throw error;
  }
}

function rowsOf<Row>({ rows, omitted = [] }: ListAnswer<Row>, list: string): TableRows<Row> {
  if (rows === undefined) throw new SvcError('wrong_shape', `the gateway's response has no list "${list}"`);
  // Not enumerable, so that the rows are an array like any other.
  return Object.defineProperty([...rows], 'omitted', { value: omitted }) as unknown as TableRows<Row>;
}
