/** The examination of everything: each cause is named as what it is, on this machine and on the way to each service. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Finding } from '../../../../src/cli/findings.ts';
import { type Sandbox, startSandbox } from '../../../../src/sandbox/sandbox.ts';
import { Authority } from '../../../support/certificates.ts';
import { answer, type Fault, faultServer } from '../../../support/servers.ts';
import { type Run, svc, temporaryHome } from '../../../support/svc.ts';

const SECRET = 'SECRET-f00dfacecafe';
const found = ({ stdout }: Run, check: string, subject: string | null = null): Finding | undefined =>
  (JSON.parse(stdout) as Finding[]).find((one) => one.check === check && one.subject === subject);
const fail = ({ stdout }: Run): string[] =>
  (JSON.parse(stdout) as Finding[]).filter(({ status }) => status === 'fail').map(({ check }) => check);

interface Options {
  readonly home?: string;
  readonly args?: readonly string[];
}

function examine(
  env: Record<string, string | undefined>,
  { home = temporaryHome(), args = [] }: Options = {},
): Promise<Run> {
  return svc(['doctor', '-o', 'json', ...args], { env, home });
}

const STATUS = {
  versionInfo: { version: '0.27.0' },
  cluster: { status: 'ready' },
  config: { original: '' },
  uptime: '',
};
const healthy: Fault = (socket) => socket.write(answer(200, JSON.stringify(STATUS)));

describe('svc doctor with all four services', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ now: Date.now, random: Math.random });
  });
  afterAll(() => sandbox.close());

  test('shows each step on one line, exits 0, and prints no secret', async () => {
    const run = await examine(sandbox.env);
    expect([run.code, run.stderr, fail(run)]).toEqual([0, '', []]);
    for (const service of ['alerts', 'webhooks', 'catalog']) {
      for (const check of ['address', 'sign-in', 'service', 'clock']) {
        expect(found(run, check, service), `${service} ${check}`).toMatchObject({ status: 'ok', fix: null });
      }
    }
    for (const check of ['service', 'clock']) {
      expect(found(run, check, 'trade'), check).toMatchObject({ status: 'ok' });
    }
    const shown = await svc(['doctor', '--color', 'never'], { env: sandbox.env, terminal: 40 });
    expect(shown.stderr).toMatch(/^0 errors, \d+ warnings?, \d+ ok\n$/);
    for (const name of ['SVC_WEBHOOKS_TOKEN', 'SVC_TRADE_TOKEN']) {
      expect(run.stdout + shown.stdout).not.toContain(sandbox.env[name]);
    }
    expect(shown.stdout.split('\n').filter((line) => line.length > 40 && !line.includes('://'))).toEqual([]);
  });

  test('shows the accounts of the gateway, and when its market is open', async () => {
    const at = async (now: number) => {
      const run = await svc(['doctor', 'trade', '-o', 'json'], { env: sandbox.env, now: () => now });
      expect([run.code, found(run, 'sign-in', 'trade')?.detail]).toEqual([0, 'from SVC_TRADE_TOKEN']);
      return found(run, 'service', 'trade')?.detail;
    };
    const accounts = '^responded in \\d+ ms with 2 accounts: 654061, 654062';
    expect(await at(Date.UTC(2026, 0, 14, 12))).toMatch(
      new RegExp(`${accounts}; forex is traded until 2026-01-16T21:55Z$`),
    );
    expect(await at(Date.UTC(2026, 0, 17, 12))).toMatch(
      new RegExp(`${accounts}; forex usually opens at 2026-01-18T22:00Z$`),
    );
  });

  test('asks only the services that are named, and none with --offline', async () => {
    const run = await examine(sandbox.env, { args: ['catalog', '--offline', '-v'] });
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(found(run, 'service', 'catalog')).toMatchObject({ status: 'skipped' });
    expect(run.stdout).not.toContain('"alerts"');
    expect(await svc(['doctor', 'catalgo'])).toMatchObject({ code: 2, stdout: '' });
  });

  test('reports a token that a service refuses, without the token', async () => {
    const run = await examine({ ...sandbox.env, SVC_TRADE_TOKEN: SECRET, SVC_WEBHOOKS_TOKEN: SECRET });
    expect([run.code, fail(run)]).toEqual([1, ['service', 'service']]);
    expect(found(run, 'service', 'trade')?.detail).toContain('refused the token');
    expect(found(run, 'service', 'webhooks')?.detail).toContain('rejected the credential');
    expect(run.stdout).not.toContain(SECRET);
  });

  test('sends no requests to a service without a sign-in', async () => {
    const env = { ...sandbox.env, SVC_TRADE_TOKEN: undefined, SVC_WEBHOOKS_TOKEN: undefined };
    const run = await examine(env);
    expect([run.code, fail(run)]).toEqual([1, ['sign-in', 'sign-in']]);
    expect(found(run, 'sign-in', 'webhooks')?.fix).toBe('svc oauth login');
    expect(found(run, 'sign-in', 'trade')?.fix).toBe('svc trade login');
    expect(found(run, 'service', 'trade')?.status).toBe('skipped');
  });
});

describe('svc doctor on the way to a service', () => {
  let authority: Authority;
  beforeAll(() => {
    authority = new Authority();
  });
  afterAll(() => authority.remove());

  const at = (url: string, env: Record<string, string> = {}, args: readonly string[] = ['alerts']): Promise<Run> =>
    examine({ SVC_ALERTS_URL: url, ...env }, { args });

  test('reports a certificate that is not trusted, and sends nothing', async () => {
    for (const { pair, status, detail } of [
      { pair: authority.sign('IP:127.0.0.1', -1), status: 'fail', detail: /has expired/ },
      { pair: authority.sign('IP:127.0.0.1', 90), status: 'ok', detail: /^responded in/ },
    ]) {
      await using server = await faultServer(healthy, { tls: pair });
      const run = await at(server.url, { SVC_CACERT: authority.file });
      expect(found(run, 'service', 'alerts')).toMatchObject({ status, detail: expect.stringMatching(detail) });
      expect([run.code, server.requests.length > 0]).toEqual(status === 'fail' ? [1, false] : [0, true]);
    }
  });

  test.each([
    ['401', answer(401, '"no"'), 'requires a credential'],
    ['a wrong path', answer(404, '<html></html>', { 'content-type': 'text/html' }), 'does not know'],
    ['another service', answer(200, '{"hello":1}'), 'cannot be used'],
  ])('reports a response that indicates %s', async (_, bytes, detail) => {
    await using server = await faultServer((socket) => socket.write(bytes));
    const run = await at(server.url);
    expect([run.code, fail(run)]).toEqual([1, ['service']]);
    expect(found(run, 'service', 'alerts')?.detail).toContain(detail);
  });

  test.each<[string, string, RegExp, Record<string, string>]>([
    ['a closed port', 'http://127.0.0.1:9', /nothing listens at 127\.0\.0\.1:9/, {}],
    ['an unknown host', 'http://no-such-host.invalid', /no-such-host\.invalid/, {}],
    [
      'a proxy that cannot be reached',
      'https://am.example',
      /the proxy 127\.0\.0\.1:9 could not be reached/,
      { https_proxy: `http://ann:${SECRET}@127.0.0.1:9` },
    ],
  ])('reports %s', async (_, url, detail, env) => {
    const run = await at(url, env);
    expect([run.code, fail(run)]).toEqual([1, ['service']]);
    expect(found(run, 'service', 'alerts')?.detail).toMatch(detail);
    expect(run.stdout).not.toContain(SECRET);
  });

  test('reports a silent server after the timeout, and a wrong clock', async () => {
    await using silent = await faultServer(() => {});
    const late = await at(silent.url, {}, ['alerts', '--timeout', '300ms']);
    expect([late.code, fail(late)]).toEqual([1, ['service']]);
    const ahead = new Date(Date.now() + 600_000).toUTCString();
    await using server = await faultServer((socket) =>
      socket.write(answer(200, JSON.stringify(STATUS), { date: ahead })),
    );
    const skewed = await at(server.url);
    expect(skewed.code).toBe(0);
    expect(found(skewed, 'clock', 'alerts')).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('behind'),
    });
  });

  test.each([
    ['4', '0{"sid":"abc","upgrades":[]}', 'Engine.IO 4'],
    ['of another kind', 'hello', 'does not follow the Engine.IO protocol'],
  ])('reports a gateway that speaks Engine.IO %s', async (_, body, detail) => {
    await using server = await faultServer((socket) =>
      socket.write(answer(200, body, { 'content-type': 'text/plain' })),
    );
    const run = await examine({ SVC_TRADE_URL: server.url, SVC_TRADE_TOKEN: SECRET }, { args: ['trade'] });
    expect([run.code, fail(run)]).toEqual([1, ['service']]);
    expect(found(run, 'service', 'trade')?.detail).toContain(detail);
    expect(run.stdout).not.toContain(SECRET);
  });
});

describe('svc doctor on this machine', () => {
  const config = (files: Record<string, string>): string => {
    const home = temporaryHome();
    mkdirSync(join(home, 'config'), { mode: 0o700 });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(home, 'config', name), text, { mode: 0o600 });
    return home;
  };

  test('skips services without configuration, unless one is named', async () => {
    const run = await examine({});
    expect([run.code, run.stderr]).toEqual([0, '']);
    for (const name of ['alerts', 'webhooks', 'catalog', 'trade']) {
      expect(found(run, 'address', name)).toMatchObject({
        status: 'skipped',
        fix: `svc config set ${name}.url <url>`,
      });
    }
    expect(await examine({}, { args: ['trade'] })).toMatchObject({ code: 1 });
  });

  test.each([
    ['broken settings', { 'settings.json': '{"profile":' }, 'settings', null],
    ['an unknown profile', { 'settings.json': '{"profile":"prod"}' }, 'settings', null],
    ['a value of a setting', { 'settings.json': '{"profiles":{"default":{"output":"xml"}}}' }, 'setting', 'output'],
    ['broken credentials', { 'credentials.json': `{"${SECRET}` }, 'credentials', null],
    ['broken secrets', { 'webhook-secrets.json': `{"${SECRET}` }, 'secrets', null],
  ])('reports %s, and leaves them unchanged', async (_, files, check, subject) => {
    const home = config(files);
    const run = await examine({}, { home, args: ['--offline'] });
    const quiet = await svc(['doctor', '--offline', '-q'], { home });
    expect([run.code, quiet.code]).toEqual([1, 1]);
    expect(found(run, check, subject)).toMatchObject({ status: 'fail', fix: expect.stringMatching(/./) });
    expect(quiet.stdout.split('\n')).toContain(subject === null ? check : `${check}:${subject}`);
    expect(run.stdout + quiet.stdout).not.toContain(SECRET);
    expect(readdirSync(join(home, 'config'))).toEqual(Object.keys(files));
    for (const [name, text] of Object.entries(files))
      expect(readFileSync(join(home, 'config', name), 'utf8')).toBe(text);
  });

  test('reports an invalid variable, and an empty token', async () => {
    const run = await examine(
      { SVC_TIMEOUT: 'soon', SVC_CATALOG_URL: `https://u:${SECRET}@h` },
      { args: ['--offline'] },
    );
    expect(found(run, 'setting', 'timeout')).toMatchObject({ status: 'fail', fix: 'unset SVC_TIMEOUT' });
    expect(found(run, 'configuration', 'catalog')).toMatchObject({ status: 'fail' });
    expect(run.stdout).not.toContain(SECRET);
    const empty = await examine({ SVC_ALERTS_URL: 'http://127.0.0.1:9', SVC_ALERTS_TOKEN: '' });
    expect(found(empty, 'configuration', 'alerts')?.detail).toBe('SVC_ALERTS_TOKEN is set but empty');
  });

  test('reports files that others may read, and unknown keys', async () => {
    const home = config({ 'settings.json': '{"colour":"red"}' });
    chmodSync(join(home, 'config/settings.json'), 0o644);
    const run = await examine({}, { home, args: ['--offline'] });
    expect(run.code).toBe(1);
    expect(found(run, 'files', 'settings.json')).toMatchObject({
      status: 'fail',
      fix: expect.stringMatching(/^chmod 600 /),
    });
    expect(found(run, 'settings')).toMatchObject({ status: 'warn', detail: expect.stringContaining('colour') });
  });
});
