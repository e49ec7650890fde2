/** What a failing server, or a proxy in front of it, is reported as. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startAlertmanagerEmulator } from '../../../../src/sandbox/alerts/server.ts';
import { startAlertmanager } from '../../../support/alertmanager.ts';
import { describeRealServers } from '../../../support/alertmanagers.ts';
import { Authority } from '../../../support/certificates.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { failure, svc } from '../../../support/svc.ts';
import { wireAlert } from './scripted.ts';
import { printed } from './service.ts';

const TEXT = { 'content-type': 'text/plain; charset=utf-8' };
const HTML = { 'content-type': 'text/html' };

describe('an error text in a 200', () => {
  it.each([
    ['error: no such tenant', TEXT, 'says: error: no such tenant'],
    ['error: no such tenant', {}, 'says: error: no such tenant'],
    ['"no such tenant"', {}, 'says: no such tenant'],
    ['{"status":"error","error":"tenant not found"}', {}, 'says: tenant not found'],
    ['{"error":{"code":7,"message":"tenant not found"}}', {}, 'says: tenant not found'],
    ['{"message":"tenant not found"}', {}, 'says: tenant not found'],
    ['<html><head><title>Sign in - Okta</title>', HTML, 'an HTML page, "Sign in - Okta"'],
    ['<!doctype html><title>Sign in - Okta</title>', {}, 'an HTML page, "Sign in - Okta"'],
  ])('%s (%j)', async (body, headers, text) => {
    await using server = await faultServer((socket) => socket.write(answer(200, body, headers)));
    for (const argv of [
      ['alerts', 'list'],
      ['alerts', 'list', '-a', '--older-than', '1h'],
      ['alerts', 'groups'],
      ['alerts', 'status'],
      ['alerts', 'check'],
    ]) {
      const run = await svc([...argv, '--base-url', server.url, '-o', 'json']);
      // JSON of another shape is not worth repeating.
      const isJson = body.startsWith('{') || (body.startsWith('"') && argv[1] === 'status');
      expect([argv, run.code, run.stdout]).toEqual([argv, isJson ? 3 : 7, '']);
      expect(failure(run).message).toContain(text);
      expect(failure(run).message).toMatch(
        /^the service answered 200, but the response cannot be used: .* \(GET http:[^ ]+\)$/,
      );
    }
  });

  it('shows neither JSON without an error text nor a credential that comes back', async () => {
    await using server = await faultServer((socket, { headers }) =>
      socket.write(answer(200, `no: ${headers['authorization']}`, TEXT)),
    );
    const run = await svc(['alerts', 'list'], { env: { SVC_ALERTS_URL: server.url, SVC_ALERTS_TOKEN: 'tok3n-7777' } });
    expect(run.code).toBe(7);
    expect(run.stderr).toContain('says: no: ');
    expect(run.stderr).not.toContain('tok3n-7777');
    await using other = await faultServer((socket) => socket.write(answer(200, '{"data":[{"key":"v4lue"}]}')));
    expect((await svc(['alerts', 'list', '--base-url', other.url])).stderr).not.toContain('v4lue');
  });
});

describe('an alert without some of its fields', () => {
  const [good, other] = [wireAlert('a'), wireAlert('b', { team: 'x' })];
  const { status, annotations: _a, receivers: _r, updatedAt: _u, endsAt: _e, ...fields } = other;
  const SPARSE = [
    { ...other, status: { state: 'active', silencedBy: [] } },
    { ...other, status: { state: 'active' } },
    { ...other, status: { state: 'active', silencedBy: null, inhibitedBy: null }, receivers: null, annotations: null },
    { ...fields, status, new: { field: [1] } },
    { ...other, status: { ...status, mutedBy: null }, updatedAt: 7, endsAt: null, generatorURL: { a: 1 } },
    { ...other, labels: { alertname: 'Alertb', port: 9093, none: null }, annotations: [], receivers: [{ name: null }] },
  ];

  it.each(SPARSE)('lists %j with the others', async (sparse) => {
    await using server = await faultServer((socket, { path }) =>
      socket.write(
        answer(
          200,
          JSON.stringify(
            path.includes('/groups')
              ? [{ labels: {}, receiver: { name: 'ops' }, alerts: [good, sparse] }]
              : [good, sparse],
          ),
        ),
      ),
    );
    const run = (...argv: string[]) => svc(['alerts', ...argv, '--base-url', server.url]);
    for (const format of ['table', 'wide', 'json', 'ndjson', 'csv', 'yaml']) {
      const { code, stdout } = await run('list', '--limit', '9', '-o', format);
      expect([code, stdout]).toEqual([0, expect.stringContaining('Alertb')]);
    }
    const listed = printed<object[]>(await run('list', '--limit', '9', '-o', 'json'));
    expect(listed).toMatchObject([good, 'new' in sparse ? { new: { field: [1] } } : {}]);
    expect((await run('groups', '--columns', 'active', '-o', 'tsv', '--no-headers')).stdout).toBe('2\n');
    expect((await run('get', 'b')).code).toBe(0);
    expect((await run('check', '--max', '2')).code).toBe(0);
  });

  it('names the item and the field if a required one is missing', async () => {
    const { labels: _, ...bare } = other;
    for (const [item, text] of [
      [bare, 'item 2: labels is missing'],
      [{ ...other, status: { silencedBy: [] } }, 'item 2: status.state is missing'],
      [{ ...other, fingerprint: null }, 'item 2: fingerprint: expected a text'],
      [{ ...other, labels: ['a'] }, 'item 2: labels: must be an object of strings'],
    ] as const) {
      await using server = await faultServer((socket) => socket.write(answer(200, JSON.stringify([good, item]))));
      const { code, stdout, stderr } = await svc(['alerts', 'list', '-q', '--base-url', server.url]);
      expect([code, stdout, stderr]).toEqual([10, `${good.fingerprint}\n`, expect.stringContaining(text)]);
    }
  });
});

it('an error first says what failed, and the request last', async () => {
  const argv = ['alerts', 'list', '--base-url', 'http://127.0.0.1:9'];
  expect((await svc(argv)).stderr).toMatch(
    /^svc: nothing listens at 127\.0\.0\.1:9 \(GET http:\/\/127\.0\.0\.1:9\/api\/v2\/alerts\?/,
  );
  await using server = await faultServer((socket) => socket.write(answer(503, '"overloaded"')));
  const { stderr } = await svc(['alerts', 'create', 'A', '--base-url', server.url]);
  expect(stderr).toMatch(/^svc: the service answered 503: overloaded; it may have been applied \(POST http:/);
});

it('--limit 0 sends no request, and reports nothing as missing', async () => {
  await using server = await faultServer((socket) => socket.write(answer(200, JSON.stringify([wireAlert('a')]))));
  const { code, stderr } = await svc(['alerts', 'list', '--limit', '0', '--base-url', server.url]);
  expect(code).toBe(0);
  expect(stderr).not.toContain('no active alerts match');
});

it('a non-ASCII name', async () => {
  const { url, close } = await startAlertmanagerEmulator({ now: () => Date.now() });
  for (const name of ['Ünïcode', '磁盘已满', 'Disk full']) {
    expect((await svc(['alerts', 'create', name, '--for', '1h', '--base-url', url])).code).toBe(0);
    const run = await svc(['alerts', 'list', name, '--base-url', url, '-o', 'json']);
    expect(printed(run)).toMatchObject([{ labels: { alertname: name } }]);
  }
  await close();
});

describeRealServers(({ release }) => {
  it('plain http to its port for TLS: svc says to write https', async () => {
    const { cert, key } = new Authority().selfSigned();
    const directory = mkdtempSync(join(tmpdir(), 'svc-am-tls-'));
    writeFileSync(join(directory, 'cert.pem'), cert);
    writeFileSync(join(directory, 'key.pem'), key, { mode: 0o600 });
    const files = `{ cert_file: ${directory}/cert.pem, key_file: ${directory}/key.pem }`;
    const { url, stop } = await startAlertmanager({ release, webConfig: `tls_server_config: ${files}` });
    try {
      for (const argv of [['list'], ['create', 'A']]) {
        const plain = url.replace('https:', 'http:');
        const run = await svc(['alerts', ...argv, '--base-url', plain, '-o', 'json']);
        expect(run.code).toBe(7);
        expect(failure(run)).toMatchObject({ code: 'tls_failed', hint: 'write the address with https://' });
      }
    } finally {
      await stop();
      rmSync(directory, { recursive: true });
    }
  });
});
