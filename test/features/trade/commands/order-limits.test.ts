/** The setting `trade.maxPosition`: what it refuses, and what it never refuses. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { temporaryHome } from '../../../support/svc.ts';
import { holdOrder, holdTrade } from './holdings.ts';
import { forwarder } from './lost-answers.ts';
import { HEDGING, NETTING, type Trader, trader } from './trader.ts';

let client: Trader;
const positionHome = temporaryHome();
const set = async (home: string, key: string, value: string) =>
  expect((await client.runAny(['config', 'set', key, value], { home })).code).toBe(0);
beforeAll(async () => {
  client = await trader();
  await set(positionHome, 'trade.maxPosition', '10');
});
afterAll(() => client[Symbol.asyncDispose]());
beforeEach(() => {
  const { traps, book } = client.gateway;
  traps.clear();
  book.trades.clear();
  book.orders.clear();
});

const within = (argv: readonly string[]) => client.run([...argv, '--yes'], { home: positionHome });
const NETTED = ['--account', NETTING];
describe('trade.maxPosition', () => {
  it.each([
    ['buy', ['buy', 'EUR/USD', '5'], 'the long position of EUR/USD in account 654061 could become 12'],
    ['entry buy', ['entry', 'buy', 'EUR/USD', '5', '--rate', '1.15'], 'could become 12'],
  ])('counts the position, pending entries and the order: %s', async (_name, argv, why) => {
    holdTrade(client.gateway, { amountK: 4 });
    holdOrder(client.gateway, { amountK: 3 });
    const { code, stderr } = await within([...argv, '-o', 'json']);
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(why) });
    expect(JSON.parse(stderr.split('\n').find((line) => line.startsWith('{')) ?? '').error).toMatchObject({
      code: 'over_limit',
      setting: 'trade.maxPosition',
      limit: 10,
      value: 12,
    });
    expect(client.orders()).toEqual([]);
  });

  it('allows exactly this position, and does not count other symbols, accounts, sides, stops or closing orders', async () => {
    holdTrade(client.gateway, { amountK: 4 });
    holdTrade(client.gateway, { amountK: 9, symbol: 'USD/JPY' });
    holdTrade(client.gateway, { amountK: 9, account: NETTING });
    holdTrade(client.gateway, { amountK: 9, isBuy: false });
    holdOrder(client.gateway, { amountK: 9, isBuy: false });
    const attached = client.gateway.book.orders.get(holdOrder(client.gateway, { amountK: 9 }));
    if (attached !== undefined) attached.type = 'S';
    expect((await within(['buy', 'EUR/USD', '6'])).code).toBe(0);
    expect(client.orders()).toHaveLength(1);
  });

  it('counts contracts where amounts are contracts', async () => {
    holdTrade(client.gateway, { symbol: 'XAU/USD', amountK: 0.007 });
    expect((await within(['buy', 'XAU/USD', '4'])).code).toBe(3);
    expect((await within(['buy', 'XAU/USD', '3'])).code).toBe(0);
  });

  it('applies to processes that run at the same time', async () => {
    const codes = await Promise.all([1, 2, 3, 4].map(async () => (await within(['buy', 'EUR/USD', '4'])).code));
    expect(codes.sort()).toEqual([0, 0, 3, 3]);
    const opened = [...client.gateway.book.trades.values(), ...client.gateway.book.orders.values()];
    expect(opened.reduce((sum, { amountK }) => sum + amountK, 0)).toBe(8);
  });

  it('holds while another process makes a pending order larger', async () => {
    const order = holdOrder(client.gateway, { amountK: 1 });
    await using before = await forwarder(client.gateway.url);
    const run = (...argv: readonly string[]) =>
      client.run([...argv, '--yes'], { home: positionHome, env: { SVC_TRADE_URL: before.url } });
    let readOrders: (() => void) | undefined;
    const hasReadOrders = new Promise<void>((resolve) => {
      readOrders = resolve;
    });
    let buying: ReturnType<typeof run> | undefined;
    before.before = async (url) => {
      if (buying !== undefined && url.includes('OpenPosition')) readOrders?.();
      if (!url.includes('change_order')) return;
      buying = run('buy', 'EUR/USD', '9');
      await hasReadOrders;
    };
    const update = await run('orders', 'update', order, '--amount', '10');
    expect([update.code, (await buying)?.code]).toEqual([0, 3]);
    expect(client.gateway.book.trades.size).toBe(0);
  });

  it('reports what became of an order although the lock of the limit cannot be removed', async () => {
    await using before = await forwarder(client.gateway.url);
    const home = temporaryHome();
    await set(home, 'trade.maxPosition', '10');
    before.before = async (url) => {
      if (!url.includes('open_trade')) return;
      const lock = join(home, 'state', 'trade', `limits-${HEDGING}.lock`);
      rmSync(lock);
      mkdirSync(lock);
    };
    const argv = ['buy', 'EUR/USD', '1', '--yes', '-o', 'json'];
    const { code, stdout, stderr } = await client.run(argv, { home, env: { SVC_TRADE_URL: before.url } });
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'accepted' });
  });

  it('sends nothing if another process took over the lock while the tables were read again', async () => {
    await using before = await forwarder(client.gateway.url);
    const home = temporaryHome();
    await set(home, 'trade.maxPosition', '10');
    const env = { SVC_TRADE_URL: before.url };
    let reads = 0;
    before.before = async (url) => {
      if (!url.includes('OpenPosition')) return;
      reads += 1;
      // Another order, so that the first one reads again under the lock.
      if (reads === 1) expect((await client.run(['buy', 'EUR/USD', '1', '--yes'], { home, env })).code).toBe(0);
      if (reads === 3) rmSync(join(home, 'state', 'trade', `limits-${HEDGING}.lock`));
    };
    const { code, stderr } = await client.run(['buy', 'EUR/USD', '2', '--yes'], { home, env });
    expect({ code, stderr, reads }).toEqual({
      code: 2,
      stderr: expect.stringContaining('another process took over the lock'),
      reads: 3,
    });
    expect(client.orders()).toHaveLength(1);
  });

  it('never refuses a close, a cancel, or a smaller amount', async () => {
    const trade = holdTrade(client.gateway, { amountK: 50 });
    holdTrade(client.gateway, { amountK: 50 });
    const [order, other] = [holdOrder(client.gateway, { amountK: 40 }), holdOrder(client.gateway, { amountK: 40 })];
    expect((await within(['orders', 'update', order, '--amount', '41'])).code).toBe(3);
    expect(client.orders()).toEqual([]);
    expect((await within(['orders', 'update', order, '--amount', '39'])).code).toBe(0);
    expect((await within(['orders', 'cancel', other])).code).toBe(0);
    expect((await within(['close', trade])).code).toBe(0);
    expect((await within(['orders', 'cancel', '--all', '--account', HEDGING])).code).toBe(0);
    expect((await within(['close', '--everything', '--account', HEDGING])).code).toBe(0);
    expect(client.gateway.book.trades.size + client.gateway.book.orders.size).toBe(0);
  });

  it('never refuses an opposite order that only reduces a netting account', async () => {
    holdTrade(client.gateway, { account: NETTING, amountK: 30 });
    expect((await within(['buy', 'EUR/USD', '10', ...NETTED])).code).toBe(3);
    expect((await within(['sell', 'EUR/USD', '50', ...NETTED])).code).toBe(3);
    expect(client.orders()).toEqual([]);
    holdOrder(client.gateway, { account: NETTING, amountK: 20, isBuy: false, rate: 1.17 });
    expect((await within(['entry', 'sell', 'EUR/USD', '30', '--rate', '1.17', ...NETTED])).code).toBe(3);
    expect((await within(['sell', 'EUR/USD', '30', ...NETTED])).code).toBe(0);
  });

  it('refuses orders that open, but not a close, if the tables cannot be read', async () => {
    const trade = holdTrade(client.gateway, { amountK: 5 });
    await using before = await forwarder(client.gateway.url);
    before.tooOften = /models=OpenPosition/;
    const limited = { home: positionHome, env: { SVC_TRADE_URL: before.url } };
    const { code, stderr } = await client.run(['buy', 'EUR/USD', '1', '--yes'], limited);
    expect({ code, stderr }).toEqual({ code: 11, stderr: expect.stringContaining('to check trade.maxPosition') });
    expect(client.orders()).toEqual([]);
    expect((await client.run(['close', trade, '--amount', '5', '--yes'], limited)).code).toBe(0);
  });
});
