/** What the vendor's own samples send: the sandbox and its order requests take it as the gateway does. */
import { expect, test } from 'vitest';
import { type Fields, type Json, orderIdOf, rowsOf, startGateway } from './service.ts';

const ACCOUNT = '654061';

async function sample() {
  const gateway = await startGateway({ seed: 'empty' });
  const peer = await gateway.peer();
  const post = (path: string, fields: Fields) => gateway.call(peer.id, 'POST', `/trading/${path}`, fields);
  const rows = async (model: string, name: string): Promise<readonly Json[]> =>
    rowsOf(await gateway.call(peer.id, 'GET', '/trading/get_model', { models: model }), name).filter(
      ({ isTotal }) => isTotal !== true,
    );
  const filled = async (count: number): Promise<readonly Json[]> => {
    for (;;) {
      const trades = await rows('OpenPosition', 'open_positions');
      if (trades.length === count) return trades;
      await new Promise(setImmediate);
    }
  };
  return { gateway, post, rows, filled, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() };
}

/** The Node sample's open_trade has no order_type, and that of other orders no time_in_force. */
test.each([
  ['FOK alone', { time_in_force: 'FOK' }],
  ['an order_type alone', { order_type: 'AtMarket' }],
  ['neither', {}],
])('open_trade with %s is an order at market', async (_, terms) => {
  await using trading = await sample();
  const order = { account_id: ACCOUNT, symbol: 'EUR/USD', is_buy: true, amount: 1, ...terms };
  expect(orderIdOf(await trading.post('open_trade', order))).toMatch(/^\d+$/);
  expect(await trading.filled(1)).toMatchObject([{ currency: 'EUR/USD', isBuy: true, amountK: 1 }]);
});

test("Python's True and False are booleans", async () => {
  await using trading = await sample();
  const order = { account_id: ACCOUNT, symbol: 'EUR/USD', amount: 1, is_in_pips: 'True' };
  await trading.post('open_trade', { ...order, is_buy: 'False', stop: -40 });
  await trading.post('open_trade', { ...order, is_buy: 'True' });
  await trading.post('open_trade', { ...order, symbol: 'USD/JPY', is_buy: 'True' });
  expect((await trading.filled(3)).map(({ isBuy }) => isBuy).sort()).toEqual([false, true, true]);
  const closing = { account_id: ACCOUNT, order_type: 'AtMarket', time_in_force: 'GTC' };
  await trading.post('close_all_for_symbol', { ...closing, forSymbol: 'True', symbol: 'EUR/USD' });
  expect(await trading.filled(1)).toMatchObject([{ currency: 'USD/JPY' }]);
  await trading.post('close_all_for_symbol', { ...closing, forSymbol: 'False', symbol: '' });
  await trading.filled(0);
});

test.each(['yes', '1'])('is_buy=%s is refused, and buys nothing', async (given) => {
  await using trading = await sample();
  const answer = await trading.post('open_trade', {
    account_id: ACCOUNT,
    symbol: 'EUR/USD',
    amount: 1,
    is_buy: given,
  });
  expect(answer['response']).toMatchObject({ executed: false });
  expect(await trading.rows('Order', 'orders')).toEqual([]);
});
