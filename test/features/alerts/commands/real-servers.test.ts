/** How a configured Alertmanager, or a proxy in front of it, affects clients. */
import { once } from 'node:events';
import http from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { getJson, wire } from '../../../support/alertmanager.ts';
import { describeRealServers, starter, WEB_CONFIG } from '../../../support/alertmanagers.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { failure, svc } from '../../../support/svc.ts';
import { printed } from './service.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

/** One command for each endpoint of doc 1, and the exit status it has on an empty server. */
const COMMANDS: readonly (readonly [code: number, ...argv: string[]])[] = [
  [0, 'alerts', 'status'],
  [0, 'alerts', 'receivers'],
  [0, 'alerts', 'list'],
  [0, 'alerts', 'groups'],
  [0, 'alerts', 'create', 'A', '--for', '1h'],
  [0, 'silences', 'list'],
  [5, 'silences', 'get', UNKNOWN],
  [0, 'silences', 'create', 'a=b', '-c', 'x'],
  [5, 'silences', 'expire', UNKNOWN, '--yes'],
];

describeRealServers(({ release }) => {
  const start = starter(release);

  it('a route prefix is part of the address; without it, every command reports a wrong path', async () => {
    const url = await start({ args: ['--web.route-prefix=/am/one'] });
    for (const base of [`${url}/am/one`, `${url}/am/one/`, `${url}//am/one/api/v2`]) {
      for (const [code, ...argv] of COMMANDS) {
        expect([argv, (await svc([...argv, '--base-url', base])).code]).toEqual([argv, code]);
      }
    }
    for (const [, ...argv] of COMMANDS) {
      const run = await svc([...argv, '--base-url', url, '-o', 'json']);
      expect([run.code, failure(run).code]).toEqual([3, 'wrong_path']);
      expect(failure(run).hint).toContain('--base-url');
    }
  });

  it('basic authentication: exit 4 and the setting to set; with the credential every command works', async () => {
    const url = await start({ webConfig: WEB_CONFIG });
    for (const [code, ...argv] of COMMANDS) {
      for (const env of [
        {},
        { SVC_ALERTS_USER: 'operator', SVC_ALERTS_PASSWORD: 'wrong' },
        { SVC_ALERTS_TOKEN: 'wrong' },
      ]) {
        const run = await svc([...argv, '-o', 'json'], { env: { SVC_ALERTS_URL: url, ...env } });
        expect([run.code, run.stdout]).toEqual([4, '']);
        expect(failure(run)).toMatchObject({ code: 'unauthorized', http_status: 401 });
        expect(failure(run).hint).toContain('SVC_ALERTS_PASSWORD');
        const isSent = Object.keys(env).length > 0;
        expect(failure(run).message).toContain(isSent ? 'refused the credential: ' : 'requires a credential: ');
        expect(run.stderr).not.toMatch(/wrong"|d3Jvbmc/);
      }
      const env = { SVC_ALERTS_URL: url, SVC_ALERTS_USER: 'operator', SVC_ALERTS_PASSWORD: 'correct horse' };
      const run = await svc([...argv, '--debug'], { env });
      expect(run.code).toBe(code);
      expect(run.stderr).not.toContain('correct horse');
      expect(run.stderr).not.toContain(Buffer.from('operator:correct horse').toString('base64'));
    }
  });

  it('too many reads at once: exit 7 and the name of the limit; a write still succeeds', async () => {
    const url = await start({ args: ['--web.get-concurrency=1'] });
    const slow = http.request(new URL('/api/v2/status', url), {
      method: 'GET',
      headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked', expect: '100-continue' },
      agent: false,
    });
    slow.on('error', () => undefined);
    slow.flushHeaders();
    await once(slow, 'continue'); // the server waits for the body
    const run = await svc(['alerts', 'list', '--base-url', url, '-o', 'json', '-v']);
    expect([run.code, run.stdout]).toEqual([7, '']);
    expect(failure(run)).toMatchObject({ code: 'server_error', http_status: 503 });
    expect(failure(run).message).toContain('Limit of concurrent GET requests reached (1)');
    expect((await svc(['alerts', 'create', 'A', '--for', '1h', '--base-url', url])).code).toBe(0);
    slow.destroy();
    await vi.waitFor(async () => expect((await wire(url, '/api/v2/status')).status).toBe(200), { interval: 5 });
    expect((await svc(['alerts', 'list', '--base-url', url])).code).toBe(0);
  });

  it('matchers of more than a mebibyte: exit 3 and what to do', async () => {
    const url = await start({});
    const long = (length: number) =>
      svc(['alerts', 'list', `a=${'x'.repeat(length)}`, '--base-url', url, '-o', 'json']);
    expect((await long(1_000_000)).code).toBe(0);
    const run = await long(1_100_000);
    expect([run.code, run.stdout]).toEqual([3, '']);
    expect(failure(run)).toMatchObject({ http_status: 431, hint: expect.stringContaining('too long') });
    expect(run.stderr.length).toBeLessThan(2000);
  });

  it('never follows the redirect for // with a write', async () => {
    const url = await start({});
    // A proxy that doubles the slash, as a wrong location rule does.
    await using proxy = await faultServer((socket, { method, path, body }) => {
      const request = { method, body, headers: { 'content-type': 'application/json' } };
      void wire(url, `/${path}`, request).then(({ status, headers: got, body: text }) => {
        const headers = { 'content-type': got['content-type'] ?? '', location: got.location ?? '' };
        socket.write(answer(status, text, headers));
      });
    });
    for (const [argv, code, error] of [
      [['alerts', 'create', 'Doubled', '--for', '1h'], 8, 'outcome_unknown'],
      [['silences', 'create', 'a=b', '-c', 'x'], 3, 'redirected'],
      [['alerts', 'list'], 3, 'redirected'],
    ] as const) {
      const run = await svc([...argv, '--base-url', proxy.url, '-o', 'json']);
      expect([run.code, run.stdout, failure(run).code]).toEqual([code, '', error]);
      expect(failure(run).message).toContain('/api/v2/');
    }
    expect(await getJson(url, '/api/v2/alerts')).toEqual([]);
    expect(await getJson(url, '/api/v2/silences')).toEqual([]);
  });
});

describe('a proxy in front of the server', () => {
  const html = { 'content-type': 'text/html; charset=utf-8' };
  const LOGIN = answer(200, '<!doctype html><html><title>Sign in</title>', html);

  it('a login page instead of the API: a read is exit 7, a write exit 8, and neither is a success', async () => {
    await using server = await faultServer((socket) => socket.write(LOGIN));
    for (const [, ...argv] of COMMANDS) {
      const before = server.requests.length;
      const run = await svc([...argv, '--base-url', server.url, '-o', 'json']);
      // silences create reads first, and does not come to its write.
      const wrote = argv.includes('expire') || argv.join(' ').startsWith('alerts create');
      expect([argv, run.code, run.stdout]).toEqual([argv, wrote ? 8 : 7, '']);
      expect(run.stderr).toContain('an HTML page');
      if (wrote) expect(server.requests.slice(before).filter(({ method }) => method !== 'GET')).toHaveLength(1);
    }
  });

  it('a redirect to a login is shown, not followed', async () => {
    await using server = await faultServer((socket) =>
      socket.write(answer(302, '', { location: 'https://login.example/?next=%2F&token=secret1234' })),
    );
    const run = await svc(['alerts', 'list', '--base-url', server.url, '-o', 'json']);
    expect([run.code, failure(run).code, server.requests.length]).toEqual([3, 'redirected', 1]);
    expect(failure(run).message).toContain('login.example');
    expect(run.stderr).not.toContain('secret1234');
  });

  it('briefly overloaded: a read is repeated, a write is not', async () => {
    await using server = await faultServer((socket, _, index) =>
      socket.write(
        index === 1 ? answer(503, 'busy', { 'content-type': 'text/plain', 'retry-after': '0' }) : answer(200, '[]'),
      ),
    );
    const read = await svc(['alerts', 'list', '--base-url', server.url, '-o', 'json']);
    expect([read.code, printed(read), server.requests.length]).toEqual([0, [], 2]);
    await using other = await faultServer((socket) =>
      socket.write(answer(503, 'busy', { 'content-type': 'text/plain' })),
    );
    const write = await svc(['alerts', 'create', 'A', '--base-url', other.url, '-o', 'json']);
    expect([write.code, other.requests.length]).toEqual([8, 1]);
  });
});
