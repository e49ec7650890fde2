/** What a real server does to its clients by configuration: the emulator has none of it. */
import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { getJson, postJson, type WireAnswer, wire } from '../support/alertmanager.ts';
import { describeRealServers, starter, WEB_CONFIG } from '../support/alertmanagers.ts';

/** Sends all but the end of a body, so that the server keeps waiting. */
function unfinished(url: string, path: string, method: string): http.ClientRequest {
  const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
  const request = http.request(new URL(path, url), { method, headers, agent: false });
  request.on('error', () => undefined);
  request.flushHeaders();
  return request;
}

async function answerOf(request: http.ClientRequest): Promise<WireAnswer> {
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
  const body = Buffer.concat(await answer.toArray()).toString('utf8');
  return { status: answer.statusCode ?? 0, headers: answer.headers, body };
}

describeRealServers(({ release }) => {
  const start = starter(release);

  it('basic authentication: 401 as plain text, below every path', async () => {
    const url = await start({ webConfig: WEB_CONFIG });
    const basic = (password: string): Record<string, string> => ({
      authorization: `Basic ${Buffer.from(`operator:${password}`).toString('base64')}`,
    });
    for (const headers of [{}, basic('wrong')]) {
      for (const path of ['/api/v2/status', '/nope']) {
        const { status, headers: got, body } = await wire(url, path, { headers });
        expect([status, got['content-type'], got['www-authenticate'], body]).toEqual([
          401,
          'text/plain; charset=utf-8',
          'Basic',
          'Unauthorized\n',
        ]);
      }
    }
    expect((await wire(url, '/api/v2/status', { headers: basic('correct horse') })).status).toBe(200);
  });

  it('too many GETs at once: 503 without Retry-After; a POST still gets through', async () => {
    const url = await start({ args: ['--web.get-concurrency=1'] });
    // Whichever the server sees first keeps the only place.
    const rivals = [unfinished(url, '/api/v2/status', 'GET'), unfinished(url, '/api/v2/status', 'GET')];
    const refused = await Promise.race(rivals.map(answerOf));
    expect([refused.status, refused.headers['content-type'], refused.headers['retry-after'], refused.body]).toEqual([
      503,
      'text/plain; charset=utf-8',
      undefined,
      'Limit of concurrent GET requests reached (1), try again later.\n\n',
    ]);
    expect((await postJson(url, '/api/v2/alerts', [])).status).toBe(200);
    for (const rival of rivals) rival.destroy();
  });

  it('a request that takes too long: 503 with a text', async () => {
    const url = await start({ args: ['--web.timeout=50ms'] });
    const { status, headers, body } = await answerOf(unfinished(url, '/api/v2/alerts', 'POST'));
    expect([status, headers['content-type'], body]).toEqual([
      503,
      'text/plain; charset=utf-8',
      'Exceeded configured timeout of 50ms.\n',
    ]);
  });

  it('a POST that took too long was still applied', async () => {
    // How many alerts take longer than that, but less to send, depends on the machine and on what else it does.
    for (let count = 1000; ; count = count < 64_000 ? count * 2 : 1250) {
      // A server of its own: with the alerts of earlier attempts, to read one would take too long as well.
      const url = await start({ args: ['--web.timeout=25ms'] });
      const alerts = Array.from({ length: count }, (_, index) => ({
        labels: { alertname: 'A', of: `${count}`, n: `${index}` },
      }));
      const { status } = await postJson(url, '/api/v2/alerts', alerts);
      if (status === 200) continue;
      expect(status).toBe(503);
      const last = `/api/v2/alerts?filter=of%3D${count}&filter=n%3D${count - 1}`;
      const applied = async (): Promise<boolean> => (await getJson<unknown[]>(url, last)).length === 1;
      const deadline = Date.now() + 3000;
      while (Date.now() < deadline) {
        if (await applied().catch(() => false)) return;
        await sleep(20);
      }
    }
  }, 120_000);

  it('a request line of more than a mebibyte: 431', async () => {
    const url = await start({});
    const line = (length: number): string => `/api/v2/alerts?filter=a%3D${'x'.repeat(length)}`;
    expect((await wire(url, line(1_040_000))).status).toBe(200);
    const { status, headers, body } = await wire(url, line(1_100_000));
    expect([status, headers['content-type'], body]).toEqual([
      431,
      'text/plain; charset=utf-8',
      '431 Request Header Fields Too Large',
    ]);
  });

  it('a route prefix: the API exists only below it', async () => {
    const url = await start({ args: ['--web.route-prefix=/am'] });
    expect((await wire(url, '/am/api/v2/receivers')).status).toBe(200);
    for (const path of ['/api/v2/receivers', '/api/v2/silence/00000000-0000-4000-8000-000000000000', '/am/v2/alerts']) {
      const { status, headers, body } = await wire(url, path);
      expect([status, headers['content-type'], body]).toEqual([
        404,
        'text/plain; charset=utf-8',
        '404 page not found\n',
      ]);
    }
    expect((await wire(url, '/am/api/v2/nope')).body).toBe('{"code":404,"message":"path /api/v2/nope was not found"}');
  });
});
