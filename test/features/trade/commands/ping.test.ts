/** `svc trade ping`: what it measures, and the true cause where there is nothing to measure. */
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { TOKEN } from '../gateway.ts';
import { feedGateway } from './feed.ts';

describe('svc trade ping', () => {
  it('reports the handshake, each round trip and the heartbeat', async () => {
    await using feed = await feedGateway({ engine: { pingInterval: 20_000, pingTimeout: 4_000 } });
    const { code, stdout } = await feed.run(['ping', '--count', '4', '--every', '0s', '-o', 'json']);
    expect(code).toBe(0);
    const value = JSON.parse(stdout);
    expect(value).toMatchObject({ baseUrl: `${feed.gateway.url}/`, pingIntervalMs: 20_000, pingTimeoutMs: 4_000 });
    expect(value.roundTripsMs).toHaveLength(4);
    for (const ms of [value.handshakeMs, ...value.roundTripsMs]) expect(ms).toBeGreaterThan(0);
    expect(Math.abs(value.clockSkewMs)).toBeLessThan(5_000);
    expect(feed.calls).toEqual(Array(4).fill('GET /trading/get_instruments'));
    expect(feed.gateway.live).toEqual([]);
  });

  it.each([
    ['auto', 'websocket'],
    ['websocket', 'websocket'],
    ['polling', 'polling'],
  ])('with --transport %s reports %s', async (option, transport) => {
    await using feed = await feedGateway();
    const { stdout } = await feed.run(['ping', '--count', '1', '--transport', option]);
    expect(stdout).toMatch(new RegExp(`TRANSPORT +${transport}\n`));
    expect(stdout).toMatch(/ROUND-TRIP +\d+(\.\d)? ms\n/);
  });

  it('warns about a wrong clock', async () => {
    await using feed = await feedGateway();
    const { stdout } = await feed.run(['ping', '--count', '1'], { now: () => Date.now() - 60_000 });
    expect(stdout).toMatch(/CLOCK +(59|60|61) s ahead of this machine/);
  });

  it('exits 4 if the token is refused', async () => {
    await using feed = await feedGateway({ accepts: () => false });
    const { code, stderr } = await feed.run(['ping', '--debug']);
    expect(code).toBe(4);
    expect(stderr).toContain('refused the token');
    expect(stderr).not.toContain(TOKEN);
  });

  it('exits 7 with the cause if nothing listens', async () => {
    await using feed = await feedGateway();
    const closed = createServer();
    const port = await new Promise<number>((resolve) => {
      closed.listen(0, '127.0.0.1', () => resolve((closed.address() as { port: number }).port));
    });
    await new Promise((done) => closed.close(done));
    const env = { ...feed.env, SVC_TRADE_URL: `http://127.0.0.1:${port}` };
    const { code, stderr } = await feed.run(['ping', '-o', 'json'], { env });
    expect(code).toBe(7);
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'connect_failed', exit: 7 });
    expect(stderr).toContain('nothing listens at 127.0.0.1');
  });
});
