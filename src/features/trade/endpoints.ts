/**
 * Every request of doc 3 §4 Part B, and those that the document only mentions, as seen on the public implementation. All answers have
 * the envelope; `client.ts` takes the rows out of it.
 */
import type { Effect, Endpoint } from '../../http/endpoint.ts';
import type { Envelope } from './schema.ts';

const envelope = async () => (await import('./schema.ts')).envelope;

function read(path: string): Endpoint<Envelope, 'read'> {
  return { method: 'GET', path, effect: 'read', exactIntegers: true, answer: envelope };
}

/** No write is ever sent twice; what a subscription changes is the session's own affair, and ends with it. */
function post<E extends Effect>(path: string, effect: E): Endpoint<Envelope, E> {
  return { method: 'POST', path, effect, encoding: 'form', exactIntegers: true, answer: envelope };
}

/** Doc 3 §4. */
export const getAccounts = read('/trading/get_model/Accounts');
/** Doc 3 §4; the query `models` as seen on the public implementation. */
export const getModel = read('/trading/get_model');
/** Not shown in the document. */
export const getInstruments = read('/trading/get_instruments');
/** Doc 3 §8 has its limits; the path is not shown. Its answers may be kept for a day, and the last candle changes by the second. */
export const getCandles = { ...read('/candles/{offer_id}/{period_id}'), fresh: true } as const;

/** Doc 3 §4; subscribing changes nothing at the service but what it pushes to this session. */
export const subscribePrices = post('/subscribe', 'read');
export const subscribeModel = post('/trading/subscribe', 'read');
/** Doc 3 §4: "Unsubscribing exists. Its path and fields: not shown." */
export const unsubscribePrices = post('/unsubscribe', 'read');
export const unsubscribeModel = post('/trading/unsubscribe', 'read');

/** Not shown in the document; what it changes stays with the account. */
export const updateSubscriptions = post('/trading/update_subscriptions', 'write');

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
export const simpleOco = post('/trading/simple_oco', 'money');
export const addToOco = post('/trading/add_to_oco', 'money');
export const removeFromOco = post('/trading/remove_from_oco', 'money');
export const editOco = post('/trading/edit_oco', 'money');
