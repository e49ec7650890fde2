import { describe, expect, it } from 'vitest';
import { type OAuthClient, requestToken, type TokenOutcome } from '../../../src/features/oauth/token-endpoint.ts';
import { answer, type Fault, faultServer } from '../../http/servers.ts';
import { type TargetOptions, targetFor } from '../../http/targets.ts';

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
  const target = targetFor(server.url, { level: 2, ...more });
  const fields = { grant_type: 'refresh_token', refresh_token: OLD };
  const outcome = await requestToken({ target, tokenEndpoint: server.url + path, client, fields, timeoutMs: 1000 });
  return { outcome, requests: server.requests, events: target.events, warnings: target.warnings };
}

const says = (status: number, body: unknown, headers: Record<string, string> = {}): Fault => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (socket) => socket.write(answer(status, text, headers));
};
const summary = (outcome: TokenOutcome) =>
  outcome.kind === 'granted' ? outcome : { kind: outcome.kind, code: outcome.failure.code };

describe('the request', () => {
  it('is a form with each field once and the client', async () => {
    const { requests, outcome } = await request(says(200, TOKEN), { path: '/oauth/token?tenant={a}' });
    expect(outcome).toEqual({ kind: 'granted', grant: TOKEN });
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
    const tokenEndpoint = 'http://api.example.com/oauth/token';
    await expect(requestToken({ target, tokenEndpoint, client: PUBLIC, fields: {} })).rejects.toMatchObject({
      code: 'credential_unusable',
    });
  });

  it('is sent in a dry run, too, because a read may need a token', async () => {
    const { outcome, requests } = await request(says(200, TOKEN), { more: { dryRun: true } });
    expect([outcome.kind, requests.length]).toEqual(['granted', 1]);
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
      const shown = JSON.stringify([events, outcome.kind === 'granted' ? '' : outcome.failure.message]);
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
    expect(outcome).toMatchObject({ kind: 'granted', grant: expected });
    if (outcome.kind !== 'granted') return;
    if (!('expires_in' in expected)) expect(outcome.grant.expires_in).toBeUndefined();
    expect(outcome.grant.refresh_token).toBe(body.refresh_token || undefined);
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
  ] as [string, number, Fault][])(
    '%s leaves the outcome unknown: the service may have acted',
    async (_, exit, fault) => {
      const { outcome, requests } = await request(fault);
      expect(summary(outcome)).toMatchObject({ kind: 'unclear' });
      expect((outcome as { failure: { exit: number } }).failure.exit).toBe(exit);
      expect(requests.length).toBe(1);
    },
  );

  it.each([
    ['a reset', (socket) => socket.resetAndDestroy(), 'connection_lost'],
    ['silence', () => {}, 'timeout'],
    ['a cut body', (socket) => socket.end(answer(200, JSON.stringify(TOKEN)).slice(0, -20)), 'connection_lost'],
  ] as [string, Fault, string][])('%s leaves the outcome unknown', async (_, fault, code) => {
    const { outcome, requests } = await request(fault);
    expect([summary(outcome), requests.length]).toEqual([{ kind: 'unclear', code }, 1]);
  });

  it.each([
    [400, { error: 'invalid_grant' }, 'invalid_grant', 'unauthorized'],
    [401, { error: 'invalid_client' }, 'invalid_client', 'unauthorized'],
    [400, { error: 'invalid_request' }, 'invalid_request', 'refused'],
    [200, { error: 'invalid_grant' }, 'invalid_grant', 'unauthorized'],
    [403, '<html>', '', 'forbidden'],
    [404, {}, '', 'wrong_path'],
    [404, { error: { code: 'not_found', message: 'x' } }, '', 'unauthorized'],
    [404, { error: 'not_found' }, 'not_found', 'unauthorized'],
    // The error format of the other endpoints is not an OAuth error.
    [400, { error: { code: 'bad_request', message: 'x' } }, '', 'refused'],
  ])('%i with %j is a refusal', async (status, body, error, code) => {
    const { outcome } = await request(says(status, body));
    expect(outcome).toMatchObject({ kind: 'refused', error, failure: { code } });
  });

  it('does not follow a redirect', async () => {
    await using elsewhere = await faultServer(says(200, TOKEN));
    const { outcome } = await request(says(307, '', { location: `${elsewhere.url}/t` }));
    expect([summary(outcome), elsewhere.connections]).toEqual([{ kind: 'refused', code: 'redirected' }, 0]);
  });

  it('says how long to wait for a busy service', async () => {
    const busy = await request(says(429, {}, { 'retry-after': '7' }));
    expect(busy.outcome).toMatchObject({ kind: 'busy', retryAfterMs: 7000, failure: { code: 'limited' } });
    const broken = await request(says(503, 'x'));
    expect(broken.outcome).toMatchObject({ kind: 'busy', retryAfterMs: undefined, failure: { code: 'server_error' } });
  });

  it('without a connection nothing was sent', async () => {
    const server = await faultServer(() => {});
    await server.close();
    const target = targetFor(server.url);
    const outcome = await requestToken({ target, tokenEndpoint: `${server.url}/t`, client: PUBLIC, fields: {} });
    expect(summary(outcome)).toEqual({ kind: 'unsent', code: 'connect_failed' });
  });
});
