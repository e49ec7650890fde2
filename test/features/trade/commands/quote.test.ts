/** `svc trade quote`: the next ticks, or the last known price where none comes in time. */
import { describe, expect, it } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import { until } from '../gateway.ts';
import { reader, rowsOf } from './reader.ts';

const client = reader();

/** A tick as soon as somebody is subscribed. */
async function ticking<T>(work: Promise<T>): Promise<T> {
  const timer = setInterval(() => client.gateway.tick(), 5);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

describe('svc trade quote', () => {
  it('prints the next tick of each symbol, and unsubscribes', async () => {
    const quotes = await ticking(client.json('quote eurusd USD/JPY eurusd', { sleeps: true }));
    expect(quotes).toHaveLength(2);
    expect(quotes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          symbol: 'EUR/USD',
          source: 'tick',
          bid: expect.any(Number),
          ask: expect.any(Number),
        }),
        expect.objectContaining({ symbol: 'USD/JPY', source: 'tick', time: expect.stringMatching(/^2026-.*Z$/) }),
      ]),
    );
    expect(client.asked()).toEqual([
      'GET /trading/get_model models=Offer',
      'POST /subscribe pairs=EUR/USD',
      'POST /subscribe pairs=USD/JPY',
      'POST /unsubscribe pairs=EUR/USD',
      'POST /unsubscribe pairs=USD/JPY',
    ]);
    expect(client.gateway.sessions).toEqual([]);
  });

  it('gets its ticks through a balancer that knows a session by its cookie', async () => {
    client.gateway.traps.add('sticky-nodes');
    expect(await ticking(client.json('quote EUR/USD', { sleeps: true }))).toMatchObject([{ source: 'tick' }]);
  });

  it('ends the session when it is interrupted', async () => {
    client.gateway.traps.add('no-push');
    const stop = new AbortController();
    const run = client.run('quote EUR/USD --wait 1h', { signal: stop.signal, sleeps: true });
    await until(() => client.asked().at(-1) === 'POST /subscribe pairs=EUR/USD');
    stop.abort(new SvcError('interrupted', 'interrupted'));
    expect(await run).toMatchObject({ code: 130, stdout: '' });
    await until(() => client.gateway.sessions.length === 0);
  });

  it('exits 9 with the last known price if no tick comes in time', async () => {
    client.gateway.traps.add('no-push');
    const run = await client.run('quote EUR/USD --wait 10ms');
    expect(run.code).toBe(9);
    expect(rowsOf(run.stdout)[1]).toEqual([
      'EUR/USD',
      ...Array(4).fill(expect.any(String)),
      expect.any(String),
      'snapshot',
    ]);
    expect(run.stderr).toContain('no tick of EUR/USD in time');
    const json = await client.run('quote EUR/USD --wait 10ms -o json');
    expect(json.code).toBe(9);
    expect(JSON.parse(json.stdout)).toMatchObject([{ symbol: 'EUR/USD', source: 'snapshot' }]);
  });
});
