/** `svc trade flatten`: the requests, their order, and the report of the rest. */
import { describe, expect, it } from 'vitest';
import { holdOrder, holdTrade } from './holdings.ts';
import { forwarder } from './lost-answers.ts';
import { fileTrader, HEDGING, NETTING } from './trader.ts';

const client = await fileTrader({ emptied: true });

const YES = ['--account', HEDGING, '--yes'];
const sent = () => client.calls().filter((call) => /POST \/trading\/(?:close|delete)/.test(call));

describe('svc trade flatten', () => {
  it('closes positions, then cancels orders, and says that nothing is left', async () => {
    holdTrade(client.gateway);
    const order = holdOrder(client.gateway);
    const { code, stdout, stderr } = await client.run(['flatten', ...YES, '-o', 'json']);
    expect(code).toBe(0);
    expect(sent()).toEqual([
      `POST /trading/close_all_for_symbol account_id=${HEDGING}&forSymbol=false&symbol=&order_type=AtMarket&time_in_force=GTC`,
      `POST /trading/delete_order order_id=${order}`,
    ]);
    expect(JSON.parse(stdout)).toMatchObject([
      { command: 'close', symbol: null, accountId: HEDGING, outcome: 'accepted' },
      { command: 'orders cancel', orderId: order, accountId: HEDGING, outcome: 'accepted' },
    ]);
    expect(stderr).not.toContain('left:');
    expect([client.gateway.book.trades.size, client.gateway.book.orders.size]).toEqual([0, 0]);
  });

  it('of one symbol leaves the others', async () => {
    holdTrade(client.gateway);
    const other = holdTrade(client.gateway, { symbol: 'USD/JPY', open: 155 });
    const { code, stdout } = await client.run(['flatten', ...YES, '--symbol', 'eurusd']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^close +EUR\/USD +accepted/m) });
    expect([...client.gateway.book.trades.keys()].map(String)).toEqual([other]);
  });

  it('of a symbol that is hidden from the offers closes it, with orders or without', async () => {
    for (const orders of [0, 1]) {
      holdTrade(client.gateway, { symbol: 'USD/CHF', open: 0.9 });
      if (orders === 1) holdOrder(client.gateway, { symbol: 'USD/CHF', rate: 0.8 });
      const { code, stderr } = await client.run(['flatten', ...YES, '--symbol', 'usdchf']);
      expect({ code, sent: sent().length }, stderr).toEqual({ code: 0, sent: 1 + orders });
    }
    expect((await client.run(['flatten', ...YES, '--symbol', 'usdchx'])).code).toBe(5);
  });

  it('names what is left and exits 10', async () => {
    holdTrade(client.gateway);
    const stays = new Map(client.gateway.book.trades);
    // As if an order had been filled meanwhile.
    client.gateway.book.trades.delete = () => false;
    const { code, stderr } = await client.run(['flatten', ...YES, '--wait', '50ms']);
    Reflect.deleteProperty(client.gateway.book.trades, 'delete');
    expect(code).toBe(10);
    for (const id of stays.keys()) expect(stderr).toMatch(new RegExp(`^left: .*${id}`, 'm'));
  });

  it('closes even if no table can be read, and says what is unknown', async () => {
    holdTrade(client.gateway);
    holdOrder(client.gateway);
    client.gateway.traps.add('ora-20301');
    const { code, stderr } = await client.run(['flatten', ...YES]);
    expect(code).toBe(10);
    expect(sent()).toHaveLength(1);
    expect(stderr).toContain('pending orders are not canceled');
    expect(stderr).toContain('left: unknown, as positions cannot be read');
    expect(client.gateway.book.trades.size).toBe(0);
  });

  it('does not say that nothing is there where the orders cannot be read', async () => {
    holdOrder(client.gateway);
    await using before = await forwarder(client.gateway.url);
    before.tooOften = /models=Order/;
    const { code, stderr } = await client.run(['flatten', ...YES], { env: { SVC_TRADE_URL: before.url } });
    expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringContaining('cannot read the pending orders') });
  });

  it('continues after a refusal, and reports each request', async () => {
    holdTrade(client.gateway);
    holdOrder(client.gateway);
    client.gateway.traps.add('order-500');
    const { code, stdout, stderr } = await client.run(['flatten', ...YES, '--wait', '1ms', '-o', 'json']);
    expect(code).toBe(8);
    expect(JSON.parse(stdout).map(({ outcome }: { outcome: string }) => outcome)).toEqual(['unknown', 'unknown']);
    expect(stderr).toMatch(/^left: /m);
    expect(sent()).toHaveLength(2);
  });

  it('sends nothing if nothing is open', async () => {
    expect(await client.run(['flatten', ...YES])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('no open positions and no pending orders; nothing was sent'),
    });
    expect(sent()).toEqual([]);
  });

  it('needs --account with --yes, and the typed account at a terminal', async () => {
    holdTrade(client.gateway);
    expect(await client.run(['flatten', '--yes'])).toMatchObject({ code: 2, stdout: '' });
    expect(sent()).toEqual([]);
    const { code, asked } = await client.run(['flatten'], { terminal: 120, answers: [HEDGING], answer: true });
    expect({ code, asked: asked.join('\n') }).toEqual({ code: 0, asked: expect.stringContaining(HEDGING) });
  });

  it('works in an account that does not hedge', async () => {
    holdTrade(client.gateway, { account: NETTING });
    expect((await client.run(['flatten', '--account', NETTING, '--yes'])).code).toBe(0);
    expect(client.gateway.book.trades.size).toBe(0);
  });

  it('is a command of batch and of a session', async () => {
    holdTrade(client.gateway);
    const stdin = JSON.stringify({ command: 'flatten', account: HEDGING });
    expect((await client.run(['batch', '-', '--yes'], { stdin })).code).toBe(0);
    expect(sent()).toHaveLength(1);
    holdTrade(client.gateway);
    const run = await client.run(['session', '--account', HEDGING, '--yes', '-o', 'ndjson'], {
      stdin: '{"id":"out","command":"flatten"}\n',
      sleeps: true,
    });
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/"event":"accepted","id":"out"[\s\S]*"event":"closed","id":"out"/);
  });
});
