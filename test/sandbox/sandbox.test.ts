import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
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

  test('uses the given clock, and forgets a silence after 120 hours', async () => {
    let now = NOON;
    const sandbox = await startSandbox({ now: () => now, random: () => 0.5, seed: 'empty' });
    const silence = {
      matchers: [{ name: 'a', value: 'b', isRegex: false }],
      startsAt: '2026-06-01T12:00:00Z',
      endsAt: '2026-06-01T12:04:00Z',
      createdBy: 'me',
      comment: 'c',
    };
    await postJson(alertsUrl(sandbox), '/api/v2/silences', silence);
    now = Date.parse(silence.endsAt);
    expect(await getJson(alertsUrl(sandbox), '/api/v2/silences')).toMatchObject([{ status: { state: 'expired' } }]);
    now += 120 * 3_600_000;
    expect(await getJson(alertsUrl(sandbox), '/api/v2/silences')).toEqual([]);
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
