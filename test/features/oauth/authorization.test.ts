/** The authorization request, accepted responses, and pasted text (RFC 6749 §3–4, RFC 7636, RFC 9207). */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Authorization, codeChallenge, randomValue } from '../../../src/features/oauth/authorization.ts';
import type { ServerMetadata } from '../../../src/features/oauth/discovery.ts';
import { readPastedQuery } from '../../../src/features/oauth/login.ts';

const SERVER: ServerMetadata = {
  issuer: 'https://service.example',
  authorization_endpoint: 'https://service.example/oauth/authorize',
  token_endpoint: 'https://service.example/oauth/token',
  code_challenge_methods_supported: ['S256'],
};
const REDIRECT = 'http://127.0.0.1:4711/callback/0123456789abcdef';

const begin = (more: Partial<ServerMetadata> = {}): { authorization: Authorization; state: string } => {
  const authorization = new Authorization({
    server: { ...SERVER, ...more },
    clientId: 'client 1&x',
    redirectUri: REDIRECT,
  });
  return { authorization, state: authorization.url.searchParams.get('state') ?? '' };
};

describe('a verifier', () => {
  it('has 256 bits in 43 characters, uniformly distributed', () => {
    const COUNT = 10_000;
    const values = Array.from({ length: COUNT }, randomValue);
    expect(new Set(values).size).toBe(COUNT);
    const seen = new Map<string, number>();
    for (const value of values) {
      expect(value).toMatch(/^[A-Za-z0-9_-]{43}$/);
      // The last character has only four bits.
      for (const character of value.slice(0, 42)) seen.set(character, (seen.get(character) ?? 0) + 1);
    }
    expect(seen.size).toBe(64);
    const draws = COUNT * 42;
    const deviation = Math.sqrt((draws / 64) * (63 / 64));
    for (const [character, count] of seen)
      expect(Math.abs(count - draws / 64), character).toBeLessThan(5.5 * deviation);
  });

  it('has the challenge of RFC 7636, appendix B', () => {
    expect(codeChallenge('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
      'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    );
  });
});

describe('the authorization request', () => {
  it('has every parameter of doc 2 §5 once, and no secret', () => {
    const { authorization } = begin();
    const { searchParams, origin, pathname, hash } = authorization.url;
    expect(`${origin}${pathname}${hash}`).toBe(SERVER.authorization_endpoint);
    expect([...searchParams.keys()]).toEqual([
      'response_type',
      'client_id',
      'redirect_uri',
      'scope',
      'state',
      'code_challenge',
      'code_challenge_method',
    ]);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'client 1&x',
      redirect_uri: REDIRECT,
      scope: 'mcp:connect',
      code_challenge_method: 'S256',
    });
    const verdict = authorization.judge(`state=${searchParams.get('state')}&code=c`);
    if (verdict.kind !== 'taken') throw new Error(verdict.kind);
    const { code_verifier: verifier } = verdict.value;
    expect(createHash('sha256').update(verifier).digest('base64url')).toBe(searchParams.get('code_challenge'));
    expect(authorization.url.href).not.toContain(verifier);
  });

  it('keeps the parameters of the endpoint, without duplicates', () => {
    const { authorization } = begin({
      authorization_endpoint: 'https://service.example/a?tenant=1&state=theirs&state=too&scope=all',
    });
    const { searchParams } = authorization.url;
    expect(searchParams.getAll('tenant')).toEqual(['1']);
    for (const name of ['state', 'scope', 'client_id']) expect(searchParams.getAll(name)).toHaveLength(1);
    expect(searchParams.get('scope')).toBe('mcp:connect');
  });

  it('shares no value with another attempt', () => {
    const [one, other] = [begin().authorization.url.searchParams, begin().authorization.url.searchParams];
    for (const name of ['state', 'code_challenge']) expect(one.get(name)).not.toBe(other.get(name));
  });
});

describe('the accepted response', () => {
  it('has the state and a code, and may have other parameters', () => {
    const { authorization, state } = begin();
    expect(authorization.judge(`foo=&session_state=a.b&code=c%2B1&state=${state}&foo=2&response=x`)).toMatchObject({
      kind: 'taken',
      value: { code: 'c+1', redirect_uri: REDIRECT },
    });
  });

  const REFUSED: readonly (readonly [string, (state: string) => string])[] = [
    ['no state', () => 'code=c'],
    ['an empty state', () => 'code=c&state='],
    ['another state', () => `code=c&state=${randomValue()}`],
    ['a state that is cut', (state) => `code=c&state=${state.slice(0, -1)}`],
    ['a state and more', (state) => `code=c&state=${state}x`],
    [
      'a state of another case',
      (state) => `code=c&state=${state.toLowerCase()}${state === state.toLowerCase() ? 'x' : ''}`,
    ],
    ['two states', (state) => `code=c&state=${state}&state=${state}`],
    ['two states, the second wrong', (state) => `code=c&state=${state}&state=x`],
    ['two codes', (state) => `code=c&code=d&state=${state}`],
    ['two issuers', (state) => `code=c&state=${state}&iss=https://service.example&iss=https://service.example`],
    ['two errors', (state) => `error=a&error=b&state=${state}`],
    ['an error without state', () => 'error=access_denied'],
    ['an error with another state', () => `error=access_denied&state=${randomValue()}`],
    ['no code', (state) => `state=${state}`],
    ['an empty code', (state) => `code=&state=${state}`],
    ['nothing', () => ''],
  ];
  it.each(REFUSED)('is not one with %s; the right one is still accepted later', (_name, query) => {
    const { authorization, state } = begin();
    for (let times = 0; times < 3; times++) expect(authorization.judge(query(state)).kind).toBe('refused');
    expect(authorization.judge(`code=c&state=${state}`).kind).toBe('taken');
  });

  it('is accepted once', () => {
    const { authorization, state } = begin();
    expect(authorization.judge(`code=c&state=${state}`).kind).toBe('taken');
    expect(authorization.judge(`code=c&state=${state}`).kind).toBe('refused');
    expect(authorization.judge(`error=access_denied&state=${state}`).kind).toBe('refused');
  });

  it('a denial ends the login in the words of the service', () => {
    const { authorization, state } = begin();
    const verdict = authorization.judge(`error=access_denied&error_description=no%1b%5B31m+way&state=${state}`);
    expect(verdict).toMatchObject({ kind: 'over', failure: { exit: 4 } });
    if (verdict.kind === 'over') expect(verdict.failure.message).toContain('access_denied: no\u001b[31m way');
  });

  it.each([
    ['another issuer', 'iss=https://evil.example', false],
    ['another issuer where one is promised', 'iss=https://evil.example', true],
    ['a longer issuer', 'iss=https://service.example/', true],
    ['no issuer where one is promised', '', true],
    ['an empty issuer', 'iss=', false],
  ])('%s ends the login', (_name, iss, promised) => {
    const { authorization, state } = begin({ authorization_response_iss_parameter_supported: promised });
    const verdict = authorization.judge(`code=c0de&state=${state}&${iss}`);
    expect(verdict).toMatchObject({ kind: 'over', failure: { exit: 3 } });
    if (verdict.kind === 'over') expect(verdict.failure.message).not.toContain('c0de');
    expect(authorization.judge(`code=c&state=${state}`).kind).toBe('refused');
  });

  it.each([true, false])('accepts its own issuer (announced: %s)', (promised) => {
    const { authorization, state } = begin({ authorization_response_iss_parameter_supported: promised });
    expect(authorization.judge(`code=c&state=${state}&iss=https%3A%2F%2Fservice.example`).kind).toBe('taken');
  });

  it('cannot be guessed', () => {
    const { authorization } = begin();
    fc.assert(fc.property(fc.string({ maxLength: 200 }), (query) => authorization.judge(query).kind === 'refused'));
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('state', 'code', 'error', 'iss', 'x'), fc.string()),
        (fields) => authorization.judge(new URLSearchParams(fields).toString()).kind === 'refused',
      ),
    );
  });
});

describe('accepted pasted text', () => {
  it.each([
    [`${REDIRECT}?code=c&state=s`, 'code=c&state=s'],
    [`  ${REDIRECT}?code=c&state=s\r\n`, 'code=c&state=s'],
    [`"${REDIRECT}?code=c&state=s"`, 'code=c&state=s'],
    [`<${REDIRECT}?code=c&state=s>`, 'code=c&state=s'],
    [`${REDIRECT}?code=c&state=s#_=_`, 'code=c&state=s'],
    [`${REDIRECT}?a=b?c`, 'a=b?c'],
  ])('%s', (text, query) => {
    expect(readPastedQuery(text, REDIRECT)).toBe(query);
  });

  it.each([
    'SplxlOBeZQQYbYS6WxSbIA',
    'code=c0de&state=s',
    '?code=c0de&state=s',
    '',
    '   ',
    REDIRECT,
    `${REDIRECT}/?code=c0de&state=s`,
    `${REDIRECT.replace('127.0.0.1', 'localhost')}?code=c0de&state=s`,
    `${REDIRECT.replace('4711', '4712')}?code=c0de&state=s`,
    `${REDIRECT.replace('http:', 'https:')}?code=c0de&state=s`,
    `http://evil.example/?u=${REDIRECT}?code=c0de&state=s`,
    `http://user@${REDIRECT.slice(7)}?code=c0de&state=s`,
    `${REDIRECT}?code=c0de\nhttp://x`,
    'https://service.example/oauth/authorize?state=s',
    `${REDIRECT}?${'x'.repeat(70_000)}`,
    'javascript:alert(1)',
  ])('not %s', (text) => {
    expect(readPastedQuery(text, REDIRECT)).toBeUndefined();
  });

  it('parses any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (text) => {
        expect(readPastedQuery(text, REDIRECT)).toBeUndefined();
      }),
    );
    fc.assert(
      fc.property(fc.webQueryParameters(), (query) => {
        fc.pre(query !== '' && !/[\s"'>]/.test(query));
        expect(readPastedQuery(`${REDIRECT}?${query}`, REDIRECT)).toBe(query);
      }),
    );
  });
});
