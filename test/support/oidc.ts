/** A real authorization server (oidc-provider), cut to the addresses and fields of doc 2 §5, and a browser that signs in there. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface OidcOptions {
  /** `strict`: a redirect to another port than registered is refused. By default any port of a loopback address. */
  readonly ports?: 'any' | 'strict';
  /** The metadata promise `iss` in answers, and they have it. Both are left out by default, because doc 2 has neither. */
  readonly iss?: boolean;
  /** A new refresh token with every refresh, and the whole grant is revoked where an old one is used again. True by default. */
  readonly rotates?: boolean;
  /** Of an access token, in seconds, 3600 by default. */
  readonly lifetime?: number;
  /** Laid over the metadata. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** The person says no. */
  readonly denies?: { readonly error: string; readonly error_description: string };
}

export interface OidcRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface OidcServer {
  readonly url: string;
  /** All that came, in order. */
  readonly requests: readonly OidcRequest[];
  /** Of them, those to the token endpoint, as their fields. */
  tokenRequests(): readonly Readonly<Record<string, string>>[];
  close(): Promise<void>;
}

/** The fields that doc 2 §5 names, and no others. */
const FIELDS = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'scopes_supported',
  'response_types_supported',
  'grant_types_supported',
  'code_challenge_methods_supported',
  'token_endpoint_auth_methods_supported',
];

export async function startOidc(options: OidcOptions = {}): Promise<OidcServer> {
  const { default: Provider } = await quietly(() => import('oidc-provider'));
  const requests: OidcRequest[] = [];
  const server = createServer((incoming, response) => {
    record(incoming, requests);
    void answer(incoming, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = await quietly(async () => new Provider(url, configuration(options)));
  const handle = provider.callback();

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(incoming.url ?? '', url);
    if (pathname.startsWith('/interaction/')) return interact(incoming, response);
    if (pathname === '/.well-known/oauth-authorization-server') trim(response, options);
    if (pathname === '/oauth/authorize' || pathname.startsWith('/oauth/authorize/')) withoutIss(response, options);
    handle(incoming, response);
  };
  const interact = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { prompt, params } = await provider.interactionDetails(incoming, response);
    if (options.denies !== undefined) return provider.interactionFinished(incoming, response, options.denies);
    if (prompt.name === 'login')
      return provider.interactionFinished(incoming, response, { login: { accountId: 'ann' } });
    const grant = new provider.Grant({ accountId: 'ann', clientId: params['client_id'] ?? '' });
    grant.addOIDCScope('mcp:connect');
    return provider.interactionFinished(incoming, response, { consent: { grantId: await grant.save() } });
  };
  return {
    url,
    requests,
    tokenRequests: () =>
      requests
        .filter(({ path }) => path === '/oauth/token')
        .map(({ body }) => Object.fromEntries(new URLSearchParams(body))),
    async close() {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
}

function configuration({ ports = 'any', rotates = true, lifetime = 3600 }: OidcOptions): object {
  return {
    scopes: ['mcp:connect'],
    pkce: { required: () => true },
    responseTypes: ['code'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    clientDefaults: {
      // A web client's redirect must be the registered one to the letter; of a native one the port may differ.
      application_type: ports === 'any' ? 'native' : 'web',
      grant_types: ['authorization_code', 'refresh_token'],
    },
    features: { registration: { enabled: true }, devInteractions: { enabled: false } },
    interactions: { url: (_ctx: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    issueRefreshToken: async () => true,
    rotateRefreshToken: rotates,
    routes: { authorization: '/oauth/authorize', token: '/oauth/token', registration: '/oauth/register' },
    ttl: {
      AccessToken: lifetime,
      AuthorizationCode: 60,
      Grant: 86_400,
      Interaction: 600,
      RefreshToken: 86_400,
      Session: 600,
    },
    findAccount: (_ctx: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    cookies: { keys: ['for tests'] },
    renderError: (ctx: { body: string }, { error }: { readonly error: string }) => {
      ctx.body = `error page: ${error}`;
    },
  };
}

/** Its messages for developers are discarded. */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { info, warn } = console;
  console.info = () => {};
  console.warn = () => {};
  try {
    return await work();
  } finally {
    Object.assign(console, { info, warn });
  }
}

function record(incoming: IncomingMessage, requests: OidcRequest[]): void {
  let body = '';
  const { method = '', url: path = '', headers } = incoming;
  requests.push({
    method,
    path,
    headers,
    get body() {
      return body;
    },
  });
  const push = incoming.push.bind(incoming);
  incoming.push = (chunk: Buffer | null, ...rest) => {
    if (chunk !== null) body += chunk.toString();
    return push(chunk, ...rest);
  };
}

function trim(response: ServerResponse, { iss = false, metadata = {} }: OidcOptions): void {
  const end = response.end.bind(response) as (text: string) => ServerResponse;
  response.end = ((text: string | Buffer) => {
    const all = JSON.parse(text.toString()) as Record<string, unknown>;
    const stored = Object.entries(all).filter(
      ([name]) => FIELDS.includes(name) || (iss && name === 'authorization_response_iss_parameter_supported'),
    );
    const reported = JSON.stringify({ ...Object.fromEntries(stored), ...metadata });
    response.setHeader('content-length', Buffer.byteLength(reported));
    return end(reported);
  }) as typeof response.end;
}

function withoutIss(response: ServerResponse, { iss = false }: OidcOptions): void {
  if (iss) return;
  const setHeader = response.setHeader.bind(response);
  response.setHeader = (name, value) => {
    if (name.toLowerCase() !== 'location' || typeof value !== 'string' || !URL.canParse(value))
      return setHeader(name, value);
    const to = new URL(value);
    to.searchParams.delete('iss');
    return setHeader(name, to.href);
  };
}

export interface Visit {
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/**
 * What a browser does with an address: follows every redirect, with its cookies, and ends at the first page. With `until`, an
 * address for which that is true is not fetched: it is returned with status 0.
 */
export async function browse(address: string | URL, until: (url: URL) => boolean = () => false): Promise<Visit> {
  const cookies = new Map<string, string>();
  let url = new URL(address);
  for (let hops = 0; hops < 20; hops++) {
    if (until(url)) return { url: url.href, status: 0, headers: {}, body: '' };
    const visit = await get(url, cookies);
    const { location } = visit.headers;
    if (visit.status < 300 || visit.status > 399 || typeof location !== 'string') return visit;
    url = new URL(location, url);
  }
  throw new Error(`too many redirects at ${url.href}`);
}

function get(url: URL, cookies: Map<string, string>): Promise<Visit> {
  const mine = [...cookies].map(([key, value]) => `${key.split(' ')[1]}=${value}`).join('; ');
  const headers = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', ...(mine && { cookie: mine }) };
  return new Promise((done, fail) => {
    request(url, { headers, agent: false }, (answer) => {
      let body = '';
      for (const line of answer.headers['set-cookie'] ?? []) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(`${url.host} ${name}`, value);
      }
      answer.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      answer.on('error', fail);
      answer.on('end', () => done({ url: url.href, status: answer.statusCode ?? 0, headers: answer.headers, body }));
    })
      .on('error', fail)
      .end();
  });
}
