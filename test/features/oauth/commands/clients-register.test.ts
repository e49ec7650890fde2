/** Registration (RFC 7591): what is sent, what of the answer is believed, and where the one secret goes. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OidcServer, startOidc } from '../../../support/oidc.ts';
import { answer, type Fault, type FaultServer, faultServer, type Received } from '../../../support/servers.ts';
import { type Run, type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';
import { login, redirectOf, stored } from './signing-in.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-register-'));
let oidc: OidcServer;
let scripted: FaultServer;
let reply: (asked: Readonly<Record<string, unknown>>, request: Received) => string = () => '';
beforeAll(async () => {
  oidc = await startOidc();
  const fault: Fault = (socket, request) => {
    const base = scripted.url;
    if (request.method === 'POST') socket.end(reply(JSON.parse(request.body), request));
    else {
      const names = { issuer: base, authorization_endpoint: `${base}/a`, token_endpoint: `${base}/t` };
      const more = { registration_endpoint: `${base}/r`, code_challenge_methods_supported: ['S256'] };
      socket.write(answer(200, JSON.stringify({ ...names, ...more })));
    }
  };
  scripted = await faultServer(fault);
});
afterAll(async () => {
  await Promise.all([oidc.close(), scripted.close()]);
  rmSync(folder, { recursive: true });
});

const CONFIDENTIAL = ['--auth-method', 'client_secret_basic'];
const register = (url: string, args: readonly string[], options: RunOptions = {}): Promise<Run> =>
  svc(['oauth', 'clients', 'register', '--base-url', url, ...args], options);
const json = (status: number, value: unknown): string => answer(status, JSON.stringify(value));
const posts = (): number => scripted.requests.filter(({ method }) => method === 'POST').length;

describe('the request of svc oauth clients register', () => {
  it('is the registration of doc 2 §5', async () => {
    let sent: unknown;
    reply = (asked) => {
      sent = asked;
      return json(201, { ...asked, client_id: 'c1' });
    };
    const uris = ['https://app.example.com/cb', 'http://localhost:8080/cb'];
    const run = await register(scripted.url, [
      ...uris.flatMap((uri) => ['--redirect-uri', uri]),
      '--client-name',
      'mine',
    ]);
    expect(run.code).toBe(0);
    expect(sent).toEqual({
      redirect_uris: uris,
      client_name: 'mine',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: 'mcp:connect',
    });
  });

  it('never has a redirect that a service would refuse', async () => {
    for (const uri of [
      'http://app.example.com/cb',
      'app://callback',
      'not an address',
      'https://a@b.example/',
      'https://b.example/#x',
      'https://b.example/\n',
    ]) {
      const run = await register('http://127.0.0.1:9', ['--redirect-uri', uri]);
      expect(run, uri).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--redirect-uri') });
    }
  });
});

describe('the secret of svc oauth clients register', () => {
  it('needs a destination before anything is sent', async () => {
    const before = oidc.requests.length;
    expect(await register(oidc.url, CONFIDENTIAL)).toMatchObject({ code: 2, stdout: '' });
    expect(await register(oidc.url, ['--show-secret'])).toMatchObject({ code: 2, stdout: '' });
    expect(await register(oidc.url, [...CONFIDENTIAL, '--show-secret', '--store'])).toMatchObject({ code: 2 });
    const there = join(folder, 'there');
    writeFileSync(there, 'mine');
    expect(await register(oidc.url, [...CONFIDENTIAL, '--secret-file', there])).toMatchObject({ code: 2 });
    expect(readFileSync(there, 'utf8')).toBe('mine');
    expect(oidc.requests.slice(before)).toEqual([]);
  });

  it('goes to a new file of mode 600', async () => {
    const file = join(folder, 'client.key');
    const home = temporaryHome();
    const run = await register(oidc.url, [...CONFIDENTIAL, '--secret-file', file, '--debug', '-o', 'json'], { home });
    expect(run.code).toBe(0);
    const secret = readFileSync(file, 'utf8').trim();
    expect(secret.length).toBeGreaterThan(20);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(run.stdout + run.stderr).not.toContain(secret);
    expect(JSON.parse(run.stdout)).toMatchObject({
      client_secret: '***',
      redirect_uris: [expect.stringMatching(/^http:\/\/127/)],
    });
    expect(stored(home)).toBeUndefined();
  });

  it('goes to standard output with --show-secret', async () => {
    const run = await register(oidc.url, [...CONFIDENTIAL, '--show-secret', '-o', 'json']);
    expect((JSON.parse(run.stdout) as { client_secret: string }).client_secret).toMatch(/^[\w-]{20,}$/);
  });

  it('goes to the store, from which the next login takes the client', async () => {
    const home = temporaryHome();
    const run = await register(oidc.url, [...CONFIDENTIAL, '--store', '-o', 'json'], { home });
    const [client] = stored(home)?.clients ?? [];
    expect(run).toMatchObject({ code: 0 });
    expect(run.stdout + run.stderr).not.toContain(client?.client_secret);
    const registered = oidc.requests.filter(({ path }) => path === '/oauth/register').length;
    const signedIn = await login({ url: oidc.url, home });
    expect(signedIn.code).toBe(0);
    expect(signedIn.authorization?.searchParams.get('client_id')).toBe(client?.client_id);
    expect(redirectOf(signedIn.authorization).href).toBe(client?.redirect_uris[0]);
    expect(oidc.requests.filter(({ path }) => path === '/oauth/register')).toHaveLength(registered);
  });

  it('leaves no file behind if no client was created', async () => {
    const file = join(folder, 'gone.key');
    reply = () => json(400, { error: 'invalid_redirect_uri', error_description: 'not on the list \u001b[31m' });
    const run = await register(scripted.url, [...CONFIDENTIAL, '--secret-file', file]);
    expect(run.code).toBe(3);
    expect(run.stderr).toContain('invalid_redirect_uri: not on the list \\x1b[31m');
    expect(existsSync(file)).toBe(false);
  });
});

describe('the response to svc oauth clients register', () => {
  it('is refused with the difference if the client cannot be used', async () => {
    const other = { client_id: 'c', client_secret: 's3cr3t-value' };
    for (const [change, text] of [
      [{}, 'client_id is missing'],
      [{ client_id: '' }, 'client_id is empty'],
      [
        { ...other, token_endpoint_auth_method: 'private_key_jwt' },
        'does not support its token_endpoint_auth_method private_key_jwt',
      ],
      [
        { ...other, redirect_uris: ['https://evil.example/'] },
        'its redirect_uris are https://evil.example/, without http://127.0.0.1',
      ],
      [{ client_id: 'c' }, 'no client_secret, which client_secret_basic needs'],
    ] as const) {
      reply = (asked) => json(201, { ...asked, ...change });
      for (const args of [
        ['clients', 'register', '--show-secret'],
        ['login', '--paste'],
      ]) {
        const before = posts();
        const home = temporaryHome();
        const argv = ['oauth', ...args, '--base-url', scripted.url, ...CONFIDENTIAL, '--debug'];
        const run = await svc(argv, { home });
        expect(run, text).toMatchObject({ code: 8, stdout: '', stderr: expect.stringContaining(text) });
        expect(run.stderr).not.toContain('s3cr3t-value');
        expect(posts()).toBe(before + 1);
        expect(stored(home)).toBeUndefined();
      }
    }
  });

  it('is refused with another method if the secret was to go to a file', async () => {
    reply = (asked) => json(201, { ...asked, client_id: 'c1', token_endpoint_auth_method: 'none' });
    const file = join(folder, 'none.key');
    expect(await register(scripted.url, [...CONFIDENTIAL, '--secret-file', file])).toMatchObject({
      code: 8,
      stderr: expect.stringContaining('registered the client c1 with none\nhint: svc stored nothing of it'),
    });
    expect(existsSync(file)).toBe(false);
  });

  it('is a success with 200, too; the secret of a public client is ignored', async () => {
    const registered = { client_id: 'c1', client_secret: 's3cr3t-value', client_id_issued_at: 1 };
    reply = (asked) => json(200, { ...asked, ...registered });
    const run = await register(scripted.url, ['-o', 'json', '--debug']);
    expect([run.code, JSON.parse(run.stdout)]).toMatchObject([0, { client_id: 'c1', client_secret: null }]);
    expect(run.stdout + run.stderr).not.toContain('s3cr3t-value');
  });

  it('has a secret that is not used after its end', async () => {
    const now = Date.now();
    let count = 0;
    reply = (asked) => {
      const end = Math.floor(now / 1000) + 3600;
      const secret = { client_secret: 's3cr3t-value', client_secret_expires_at: end };
      return json(201, { ...asked, client_id: `c${++count}`, ...secret });
    };
    const home = temporaryHome();
    await register(scripted.url, [...CONFIDENTIAL, '--store'], { home, now: () => now });
    const visit = async (): Promise<undefined> => undefined;
    for (const [later, client] of [
      [0, 'c1'],
      [3_590_000, 'c2'],
    ] as const) {
      const run = await login({ url: scripted.url, home, args: ['--wait', '100ms'], now: () => now + later, visit });
      expect(run.authorization?.searchParams.get('client_id')).toBe(client);
    }
  });

  it('is not requested again if it is lost or cannot be read', async () => {
    for (const response of [
      json(500, { error: 'server_error' }),
      answer(201, 'hello'),
      answer(201, '[]'),
      'HTTP/1.1',
    ]) {
      reply = () => response;
      for (const args of [
        ['clients', 'register'],
        ['login', '--paste'],
      ]) {
        const before = posts();
        const run = await svc(['oauth', ...args, '--base-url', scripted.url]);
        expect(run, response).toMatchObject({ code: 8, stdout: '' });
        expect(posts()).toBe(before + 1);
      }
    }
  });

  it('is no redirect to follow', async () => {
    reply = () => answer(307, '', { location: `${oidc.url}/oauth/register` });
    const before = oidc.requests.length;
    expect(await register(scripted.url, [])).toMatchObject({ code: 8, stdout: '' });
    // The methods that the server offers may be read; nothing is registered.
    expect(oidc.requests.slice(before).filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});
