import { beforeEach, expect, it } from 'vitest';
import { until } from '../gateway.ts';
import { holdOrder, holdTrade } from './holdings.ts';
import { forwarder } from './lost-answers.ts';
import { fileTrader } from './trader.ts';

const client = await fileTrader({ emptied: true });
/** What the person took to answer. */
let thought = 0;
beforeEach(() => {
  thought = 0;
  priceIs(1.16);
});

function priceIs(bid: number): void {
  client.gateway.setPrice('EUR/USD', bid);
  client.gateway.tick();
}

const began = Date.UTC(2026, 0, 14, 12);

function run(argv: readonly string[], seconds: number) {
  return client.run(argv, {
    terminal: 200,
    now: () => began + thought,
    answer() {
      thought += seconds * 1000;
      return true;
    },
  });
}

it.each([
  ['a market order', () => ['buy', 'EUR/USD', '5']],
  ['an entry order', () => ['entry', 'buy', 'EUR/USD', '5', '--rate', '1.155']],
  ['the change of an order', () => ['orders', 'update', holdOrder(client.gateway), '--amount', '5']],
])('is sent only if it was confirmed within a minute: %s', async (_name, argv) => {
  const late = await run(argv(), 61);
  expect({ code: late.code, orders: client.orders(), journal: client.journal() }).toEqual({
    code: 3,
    orders: [],
    journal: [],
  });
  expect(late.stderr).toContain('confirmed more than a minute after the prices were read; nothing was sent');
  thought = 0;
  expect((await run(argv(), 59)).code).toBe(0);
  expect(client.orders()).toHaveLength(1);
});

it.each([
  ['a close', () => ['close', holdTrade(client.gateway)]],
  ['a cancel', () => ['orders', 'cancel', holdOrder(client.gateway)]],
  ['a stop', () => ['positions', 'update', holdTrade(client.gateway), '--stop', '40pips']],
])('may be confirmed at any time: %s', async (_name, argv) => {
  expect((await run(argv(), 600)).code).toBe(0);
  expect(client.orders()).toHaveLength(1);
});

it.each([
  ['an order', () => ['buy', 'EUR/USD', '5', '--wait', '5s']],
  ['a close', () => ['close', holdTrade(client.gateway, { amountK: 5 }), '--wait', '5s']],
])('is not sent if the connection was lost during the confirmation: %s', async (_name, argv) => {
  await using between = await forwarder(client.gateway.url);
  let lose = (): void => {};
  const isLost = new Promise<void>((resolve) => {
    lose = resolve;
  });
  const { code, stderr } = await client.run(argv(), {
    terminal: 200,
    env: { SVC_TRADE_URL: between.url },
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

it.each([
  ['a close', () => ['close', holdTrade(client.gateway)]],
  ['a cancel', () => ['orders', 'cancel', holdOrder(client.gateway)]],
  ['the change of an order', () => ['orders', 'update', holdOrder(client.gateway), '--amount', '5']],
  ['a stop', () => ['positions', 'update', holdTrade(client.gateway), '--stop', '40pips']],
])(
  '%s is not sent over a new connection if the gateway ended the first one during the confirmation',
  async (_name, argv) => {
    await using between = await forwarder(client.gateway.url);
    const { code, stderr } = await client.run(argv(), {
      terminal: 200,
      env: { SVC_TRADE_URL: between.url },
      async answer() {
        const earlier = between.engine.length;
        client.gateway.cut();
        // svc closes its session when it notices the end.
        await until(() => between.engine.slice(earlier).some((request) => request.startsWith('POST ')));
        return true;
      },
    });
    expect({ code, orders: between.orders }).toEqual({ code: 7, orders: [] });
    expect(stderr).toContain('nothing was sent');
    expect(stderr).not.toContain('reconnecting');
  },
);
