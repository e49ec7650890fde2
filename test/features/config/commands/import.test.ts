/** `svc config import amtool`: what becomes a setting, where secrets go, and that svc then reaches what amtool reaches. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it, test } from 'vitest';
import { startAlertmanager } from '../../../support/alertmanager.ts';
import { Authority } from '../../../support/certificates.ts';
import { AMTOOL_RELEASES, amtoolBinary } from '../../../support/peers.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { svc, temporaryHome } from '../../../support/svc.ts';

interface Row {
  readonly from: string;
  readonly key: string | null;
  readonly value: string | null;
  readonly note: string | null;
}

/** Files of amtool in a home of their own. */
function setUp(config: string, http?: string) {
  const home = temporaryHome();
  const path = join(home, '.config/amtool/config.yml');
  const httpPath = join(home, '.config/amtool/http.yml');
  write(path, http === undefined ? config : `${config}\nhttp.config.file: ${httpPath}\n`);
  if (http !== undefined) write(httpPath, http);
  const run = (argv: readonly string[]) => svc(argv, { home, env: { HOME: home } });
  return {
    home,
    path,
    run,
    rows: async (...more: string[]): Promise<Row[]> => {
      const { code, stdout, stderr } = await run([
        'config',
        'import',
        'amtool',
        '--profile',
        'am',
        ...more,
        '-o',
        'json',
      ]);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      return JSON.parse(stdout) as Row[];
    },
    settings: (): Record<string, string> => {
      const file = join(home, 'config/settings.json');
      return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).profiles['am'] : {};
    },
  };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const importedKeys = (rows: readonly Row[]) => rows.flatMap(({ key }) => key ?? []);

describe('svc config import amtool', () => {
  it("imports amtool's configuration, and says what it left out and why", async () => {
    const { rows, settings } = setUp(
      'alertmanager.url: "http://am.example.com:9093/am"\nauthor: ann\ncomment_required: true\noutput: extended\ntimeout: 1m30s\ndate.format: x\nreceivers: [a]\n',
    );
    const found = await rows();
    expect(settings()).toEqual({
      'alerts.url': 'http://am.example.com:9093/am',
      'alerts.author': 'ann',
      output: 'wide',
      timeout: '1m30s',
    });
    const left = found.filter(({ key }) => key === null);
    expect(left.map(({ from }) => from)).toEqual(['comment_required', 'date.format', 'receivers']);
    for (const { note } of left) expect(note).toMatch(/\w/);
  });

  it('imports the paths and the proxy of the HTTP client file, and leaves out its headers', async () => {
    const { home, rows, settings } = setUp(
      'alertmanager.url: http://am.example.com',
      `
basic_auth: {username: ops, password_file: pw}
tls_config: {ca_file: /etc/ca.pem, cert_file: /etc/cert.pem, key_file: /etc/key.pem, insecure_skip_verify: true}
proxy_url: socks5://proxy.example.com:1080
http_headers:
  X-Api-Key: {values: [key-0123456789]}
  X-Trace: {secrets: [trace-0123456789]}
oauth2: {client_id: a, client_secret: secret-0123456789}
follow_redirects: true
proxy_from_environment: true
`,
    );
    const found = await rows();
    expect(settings()).toEqual({
      'alerts.url': 'http://am.example.com',
      'alerts.user': 'ops',
      'alerts.passwordFile': join(home, '.config/amtool/pw'),
      cacert: '/etc/ca.pem',
      cert: '/etc/cert.pem',
      key: '/etc/key.pem',
      proxy: 'socks5://proxy.example.com:1080',
    });
    expect(found.filter(({ key }) => key === null).map(({ from }) => from)).toEqual([
      'tls_config.insecure_skip_verify',
      'http_headers.X-Api-Key.values',
      'http_headers.X-Trace.secrets',
      'oauth2.client_id',
      'oauth2.client_secret',
      'follow_redirects',
      'proxy_from_environment',
    ]);
    expect(JSON.stringify(found)).not.toContain('0123456789');
  });

  it.each([
    ['a password', 'basic_auth: {username: ops, password: "secret 0123"}', 'alerts.passwordFile'],
    ['a bearer token', 'bearer_token: secret-0123', 'alerts.tokenFile'],
  ])('leaves out %s, and says where a secret belongs', async (_what, http, key) => {
    const { rows, settings } = setUp('alertmanager.url: http://am.example.com', http);
    const found = await rows();
    expect(found.at(-1)).toMatchObject({ key: null, note: `write the secret into a file, and set ${key}` });
    expect(settings()).not.toHaveProperty(key);
    expect(JSON.stringify([found, settings()])).not.toMatch(/secret.0123/);
  });

  it("uses amtool's default address if the file has none, and the file of Debian last", async () => {
    const { home, rows, settings } = setUp('author: ann');
    await rows();
    expect(settings()).toEqual({ 'alerts.url': 'http://localhost:9093/', 'alerts.author': 'ann' });
    write(join(home, '.config/prometheus/amtool.yml'), 'author: bob\nalertmanager.url: http://debian.example.com\n');
    await rows('--yes');
    expect(settings()).toEqual({ 'alerts.url': 'http://debian.example.com', 'alerts.author': 'ann' });
  });

  it('imports the user from the address, and leaves out what svc would refuse, without showing it', async () => {
    const { rows, settings } = setUp(
      'alertmanager.url: "http://ops:p%40ss-0123@am.example.com/am"\ntimeout: 5\noutput: xml',
      `proxy_url: http://ops:secret-0123@proxy.example.com:3128
tls_config: {key: "-----BEGIN PRIVATE KEY-----"}
authorization: {type: GenieKey, credentials: secret-0123}
`,
    );
    const found = await rows();
    expect(importedKeys(found)).toEqual(['alerts.url', 'alerts.user']);
    expect(settings()).toEqual({ 'alerts.url': 'http://am.example.com/am', 'alerts.user': 'ops' });
    expect(JSON.stringify(found)).not.toMatch(/0123|BEGIN/);
    const noteOf = (name: string) => found.find(({ from }) => from === name)?.note;
    expect(noteOf('proxy_url')).toContain('ALL_PROXY');
    expect(noteOf('authorization.credentials')).toBe('svc has no such setting');
  });

  it('asks before it replaces a value of the profile, or its other credential', async () => {
    const { rows, run, settings } = setUp('alertmanager.url: http://am.example.com', 'bearer_token_file: /etc/token');
    await run(['config', 'set', 'alerts.tokenCommand', 'pass', '--profile', 'am']);
    await run(['config', 'set', 'alerts.url', 'http://other.example.com', '--profile', 'am']);
    const refused = await run(['config', 'import', 'amtool', '--profile', 'am']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(refused.stderr).toContain('Replace alerts.tokenCommand, alerts.url of profile am?');
    await rows('--dry-run');
    expect(settings()['alerts.url']).toBe('http://other.example.com');
    await rows('--yes');
    await rows();
    expect(settings()).toEqual({ 'alerts.url': 'http://am.example.com', 'alerts.tokenFile': '/etc/token' });
  });

  it.each([
    ['a list without its end', 'a: [secret-0123', 'line 1'],
    ['a mapping too deep for the stack', `a: {b: ${'e: '.repeat(60_000)}\n`, 'line 1: not valid YAML'],
    ['no mapping', 'secret-0123', 'not a YAML mapping'],
    ['two credentials', 'http.config.file: TWO', 'two credentials'],
    ['a file that is missing', 'http.config.file: /missing/http.yml', 'cannot read /missing/http.yml'],
  ])('refuses %s, and changes nothing', async (_what, text, why) => {
    const { home, path, run, settings } = setUp('');
    write(
      join(home, 'two.yml'),
      'basic_auth: {username: a, password_file: /secret-0123}\nbearer_token_file: /secret-0123',
    );
    write(path, text.replace('TWO', join(home, 'two.yml')));
    const { code, stdout, stderr } = await run(['config', 'import', 'amtool', path, '--profile', 'am']);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(why) });
    expect(stderr).not.toContain('secret-0123');
    expect(settings()).toEqual({});
  });

  it('names the paths where amtool searches for a file', async () => {
    const home = temporaryHome();
    const { code, stderr } = await svc(['config', 'import', 'amtool'], { home, env: { HOME: home } });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`${home}/.config/amtool/config.yml`) });
  });

  it('makes svc use the proxy of the profile, but not for loopback, and not where a variable names another', async () => {
    await using proxy = await faultServer((socket) => socket.write(answer(200, '[]')));
    await using other = await faultServer((socket) => socket.write(answer(200, '[]')));
    const { run, rows, home } = setUp('alertmanager.url: http://am.example.com', `proxy_url: ${proxy.url}`);
    await rows();
    const list = ['silences', 'list', '--profile', 'am'];
    expect(await run(list)).toMatchObject({ code: 0 });
    expect(proxy.requests.map(({ path }) => path)).toEqual(['http://am.example.com/api/v2/silences']);
    await svc(list, { home, env: { http_proxy: other.url } });
    await run([...list, '--base-url', other.url]);
    expect([proxy.requests.length, other.requests.length]).toEqual([1, 2]);
  });
});

describe.each(AMTOOL_RELEASES)('Alertmanager %s', (release) => {
  const authority = new Authority();
  afterAll(() => authority.remove());
  const peer = amtoolBinary(release);

  test.skipIf(peer === undefined)(
    'a route prefix, client certificates and basic authentication: svc reaches what amtool reaches',
    async () => {
      const server = authority.save(authority.sign('IP:127.0.0.1'));
      const client = authority.save(authority.sign('DNS:client'));
      const { url, stop } = await startAlertmanager({
        release,
        args: ['--web.route-prefix=/am'],
        webConfig: `
tls_server_config: {cert_file: ${server.certFile}, key_file: ${server.keyFile}, client_ca_file: ${authority.file}, client_auth_type: RequireAndVerifyClientCert}
basic_auth_users: {operator: "$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e"}
`,
      });
      try {
        const home = temporaryHome();
        const folder = join(home, '.config/prometheus');
        write(
          join(folder, 'amtool.yml'),
          `alertmanager.url: ${url}/am\nhttp.config.file: ${folder}/http.yml\nauthor: ann\n`,
        );
        write(
          join(folder, 'http.yml'),
          `basic_auth: {username: operator, password_file: ${folder}/password}
tls_config: {ca_file: ${authority.file}, cert_file: ${client.certFile}, key_file: ${client.keyFile}}
`,
        );
        write(join(folder, 'password'), 'correct horse\n');
        const env = { HOME: home };
        const amtool = (...argv: string[]): string =>
          execFileSync(peer?.command ?? '', argv, { encoding: 'utf8', env: { ...process.env, ...peer?.env, ...env } });
        const id = amtool('silence', 'add', 'job=db', '-c', 'x').trim();
        const refused = await svc(['silences', 'list', '--base-url', `${url}/am`], { home, env });
        expect(refused.code).toBe(7);
        expect(await svc(['config', 'import', 'amtool', '--profile', 'am'], { home, env })).toMatchObject({ code: 0 });
        const run = await svc(['silences', 'list', '--profile', 'am', '-o', 'json'], { home, env });
        expect({ code: run.code, ids: JSON.parse(run.stdout) }).toMatchObject({
          code: 0,
          ids: [{ id, createdBy: 'ann' }],
        });
        const created = await svc(['silences', 'create', 'job=web', '-c', 'y', '--profile', 'am', '-q'], { home, env });
        expect(amtool('silence', 'query', '-q').trim().split('\n').sort()).toEqual([id, created.stdout.trim()].sort());
      } finally {
        await stop();
      }
    },
  );
});
