/** How a configured Alertmanager, or a proxy in front of it, affects clients. */
import { once } from 'node:events';
import http from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { getJson, wire } from '../../../support/alertmanager.ts';
import { starter, WEB_CONFIG } from '../../../support/alertmanagers.ts';
import { fileAuthority } from '../../../support/certificates.ts';
import { ALERTMANAGER_RELEASES, alertmanagerBinary } from '../../../support/peers.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { failure, svc } from '../../../support/svc.ts';

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

const { authority, pair } = fileAuthority('IP:127.0.0.1');
const release = ALERTMANAGER_RELEASES.findLast((one) => alertmanagerBinary(one) !== undefined);

/** The newest that is there: the other tests run on the oldest. */
describe.skipIf(release === undefined)(`a server of version ${release}`, () => {
  const start = starter(release ?? '');

  it('below a route prefix is reached by the prefix in the address, and only so', async () => {
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

  it('with basic authentication takes the user and the password of the environment', async () => {
    const url = await start({ webConfig: WEB_CONFIG });
    const env = { SVC_ALERTS_URL: url, SVC_ALERTS_USER: 'operator', SVC_ALERTS_PASSWORD: 'correct horse' };
    for (const [code, ...argv] of COMMANDS) {
      const run = await svc([...argv, '--debug'], { env });
      expect(run.code).toBe(code);
      expect(run.stderr).not.toContain('correct horse');
      expect(run.stderr).not.toContain(Buffer.from('operator:correct horse').toString('base64'));
    }
  });

  it.each([
    ['no credential', {}, 'requires a credential: '],
    ['a wrong password', { SVC_ALERTS_USER: 'operator', SVC_ALERTS_PASSWORD: 'wrong' }, 'refused the credential: '],
    ['a token', { SVC_ALERTS_TOKEN: 'wrong' }, 'refused the credential: '],
  ])('with basic authentication refuses %s with exit 4', async (_, env, text) => {
    const url = await start({ webConfig: WEB_CONFIG });
    for (const [, ...argv] of COMMANDS) {
      const run = await svc([...argv, '-o', 'json'], { env: { SVC_ALERTS_URL: url, ...env } });
      expect([run.code, run.stdout]).toEqual([4, '']);
      expect(failure(run)).toMatchObject({ code: 'unauthorized', http_status: 401 });
      expect(failure(run).hint).toContain('SVC_ALERTS_PASSWORD');
      expect(failure(run).message).toContain(text);
      expect(run.stderr).not.toMatch(/wrong"|d3Jvbmc/);
    }
  });

  it('with too many reads at once fails a read with exit 7 and the limit, and takes a write', async () => {
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
    await vi.waitFor(async () => expect((await wire(url, '/api/v2/status')).status).toBe(200), 20_000);
    expect((await svc(['alerts', 'list', '--base-url', url])).code).toBe(0);
  });

  it('refuses matchers of more than a mebibyte with exit 3', async () => {
    const url = await start({});
    const long = (length: number) =>
      svc(['alerts', 'list', `a=${'x'.repeat(length)}`, '--base-url', url, '-o', 'json']);
    expect((await long(1_000_000)).code).toBe(0);
    const run = await long(1_100_000);
    expect([run.code, run.stdout]).toEqual([3, '']);
    expect(failure(run)).toMatchObject({ http_status: 431, hint: expect.stringContaining('too long') });
    expect(run.stderr.length).toBeLessThan(2000);
  });

  it.runIf((release ?? '') >= '0.28')('with a limit of silences refuses more with exit 6', async () => {
    const url = await start({ args: ['--silences.max-silences=3', '--silences.max-silence-size-bytes=400'] });
    const create = (value: string, comment = 'why') =>
      svc(['silences', 'create', `limit=${value}`, '-c', comment, '--base-url', url]);
    const silences = () => getJson<unknown[]>(url, '/api/v2/silences');
    const large = await create('large', 'x'.repeat(400));
    expect([large.code, large.stderr]).toEqual([6, expect.stringContaining('exceeded maximum size')]);
    // Some releases count the silence that they refused.
    for (let count = (await silences()).length; count < 3; count++) expect((await create(`${count}`)).code).toBe(0);
    const before = await silences();
    const { code, stderr } = await create('more');
    expect([code, stderr]).toEqual([6, expect.stringContaining('exceeded maximum number of silences')]);
    expect(await silences()).toEqual(before);
  });

  it('of TLS gets the certificate of the client, and is named where the address has http', async () => {
    const { certFile, keyFile } = authority.save(pair);
    const files = `cert_file: ${certFile}, key_file: ${keyFile}, client_ca_file: ${authority.file}`;
    const url = await start({
      webConfig: `tls_server_config: { ${files}, client_auth_type: RequireAndVerifyClientCert }`,
    });
    const list = (...argv: string[]) => svc(['alerts', 'list', '--base-url', url, '--cacert', authority.file, ...argv]);
    expect((await list('--cert', certFile, '--key', keyFile)).code).toBe(0);
    const none = await list();
    expect([none.code, none.stderr]).toEqual([7, expect.stringContaining('requires a client certificate')]);
    const half = await list('--cert', certFile);
    expect([half.code, half.stderr]).toEqual([2, expect.stringContaining('--cert is given without --key')]);
    const plain = await svc(['alerts', 'create', 'A', '--base-url', url.replace('https:', 'http:'), '-o', 'json']);
    expect(plain.code).toBe(7);
    expect(failure(plain)).toMatchObject({ code: 'tls_failed', hint: 'write the address with https://' });
  });
});

describe('a proxy in front of the server', () => {
  const html = { 'content-type': 'text/html; charset=utf-8' };
  const LOGIN = answer(200, '<!doctype html><html><title>Sign in</title>', html);

  it('that shows a login page fails a read with exit 7 and a write with exit 8', async () => {
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

  it('that redirects to a login is not followed', async () => {
    await using server = await faultServer((socket) =>
      socket.write(answer(302, '', { location: 'https://login.example/?next=%2F&token=secret1234' })),
    );
    const run = await svc(['alerts', 'list', '--base-url', server.url, '-o', 'json']);
    expect([run.code, failure(run).code, server.requests.length]).toEqual([3, 'redirected', 1]);
    expect(failure(run).message).toContain('login.example');
    expect(run.stderr).not.toContain('secret1234');
  });
});
