import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wire } from '../../support/alertmanager.ts';
import {
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

const HOUR_MS = 3_600_000;

let now = Date.UTC(2026, 5, 1, 12);
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

type Fields = Readonly<Record<string, string>>;
const encoded = (text: string): Fields => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
const basicHeader = (id: string, secret = ''): Fields =>
  encoded(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`);

/** What these requests are answered, as their status and their error. */
async function errorsOf(requests: readonly (readonly [fields: Fields | string, headers?: Fields])[]) {
  const all: (readonly [number, unknown])[] = [];
  for (const [fields, headers] of requests) {
    const { status, json } = await token(service, fields, headers);
    if (status !== 200) expect(json).toEqual({ error: json['error'], error_description: expect.any(String) });
    all.push([status, json['error']]);
  }
  return all;
}

async function expectRefused(
  error: string,
  requests: readonly (readonly [fields: Fields | string, headers?: Fields])[],
): Promise<void> {
  const status = error === 'invalid_client' ? 401 : 400;
  expect(await errorsOf(requests)).toEqual(requests.map(() => [status, error]));
}

describe('the exchange of a code at the sandbox', () => {
  it('gives both tokens, which no cache may store', async () => {
    const { status, headers, json } = await token(service, exchangeFields(open, await codeFor(service, open)));
    expect({ status, headers }).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        pragma: 'no-cache',
      },
    });
    expect(json).toEqual({
      access_token: expect.stringMatching(/^at_[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^rt_[\w-]{43}$/),
      scope: 'mcp:connect',
      email: 'owner@sandbox.example',
    });
  });

  it('is possible once; a second use revokes the first tokens', async () => {
    const fields = exchangeFields(open, await codeFor(service, open));
    const { json } = await token(service, fields);
    expect(await isTaken(service, String(json['access_token']))).toBe(true);
    await expectRefused('invalid_grant', [[fields]]);
    expect(await isTaken(service, String(json['access_token']))).toBe(false);
    expect((await refresh(service, open, String(json['refresh_token']))).status).toBe(400);
  });

  it('is refused with other fields, after which the code is still valid', async () => {
    const fields = exchangeFields(open, await codeFor(service, open));
    const other = await client(service);
    await expectRefused('invalid_grant', [
      [{ ...fields, code: 'code_other' }],
      [{ ...fields, redirect_uri: `${REDIRECT}/` }],
      [{ ...fields, redirect_uri: REDIRECT.replace('callback', '%63allback') }],
      [{ ...fields, code_verifier: VERIFIER.replace('d', 'e') }],
      [{ ...fields, code_verifier: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' }],
      [{ ...fields, client_id: other.client_id }],
    ]);
    expect((await token(service, fields)).status).toBe(200);
  });

  it('needs a form with each field once', async () => {
    const fields = { ...exchangeFields(open, await codeFor(service, open)), unheard_of: '1' };
    for (const name of ['grant_type', 'code', 'redirect_uri', 'code_verifier', 'client_id']) {
      const without = Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));
      for (const given of [{ ...fields, [name]: '' }, without])
        expect((await token(service, given)).json).toMatchObject({ error_description: `${name} is required` });
    }
    for (const name of ['grant_type', 'unheard_of']) {
      const form = new URLSearchParams([...Object.entries(fields), [name, '1']]).toString();
      const description = `${name} occurs more than once`;
      expect((await token(service, form)).json).toMatchObject({ error_description: description });
    }
    const types = ['application/json', 'application/x-www-form-urlencodedx', ''];
    await expectRefused('invalid_request', [
      ['grant_type=%g0'],
      ...types.map((type) => [fields, { 'content-type': type }] as const),
    ]);
    const { status } = await wire(service.url, '/oauth/token?client_id=x', {
      method: 'POST',
      headers: FORM,
      body: 'a=b',
    });
    expect(status).toBe(400);
    await expectRefused('unsupported_grant_type', [[{ ...fields, grant_type: 'client_credentials' }]]);
    const right = { 'content-type': 'Application/X-WWW-Form-Urlencoded ; charset=UTF-8' };
    expect((await token(service, fields, right)).status).toBe(200);
  });
});

describe('a client at the sandbox', () => {
  const fieldsOf = async (by: Registered): Promise<Fields> => {
    const { client_id: _, ...fields } = exchangeFields(by, await codeFor(service, by));
    return fields;
  };

  it('signs in by Basic, or by a secret in the form, as it was registered', async () => {
    const header = basicHeader(basic.client_id, basic.client_secret);
    const lower = { authorization: header['authorization']?.replace('Basic', 'basic') ?? '' };
    const { client_id, client_secret = '' } = post;
    expect(
      await errorsOf([
        [await fieldsOf(basic), header],
        [{ ...(await fieldsOf(basic)), client_id: basic.client_id }, lower],
        [{ ...(await fieldsOf(post)), client_id, client_secret }],
      ]),
    ).toEqual(Array(3).fill([200, undefined]));
  });

  it('is refused with other Basic credentials, and asked for Basic', async () => {
    const fields = await fieldsOf(basic);
    for (const header of [
      basicHeader(basic.client_id, 'cs_other'),
      basicHeader(open.client_id, ''),
      encoded('pair'),
      encoded('%zz:x'),
      { authorization: 'Basic ***' },
      { authorization: 'Bearer x' },
    ]) {
      await expectRefused('invalid_client', [[fields, header]]);
      expect((await token(service, fields, header)).headers['www-authenticate']).toBe('Basic realm="sandbox"');
    }
  });

  it('is refused by another method than it has, and by two of them', async () => {
    const { client_id, client_secret = '' } = post;
    await expectRefused('invalid_client', [
      [{ ...(await fieldsOf(post)), client_id }],
      [{ ...(await fieldsOf(post)), client_id, client_secret: `${client_secret}x` }],
      [{ ...(await fieldsOf(basic)), client_id: basic.client_id, client_secret: basic.client_secret ?? '' }],
      [{ ...(await fieldsOf(open)), client_id: open.client_id, client_secret: 'x' }],
      [{ ...(await fieldsOf(open)), client_id: 'client_other' }],
    ]);
    const header = basicHeader(basic.client_id, basic.client_secret);
    const fields = await fieldsOf(basic);
    await expectRefused('invalid_request', [
      [{ ...fields, client_secret: basic.client_secret ?? '' }, header],
      [{ ...fields, client_id }, header],
    ]);
  });
});

describe('an access token of the sandbox', () => {
  it('is accepted below /v1 for an hour; the token of the sandbox always is', async () => {
    const { access_token, refresh_token } = await signIn(service, open);
    now += HOUR_MS - 1;
    expect(await isTaken(service, access_token)).toBe(true);
    now += 1;
    const others = await Promise.all([access_token, refresh_token].map((one) => isTaken(service, one)));
    expect([others, await isTaken(service, service.token)]).toEqual([[false, false], true]);
  });
});

describe('a refresh at the sandbox', () => {
  it('gives new tokens; the earlier access token stays valid until its end', async () => {
    const first = await signIn(service, open);
    const { status, json } = await refresh(service, open, first.refresh_token);
    expect([status, json['email']]).toEqual([200, 'owner@sandbox.example']);
    expect(json['refresh_token']).not.toBe(first.refresh_token);
    expect(json['access_token']).not.toBe(first.access_token);
    expect(await isTaken(service, first.access_token)).toBe(true);
    expect((await refresh(service, open, String(json['refresh_token']))).status).toBe(200);
  });

  it('with a used token ends the whole sign-in, and no other', async () => {
    const [first, other] = [await signIn(service, open), await signIn(service, open)];
    const { json: second } = await refresh(service, open, first.refresh_token);
    expect((await refresh(service, open, first.refresh_token)).json['error']).toBe('invalid_grant');
    for (const { access_token } of [first, second]) expect(await isTaken(service, String(access_token))).toBe(false);
    expect((await refresh(service, open, String(second['refresh_token']))).json['error']).toBe('invalid_grant');
    expect((await refresh(service, open, other.refresh_token)).status).toBe(200);
  });

  it('is possible for 90 days', async () => {
    const [early, late] = [await signIn(service, open), await signIn(service, open)];
    now += 90 * 24 * HOUR_MS - 1;
    expect((await refresh(service, open, early.refresh_token)).status).toBe(200);
    now += 1;
    expect((await refresh(service, open, late.refresh_token)).json['error']).toBe('invalid_grant');
  });

  it('is refused for a client that was registered without it', async () => {
    const plain = await client(service, { grant_types: ['authorization_code'] });
    const { json } = await token(service, exchangeFields(plain, await codeFor(service, plain)));
    expect(json).not.toHaveProperty('refresh_token');
    expect((await refresh(service, plain, 'rt_other')).json['error']).toBe('unauthorized_client');
  });

  it('is refused for another client, scope or token, which does not revoke it', async () => {
    const [{ refresh_token }, other] = [await signIn(service, open), await client(service)];
    const fields = { grant_type: 'refresh_token', refresh_token, client_id: open.client_id };
    await expectRefused('invalid_grant', [
      [{ ...fields, client_id: other.client_id }],
      [{ ...fields, refresh_token: 'rt_other' }],
    ]);
    await expectRefused('invalid_client', [[{ ...fields, client_id: 'client_other' }]]);
    await expectRefused('invalid_scope', [[{ ...fields, scope: 'admin' }]]);
    await expectRefused('invalid_request', [[{ ...fields, refresh_token: '' }]]);
    expect((await token(service, { ...fields, scope: 'mcp:connect' })).status).toBe(200);
  });
});
