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
  const server = { ...SERVER, ...more };
  const authorization = new Authorization({ server, clientId: 'client 1&x', redirectUri: REDIRECT });
  return { authorization, state: authorization.url.searchParams.get('state') ?? '' };
};

describe('a code verifier', () => {
  it('has 256 bits in 43 characters, and is never the same', () => {
    const values = Array.from({ length: 1000 }, randomValue);
    expect(new Set(values).size).toBe(1000);
    expect(values.filter((value) => !/^[A-Za-z0-9_-]{43}$/.test(value))).toEqual([]);
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
    expect([...searchParams]).toEqual([
      ['response_type', 'code'],
      ['client_id', 'client 1&x'],
      ['redirect_uri', REDIRECT],
      ['scope', 'mcp:connect'],
      ['state', expect.stringMatching(/^[\w-]{43}$/)],
      ['code_challenge', expect.stringMatching(/^[\w-]{43}$/)],
      ['code_challenge_method', 'S256'],
    ]);
    const verdict = authorization.judge(`state=${searchParams.get('state')}&code=c`);
    if (verdict.kind !== 'taken') throw new Error(verdict.kind);
    const { code_verifier: verifier } = verdict.value;
    expect(createHash('sha256').update(verifier).digest('base64url')).toBe(searchParams.get('code_challenge'));
    expect(authorization.url.href).not.toContain(verifier);
  });

  it('adds to the parameters of the endpoint, without duplicates', () => {
    const { authorization } = begin({
      authorization_endpoint: 'https://service.example/a?tenant=1&state=theirs&state=too&scope=all',
    });
    const { searchParams } = authorization.url;
    expect(searchParams.getAll('tenant')).toEqual(['1']);
    for (const name of ['state', 'scope', 'client_id']) expect(searchParams.getAll(name)).toHaveLength(1);
    expect(searchParams.get('scope')).toBe('mcp:connect');
  });
});

describe('the accepted authorization response', () => {
  it('has the state and a code, and may have other parameters', () => {
    const { authorization, state } = begin();
    expect(authorization.judge(`foo=&session_state=a.b&code=c%2B1&state=${state}&foo=2&response=x`)).toMatchObject({
      kind: 'taken',
      value: { code: 'c+1', redirect_uri: REDIRECT },
    });
  });

  it('is the right one, however many others came before it', () => {
    const { authorization, state } = begin();
    const otherCase = state === state.toLowerCase() ? state.toUpperCase() : state.toLowerCase();
    for (const query of [
      '',
      'code=c',
      `code=c&state=${randomValue()}`,
      `code=c&state=${state}x`,
      `code=c&state=${otherCase}`,
      `code=c&state=${state}&state=${state}`,
      `code=c&code=d&state=${state}`,
      `code=c&state=${state}&iss=https://service.example&iss=https://service.example`,
      `error=a&error=b&state=${state}`,
      `error=access_denied&state=${randomValue()}`,
      `state=${state}`,
      `code=&state=${state}`,
    ]) {
      expect(authorization.judge(query).kind, query).toBe('refused');
    }
    expect(authorization.judge(`code=c&state=${state}`).kind).toBe('taken');
    expect(authorization.judge(`code=c&state=${state}`).kind).toBe('refused');
    expect(authorization.judge(`error=access_denied&state=${state}`).kind).toBe('refused');
  });

  it('has the issuer of the server, or none if none is promised', () => {
    for (const [iss, promised, kind] of [
      ['iss=https%3A%2F%2Fservice.example', true, 'taken'],
      ['iss=https%3A%2F%2Fservice.example', false, 'taken'],
      ['', false, 'taken'],
      ['', true, 'over'],
      ['iss=', false, 'over'],
      ['iss=https://evil.example', false, 'over'],
      ['iss=https://service.example/', true, 'over'],
    ] as const) {
      const { authorization, state } = begin({ authorization_response_iss_parameter_supported: promised });
      const verdict = authorization.judge(`code=c0de&state=${state}&${iss}`);
      expect([iss, promised, verdict.kind]).toEqual([iss, promised, kind]);
      if (verdict.kind === 'over') {
        expect(verdict.failure.exit).toBe(3);
        expect(verdict.failure.message).not.toContain('c0de');
        expect(authorization.judge(`code=c&state=${state}`).kind).toBe('refused');
      }
    }
  });

  it('cannot be guessed', () => {
    const { authorization } = begin();
    const fields = fc.dictionary(fc.constantFrom('state', 'code', 'error', 'iss', 'x'), fc.string());
    const query = fc.oneof(
      fc.string({ maxLength: 200 }),
      fields.map((pairs) => new URLSearchParams(pairs).toString()),
    );
    fc.assert(fc.property(query, (text) => authorization.judge(text).kind === 'refused'));
  });
});

describe('the address that a person pastes', () => {
  it('may have quotes, white space and a fragment around it', () => {
    const query = 'code=c&state=s';
    for (const text of [
      `${REDIRECT}?${query}`,
      `  ${REDIRECT}?${query}\r\n`,
      `"${REDIRECT}?${query}"`,
      `<${REDIRECT}?${query}>`,
      `${REDIRECT}?${query}#_=_`,
    ]) {
      expect(readPastedQuery(text, REDIRECT), text).toBe(query);
    }
    const fields = fc.dictionary(fc.string({ minLength: 1 }), fc.string(), { minKeys: 1 });
    fc.assert(
      fc.property(fields, (pairs) => {
        const text = new URLSearchParams(pairs).toString();
        expect(readPastedQuery(`${REDIRECT}?${text}`, REDIRECT)).toBe(text);
      }),
    );
  });

  it('is the redirect of this login, and nothing else', () => {
    for (const text of [
      'SplxlOBeZQQYbYS6WxSbIA',
      'code=c0de&state=s',
      '   ',
      REDIRECT,
      `${REDIRECT}/?code=c0de&state=s`,
      `${REDIRECT.replace('127.0.0.1', 'localhost')}?code=c0de&state=s`,
      `${REDIRECT.replace('4711', '4712')}?code=c0de&state=s`,
      `${REDIRECT.replace('http:', 'https:')}?code=c0de&state=s`,
      `http://evil.example/?u=${REDIRECT}?code=c0de&state=s`,
      `http://user@${REDIRECT.slice(7)}?code=c0de&state=s`,
      `${REDIRECT}?code=c0de\nhttp://x`,
      `${REDIRECT}?${'x'.repeat(70_000)}`,
    ]) {
      expect(readPastedQuery(text, REDIRECT), text.slice(0, 80)).toBeUndefined();
    }
    fc.assert(fc.property(fc.string({ maxLength: 300 }), (text) => readPastedQuery(text, REDIRECT) === undefined));
  });
});
