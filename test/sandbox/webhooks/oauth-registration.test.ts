/** Discovery and registration against doc 2 §5 and RFC 7591. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wire } from '../../support/alertmanager.ts';
import { answered, metadata, REDIRECT, register } from './hand-client.ts';
import { startService, type TestService } from './service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test('serves exactly the documented metadata', async () => {
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

test.each([
  ['POST', '/.well-known/oauth-authorization-server', 'GET'],
  ['GET', '/oauth/register', 'POST'],
  ['GET', '/oauth/token', 'POST'],
  ['PUT', '/oauth/token', 'POST'],
  ['POST', '/oauth/authorize', 'GET'],
  ['HEAD', '/oauth/authorize', 'GET'],
])('%s %s: 405', async (method, path, allow) => {
  const answer = await wire(service.url, path, { method, headers: { 'content-length': '0' } });
  expect({ status: answer.status, allow: answer.headers.allow }).toEqual({ status: 405, allow });
});

test.each([
  '/oauth',
  '/oauth/',
  '/oauth/token/',
  '/oauth/revoke',
  '/oauth/introspect',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server/',
])('the document has no %s', async (path) => {
  expect(answered(await wire(service.url, path))).toMatchObject({
    status: 404,
    json: { error: { code: 'not_found' } },
  });
});

test('refuses other names of this machine, and an endless body', async () => {
  const headers = { host: 'evil.example', 'content-type': 'application/json' };
  const body = JSON.stringify(metadata());
  const strange = await wire(service.url, '/oauth/register', { method: 'POST', headers, body });
  expect([strange.status, strange.headers['access-control-allow-origin']]).toEqual([403, undefined]);
  const long = { method: 'POST', headers: { 'content-type': 'application/json' }, body: ' '.repeat((1 << 20) + 1) };
  expect((await wire(service.url, '/oauth/register', long)).status).toBe(413);
});

describe('registration', () => {
  test.each(['none', 'client_secret_basic', 'client_secret_post'])('%s', async (token_endpoint_auth_method) => {
    const { status, headers, json } = await register(service, metadata({ token_endpoint_auth_method }));
    expect([status, headers['cache-control']]).toEqual([201, 'no-store']);
    const secret = { client_secret: expect.stringMatching(/^cs_[\w-]{43}$/), client_secret_expires_at: 0 };
    expect(json).toEqual({
      ...metadata({ token_endpoint_auth_method }),
      client_id: expect.stringMatching(/^client_[0-9a-f]{18}$/),
      client_id_issued_at: expect.closeTo(Date.now() / 1000, -1),
      ...(token_endpoint_auth_method === 'none' ? {} : secret),
    });
  });

  test('applies the defaults of RFC 7591 §2, and ignores unknown fields', async () => {
    const { status, json } = await register(service, { redirect_uris: [REDIRECT], logo_uri: 'x', application_type: 1 });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      client_secret: expect.any(String),
    });
    expect(json).not.toHaveProperty('logo_uri');
  });

  test('creates a new client each time', async () => {
    const [one, other] = await Promise.all([register(service), register(service)]);
    expect(one.json['client_id']).not.toBe(other.json['client_id']);
  });

  test.each([
    'http://127.0.0.1:8250/callback',
    'http://127.0.0.1/callback',
    'http://localhost:1/',
    'http://[::1]:65535/a?b=c',
    'https://app.example.com/callback',
  ])('accepts the redirect %s', async (uri) => {
    const { status, json } = await register(service, metadata({ redirect_uris: [uri] }));
    expect([status, json['redirect_uris']]).toEqual([201, [uri]]);
  });

  test.each([
    [undefined],
    [[]],
    [REDIRECT],
    [[7]],
    [['/callback']],
    [['https://app.example.com/callback/']],
    [['https://app.example.com/callback?x=1']],
    [['https://127.0.0.1/callback']],
    [['http://app.example.com/callback']],
    [['http://127.0.0.1.evil.example/']],
    [['http://192.168.0.7/']],
    [['http://127.0.0.2:8250/callback']],
    [['http://0.0.0.0:8250/callback']],
    [['http://ann@127.0.0.1:8250/']],
    [[`${REDIRECT}#part`]],
    [[`${REDIRECT}#`]],
    [['app:/callback']],
    [['javascript:alert(1)']],
    [[REDIRECT, 'https://evil.example/']],
  ])('redirect_uris %j is refused', async (redirect_uris) => {
    const { status, json } = await register(service, metadata({ redirect_uris }));
    expect([status, json]).toEqual([400, { error: 'invalid_redirect_uri', error_description: expect.any(String) }]);
  });

  test.each([
    [metadata({ token_endpoint_auth_method: 'private_key_jwt' })],
    [metadata({ token_endpoint_auth_method: null })],
    [metadata({ grant_types: ['client_credentials'] })],
    [metadata({ grant_types: ['refresh_token'] })],
    [metadata({ grant_types: ['authorization_code', 'password'] })],
    [metadata({ grant_types: 'authorization_code' })],
    [metadata({ response_types: ['token'] })],
    [metadata({ response_types: ['code', 'token'] })],
    [metadata({ scope: 'mcp:connect admin' })],
    [metadata({ client_name: 7 })],
    ['{'],
    ['[]'],
    ['null'],
    [''],
  ])('%j is refused', async (body) => {
    const { status, json } = await register(service, body);
    expect([status, json]).toEqual([400, { error: 'invalid_client_metadata', error_description: expect.any(String) }]);
  });

  test('refuses a form or text, which another web page could send', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/jsonp', '']) {
      const { status, json } = await register(service, metadata(), type);
      expect([type, status, json['error']]).toEqual([type, 400, 'invalid_client_metadata']);
    }
    expect((await register(service, metadata(), 'Application/JSON; charset=utf-8')).status).toBe(201);
  });

  test('an error has only allowed characters', async () => {
    const { json } = await register(service, metadata({ redirect_uris: ['no "\u202e\\ \u001b[31m address'] }));
    expect(json['error_description']).toBe('no ??? ?[31m address is no address');
  });
});
