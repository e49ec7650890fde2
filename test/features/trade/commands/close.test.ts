/** `svc trade close`: requests by kind of account, confirmations, and that no rate limit delays it. */
import { describe, expect, it } from 'vitest';
import { holdTrade } from './holdings.ts';
import { forwarder } from './lost-answers.ts';
import { fileTrader, HEDGING, NETTING } from './trader.ts';

const client = await fileTrader({ emptied: true });

const CLOSE = { rate: '0', amount: '10', order_type: 'AtMarket', time_in_force: 'GTC' };

describe('svc trade close in an account that hedges', () => {
  it.each<[string, readonly string[], Readonly<Record<string, string>>]>([
    ['all of a trade', [], {}],
    ['a part of it', ['--amount', '4'], { amount: '4' }],
    ['within a range', ['--range', '5'], { at_market: '5', order_type: 'MarketRange', time_in_force: 'IOC' }],
  ])('closes %s', async (_name, more, fields) => {
    const id = holdTrade(client.gateway);
    const { code, stdout } = await client.run(['close', id, '--yes', '-o', 'json', ...more]);
    expect(code).toBe(0);
    expect(client.orders()).toEqual([{ trade_id: id, ...CLOSE, ...fields }]);
    expect(JSON.parse(stdout)).toEqual([
      {
        command: 'close',
        request: '/trading/close_trade',
        trade_id: id,
        order_id: null,
        symbol: null,
        account_id: HEDGING,
        outcome: 'accepted',
        order_ids: [expect.stringMatching(/^\d+$/)],
        along: [],
        message: null,
        code: null,
        server_code: null,
        http_status: null,
        journal_id: null,
        status: null,
        closed_trades: [],
      },
    ]);
    expect(client.journal()).toMatchObject([{ command: 'close', outcome: 'accepted' }]);
  });

  it('counts contracts except for forex', async () => {
    const id = holdTrade(client.gateway, { symbol: 'US30', amountK: 0.003, open: 46_500 });
    await client.run(['close', id, '--yes']);
    expect(client.orders()).toMatchObject([{ trade_id: id, amount: '3' }]);
  });

  it('asks once for several, listing each', async () => {
    const ids = [holdTrade(client.gateway), holdTrade(client.gateway, { isBuy: false })];
    const { code, asked, stderr } = await client.run(['close', ...ids], { terminal: 200, answer: true });
    expect(code).toBe(0);
    expect(asked).toEqual(['Send these 2 requests, one after the other?']);
    for (const [index, id] of ids.entries())
      expect(stderr).toMatch(new RegExp(`${index + 1}\\. Close 10 EUR/USD of trade ${id}`));
    expect(client.orders().map(({ trade_id }) => trade_id)).toEqual(ids);
  });

  it('goes on with the others after a refusal', async () => {
    const ids = [holdTrade(client.gateway, { amountK: 10.5 }), holdTrade(client.gateway)];
    const { code, stdout } = await client.run(['close', ...ids, '--yes', '-o', 'json']);
    expect({ code, orders: client.orders().length }).toEqual({ code: 10, orders: 2 });
    expect(JSON.parse(stdout)).toMatchObject([
      { trade_id: ids[0], outcome: 'refused', order_ids: [], message: expect.stringContaining('divisible by 1') },
      { trade_id: ids[1], outcome: 'accepted', message: null },
    ]);
    expect(client.journal().map(({ outcome }) => outcome)).toEqual(['refused', 'accepted']);
    const [refused = ''] = ids;
    const quiet = await client.run(['close', refused, holdTrade(client.gateway), '--yes', '-q']);
    expect(quiet).toMatchObject({ code: 10, stdout: expect.stringMatching(/^\d+\n$/) });
    expect(quiet.stdout).not.toContain(refused);
  });

  it.each<[string, (id: string) => readonly string[], number, RegExp]>([
    ['a trade that is not there', () => ['1'], 5, /there is no open trade 1; nothing was sent/],
    ['more than it has', (id) => [id, '--amount', '11'], 3, /has only 10, not 11/],
    ['a trade of another account', (id) => [id, '--account', NETTING], 3, /is in account 654061, not in 654062/],
    ['an id that is none', () => ['123.0'], 2, /is not a trade id/],
    ['a range that is none', () => [holdTrade(client.gateway), '--range', 'wide'], 2, /--range: "wide" is /],
    ['a command line without trades', () => [], 2, /nothing to close/],
    ['an amount of a symbol', () => ['--symbol', 'EUR/USD', '--amount', '5'], 2, /need trade ids/],
    ['two ways at once', (id) => [id, '--symbol', 'EUR/USD'], 2, /conflicting options/],
    ['an amount of two', (id) => [id, '2', '--amount', '5'], 2, /--amount needs exactly one trade/],
  ])('refuses %s', async (_name, argv, code, why) => {
    const run = await client.run(['close', ...argv(holdTrade(client.gateway)), '--yes']);
    expect(run.stderr).toMatch(why);
    expect({ code: run.code, orders: client.orders() }).toEqual({ code, orders: [] });
    expect(client.journal()).toEqual([]);
  });

  it('sends nothing after a no', async () => {
    const run = await client.run(['close', holdTrade(client.gateway)], { terminal: 80, answer: false });
    expect({ code: run.code, orders: client.orders() }).toEqual({ code: 2, orders: [] });
    const unasked = await client.run(['close', holdTrade(client.gateway)]);
    expect({ code: unasked.code, calls: client.calls() }).toEqual({ code: 2, calls: [] });
  });
});

describe('svc trade close in an account that does not hedge', () => {
  it.each([
    [true, 'sell'],
    [false, 'buy'],
  ])('names what closes or reduces the position instead: a buy %s', async (isBuy, opposite) => {
    const id = holdTrade(client.gateway, { account: NETTING, isBuy });
    const { code, stderr } = await client.run(['close', id, '--yes']);
    expect({ code, orders: client.orders() }).toEqual({ code: 3, orders: [] });
    expect(stderr).toContain(`account 654062 does not hedge (netting), so trade ${id} cannot be closed alone`);
    expect(stderr).toContain(`svc trade close --symbol EUR/USD, or reduce it: svc trade ${opposite} EUR/USD <amount>`);
  });

  it('closes the symbol', async () => {
    holdTrade(client.gateway, { account: NETTING });
    const { code } = await client.run(['close', '--symbol', 'EUR/USD', '--account', NETTING, '--yes']);
    expect({ code, orders: client.orders() }).toMatchObject({
      code: 0,
      orders: [{ account_id: NETTING, forSymbol: 'true', symbol: 'EUR/USD' }],
    });
  });
});

describe('svc trade close of several trades', () => {
  it('lists the trades of a symbol before the confirmation', async () => {
    const id = holdTrade(client.gateway);
    holdTrade(client.gateway, { symbol: 'GBP/USD' });
    const { asked } = await client.run(['close', '--symbol', 'eurusd'], { terminal: 200, answer: true });
    expect(asked).toEqual([`Close all EUR/USD at market in account ${HEDGING}: buy 10K EUR/USD (trade ${id})?`]);
    expect(client.orders()).toEqual([
      { account_id: HEDGING, forSymbol: 'true', symbol: 'EUR/USD', order_type: 'AtMarket', time_in_force: 'GTC' },
    ]);
  });

  it('closes everything only after the account id was typed', async () => {
    holdTrade(client.gateway);
    const wrong = await client.run(['close', '--everything'], { terminal: 200, answers: ['yes'] });
    expect({ code: wrong.code, orders: client.orders() }).toEqual({ code: 2, orders: [] });
    const { code, asked } = await client.run(['close', '--everything'], { terminal: 200, answers: [HEDGING] });
    expect(code).toBe(0);
    expect(asked).toEqual([expect.stringMatching(/Close EVERYTHING .* Type 654061 to confirm:/)]);
    expect(client.orders()).toEqual([
      { account_id: HEDGING, forSymbol: 'false', symbol: '', order_type: 'AtMarket', time_in_force: 'GTC' },
    ]);
  });

  it('closes everything with --yes only if the command line names the account', async () => {
    holdTrade(client.gateway);
    const { code, stderr } = await client.run(['close', '--everything', '--yes']);
    expect({ code, calls: client.calls() }).toEqual({ code: 2, calls: [] });
    expect(stderr).toContain('--account <id|name>');
    expect((await client.run(['close', '--everything', '--yes', '--account', '00654061'])).code).toBe(0);
    expect(client.orders()).toMatchObject([{ account_id: HEDGING, forSymbol: 'false' }]);
  });

  it('sends nothing if the gateway refuses the token for the offers', async () => {
    await using before = await forwarder(client.gateway.url);
    before.unauthorized = /models=Offer/;
    holdTrade(client.gateway);
    const close = ['close', '--symbol', 'EUR/USD', '--yes'];
    const { code } = await client.run(close, { env: { SVC_TRADE_URL: before.url } });
    expect({ code, orders: client.orders() }).toEqual({ code: 4, orders: [] });
  });

  it('closes a hidden symbol', async () => {
    holdTrade(client.gateway, { symbol: 'USD/CHF' });
    expect((await client.run(['close', '--symbol', 'usdchf', '--yes'])).code).toBe(0);
    expect(client.orders()).toMatchObject([{ symbol: 'USD/CHF', forSymbol: 'true' }]);
    expect((await client.run(['close', '--symbol', 'usdchx', '--yes'])).code).toBe(5);
  });

  it('does nothing without open trades', async () => {
    const { code, stdout } = await client.run(['close', '--symbol', 'EUR/USD', '--yes', '-o', 'json']);
    expect({ code, stdout, orders: client.orders() }).toEqual({ code: 0, stdout: '[]\n', orders: [] });
  });
});

describe('svc trade close at the rate limit', () => {
  it('does not repeat a request that the gateway limited', async () => {
    client.gateway.traps.add('ora-20301');
    await client.run(['close', '--symbol', 'EUR/USD', '--account', HEDGING, '--yes']);
    expect(client.calls()).toEqual([
      'GET /trading/get_model/Accounts',
      'GET /trading/get_model models=Offer',
      'GET /trading/get_model models=OpenPosition',
      expect.stringMatching(/^POST \/trading\/close_all_for_symbol /),
    ]);
  });

  it.each([
    [['close', '--symbol', 'eurusd'], { symbol: 'EUR/USD' }],
    [['close', '--symbol', 'GBP/USD'], undefined],
  ])('closes without the table of offers: %j', async (argv, form) => {
    await using before = await forwarder(client.gateway.url);
    before.tooOften = /models=Offer/;
    holdTrade(client.gateway);
    const { code, stderr } = await client.run([...argv, '--yes'], { env: { SVC_TRADE_URL: before.url } });
    expect(code, stderr).toBe(0);
    expect(client.orders()).toMatchObject(form === undefined ? [] : [form]);
    if (form === undefined) expect(stderr).toContain('using GBP/USD as given');
  });
});
