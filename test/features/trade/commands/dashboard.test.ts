/** `svc trade dashboard`: what it reads, shows and sums up, on a terminal, in a pipe and as events. */
import { beforeEach, describe, expect, it } from 'vitest';
import { drawn, type Overview } from '../../../../src/features/trade/dashboard.ts';
import { displayWidth } from '../../../../src/output/terminal.ts';
import { fileFeed, lines, ORDER } from './feed.ts';

const feed = await fileFeed();

const account = (accountId: string, dayPL: number) => ({
  ...{
    t: 6,
    accountId,
    accountName: `00${accountId}`,
    balance: 50_000,
    equity: 50_000 + dayPL,
    usableMargin: 49_000.1,
  },
  ...{ grossPL: dayPL, dayPL, mc: 'N', hedging: 'Y' },
});
const position = (tradeId: string, currency: string, grossPL: number) => ({
  ...{ t: 1, ratePrecision: 5, tradeId, accountId: '654061', currency, isBuy: true, amountK: 10, open: 1.1, grossPL },
  ...{ com: 0.1, roll: -0.2 },
});

beforeEach(() => {
  feed.tables['Account'] = [account('654061', 0.1), account('654062', 0.2)];
  feed.tables['OpenPosition'] = [
    ...[position('1', 'EUR/USD', 0.1), position('2', 'EUR/USD', 0.2), position('3', 'USD/JPY', -1.4)],
    { ...position('4', 'GBP/USD', 7), accountId: '654062' },
  ];
  feed.tables['Order'] = [ORDER];
});

const READS = [
  'GET /trading/get_model/Accounts',
  'GET /trading/get_model models=OpenPosition',
  'GET /trading/get_model models=Order',
];

describe('in a pipe', () => {
  it('prints three tables once', async () => {
    const { code, stdout, stderr } = await feed.run(['dashboard']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const total = stdout.split('\n').filter((line) => line.startsWith('total'));
    expect(total.map((line) => line.split(/ +/))).toEqual([
      ['total', '100000.00', '100000.30', '0.30', '0.30', '98000.20'],
      ['total', '5.90', '4.70'],
    ]);
    expect(stdout).toContain('P/L today 0.30, open 0.30\n');
    expect(stdout).toMatch(/^EUR\/USD .* 0\.30 +-0\.30$/m);
    expect(stdout).toMatch(/^390285837 +EUR\/USD/m);
    expect(feed.calls).toEqual(READS);
  });

  it('is JSON with exact sums, of one account if it is named', async () => {
    const { stdout } = await feed.run(['dashboard', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      session: { state: 'connected', reason: null, gaps: 0 },
      totals: { accounts: { dayPL: 0.3, usableMargin: 98_000.2 }, positions: { grossPL: 5.9, netPL: 4.7 } },
      positions: [{ currency: 'EUR/USD', amountKBuy: 20, grossPL: 0.3 }, { grossPL: -1.4 }, { grossPL: 7 }],
      orders: [{ orderId: '390285837' }],
    });
    const one = JSON.parse((await feed.run(['dashboard', '--account', '654062', '-o', 'json'])).stdout);
    expect(one).toMatchObject({
      accounts: [{ accountId: '654062' }],
      positions: [{ currency: 'GBP/USD' }],
      orders: [],
    });
    const line = await feed.run(['dashboard', '--columns', 'day-pl,net-pl,symbols,orders', '-o', 'csv']);
    expect(line.stdout).toBe('day-pl,net-pl,symbols,orders\n0.30,4.70,3,1\n');
  });

  it('prints an event for each change and each outage', async () => {
    const steps = [
      () => feed.push('OpenPosition', { tradeId: '3', grossPL: 0.3 }),
      () => feed.push('Order', { orderId: '390285837', action: 'D' }),
      () => feed.drop(),
    ];
    const stop = new AbortController();
    let text = '';
    const run = feed.run(['dashboard', '-o', 'ndjson', '--interval', '1ms'], {
      signal: stop.signal,
      onStdout(printed) {
        text += printed;
        const next = steps.shift();
        if (next !== undefined) next();
        else if (text.includes('"recovered"')) stop.abort(new Error('enough'));
        return undefined;
      },
    });
    await run.catch(() => {});
    const events = lines(text);
    const sums = events.map(({ event, totals }) => [
      event,
      (totals as Overview['totals'] | undefined)?.positions.grossPL,
    ]);
    expect(sums.slice(0, 5)).toEqual([
      ...[
        ['dashboard', 5.9],
        ['dashboard', 7.6],
        ['dashboard', 7.6],
      ],
      ...[
        ['unreachable', undefined],
        ['recovered', undefined],
      ],
    ]);
    expect(events.map(({ orders }) => (orders as unknown[] | undefined)?.length).slice(0, 3)).toEqual([1, 1, 0]);
  });

  it.each([
    [['-q'], /has no ids/],
    [['--sort', 'balance'], /does not print a list/],
  ])('refuses %j before it connects', async (argv, message) => {
    const { code, stderr } = await feed.run(['dashboard', ...argv]);
    expect([code, feed.calls]).toEqual([2, []]);
    expect(stderr).toMatch(message);
  });
});

/** The screens that were drawn, without what moves the cursor. */
function screens(stdout: string): string[] {
  return stdout
    .split('\u001b[H')
    .map((screen) => screen.replace(/\u001b\[[\d?;]*[A-Za-z]/g, '').replaceAll('\r', ''))
    .filter((screen) => screen.includes(' at '));
}

describe('on a terminal', () => {
  it.each([60, 80, 200])('fits %d columns, and ends with q after unsubscribing', async (terminal) => {
    let press = (_keys: string): void => {};
    const { code, stdout } = await feed.run(['dashboard'], {
      terminal,
      keys(given) {
        press = given;
      },
      onStdout(text) {
        if (text.includes('390285837')) press('q');
        return undefined;
      },
    });
    expect([code, feed.gateway.live]).toEqual([0, []]);
    expect(stdout.endsWith('\u001b[?1049l')).toBe(true);
    expect(feed.calls.slice(-3)).toEqual(
      ['Account', 'OpenPosition', 'Order'].map((model) => `POST /trading/unsubscribe models=${model}`),
    );
    const last = screens(stdout).at(-1) ?? '';
    expect(last.split('\n').filter((line) => displayWidth(line) > terminal)).toEqual([]);
    for (const text of ['connected (', 'P/L today 0.30', 'EUR/USD', '5.90', '390285837', '1.21818', 'q to quit']) {
      expect(last).toContain(text);
    }
  });

  it('reports a lost connection and the age of the data at once, without colors', async () => {
    const steps: [seen: RegExp, step: () => void][] = [
      [/connected \(/, () => feed.drop()],
      [
        /1 gap/,
        () => void feed.subscribed('Account').then(() => feed.push('Account', { accountId: '654061', dayPL: 9 })),
      ],
    ];
    const run = feed.run(['dashboard', '--until', '1', '--interval', '1ms'], {
      terminal: 80,
      env: { ...feed.env, NO_COLOR: '1' },
      onStdout(text) {
        if (steps[0]?.[0].test(text)) steps.shift()?.[1]();
        return undefined;
      },
    });
    const { code, stdout } = await run;
    expect(code).toBe(0);
    const lost = screens(stdout).find((screen) => screen.includes('NOT CONNECTED'));
    expect(lost).toMatch(/NOT CONNECTED for \ds: .*\nall data is \ds OLD; svc is reconnecting\n/s);
    expect(lost).toMatch(/^POSITIONS BY SYMBOL \(\ds OLD\)$/m);
    expect(screens(stdout).at(-1)).toContain('P/L today 9.20');
  });

  it('TERM=dumb: one screen below the other, and no escape sequence', async () => {
    const run = feed.run(['dashboard', '--until', '1'], { terminal: 80, env: { ...feed.env, TERM: 'dumb' } });
    await feed.called('GET /trading/get_model models=Order');
    feed.push('Order', { ...ORDER, orderId: '2', currency: '\u001b[2JX', action: 'I' });
    const { code, stdout } = await run;
    expect([code, stdout.includes('\u001b')]).toEqual([0, false]);
    expect(stdout.match(/^OPEN ORDERS/gm)?.length).toBe(2);
    expect(stdout).toContain('\\x1b[2JX');
  });
});

describe('unchanged data', () => {
  const overview = (at: string, market: Overview['market']): Overview => ({
    at,
    session: {
      ...{ state: 'connected', transport: 'websocket', since: '2026-01-14T12:00:00Z', gaps: 0, reason: null },
      ...{ last_push: '2026-01-14T12:00:05Z', last_heartbeat: null, data_of: '2026-01-14T12:00:05Z' },
    },
    market,
    totals: { accounts: {}, positions: {} },
    accounts: [],
    positions: [{ currency: 'EUR/USD' }],
    orders: [],
  });
  it.each([
    ['2026-01-14T12:00:14Z', 'open', undefined],
    ['2026-01-14T12:00:16Z', 'open', 'no push: the data is 11s OLD'],
    ['2026-01-14T12:01:16Z', 'closed', undefined],
  ] as const)('is old at %s while the market is %s: %s', (at, market, text) => {
    expect(drawn(overview(at, market), 'gateway', true).heading[1]?.text).toBe(text);
  });
});
