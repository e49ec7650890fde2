/** Discovery and registration against doc 2 §5 and RFC 7591. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wire } from '../../support/alertmanager.ts';
import { answered, metadata, REDIRECT, register } from './hand-client.ts';
import { startService, type TestService } from './service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe('the OAuth addresses of the sandbox', () => {
  it('have exactly the documented metadata', async () => {
    const { url } = service;
    const answer = answered(await wire(url, '/.well-known/oauth-authorization-server'));
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json; charset=utf-8' } });
    expect(answer.json).toEqual({
      issuer: url,
      authorization_endpoint: `${url}/oauth/authorize`,
      token_endpoint: `${url}/oauth/token`,
      registration_endpoint: `${url}/oauth/register`,
      scopes_supported: ['mcp:connect'],
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    });
  });

  it('refuse other methods, other paths, other names of this machine and endless bodies', async () => {
    for (const [method, path, allow] of [
      ['GET', '/oauth/token', 'POST'],
      ['HEAD', '/oauth/authorize', 'GET'],
    ] as const) {
      const { status, headers } = await wire(service.url, path, { method, headers: { 'content-length': '0' } });
      expect({ path, status, allow: headers.allow }).toEqual({ path, status: 405, allow });
    }
    expect(answered(await wire(service.url, '/oauth/revoke'))).toMatchObject({
      status: 404,
      json: { error: { code: 'not_found' } },
    });
    const headers = { host: 'evil.example', 'content-type': 'application/json' };
    const strange = { method: 'POST', headers, body: JSON.stringify(metadata()) };
    expect((await wire(service.url, '/oauth/register', strange)).status).toBe(403);
    const long = { method: 'POST', headers: { 'content-type': 'application/json' }, body: ' '.repeat((1 << 20) + 1) };
    expect((await wire(service.url, '/oauth/register', long)).status).toBe(413);
  });
});

describe('a registration at the sandbox', () => {
  it('creates a client of the requested method, with a secret if it needs one', async () => {
    for (const token_endpoint_auth_method of ['none', 'client_secret_basic', 'client_secret_post']) {
      const { status, headers, json } = await register(service, metadata({ token_endpoint_auth_method }));
      expect([status, headers['cache-control']]).toEqual([201, 'no-store']);
      const secret = { client_secret: expect.stringMatching(/^cs_[\w-]{43}$/), client_secret_expires_at: 0 };
      expect(json).toEqual({
        ...metadata({ token_endpoint_auth_method }),
        client_id: expect.stringMatching(/^client_[0-9a-f]{18}$/),
        client_id_issued_at: expect.closeTo(Date.now() / 1000, -1),
        ...(token_endpoint_auth_method === 'none' ? {} : secret),
      });
    }
  });

  it('refuses other redirects', async () => {
    for (const redirect_uris of [
      undefined,
      REDIRECT,
      [7],
      ['/callback'],
      ['https://app.example.com/callback/'],
      ['http://127.0.0.1.evil.example/'],
      ['http://ann@127.0.0.1:8250/'],
      [`${REDIRECT}#`],
      [REDIRECT, 'https://evil.example/'],
    ]) {
      const { status, json } = await register(service, metadata({ redirect_uris }));
      expect([redirect_uris, status, json['error']]).toEqual([redirect_uris, 400, 'invalid_redirect_uri']);
    }
  });

  it('refuses other metadata', async () => {
    for (const body of [
      metadata({ token_endpoint_auth_method: 'private_key_jwt' }),
      metadata({ grant_types: ['refresh_token'] }),
      metadata({ grant_types: ['authorization_code', 'password'] }),
      metadata({ response_types: ['token'] }),
      metadata({ scope: 'mcp:connect admin' }),
      metadata({ client_name: 7 }),
      '{',
      '[]',
    ]) {
      const { status, json } = await register(service, body);
      expect([body, status, json]).toEqual([
        body,
        400,
        { error: 'invalid_client_metadata', error_description: expect.any(String) },
      ]);
    }
  });

  it('refuses a form or text, which another web page could send', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/jsonp', '']) {
      const { status, json } = await register(service, metadata(), type);
      expect([type, status, json['error']]).toEqual([type, 400, 'invalid_client_metadata']);
    }
    expect((await register(service, metadata(), 'Application/JSON; charset=utf-8')).status).toBe(201);
  });
});
