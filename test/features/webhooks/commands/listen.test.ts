/** `svc webhooks listen`: what it says, and how it ends. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { svc, temporaryHome } from '../../../support/svc.ts';
import { deliver, event, KEY, send } from '../receiver-client.ts';
import { deliveries, lines, listen, rows, SECRET, target } from './listening.ts';

const HOSTILE = '\x1b]52;c;x\x07\u202e\x9b31m';

describe('svc webhooks listen', () => {
  it('refuses wrong options before it listens', async () => {
    const tunnel = ['--tunnel', 'exit 1'];
    for (const [args, env, message] of [
      [[], {}, 'no signing secret'],
      [['--forward-to', 'http://example.com/'], SECRET, 'example.com is not this machine'],
      [['--forward-to', '99999'], SECRET, 'a port is a number up to 65535'],
      [['--forward-to', '/hook'], SECRET, 'is not http:// or https://'],
      [['--forward-to', 'http://u:p@localhost/'], SECRET, 'user name or a password'],
      [['--tolerance', '1.5'], SECRET, '1.5'],
      [['--record', '/'], SECRET, '--record'],
      [['--ready-file', 'package.json'], SECRET, 'has other contents'],
      [['--secret', KEY], {}, 'svc takes no secret'],
      [['--event', 'webhook.ping'], SECRET, '--event needs --tunnel'],
      [[...tunnel, '--event', 'sumary.completed'], {}, 'hint: did you mean summary.completed?'],
      [[...tunnel, '--event', 'webhook.ping,other'], {}, '--event: the service has no event type "other"'],
      [[...tunnel, '--event', 'webhook.ping,'], {}, '--event: an item of "webhook.ping," is empty'],
    ] as const) {
      const run = await svc(['webhooks', 'listen', '--port', '0', ...args], { env });
      expect(run, args.join(' ')).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
      expect(run.stderr).not.toContain(KEY);
    }
  });

  it('reports a port in use, and deletes only a recording that it made', async () => {
    const { url } = await target(() => {});
    const record = join(temporaryHome(), 'rec.ndjson');
    const { port } = new URL(url);
    const run = await svc(['webhooks', 'listen', '--port', port, '--record', record], { env: SECRET });
    expect(run).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`port ${port}: the port is in use`),
    });
    expect(existsSync(record)).toBe(false);
    writeFileSync(record, '');
    await svc(['webhooks', 'listen', '--port', port, '--record', record], { env: SECRET });
    expect(existsSync(record)).toBe(true);
  });

  it('refuses to forward to itself', async () => {
    const { url, server } = await target(() => {});
    const { port } = new URL(url);
    server.close();
    await once(server, 'close');
    const run = await svc(['webhooks', 'listen', '--port', port, '--forward-to', `http://localhost:${port}/`], {
      env: SECRET,
    });
    expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('is this listener') });
  });
});

describe('the output of svc webhooks listen', () => {
  it('has a line per delivery in tables', async () => {
    const timestamp = Math.floor(Date.now() / 1000);
    const { port, ended } = await listen(['--count', '2', '--no-history'], { now: () => timestamp * 1000 });
    await deliver(port, event('evt_1'), { timestamp });
    await deliver(port, event('evt_1'));
    await deliver(port, event('evt_2'), { key: 'whsec_other' });
    await send(port, 'PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n');
    await deliver(port, event('evt_2', 'webhook.ping'));
    const run = await ended;
    expect(run.code).toBe(0);
    const time = expect.stringMatching(/^\d\d:\d\d:\d\d$/);
    const parts = lines(run.stdout).map((line) => line.split('  '));
    expect(parts).toEqual([
      [time, 'evt_1', 'summary.completed', 'valid', 'age 0 s', '-> 204'],
      [time, 'evt_1', 'summary.completed', 'valid', expect.stringMatching(/^age/), 'duplicate', '-> 204'],
      [time, '-', '-', 'INVALID signature_mismatch', 'from 127.0.0.1', '101 B', '-> 401'],
      [time, '-', '-', 'REFUSED wrong_method', 'from 127.0.0.1', 'PUT /x', '-> 405'],
      [time, 'evt_2', 'webhook.ping', 'valid', expect.stringMatching(/^age/), '-> 204'],
    ]);
    expect(lines(run.stderr)).toEqual([
      `listening on http://127.0.0.1:${port}/  verify: on (1 secret)`,
      '4 deliveries: 3 valid (1 duplicate), 1 invalid, 1 other request refused',
    ]);
  });

  it('has objects with all fields in ndjson', async () => {
    const home = temporaryHome();
    const { port, ended } = await listen(
      ['--count', '1', '-o', 'ndjson', '--secret-env', 'OLD', '--secret-env', 'NEW'],
      {
        env: { OLD: 'whsec_old', NEW: KEY },
        now: () => 1_767_225_601_234,
        home,
      },
    );
    await deliver(port, event('evt_1'), { timestamp: 1_767_225_600 });
    const run = await ended;
    const history = join(home, 'state', 'deliveries.ndjson');
    const { port: _, pid, url, ...ready } = rows(run)[0] ?? {};
    expect(ready).toEqual({ type: 'ready', forward: null, record: null, history });
    expect([pid, url]).toEqual([process.pid, `http://127.0.0.1:${port}/`]);
    expect(deliveries(run)).toEqual([
      {
        type: 'delivery',
        received_at: '2026-01-01T00:00:01.234Z',
        source: '127.0.0.1',
        status: 'valid',
        valid: true,
        signature_ok: true,
        timestamp: 1_767_225_600,
        age_s: 1,
        tolerance_s: 300,
        event_id: 'evt_1',
        event_type: 'summary.completed',
        secret_index: 1,
        body_bytes: 101,
        body_sha256: createHash('sha256').update(event('evt_1')).digest('hex'),
        notes: [],
        duplicate: false,
        forward: null,
        response: 204,
        ms: expect.any(Number),
      },
    ]);
    expect(run.stderr).toBe('');
  });

  it('is complete in every format after Ctrl-C, too', async () => {
    for (const [format, count] of [
      ['json', 4],
      ['csv', 5],
      ['id', 1],
    ] as const) {
      const { port, stop } = await listen(['-o', format]);
      await deliver(port, event('evt_1'));
      await deliver(port, event('evt_1'), { key: 'whsec_other' });
      const { code, stdout } = await stop();
      expect(code).toBe(130);
      expect(format === 'json' ? JSON.parse(stdout) : lines(stdout), format).toHaveLength(count);
      if (format === 'id') expect(stdout).toBe('evt_1\n');
    }
  });

  it('shows bodies only on request, and never invalid ones', async () => {
    const body = event('evt_1', 'summary.completed', { title: 'secret talk' });
    for (const [args, shown] of [
      [[], undefined],
      [['--show-body'], body],
    ] as const) {
      const { port, ended } = await listen(['--count', '1', '-o', 'ndjson', ...args]);
      await deliver(port, body, { key: 'whsec_other' });
      await deliver(port, body);
      const [bad, good] = deliveries(await ended);
      expect([good?.body, bad?.body]).toEqual([shown, undefined]);
      expect(bad).toMatchObject({ event_id: null, event_type: null, status: 'signature_mismatch' });
    }
  });

  it('escapes the text of events', async () => {
    const args = ['--count', '1', '--show-body'];
    for (const format of ['table', 'ndjson', 'csv', 'tsv']) {
      const { port, ended } = await listen([...args, '-o', format], { terminal: 80 });
      const headers = ['X-Service-Event: \x9b31m\x85'];
      await deliver(port, event(HOSTILE, HOSTILE), { key: 'whsec_other' });
      await send(port, `GET /\x9b31m HTTP/1.1\r\nHost: a\r\n\r\n`);
      await deliver(port, event(`evt_${HOSTILE}`, HOSTILE), { headers });
      const { stdout, stderr } = await ended;
      expect((stdout + stderr).replaceAll(/\x1b\[\d+m/g, '')).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
      expect(stdout).toContain('evt_');
    }
  });
});

describe('the end of svc webhooks listen', () => {
  it('exits 9 after --wait', async () => {
    // Not listen(), which waits for the ready file: the wait may be over before that is seen.
    const { code, stderr } = await svc(['webhooks', 'listen', '--port', '0', '--count', '1', '--wait', '20ms'], {
      env: SECRET,
    });
    expect(code).toBe(9);
    expect(stderr).toMatch(/^listening on .*\n0 deliveries/);
  });

  it('exits 1 after the first invalid delivery with --fail-on-invalid', async () => {
    const { port, ended } = await listen(['--fail-on-invalid']);
    await deliver(port, event('evt_1'));
    expect((await deliver(port, event('evt_2'), { key: 'whsec_other' })).status).toBe(401);
    expect((await ended).code).toBe(1);
  });
});

it('svc webhooks listen warns that other machines can connect', async () => {
  const { stop } = await listen(['--host', '0.0.0.0']);
  expect((await stop()).stderr).toContain('warning: other machines can reach this address');
});

describe('the ready file of svc webhooks listen', () => {
  it('replaces that of an earlier listener, and is deleted at the end', async () => {
    const { readyFile, port, stop } = await listen([]);
    const left = readFileSync(readyFile, 'utf8');
    expect(JSON.parse(left)).toEqual({ port, url: `http://127.0.0.1:${port}/`, pid: process.pid });
    await stop();
    expect(existsSync(readyFile)).toBe(false);
    writeFileSync(readyFile, left);
    const argv = ['webhooks', 'listen', '--port', '0', '--ready-file', readyFile, '--wait', '20ms'];
    expect((await svc(argv, { env: SECRET })).code).toBe(9);
    expect(existsSync(readyFile)).toBe(false);
  });

  it('of another listener stays', async () => {
    const { readyFile, stop } = await listen([]);
    rmSync(readyFile);
    writeFileSync(readyFile, '{"port":1,"url":"http://a/","pid":1}\n');
    await stop();
    expect(existsSync(readyFile)).toBe(true);
  });
});
