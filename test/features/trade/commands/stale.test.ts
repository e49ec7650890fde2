import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { holdOrder, holdTrade } from './holdings.ts';
import { forwarder } from './lost-answers.ts';
import { NETTING, type Trader, trader } from './trader.ts';

let client: Trader;
/** What the person took to answer. */
let thought = 0;
beforeAll(async () => {
  client = await trader();
});
afterAll(() => client[Symbol.asyncDispose]());
beforeEach(() => {
  thought = 0;
  client.gateway.book.trades.clear();
  client.gateway.book.orders.clear();
  priceIs(1.16);
});

function priceIs(bid: number): void {
  client.gateway.setPrice('EUR/USD', bid);
  client.gateway.tick();
}

const began = Date.UTC(2026, 0, 14, 12);

function run(argv: readonly string[], seconds: number, meanwhile: () => void, more: Parameters<Trader['run']>[1] = {}) {
  return client.run(argv, {
    terminal: 200,
    now: () => began + thought,
    answer() {
      if (thought === 0) meanwhile();
      thought += seconds * 1000;
      return true;
    },
    ...more,
  });
}

const looks = () => client.calls().filter((call) => call.includes('models=OpenPosition')).length;

it.each([
  [
    'a trade that is closed meanwhile',
    (id: string) => void client.gateway.book.trades.delete(id),
    5,
    /there is no open trade/,
  ],
  [
    'a trade that is partly closed meanwhile',
    (id: string) => {
      const trade = client.gateway.book.trades.get(id);
      if (trade !== undefined) trade.amountK = 10;
    },
    3,
    /has only 10, not 20; nothing was sent/,
  ],
])('sends no opposite order for %s', async (_name, meanwhile, code, why) => {
  const id = holdTrade(client.gateway, { account: NETTING, amountK: 20 });
  const slow = await run(['close', id], 60, () => meanwhile(id));
  expect({ code: slow.code, orders: client.orders() }).toEqual({ code, orders: [] });
  expect(slow.stderr).toMatch(why);
});

it('does not read again after a quick answer', async () => {
  const id = holdTrade(client.gateway, { account: NETTING });
  const { code } = await run(['close', id], 9, () => {});
  expect({ code, looks: looks(), orders: client.orders().length }).toEqual({ code: 0, looks: 1, orders: 1 });
  const other = holdTrade(client.gateway, { account: NETTING, symbol: 'GBP/USD' });
  const slow = await run(['close', other], 60, () => {});
  expect({ code: slow.code, looks: looks(), orders: client.orders().length }).toEqual({ code: 0, looks: 2, orders: 1 });
});

it('sends nothing if the unchanged values of an order changed meanwhile', async () => {
  const id = holdOrder(client.gateway);
  const { code, stderr } = await run(['orders', 'update', id, '--amount', '5'], 60, () => {
    const order = client.gateway.book.orders.get(id);
    if (order !== undefined) order.rate = 1.14;
  });
  expect({ code, orders: client.orders() }).toEqual({ code: 3, orders: [] });
  expect(stderr).toMatch(
    /order \d+ changed before you confirmed: it is now order \d+ \(.* at 1\.14\); nothing was sent/,
  );
});

it('reports a price that moved', async () => {
  const { code, asked, stderr } = await run(['buy', 'EUR/USD', '5'], 60, () => priceIs(1.17));
  expect({ code, asked: asked.length, orders: client.orders().length }).toEqual({ code: 0, asked: 1, orders: 1 });
  expect(stderr).toContain('the price moved from 1.16013 to 1.17013 before you confirmed');
});

it('does not send if the stop is on the wrong side meanwhile', async () => {
  const { code, stderr } = await run(['buy', 'EUR/USD', '5', '--stop', '1.155'], 60, () => priceIs(1.15));
  expect({ code, orders: client.orders() }).toEqual({ code: 3, orders: [] });
  expect(stderr).toContain('--stop: 1.155 must be below the rate 1.15013');
});

it('does not send a limit entry that would now be a stop entry', async () => {
  const { code, stderr } = await run(['entry', 'buy', 'EUR/USD', '5', '--rate', '1.155'], 60, () => priceIs(1.15));
  expect({ code, orders: client.orders() }).toEqual({ code: 3, orders: [] });
  expect(stderr).toContain('so the limit entry is now a stop entry; nothing was sent');
});

it.each([
  ['an order', () => ['buy', 'EUR/USD', '5', '--wait', '5s']],
  ['a close', () => ['close', holdTrade(client.gateway, { amountK: 5 }), '--wait', '5s']],
])('%s is not sent once a connection that was lost meanwhile is there again', async (_name, argv) => {
  await using between = await forwarder(client.gateway.url);
  let lose = (): void => {};
  const isLost = new Promise<void>((resolve) => {
    lose = resolve;
  });
  const { code, stderr } = await client.run(argv(), {
    terminal: 200,
    env: { SVC_TRADE_URL: between.url, SVC_TRADE_TRANSPORT: 'polling' },
    onStderr(text) {
      if (text.includes('reconnecting')) lose();
    },
    async answer() {
      between.isGone = true;
      client.gateway.cut();
      await isLost;
      return true;
    },
  });
  expect({ code, orders: between.orders }).toEqual({ code: 7, orders: [] });
  expect(stderr).toContain('nothing was sent');
});
