// @cloudflare/workers-oauth-provider on Node, with its key-value store in memory.
import { register } from 'node:module';
import { Readable } from 'node:stream';

// The module that only Cloudflare's runtime has: the provider wants a base class from it.
const stub = 'data:text/javascript,export class WorkerEntrypoint {}';
register(
  `data:text/javascript,${encodeURIComponent(
    `export const resolve = (name, context, next) =>
       name === 'cloudflare:workers' ? { url: ${JSON.stringify(stub)}, shortCircuit: true } : next(name, context);`,
  )}`,
);

class MemoryStore {
  #values = new Map();
  async get(key, { type } = {}) {
    const value = this.#values.get(key);
    if (value === undefined) return null;
    return type === 'json' ? JSON.parse(value) : value;
  }
  async put(key, value) {
    this.#values.set(key, value);
  }
  async delete(key) {
    this.#values.delete(key);
  }
  async list({ prefix = '' } = {}) {
    const keys = [...this.#values.keys()].filter((name) => name.startsWith(prefix)).map((name) => ({ name }));
    return { keys, list_complete: true };
  }
}

export async function create({ app, url, signedIn }) {
  const { default: OAuthProvider } = await import('@cloudflare/workers-oauth-provider');
  const OAUTH_KV = new MemoryStore();
  const answer = async (request, env) => {
    const { pathname, search } = new URL(request.url);
    if (pathname !== '/authorize') return new Response('not found', { status: 404 });
    let asked;
    try {
      asked = await env.OAUTH_PROVIDER.parseAuthRequest(request);
    } catch (error) {
      return new Response(error.message, { status: 400 });
    }
    if (!signedIn({ headers: { cookie: request.headers.get('cookie') ?? '' } })) {
      const next = encodeURIComponent(pathname + search);
      return new Response(null, { status: 302, headers: { location: `/sign-in?next=${next}` } });
    }
    const { redirectTo } = await env.OAUTH_PROVIDER.completeAuthorization({
      request: asked,
      userId: 'ann',
      metadata: {},
      scope: asked.scope,
      props: {},
    });
    return new Response(null, { status: 302, headers: { location: redirectTo } });
  };
  const provider = new OAuthProvider({
    apiRoute: '/v1/',
    apiHandler: { fetch: async () => Response.json({ items: [] }) },
    defaultHandler: { fetch: answer },
    authorizeEndpoint: '/authorize',
    tokenEndpoint: '/oauth/token',
    clientRegistrationEndpoint: '/oauth/register',
    scopesSupported: ['mcp:connect'],
    accessTokenTTL: 3600,
    resourceMetadata: { resource: `${url}/v1/`, authorization_servers: [url] },
  });
  const context = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} };
  app.use(async (request, response, next) => {
    if (request.path.startsWith('/control/') || request.path === '/sign-in') return next();
    const { method, originalUrl, headers } = request;
    const body = method === 'GET' || method === 'HEAD' ? {} : { body: Readable.toWeb(request), duplex: 'half' };
    const answered = await provider.fetch(
      new Request(url + originalUrl, { method, headers, ...body }),
      { OAUTH_KV },
      context,
    );
    response.status(answered.status);
    for (const [name, value] of answered.headers) response.appendHeader(name, value);
    response.end(Buffer.from(await answered.arrayBuffer()));
  });
  const forget = async () => {
    for (const { name } of (await OAUTH_KV.list({ prefix: 'client:' })).keys) await OAUTH_KV.delete(name);
  };
  // The provider itself is the service: no token comes as far as here.
  return { accepts: async () => false, forget };
}
