/** The authorization endpoint against doc 2 §5, RFC 6749 §4.1 and RFC 7636. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  authorize,
  authorizeQuery,
  CHALLENGE,
  client,
  exchangeFields,
  parametersOf,
  REDIRECT,
  type Registered,
  token,
} from './hand-client.ts';
import { startService, type TestService } from './service.ts';

let service: TestService;
let known: Registered;
let now = Date.UTC(2026, 5, 1, 12);
beforeAll(async () => {
  service = await startService({ now: () => now });
  known = await client(service);
});
afterAll(() => service.close());

describe('a sign-in at the sandbox', () => {
  it('is approved by a redirect with a code and the unchanged state', async () => {
    const answer = await authorize(service, authorizeQuery(known.client_id));
    expect(answer).toMatchObject({ status: 303, body: '', headers: { 'referrer-policy': 'no-referrer' } });
    expect(answer.headers.location?.startsWith(`${REDIRECT}?`)).toBe(true);
    expect(parametersOf(answer)).toEqual({ code: expect.stringMatching(/^code_[\w-]{43}$/), state: 's t&a+te' });
  });

  it('preserves the query of a redirect, and adds no state', async () => {
    const { client_id } = await client(service, { redirect_uris: [`${REDIRECT}?a=1`] });
    const query = authorizeQuery(client_id, { redirect_uri: `${REDIRECT}?a=1`, state: undefined, scope: undefined });
    expect(parametersOf(await authorize(service, query))).toEqual({ a: '1', code: expect.any(String) });
  });

  it('ends at a page where client or redirect are not known', async () => {
    const query = authorizeQuery(known.client_id);
    for (const wrong of [
      authorizeQuery('', { client_id: undefined }),
      authorizeQuery('client_other'),
      authorizeQuery(known.client_id, { redirect_uri: undefined }),
      authorizeQuery(known.client_id, { redirect_uri: 'http://127.0.0.1:8251/callback' }),
      `${query}&client_id=${known.client_id}`,
      `${query}&redirect_uri=${encodeURIComponent(REDIRECT)}`,
      `${query}&x=%zz`,
      '',
    ]) {
      const { status, headers, body } = await authorize(service, wrong);
      expect([status, headers.location, headers['content-type']], wrong).toEqual([
        400,
        undefined,
        'text/plain; charset=utf-8',
      ]);
      expect(body).not.toBe('');
    }
  });

  it('is redirected with an error where the request is not the documented one', async () => {
    for (const [changes, error] of [
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ scope: 'mcp:connect admin' }, 'invalid_scope'],
      [{ code_challenge: undefined }, 'invalid_request'],
      [{ code_challenge: CHALLENGE.slice(1) }, 'invalid_request'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      // Without a method it would be plain.
      [{ code_challenge_method: undefined }, 'invalid_request'],
    ] as const) {
      const answer = await authorize(service, authorizeQuery(known.client_id, changes));
      const expected = { error, error_description: expect.any(String), state: 's t&a+te' };
      expect([answer.status, parametersOf(answer)], JSON.stringify(changes)).toEqual([303, expected]);
    }
  });

  it('has a code that is valid for a minute', async () => {
    const codes = await Promise.all([1, 2].map(() => authorize(service, authorizeQuery(known.client_id))));
    const [early = '', late = ''] = codes.map((answer) => parametersOf(answer)['code']);
    now += 59_999;
    expect((await token(service, exchangeFields(known, early))).status).toBe(200);
    now += 1;
    expect(await token(service, exchangeFields(known, late))).toMatchObject({
      status: 400,
      json: { error: 'invalid_grant', error_description: 'the code is too old' },
    });
  });
});
