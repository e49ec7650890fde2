/** Signing in at a real authorization server, in each of its modes, with the test as the browser. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import { callbackPath } from '../../../../src/features/oauth/loopback-listener.ts';
import { browse, type OidcServer, startOidc } from '../../../support/oidc.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { failure, type RunOptions, temporaryHome } from '../../../support/svc.ts';
import { isOpen } from '../raw.ts';
import { PlainServer } from './plain-server.ts';
import { type Login, leftovers, login, redirectOf, secretsIn, stored } from './signing-in.ts';

let any: OidcServer;
let strict: OidcServer;
beforeAll(async () => {
  [any, strict] = await Promise.all([startOidc({ iss: true }), startOidc({ ports: 'strict' })]);
});
afterAll(() => Promise.all([any.close(), strict.close()]));

const clientOf = (run: Login): string => run.authorization?.searchParams.get('client_id') ?? '';
const clientsIn = (home: string): string[] => stored(home)?.clients.map(({ client_id }) => client_id) ?? [];

const METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;

describe('svc oauth login by browser', () => {
  it.each(METHODS)('signs in with %s, and shows no secret', async (method) => {
    const before = any.requests.length;
    const run = await login({ url: any.url, args: ['--auth-method', method, '--debug', '-o', 'json'] });
    expect({ code: run.code, page: run.visited?.status }).toEqual({ code: 0, page: 200 });
    expect(run.visited?.url).toBe(`${redirectOf(run.authorization).origin}/done`);
    expect(JSON.parse(run.stdout)).toEqual({
      base_url: any.url,
      profile: 'default',
      kind: 'oauth',
      client_id: run.authorization?.searchParams.get('client_id'),
      auth_method: method,
      scope: 'mcp:connect',
      email: null,
      expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const document = stored(run.home);
    expect(document?.clients).toHaveLength(1);
    expect(document?.credentials).toMatchObject([
      { kind: 'oauth', profile: 'default', base_url: any.url, issuer: any.url, scope: 'mcp:connect' },
    ]);
    expect(leftovers(run.home)).toEqual(['credentials.json']);
    const fields = exchangedFields(run, method, before);
    const secrets = [...secretsIn(document), fields['code'] ?? '', fields['code_verifier'] ?? ''];
    expect(secrets).toHaveLength(method === 'none' ? 4 : 5);
    for (const secret of secrets) {
      for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').slice(0, -3)])
        expect(run.stdout + run.stderr).not.toContain(form);
    }
    const state = run.authorization?.searchParams.get('state') ?? '';
    expect(run.stderr.replaceAll(run.authorization?.href ?? '', '')).not.toContain(state);
    expect(await isOpen(Number(redirectOf(run.authorization).port))).toBe(false);
  });

  it('uses the same client and port again, with other values of its own', async () => {
    for (const server of [any, strict]) {
      const first = await login({ url: server.url });
      expect(redirectOf(first.authorization).pathname).toBe(callbackPath(server.url));
      const registered = server.requests.filter(({ path }) => path === '/oauth/register').length;
      const second = await login({ url: server.url, home: first.home });
      expect(second.code).toBe(0);
      expect(server.requests.filter(({ path }) => path === '/oauth/register')).toHaveLength(registered);
      const [one, other] = [first.authorization?.searchParams, second.authorization?.searchParams];
      expect(other?.get('redirect_uri')).toBe(one?.get('redirect_uri'));
      for (const name of ['state', 'code_challenge']) expect(other?.get(name)).not.toBe(one?.get(name));
      expect(stored(first.home)).toMatchObject({ clients: [{}], credentials: [{}] });
    }
  });

  it('registers again if the port is in use, if the method changed, or with --new-client', async () => {
    const first = await login({ url: strict.url });
    const again = (...args: readonly string[]) => login({ url: strict.url, home: first.home, args });
    const port = Number(redirectOf(first.authorization).port);
    const taken = createServer().listen(port, '127.0.0.1');
    await once(taken, 'listening');
    const second = await again();
    taken.close();
    expect(second).toMatchObject({ code: 0, visited: { status: 200 } });
    expect(second.stderr).toContain(`port ${port} of the stored client is in use`);
    const others = [await again('--auth-method', 'client_secret_post'), await again('--new-client')];
    const ids = [first, second, ...others].map(clientOf);
    expect(new Set(ids).size).toBe(4);
    expect(clientsIn(first.home).sort()).toEqual([...ids].sort());
  });

  it('opens the address at a terminal after it has printed it, and reports a missing browser', async () => {
    const env = { DISPLAY: ':0' };
    const never = (): Promise<string> => new Promise(() => {});
    const lines: string[] = [];
    const opened = await login({
      url: any.url,
      terminal: 80,
      env,
      hidden: never,
      onStderr: (text) => lines.push(text),
      browser: (url) => {
        expect(lines.join('')).toContain(url.href);
        return undefined;
      },
    });
    expect(opened.code).toBe(0);
    expect(opened.opened).toEqual([opened.authorization?.href]);
    const none = await login({ url: any.url, terminal: 80, env, hidden: never, browser: () => 'status 3' });
    expect(none.code).toBe(0);
    expect(none.stderr).toContain('no browser was opened: status 3; open the address yourself');
  });
});

/** The fields of the one exchange of a code since then: those of doc 2 §5, and the client's own. */
function exchangedFields(run: Login, method: string, before: number): Readonly<Record<string, string>> {
  const [exchange, ...more] = any.requests.slice(before).filter(({ path }) => path === '/oauth/token');
  expect(more).toEqual([]);
  const fields = Object.fromEntries(new URLSearchParams(exchange?.body));
  const own = method === 'client_secret_post' ? ['client_secret'] : [];
  const names = ['grant_type', 'code', 'redirect_uri', 'client_id', 'code_verifier', ...own];
  expect(Object.keys(fields).sort()).toEqual(names.sort());
  expect(fields).toMatchObject({
    grant_type: 'authorization_code',
    redirect_uri: run.authorization?.searchParams.get('redirect_uri'),
  });
  expect(exchange?.headers['authorization'] !== undefined).toBe(method === 'client_secret_basic');
  expect(exchange?.headers['content-type']).toBe('application/x-www-form-urlencoded');
  return fields;
}

describe('the client of svc oauth login', () => {
  let server: PlainServer;
  beforeAll(async () => {
    server = await PlainServer.start();
  });
  afterAll(() => server.close());

  it('may be one that exists, with --client-id', async () => {
    const home = temporaryHome();
    const secret = 's~e%c+r/e t';
    const file = join(home, 'client.key');
    writeFileSync(file, `${secret}\n`, { mode: 0o600 });
    const args = ['--client-id', 'mine', '--client-secret-file', file, '--auth-method', 'client_secret_post'];
    const visit = (url: URL): ReturnType<typeof browse> => {
      server.clients.set('mine', { method: 'client_secret_post', secret, redirects: [redirectOf(url).href] });
      return browse(url);
    };
    const run = await login({ url: server.url, home, args, visit });
    expect(run).toMatchObject({ code: 0 });
    const redirect = redirectOf(run.authorization);
    expect(redirect.pathname).toBe(callbackPath(server.url));
    expect(run.stderr).toContain(`the client must have the redirect URI ${redirect.href}`);
    expect([[...server.clients.keys()], clientsIn(home)]).toEqual([['mine'], ['mine']]);
    // It is stored, with secret and port.
    const again = await login({ url: server.url, home });
    expect(again).toMatchObject({ code: 0 });
    expect(redirectOf(again.authorization).href).toBe(redirect.href);
    expect(run.stdout + run.stderr + again.stdout + again.stderr).not.toContain(secret);
  });

  it('that the token endpoint refuses leads to the hint to register another', async () => {
    const { home } = await login({ url: server.url });
    const forgetting = (url: URL) =>
      browse(url, (to) => {
        if (to.host === redirectOf(url).host) server.clients.clear();
        return false;
      });
    const refused = await login({ url: server.url, home, visit: forgetting });
    expect(refused).toMatchObject({ code: 4 });
    expect(refused.stderr).toContain('hint: sign in again with --new-client, or with another --auth-method');
  });
});

describe('svc oauth login goes on', () => {
  it('after wrong responses, until the right one', async () => {
    const run = await login({
      url: any.url,
      visit: async (url) => {
        const { href } = redirectOf(url);
        const state = url.searchParams.get('state') ?? '';
        for (const query of ['code=x', `code=x&state=${state}x`, 'error=access_denied', `state=${state}`])
          expect((await browse(`${href}?${query}`)).status).toBe(400);
        return browse(url);
      },
    });
    expect({ code: run.code, page: run.visited?.status }).toEqual({ code: 0, page: 200 });
  });
});

describe('svc oauth login ends with nothing stored and the port free', () => {
  const expectNothing = async (run: Awaited<ReturnType<typeof login>>): Promise<void> => {
    expect(stored(run.home)).toBeUndefined();
    expect(leftovers(run.home)).toEqual([]);
    if (run.authorization !== undefined) expect(await isOpen(Number(redirectOf(run.authorization).port))).toBe(false);
  };

  const answerWith = (url: URL, query: string): ReturnType<typeof browse> => {
    const more = `state=${url.searchParams.get('state')}&iss=${encodeURIComponent(any.url)}`;
    return browse(`${redirectOf(url).href}?${query}&${more}`);
  };

  it('at a denial, whose text is escaped', async () => {
    const denies = { error: 'access_denied', error_description: '\u001b]52;c;cm0gLXJm\u0007 <script>' };
    const server = await startOidc({ denies });
    const run = await login({ url: server.url });
    await server.close();
    expect({ code: run.code, page: run.visited?.status }).toEqual({ code: 4, page: 200 });
    expect(run.stderr).toContain('the sign-in was refused: access_denied: \\x1b]52;c;cm0gLXJm\\x07 <script>');
    expect(run.visited?.body).not.toContain('script');
    await expectNothing(run);
  });

  it('at an error of the service', async () => {
    for (const [error, code] of [
      ['invalid_scope', 4],
      ['server_error', 7],
    ] as const) {
      const run = await login({
        url: any.url,
        visit: (url) => answerWith(url, `error=${error}&error_description=why`),
      });
      expect([error, run.code]).toEqual([error, code]);
      expect(run.stderr).toContain(`${error}: why\n`);
      await expectNothing(run);
    }
  });

  it('after the time of --wait', async () => {
    const run = await login({ url: any.url, args: ['--wait', '30ms'], visit: async () => undefined });
    expect(run.code).toBe(4);
    expect(run.stderr).toContain('no sign-in within 0.03 s');
    await expectNothing(run);
  });

  it('at an interruption', async () => {
    const stop = new AbortController();
    const run = await login({
      url: any.url,
      signal: stop.signal,
      visit: async () => {
        stop.abort(new SvcError('interrupted', 'interrupted'));
        return undefined;
      },
    });
    expect(run).toMatchObject({ code: 130, stdout: '' });
    await expectNothing(run);
  });

  it('at a foreign code with the right state, which is sent once', async () => {
    const before = any.tokenRequests().length;
    const run = await login({ url: any.url, args: ['--debug'], visit: (url) => answerWith(url, 'code=f0reign-c0de') });
    expect(run.code).toBe(4);
    expect(run.stderr).toContain('invalid_grant');
    expect(run.stdout + run.stderr).not.toContain('f0reign-c0de');
    expect(any.tokenRequests()).toHaveLength(before + 1);
    await expectNothing(run);
  });

  it('at a response of another server, or without the issuer that was promised', async () => {
    const before = any.tokenRequests().length;
    for (const iss of ['&iss=https%3A%2F%2Fevil.example', '']) {
      const run = await login({
        url: any.url,
        visit: (url) => browse(`${redirectOf(url).href}?code=c&state=${url.searchParams.get('state')}${iss}`),
      });
      expect(run.code).toBe(3);
      await expectNothing(run);
    }
    expect(any.tokenRequests()).toHaveLength(before);
  });

  it('at a port in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const before = any.requests.length;
    const run = await login({ url: any.url, args: ['--callback-port', String(port)] });
    taken.close();
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(`port ${port} is in use`);
    expect(any.requests.slice(before).map(({ path }) => path)).toEqual(['/.well-known/oauth-authorization-server']);
    await expectNothing(run);
    const free = await login({ url: any.url, args: ['--paste', '--callback-port', String(port)] });
    expect(free.code).toBe(0);
    expect(redirectOf(free.authorization).port).toBe(String(port));
  });
});

it('svc oauth login says when a token for an hour expires', async () => {
  const server = await PlainServer.start();
  onTestFinished(() => server.close());
  const run = await login({ url: server.url, args: ['-o', 'json'], at: Date.UTC(2026, 0, 14, 12) });
  expect(JSON.parse(run.stdout)).toMatchObject({ expires_at: '2026-01-14T13:00:00.000Z' });
  expect(stored(run.home)?.credentials).toMatchObject([{ expires_at: Date.UTC(2026, 0, 14, 13) / 1000 }]);
});

describe('svc oauth login by paste', () => {
  const redirected = async (url: URL): Promise<string> => {
    const { host } = redirectOf(url);
    return (await browse(url, (to) => to.host === host)).url;
  };

  it('asks again after a wrong address', async () => {
    let show: (url: URL) => void = () => {};
    const shown = new Promise<URL>((resolve) => {
      show = resolve;
    });
    let asked = 0;
    const run = await login({
      url: any.url,
      terminal: 80,
      env: { NO_COLOR: '1' },
      visit: async (url) => {
        show(url);
        return undefined;
      },
      hidden: async () => {
        const url = await shown;
        const pasted = await redirected(url);
        const wrong = new URL(pasted);
        wrong.searchParams.set('state', 'x'.repeat(43));
        return [new URL(pasted).searchParams.get('code') ?? '', wrong.href, pasted][asked++] ?? '';
      },
    });
    expect(run.code).toBe(0);
    expect(asked).toBe(3);
    expect(run.stderr).toContain('paste the full address');
    expect(run.stderr).toContain('its state does not match');
    expect(stored(run.home)?.credentials).toHaveLength(1);
  });

  it('ignores the end of standard input', async () => {
    const run = await login({ url: any.url, args: ['--paste'], stdin: 'not an address\n' });
    expect(run.code).toBe(0);
    expect(run.stderr).toContain('paste the full address');
  });
});

it('svc oauth login refuses options that contradict each other, and sends nothing', async () => {
  const before = any.requests.length;
  for (const [args, named] of [
    ['--client-secret-file x', '--client-secret-file needs --client-id'],
    ['--client-id a --new-client', '--new-client'],
    ['--client-id a --auth-method client_secret_post', '--client-secret-file'],
    ['--client-id a --token-stdin', '--token-stdin'],
    ['--token-stdin --expires-in-days 366', '366'],
    ['--token-stdin --expires-in-days 0', '0'],
    ['--token-stdin --callback-port 8250', 'browser and client options'],
    ['--token-stdin --token x', '--token'],
    ['--expires-in-days 3', '--expires-in-days'],
  ] as const) {
    const run = await login({ url: any.url, args: args.split(' '), stdin: 'pt-0123456789' });
    expect(run, args).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(named) });
    expect(stored(run.home)).toBeUndefined();
  }
  expect(any.requests).toHaveLength(before);
});

describe('svc oauth login --token-stdin', () => {
  it('stores a token only after the service accepted it', async () => {
    const own = temporaryHome();
    let status = 401;
    await using service = await faultServer((socket) => socket.write(answer(status, '{"items":[]}')));
    const keep = (): ReturnType<typeof login> =>
      login({
        url: service.url,
        home: own,
        args: ['--token-stdin', '--expires-in-days', '90', '--debug', '-o', 'json'],
        stdin: 'pt-0123456789\n',
        now: () => Date.UTC(2026, 0, 1),
      });
    for (const [refusal, code] of [
      [401, 4],
      [403, 4],
      [404, 5],
      [500, 7],
    ] as const) {
      status = refusal;
      expect((await keep()).code).toBe(code);
      expect(stored(own)).toBeUndefined();
    }
    status = 200;
    const run = await keep();
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ kind: 'personal', expires_at: '2026-04-01T00:00:00.000Z' });
    expect(run.stdout + run.stderr).not.toContain('0123456789');
    expect(service.requests.at(-1)).toMatchObject({
      method: 'GET',
      path: '/v1/webhooks',
      headers: { authorization: 'Bearer pt-0123456789' },
    });
    expect(stored(own)?.credentials).toMatchObject([
      { kind: 'personal', access_token: 'pt-0123456789', base_url: service.url, profile: 'default' },
    ]);
  });

  it('asks for the token at a terminal, without echo', async () => {
    await using service = await faultServer((socket) => socket.write(answer(200, '{"items":[]}')));
    const hidden = async (): Promise<string> => 'pt-0123456789';
    const run = await login({ url: service.url, args: ['--token-stdin'], terminal: 80, hidden });
    expect(run).toMatchObject({ code: 0, asked: ['Personal token:'] });
    expect(run.stderr).toContain('about 90 days');
    expect(run.stdout + run.stderr).not.toContain('0123456789');
  });

  it('refuses what is not one word of ASCII, does not show it, and sends nothing', async () => {
    const before = any.requests.length;
    const refuses = async (options: RunOptions, message: string): Promise<void> => {
      const run = await login({ url: any.url, args: ['--token-stdin', '-o', 'json'], ...options });
      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(failure(run).message).toBe(message);
      expect(run.stderr).not.toContain('0123456789');
    };
    const word = 'a token is one word of ASCII without blanks';
    for (const [token, message] of [
      ['  ', 'no token was typed'],
      ['Bearer pt-0123456789', word],
    ] as const)
      await refuses({ terminal: 80, hidden: async () => token }, message);
    await refuses({ stdin: ' \n' }, '--token-stdin: standard input is empty');
    for (const stdin of ['Bearer pt-0123456789', 'pt-0123456789\npt-1', 'pt-0123456789é', 'a'.repeat(16 * 1024 + 1)])
      await refuses({ stdin }, `--token-stdin: ${word}`);
    expect(any.requests).toHaveLength(before);
  });
});
