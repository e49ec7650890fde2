/** `svc trade buy` and `sell`: the request, the confirmation, and what is never sent. */

import { beforeEach, describe, expect, it } from 'vitest';
import { failure, temporaryHome } from '../../../support/svc.ts';
import { fileTrader, HEDGING, NETTING } from './trader.ts';

const client = await fileTrader();
beforeEach(() => client.gateway.traps.clear());

const AT_MARKET = {
  account_id: HEDGING,
  symbol: 'EUR/USD',
  is_buy: 'true',
  rate: '0',
  amount: '5',
  order_type: 'AtMarket',
  time_in_force: 'GTC',
};

describe('svc trade buy sends', () => {
  it.each([
    ['an order at market', ['buy', 'EUR/USD', '5'], AT_MARKET],
    [
      'stop and limit in pips, for a sell as for a buy',
      ['sell', 'EUR/USD', '5', '--stop', '40pips', '--limit', '80.5pips'],
      { ...AT_MARKET, is_buy: 'false', stop: '-40', limit: '80.5', is_in_pips: 'true' },
    ],
    [
      'stop and limit as prices',
      ['buy', 'EUR/USD', '5', '--stop', '1.1500', '--limit', '1.20'],
      { ...AT_MARKET, stop: '1.1500', limit: '1.20', is_in_pips: 'false' },
    ],
    [
      'a dynamic stop',
      ['buy', 'EUR/USD', '5', '--stop', '40pips', '--trail', 'dynamic', '--tif', 'DAY'],
      { ...AT_MARKET, time_in_force: 'DAY', stop: '-40', trailing_step: '1', is_in_pips: 'true' },
    ],
    [
      'a range',
      ['buy', 'EUR/USD', '5', '--range', '5pips', '--tif', 'FOK'],
      { ...AT_MARKET, order_type: 'MarketRange', time_in_force: 'FOK', at_market: '5' },
    ],
    [
      'an account by its name',
      ['buy', 'EUR/USD', '10', '--account', '00654062'],
      { ...AT_MARKET, account_id: NETTING, amount: '10' },
    ],
  ])('%s', async (_name, argv, form) => {
    const { code, stdout } = await client.run([...argv, '--yes', '-q']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\n$/) });
    expect(client.orders()).toEqual([form]);
    expect(client.journal()).toMatchObject([
      { outcome: 'accepted', order_ids: [stdout.trim()], path: '/trading/open_trade', form },
    ]);
  });

  it('prints a line in tables and a record in JSON', async () => {
    const line = await client.run(['buy', 'EUR/USD', '5', '--yes']);
    expect(line.stdout).toMatch(/^order \d+ accepted\n$/);
    const { stdout } = await client.run(['buy', 'EUR/USD', '5', '--yes', '-o', 'json']);
    expect(JSON.parse(stdout)).toEqual({
      order_id: expect.stringMatching(/^\d+$/),
      status: 'accepted',
      trades: [],
      closed_trades: [],
    });
  });

  it('reads the account and the offers, and sends the order', async () => {
    const home = temporaryHome();
    await client.run(['buy', 'EUR/USD', '5', '--yes'], { home });
    await client.run(['buy', 'EUR/USD', '5', '--yes'], { home });
    expect(client.calls()).toEqual([
      'GET /trading/get_model/Accounts',
      'GET /trading/get_model models=Offer',
      expect.stringContaining('POST /trading/open_trade'),
    ]);
    // An unknown one is requested once.
    const { code, stderr } = await client.run(['buy', 'EUR/USD', '5', '--yes', '--account', '7'], { home });
    expect(code).toBe(5);
    expect(stderr).toContain('accounts: 654061 (00654061), 654062 (00654062)');
    expect(client.calls()).toEqual(['GET /trading/get_model/Accounts']);
  });
});

describe('svc trade buy sends nothing', () => {
  it.each([
    [['buy', 'EUR/USD', '1.5'], 'the amount "1.5" is not a whole number above 0'],
    [
      ['buy', 'EUR/USD', '5', '--stop', '40pips', '--trail', '5'],
      '--trail: invalid value "5": 1 or "dynamic" follows every price',
    ],
    [['buy', 'EUR/USD', '5', '--stop', '-40pips'], 'must have no sign'],
    [['buy', 'EUR/USD', '5', '--stop', '40pips', '--limit', '1.2'], 'must have the same unit'],
    [
      ['buy', 'EUR/USD', '5', '--range', '5', '--tif', 'GTC'],
      '--tif GTC is not valid for a market order with --range: use IOC, FOK',
    ],
  ])('without a connection if a value is invalid: %j', async (argv, why) => {
    const { code, stderr } = await client.run([...argv, '--yes']);
    expect(code).toBe(2);
    expect(stderr).toContain(why);
    expect(client.calls()).toEqual([]);
    expect(client.journal()).toEqual([]);
  });

  it.each([
    [['buy', 'EUR/USD', '5', '--stop', '1.2'], '--stop: 1.2 must be below the rate 1.16013 for a buy'],
    [['buy', 'US30', '501'], '501 is too large: the maximum of US30 is 500'],
  ])("if the gateway's state does not allow it: %j", async (argv, why) => {
    const { code, stderr } = await client.run([...argv, '--yes', '-o', 'json']);
    expect(code).toBe(3);
    expect(failure({ stderr })).toMatchObject({
      code: 'guarded',
      message: expect.stringContaining(why),
    });
    expect(client.orders()).toEqual([]);
    expect(client.journal()).toEqual([]);
  });

  it('while the market is closed', async () => {
    client.gateway.traps.add('market-closed');
    const guarded = await client.run(['buy', 'EUR/USD', '5', '--yes']);
    expect(guarded.code).toBe(3);
    expect(guarded.stderr).toContain('the gateway reports that EUR/USD cannot be bought now');
    expect(client.orders()).toEqual([]);
  });

  it('without a confirmation', async () => {
    const { code, stderr } = await client.run(['buy', 'EUR/USD', '5']);
    expect(code).toBe(2);
    expect(stderr).toContain('confirmation required, but this is not a terminal; nothing was sent');
    expect(client.calls()).toEqual([]);
    const declined = await client.run(['buy', 'EUR/USD', '5', '--stop', '40pips'], { terminal: 100, answer: false });
    expect(declined.code).toBe(2);
    expect(declined.asked).toEqual([
      "Buy 5 EUR/USD (5,000 EUR) at market, now 1.16013, GTC, in account 654061 (00654061), stop 1.15613 (40 pips, about 20.00 in the account's currency)?",
    ]);
    expect(client.orders()).toEqual([]);
    const agreed = await client.run(['buy', 'EUR/USD', '5'], { terminal: 100, answer: true });
    expect({ code: agreed.code, sent: client.orders().length }).toEqual({ code: 0, sent: 1 });
  });

  it('with --preview, and shows everything about the order', async () => {
    const { code, stdout } = await client.run([
      'buy',
      'EUR/USD',
      '10',
      '--preview',
      '--limit',
      '1.17',
      '-o',
      'json',
      '--account',
      NETTING,
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      summary:
        "Buy 10 EUR/USD (10,000 EUR) at market, now 1.16013, GTC, in account 654062 (00654062), limit 1.17 (98.7 pips, about 98.70 in the account's currency)",
      account_id: NETTING,
      account_name: '00654062',
      side: 'buy',
      symbol: 'EUR/USD',
      amount: 10,
      notional: '10,000 EUR',
      order: 'at market',
      rate: 1.16013,
      bid: 1.16,
      ask: 1.16013,
      time_in_force: 'GTC',
      expires: null,
      stop: null,
      limit: { rate: 1.17, pips: 98.7, money: 98.7 },
      trail: null,
      pip_value: 1,
      spread: 1.3,
      margin_needed: 386.3,
      margin_left: expect.any(Number),
      sizing: null,
      refusal: null,
      warnings: ['the account does not hedge: the order first closes opposite EUR/USD positions'],
    });
    expect(client.orders()).toEqual([]);
    expect(client.journal()).toEqual([]);
  });

  it('in a dry run, and prints the request', async () => {
    const argv = ['sell', 'eurusd', '5', '--stop', '40pips', '--dry-run', '-o', 'json', '--account', '00654061'];
    const { code, stdout, stderr } = await client.run(argv);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const request = JSON.parse(stdout);
    expect(request).toMatchObject({ method: 'POST', url: `${client.gateway.url}/trading/open_trade` });
    expect(request.body).toEqual({
      ...AT_MARKET,
      account_id: HEDGING,
      is_buy: 'false',
      stop: '-40',
      is_in_pips: 'true',
    });
    expect(client.calls()).toEqual(['GET /trading/get_model/Accounts', 'GET /trading/get_model models=Offer']);
    expect(client.journal()).toEqual([]);
    const shown = await client.run(['buy', 'EUR/USD', '5', '--dry-run'], { terminal: 200 });
    expect(shown.stderr).toContain('Buy 5 EUR/USD (5,000 EUR) at market, now 1.16013, GTC, in account 654061');
    const noAccount = await client.run(['buy', 'EUR/USD', '5', '--dry-run'], { env: { SVC_TRADE_ACCOUNT: undefined } });
    expect(noAccount).toMatchObject({ code: 2, stderr: expect.stringContaining('pass --account <id|name>') });
    const curl = await client.run(['buy', 'EUR/USD', '5', '--dry-run=curl', '--limit', '80pips']);
    expect(curl).toMatchObject({ code: 2, stdout: '' });
    expect(curl.stderr).toContain('no line can send this request, as it needs the id of a live session');
  });
});

it('offers the accounts at a terminal if there are several', async () => {
  const { code, asked, stderr } = await client.run(['buy', 'EUR/USD', '5', '--yes'], {
    terminal: 200,
    answers: [HEDGING],
    env: { SVC_TRADE_ACCOUNT: undefined },
  });
  expect({ code, asked }).toEqual({ code: 0, asked: ['Account:'] });
  expect(stderr).toContain('Without prompts: svc trade buy EUR/USD 5 --yes --account 654061\n');
  expect(client.orders()).toMatchObject([{ account_id: HEDGING }]);
});

describe('with real money', () => {
  async function live(): Promise<string> {
    const home = temporaryHome();
    const { code } = await client.runAny(['config', 'set', 'trade.live', 'true'], { home });
    expect(code).toBe(0);
    return home;
  }

  it('requires the account id to be typed, even with --yes', async () => {
    const home = await live();
    const right = await client.run(['buy', 'EUR/USD', '5', '--yes'], { home, terminal: 100, answers: [HEDGING] });
    expect(right.asked).toHaveLength(1);
    expect(right.asked[0]).toMatch(
      /^\x1b\[31mREAL MONEY, account 654061: Buy 5 EUR\/USD .* Type 654061 to confirm:\x1b\[39m$/,
    );
    expect({ code: right.code, sent: client.orders().length }).toEqual({ code: 0, sent: 1 });
    const wrong = await client.run(['buy', 'EUR/USD', '5'], {
      home,
      terminal: 100,
      answers: ['yes'],
      env: { NO_COLOR: '1' },
    });
    expect(wrong.asked[0]).toMatch(/^REAL MONEY/);
    expect({ code: wrong.code, sent: client.orders().length }).toEqual({ code: 2, sent: 0 });
  });

  it('needs --account beside --yes without a terminal', async () => {
    const home = await live();
    const without = await client.run(['buy', 'EUR/USD', '5', '--yes'], { home });
    expect(without.code).toBe(2);
    expect(without.stderr).toContain('--account');
    expect(client.calls()).toEqual([]);
    const named = await client.run(['buy', 'EUR/USD', '5', '--yes', '--account', HEDGING], { home });
    expect({ code: named.code, sent: client.orders().length }).toEqual({ code: 0, sent: 1 });
  });
});
