/** The authorization endpoint against doc 2 §5, RFC 6749 §4.1 and RFC 7636. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wire } from '../../support/alertmanager.ts';
import {
  authorize,
  authorizeQuery,
  CHALLENGE,
  client,
  exchangeFields,
  FORM,
  parametersOf,
  REDIRECT,
  type Registered,
  token,
} from './hand-client.ts';
import { startService, type TestService } from './service.ts';

/** One that asks, and one that does not. */
let asking: TestService;
let silent: TestService;
let known: Registered;
let now = Date.UTC(2026, 5, 1, 12);
beforeAll(async () => {
  [asking, silent] = await Promise.all([
    startService({ now: () => now }),
    startService({ now: () => now, autoApprove: true }),
  ]);
  known = await client(silent);
});
afterAll(() => Promise.all([asking.close(), silent.close()]));

async function question(clientName = 'by hand'): Promise<{ readonly id: string; readonly page: string }> {
  const { client_id } = await client(asking, { client_name: clientName });
  const { status, body } = await authorize(asking, authorizeQuery(client_id));
  expect(status).toBe(200);
  return { page: body, id: /name="question" value="([^"]+)"/.exec(body)?.[1] ?? '' };
}

const decide = (fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = FORM) =>
  wire(asking.url, '/oauth/decision', { method: 'POST', headers, body: new URLSearchParams(fields).toString() });

describe('the page', () => {
  test('has no scripts, is not cached and cannot be framed', async () => {
    const { client_id } = await client(asking);
    const { headers } = await authorize(asking, authorizeQuery(client_id));
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
  });

  test('names the client and the redirect, as text', async () => {
    const { page } = await question(`<script>alert("1")</script>'&`);
    expect(page).toContain('<strong>&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;&#39;&#38;</strong>');
    expect(page).toContain('<code>http://127.0.0.1:8250</code>');
    expect(page).not.toContain('<script');
    expect((await question('')).page).toMatch(/<strong>client_[0-9a-f]+<\/strong>/);
  });

  test('Approve redirects with a code and the unchanged state', async () => {
    const { id } = await question();
    const answer = await decide({ question: id, decision: 'approve' });
    expect(answer).toMatchObject({ status: 303, body: '', headers: { 'referrer-policy': 'no-referrer' } });
    expect(answer.headers.location?.startsWith(`${REDIRECT}?`)).toBe(true);
    expect(parametersOf(answer)).toEqual({ code: expect.stringMatching(/^code_[\w-]{43}$/), state: 's t&a+te' });
  });

  test.each(['deny', '', 'APPROVE'])('%j is not an approval', async (decision) => {
    const { id } = await question();
    expect(parametersOf(await decide({ question: id, decision }))).toEqual({
      error: 'access_denied',
      error_description: expect.any(String),
      state: 's t&a+te',
    });
  });

  test('accepts one answer, in time, from its own form', async () => {
    const { id } = await question();
    await decide({ question: id, decision: 'deny' });
    const late = await question();
    const refused = [
      await decide({ question: id, decision: 'approve' }),
      await decide({ question: 'q_guess', decision: 'approve' }),
      await decide({ decision: 'approve' }),
      await decide({ question: late.id, decision: 'approve' }, { 'content-type': 'text/plain' }),
    ];
    now += 10 * 60_000;
    refused.push(await decide({ question: late.id, decision: 'approve' }));
    for (const { status, headers } of refused) {
      expect({ status, type: headers['content-type'], location: headers.location }).toEqual({
        status: 400,
        type: 'text/html; charset=utf-8',
        location: undefined,
      });
    }
  });
});

test('with --auto-approve there is no page', async () => {
  const answer = await authorize(silent, authorizeQuery(known.client_id));
  expect([answer.status, parametersOf(answer)]).toEqual([303, { code: expect.any(String), state: 's t&a+te' }]);
});

test('a redirect keeps its own query, and a missing state stays missing', async () => {
  const { client_id } = await client(silent, { redirect_uris: [`${REDIRECT}?a=1`] });
  const query = authorizeQuery(client_id, { redirect_uri: `${REDIRECT}?a=1`, state: undefined, scope: undefined });
  expect(parametersOf(await authorize(silent, query))).toEqual({ a: '1', code: expect.any(String) });
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
    const { status, headers, body } = await authorize(silent, query());
    expect(status).toBe(400);
    expect(headers.location).toBeUndefined();
    expect(body).toContain('<title>This sign-in cannot go on</title>');
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
    const answer = await authorize(silent, authorizeQuery(known.client_id, changes));
    expect(answer.status).toBe(303);
    expect(parametersOf(answer)).toEqual({ error, error_description: expect.any(String), state: 's t&a+te' });
  });
});

test('a code is valid for a minute', async () => {
  const codes = await Promise.all([1, 2].map(() => authorize(silent, authorizeQuery(known.client_id))));
  const [early = '', late = ''] = codes.map((answer) => parametersOf(answer)['code']);
  now += 59_999;
  expect((await token(silent, exchangeFields(known, early))).status).toBe(200);
  now += 1;
  expect(await token(silent, exchangeFields(known, late))).toMatchObject({
    status: 400,
    json: { error: 'invalid_grant', error_description: 'the code is too old' },
  });
});
