/** Signing in at servers that have forgotten a client, or that read a client's secret in ways of their own. */
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { callbackPath } from '../../../../src/features/oauth/loopback-listener.ts';
import { startService, type TestService } from '../../../sandbox/webhooks/service.ts';
import { type OidcServer, startOidc } from '../../../support/oidc.ts';
import { temporaryHome } from '../../../support/svc.ts';
import { type Login, type LoginOptions, login, redirectOf, stored } from './signing-in.ts';

let sandbox: TestService;
let oidc: OidcServer;
beforeAll(async () => {
  [sandbox, oidc] = await Promise.all([startService(), startOidc()]);
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

it('a client that the token endpoint refuses: the hint says how to register another', async () => {
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
  expect(second.stderr).toContain('hint: sign in again with --new-client, or with another --auth-method');
  known = true;
  const third = await login({ url: server.url, home, args: ['--new-client'] });
  expect(third.code).toBe(0);
  expect(clientOf(third)).not.toBe(clientOf(second));
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
    // It is stored, with secret and port.
    const again = await login({ url: server.url, home });
    expect(again).toMatchObject({ code: 0 });
    expect(redirectOf(again.authorization).href).toBe(redirectOf(run.authorization).href);
    expect(run.stdout + run.stderr + again.stdout + again.stderr).not.toContain('s~e%c+r/e t');
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

it('never repeats the exchange of the code after a lost response', async () => {
  const server = await scripted({
    ...goodServer('s~%+/'),
    '/token': (request) => request.socket.destroy(),
  });
  const run = await login({ url: server.url, args: ['--auth-method', 'client_secret_basic'] });
  expect(run.code).toBe(7);
  expect(server.requests.filter(({ line }) => line === 'POST /token')).toHaveLength(1);
});

describe('the method', () => {
  it('is one that the server offers', async () => {
    sandbox.traps.add('one-method');
    const run = await signIn();
    expect(run).toMatchObject({ code: 0 });
    expect(stored(run.home)?.clients).toMatchObject([{ token_endpoint_auth_method: 'client_secret_post' }]);
  });
});

it('registers as a native application, because its redirects are on this machine', async () => {
  sandbox.traps.add('web-by-default');
  expect((await signIn()).code).toBe(0);
});
