/** The OAuth endpoints of doc 2 §4 and §5, as strict as a service may be. It knows nothing of how svc reads them. */
import type { IncomingHttpHeaders } from 'node:http';
import { HOSTILE, type WebhooksTrap } from '../traps.ts';
import { jsonAnswer, OAuthRefusal, readForm, required, type WireAnswer } from './oauth-answer.ts';
import { Authorization, DECISION_PATH, refusalPage } from './oauth-authorization.ts';
import { Clients, SCOPE } from './oauth-clients.ts';
import { Grants, type TokenAnswer } from './oauth-grants.ts';

export interface OAuthRequest {
  /** Without a slash at its end. */
  readonly issuer: string;
  readonly method: string;
  readonly path: string;
  /** As it came, without the question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface OAuthOptions {
  readonly now: () => number;
  readonly fast: number;
  readonly traps: ReadonlySet<WebhooksTrap>;
  readonly autoApprove: boolean;
}

interface Endpoint {
  readonly method: 'GET' | 'POST';
  /** A person looks at what it answers. */
  readonly page?: boolean;
  answer(request: OAuthRequest): WireAnswer;
}

const SLOW_MS = 10_000;

export class OAuth {
  readonly #clients: Clients;
  readonly #grants: Grants;
  readonly #options: OAuthOptions;
  readonly #endpoints: ReadonlyMap<string, Endpoint>;

  constructor(options: OAuthOptions) {
    this.#options = options;
    this.#clients = new Clients(options);
    this.#grants = new Grants(options);
    const authorization = new Authorization(this.#clients, this.#grants, options);
    this.#endpoints = new Map<string, Endpoint>([
      [
        '/.well-known/oauth-authorization-server',
        {
          method: 'GET',
          answer: ({ issuer }) => jsonAnswer(200, metadata(issuer, options.traps, this.#clients.methods)),
        },
      ],
      [
        '/oauth/register',
        {
          method: 'POST',
          answer: ({ headers, body }) => this.#clients.register(headers['content-type'], body),
        },
      ],
      ['/oauth/authorize', { method: 'GET', page: true, answer: ({ query }) => authorization.ask(query) }],
      [
        DECISION_PATH,
        {
          method: 'POST',
          page: true,
          answer: ({ headers, body }) => authorization.decide(headers['content-type'], body),
        },
      ],
      ['/oauth/token', { method: 'POST', answer: (request) => this.#token(request) }],
    ]);
  }

  has(path: string): boolean {
    return this.#endpoints.has(path);
  }

  handle(request: OAuthRequest): WireAnswer {
    const endpoint = this.#endpoints.get(request.path);
    try {
      if (endpoint?.method !== request.method) {
        const allow = endpoint?.method ?? '';
        throw new OAuthRefusal('invalid_request', `the method must be ${allow}`, 405, { allow });
      }
      return endpoint.answer(request);
    } catch (error) {
      if (!(error instanceof OAuthRefusal)) throw error;
      return endpoint?.page ? refusalPage(error) : this.#refusal(error);
    }
  }

  /** Whether it may be used below /v1 now. */
  accepts(accessToken: string): boolean {
    return this.#grants.accepts(accessToken);
  }

  #token({ query, headers, body }: OAuthRequest): WireAnswer {
    const { traps, fast } = this.#options;
    if (traps.has('token-500')) throw new OAuthRefusal('server_error', 'the storage is away', 500);
    // What stands in an address ends in logs (RFC 6749 §2.3.1).
    if (query !== '') throw new OAuthRefusal('invalid_request', 'the parameters belong into the body');
    const form = readForm(headers['content-type'], body);
    const grantType = required(form, 'grant_type');
    const client = this.#clients.authenticate(headers.authorization, form);
    if (grantType === 'authorization_code') {
      const [code, uri] = [required(form, 'code'), required(form, 'redirect_uri')];
      const tokens = this.#grants.exchange(client, code, uri, required(form, 'code_verifier'));
      this.#clients.use(client);
      return this.#granted(tokens);
    }
    if (grantType !== 'refresh_token') {
      throw new OAuthRefusal('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token');
    }
    if (!client.grant_types.includes(grantType)) {
      throw new OAuthRefusal('unauthorized_client', 'the client is not registered for refreshes');
    }
    const token = required(form, 'refresh_token');
    if ((form.get('scope') ?? SCOPE) !== SCOPE) throw new OAuthRefusal('invalid_scope', `scope must be ${SCOPE}`);
    if (traps.has('dropped-refresh')) return { ...jsonAnswer(500, {}), lost: true };
    return {
      ...this.#granted(this.#grants.refresh(client, token)),
      ...(traps.has('lost-refresh') ? { lost: true } : {}),
      ...(traps.has('slow-refresh') ? { delayMs: SLOW_MS / fast } : {}),
    };
  }

  #granted(answer: TokenAnswer): WireAnswer {
    return jsonAnswer(200, { ...answer, email: this.#worded(answer.email) });
  }

  #refusal({ status, code, message, headers }: OAuthRefusal): WireAnswer {
    // What may stand there (RFC 6749 §5.2).
    const description = message.replace(/[^ !#-[\]-~]/g, '?');
    return jsonAnswer(status, { error: code, error_description: this.#worded(description) }, headers);
  }

  #worded(text: string): string {
    return this.#options.traps.has('hostile-text') ? text + HOSTILE : text;
  }
}

function metadata(issuer: string, traps: ReadonlySet<WebhooksTrap>, methods: readonly string[]): object {
  return {
    issuer: traps.has('other-issuer') ? 'https://other.example' : issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/register`,
    scopes_supported: [SCOPE],
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: methods,
  };
}
