/**
 * An authorization server written from RFC 8414, 7591, 6749, 7636, 8252, 9207 and 7009 alone, with every field that they name. It shares no code with svc. A test
 * may change what it answers; what it does stays the same.
 */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type Part = 'metadata' | 'registration' | 'token' | 'callback';
export type Fields = Readonly<Record<string, unknown>>;

export interface Client {
  readonly method: unknown;
  readonly secret: string;
  readonly redirects: readonly unknown[];
}

interface Code {
  readonly client: string;
  readonly redirect: string;
  readonly challenge: string;
}

class Refused extends Error {
  readonly status: number;

  constructor(error: string, status = 400) {
    super(error);
    this.status = status;
  }
}

export class PlainServer {
  /** What it answers in place of its own answer. */
  change: (part: Part, fields: Fields) => Fields = (_part, fields) => fields;
  /** The status of a revocation. */
  revocationStatus = 200;
  /** All refresh tokens that it still takes, by client. */
  readonly refreshTokens = new Map<string, string>();
  readonly revoked: string[] = [];
  readonly #codes = new Map<string, Code>();
  /** By their ids; a test may add one of its own, or forget all. */
  readonly clients = new Map<string, Client>();
  readonly #accessTokens = new Set<string>();
  readonly #server = createServer((request, response) => {
    this.#respond(request, response).catch((error: unknown) => {
      if (!(error instanceof Refused)) throw error;
      answer(response, error.status, { error: error.message });
    });
  });

  static async start(): Promise<PlainServer> {
    const server = new PlainServer();
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', this.url);
    const body = await text(request);
    switch (`${request.method} ${pathname}`) {
      case 'GET /.well-known/oauth-authorization-server':
        return answer(response, 200, this.change('metadata', this.#metadata()));
      case 'POST /register':
        return answer(response, 201, this.#register(JSON.parse(body)));
      case 'GET /authorize':
        return this.#authorize(searchParams, response);
      case 'POST /token': {
        const form = new URLSearchParams(body);
        const client = this.#authenticate(request.headers.authorization, form);
        return answer(response, 200, this.change('token', this.#grant(client, form)));
      }
      case 'POST /revoke':
        this.#revoke(new URLSearchParams(body).get('token') ?? '');
        return answer(response, this.revocationStatus, {});
      case 'GET /v1/webhooks': {
        const isGood = this.#accessTokens.has(request.headers.authorization?.replace(/^Bearer /, '') ?? '');
        return answer(response, isGood ? 200 : 401, isGood ? { items: [] } : { error: { code: 'unauthorized' } });
      }
      default:
        return answer(response, 404, {});
    }
  }

  /** RFC 8414 §2 and RFC 9207 §3. */
  #metadata(): Fields {
    const { url } = this;
    return {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/keys`,
      registration_endpoint: `${url}/register`,
      scopes_supported: ['mcp:connect'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
      token_endpoint_auth_signing_alg_values_supported: ['RS256'],
      service_documentation: `${url}/docs`,
      ui_locales_supported: ['en'],
      op_policy_uri: `${url}/policy`,
      op_tos_uri: `${url}/terms`,
      revocation_endpoint: `${url}/revoke`,
      revocation_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_signing_alg_values_supported: ['RS256'],
      introspection_endpoint: `${url}/introspect`,
      introspection_endpoint_auth_methods_supported: ['none'],
      introspection_endpoint_auth_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      signed_metadata: 'eyJhbGciOiJub25lIn0.e30.',
    };
  }

  /** RFC 7591 §2 and §3.2.1. */
  #register(asked: Fields): Fields {
    const id = `client-${randomUUID()}`;
    const { token_endpoint_auth_method: method = 'client_secret_basic', redirect_uris: redirects } = asked;
    const secret = `secret-${randomUUID()}`;
    const fields = this.change('registration', {
      client_id: id,
      client_secret: secret,
      client_id_issued_at: 1,
      client_secret_expires_at: 0,
      redirect_uris: redirects,
      token_endpoint_auth_method: method,
      grant_types: asked['grant_types'],
      response_types: asked['response_types'],
      client_name: asked['client_name'],
      client_uri: this.url,
      logo_uri: this.url,
      scope: asked['scope'],
      contacts: ['ann@example.com'],
      tos_uri: this.url,
      policy_uri: this.url,
      jwks_uri: this.url,
      software_id: 'svc',
      software_version: '1',
      registration_access_token: 'rat',
      registration_client_uri: `${this.url}/register/${id}`,
    });
    const { client_id: given } = fields;
    const registered = typeof given === 'object' ? '' : String(given);
    this.clients.set(registered, { method, secret, redirects: redirects as readonly string[] });
    return fields;
  }

  /** RFC 6749 §4.1.1, RFC 7636 §4.3, and a person who agrees at once. */
  #authorize(query: URLSearchParams, response: ServerResponse): void {
    const [id, redirect] = [query.get('client_id') ?? '', query.get('redirect_uri') ?? ''];
    if (!this.clients.get(id)?.redirects.includes(redirect)) throw new Refused('invalid_request');
    if (query.get('response_type') !== 'code') throw new Refused('unsupported_response_type');
    if (query.get('code_challenge_method') !== 'S256') throw new Refused('invalid_request');
    const code = `code-${randomUUID()}`;
    this.#codes.set(code, { client: id, redirect, challenge: query.get('code_challenge') ?? '' });
    const fields = this.change('callback', { code, state: query.get('state'), iss: this.url });
    const to = new URL(redirect);
    for (const [name, value] of Object.entries(fields))
      if (value !== undefined)
        to.searchParams.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
    response.writeHead(302, { location: to.href }).end();
  }

  /** RFC 6749 §2.3.1. */
  #authenticate(authorization: string | undefined, form: URLSearchParams): string {
    const basic = Buffer.from(authorization?.replace(/^Basic /, '') ?? '', 'base64').toString();
    const [id = '', secret] =
      basic === '' ? [form.get('client_id') ?? '', form.get('client_secret')] : basic.split(':');
    const client = this.clients.get(id);
    const isKnown = client !== undefined && (client.method === 'none' || client.secret === secret);
    if (!isKnown) throw new Refused('invalid_client', 401);
    return id;
  }

  /** RFC 6749 §4.1.3, §5.1 and §6, RFC 7636 §4.6. Each code and each refresh token works once. */
  #grant(client: string, form: URLSearchParams): Fields {
    const [code, refresh] = [form.get('code') ?? '', form.get('refresh_token') ?? ''];
    if (form.get('grant_type') === 'refresh_token') {
      if (this.refreshTokens.get(refresh) !== client) throw new Refused('invalid_grant');
    } else {
      const { challenge, redirect, client: owner } = this.#codes.get(code) ?? {};
      const made = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      const isRight = owner === client && made === challenge && redirect === form.get('redirect_uri');
      if (!isRight) throw new Refused('invalid_grant');
    }
    this.#codes.delete(code);
    this.refreshTokens.delete(refresh);
    const [access_token, refresh_token] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    this.refreshTokens.set(refresh_token, client);
    this.#accessTokens.add(access_token);
    return { access_token, token_type: 'Bearer', expires_in: 3600, refresh_token, scope: 'mcp:connect' };
  }

  #revoke(token: string): void {
    this.revoked.push(token);
    if (this.revocationStatus !== 200) return;
    this.refreshTokens.delete(token);
  }
}

function answer(response: ServerResponse, status: number, fields: Fields): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(fields));
}
