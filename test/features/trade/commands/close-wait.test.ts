/** `close --wait`: what was really closed, however much of it, by however many orders, whether the answer names them or not. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import { holdTrade } from './holdings.ts';
import { forwarder } from './lost-answers.ts';
import { fileTrader, type Trader } from './trader.ts';

const client = await fileTrader({ emptied: true });
const before = await forwarder(client.gateway.url);
afterAll(() => before[Symbol.asyncDispose]());
beforeEach(() => {
  before.fault = undefined;
});

const closed = (tradeId: string, amountK: number, rate = 1.16) => {
  return { trade_id: tradeId, amount_k: amountK, rate, time: expect.stringMatching(/^2026-01-14T12:\d\d:\d\d\.000Z$/) };
};

async function close(argv: readonly string[], more: Parameters<Trader['run']>[1] = {}, wait = '5s') {
  const run = await client.run(['close', ...argv, '--wait', wait, '--yes', '-o', 'json'], { sleeps: true, ...more });
  return { ...run, rows: run.stdout === '' ? [] : JSON.parse(run.stdout) };
}

describe('svc trade close --wait', () => {
  it('subscribes before it sends, and reports the rate', async () => {
    const id = holdTrade(client.gateway);
    const { code, rows, stderr } = await close([id]);
    expect({ code, rows }).toMatchObject({
      code: 0,
      rows: [{ trade_id: id, outcome: 'accepted', status: 'filled', closed_trades: [closed(id, 10)] }],
    });
    expect(stderr).toBe(`order ${rows[0].order_ids[0]} accepted; waiting for fills\n`);
    expect(client.calls().slice(-4)).toEqual([
      'POST /trading/subscribe models=Order',
      'POST /trading/subscribe models=OpenPosition',
      'POST /trading/subscribe models=ClosedPosition',
      expect.stringMatching(/^POST \/trading\/close_trade /),
    ]);
  });

  it('sends all before it waits', async () => {
    client.gateway.traps.add('partial-fills');
    const ids = [holdTrade(client.gateway, { amountK: 7 }), holdTrade(client.gateway, { isBuy: false, amountK: 7 })];
    const { code, rows } = await close(ids);
    const parts = [2, 2, 3];
    expect({ code, rows }).toMatchObject({
      code: 0,
      rows: [
        { status: 'filled', closed_trades: parts.map((part) => closed(ids[0] ?? '', part)) },
        { status: 'filled', closed_trades: parts.map((part) => closed(ids[1] ?? '', part, 1.16013)) },
      ],
    });
  });

  it('subscribes to each table once for several trades', async () => {
    const { code } = await close([holdTrade(client.gateway), holdTrade(client.gateway)]);
    expect({ code, subscribed: client.calls().filter((call) => call.includes('/trading/subscribe')) }).toEqual({
      code: 0,
      subscribed: ['Order', 'OpenPosition', 'ClosedPosition'].map((model) => `POST /trading/subscribe models=${model}`),
    });
  });

  interface Ending {
    readonly name: string;
    readonly traps: readonly ('fok-killed' | 'partial-fills' | 'market-closed' | 'no-push')[];
    readonly argv?: readonly string[];
    readonly wait?: string;
    readonly exit: number;
    readonly status: string;
    readonly amounts?: readonly number[];
  }
  const ENDINGS: readonly Ending[] = [
    { name: 'killed', traps: ['fok-killed'], argv: ['--tif', 'FOK'], exit: 3, status: 'rejected' },
    {
      name: 'filled in part',
      traps: ['fok-killed', 'partial-fills'],
      argv: ['--tif', 'IOC'],
      exit: 10,
      status: 'partly_filled',
      amounts: [3, 3],
    },
    { name: 'still open', traps: ['market-closed'], wait: '60ms', exit: 9, status: 'pending' },
    { name: 'filled without a push', traps: ['no-push'], wait: '300ms', exit: 0, status: 'filled', amounts: [10] },
  ];

  it.each(ENDINGS)(
    'exits $exit if the close is $name',
    async ({ traps, argv = [], wait, exit, status, amounts = [] }) => {
      for (const trap of traps) client.gateway.traps.add(trap);
      const { code, rows, stderr } = await close([holdTrade(client.gateway), ...argv], {}, wait);
      expect({ code, rows }, stderr).toMatchObject({ code: exit, rows: [{ outcome: 'accepted', status }] });
      expect(rows[0].closed_trades.map(({ amount_k }: { amount_k: number }) => amount_k)).toEqual(amounts);
    },
  );

  it('names the order that is still open, and the commands that show it', async () => {
    client.gateway.traps.add('market-closed');
    const run = await client.run(['close', holdTrade(client.gateway), '--yes', '--wait', '60ms'], { sleeps: true });
    expect(run.code).toBe(9);
    expect(run.stderr).toMatch(/order (\d+) is still open: svc trade orders get \1, svc trade positions/);
  });

  it('exits 10 if one trade is closed and another is not', async () => {
    client.gateway.traps.add('market-closed');
    const ids = [holdTrade(client.gateway), holdTrade(client.gateway)];
    // In a table, because notices are deferred in JSON.
    const { code, stdout } = await client.run(['close', ...ids, '--wait', '5s', '--yes'], {
      sleeps: true,
      onStderr(text) {
        if (!text.includes('accepted; waiting')) return;
        client.gateway.book.trades.delete(ids[1] ?? '');
        client.gateway.traps.clear();
        client.gateway.tick();
      },
    });
    expect(code).toBe(10);
    expect(stdout).toMatch(/accepted +filled +\d+ 10K @ 1\.16/);
    expect(stdout).toMatch(/accepted +rejected/);
  });

  it.each([
    ['as it is', undefined],
    ['where the answer names no order', '{"response":{"executed":true},"data":null}'],
  ])('reports every closed trade of a symbol, %s', async (_name, body) => {
    if (body !== undefined) before.fault = { applied: true, answer: (response) => void response.end(body) };
    const ids = [holdTrade(client.gateway), holdTrade(client.gateway, { isBuy: false })];
    holdTrade(client.gateway, { symbol: 'GBP/USD' });
    const { code, rows } = await close(['--symbol', 'EUR/USD'], { env: { SVC_TRADE_URL: before.url } });
    expect({ code, rows }).toMatchObject({
      code: 0,
      rows: [{ status: 'filled', closed_trades: [closed(ids[0] ?? '', 10), closed(ids[1] ?? '', 10, 1.16013)] }],
    });
  });

  it('does not send a close whose fills it could not see, and goes on with the next', async () => {
    before.tooOften = {
      test(path: string) {
        if (!path.includes('/trading/subscribe')) return false;
        before.tooOften = undefined;
        return true;
      },
    } as RegExp;
    const ids = [holdTrade(client.gateway), holdTrade(client.gateway)];
    const { code, rows } = await close(ids, { env: { SVC_TRADE_URL: before.url } });
    expect({ code, rows, open: [...client.gateway.book.trades.keys()] }).toMatchObject({
      code: 10,
      rows: [
        { outcome: 'not_sent', status: null },
        { outcome: 'accepted', status: 'filled', closed_trades: [closed(ids[1] ?? '', 10)] },
      ],
      open: [ids[0]],
    });
  });

  it('does not wait after a lost response', async () => {
    before.fault = { applied: false, answer: (response) => response.socket?.destroy() };
    const ids = [holdTrade(client.gateway), holdTrade(client.gateway)];
    const { code, rows, stderr } = await close(ids, { env: { SVC_TRADE_URL: before.url }, sleeps: 20 });
    expect({ code, rows }).toMatchObject({ code: 8, rows: [{ outcome: 'unknown' }, { outcome: 'unknown' }] });
    expect(stderr).not.toContain('waiting');
  });

  it('goes on with the others after a lost response', async () => {
    before.fault = {
      applied: true,
      answer(response) {
        before.fault = undefined;
        client.gateway.cut();
        response.socket?.destroy();
      },
    };
    const ids = [holdTrade(client.gateway), holdTrade(client.gateway)];
    const { code, rows } = await close(ids, { env: { SVC_TRADE_URL: before.url } });
    expect({ code, rows }).toMatchObject({
      code: 8,
      rows: [
        { outcome: 'unknown', status: null },
        { outcome: 'accepted', status: 'filled', closed_trades: [closed(ids[1] ?? '', 10)] },
      ],
    });
  });

  it('names the orders after Ctrl-C', async () => {
    client.gateway.traps.add('market-closed');
    const stop = new AbortController();
    const { code, stderr } = await client.run(['close', holdTrade(client.gateway), '--wait', '5s', '--yes'], {
      sleeps: true,
      signal: stop.signal,
      onStderr(text) {
        if (text.includes('accepted; waiting')) stop.abort(new SvcError('interrupted', 'interrupted'));
      },
    });
    const [order] = client.gateway.book.orders.keys();
    expect(code).toBe(130);
    expect(stderr).toContain(`order ${order} accepted, and now open or filled`);
  });
});
