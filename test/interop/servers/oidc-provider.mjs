// oidc-provider, with everything in memory.
import Provider from 'oidc-provider';
import { METHODS } from './own-metadata.mjs';

export async function create({ app, url, signedIn, askPerson }) {
  const provider = new Provider(url, {
    scopes: ['mcp:connect'],
    pkce: { required: () => true },
    responseTypes: ['code'],
    clientAuthMethods: METHODS,
    clientDefaults: { application_type: 'native', grant_types: ['authorization_code', 'refresh_token'] },
    features: {
      registration: { enabled: true },
      revocation: { enabled: true },
      devInteractions: { enabled: false },
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      registration: '/oauth/register',
      revocation: '/oauth/revoke',
    },
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    cookies: { keys: ['for tests'] },
    adapter: memory,
  });
  const grantFor = async (clientId) => {
    const grant = new provider.Grant({ accountId: 'ann', clientId });
    grant.addOIDCScope('mcp:connect');
    return grant.save();
  };
  app.get('/interaction/:uid', async (request, response) => {
    if (!signedIn(request)) return askPerson(request, response);
    const { prompt, params } = await provider.interactionDetails(request, response);
    const result =
      prompt.name === 'login'
        ? { login: { accountId: 'ann' } }
        : { consent: { grantId: await grantFor(params.client_id) } };
    return provider.interactionFinished(request, response, result);
  });
  // Last: it answers everything that has no other route.
  setImmediate(() => app.use(provider.callback()));
  return {
    accepts: async (token) => (await provider.AccessToken.find(token)) !== undefined,
    forget: () => stores.get('Client')?.clear(),
  };
}

/** Of each model: id to payload. */
const stores = new Map();

function memory(name) {
  const store = stores.get(name) ?? new Map();
  stores.set(name, store);
  const find = (key, value) => [...store.values()].find((payload) => payload[key] === value);
  return {
    upsert: async (id, payload) => void store.set(id, payload),
    find: async (id) => store.get(id),
    findByUserCode: async (code) => find('userCode', code),
    findByUid: async (uid) => find('uid', uid),
    consume: async (id) => void Object.assign(store.get(id), { consumed: Math.floor(Date.now() / 1000) }),
    destroy: async (id) => void store.delete(id),
    async revokeByGrantId(grantId) {
      for (const [id, payload] of store) if (payload.grantId === grantId) store.delete(id);
    },
  };
}
