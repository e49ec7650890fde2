/** What the service says of its sign-in, where it is looked for, and what of it is not believed (RFC 8414). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Authority } from '../../../support/certificates.ts';
import { answer, type Fault, type FaultServer, faultServer, type Received } from '../../../support/servers.ts';
import { failure, svc } from '../../../support/svc.ts';

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

describe('the address of the metadata of svc oauth discovery', () => {
  it('is at the root', async () => {
    serve(metadata(server.url, { extra: { custom: [1] } }));
    const run = await discover();
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toEqual(metadata(server.url, { extra: { custom: [1] } }));
    expect(paths(run)).toEqual(['GET /.well-known/oauth-authorization-server']);
  });

  it('is between host and path, and no other is tried once it is found', async () => {
    serve(metadata(`${server.url}/x/y`));
    const run = await discover(`${server.url}/x/y/v1`);
    expect(run.code).toBe(0);
    expect(paths(run)).toEqual(['GET /.well-known/oauth-authorization-server/x/y']);
  });

  it('is below the base address where there is none before', async () => {
    const none: readonly (readonly [status: number, body: string, type: string])[] = [
      [404, '', 'text/plain'],
      [200, '<!doctype html>', 'text/html'],
      [200, 'hello', 'text/plain'],
      [401, '', 'text/plain'],
    ];
    for (const [status, body, type] of none) {
      const found = answer(200, JSON.stringify(metadata(`${server.url}/x`)));
      const path = '/x/.well-known/oauth-authorization-server';
      behave = (socket, request) =>
        socket.write(request.path === path ? found : answer(status, body, { 'content-type': type }));
      const run = await discover(`${server.url}/x`);
      expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
      expect(paths(run)).toEqual(['GET /.well-known/oauth-authorization-server/x', `GET ${path}`]);
    }
  });

  it('is final after a failure of the service or a wrong issuer', async () => {
    serve('', 500);
    expect(new Set(paths(await discover(`${server.url}/x`))).size).toBe(1);
    serve(metadata('https://evil.example'));
    expect(await discover(`${server.url}/x`)).toMatchObject({ code: 3, requests: [{}] });
  });

  it('may differ from the issuer in a final slash', async () => {
    for (const [path, issuer] of [
      ['', '/'],
      ['/tenant', '/tenant/'],
      ['/tenant/', '/tenant'],
      ['/tenant/', '/tenant/'],
    ] as const) {
      serve(metadata(server.url, { issuer: server.url + issuer }));
      const run = await discover(server.url + path);
      const expected = [`GET /.well-known/oauth-authorization-server${path.replace(/\/$/, '')}`];
      expect({ code: run.code, paths: paths(run) }).toEqual({ code: 0, paths: expected });
      expect(JSON.parse(run.stdout)).toMatchObject({ issuer: server.url + issuer });
    }
  });
});

describe('wrong metadata of a service', () => {
  const WRONG: readonly (readonly [string, () => Readonly<Record<string, unknown>>, string])[] = [
    ['another issuer', () => ({ issuer: 'https://evil.example' }), 'https://evil.example'],
    ['an issuer of another case', () => ({ issuer: server.url.toUpperCase() }), 'HTTP://'],
    ['no issuer', () => ({ issuer: undefined }), 'names no issuer'],
    ['no PKCE', () => ({ code_challenge_methods_supported: undefined }), 'S256'],
    ['PKCE with plain alone', () => ({ code_challenge_methods_supported: ['plain'] }), 'S256'],
    ['a missing endpoint', () => ({ authorization_endpoint: undefined }), 'no authorization_endpoint'],
    ['a relative endpoint', () => ({ token_endpoint: '/oauth/token' }), 'no usable token_endpoint'],
    ['an endpoint over http elsewhere', () => ({ token_endpoint: 'http://192.0.2.1/t' }), 'token_endpoint is http'],
    ['a script', () => ({ authorization_endpoint: 'javascript:alert(1)' }), 'is javascript'],
    ['an option of a browser', () => ({ authorization_endpoint: '--help' }), 'no usable'],
    ['a user', () => ({ authorization_endpoint: 'https://a@evil.example/' }), 'a user or a password'],
    ['a fragment', () => ({ authorization_endpoint: 'https://service.example/#x' }), 'a fragment'],
  ];
  it('lead to an error that names what is wrong, and to no further request', async () => {
    for (const [what, more, text] of WRONG) {
      serve(metadata(server.url, more()));
      for (const command of [['discovery'], ['login', '--paste'], ['clients', 'register', '--store']]) {
        const before = server.requests.length;
        const run = await svc(['oauth', ...command, '--base-url', server.url]);
        const expected = { code: 3, stdout: '', opened: [], stderr: expect.stringContaining(text) };
        expect(run, what).toMatchObject(expected);
        expect(server.requests.slice(before)).toHaveLength(1);
      }
    }
  });

  it('lead to an error where they are no JSON object, or do not come', async () => {
    const html = { 'content-type': 'text/html' };
    for (const [body, status, headers, code, text] of [
      ['', 404, {}, 3, 'this address has no authorization server'],
      ['', 302, { location: 'https://evil.example/' }, 3, 'redirects to https://evil.example'],
      ['<!doctype html>', 200, html, 7, 'HTML page'],
      ['[]', 200, {}, 3, 'not a JSON object'],
      ['null', 200, {}, 3, 'not a JSON object'],
      ['', 200, {}, 7, 'it is empty'],
      ['{"issuer":', 200, {}, 7, 'it is not JSON'],
      [JSON.stringify({ issuer: 'x'.repeat(2 ** 20) }), 200, {}, 7, 'larger than 1048576 bytes'],
      [`${'['.repeat(1000)}${']'.repeat(1000)}`, 200, {}, 7, 'nested more than 256 levels deep'],
      ['', 503, {}, 7, 'answered 503'],
    ] as const) {
      serve(body, status, headers);
      const run = await discover();
      expect({ code: run.code, stdout: run.stdout }, text).toEqual({ code, stdout: '' });
      expect(failure(run).message).toContain(text);
    }
  });
});

describe('svc oauth discovery', () => {
  it('connects by http on this machine only', async () => {
    for (const base of ['http://192.0.2.1', 'http://127.0.0.1.evil.example', 'http://0.0.0.0']) {
      const run = await discover(base);
      expect({ base, code: run.code }).toEqual({ base, code: 2 });
      expect(run.stderr).toContain('unencrypted');
    }
  });

  describe('over TLS', () => {
    const authority = new Authority();
    afterAll(() => authority.remove());

    it('is verified, and an https issuer may not have an http endpoint', async () => {
      const plain = await faultServer((socket) => void socket.end());
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
      expect(plain.connections).toBe(0);
      await Promise.all([plain.close(), tls.close()]);
    });
  });
});
