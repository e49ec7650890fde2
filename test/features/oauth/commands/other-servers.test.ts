/** Signing in at servers that have forgotten a client, or that read a client's secret in ways of their own. */
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { callbackPath } from '../../../../src/features/oauth/loopback-listener.ts';
import { startService, type TestService } from '../../../sandbox/webhooks/service.ts';
import { credentialsText } from '../../../support/credentials.ts';
import { type OidcServer, startOidc } from '../../../support/oidc.ts';
import { type Run, svc, temporaryHome } from '../../../support/svc.ts';
import { type Login, type LoginOptions, login, redirectOf, stored } from './signing-in.ts';

let sandbox: TestService;
let oidc: OidcServer;
beforeAll(async () => {
  [sandbox, oidc] = await Promise.all([startService({ autoApprove: true }), startOidc()]);
});
afterEach(() => sandbox.traps.clear());
afterAll(() => Promise.all([sandbox.close(), oidc.close()]));

const signIn = (options: Partial<LoginOptions> = {}): Promise<Login> => login({ url: sandbox.url, ...options });
const clientOf = (run: Login): string => run.authorization?.searchParams.get('client_id') ?? '';
const clientsIn = (home: string): readonly string[] => stored(home)?.clients.map(({ client_id }) => client_id) ?? [];

/** Answers with whatever `answers` has for the path, after the metadata. */
async function scripted(
  answers: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse, body: string) => void>>,
  metadata: Readonly<Record<string, unknown>> = {},
) {
  const requests: { readonly line: string; readonly headers: IncomingMessage['headers']; readonly body: string }[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { pathname } = new URL(request.url ?? '', 'http://server');
    requests.push({ line: `${request.method} ${pathname}`, headers: request.headers, body });
    if (!pathname.startsWith('/.well-known/')) return answers[pathname]?.(request, response, body);
    json(response, 200, {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      registration_endpoint: `${url}/register`,
      code_challenge_methods_supported: ['S256'],
      ...metadata,
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url, requests };
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** A registration that takes everything, and a page for the browser that comes back with a code. */
function goodServer(secret?: string) {
  let registered = 0;
  return {
    '/register': (_request: IncomingMessage, response: ServerResponse, body: string) => {
      registered += 1;
      const own = secret === undefined ? {} : { client_secret: secret };
      json(response, 201, { ...JSON.parse(body), client_id: `client ${registered}`, ...own });
    },
    '/authorize': (request: IncomingMessage, response: ServerResponse) => {
      const { searchParams } = new URL(request.url ?? '', 'http://server');
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', 'the-code-of-this-test');
      back.searchParams.set('state', searchParams.get('state') ?? '');
      response.writeHead(302, { location: back.href }).end();
    },
  };
}
const TOKENS = { access_token: 'at-abcdefghijkl', token_type: 'Bearer', expires_in: 3600, scope: 'mcp:connect' };

describe('a client that the server has forgotten', () => {
  it('is replaced before the user sees anything', async () => {
    const first = await signIn();
    sandbox.traps.add('client-forgotten');
    const second = await signIn({ home: first.home });
    expect(second).toMatchObject({ code: 0, visited: { status: 200 } });
    expect(second.stderr).toContain(`no longer knows the client ${clientOf(first)}`);
    expect(clientOf(second)).not.toBe(clientOf(first));
    // The login that was signed in with the first one is replaced, and the mark on its client keeps it out of use.
    const third = await signIn({ home: first.home });
    expect(third.code).toBe(0);
    expect(third.stderr).not.toContain(clientOf(first));
  });

  it('is replaced even if several are stored', async () => {
    const { home } = await signIn();
    await signIn({ home, args: ['--client-name', 'second'] });
    expect((await svc(['oauth', 'logout', '--base-url', sandbox.url], { home })).code).toBe(0);
    sandbox.traps.add('client-forgotten');
    const run = await signIn({ home });
    expect(run.code).toBe(0);
    expect(run.stderr.match(/no longer knows the client/g)).toHaveLength(2);
    expect(clientsIn(home)).toEqual([clientOf(run)]);
  });

  it.each([
    ['a page', 400, '<!doctype html><title>Error</title><p>Client not found', {}],
    ['JSON', 401, '{"error":"invalid_client","error_description":"Invalid client_id"}', {}],
    ['a text', 400, 'Unknown client', {}],
    ['the name of the parameter', 400, 'Invalid client_id', {}],
    ['a redirect to its own page', 302, '', { location: '/error?error=invalid_client&error_description=no' }],
  ])('is recognized by %s', async (_, status, body, headers) => {
    const good = goodServer();
    const server = await scripted({
      ...good,
      '/authorize': (request, response) => {
        if (request.url?.includes('client_id=client+1&')) response.writeHead(status, headers).end(body);
        else good['/authorize'](request, response);
      },
      '/token': (_request, response) => json(response, 200, TOKENS),
    });
    const home = temporaryHome();
    const first = await login({ url: server.url, home, args: ['--wait', '1s'], visit: async () => undefined });
    // A client that was registered a moment ago is not given up: the browser may know better.
    expect(first).toMatchObject({ code: 4 });
    expect(first.stderr).toContain('does not know the client that it just registered');
    const client = {
      client_id: 'client 1',
      issuer: server.url,
      token_endpoint_auth_method: 'none' as const,
      registered_at: 1,
    };
    const redirect_uris = [redirectOf(first.authorization).href];
    const { port } = redirectOf(first.authorization);
    writeFileSync(
      join(home, 'config/credentials.json'),
      credentialsText({ clients: [{ ...client, redirect_uris, redirect_port: Number(port) }], credentials: [] }),
      { mode: 0o600 },
    );
    const second = await login({ url: server.url, home });
    expect(second).toMatchObject({ code: 0 });
    expect(clientsIn(home)).toEqual(['client 2']);
  });

  it.each([
    ['answers 500', 500, 'unknown client'],
    ['shows a page', 200, 'unknown client'],
    ['says something else', 400, 'try again later'],
  ])('is not assumed for a server that %s', async (_, status, body) => {
    const good = goodServer();
    let probes = 0;
    const server = await scripted({
      ...good,
      '/authorize': (request, response) => {
        probes += 1;
        if (probes % 2 === 1) response.writeHead(status, { 'content-type': 'text/html' }).end(body);
        else good['/authorize'](request, response);
      },
      '/token': (_request, response) => json(response, 200, TOKENS),
    });
    const first = await login({ url: server.url });
    const second = await login({ url: server.url, home: first.home });
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(clientOf(second)).toBe(clientOf(first));
  });

  it('is detected by one request without cookies, credentials or headers', async () => {
    const server = await scripted({ ...goodServer(), '/token': (_request, response) => json(response, 200, TOKENS) });
    const args = ['--wait', '300ms', '--header', 'X-Own: 1', '--debug'];
    const run = await login({ url: server.url, args, visit: async () => undefined });
    const probes = server.requests.filter(({ line }) => line === 'GET /authorize');
    expect(probes).toHaveLength(1);
    expect(probes[0]?.headers.accept).toMatch(/^text\/html/);
    for (const name of ['cookie', 'authorization', 'x-own']) expect(probes[0]?.headers).not.toHaveProperty(name);
    expect(run.stderr).not.toContain('the-code-of-this-test');
    expect(run.stderr.replaceAll(run.authorization?.href ?? '', '')).not.toContain(
      run.authorization?.searchParams.get('state'),
    );
  });

  it('whose secret is refused only at the token endpoint is deleted, too', async () => {
    let known = true;
    const server = await scripted({
      ...goodServer(),
      '/token': (_request, response) =>
        known ? json(response, 200, TOKENS) : json(response, 401, { error: 'invalid_client' }),
    });
    const { home } = await login({ url: server.url });
    known = false;
    const second = await login({ url: server.url, home });
    expect(second).toMatchObject({ code: 4 });
    expect(second.stderr).toContain('hint: sign in again: svc oauth login registers a new client');
    known = true;
    const third = await login({ url: server.url, home });
    expect(third.code).toBe(0);
    expect(clientOf(third)).not.toBe(clientOf(second));
  });
});

it('a scope that the server refuses ends the sign-in before the browser', async () => {
  const refused = await login({ url: oidc.url, args: ['--scope', 'unheard-of'] });
  expect(refused).toMatchObject({ authorization: undefined });
  expect(refused.code).not.toBe(0);
  const sent = await login({ url: sandbox.url, args: ['--scope', 'more'], visit: async () => undefined });
  expect(sent).toMatchObject({ code: 3 });
  expect(sent.stderr).toContain('scope must be mcp:connect');
});

describe('options for the client', () => {
  it('--new-client registers one even if one is stored', async () => {
    const first = await signIn();
    const second = await signIn({ home: first.home, args: ['--new-client'] });
    expect(second.code).toBe(0);
    expect(clientsIn(first.home)).toEqual([clientOf(first), clientOf(second)]);
  });

  it('--client-id uses an existing client, and registers none', async () => {
    const server = await scripted({
      ...goodServer(),
      '/token': (request, response, body) => {
        const form = new URLSearchParams(body);
        const good = form.get('client_id') === 'mine' && form.get('client_secret') === 's~e%c+r/e t';
        json(response, good ? 200 : 401, good ? TOKENS : { error: 'invalid_client' });
        expect(request.headers).not.toHaveProperty('authorization');
      },
    });
    const home = temporaryHome();
    const file = join(home, 'client.key');
    writeFileSync(file, 's~e%c+r/e t\n', { mode: 0o600 });
    const args = ['--client-id', 'mine', '--client-secret-file', file, '--auth-method', 'client_secret_post'];
    const run = await login({ url: server.url, home, args });
    expect(run).toMatchObject({ code: 0 });
    expect(run.stderr).toContain(`the client must have the redirect URI ${redirectOf(run.authorization).href}`);
    expect(redirectOf(run.authorization).pathname).toBe(callbackPath(server.url));
    expect(server.requests.map(({ line }) => line)).not.toContain('POST /register');
    expect(clientsIn(home)).toEqual(['mine']);
    // It is known from then on, secret and port.
    const again = await login({ url: server.url, home, args: ['--client-id', 'mine'] });
    expect(again).toMatchObject({ code: 0 });
    expect(redirectOf(again.authorization).href).toBe(redirectOf(run.authorization).href);
    expect(run.stdout + run.stderr + again.stdout + again.stderr).not.toContain('s~e%c+r/e t');
  });

  it('a given client that the server does not know ends the sign-in at once', async () => {
    const run = await signIn({ args: ['--client-id', 'stranger'] });
    expect(run).toMatchObject({ code: 4, authorization: undefined });
    expect(run.stderr).toContain('the server does not know the client stranger');
    expect(run.stderr).toContain('hint: check --client-id');
  });

  it.each([
    [['--client-secret-file', 'x'], '--client-secret-file needs --client-id'],
    [['--client-id', 'a', '--new-client'], '--new-client'],
    [['--client-id', 'a', '--auth-method', 'client_secret_post'], '--client-secret-file'],
    [['--client-id', 'a', '--token-stdin'], '--token-stdin'],
  ])('%j are refused', async (args, named) => {
    const run = await signIn({ args });
    expect(run).toMatchObject({ code: 2, authorization: undefined });
    expect(run.stderr).toContain(named);
  });
});

describe('a server that decodes client_secret_basic differently', () => {
  it.each([
    ['basic-alone', 'encoded_without_client_id'],
    ['basic-plain', 'plain'],
  ] as const)('%s: login and refresh work, and the form is stored as %s', async (trap, form) => {
    sandbox.traps.add(trap);
    const run = await signIn({ args: ['--auth-method', 'client_secret_basic'] });
    expect(run).toMatchObject({ code: 0 });
    expect(stored(run.home)?.clients).toMatchObject([{ basic_form: form }]);
    const refreshed = await refresh(run.home);
    expect(refreshed.code).toBe(0);
    expect(refreshed.stderr.match(/POST .*\/oauth\/token/g)).toHaveLength(1);
  });

  it('both differences at once', async () => {
    sandbox.traps.add('basic-alone').add('basic-plain');
    const { code, home } = await signIn({ args: ['--auth-method', 'client_secret_basic'] });
    expect(code).toBe(0);
    expect(stored(home)?.clients).toMatchObject([{ basic_form: 'plain_without_client_id' }]);
    expect((await refresh(home)).code).toBe(0);
  });

  it('a refresh finds a form that is not stored', async () => {
    sandbox.traps.add('basic-plain');
    const { home } = await signIn({ args: ['--auth-method', 'client_secret_basic'] });
    const path = join(home, 'config/credentials.json');
    const { clients = [], credentials = [] } = stored(home) ?? {};
    const forgotten = clients.map(({ basic_form: _, ...client }) => client);
    writeFileSync(path, credentialsText({ clients: forgotten, credentials }), { mode: 0o600 });
    expect((await refresh(home)).code).toBe(0);
    expect(stored(home)?.clients).toMatchObject([{ basic_form: 'plain' }]);
  });

  it('never repeats a request after a lost response', async () => {
    const server = await scripted({
      ...goodServer('s~%+/'),
      '/token': (request) => request.socket.destroy(),
    });
    const run = await login({ url: server.url, args: ['--auth-method', 'client_secret_basic'] });
    expect(run.code).not.toBe(0);
    expect(server.requests.filter(({ line }) => line === 'POST /token')).toHaveLength(1);
  });

  it('every form refused: the hint names the other methods', async () => {
    const server = await scripted({
      ...goodServer('s~%+/'),
      '/token': (_request, response) => json(response, 401, { error: 'invalid_client' }),
    });
    const run = await login({ url: server.url, args: ['--auth-method', 'client_secret_basic'] });
    expect(run).toMatchObject({ code: 4 });
    expect(run.stderr).toContain('hint: sign in again with --auth-method none or client_secret_post');
    const tried = server.requests.filter(({ line }) => line === 'POST /token');
    expect(tried.map(({ headers, body }) => [basicParts(headers.authorization), body.includes('client_id=')])).toEqual([
      ['client+1:s%7E%25%2B%2F', true],
      ['client+1:s%7E%25%2B%2F', false],
      ['client 1:s~%+/', true],
      ['client 1:s~%+/', false],
    ]);
    expect(run.stdout + run.stderr).not.toContain('s~%+/');
  });
});

function basicParts(authorization = ''): string {
  return Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
}

const refresh = (home: string): Promise<Run> => svc(['oauth', 'refresh', '--base-url', sandbox.url, '-v'], { home });

describe('the method', () => {
  it('is one that the server offers', async () => {
    sandbox.traps.add('one-method');
    const run = await signIn();
    expect(run).toMatchObject({ code: 0 });
    expect(stored(run.home)?.clients).toMatchObject([{ token_endpoint_auth_method: 'client_secret_post' }]);
    const registered = await svc(['oauth', 'clients', 'register', '--store', '--base-url', sandbox.url, '-o', 'json'], {
      home: run.home,
    });
    expect(JSON.parse(registered.stdout)).toMatchObject({ token_endpoint_auth_method: 'client_secret_post' });
  });

  it('that the server does not offer is refused, with the ones that it offers', async () => {
    sandbox.traps.add('one-method');
    const run = await signIn({ args: ['--auth-method', 'none'] });
    expect(run).toMatchObject({ code: 3 });
    expect(run.stderr).toContain('choose another method: --auth-method client_secret_post; nothing was registered');
  });
});

it('registers as a native application, because its redirects are on this machine', async () => {
  sandbox.traps.add('web-by-default');
  expect((await signIn()).code).toBe(0);
});
