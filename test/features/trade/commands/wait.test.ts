/** `--wait`: every trade of an order, however the pushes come. */
import { beforeEach, describe, expect, it } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import { ENTRY_FORM, fileTrader, NETTING, type Trader } from './trader.ts';

const client = await fileTrader();
beforeEach(() => client.gateway.traps.clear());

const trade = (amountK: number, rate = 1.16013) => ({
  trade_id: expect.stringMatching(/^\d+$/),
  amount_k: amountK,
  rate,
  time: expect.stringMatching(/^2026-01-14T12:\d\d:\d\d\.000Z$/),
});

async function wait(argv: readonly string[], more: Parameters<Trader['run']>[1] = {}) {
  const run = await client.run([...argv, '--yes', '-o', 'json'], { sleeps: true, ...more });
  return { ...run, value: run.stdout === '' ? undefined : JSON.parse(run.stdout) };
}

describe('svc trade buy --wait', () => {
  it('reports the trade of a market order', async () => {
    const { code, value, stderr } = await wait(['buy', 'EUR/USD', '5', '--wait', '5s']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `order ${value.order_id} accepted; waiting for fills\n`,
    });
    expect(value).toEqual({
      order_id: expect.stringMatching(/^\d+$/),
      status: 'filled',
      trades: [trade(5)],
      closed_trades: [],
    });
    expect(client.calls()).toEqual([
      'GET /trading/get_model/Accounts',
      'GET /trading/get_model models=Offer',
      'POST /trading/subscribe models=Order',
      'POST /trading/subscribe models=OpenPosition',
      'POST /trading/subscribe models=ClosedPosition',
      expect.stringMatching(/^POST \/trading\/open_trade /),
    ]);
  });

  it('reports each trade of an order that is filled in parts before its response comes', async () => {
    client.gateway.traps.add('partial-fills').add('push-before-answer');
    const { code, value } = await wait(['buy', 'EUR/USD', '7', '--wait', '5s']);
    expect(code).toBe(0);
    expect(value).toMatchObject({ status: 'filled', trades: [trade(2), trade(2), trade(3)], closed_trades: [] });
    expect(new Set(value.trades.map(({ trade_id }: { trade_id: string }) => trade_id)).size).toBe(3);
  });

  it('without --wait, waits a moment at a terminal, and not at all in a pipe', async () => {
    const buy = ['buy', 'EUR/USD', '5', '--yes'];
    const shown = await client.run(buy, { sleeps: true, terminal: 120 });
    expect(shown.stdout).toMatch(/trade \d+ 5K @ 1\.16013 filled/);
    expect((await client.run(buy, { sleeps: true })).stdout).toMatch(/^order \d+ accepted\n$/);
  });

  it('reports an IOC order that is filled in part: exit 10', async () => {
    client.gateway.traps.add('fok-killed').add('partial-fills');
    const run = await client.run(['buy', 'EUR/USD', '7', '--tif', 'IOC', '--wait', '5s', '--yes'], { sleeps: true });
    expect(run.code).toBe(10);
    expect(run.stdout.replaceAll(/\d{6,}/g, 'N')).toBe(
      'order N accepted\ntrade N 2K @ 1.16013 filled\ntrade N 2K @ 1.16013 filled\nended, partly filled\n',
    );
    expect(run.stderr).toMatch(/order \d+: its last state was "canceled"\n$/);
  });

  const ENTRY = ['entry', 'buy', 'EUR/USD', '5', '--rate', '1.1500', '--yes', '--wait'];

  /** Runs at a rate that is not reached, and does this once the order is accepted. */
  async function waiting(more: Parameters<Trader['run']>[1], accepted: () => void) {
    return client.run([...ENTRY, '20s'], {
      sleeps: true,
      ...more,
      onStderr: (text) => text.includes(' accepted') && accepted(),
    });
  }

  function priceIs(bid: number): void {
    client.gateway.setPrice('EUR/USD', bid);
    client.gateway.tick();
  }

  it('reports an order that may be open as pending, and does not guess its position: exit 9', async () => {
    client.gateway.traps.add('no-push');
    const { code, value } = await wait(['buy', 'EUR/USD', '6', '--wait', '300ms']);
    expect({ code, value }).toMatchObject({ code: 9, value: { status: 'pending', trades: [] } });
    const waits = await wait([...ENTRY, '60ms']);
    expect({ code: waits.code, status: waits.value.status }).toEqual({ code: 9, status: 'pending' });
  });

  it('counts what it closes on the other side of an account that does not hedge', async () => {
    const netting = { env: { SVC_TRADE_ACCOUNT: NETTING } };
    const first = await wait(['buy', 'EUR/USD', '10', '--wait', '5s'], netting);
    expect(first.value).toMatchObject({ status: 'filled', trades: [trade(10)] });
    const { code, value, stderr } = await wait(['sell', 'EUR/USD', '30', '--wait', '5s'], netting);
    expect(code).toBe(0);
    expect(value).toMatchObject({ status: 'filled', trades: [trade(20, 1.16)], closed_trades: [trade(10, 1.16)] });
    expect(value.closed_trades[0].trade_id).toBe(first.value.trades[0].trade_id);
    expect(stderr).toContain('warning: the account does not hedge');
    const back = await wait(['buy', 'EUR/USD', '20', '--wait', '5s'], netting);
    expect(back.value).toMatchObject({ status: 'filled', trades: [], closed_trades: [trade(20)] });
  });

  it('waits for the rate of an entry order', async () => {
    const { code, stdout } = await waiting({}, () => priceIs(1.149));
    priceIs(1.16);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^order \d+ accepted\ntrade \d+ 5K @ 1.15 filled\n$/);
    expect(client.orders()).toEqual([ENTRY_FORM]);
  });

  it('reads in the tables what it missed while the connection was lost', async () => {
    const { code, stdout, stderr } = await waiting({}, () => {
      client.gateway.cut();
      priceIs(1.149);
    });
    priceIs(1.16);
    expect(stderr).toContain('reconnecting');
    expect(stdout).toMatch(/^order \d+ accepted\ntrade \d+ 5K @ 1.15 filled\n$/);
    expect(code).toBe(0);
  });

  it('says after Ctrl-C that the order may be open or filled', async () => {
    const stop = new AbortController();
    const { code, stdout, stderr } = await waiting({ signal: stop.signal }, () =>
      stop.abort(new SvcError('interrupted', 'interrupted')),
    );
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    const id = /order (\d+) accepted, and now open or filled/.exec(stderr)?.[1];
    expect(stderr).toContain(`hint: svc trade orders get ${id}, svc trade positions`);
    expect(client.journal()).toMatchObject([{ outcome: 'accepted', order_ids: [id] }]);
  });
});
