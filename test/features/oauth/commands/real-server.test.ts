/** The same race against a real authorization server, which ends a login whose refresh token is used twice. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OAuthClient, requestToken } from '../../../../src/features/oauth/token-endpoint.ts';
import type { OAuthCredential } from '../../../../src/store/credentials.ts';
import { HOME, svc } from '../../../e2e/binary.ts';
import { parseCredentials } from '../../../support/credentials.ts';
import { browse, type OidcServer, startOidc } from '../../../support/oidc.ts';
import { keep, login } from '../../../support/rotating-server.ts';
import { targetFor } from '../../../support/targets.ts';

let server: OidcServer;
beforeAll(async () => {
  server = await startOidc();
});
afterAll(() => server.close());

const REDIRECT = 'http://127.0.0.1:8250/callback';
const VERIFIER = 'v'.repeat(43);

async function register(method: OAuthClient['token_endpoint_auth_method']): Promise<OAuthClient> {
  const response = await fetch(`${server.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: method,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: 'mcp:connect',
    }),
  });
  const { client_id, client_secret } = (await response.json()) as { client_id: string; client_secret?: string };
  return { client_id, token_endpoint_auth_method: method, ...(client_secret === undefined ? {} : { client_secret }) };
}

async function signIn(client: OAuthClient) {
  const authorize = new URL('/oauth/authorize', server.url);
  authorize.search = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: REDIRECT,
    scope: 'mcp:connect',
    state: 's',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  const { url } = await browse(authorize, ({ port }) => port === '8250');
  const code = new URL(url).searchParams.get('code') ?? '';
  const fields = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: VERIFIER };
  const endpoint = `${server.url}/oauth/token`;
  return requestToken({ target: targetFor(server.url), endpoint, client, fields });
}

it.each([
  ['none', 6],
  ['client_secret_basic', 6],
  ['client_secret_post', 6],
] as const)('%s: %i processes send one refresh request, twice in a row', async (method, count) => {
  const client = await register(method);
  const { access_token, refresh_token = '' } = await signIn(client);
  const config = mkdtempSync(join(HOME, 'real-'));
  const document = login(server.url, -10, { client_id: client.client_id, access_token, refresh_token });
  const [record] = document.clients;
  const path = keep(config, { ...document, clients: [{ ...record, ...client }] });
  const env = { SVC_CONFIG_DIR: config, SVC_WEBHOOKS_URL: server.url };
  for (let round = 1; round <= 2; round++) {
    const before = server.tokenRequests().length;
    const runs = await Promise.all(Array.from({ length: count }, () => svc(['oauth', 'token'], { env })));
    const { clients, credentials } = parseCredentials(readFileSync(path, 'utf8'));
    const [credential] = credentials as readonly [OAuthCredential];
    expect(runs.map(({ code, stdout, stderr }) => [code, stdout, stderr])).toEqual(
      runs.map(() => [0, `${credential.access_token}\n`, '']),
    );
    expect(server.tokenRequests().length - before).toBe(1);
    expect(credential.refresh_token).not.toBe(refresh_token);
    keep(config, { clients, credentials: [{ ...credential, expires_at: credential.obtained_at - 10 }] });
  }
});
