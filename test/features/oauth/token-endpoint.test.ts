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

interface Options {
  readonly client?: OAuthClient;
  readonly path?: string;
  readonly more?: TargetOptions;
}

async function request(fault: Fault, { client = PUBLIC, path = '/oauth/token', more = {} }: Options = {}) {
  await using server = await faultServer(fault);
  const target = targetFor(server.url, { level: 2, ...more });
  const fields = { grant_type: 'refresh_token', refresh_token: OLD };
  const sent = requestToken({ target, endpoint: server.url + path, client, fields });
  const outcome = await sent.catch((error: unknown) => error as SvcError);
  return { outcome, requests: server.requests, events: target.events };
}

const says = (status: number, body: unknown, headers: Record<string, string> = {}): Fault => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (socket) => socket.write(answer(status, text, headers));
};

describe('a request to the token endpoint', () => {
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

  const odd = 'a:b%c+d e!*()\'="/f&ü';

  it('form-encodes both parts of Basic before base64, and sends no other secret', async () => {
    // RFC 6749 §2.3.1: strict servers refuse a naive base64 of the two.
    const encoded = 'a%3Ab%25c%2Bd+e%21*%28%29%27%3D%22%2Ff%26%C3%BC';
    const client = { client_id: odd, client_secret: odd, token_endpoint_auth_method: 'client_secret_basic' } as const;
    const { requests } = await request(says(200, TOKEN), { client });
    const [, basic = ''] = requests[0]?.headers['authorization']?.split(' ') ?? [];
    expect(Buffer.from(basic, 'base64').toString()).toBe(`${encoded}:${encoded}`);
    expect(new URLSearchParams(requests[0]?.body).has('client_secret')).toBe(false);
  });

  it('has a posted secret in the form only', async () => {
    const client = { client_id: odd, client_secret: odd, token_endpoint_auth_method: 'client_secret_post' } as const;
    const { requests } = await request(says(200, TOKEN), { client });
    expect(requests[0]?.headers['authorization']).toBeUndefined();
    const fields = { grant_type: 'refresh_token', refresh_token: OLD, client_id: odd, client_secret: odd };
    expect(Object.fromEntries(new URLSearchParams(requests[0]?.body))).toEqual(fields);
  });

  it('has custom headers at its own origin only, and never another credential', async () => {
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
    const sent = requestToken({ target, endpoint, client: PUBLIC, fields: {} });
    await expect(sent).rejects.toMatchObject({ code: 'credential_unusable' });
  });

  it('is sent in a dry run, too, because a read may need a token', async () => {
    const { outcome, requests } = await request(says(200, TOKEN), { more: { dryRun: true } });
    expect([outcome, requests.length]).toEqual([TOKEN, 1]);
  });

  it('shows no secret, not even one that the service repeats', async () => {
    const echo = `${OLD} ${encodeURIComponent('s&cret-0123')} s&cret-0123`;
    const client = {
      client_id: 'c1',
      client_secret: 's&cret-0123',
      token_endpoint_auth_method: 'client_secret_post',
    } as const;
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

describe('the response of the token endpoint', () => {
  it('is a grant with every lifetime that can be read', async () => {
    for (const [change, lifetime] of [
      [{ token_type: 'bEARER' }, 3600],
      [{ token_type: '' }, 3600],
      [{ expires_in: '3600' }, 3600],
      [{ expires_in: 1e99 }, 315_360_000],
      [{ expires_in: -5 }, undefined],
      [{ expires_in: null, refresh_token: null, scope: null }, undefined],
      [{ refresh_token: '' }, 3600],
      [{ refresh_token: undefined, new_field: {} }, 3600],
    ] as const) {
      const body: Partial<typeof TOKEN> = { ...TOKEN, ...(change as object) };
      const grant = (await request(says(200, body))).outcome as TokenGrant;
      expect([change, grant.access_token, grant.expires_in, grant.refresh_token]).toEqual([
        change,
        TOKEN.access_token,
        lifetime,
        body.refresh_token || undefined,
      ]);
    }
  });

  it('is a failure in any other shape, and nothing is sent again', async () => {
    const faults: Readonly<Record<string, readonly [exit: number, fault: Fault]>> = {
      'another type': [3, says(200, { ...TOKEN, token_type: 'mac' })],
      'a token with a line break': [3, says(200, { ...TOKEN, access_token: 'a\r\nb' })],
      'an array': [3, says(200, [TOKEN])],
      nothing: [7, says(200, '')],
      'half of it': [7, says(200, JSON.stringify(TOKEN).slice(0, 80))],
      'an HTML page': [7, says(200, '<html>', { 'content-type': 'text/html' })],
      'two megabytes': [7, says(200, `"${'x'.repeat(2_000_000)}"`)],
      'something that is not HTTP': [7, (socket) => socket.end('hello\r\n\r\n')],
      'a reset': [7, (socket) => socket.resetAndDestroy()],
      'a cut body': [7, (socket) => socket.end(answer(200, JSON.stringify(TOKEN)).slice(0, -20))],
    };
    for (const [what, [exit, fault]] of Object.entries(faults)) {
      const { outcome, requests } = await request(fault);
      expect(outcome, what).toMatchObject({ exit });
      expect(outcome, what).not.toBeInstanceOf(OAuthRefusal);
      expect(requests.length, what).toBe(1);
    }
  });

  it('is a refusal with the error of OAuth', async () => {
    for (const [status, body, error] of [
      [400, { error: 'invalid_grant' }, 'invalid_grant'],
      [401, { error: 'invalid_client' }, 'invalid_client'],
      [200, { error: 'invalid_grant' }, 'invalid_grant'],
      [404, { error: 'not_found' }, 'not_found'],
      // The error format of the other endpoints is not an OAuth error.
      [404, { error: { code: 'not_found', message: 'x' } }, ''],
      [400, { error: { code: 'bad_request', message: 'x' } }, ''],
    ] as const) {
      const { outcome } = await request(says(status, body));
      expect(outcome).toBeInstanceOf(OAuthRefusal);
      expect([status, outcome]).toMatchObject([status, { error, code: 'unauthorized' }]);
    }
  });

  it('says nothing about the login where it is of a proxy, of a limit or of a broken service', async () => {
    for (const [status, body, code] of [
      [403, '<html>', 'forbidden'],
      [404, {}, 'not_found'],
      [429, { error: 'slow_down' }, 'limited'],
      [503, { error: 'server_error' }, 'server_error'],
    ] as const) {
      const { outcome } = await request(says(status, body));
      expect(outcome).not.toBeInstanceOf(OAuthRefusal);
      expect([status, outcome]).toMatchObject([status, { code }]);
    }
  });
});
