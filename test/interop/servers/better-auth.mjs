// better-auth with its OAuth provider, below /api/auth, with sign-in and consent pages of its own.
import { randomUUID } from 'node:crypto';
import { oauthProvider, oauthProviderAuthServerMetadata } from '@better-auth/oauth-provider';
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { toNodeHandler } from 'better-auth/node';
import { jwt } from 'better-auth/plugins';

const PERSON = { email: 'ann@example.com', password: 'correct horse battery', name: 'Ann' };

const TABLES = [
  'user',
  'session',
  'account',
  'verification',
  'jwks',
  'rateLimit',
  'oauthResource',
  'oauthClientResource',
  'oauthClientAssertion',
  'oauthClient',
  'oauthAccessToken',
  'oauthRefreshToken',
  'oauthConsent',
];

function createAuth(url, db) {
  return betterAuth({
    baseURL: `${url}/api/auth`,
    secret: randomUUID(),
    database: memoryAdapter(db),
    emailAndPassword: { enabled: true },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
    disabledPaths: ['/token'],
    plugins: [
      jwt(),
      oauthProvider({
        loginPage: '/login',
        consentPage: '/consent',
        scopes: ['mcp:connect', 'offline_access'],
        allowDynamicClientRegistration: true,
        allowUnauthenticatedClientRegistration: true,
        silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
      }),
    ],
  });
}

export async function create({ app, url }) {
  const db = Object.fromEntries(TABLES.map((name) => [name, []]));
  const auth = createAuth(url, db);
  await auth.api.signUpEmail({ body: PERSON });
  const metadata = oauthProviderAuthServerMetadata(auth);
  const post = (path, body, cookie = '') => {
    const headers = { 'content-type': 'application/json', origin: url, cookie };
    return auth.handler(new Request(`${url}/api/auth${path}`, { method: 'POST', headers, body: JSON.stringify(body) }));
  };
  app.get('/.well-known/oauth-authorization-server/api/auth', async (_request, response) => {
    response.json(await (await metadata(new Request(url))).json());
  });
  const queryOf = ({ originalUrl }) => originalUrl.slice(originalUrl.indexOf('?') + 1);
  const follow = async (answered, response) => {
    for (const cookie of answered.headers.getSetCookie()) response.append('set-cookie', cookie);
    const body = await answered.json().catch(() => ({}));
    const to = answered.headers.get('location') ?? body.url ?? body.redirect_uri;
    if (to === undefined) response.status(500).json(body);
    else response.redirect(to);
  };
  app.get('/login', async (request, response) => {
    const { email, password } = PERSON;
    await follow(await post('/sign-in/email', { email, password, oauth_query: queryOf(request) }), response);
  });
  app.get('/consent', async (request, response) => {
    const body = { accept: true, oauth_query: queryOf(request) };
    await follow(await post('/oauth2/consent', body, request.headers.cookie), response);
  });
  app.use((request, response, next) => {
    if (request.path.startsWith('/api/auth/') && !request.path.startsWith('/api/auth/v1/')) {
      return toNodeHandler(auth)(request, response);
    }
    next();
  });
  // Its tokens are opaque without a resource; only their hashes are stored.
  const accepts = async (token) => {
    const answered = await fetch(`${url}/api/auth/oauth2/userinfo`, { headers: { authorization: `Bearer ${token}` } });
    return answered.status !== 401;
  };
  return { accepts, forget: () => db.oauthClient.splice(0) };
}
