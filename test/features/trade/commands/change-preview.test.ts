/** `--preview` of close, orders update and positions update: what it shows, and that nothing is sent. */
import { beforeEach, expect, it } from 'vitest';
import { holdOrder, holdTrade } from './holdings.ts';
import { fileTrader, HEDGING, NETTING } from './trader.ts';

const client = await fileTrader();
beforeEach(() => {
  client.gateway.book.trades.clear();
  client.gateway.book.orders.clear();
});

async function preview(argv: readonly string[]) {
  const { code, stdout, stderr } = await client.run([...argv, '--preview', '-o', 'json']);
  expect({ code, orders: client.orders(), journal: client.journal() }, stderr).toEqual({
    code: 0,
    orders: [],
    journal: [],
  });
  return JSON.parse(stdout);
}

it('close: the realized profit, the freed margin and the remaining amount', async () => {
  const trade = holdTrade(client.gateway, { amountK: 10, open: 1.1587 });
  const [row] = await preview(['close', trade, '--amount', '4']);
  expect(row).toMatchObject({
    command: 'close',
    trade_id: trade,
    account_id: HEDGING,
    symbol: 'EUR/USD',
    side: 'buy',
    open: 1.1587,
    rate: 1.16,
    before: { amount: 10, grossPL: 13, usedMargin: expect.any(Number) },
    after: { amount: 6, realized_pl: 5.2 },
    does: expect.stringContaining(`Close 4 EUR/USD of trade ${trade}`),
  });
  expect(row.after.freed_margin).toBeCloseTo(row.before.usedMargin * 0.4, 1);
  const table = (await client.run(['close', trade, '--preview'])).stdout;
  expect(table).toContain('amount 0, realized_pl 13');
});

it('close of a symbol, and by an opposite order', async () => {
  holdTrade(client.gateway, { amountK: 10, open: 1.1587 });
  holdTrade(client.gateway, { amountK: 5, open: 1.161 });
  const [all] = await preview(['close', '--symbol', 'EUR/USD']);
  expect(all).toMatchObject({
    symbol: 'EUR/USD',
    before: { trades: 2, grossPL: 8 },
    after: { trades: 0, realized_pl: 8 },
  });
  const trade = holdTrade(client.gateway, { account: NETTING, amountK: 30 });
  const [opposite] = await preview(['close', trade, '--via-opposite', '--account', NETTING]);
  expect(opposite).toMatchObject({ request: '/trading/open_trade', before: { amount: 30 }, after: { amount: 0 } });
  expect(await preview(['close', '--symbol', 'USD/JPY'])).toEqual([]);
});

it('orders update: both requests, with the costs of the new amount', async () => {
  const order = holdOrder(client.gateway, { amountK: 10 });
  const rows = await preview(['orders', 'update', order, '--amount', '20', '--stop', '40pips', '--limit', '1.16']);
  expect(rows).toMatchObject([
    {
      order_id: order,
      before: { rate: 1.15, amount: 10, range: 0 },
      after: { rate: 1.15, amount: 20, range: 0 },
      pip_value: 2,
      spread: 1.3,
      swap: -0.65,
    },
    {
      before: { stop: 'none', limit: 'none' },
      after: { stop: { rate: 1.146, pips: 40, money: 80 }, limit: { rate: 1.16, pips: 100, money: 200 } },
    },
  ]);
  expect(rows[0].margin_needed).toBeCloseTo(2 * 386.3, 0);
});

it('positions update: the stop and the limit', async () => {
  const trade = holdTrade(client.gateway, { amountK: 10, isBuy: false });
  const rows = await preview(['positions', 'update', trade, '--stop', '40pips', '--limit', 'none']);
  expect(rows).toMatchObject([
    { trade_id: trade, before: { stop: 'none' }, after: { stop: { rate: 1.164, pips: 40, money: 40 } } },
    { trade_id: trade, before: { limit: 'none' }, after: { limit: 'none' } },
  ]);
});

it('applies the same refusals', async () => {
  const trade = holdTrade(client.gateway, { amountK: 10 });
  expect((await client.run(['close', trade, '--amount', '11', '--preview'])).code).toBe(3);
  expect((await client.run(['orders', 'update', '1', '--rate', '1.1', '--preview'])).code).toBe(5);
  expect(client.orders()).toEqual([]);
});
