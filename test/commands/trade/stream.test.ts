/** `svc trade stream`: every push a line, subscriptions made and taken back, gaps told, faults and interruptions. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TOKEN } from '../../services/trading/gateway.ts';
import { type FeedGateway, feedGateway, lines, ORDER } from './feed.ts';

let feed: FeedGateway;

beforeAll(async () => {
  feed = await feedGateway();
});
afterAll(() => feed[Symbol.asyncDispose]());
beforeEach(() => {
  feed.calls.length = 0;
});

function tick(bid: number): object {
  return { Updated: 1_524_658_036_391, Rates: [bid, bid + 0.0002, 1.3, 1.1], Symbol: 'EUR/USD' };
}

describe.each(['websocket', 'polling'])('over %s', (transport) => {
  it('prints every push of a table and of a symbol, and takes its subscriptions back', async () => {
    const run = feed.run([
      'stream',
      'eurusd',
      'Order',
      '-o',
      'ndjson',
      '--until',
      '4',
      '--debug',
      '--transport',
      transport,
    ]);
    await feed.subscribed('EUR/USD');
    const insert = { ...ORDER, action: 'I', unknown: { kept: [1.5] } };
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

  it('loses none of ten thousand pushes', async () => {
    const count = 10_000;
    const run = feed.run(['stream', 'Order', '-o', 'ndjson', '--until', String(count), '--transport', transport]);
    await feed.subscribed('Order');
    for (let n = 0; n < count; n++) feed.push('Order', { orderId: String(n), status: 1 });
    const { code, stdout } = await run;
    expect(code).toBe(0);
    expect(lines(stdout).map(({ key }) => key)).toEqual(Array.from({ length: count }, (_, n) => String(n)));
  });

  it('tells of a gap, subscribes again, and reads the rows again with --snapshot', async () => {
    feed.tables['Order'] = [{ ...ORDER, orderId: '1' }];
    const run = feed.run(['stream', 'Order', '-o', 'ndjson', '--snapshot', '--until', '2', '--transport', transport]);
    await feed.called('GET /trading/get_model models=Order');
    feed.push('Order', { orderId: '1', status: 6 });
    feed.tables['Order'] = [{ ...ORDER, orderId: '2' }];
    feed.drop();
    await feed.subscribed('Order');
    feed.push('Order', { orderId: '2', status: 6 });
    const { code, stdout } = await run;
    expect(code).toBe(0);
    expect(lines(stdout).map(({ kind, key }) => [kind, key])).toEqual([
      ['snapshot', '1'],
      ['U', '1'],
      ['gap', null],
      ['snapshot', '2'],
      ['U', '2'],
    ]);
    const gap = lines(stdout)[2]?.['data'] as Record<string, string>;
    expect(Date.parse(gap['to'] ?? '')).toBeGreaterThanOrEqual(Date.parse(gap['from'] ?? ''));
    expect(feed.calls.filter((call) => call.includes('subscribe'))).toEqual([
      'POST /trading/subscribe models=Order',
      'POST /trading/subscribe models=Order',
      'POST /trading/unsubscribe models=Order',
    ]);
  });
});
