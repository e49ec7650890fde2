// The router of the Model Context Protocol's SDK, with everything in memory.
import { randomUUID } from 'node:crypto';
import { InvalidGrantError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { mcpAuthRouter } from '@modelcontextprotocol/sdk/server/auth/router.js';

/** With everything in memory. */
function createProvider({ signedIn, askPerson }) {
  const clients = new Map();
  const codes = new Map();
  const access = new Set();
  const refresh = new Map();
  const give = (client, scopes) => {
    const [access_token, refresh_token] = [randomUUID(), randomUUID()];
    access.add(access_token);
    refresh.set(refresh_token, { client: client.client_id, scopes, access_token });
    return { access_token, token_type: 'bearer', expires_in: 3600, refresh_token, scope: scopes.join(' ') };
  };
  const provider = {
    clientsStore: {
      getClient: (id) => clients.get(id),
      registerClient: (client) => {
        clients.set(client.client_id, client);
        return client;
      },
    },
    async authorize(client, { state, scopes = [], codeChallenge, redirectUri }, response) {
      if (!signedIn(response.req)) return askPerson(response.req, response);
      const code = randomUUID();
      codes.set(code, { client: client.client_id, scopes, codeChallenge });
      const back = new URL(redirectUri);
      back.searchParams.set('code', code);
      if (state !== undefined) back.searchParams.set('state', state);
      response.redirect(back.href);
    },
    async challengeForAuthorizationCode(client, code) {
      const found = codes.get(code);
      if (found?.client !== client.client_id) throw new InvalidGrantError('no such code');
      return found.codeChallenge;
    },
    async exchangeAuthorizationCode(client, code) {
      const { scopes } = codes.get(code);
      codes.delete(code);
      return give(client, scopes);
    },
    async exchangeRefreshToken(client, token) {
      const found = refresh.get(token);
      if (found?.client !== client.client_id) throw new InvalidGrantError('no such refresh token');
      refresh.delete(token);
      access.delete(found.access_token);
      return give(client, found.scopes);
    },
    async revokeToken(_client, { token }) {
      access.delete(refresh.get(token)?.access_token ?? token);
      refresh.delete(token);
    },
    verifyAccessToken: async () => {
      throw new Error('not used');
    },
  };
  return { provider, clients, access };
}

export async function create(context) {
  const { provider, clients, access } = createProvider(context);
  const unlimited = { rateLimit: false };
  context.app.use(
    mcpAuthRouter({
      provider,
      issuerUrl: new URL(context.url),
      scopesSupported: ['mcp:connect'],
      authorizationOptions: unlimited,
      tokenOptions: unlimited,
      revocationOptions: unlimited,
      clientRegistrationOptions: unlimited,
    }),
  );
  return { accepts: async (token) => access.has(token), forget: () => clients.clear() };
}
