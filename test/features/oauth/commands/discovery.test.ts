/** What the service says of its sign-in, where it is looked for, and what of it is not believed (RFC 8414). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Authority } from '../../../support/certificates.ts';
import { answer, type Fault, type FaultServer, faultServer, type Received } from '../../../support/servers.ts';
import { svc } from '../../../support/svc.ts';

let behave: Fault = () => {};
let server: FaultServer;
beforeAll(async () => {
  server = await faultServer((socket, request, index) => behave(socket, request, index));
});
afterAll(() => server.close());

const metadata = (base = server.url, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  issuer: base,
  authorization_endpoint: `${base}/oauth/authorize`,
  token_endpoint: `${base}/oauth/token`,
  registration_endpoint: `${base}/oauth/register`,
  code_challenge_methods_supported: ['S256'],
  ...more,
});
const serve = (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): void => {
  behave = (socket) => socket.write(answer(status, typeof body === 'string' ? body : JSON.stringify(body), headers));
};
const discover = async (base = server.url, ...args: string[]) => {
  const before = server.requests.length;
  const run = await svc(['oauth', 'discovery', '--base-url', base, '-o', 'json', ...args]);
  return { ...run, requests: server.requests.slice(before) };
};
const paths = ({ requests }: { readonly requests: readonly Received[] }): readonly string[] =>
  requests.map(({ method, path }) => `${method} ${path}`);

describe('the address of the metadata', () => {
  it('is at the root', async () => {
    serve(metadata(server.url, { extra: { custom: [1] } }));
    const run = await discover();
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toEqual(metadata(server.url, { extra: { custom: [1] } }));
    expect(paths(run)).toEqual(['GET /.well-known/oauth-authorization-server']);
  });

  it('is between host and path; stops searching once found', async () => {
    serve(metadata(`${server.url}/x/y`));
    const run = await discover(`${server.url}/x/y/v1`);
    expect(run.code).toBe(0);
    expect(paths(run)).toEqual(['GET /.well-known/oauth-authorization-server/x/y']);
  });

  it.each([
    ['404', 404, '', {}],
    ['a page', 200, '<!doctype html>', { 'content-type': 'text/html' }],
    ['no JSON', 200, 'hello', { 'content-type': 'text/plain' }],
    ['401', 401, '', {}],
  ])('is below the base address after %s', async (_name, status, body, headers) => {
    behave = (socket, { path }) =>
      socket.write(
        path === '/x/.well-known/oauth-authorization-server'
          ? answer(200, JSON.stringify(metadata(`${server.url}/x`)))
          : answer(status, body, headers),
      );
    const run = await discover(`${server.url}/x`);
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
    expect(paths(run)).toEqual([
      'GET /.well-known/oauth-authorization-server/x',
      'GET /x/.well-known/oauth-authorization-server',
    ]);
  });

  it('is final after a failure of the service or a wrong issuer', async () => {
    serve('', 500);
    expect(new Set(paths(await discover(`${server.url}/x`))).size).toBe(1);
    serve(metadata('https://evil.example'));
    expect(await discover(`${server.url}/x`)).toMatchObject({ code: 3, requests: [{}] });
  });

  it.each([
    ['', '/'],
    ['/tenant', '/tenant/'],
    ['/tenant/', '/tenant'],
    ['/tenant/', '/tenant/'],
  ])('%j and the issuer %j differ in a final slash, which counts for nothing', async (path, issuer) => {
    serve(metadata(server.url, { issuer: server.url + issuer }));
    const run = await discover(server.url + path);
    expect({ code: run.code, paths: paths(run) }).toEqual({
      code: 0,
      paths: [`GET /.well-known/oauth-authorization-server${path.replace(/\/$/, '')}`],
    });
    expect(JSON.parse(run.stdout)).toMatchObject({ issuer: server.url + issuer });
  });

  it('two final slashes are another issuer, and the hint says what to do', async () => {
    serve(metadata(server.url, { issuer: `${server.url}//` }));
    const run = await discover();
    expect(run.code).toBe(3);
    expect(run.stderr).toContain('ask the operator of the service to correct it');
  });
});

it('treats an optional null address as missing', async () => {
  serve(metadata(server.url, { registration_endpoint: null, revocation_endpoint: null }));
  expect((await discover()).code).toBe(0);
  const login = await svc(['oauth', 'login', '--paste', '--base-url', server.url]);
  expect(login).toMatchObject({ code: 3, stdout: '' });
  expect(login.stderr).toContain('does not offer client registration');
});

describe('refused metadata', () => {
  const WRONG: readonly (readonly [string, () => Readonly<Record<string, unknown>>, number, string])[] = [
    ['another issuer', () => ({ issuer: 'https://evil.example' }), 3, 'https://evil.example'],
    ['a longer issuer', () => ({ issuer: `${server.url}/x` }), 3, '/x'],
    ['an issuer of another case', () => ({ issuer: server.url.toUpperCase() }), 3, 'HTTP://'],
    ['no issuer', () => ({ issuer: undefined }), 3, 'names no issuer'],
    ['an issuer that is no text', () => ({ issuer: 1 }), 3, 'names no issuer'],
    ['no PKCE', () => ({ code_challenge_methods_supported: undefined }), 3, 'S256'],
    ['PKCE with plain alone', () => ({ code_challenge_methods_supported: ['plain'] }), 3, 'S256'],
    ['methods that are no list', () => ({ code_challenge_methods_supported: 'S256' }), 3, 'S256'],
    ['a null endpoint', () => ({ token_endpoint: null }), 3, 'no token_endpoint'],
    ['a missing endpoint', () => ({ authorization_endpoint: undefined }), 3, 'no authorization_endpoint'],
    ['a relative endpoint', () => ({ token_endpoint: '/oauth/token' }), 3, 'no usable token_endpoint'],
    ['an endpoint over http elsewhere', () => ({ token_endpoint: 'http://192.0.2.1/t' }), 3, 'token_endpoint is http'],
    ['a script', () => ({ authorization_endpoint: 'javascript:alert(1)' }), 3, 'is javascript'],
    ['a file', () => ({ authorization_endpoint: 'file:///etc/passwd' }), 3, 'is file'],
    ['an option of a browser', () => ({ authorization_endpoint: '--help' }), 3, 'no usable'],
    ['a user', () => ({ authorization_endpoint: 'https://a@evil.example/' }), 3, 'a user or a password'],
    ['a fragment', () => ({ authorization_endpoint: 'https://service.example/#x' }), 3, 'a fragment'],
  ];
  it.each(WRONG)('%s; sends no further request', async (_name, more, code, text) => {
    serve(metadata(server.url, more()));
    for (const command of [
      ['oauth', 'discovery'],
      ['oauth', 'login', '--paste'],
      ['oauth', 'clients', 'register', '--store'],
    ]) {
      const before = server.requests.length;
      const run = await svc([...command, '--base-url', server.url]);
      expect({ code: run.code, stdout: run.stdout }).toEqual({ code, stdout: '' });
      expect(run.stderr).toContain(text);
      expect(run.opened).toEqual([]);
      expect(server.requests.slice(before)).toHaveLength(1);
    }
  });

  it.each([
    ['404', () => serve('', 404), 3, 'this address has no authorization server'],
    ['a redirect', () => serve('', 302, { location: 'https://evil.example/' }), 3, 'redirects to https://evil.example'],
    ['a page', () => serve('<!doctype html>', 200, { 'content-type': 'text/html' }), 7, 'HTML page'],
    ['an array', () => serve('[]'), 3, 'not a JSON object'],
    ['a text', () => serve('"x"'), 3, 'not a JSON object'],
    ['null', () => serve('null'), 3, 'not a JSON object'],
    ['nothing', () => serve(''), 7, 'it is empty'],
    ['half of it', () => serve('{"issuer":'), 7, 'it is not JSON'],
    ['10 MiB', () => serve(JSON.stringify({ issuer: 'x'.repeat(10 * 1024 * 1024) })), 7, 'larger than 1048576 bytes'],
    [
      'what is nested deep',
      () => serve(`${'['.repeat(1000)}${']'.repeat(1000)}`),
      7,
      'nested more than 256 levels deep',
    ],
    ['503', () => serve('', 503), 7, 'answered 503'],
  ])('%s', async (_name, set, code, text) => {
    set();
    const run = await discover();
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code, stdout: '' });
    expect((JSON.parse(run.stderr) as { error: { message: string } }).error.message).toContain(text);
  });
});

describe('secure addresses', () => {
  it('allows http only on this machine, and does not connect otherwise', async () => {
    for (const base of [
      'http://service.example',
      'http://192.0.2.1',
      'http://127.0.0.1.evil.example',
      'http://0.0.0.0',
    ]) {
      const run = await discover(base);
      expect({ base, code: run.code }).toEqual({ base, code: 2 });
      expect(run.stderr).toContain('unencrypted');
    }
  });

  describe('TLS', () => {
    const authority = new Authority();
    afterAll(() => authority.remove());

    it('is verified; an https issuer may not have an http endpoint', async () => {
      let contacted = 0;
      const plain = await faultServer((socket) => {
        contacted++;
        socket.end();
      });
      const tls = await faultServer(
        (socket) => {
          const base = `https://127.0.0.1:${tls.port}`;
          socket.write(answer(200, JSON.stringify(metadata(base, { registration_endpoint: `${plain.url}/r` }))));
        },
        { tls: authority.sign('IP:127.0.0.1') },
      );
      const base = `https://127.0.0.1:${tls.port}`;
      const unknown = await svc(['oauth', 'login', '--paste', '--base-url', base]);
      expect(unknown).toMatchObject({ code: 7, stdout: '' });
      expect(unknown.stderr).toContain('--cacert');
      const known = await svc(['oauth', 'login', '--paste', '--base-url', base, '--cacert', authority.file]);
      expect(known).toMatchObject({ code: 3, stdout: '' });
      expect(known.stderr).toContain('registration_endpoint is http, not https');
      expect({ contacted, connections: plain.connections }).toEqual({ contacted: 0, connections: 0 });
      await Promise.all([plain.close(), tls.close()]);
    });
  });
});
