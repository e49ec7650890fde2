/** The setting `trade.maxOrder`: what it refuses, and what it never refuses. */
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryHome } from '../../../support/svc.ts';
import { holdOrder, holdTrade } from './holdings.ts';
import { fileTrader, HEDGING, NETTING } from './trader.ts';

const client = await fileTrader({ emptied: true });
let home: string;
beforeAll(async () => {
  home = temporaryHome();
  expect((await client.runAny(['config', 'set', 'trade.maxOrder', '10'], { home })).code).toBe(0);
});

const run = (argv: readonly string[]) => client.run([...argv, '--yes'], { home });
const ENTRY = ['entry', 'buy', 'EUR/USD', '11', '--rate', '1.15'];
const NETTED = ['--account', NETTING];

describe('trade.maxOrder', () => {
  it.each([
    ['buy', ['buy', 'EUR/USD', '11']],
    ['entry buy', ENTRY],
    ['the opposite order of a hedging account', ['sell', 'EUR/USD', '11', '--account', HEDGING]],
  ])('refuses %s above it', async (_name, argv) => {
    holdTrade(client.gateway, { amountK: 50 });
    const { code, stderr } = await run(argv);
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining('the amount 11 of EUR/USD is above trade.maxOrder (10)'),
    });
    expect(client.orders()).toEqual([]);
  });

  it('is named in a dry run', async () => {
    const { code, stderr } = await run(['buy', 'EUR/USD', '11', '--account', HEDGING, '--dry-run']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'warning: the amount 11 of EUR/USD is above trade.maxOrder (10); nothing was sent\n',
    });
    expect((await run(['buy', 'EUR/USD', '10', '--account', HEDGING, '--dry-run'])).stderr).toBe('');
    expect(client.orders()).toEqual([]);
  });

  it('allows an order of exactly this amount', async () => {
    expect((await run(['buy', 'EUR/USD', '10'])).code).toBe(0);
    expect(client.orders()).toHaveLength(1);
  });

  it('never refuses a close', async () => {
    const trade = holdTrade(client.gateway, { amountK: 50 });
    expect((await run(['close', trade])).code).toBe(0);
    expect(client.gateway.book.trades.size).toBe(0);
  });

  it('refuses an opposite order of an account that does not hedge, but not the close of the symbol', async () => {
    holdTrade(client.gateway, { account: NETTING, amountK: 30 });
    expect((await run(['sell', 'EUR/USD', '30', ...NETTED])).code).toBe(3);
    expect(client.orders()).toEqual([]);
    expect((await run(['close', '--symbol', 'EUR/USD', ...NETTED])).code).toBe(0);
    expect(client.gateway.book.trades.size).toBe(0);
  });

  it('refuses to raise the amount of a pending order, but not to reduce it', async () => {
    const order = holdOrder(client.gateway, { amountK: 30 });
    expect((await run(['orders', 'update', order, '--amount', '31'])).code).toBe(3);
    expect(client.orders()).toEqual([]);
    expect((await run(['orders', 'update', order, '--amount', '20'])).code).toBe(0);
  });
});
