/** `close --wait`: what was really closed, however much of it, by however many orders, whether the answer names them or not. */
import { afterAll, beforeEach, expect, it } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import { holdTrade } from './holdings.ts';
import { forwarder } from './lost-answers.ts';
import { fileTrader, type Trader } from './trader.ts';

const client = await fileTrader();
const before = await forwarder(client.gateway.url);
afterAll(() => before[Symbol.asyncDispose]());
beforeEach(() => {
  client.gateway.traps.clear();
  client.gateway.book.trades.clear();
  client.gateway.book.orders.clear();
  client.gateway.book.closed.length = 0;
  before.fault = undefined;
});

const lastError = (stderr: string) => JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error;
const closed = (tradeId: string, amountK: number, rate = 1.16) => {
  return { trade_id: tradeId, amount_k: amountK, rate, time: expect.stringMatching(/^2026-01-14T12:00:\d\d\.000Z$/) };
};

async function close(argv: readonly string[], more: Parameters<Trader['run']>[1] = {}, wait = '5s') {
  const run = await client.run(['close', ...argv, '--wait', wait, '--yes', '-o', 'json'], { sleeps: true, ...more });
  return { ...run, rows: run.stdout === '' ? [] : JSON.parse(run.stdout) };
}

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

it.each(['partial-fills', 'push-before-answer'] as const)('several are all sent before svc waits: %s', async (trap) => {
  client.gateway.traps.add(trap);
  const ids = [holdTrade(client.gateway, { amountK: 7 }), holdTrade(client.gateway, { isBuy: false, amountK: 7 })];
  const { code, rows } = await close(ids);
  const parts = trap === 'partial-fills' ? [2, 2, 3] : [7];
  expect({ code, rows }).toMatchObject({
    code: 0,
    rows: [
      { status: 'filled', closed_trades: parts.map((part) => closed(ids[0] ?? '', part)) },
      { status: 'filled', closed_trades: parts.map((part) => closed(ids[1] ?? '', part, 1.16013)) },
    ],
  });
});

it('a part of a trade, and contracts', async () => {
  const id = holdTrade(client.gateway, { symbol: 'US30', amountK: 0.003, open: 46_500 });
  const { code, rows } = await close([id, '--amount', '2']);
  expect({ code, rows }).toMatchObject({ code: 0, rows: [{ status: 'filled', closed_trades: [{ amount_k: 0.002 }] }] });
});

it.each<
  [string, readonly ('fok-killed' | 'partial-fills' | 'market-closed' | 'no-push')[], readonly string[], number, string]
>([
  ['killed is refused', ['fok-killed'], ['--tif', 'FOK'], 3, 'rejected'],
  ['in part is partly done', ['fok-killed', 'partial-fills'], ['--tif', 'IOC'], 10, 'partly_filled'],
  ['not yet is still pending', ['market-closed'], [], 9, 'pending'],
  ['what no push tells is found in the tables at the end', ['no-push'], [], 0, 'filled'],
])('%s', async (_name, traps, argv, exit, status) => {
  for (const trap of traps) client.gateway.traps.add(trap);
  const { code, rows, stderr } = await close(
    [holdTrade(client.gateway), ...argv],
    {},
    exit === 9 ? '60ms' : traps.includes('no-push') ? '300ms' : '5s',
  );
  expect({ code, rows }, stderr).toMatchObject({ code: exit, rows: [{ outcome: 'accepted', status }] });
  expect(rows[0].closed_trades.map(({ amount_k }: { amount_k: number }) => amount_k)).toEqual(
    { partly_done: [3, 3], filled: [10] }[exit === 10 ? 'partly_done' : status] ?? [],
  );
});

/** In a table, because notices are deferred in JSON. */
async function accepted(ids: readonly string[], then: () => void, more: Parameters<Trader['run']>[1] = {}) {
  client.gateway.traps.add('market-closed');
  return client.run(['close', ...ids, '--wait', '5s', '--yes'], {
    sleeps: true,
    onStderr: (text) => text.includes('accepted; waiting') && then(),
    ...more,
  });
}

function opens(): void {
  client.gateway.traps.clear();
  client.gateway.tick();
}

it('one closed and one unfilled: exit 10', async () => {
  const ids = [holdTrade(client.gateway), holdTrade(client.gateway)];
  const { code, stdout } = await accepted(ids, () => {
    client.gateway.book.trades.delete(ids[1] ?? '');
    opens();
  });
  expect(code).toBe(10);
  expect(stdout).toMatch(/accepted +filled +\d+ 10K @ 1\.16/);
  expect(stdout).toMatch(/accepted +rejected/);
});

it.each([
  ['as it is', undefined],
  ['where the answer names no order', '{"response":{"executed":true},"data":null}'],
])('all of a symbol, %s', async (_name, body) => {
  if (body !== undefined) before.fault = { applied: true, answer: (response) => void response.end(body) };
  const ids = [holdTrade(client.gateway), holdTrade(client.gateway, { isBuy: false })];
  holdTrade(client.gateway, { symbol: 'GBP/USD' });
  const { code, rows } = await close(['--symbol', 'EUR/USD'], { env: { SVC_TRADE_URL: before.url } });
  expect({ code, rows }).toMatchObject({
    code: 0,
    rows: [{ status: 'filled', closed_trades: [closed(ids[0] ?? '', 10), closed(ids[1] ?? '', 10, 1.16013)] }],
  });
});

it('a lost response does not stop the others', async () => {
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

it('without a subscription one is not sent, and svc waits for the next', async () => {
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

it('does not wait without a response', async () => {
  before.fault = { applied: false, answer: (response) => response.socket?.destroy() };
  const ids = [holdTrade(client.gateway), holdTrade(client.gateway)];
  const { code, rows, stderr } = await close(ids, { env: { SVC_TRADE_URL: before.url }, sleeps: 20 });
  expect({ code, rows }).toMatchObject({ code: 8, rows: [{ outcome: 'unknown' }, { outcome: 'unknown' }] });
  expect(stderr).not.toContain('waiting');
});

it('reconnects after a lost connection, and reads missed events from the tables', async () => {
  const id = holdTrade(client.gateway);
  const { code, stdout, stderr } = await accepted([id], () => {
    client.gateway.cut();
    opens();
  });
  expect(stderr).toContain('reconnecting');
  expect(code).toBe(0);
  expect(stdout).toContain(`${id} 10K @ 1.16`);
});

it('a narrow terminal keeps the closed amounts', async () => {
  const ids = [holdTrade(client.gateway), holdTrade(client.gateway)];
  const { stdout } = await client.run(['close', '--symbol', 'EUR/USD', '--wait', '5s', '--yes'], {
    sleeps: true,
    terminal: 80,
  });
  expect(stdout).toContain(`${ids[0]} 10K @ 1.16`);
  expect(stdout).toMatch(/COMMAND.*OF.*OUTCOME.*STATUS.*CLOSED/);
});

it('Ctrl-C while it waits names the live orders', async () => {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort(new SvcError('interrupted', 'interrupted'));
  const { code, stdout, stderr } = await accepted([holdTrade(client.gateway)], interrupt, { signal: stop.signal });
  expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
  const [order] = client.gateway.book.orders.keys();
  expect(stderr).toContain(`order ${order} accepted, and now open or filled`);
});

it('after a lost response, lists what was closed', async () => {
  before.fault = { applied: true, answer: (response) => response.socket?.destroy() };
  const id = holdTrade(client.gateway, { amountK: 20 });
  const argv = ['close', id, '--amount', '10', '--yes', '-o', 'json'];
  client.gateway.traps.add('push-before-answer');
  const { code, stderr } = await client.run(argv, {
    env: { SVC_TRADE_URL: before.url },
  });
  expect(code).toBe(8);
  expect(lastError(stderr).message).toContain(`closed position ${id} (buy 10K EUR/USD at 1.16, closed 2026-01-14T12:`);
});

it('after a lost response, lists a pending closing order and the trade', async () => {
  before.fault = { applied: true, answer: (response) => response.socket?.destroy() };
  client.gateway.traps.add('market-closed');
  const id = holdTrade(client.gateway);
  const { stderr } = await client.run(['close', id, '--yes', '-o', 'json'], { env: { SVC_TRADE_URL: before.url } });
  const [order] = client.gateway.book.orders.keys();
  expect(lastError(stderr).candidates).toBe(`${order} ${id}`);
});
