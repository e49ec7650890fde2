/** The OAuth endpoints of doc 2 §4 and §5. They know nothing of svc. */
import { json, plain, type Request, type Response } from '../http.ts';
import { hostile } from '../traps.ts';
import {
  Clients,
  Grants,
  type GrantsOptions,
  invalidRequest,
  OAuthError,
  type Parameters,
  readForm,
  readParameters,
  required,
  SCOPE,
} from './oauth-clients.ts';

/** Where the browser goes back to. */
interface Return {
  readonly redirectUri: string;
  readonly state: string | undefined;
}

const SLOW_MS = 10_000;
const AUTHORIZE = '/oauth/authorize';
/** All fields but these two stay as they are. */
const NOT_HOSTILE = /^(?!(?:email|error_description)$)/;
const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' };

export class OAuth {
  readonly #clients: Clients;
  readonly #grants: Grants;
  readonly #options: GrantsOptions;

  constructor(options: GrantsOptions) {
    this.#options = options;
    this.#clients = new Clients(options.traps, options.now);
    this.#grants = new Grants(options);
  }

  accepts(accessToken: string): boolean {
    return this.#grants.accepts(accessToken);
  }

  /** `issuer` has no slash at its end. Undefined if the path is none of OAuth's. */
  respond(request: Request, issuer: string): Response | undefined {
    const route = this.#routes(request, issuer)[request.path];
    if (route === undefined) return undefined;
    const [allow, answer] = route;
    try {
      if (request.method === allow) return answer();
      throw new OAuthError('invalid_request', `the method must be ${allow}`, 405, { allow });
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      const { status, value, headers, description } = error;
      const text = plain(status, description);
      if (request.path === AUTHORIZE) return { ...text, headers: { ...text.headers, ...NO_STORE, ...headers } };
      return this.#json(status, value, headers);
    }
  }

  #routes(
    { query, headers, body }: Request,
    issuer: string,
  ): Readonly<Record<string, readonly [string, () => Response]>> {
    const type = headers['content-type'];
    const text = body.toString('utf8');
    return {
      '/.well-known/oauth-authorization-server': ['GET', () => this.#json(200, this.#metadata(issuer))],
      '/oauth/register': ['POST', () => this.#json(201, this.#clients.register(type, text))],
      [AUTHORIZE]: ['GET', () => this.#authorize(readParameters(query))],
      '/oauth/token': ['POST', () => this.#token(headers.authorization, query, readForm(type, text))],
    };
  }

  #metadata(issuer: string): object {
    return {
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      registration_endpoint: `${issuer}/oauth/register`,
      scopes_supported: [SCOPE],
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: this.#clients.methods,
    };
  }

  /**
   * Everybody is signed in at once. Until the redirect is known to be the client's, a problem is a
   * text (RFC 6749 §4.1.2.1).
   */
  #authorize(parameters: Parameters): Response {
    const client = this.#clients.find(required(parameters, 'client_id'));
    const redirectUri = required(parameters, 'redirect_uri');
    if (client === undefined) throw new OAuthError('invalid_client', 'invalid_client: the client is unknown');
    if (!client.redirect_uris.includes(redirectUri)) throw invalidRequest('redirect_uri is not registered');
    const challenge = parameters.get('code_challenge') ?? '';
    const to = { redirectUri, state: parameters.get('state') };
    if (parameters.get('response_type') !== 'code') {
      return this.#redirect(to, refused('unsupported_response_type', 'response_type must be code'));
    }
    if ((parameters.get('scope') ?? SCOPE) !== SCOPE) {
      return this.#redirect(to, refused('invalid_scope', `scope must be ${SCOPE}`));
    }
    // Without a method it would be plain (RFC 7636 §4.3).
    if (parameters.get('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(challenge)) {
      return this.#redirect(to, refused('invalid_request', 'a code_challenge with S256 is required'));
    }
    return this.#redirect(to, { code: this.#grants.approve({ client, redirectUri, challenge }) });
  }

  /** By 303: a 307 would send the form again (RFC 9700 §4.12). */
  #redirect({ redirectUri, state }: Return, parameters: Readonly<Record<string, string>>): Response {
    const to = new URL(redirectUri);
    for (const [name, value] of Object.entries(parameters)) to.searchParams.append(name, value);
    if (state !== undefined) to.searchParams.append('state', state);
    return { status: 303, headers: { ...NO_STORE, location: to.href, 'referrer-policy': 'no-referrer' } };
  }

  #token(authorization: string | undefined, query: string, form: Parameters): Response {
    const { traps, fast } = this.#options;
    if (traps.has('token-500')) throw new OAuthError('server_error', 'the storage is down', 500);
    // Addresses end up in logs (RFC 6749 §2.3.1).
    if (query !== '') throw invalidRequest('the parameters belong in the body');
    const grantType = required(form, 'grant_type');
    const client = this.#clients.authenticate(authorization, form);
    if (grantType === 'authorization_code') {
      const [code, redirectUri] = [required(form, 'code'), required(form, 'redirect_uri')];
      return this.#json(200, this.#grants.exchange(client, code, redirectUri, required(form, 'code_verifier')));
    }
    if (grantType !== 'refresh_token') {
      throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token');
    }
    if (!client.grant_types.includes(grantType)) {
      throw new OAuthError('unauthorized_client', 'the client is not registered for refreshes');
    }
    const token = required(form, 'refresh_token');
    if ((form.get('scope') ?? SCOPE) !== SCOPE) throw new OAuthError('invalid_scope', `scope must be ${SCOPE}`);
    const tokens = this.#json(200, this.#grants.refresh(client, token));
    const delayMs = traps.has('slow-refresh') ? SLOW_MS / fast : undefined;
    return { ...tokens, lost: traps.has('lost-refresh'), delayMs };
  }

  #json(status: number, value: unknown, headers: Response['headers'] = {}): Response {
    const shown = this.#options.traps.has('hostile-text') ? hostile(value, NOT_HOSTILE) : value;
    return json(status, shown, { ...NO_STORE, ...headers });
  }
}

function refused(error: string, error_description: string): Readonly<Record<string, string>> {
  return { error, error_description };
}
