/** Rates that the symbol has too few decimals for, trailing stops, and gateways without a price. */

import { beforeEach, describe, expect, it } from 'vitest';
import { failure } from '../../../support/svc.ts';
import { ACCOUNT, fileGateway, reply } from './document-gateway.ts';

const gateway = await fileGateway();
const { feed } = gateway;
const ROW = { accountId: ACCOUNT, currency: 'EUR/USD', isBuy: true, amountK: 5, ratePrecision: 5 };
const TRADE = { t: 1, tradeId: '7', ...ROW, open: 1.16, close: 1.16 };
const ORDER = { t: 3, orderId: '39', tradeId: '8', ...ROW, type: 'LE', isEntryOrder: true, buy: 1.15, range: 0 };

beforeEach(() => {
  feed.onOrder = (response) => reply(response, 200, '{"response":{"executed":true},"data":{"type":0,"orderId":40}}');
  feed.tables['OpenPosition'] = [TRADE];
  feed.tables['Order'] = [ORDER];
});

describe('a rate with too many decimals', () => {
  it.each([
    ['--rate', ['entry', 'buy', 'EUR/USD', '5', '--rate', '1.1234567']],
    ['--rate', ['orders', 'update', '39', '--rate', '1.1234567']],
    ['--stop', ['positions', 'update', '7', '--stop', '1.1234567']],
  ])('is not sent, and the nearest rates are named: %s of %j', async (flag, argv) => {
    const run = await gateway.run([...argv, '--yes', '-o', 'json']);
    expect({ code: run.code, sent: feed.orders }, run.stderr).toEqual({ code: 2, sent: [] });
    const { message, hint } = failure(run);
    expect(message).toContain(`${flag}: 1.1234567 has 7 decimals, and rates of EUR/USD have 5`);
    // What is suggested is accepted.
    const rates = /^the nearest rates are (1\.12345) and (1\.12346)$/.exec(String(hint)) ?? [];
    for (const rate of rates.slice(1)) {
      const again = await gateway.run([...argv.with(argv.indexOf(flag) + 1, rate), '--yes']);
      expect(again.code, again.stderr).toBe(0);
    }
    expect(feed.orders).toHaveLength(2);
  });

  it.each(['1.150000000', '1.15'])('does not include %s', async (rate) => {
    expect((await gateway.run(['entry', 'buy', 'EUR/USD', '5', '--rate', rate, '--yes'])).code).toBe(0);
  });
});

describe('a trailing stop', () => {
  it.each(['2', '9', '0', '1.5'])('--trail %s is refused with the rule', async (trail) => {
    const { code, stderr } = await gateway.run(['buy', 'EUR/USD', '5', '--stop', '40pips', '--trail', trail, '--yes']);
    expect({ code, sent: feed.orders }).toEqual({ code: 2, sent: [] });
    expect(stderr).toContain('10 or more follows in such steps; the gateway rejects 2 to 9');
  });

  it('is shown in lists and records', async () => {
    feed.tables['OpenPosition'] = [
      { ...TRADE, stopMove: 1 },
      { ...TRADE, tradeId: '9', stopMove: 0 },
    ];
    feed.tables['Order'] = [{ ...ORDER, stopMove: '25' }];
    const commands = [['positions'], ['positions', '-o', 'wide'], ['positions', 'get', '7']];
    for (const argv of commands) expect((await gateway.run(argv)).stdout).toMatch(/TRAIL[\s\S]*dynamic/);
    for (const argv of [['orders'], ['orders', '-o', 'wide'], ['orders', 'get', '39']]) {
      expect((await gateway.run(argv)).stdout).toMatch(/TRAIL[\s\S]*steps of 25/);
    }
    feed.tables['Order'] = [ORDER];
    expect((await gateway.run(['orders'], { terminal: 200 })).stdout).not.toContain('TRAIL');
  });
});

describe('a price of 0', () => {
  const none = { Updated: Date.now(), Rates: [0, 0, 0, 0], Symbol: 'EUR/USD' };
  const real = { ...none, Rates: [1.16, 1.161, 1.2, 1.1] };
  beforeEach(() => {
    const [offer, ...more] = feed.tables['Offer'] ?? [];
    feed.tables['Offer'] = [{ ...offer, buy: 0, sell: 0 }, ...more];
  });

  it('is none in a preview, and none that a stop is checked against', async () => {
    const { stdout, stderr } = await gateway.run(['buy', 'EUR/USD', '5', '--preview', '-o', 'json']);
    expect(JSON.parse(stdout), stderr).toMatchObject({ rate: null, bid: null, ask: null });
    const run = await gateway.run(['buy', 'EUR/USD', '5', '--stop', '1.1', '--yes', '-o', 'json']);
    expect({ code: run.code, sent: feed.orders }).toEqual({ code: 3, sent: [] });
    expect(failure(run)['message']).toContain('the offer of EUR/USD has no buy price to check --stop against');
    const plain = await gateway.run(['buy', 'EUR/USD', '5', '--yes']);
    expect(plain).toMatchObject({ code: 0, stderr: expect.stringContaining('no buy price of EUR/USD now') });
  });

  it('is none in svc trade quote', async () => {
    const { code, stdout, stderr } = await gateway.run(['quote', 'EUR/USD', '--wait', '20ms', '-o', 'json']);
    expect({ code, quotes: JSON.parse(stdout) }, stderr).toEqual({ code: 9, quotes: [] });
    const quote = gateway.run(['quote', 'EUR/USD', 'USD/JPY', '-o', 'json'], { sleeps: true });
    await feed.subscribed('USD/JPY');
    feed.push('EUR/USD', none, real, { ...real, Rates: [2, 2, 2, 2] });
    feed.push('USD/JPY', { ...real, Symbol: 'USD/JPY' });
    expect(JSON.parse((await quote).stdout)).toMatchObject([
      { symbol: 'EUR/USD', bid: 1.16, ask: 1.161 },
      { symbol: 'USD/JPY', bid: 1.16 },
    ]);
  });
});

it.each(['EUR/USD', 'US30'])('close %s names --symbol, and never --everything', async (symbol) => {
  const { code, stderr } = await gateway.run(['close', symbol, '--yes']);
  expect({ code, sent: feed.orders }).toEqual({ code: 2, sent: [] });
  expect(stderr).toContain(`hint: for all trades of a symbol: --symbol ${symbol}\n`);
});
