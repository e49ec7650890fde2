import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { TRAPS } from '../../src/sandbox/traps.ts';
import { getJson, postJson, wire } from '../support/alertmanager.ts';
import { freePorts } from '../support/ports.ts';

const NOON = Date.UTC(2026, 5, 1, 12);
const options = { now: () => NOON, random: () => 0.5 };

function alertsUrl(sandbox: { readonly env: Readonly<Record<string, string>> }): string {
  const url = sandbox.env['SVC_ALERTS_URL'];
  if (url === undefined) throw new Error('no address');
  return url;
}

describe('the sandbox', () => {
  test('closes with open connections', async () => {
    const sandbox = await startSandbox({ ...options, seed: 'empty' });
    const port = Number(new URL(alertsUrl(sandbox)).port);
    const idle = connect(port, '127.0.0.1');
    const halfway = connect(port, '127.0.0.1');
    halfway.write('POST /api/v2/alerts HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n[');
    const served = connect(port, '127.0.0.1');
    served.write('GET /-/ready HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(served, 'data');
    const gone = Promise.all(
      [idle, halfway, served].map((socket) =>
        once(
          socket.resume().on('error', () => undefined),
          'close',
        ),
      ),
    );
    await sandbox.close();
    await gone;
  });

  test('fails if its port is in use', async () => {
    const port = await freePorts();
    const other = createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    await expect(startSandbox({ ...options, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    other.close();
    await once(other, 'close');
    const sandbox = await startSandbox({ ...options, port });
    expect(sandbox.env).toEqual({
      SVC_ALERTS_URL: `http://127.0.0.1:${port}`,
      SVC_WEBHOOKS_URL: `http://127.0.0.1:${port + 1}`,
      SVC_WEBHOOKS_TOKEN: expect.stringMatching(/^pat_sandbox_[a-z0-9]{24}$/),
      SVC_CATALOG_URL: `http://127.0.0.1:${port + 2}`,
      SVC_TRADE_URL: `http://127.0.0.1:${port + 3}`,
      SVC_TRADE_TOKEN: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    await sandbox.close();
  });

  test('uses the given clock', async () => {
    let now = NOON;
    const sandbox = await startSandbox({ now: () => now, random: () => 0.5, seed: 'empty' });
    const url = alertsUrl(sandbox);
    await postJson(url, '/api/v2/alerts', [{ labels: { a: 'b' } }]);
    const created = await postJson(url, '/api/v2/silences', {
      matchers: [{ name: 'a', value: 'b', isRegex: false }],
      startsAt: '2026-06-01T12:00:00Z',
      endsAt: '2026-06-01T12:04:00Z',
      createdBy: 'me',
      comment: 'c',
    });
    expect(created.headers.date).toBe('Mon, 01 Jun 2026 12:00:00 GMT');
    const state = async (): Promise<string[]> =>
      (await getJson<{ status: { state: string } }[]>(url, '/api/v2/alerts')).map(({ status }) => status.state);
    expect(await state()).toEqual(['suppressed']);
    now = NOON + 4 * 60_000;
    expect(await state()).toEqual(['active']);
    now = NOON + 5 * 60_000;
    expect(await state()).toEqual([]);
    expect(await getJson(url, '/api/v2/silences')).toMatchObject([{ status: { state: 'expired' } }]);
    now = NOON + 4 * 60_000 + 120 * 3_600_000;
    expect(await getJson(url, '/api/v2/silences')).toEqual([]);
    await sandbox.close();
  });

  test('has traps with unique names, which reach their services', async () => {
    const names = Object.values(TRAPS).flatMap((traps) => Object.keys(traps));
    expect(new Set(names).size).toBe(names.length);
    const sandbox = await startSandbox({ ...options, traps: ['database-down', 'no-push'] });
    expect((await wire(sandbox.env['SVC_CATALOG_URL'] ?? '', '/healthz')).status).toBe(503);
    await sandbox.close();
  });

  test('refuses other host names that resolve to loopback', async () => {
    const sandbox = await startSandbox(options);
    const url = alertsUrl(sandbox);
    for (const host of [
      'evil.example',
      'evil.example:80',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '[::2]',
    ]) {
      const answer = await wire(url, '/api/v2/alerts', { headers: { host } });
      expect([answer.status, answer.body]).toEqual([403, 'The sandbox answers to loopback addresses only.\n']);
    }
    for (const host of ['localhost', 'LOCALHOST:1', '127.0.0.1', '[::1]:80']) {
      const answer = await wire(url, '/api/v2/alerts', { headers: { host, origin: 'https://evil.example' } });
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, undefined]);
    }
    await sandbox.close();
  });
});
