/** `svc trade stream`: a line per push, subscriptions, gaps, faults and interruptions. */
import { describe, expect, it } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import { IS_HARD } from '../../../support/turns.ts';
import { TOKEN } from '../gateway.ts';
import { fileFeed, lines, ORDER } from './feed.ts';

const feed = await fileFeed();

function tick(bid: number): object {
  return { Updated: 1_524_658_036_391, Rates: [bid, bid + 0.0002, 1.3, 1.1], Symbol: 'EUR/USD' };
}

describe('svc trade stream', () => {
  const { env } = feed;

  it('prints every push of a table and of a symbol, and unsubscribes', async () => {
    const run = feed.run(['stream', 'eurusd', 'Order', '-o', 'ndjson', '--until', '4', '--debug'], { env });
    await feed.subscribed('EUR/USD');
    const insert = { ...ORDER, action: 'I', unknown: { extra: [1.5] } };
    feed.push('Order', insert, { orderId: '390285837', status: 9 }, { orderId: '390285837', action: 'D' });
    feed.push('EUR/USD', tick(1.2));
    const { code, stdout, stderr } = await run;
    expect(code).toBe(0);
    const seen = lines(stdout);
    expect(seen.map(({ kind, table, key }) => [kind, table, key])).toEqual([
      ['I', 'Order', '390285837'],
      ['U', 'Order', '390285837'],
      ['D', 'Order', '390285837'],
      ['price', null, 'EUR/USD'],
    ]);
    expect(seen[0]?.['data']).toEqual(insert);
    expect(seen[3]?.['data']).toEqual(tick(1.2));
    for (const { ts } of seen) expect(ts).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(feed.calls).toEqual([
      'GET /trading/get_model models=Offer',
      'POST /trading/subscribe models=Order',
      'POST /subscribe pairs=EUR/USD',
      'POST /trading/unsubscribe models=Order',
      'POST /unsubscribe pairs=EUR/USD',
    ]);
    expect(stderr).toContain('/trading/unsubscribe');
    expect(stderr).not.toContain(TOKEN);
    for (const { id } of feed.gateway.clients) expect(stderr + stdout).not.toContain(id);
    expect(feed.gateway.live).toEqual([]);
  });

  it('loses no push with a slow reader', async () => {
    const count = IS_HARD ? 10_000 : 2_000;
    const run = feed.run(['stream', 'Order', '-o', 'ndjson', '--until', String(count)], {
      env,
      onStdout: () => new Promise((read) => setTimeout(read, 5)),
    });
    await feed.subscribed('Order');
    for (let n = 0; n < count; n++) feed.push('Order', { orderId: String(n), status: 1 });
    const { code, stdout } = await run;
    expect(code).toBe(0);
    expect(lines(stdout).map(({ key }) => key)).toEqual(Array.from({ length: count }, (_, n) => String(n)));
  });

  it('reports a gap, and subscribes again', async () => {
    const run = feed.run(['stream', 'Order', '-o', 'ndjson', '--until', '2'], { env });
    await feed.subscribed('Order');
    feed.push('Order', { orderId: '1', status: 6 });
    feed.drop();
    await feed.subscribed('Order');
    feed.push('Order', { orderId: '2', status: 6 });
    const { code, stdout } = await run;
    expect(code).toBe(0);
    expect(lines(stdout).map(({ kind, key }) => [kind, key])).toEqual([
      ['U', '1'],
      ['unreachable', null],
      ['recovered', null],
      ['gap', null],
      ['U', '2'],
    ]);
    const gap = lines(stdout)[3]?.['data'] as Record<string, string>;
    expect(Date.parse(gap['to'] ?? '')).toBeGreaterThanOrEqual(Date.parse(gap['from'] ?? ''));
    expect(feed.calls.filter((call) => call.includes('subscribe'))).toEqual([
      'POST /trading/subscribe models=Order',
      'POST /trading/subscribe models=Order',
      'POST /trading/unsubscribe models=Order',
    ]);
  });
});

function leftInOrder(): void {
  expect(feed.calls.at(-1)).toBe('POST /trading/unsubscribe models=Order');
  expect(feed.gateway.live).toEqual([]);
  expect(feed.gateway.ended.at(-1)).toBe('client namespace disconnect');
}

describe('a push', () => {
  it('is printed unchanged on one line, with control characters escaped', async () => {
    const run = feed.run(['stream', 'Order', '-o', 'ndjson', '--until', '3']);
    await feed.subscribed('Order');
    feed.push(
      'Order',
      '{"orderId":"1","n":12345678901234567890,"rate":1.10,"action":"U"}',
      '{\n\t"orderId": "7",\r\n "note": "a\u009b31m\u202e\u2028b" }',
      '["no", "record"]',
    );
    const { stdout } = await run;
    const [exact = '', hostile = '', list = '', ...none] = stdout.split('\n');
    expect(none).toEqual(['']);
    expect(exact).toMatch(/"key":"1","data":\{"orderId":"1","n":12345678901234567890,"rate":1.10,"action":"U"\}\}$/);
    expect(hostile).toMatch(/"data":\{ {2}"orderId": "7", {2} "note": "a\\u009b31m\\u202e\\u2028b" \}\}$/);
    expect(JSON.parse(hostile).data).toEqual({ orderId: '7', note: 'a\u009b31m\u202e\u2028b' });
    expect(JSON.parse(list)).toMatchObject({ kind: 'other', key: 'Order', data: ['no', 'record'] });
  });

  it('is a line in a table, with the record unchanged', async () => {
    const run = feed.run(['stream', 'Order', 'EUR/USD', '--until', '3']);
    await feed.subscribed('EUR/USD');
    feed.push('Order', { orderId: '390285837', status: 2, currency: 'EUR\u001b[2J' }, { orderId: '7', action: 'D' });
    feed.push('EUR/USD', tick(1.2));
    const { stdout } = await run;
    expect(stdout.replace(/^\S+Z/gm, 'TIME')).toBe(
      [
        'TIME  U  Order  390285837  {"orderId":"390285837","status":2,"currency":"EUR\\u001b[2J"}',
        'TIME  D  Order  7  {"orderId":"7","action":"D"}',
        'TIME  price  EUR/USD  1.2  1.2002',
        '',
      ].join('\n'),
    );
  });

  it('is printed as text if it is not JSON', async () => {
    const run = feed.run(['stream', 'Order', '-o', 'ndjson', '--until', '3']);
    await feed.subscribed('Order');
    feed.push('Order', 'not JSON\u001b[2J', '', '{"orderId":');
    const { code, stdout, stderr } = await run;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain('\u001b');
    expect(lines(stdout)).toMatchObject(
      ['not JSON\u001b[2J', '', '{"orderId":'].map((data) => ({ kind: 'other', table: null, key: 'Order', data })),
    );
  });
});

describe('the end of a stream', () => {
  it('comes after the time of --until', async () => {
    let over = (): void => {};
    const printed = new Promise<void>((resolve) => {
      over = resolve;
    });
    const run = feed.run(['stream', 'Order', '-o', 'ndjson', '--until', '1h'], {
      onStdout: () => over() as undefined,
      sleepsUntil: (ms) => (ms === 3_600_000 ? printed : undefined),
    });
    await feed.subscribed('Order');
    feed.push('Order', ORDER);
    const { code, stdout } = await run;
    expect({ code, lines: lines(stdout).length }).toEqual({ code: 0, lines: 1 });
    leftInOrder();
  });

  it('comes after Ctrl-C, and unsubscribes first', async () => {
    const stop = new AbortController();
    const run = feed.run(['stream', 'Order', '-o', 'ndjson'], {
      signal: stop.signal,
      onStdout() {
        stop.abort(new SvcError('interrupted', 'interrupted'));
        return undefined;
      },
    });
    await feed.subscribed('Order');
    feed.push('Order', ORDER);
    const { code, stdout } = await run;
    expect({ code, lines: lines(stdout).length }).toEqual({ code: 130, lines: 1 });
    leftInOrder();
  });

  it('comes quietly when its reader closes the pipe', async () => {
    let go = (): void => {};
    const gone = new Promise<void>((resolve) => {
      go = resolve;
    });
    const run = feed.run(['stream', 'Order', '-o', 'ndjson'], {
      onStdout() {
        go();
        return 'closed';
      },
    });
    await feed.subscribed('Order');
    feed.push('Order', ORDER);
    await gone;
    feed.push('Order', ORDER);
    const { code, stdout, stderr } = await run;
    expect({ code, lines: lines(stdout).length, stderr }).toEqual({ code: 0, lines: 1, stderr: '' });
    leftInOrder();
  });

  it('exits 7 if the connection is lost with --no-reconnect', async () => {
    const run = feed.run(['stream', 'Order', '-o', 'ndjson', '--no-reconnect']);
    await feed.subscribed('Order');
    feed.push('Order', ORDER);
    feed.drop();
    const { code, stdout, stderr } = await run;
    expect(code).toBe(7);
    const [, unreachable, ...others] = lines(stdout);
    expect(unreachable).toMatchObject({ event: 'unreachable', reason: expect.stringContaining('ended the session') });
    expect(unreachable).toMatchObject({
      kind: 'unreachable',
      table: null,
      key: null,
      data: { code: 'connection_lost' },
    });
    expect(others).toEqual([]);
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'connection_lost', exit: 7 });
  });

  it('comes before any subscription if a symbol is unknown', async () => {
    const { code, stderr } = await feed.run(['stream', 'Order', 'EUR/XXX']);
    expect(code).toBe(5);
    expect(stderr).toContain('EUR/XXX');
    expect(feed.calls).toEqual(['GET /trading/get_model models=Offer']);
  });

  it('comes with the right name of a table as a hint', async () => {
    const { code, stderr } = await feed.run(['stream', 'open-positions']);
    expect(code).toBe(5);
    expect(stderr).toContain('the table is written OpenPosition');
  });

  it.each(['0', '5 minutes', '30d'])('comes before any request with --until %s', async (given) => {
    const { code } = await feed.run(['stream', 'Order', `--until=${given}`]);
    expect({ code, calls: feed.calls }).toEqual({ code: 2, calls: [] });
  });
});
