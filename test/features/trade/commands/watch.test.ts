/** `svc trade watch`: one snapshot, merged with the pushes; it is read again only after a gap. */
import { beforeEach, describe, expect, it } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import { TOKEN } from '../gateway.ts';
import { fileFeed, lines, OFFERS, ORDER } from './feed.ts';

const feed = await fileFeed();

const POSITION = {
  t: 1,
  ratePrecision: 5,
  tradeId: '170162804',
  accountId: '654061',
  currency: 'EUR/USD',
  isBuy: true,
  amountK: 10,
  open: 1.15358,
  close: 1.15318,
  stop: 0,
  limit: 0,
  grossPL: -4,
};
const ACCOUNT = { t: 6, accountId: '654061', balance: 50_000, equity: 50_001.5, mc: 'N', hedging: 'Y' };

beforeEach(() => {
  feed.tables['OpenPosition'] = [POSITION, { isTotal: true, grossPL: -4 }];
  feed.tables['Order'] = [ORDER];
  feed.tables['Account'] = [ACCOUNT, { accountId: '', isTotal: true, balance: 50_000 }];
});

/** Runs it until this many lines were printed, with an action after each. */
async function watch(argv: readonly string[], ...steps: readonly (() => void)[]) {
  const stop = new AbortController();
  const left = [...steps];
  const run = feed.run(['watch', ...argv, '--interval', '1ms'], {
    env: feed.env,
    signal: stop.signal,
    onStdout() {
      const next = left.shift();
      if (next === undefined) stop.abort(new SvcError('interrupted', 'interrupted'));
      else next();
      return undefined;
    },
  });
  const outcome = await run;
  expect(outcome.code).toBe(130);
  return outcome;
}

describe('svc trade watch', () => {
  it('merges pushes into the rows of one snapshot', async () => {
    const { stdout, stderr } = await watch(
      ['positions', '-o', 'ndjson', '--debug'],
      () => feed.push('OpenPosition', { tradeId: '170162804', close: 1.154, grossPL: 4.2 }),
      () => feed.push('OpenPosition', { ...POSITION, tradeId: '9', action: 'I' }),
      () => feed.push('OpenPosition', { tradeId: '170162804', action: 'D' }),
    );
    const seen = lines(stdout);
    expect(seen.map(({ event }) => event)).toEqual(['added', 'changed', 'added', 'resolved']);
    expect(seen[1]?.['position']).toEqual({ ...POSITION, close: 1.154, grossPL: 4.2 });
    expect(seen[3]?.['position']).toEqual({ ...POSITION, close: 1.154, grossPL: 4.2 });
    expect(feed.calls).toEqual([
      'POST /trading/subscribe models=OpenPosition',
      'GET /trading/get_model models=OpenPosition',
      'POST /trading/unsubscribe models=OpenPosition',
    ]);
    expect(feed.gateway.live).toEqual([]);
    expect(stderr).not.toContain(TOKEN);
    for (const { id } of feed.gateway.clients) expect(stderr + stdout).not.toContain(id);
  });

  it('says that rows are old if they cannot be read again after a gap', async () => {
    const run = feed.run(['watch', 'orders', '--until', '1'], {
      terminal: 200,
      env: feed.env,
    });
    await feed.called('GET /trading/get_model models=Order');
    feed.usedUp.add('Order');
    feed.drop();
    await feed.subscribed('Order');
    feed.push('Order', { orderId: '390285837', status: 6 });
    const { code, stdout } = await run;
    feed.usedUp.clear();
    expect(code).toBe(0);
    expect(stdout).toContain('out of date since the gap: the gateway says that all calls of command 46');
    expect(stdout).toMatch(/last gap from \d\d:\d\d:\d\dZ to \d\d:\d\d:\d\dZ/);
  });

  it('reads again after a gap, and reports the changes', async () => {
    const { stdout } = await watch(
      ['orders', '-o', 'ndjson'],
      () => {
        feed.tables['Order'] = [{ ...ORDER, orderId: '2' }];
        feed.drop();
      },
      () => {},
      () => {},
    );
    expect(lines(stdout).map(({ event, order }) => [event, (order as typeof ORDER | undefined)?.orderId])).toEqual([
      ['added', '390285837'],
      ['unreachable', undefined],
      ['recovered', undefined],
      ['added', '2'],
      ['resolved', '390285837'],
    ]);
    expect(feed.calls.filter((call) => call.includes('get_model'))).toHaveLength(2);
    expect(feed.calls.filter((call) => call.startsWith('POST /trading/subscribe'))).toHaveLength(2);
  });
});

describe('svc trade watch in a pipe', () => {
  it('reads accounts from the documented path, without the total', async () => {
    const { stdout } = await watch(['accounts', '-o', 'ndjson'], () =>
      feed.push('Account', { accountId: '', isTotal: true, equity: 1 }, { accountId: '654061', equity: 9 }),
    );
    expect(lines(stdout).map(({ account }) => account)).toEqual([ACCOUNT, { ...ACCOUNT, equity: 9 }]);
    expect(feed.calls[1]).toBe('GET /trading/get_model/Accounts');
  });

  it('begins with the prices of all offers', async () => {
    const { stdout } = await watch(['prices', '-o', 'ndjson'], () =>
      feed.push('EUR/USD', { Updated: 0, Rates: [1.2, 1.3, 1.4, 1.1], Symbol: 'EUR/USD' }),
    );
    expect(lines(stdout).map(({ event, price }) => [event, price])).toEqual([
      ['added', { symbol: 'EUR/USD', bid: 1.18983, ask: 1.19008, high: 1.19962, low: 1.18977, time: null }],
      ['added', { symbol: 'USD/JPY', bid: 110.1, ask: 110.12, high: 111, low: 109, time: null }],
      ['changed', { symbol: 'EUR/USD', bid: 1.2, ask: 1.3, high: 1.4, low: 1.1, time: '1970-01-01T00:00:00.000Z' }],
    ]);
    expect(feed.calls.filter((call) => call.startsWith('POST /subscribe'))).toHaveLength(OFFERS.length);
  });

  it('shows only rows of the named symbols', async () => {
    feed.tables['OpenPosition'] = [{ ...POSITION, tradeId: '1', currency: 'USD/JPY' }, POSITION];
    const { stdout } = await watch(['positions', 'eurusd', '-o', 'ndjson'], () =>
      feed.push('OpenPosition', { tradeId: '1', close: 5 }, { tradeId: '170162804', close: 5 }),
    );
    expect(lines(stdout).map(({ position }) => (position as typeof POSITION).tradeId)).toEqual([
      '170162804',
      '170162804',
    ]);
  });

  it('ignores pushes that cannot be rows, with one notice', async () => {
    const run = feed.run(['watch', 'accounts', '--until', '3']);
    await feed.called('GET /trading/get_model/Accounts');
    feed.push('Account', 'no JSON', { accountId: '654061', balance: 'much' }, { accountId: '654061', balance: {} });
    feed.push('Account', { accountId: '654061', equity: 7 });
    const { code, stdout, stderr } = await run;
    expect(code).toBe(0);
    expect(stderr).toBe('Account: skipped a push of an unexpected form\n');
    expect(lines(stdout).at(-1)).toMatchObject({ event: 'changed', account: { ...ACCOUNT, equity: 7 } });
    expect(feed.calls.at(-1)).toBe('POST /trading/unsubscribe models=Account');
  });
});

describe('svc trade watch at a terminal', () => {
  it('draws the table again, with a footer', async () => {
    feed.tables['Order'] = [{ ...ORDER, timeInForce: '\u001b[2JGTC' }];
    const run = feed.run(['watch', 'prices', 'eurusd', '--until', '3', '--interval', '1ms'], { terminal: 120 });
    await feed.called('GET /trading/get_model models=Offer');
    await feed.subscribed('EUR/USD');
    for (const bid of [1.1, 1.3, 1.2]) feed.push('EUR/USD', { Rates: [bid, bid], Symbol: 'EUR/USD' });
    const { code, stdout } = await run;
    expect(code).toBe(0);
    expect(stdout).toContain('\u001b[?1049h');
    expect(stdout.endsWith('\u001b[?1049l')).toBe(true);
    const last = stdout.slice(stdout.lastIndexOf('1 price at'));
    expect(last).toMatch(/EUR\/USD {2}1\.20000 {2}1\.20000 /);
    expect(last).toMatch(/connected since \d\d:\d\d:\d\dZ; no gaps/);
  });

  it('ends with q after unsubscribing', async () => {
    const { code, stdout } = await feed.run(['watch', 'orders'], {
      terminal: 80,
      keys: (press) => void feed.called('GET /trading/get_model models=Order').then(() => press('xq')),
    });
    expect(code).toBe(0);
    expect(stdout.endsWith('\u001b[?1049l')).toBe(true);
    expect(feed.calls.at(-1)).toBe('POST /trading/unsubscribe models=Order');
    expect(feed.gateway.live).toEqual([]);
  });

  it('TERM=dumb: prints one screen below the other, and no escape sequence', async () => {
    const { code, stdout } = await feed.run(['watch', 'orders', '--until', '1', '--interval', '1ms'], {
      terminal: 80,
      env: { ...feed.env, TERM: 'dumb' },
      onStdout(text) {
        if (/^1 order at /m.test(text)) feed.push('Order', { ...ORDER, orderId: '2', action: 'I' });
        return undefined;
      },
    });
    expect([code, stdout.includes('\u001b')]).toEqual([0, false]);
    expect(stdout.match(/^\d orders? at /gm)).toEqual(['1 order at ', '2 orders at ']);
  });
});

describe('svc trade watch refuses', () => {
  it.each([
    [['trades'], 2, /cannot watch "trades"/],
    [['accounts', 'EUR/USD'], 2, /accounts cannot be filtered by symbol/],
    [['orders', '-o', 'csv'], 2, /a watch does not apply to -o csv/],
    [['orders', '-o', 'ndjson', '--sort', 'symbol'], 2, /a watch prints changes as they happen/],
  ])('%j before anything is sent', async (argv, expected, message) => {
    const { code, stderr } = await feed.run(['watch', ...argv]);
    expect({ code, calls: feed.calls }).toEqual({ code: expected, calls: [] });
    expect(stderr).toMatch(message);
  });
});
