import { expect, it } from 'vitest';
import { registerClient } from '../../../src/features/oauth/registration.ts';
import { answer, faultServer } from '../../support/servers.ts';
import { targetFor } from '../../support/targets.ts';

const REQUEST = { method: 'none', clientName: 'svc', redirectUris: ['http://127.0.0.1:8250/callback'] } as const;
/** It cannot be made a text. */
const OBJECT = { toString: null, valueOf: null };

it.each([
  ['token_endpoint_auth_method', OBJECT],
  ['redirect_uris', [OBJECT]],
  ['redirect_uris', OBJECT],
  ['client_secret_expires_at', 'never'],
])('a client whose %s is %j is as it was requested', async (name, value) => {
  const body = JSON.stringify({ client_id: 'c1', [name]: value });
  await using server = await faultServer((socket) => socket.write(answer(201, body)));
  const metadata = {
    issuer: server.url,
    authorization_endpoint: `${server.url}/authorize`,
    token_endpoint: `${server.url}/token`,
    registration_endpoint: `${server.url}/register`,
    code_challenge_methods_supported: ['S256'],
  };
  expect(await registerClient(targetFor(server.url), metadata, REQUEST)).toMatchObject({
    client_id: 'c1',
    token_endpoint_auth_method: 'none',
    redirect_uris: REQUEST.redirectUris,
  });
});
