/** The token endpoint against doc 2 §5, RFC 6749 §5 and §6, RFC 7636 §4.6 and RFC 9700 §4.14. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Clients, OAuthError, readForm, readParameters } from '../../../src/sandbox/webhooks/oauth-clients.ts';
import { exchangeBytes } from '../../features/oauth/raw.ts';
import {
  type Answered,
  client,
  codeFor,
  exchangeFields,
  FORM,
  isTaken,
  REDIRECT,
  type Registered,
  refresh,
  signIn,
  token,
  VERIFIER,
} from './hand-client.ts';
import { startService, type TestService } from './service.ts';

const NOON = Date.UTC(2026, 5, 1, 12);
const HOUR_MS = 3_600_000;

let now = NOON;
let service: TestService;
let open: Registered;
let basic: Registered;
let post: Registered;
beforeAll(async () => {
  service = await startService({ now: () => now });
  [open, basic, post] = await Promise.all([
    client(service),
    client(service, { token_endpoint_auth_method: 'client_secret_basic' }),
    client(service, { token_endpoint_auth_method: 'client_secret_post' }),
  ]);
});
afterAll(() => service.close());

const refusal = (status: number, error: string) => ({ status, json: { error, error_description: expect.any(String) } });
const shown = ({ status, json }: Answered) => ({ status, json });
const basicHeader = (id: string, secret = ''): Readonly<Record<string, string>> => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});

it('answers an exchange with these bytes', async () => {
  const { host, port } = new URL(service.url);
  const code = await codeFor(service, open);
  const body = `grant_type=authorization_code&code=${code}&redirect_uri=http%3A%2F%2F127.0.0.1%3A8250%2Fcallback&client_id=${open.client_id}&code_verifier=${VERIFIER}`;
  const head = `POST /oauth/token HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
  const answer = await exchangeBytes(Number(port), head + body);
  const json = answer.slice(answer.indexOf('\r\n\r\n') + 4);
  expect(answer.slice(0, answer.length - json.length)).toBe(
    [
      'HTTP/1.1 200 OK',
      `date: ${new Date(now).toUTCString()}`,
      'content-type: application/json; charset=utf-8',
      'cache-control: no-store',
      'pragma: no-cache',
      `content-length: ${json.length}`,
      'Connection: close',
      '\r\n',
    ].join('\r\n'),
  );
  expect(json).toMatch(
    /^\{"access_token":"at_[\w-]{43}","token_type":"Bearer","expires_in":3600,"refresh_token":"rt_[\w-]{43}","scope":"mcp:connect","email":"owner@sandbox\.example"\}$/,
  );
});

describe('an access token of the sandbox', () => {
  it('is accepted below /v1 for an hour; the token of the sandbox always is', async () => {
    const { access_token, refresh_token } = await signIn(service, open);
    now += HOUR_MS - 1;
    expect(await isTaken(service, access_token)).toBe(true);
    now += 1;
    expect(await isTaken(service, access_token)).toBe(false);
    expect(await isTaken(service, refresh_token)).toBe(false);
    expect(await isTaken(service, service.token)).toBe(true);
    const { json } = await refresh(service, open, refresh_token);
    expect(await isTaken(service, String(json['access_token']))).toBe(true);
  });

  it('has a lifetime divided by --fast, but at least a second', async () => {
    for (const [fast, seconds] of [
      [60, 60],
      [1000, 3],
      [100_000, 1],
    ] as const) {
      await using quick = await startService({ now: () => now, fast });
      const { access_token, expires_in } = await signIn(quick, await client(quick));
      expect([fast, expires_in]).toEqual([fast, seconds]);
      now += seconds * 1000 - 1;
      expect(await isTaken(quick, access_token)).toBe(true);
      now += 1;
      expect(await isTaken(quick, access_token)).toBe(false);
    }
  });
});

describe('a code of the sandbox', () => {
  it('is valid once; a second use revokes the first tokens', async () => {
    const code = await codeFor(service, open);
    const first = await token(service, exchangeFields(open, code));
    expect(await isTaken(service, String(first.json['access_token']))).toBe(true);
    expect(shown(await token(service, exchangeFields(open, code)))).toEqual(refusal(400, 'invalid_grant'));
    expect(await isTaken(service, String(first.json['access_token']))).toBe(false);
    expect(shown(await refresh(service, open, String(first.json['refresh_token'])))).toEqual(
      refusal(400, 'invalid_grant'),
    );
  });

  it('is refused with other fields, and stays valid', async () => {
    const fields = exchangeFields(open, await codeFor(service, open));
    for (const changes of [
      { code: 'code_other' },
      { redirect_uri: `${REDIRECT}/` },
      { redirect_uri: REDIRECT.replace('callback', '%63allback') },
      { code_verifier: VERIFIER.replace('d', 'e') },
      { code_verifier: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' },
    ]) {
      const answer = shown(await token(service, { ...fields, ...changes }));
      expect(answer, JSON.stringify(changes)).toEqual(refusal(400, 'invalid_grant'));
    }
    expect((await token(service, fields)).status).toBe(200);
  });

  it('needs a verifier of 43 to 128 characters that RFC 7636 allows', async () => {
    for (const [verifier, status] of [
      ['v'.repeat(128), 200],
      ['-._~'.repeat(11), 200],
      ['v'.repeat(42), 400],
      ['v'.repeat(129), 400],
      [`${'v'.repeat(42)}!`, 400],
    ] as const) {
      const fields = exchangeFields(open, await codeFor(service, open, verifier));
      const answer = await token(service, { ...fields, code_verifier: verifier });
      expect({ verifier, status: answer.status }).toEqual({ verifier, status });
    }
  });

  it('of one client is invalid for another', async () => {
    const other = await client(service);
    const code = await codeFor(service, open);
    expect(shown(await token(service, exchangeFields(other, code)))).toEqual(refusal(400, 'invalid_grant'));
    expect((await token(service, exchangeFields(open, code))).status).toBe(200);
  });
});

describe('a request to the token endpoint', () => {
  it('needs each field once', async () => {
    const fields = { ...exchangeFields(open, await codeFor(service, open)), unheard_of: '1' };
    for (const name of ['grant_type', 'code', 'redirect_uri', 'code_verifier', 'client_id']) {
      const without = Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));
      for (const given of [{ ...fields, [name]: '' }, without]) {
        expect(shown(await token(service, given))).toEqual({
          status: 400,
          json: { error: 'invalid_request', error_description: `${name} is required` },
        });
      }
    }
    for (const name of ['grant_type', 'code', 'unheard_of']) {
      const form = new URLSearchParams(fields);
      form.append(name, form.get(name) ?? '');
      expect(shown(await token(service, form.toString()))).toEqual({
        status: 400,
        json: { error: 'invalid_request', error_description: `${name} occurs more than once` },
      });
    }
    expect((await token(service, fields)).status).toBe(200);
  });

  it('is a form', async () => {
    const fields = exchangeFields(open, await codeFor(service, open));
    for (const type of [
      'application/json',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencodedx',
      '',
    ]) {
      const answer = shown(await token(service, fields, { 'content-type': type }));
      expect(answer, type).toEqual(refusal(400, 'invalid_request'));
    }
    expect(shown(await token(service, 'grant_type=%g0'))).toEqual(refusal(400, 'invalid_request'));
    const right = { 'content-type': 'Application/X-WWW-Form-Urlencoded ; charset=UTF-8' };
    expect((await token(service, fields, right)).status).toBe(200);
  });

  it('has no parameters in its address', async () => {
    const fields = exchangeFields(open, await codeFor(service, open));
    const answer = await fetch(`${service.url}/oauth/token?client_id=${open.client_id}`, {
      method: 'POST',
      headers: FORM,
      body: new URLSearchParams(fields).toString(),
    });
    expect({ status: answer.status, json: await answer.json() }).toEqual(refusal(400, 'invalid_request'));
  });

  it('is refused for another grant', async () => {
    const given = { grant_type: 'client_credentials', client_id: open.client_id };
    expect(shown(await token(service, given))).toEqual(refusal(400, 'unsupported_grant_type'));
  });
});

describe('client authentication at the sandbox', () => {
  const fieldsOf = async (by: Registered): Promise<Readonly<Record<string, string>>> => {
    const { client_id: _, ...fields } = exchangeFields(by, await codeFor(service, by));
    return fields;
  };

  it('is accepted by Basic, with or without the id in the form', async () => {
    const header = basicHeader(basic.client_id, basic.client_secret);
    for (const more of [{}, { client_id: basic.client_id }]) {
      expect((await token(service, { ...(await fieldsOf(basic)), ...more }, header)).status).toBe(200);
    }
    // RFC 6749 §2.3.1: form-encoded before they are joined, so any byte may appear as %xx.
    const every = [basic.client_id, basic.client_secret ?? ''].map(
      (text) =>
        `%${Buffer.from(text)
          .toString('hex')
          .replace(/..(?=.)/g, '$&%')}`,
    );
    const encoded = { authorization: `Basic ${Buffer.from(every.join(':')).toString('base64')}` };
    expect((await token(service, await fieldsOf(basic), encoded)).status).toBe(200);
    const lower = { authorization: header['authorization']?.replace('Basic', 'basic') ?? '' };
    expect((await token(service, await fieldsOf(basic), lower)).status).toBe(200);
  });

  it('is accepted by a secret in the form', async () => {
    const { client_id, client_secret = '' } = post;
    expect((await token(service, { ...(await fieldsOf(post)), client_id, client_secret })).status).toBe(200);
  });

  it('refuses other Basic credentials', async () => {
    const encoded = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    const fields = await fieldsOf(basic);
    for (const header of [
      basicHeader(basic.client_id, 'cs_other'),
      basicHeader(basic.client_id),
      basicHeader('client_other', basic.client_secret),
      basicHeader(open.client_id, ''),
      basicHeader(post.client_id, post.client_secret),
      encoded('pair'),
      encoded('%zz:x'),
      { authorization: 'Basic ***' },
      { authorization: 'Bearer x' },
    ]) {
      const answer = await token(service, fields, header);
      expect(shown(answer), JSON.stringify(header)).toEqual(refusal(401, 'invalid_client'));
      expect(answer.headers['www-authenticate']).toBe('Basic realm="sandbox"');
    }
  });

  it('refuses an unregistered method', async () => {
    const { client_id, client_secret = '' } = post;
    for (const [by, more] of [
      [post, { client_id }],
      [post, { client_id, client_secret: `${client_secret}x` }],
      [basic, { client_id: basic.client_id, client_secret: basic.client_secret ?? '' }],
      [open, { client_id: open.client_id, client_secret: 'x' }],
      [open, { client_id: 'client_other' }],
    ] as const) {
      const answer = await token(service, { ...(await fieldsOf(by)), ...more });
      expect(shown(answer)).toEqual(refusal(401, 'invalid_client'));
      expect(answer.headers['www-authenticate']).toBeUndefined();
    }
  });

  it('refuses two methods or two clients', async () => {
    const header = basicHeader(basic.client_id, basic.client_secret);
    for (const more of [{ client_secret: basic.client_secret ?? '' }, { client_id: post.client_id }]) {
      expect(shown(await token(service, { ...(await fieldsOf(basic)), ...more }, header))).toEqual(
        refusal(400, 'invalid_request'),
      );
    }
  });
});

describe('a refresh at the sandbox', () => {
  it('gives new tokens; the earlier access token stays valid until its end', async () => {
    const first = await signIn(service, open);
    const { status, json } = await refresh(service, open, first.refresh_token);
    expect(status).toBe(200);
    expect(json).toEqual({
      access_token: expect.stringMatching(/^at_/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^rt_/),
      scope: 'mcp:connect',
      email: 'owner@sandbox.example',
    });
    expect(json['refresh_token']).not.toBe(first.refresh_token);
    expect(json['access_token']).not.toBe(first.access_token);
    expect(await isTaken(service, first.access_token)).toBe(true);
    expect((await refresh(service, open, String(json['refresh_token']))).status).toBe(200);
  });

  it('with a used token ends the whole sign-in, and no other', async () => {
    const [first, other] = [await signIn(service, open), await signIn(service, open)];
    const { json: second } = await refresh(service, open, first.refresh_token);
    const { json: third } = await refresh(service, open, String(second['refresh_token']));
    expect(shown(await refresh(service, open, first.refresh_token))).toEqual(refusal(400, 'invalid_grant'));
    for (const { access_token } of [first, second, third])
      expect(await isTaken(service, String(access_token))).toBe(false);
    expect(shown(await refresh(service, open, String(third['refresh_token'])))).toEqual(refusal(400, 'invalid_grant'));
    expect(await isTaken(service, other.access_token)).toBe(true);
    expect((await refresh(service, open, other.refresh_token)).status).toBe(200);
  });

  it('twice at the same moment counts as a reuse', async () => {
    const { refresh_token } = await signIn(service, open);
    const answers = await Promise.all([1, 2, 3].map(() => refresh(service, open, refresh_token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    const given = answers.find(({ status }) => status === 200)?.json;
    expect(await isTaken(service, String(given?.['access_token']))).toBe(false);
  });

  it('is possible for 90 days', async () => {
    const [{ refresh_token: early }, { refresh_token: late }] = [
      await signIn(service, open),
      await signIn(service, open),
    ];
    now += 90 * 24 * HOUR_MS - 1;
    expect((await refresh(service, open, early)).status).toBe(200);
    now += 1;
    expect(shown(await refresh(service, open, late))).toEqual(refusal(400, 'invalid_grant'));
  });

  it("is limited to the client that signed in; another client's attempt does not revoke it", async () => {
    const [{ refresh_token }, other] = [await signIn(service, open), await client(service)];
    expect(shown(await refresh(service, other, refresh_token))).toEqual(refusal(400, 'invalid_grant'));
    expect(shown(await refresh(service, { ...open, client_id: 'client_other' }, refresh_token))).toEqual(
      refusal(401, 'invalid_client'),
    );
    expect((await refresh(service, open, refresh_token)).status).toBe(200);
  });

  it('is refused for a larger or empty scope', async () => {
    const { refresh_token } = await signIn(service, open);
    const fields = { grant_type: 'refresh_token', refresh_token, client_id: open.client_id };
    expect(shown(await token(service, { ...fields, scope: 'admin' }))).toEqual(refusal(400, 'invalid_scope'));
    expect(shown(await token(service, { ...fields, refresh_token: '' }))).toEqual(refusal(400, 'invalid_request'));
    expect(shown(await token(service, { ...fields, refresh_token: 'rt_other' }))).toEqual(
      refusal(400, 'invalid_grant'),
    );
    expect((await token(service, { ...fields, scope: 'mcp:connect' })).status).toBe(200);
  });

  it('is refused for a client without that grant', async () => {
    const plain = await client(service, { grant_types: ['authorization_code'] });
    const { json } = await token(service, exchangeFields(plain, await codeFor(service, plain)));
    expect(json).not.toHaveProperty('refresh_token');
    expect(shown(await refresh(service, plain, 'rt_other'))).toEqual(refusal(400, 'unauthorized_client'));
  });

  it('needs the credentials of the client', async () => {
    const { client_id, client_secret = '' } = basic;
    const header = basicHeader(client_id, client_secret);
    const { json } = await token(service, exchangeFields(basic, await codeFor(service, basic)), header);
    const fields = { grant_type: 'refresh_token', refresh_token: String(json['refresh_token']), client_id };
    expect(shown(await token(service, fields))).toEqual(refusal(401, 'invalid_client'));
    expect((await token(service, fields, header)).status).toBe(200);
  });
});

describe('the form readers of the sandbox', () => {
  it('read the parameters that URLSearchParams writes, each once', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(fc.string({ unit: 'binary', minLength: 1 }), fc.string({ unit: 'binary' })), {
          selector: ([name]) => new URLSearchParams([[name, '']]).toString(),
        }),
        (pairs) => {
          const parameters = readParameters(new URLSearchParams(pairs).toString());
          for (const [name, value] of new URLSearchParams(pairs)) expect(parameters.get(name)).toBe(value || undefined);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('read any body or refuse it as OAuth does', () => {
    const clients = new Clients(new Set(), () => NOON);
    const refusedOrRead = (work: () => unknown): void => {
      try {
        work();
      } catch (error) {
        expect(error).toBeInstanceOf(OAuthError);
      }
    };
    const noise = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.json());
    fc.assert(
      fc.property(noise, noise, (one, other) => {
        const form = new Map<string, string>();
        refusedOrRead(() => readForm(FORM['content-type'], one));
        refusedOrRead(() => readForm(one, other));
        refusedOrRead(() => clients.register('application/json', one));
        refusedOrRead(() => clients.authenticate(one, form));
        refusedOrRead(() => clients.authenticate(`Basic ${Buffer.from(one).toString('base64')}`, form));
      }),
    );
  });
});
