import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redactHeaders, redactText, Secret } from '../../src/http/redact.ts';

/** As tokens are: random, long enough to be one, of the characters of base64url. */
const token = fc.stringMatching(/^[A-Za-z0-9_-]{12,40}$/).map((text) => `Q7${text}`);
/** Any text at all, as people choose passwords. */
const password = fc.string({ minLength: 8, maxLength: 30, unit: 'binary' }).map((text) => `pW7-${text}-9Xz`);
const surroundings = fc.constantFrom('', ' ', 'before ', 'x=1&', '{"a":1,', '\n', '> ', '(');

function survives(text: string, secret: string): boolean {
  return redactText(text).includes(secret);
}

const names = [
  'access_token',
  'refresh_token',
  'id_token',
  'client_secret',
  'code_verifier',
  'password',
  'api_key',
  'token',
  'code',
  'sid',
  'secret',
  'X_Endpoint_Secret',
];

describe('no random secret survives', () => {
  const places: Record<string, (secret: string) => string> = {
    'authorization: Bearer': (s) => `authorization: Bearer ${s}`,
    'Authorization:': (s) => `Authorization: ${s}`,
    cookie: (s) => `Cookie: a=b; session=${s}`,
    'set-cookie': (s) => `< set-cookie: id=${s}; Path=/`,
    'proxy-authorization': (s) => `proxy-authorization: Basic ${Buffer.from(`u:${s}`).toString('base64')}`,
    'x-api-key': (s) => `x-api-key: ${s}`,
    'bearer in a sentence': (s) => `the server said bearer ${s} is unknown`,
    'basic in a sentence': (s) => `it got Basic ${Buffer.from(`user:${s}`).toString('base64')} from us`,
    'signing secret': (s) => `secret is whsec_${s}.`,
    userinfo: (s) => `cannot reach http://user:${s}@proxy.example:3128/`,
    'userinfo alone': (s) => `https://${s}@host/path`,
    'socket.io query': (s) => `GET https://h/socket.io/?EIO=3&access_token=${s}&transport=polling`,
    'prose assignment': (s) => `refresh_token = ${s}`,
    yaml: (s) => `client_secret: "${s}"`,
  };
  test('in a header, an address, a cookie or a sentence', () => {
    for (const [name, place] of Object.entries(places)) {
      fc.assert(
        fc.property(token, surroundings, (secret, before) => {
          expect(survives(`${before}${place(secret)}`, secret), name).toBe(false);
        }),
      );
    }
  });

  test('in a query, a form or a field of JSON', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), token, surroundings, (name, secret, before) => {
        expect(survives(`https://h/p?a=1&${name}=${secret}&b=2`, secret)).toBe(false);
        expect(survives(`${name}=${secret}`, secret)).toBe(false);
        expect(survives(`grant_type=x&${name}=${encodeURIComponent(secret)}`, secret)).toBe(false);
        expect(survives(`${before}{"${name}":"${secret}"}`, secret)).toBe(false);
        expect(survives(`{"b": 1, "${name}" : "${secret}", "c": 2}`, secret)).toBe(false);
        expect(survives(JSON.stringify({ message: `got ${JSON.stringify({ [name]: secret })}` }), secret)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  test('as a string of any characters in JSON, whole or cut', () => {
    fc.assert(
      fc.property(fc.constantFrom('client_secret', 'password', 'token'), password, fc.nat(30), (name, secret, cut) => {
        const written = JSON.stringify(secret).slice(1, -1);
        const text = `{"${name}":"${written}"}`;
        expect(redactText(text)).toBe(`{"${name}":"***"}`);
        expect(redactText(text.slice(0, text.length - 2 - Math.min(cut, written.length - 1)))).toBe(`{"${name}":"***"`);
      }),
    );
  });
});

describe('text that is shown', () => {
  test('is not changed without a secret', () => {
    for (const text of [
      '{"error":{"code":"quota_exceeded","message":"no"}}',
      '{"code":602,"message":"comment in body is required"}',
      '{"status":{"state":"active"},"labels":{"key":"x"}}',
      'Basic authentication is required',
      'https://h/api/v2/alerts?filter=alertname%3D%22Up%22&silenced=false',
      'GET http://127.0.0.1:9093/api/v2/silence/1 answered 404',
      'the password is wrong',
      '{"secret":""}',
      'GET http://h/v1/webhooks answered 401: expired_token: your token has ended',
      'bad_refresh_token: The refresh token passed is incorrect or expired.',
      'answered 400: invalid_client_secret: the client secret is wrong',
      '{"error_description":"refresh_token: is required"}',
      'no bearer tokens, and no Bearer authorization',
    ]) {
      expect(redactText(text)).toBe(text);
    }
  });

  test('has no token after an error that is named like one', () => {
    const heads = fc.constantFrom('invalid_token: ', 'expired_token: ', 'Invalid_Token:\n ', '401: invalid_token:  ');
    fc.assert(
      fc.property(heads, fc.oneof(token, password), (head, secret) => {
        const [first = ''] = /^[^\s"',;&{}[\]]+/.exec(secret) ?? [];
        if (first !== '') expect(redactText(head + secret)).not.toContain(first);
        expect(survives(`${head}the access token is bad; access_token=${secret.replace(/\W/g, '')}`, secret)).toBe(
          false,
        );
      }),
    );
    for (const text of [
      'invalid_token=The',
      'invalid_token=the token',
      'my_invalid_token: The',
      'access_token: The',
      'access_token: the-token is here',
      'invalid_token: "The"',
      'password: the horse',
      'Bearer tokens-abcdef',
    ]) {
      expect(redactText(text)).toContain('***');
    }
  });

  test('takes time linear in the text', () => {
    for (const piece of ['"', '\\"token', 'a://', '{"token":"\\', 'secret_', 'Bearer ', '"token" ', '\\'])
      redactText(piece.repeat(20_000));
  });
});

describe('headers that are shown', () => {
  test('are redacted by name, by header file, and inside other values', () => {
    const shown = redactHeaders(
      {
        authorization: 'Bearer abcdefgh',
        'proxy-authorization': 'Digest x="y"',
        cookie: 'a=b',
        'x-api-key': 'k',
        'x-tenant': 'from a file',
        location: 'https://u:p@h/cb?code=Abc123&x=1',
        accept: 'application/json',
        'www-authenticate': 'Bearer realm="svc"',
      },
      new Set(['x-tenant']),
    );
    expect(shown).toEqual({
      authorization: 'Bearer ***',
      'proxy-authorization': '***',
      cookie: '***',
      'x-api-key': '***',
      'x-tenant': '***',
      location: 'https://***@h/cb?code=***&x=1',
      accept: 'application/json',
      'www-authenticate': 'Bearer realm="svc"',
    });
  });
});

test('a secret shows its value only on request', () => {
  const secret = new Secret('hunter22');
  const shown = [
    `${secret}`,
    String(secret),
    JSON.stringify({ secret }),
    inspect({ secret }),
    inspect(secret, { showHidden: true, depth: 9 }),
    secret.toString(),
  ];
  for (const text of shown) expect(text).not.toContain('hunter22');
  expect(JSON.stringify({ secret })).toBe('{"secret":"***"}');
  expect(secret.reveal()).toBe('hunter22');
});
