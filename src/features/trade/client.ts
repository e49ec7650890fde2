/** The gateway's requests with their types. */
import { SvcError } from '../../errors.ts';
import type { CallValues, Effect, Endpoint, Parser } from '../../http/endpoint.ts';
import { verdictOf } from './gateway/envelope.ts';
import { refusal } from './gateway/failed-answer.ts';
import { MODELS, type ModelName, type TableRows } from './models.ts';
import type { Account, Candle, Envelope, ListAnswer, ModelRows } from './schema.ts';

type Schemas = typeof import('./schema.ts');

/** The schemas are loaded with the first response. */
function parser<A>(answerOf: (schemas: Schemas) => Parser<A>): () => Promise<Parser<A>> {
  return async () => answerOf(await import('./schema.ts'));
}

function read<A extends Envelope>(path: string, answerOf: (schemas: Schemas) => Parser<A>): Endpoint<A, 'read'> {
  return { method: 'GET', path, effect: 'read', answer: parser(answerOf) };
}

function post<E extends Effect>(path: string, effect: E): Endpoint<Envelope, E> {
  return { method: 'POST', path, effect, encoding: 'form', answer: parser((schemas) => schemas.envelope) };
}

/** Doc 3 §4. */
export const getAccounts = read('/trading/get_model/Accounts', (schemas) => schemas.tableAnswer('Account'));
/** Doc 3 §4; the query `models` as seen on the public implementation. */
export function getModel<N extends ModelName>(name: N) {
  return read('/trading/get_model', (schemas) => schemas.tableAnswer(name));
}
/** Not shown in the document. */
export const getInstruments = read('/trading/get_instruments', (schemas) => schemas.instrumentsAnswer);
/** Doc 3 §8 has limits but no path. Never cached, as the last candle changes by the second. */
export const getCandles = {
  ...read('/candles/{offer_id}/{period_id}', (schemas) => schemas.candlesAnswer),
  fresh: true,
} as const;

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
  /** Throws if the gateway refuses. */
  const ask = async <A extends Envelope>(what: string, endpoint: Endpoint<A, 'read'>, values?: CallValues) => {
    const answer = await session.call(endpoint, values);
    const { executed, error } = verdictOf(answer);
    if (executed === false || error !== undefined) throw refusal(error, what);
    return answer;
  };
  return {
    /** The rows of a table without the row of totals. */
    async model<N extends ModelName>(name: N): Promise<TableRows<ModelRows[N]>> {
      const answer = await ask(`the table ${name}`, getModel(name), { query: { models: name } });
      return rowsOf(answer, MODELS[name].rows);
    },
    /** From doc 3 §4's path, else the other tables', as seen on the public implementation. */
    async accounts(): Promise<TableRows<Account>> {
      try {
        const answer = await ask('the accounts', getAccounts);
        if (answer.rows !== undefined) return rowsOf(answer, MODELS.Account.rows);
      } catch (error) {
        if (!(error instanceof SvcError) || error.code !== 'wrong_path') throw error;
      }
      return this.model('Account');
    },
    async instruments() {
      return rowsOf(await ask('the instruments', getInstruments), 'data.instrument');
    },
    async subscribePrices(symbol: string) {
      await ask(`prices of ${symbol}`, subscribePrices, { body: { pairs: symbol } });
    },
    async unsubscribePrices(symbol: string) {
      await ask(`no more prices of ${symbol}`, unsubscribePrices, { body: { pairs: symbol } });
    },
    async subscribeModel(name: ModelName) {
      await ask(`updates of ${name}`, subscribeModel, { body: { models: name } });
    },
    async unsubscribeModel(name: ModelName) {
      await ask(`no more updates of ${name}`, unsubscribeModel, { body: { models: name } });
    },
    async candles({ offerId, period, from, to }: CandleQuery): Promise<readonly Candle[]> {
      const values = {
        params: { offer_id: offerId, period_id: period },
        // `num` is required even where a range is given, and then ignored.
        query: { num: MOST_CANDLES, from, to },
      };
      return rowsOf(await ask(`candles ${period}`, getCandles, values), 'candles');
    },
  };
}

function rowsOf<Row>({ rows, omitted = [] }: ListAnswer<Row>, list: string): TableRows<Row> {
  if (rows === undefined) throw new SvcError('wrong_shape', `the gateway's response has no list "${list}"`);
  // Not enumerable, so that the rows are an array like any other.
  return Object.defineProperty([...rows], 'omitted', { value: omitted }) as unknown as TableRows<Row>;
}
