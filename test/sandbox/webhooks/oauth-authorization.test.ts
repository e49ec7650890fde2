/** The authorization endpoint against doc 2 §5, RFC 6749 §4.1 and RFC 7636. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

test('every sign-in is approved by a redirect with a code and the unchanged state', async () => {
  const answer = await authorize(service, authorizeQuery(known.client_id));
  expect(answer).toMatchObject({ status: 303, body: '', headers: { 'referrer-policy': 'no-referrer' } });
  expect(answer.headers.location?.startsWith(`${REDIRECT}?`)).toBe(true);
  expect(parametersOf(answer)).toEqual({ code: expect.stringMatching(/^code_[\w-]{43}$/), state: 's t&a+te' });
});

test('a redirect keeps its own query, and a missing state stays missing', async () => {
  const { client_id } = await client(service, { redirect_uris: [`${REDIRECT}?a=1`] });
  const query = authorizeQuery(client_id, { redirect_uri: `${REDIRECT}?a=1`, state: undefined, scope: undefined });
  expect(parametersOf(await authorize(service, query))).toEqual({ a: '1', code: expect.any(String) });
});

describe('an unknown client gets a page instead of a redirect', () => {
  test.each([
    ['no client', () => authorizeQuery('', { client_id: undefined })],
    ['another client', () => authorizeQuery('client_other')],
    ['no redirect_uri', () => authorizeQuery(known.client_id, { redirect_uri: undefined })],
    ['another path', () => authorizeQuery(known.client_id, { redirect_uri: `${REDIRECT}/x` })],
    ['another port', () => authorizeQuery(known.client_id, { redirect_uri: 'http://127.0.0.1:8251/callback' })],
    [
      'another name of this machine',
      () => authorizeQuery(known.client_id, { redirect_uri: 'http://localhost:8250/callback' }),
    ],
    ['another site', () => authorizeQuery(known.client_id, { redirect_uri: 'https://evil.example/' })],
    ['a client twice', () => `${authorizeQuery(known.client_id)}&client_id=${known.client_id}`],
    ['a redirect_uri twice', () => `${authorizeQuery(known.client_id)}&redirect_uri=${encodeURIComponent(REDIRECT)}`],
    ['a broken query', () => `${authorizeQuery(known.client_id)}&x=%zz`],
    ['no query', () => ''],
  ])('%s', async (_, query) => {
    const { status, headers, body } = await authorize(service, query());
    expect(status).toBe(400);
    expect(headers.location).toBeUndefined();
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(body).not.toBe('');
  });
});

describe('redirects with an error', () => {
  test.each([
    ['no response_type', { response_type: undefined }, 'unsupported_response_type'],
    ['the implicit grant', { response_type: 'token' }, 'unsupported_response_type'],
    ['another scope', { scope: 'mcp:connect admin' }, 'invalid_scope'],
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ['an empty challenge', { code_challenge: '' }, 'invalid_request'],
    ['a challenge with padding', { code_challenge: `${CHALLENGE}=` }, 'invalid_request'],
    ['a short challenge', { code_challenge: CHALLENGE.slice(1) }, 'invalid_request'],
    ['plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no method, which would be plain', { code_challenge_method: undefined }, 'invalid_request'],
    ['another case', { code_challenge_method: 's256' }, 'invalid_request'],
  ])('%s', async (_, changes, error) => {
    const answer = await authorize(service, authorizeQuery(known.client_id, changes));
    expect(answer.status).toBe(303);
    expect(parametersOf(answer)).toEqual({ error, error_description: expect.any(String), state: 's t&a+te' });
  });
});

test('a code is valid for a minute', async () => {
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
