import { describe, expect, it } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import type { TokenGrant } from '../../../src/features/oauth/schema.ts';
import { type OAuthClient, OAuthRefusal, requestToken } from '../../../src/features/oauth/token-endpoint.ts';
import { answer, type Fault, faultServer } from '../../support/servers.ts';
import { type TargetOptions, targetFor } from '../../support/targets.ts';

const TOKEN = {
  access_token: 'at-new-0123456789',
  token_type: 'Bearer',
  expires_in: 3600,
  refresh_token: 'rt-new-0123456789',
  scope: 'mcp:connect',
  email: '',
};
const PUBLIC: OAuthClient = { client_id: 'c1', token_endpoint_auth_method: 'none' };
const OLD = 'rt-old-0123456789';

async function request(
  fault: Fault,
  {
    client = PUBLIC,
    path = '/oauth/token',
    more = {},
  }: { client?: OAuthClient; path?: string; more?: TargetOptions } = {},
) {
  await using server = await faultServer(fault);
  const target = targetFor(server.url, { level: 2, timeoutMs: 1000, ...more });
  const fields = { grant_type: 'refresh_token', refresh_token: OLD };
  const sent = requestToken({ target, endpoint: server.url + path, client, fields });
  const outcome = await sent.catch((error: unknown) => error as SvcError);
  return { outcome, requests: server.requests, events: target.events, warnings: target.warnings };
}

const says = (status: number, body: unknown, headers: Record<string, string> = {}): Fault => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (socket) => socket.write(answer(status, text, headers));
};
describe('the request', () => {
  it('is a form with each field once and the client', async () => {
    const { requests, outcome } = await request(says(200, TOKEN), { path: '/oauth/token?tenant={a}' });
    expect(outcome).toEqual(TOKEN);
    expect(requests).toMatchObject([
      {
        method: 'POST',
        path: '/oauth/token?tenant=%7Ba%7D',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `grant_type=refresh_token&refresh_token=${OLD}&client_id=c1`,
      },
    ]);
    expect(requests[0]?.headers['authorization']).toBeUndefined();
  });

  // RFC 6749 §2.3.1: a naive base64 of the two is refused by strict servers.
  const odd = 'a:b%c+d e!*()\'="/f&ü';
  const encoded = 'a%3Ab%25c%2Bd+e%21*%28%29%27%3D%22%2Ff%26%C3%BC';

  it('form-encodes both parts of Basic before base64, and sends no other secret', async () => {
    const client: OAuthClient = {
      client_id: odd,
      client_secret: odd,
      token_endpoint_auth_method: 'client_secret_basic',
    };
    const { requests } = await request(says(200, TOKEN), { client });
    const [, basic = ''] = requests[0]?.headers['authorization']?.split(' ') ?? [];
    expect(Buffer.from(basic, 'base64').toString()).toBe(`${encoded}:${encoded}`);
    expect(new URLSearchParams(requests[0]?.body).has('client_secret')).toBe(false);
  });

  it('puts a posted secret into the form only', async () => {
    const client: OAuthClient = {
      client_id: odd,
      client_secret: odd,
      token_endpoint_auth_method: 'client_secret_post',
    };
    const { requests } = await request(says(200, TOKEN), { client });
    expect(requests[0]?.headers['authorization']).toBeUndefined();
    expect(Object.fromEntries(new URLSearchParams(requests[0]?.body))).toEqual({
      grant_type: 'refresh_token',
      refresh_token: OLD,
      client_id: odd,
      client_secret: odd,
    });
  });

  it('sends custom headers to its own origin only, and never another credential', async () => {
    const headers = { 'x-gate': 'g', authorization: 'Bearer other' };
    const same = await request(says(200, TOKEN), { more: { headers } });
    expect(same.requests[0]?.headers).toMatchObject({ 'x-gate': 'g' });
    expect(same.requests[0]?.headers['authorization']).toBeUndefined();
    const other = await request(says(200, TOKEN), { more: { headers, baseUrl: new URL('https://api.example.com') } });
    expect(other.requests[0]?.headers['x-gate']).toBeUndefined();
  });

  it('is never sent unencrypted', async () => {
    const target = targetFor('https://api.example.com');
    const endpoint = 'http://api.example.com/oauth/token';
    await expect(requestToken({ target, endpoint, client: PUBLIC, fields: {} })).rejects.toMatchObject({
      code: 'credential_unusable',
    });
  });

  it('is sent in a dry run, too, because a read may need a token', async () => {
    const { outcome, requests } = await request(says(200, TOKEN), { more: { dryRun: true } });
    expect([outcome, requests.length]).toEqual([TOKEN, 1]);
  });

  it('shows no secret, not even one that the service repeats', async () => {
    const echo = `${OLD} ${encodeURIComponent('s&cret-0123')} s&cret-0123`;
    const client: OAuthClient = {
      client_id: 'c1',
      client_secret: 's&cret-0123',
      token_endpoint_auth_method: 'client_secret_post',
    };
    for (const fault of [
      says(200, { ...TOKEN, note: echo }),
      says(400, { error: 'invalid_grant', error_description: echo }, { 'x-echo': OLD }),
      says(500, echo),
      says(302, '', { location: `https://x/?refresh_token=${OLD}` }),
      says(302, '', { location: `https://x/back/${OLD}` }),
      says(200, TOKEN, { 'content-encoding': OLD }),
    ]) {
      const { outcome, events } = await request(fault, { client });
      const shown = JSON.stringify([events, outcome instanceof SvcError ? outcome.message : '']);
      expect(shown).not.toMatch(/rt-old|cret-0123|at-new|rt-new/);
      expect(events.length).toBeGreaterThan(2);
    }
  });
});

describe('the response', () => {
  it.each([
    ['a type in another case', { ...TOKEN, token_type: 'bEARER' }, { expires_in: 3600 }],
    ['a lifetime as text', { ...TOKEN, expires_in: '3600' }, { expires_in: 3600 }],
    ['a lifetime beyond all bounds', { ...TOKEN, expires_in: 1e99 }, { expires_in: 315_360_000 }],
    ['no lifetime', { ...TOKEN, expires_in: undefined }, {}],
    ['null for what is optional', { ...TOKEN, expires_in: null, refresh_token: null, scope: null }, {}],
    ['no type', { ...TOKEN, token_type: undefined }, { expires_in: 3600 }],
    ['an empty type', { ...TOKEN, token_type: '' }, { expires_in: 3600 }],
    ['a lifetime below zero', { ...TOKEN, expires_in: -5 }, {}],
    ['an empty refresh token', { ...TOKEN, refresh_token: '' }, { expires_in: 3600 }],
    ['no new refresh token', { ...TOKEN, refresh_token: undefined, new_field: {} }, { expires_in: 3600 }],
  ])('%s is a grant', async (_, body, expected) => {
    const { outcome } = await request(says(200, body));
    expect(outcome).toMatchObject({ ...expected, access_token: TOKEN.access_token });
    if (!('expires_in' in expected)) expect(outcome).not.toMatchObject({ expires_in: expect.anything() });
    expect((outcome as TokenGrant).refresh_token).toBe(body.refresh_token || undefined);
  });

  it.each([
    ['another type', 3, says(200, { ...TOKEN, token_type: 'mac' })],
    ['a token with a line break', 3, says(200, { ...TOKEN, access_token: 'a\r\nb' })],
    ['an empty object', 3, says(200, {})],
    ['an array', 3, says(200, [TOKEN])],
    ['null', 3, says(200, 'null')],
    ['nothing', 7, says(200, '')],
    ['half of it', 7, says(200, JSON.stringify(TOKEN).slice(0, 80))],
    ['an HTML page', 7, says(200, '<html>', { 'content-type': 'text/html' })],
    ['two megabytes', 7, says(200, `"${'x'.repeat(2_000_000)}"`)],
    ['something that is not HTTP', 7, (socket) => socket.end('hello\r\n\r\n')],
    ['a reset', 7, (socket) => socket.resetAndDestroy()],
    ['silence', 7, () => {}],
    ['a cut body', 7, (socket) => socket.end(answer(200, JSON.stringify(TOKEN)).slice(0, -20))],
  ] as [string, number, Fault][])('%s is a failure, and nothing is sent again', async (_, exit, fault) => {
    const { outcome, requests } = await request(fault);
    expect(outcome).toMatchObject({ exit });
    expect(outcome).not.toBeInstanceOf(OAuthRefusal);
    expect(requests.length).toBe(1);
  });

  it.each([
    [400, { error: 'invalid_grant' }, 'invalid_grant'],
    [401, { error: 'invalid_client' }, 'invalid_client'],
    [400, { error: 'invalid_request' }, 'invalid_request'],
    [200, { error: 'invalid_grant' }, 'invalid_grant'],
    [404, { error: 'not_found' }, 'not_found'],
    // The error format of the other endpoints is not an OAuth error.
    [404, { error: { code: 'not_found', message: 'x' } }, ''],
    [400, { error: { code: 'bad_request', message: 'x' } }, ''],
  ])('%i with %j is a refusal', async (status, body, error) => {
    const { outcome } = await request(says(status, body));
    expect(outcome).toBeInstanceOf(OAuthRefusal);
    expect(outcome).toMatchObject({ error, code: 'unauthorized' });
  });

  it.each([
    [403, '<html>', 'forbidden'],
    [404, {}, 'not_found'],
    [429, { error: 'slow_down' }, 'limited'],
    [503, { error: 'server_error' }, 'server_error'],
  ])('%i with %j says nothing about the login', async (status, body, code) => {
    const { outcome } = await request(says(status, body));
    expect(outcome).not.toBeInstanceOf(OAuthRefusal);
    expect(outcome).toMatchObject({ code });
  });

  it('does not follow a redirect', async () => {
    await using elsewhere = await faultServer(says(200, TOKEN));
    const { outcome } = await request(says(307, '', { location: `${elsewhere.url}/t` }));
    expect([(outcome as SvcError).code, elsewhere.connections]).toEqual(['redirected', 0]);
  });
});
