import { expect, it } from 'vitest';
import { registerClient } from '../../../src/features/oauth/registration.ts';
import { answer, faultServer } from '../../http/servers.ts';
import { targetFor } from '../../http/targets.ts';

const REQUEST = { method: 'none', clientName: 'svc', redirectUris: ['http://127.0.0.1:8250/callback'] } as const;
/** It cannot be made a text. */
const OBJECT = { toString: null, valueOf: null };

it.each([
  ['token_endpoint_auth_method', OBJECT],
  ['redirect_uris', [OBJECT]],
  ['redirect_uris', OBJECT],
])('a client whose %s is %j is refused in words', async (name, value) => {
  const body = JSON.stringify({ client_id: 'c1', [name]: value });
  await using server = await faultServer((socket) => socket.write(answer(201, body)));
  const metadata = {
    issuer: server.url,
    authorization_endpoint: `${server.url}/authorize`,
    token_endpoint: `${server.url}/token`,
    registration_endpoint: `${server.url}/register`,
    code_challenge_methods_supported: ['S256'],
  };
  await expect(registerClient(targetFor(server.url), metadata, REQUEST)).rejects.toMatchObject({
    code: 'not_as_asked',
    message: expect.stringContaining(name),
  });
});
