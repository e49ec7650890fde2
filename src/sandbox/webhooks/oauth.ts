/** The OAuth endpoints of doc 2 §4 and §5. They know nothing of svc. */
import { json, type Request, type Response } from '../http.ts';
import { hostile } from '../traps.ts';
import {
  type Approval,
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
  secretValue,
} from './oauth-clients.ts';

interface OAuthOptions extends GrantsOptions {
  /** Approve every sign-in without a page. */
  readonly autoApprove: boolean;
}

/** A sign-in that waits for a person's decision. */
interface Question extends Approval {
  readonly state: string | undefined;
  readonly until: number;
}

const QUESTION_MS = 10 * 60_000;
const SLOW_MS = 10_000;
const DECISION_PATH = '/oauth/decision';
const METHODS: ReadonlyMap<string, 'GET' | 'POST'> = new Map([
  ['/.well-known/oauth-authorization-server', 'GET'],
  ['/oauth/register', 'POST'],
  ['/oauth/authorize', 'GET'],
  [DECISION_PATH, 'POST'],
  ['/oauth/token', 'POST'],
]);
/** All fields but these two stay as they are. */
const NOT_HOSTILE = /^(?!(?:email|error_description)$)/;
const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' };

export class OAuth {
  readonly #clients: Clients;
  readonly #grants: Grants;
  readonly #options: OAuthOptions;
  readonly #questions = new Map<string, Question>();

  constructor(options: OAuthOptions) {
    this.#options = options;
    this.#clients = new Clients(options.traps, options.now);
    this.#grants = new Grants(options);
  }

  accepts(accessToken: string): boolean {
    return this.#grants.accepts(accessToken);
  }

  /** `issuer` has no slash at its end. Undefined if the path is none of OAuth's. */
  respond(request: Request, issuer: string): Response | undefined {
    const allow = METHODS.get(request.path);
    if (allow === undefined) return undefined;
    try {
      if (request.method !== allow) {
        throw new OAuthError('invalid_request', `the method must be ${allow}`, 405, { allow });
      }
      return this.#respond(request, issuer);
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      const { status, value, headers, description } = error;
      const isForPerson = request.path === '/oauth/authorize' || request.path === DECISION_PATH;
      if (isForPerson) return page(status, 'This sign-in cannot go on', `<p>${escaped(description)}`, headers);
      return this.#json(status, value, headers);
    }
  }

  #respond({ path, query, headers, body }: Request, issuer: string): Response {
    const type = headers['content-type'];
    const text = body.toString('utf8');
    switch (path) {
      case '/oauth/register':
        return this.#json(201, this.#clients.register(type, text));
      case '/oauth/authorize':
        return this.#authorize(readParameters(query));
      case DECISION_PATH:
        return this.#decide(readForm(type, text));
      case '/oauth/token':
        if (this.#options.traps.has('token-500')) throw new OAuthError('server_error', 'the storage is down', 500);
        // Addresses end up in logs (RFC 6749 §2.3.1).
        if (query !== '') throw invalidRequest('the parameters belong in the body');
        return this.#token(headers.authorization, readForm(type, text));
      default:
        return this.#json(200, this.#metadata(issuer));
    }
  }

  #metadata(issuer: string): object {
    return {
      issuer: this.#options.traps.has('other-issuer') ? 'https://other.example' : issuer,
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

  /** Until the redirect is known to be the client's, a problem is a page (RFC 6749 §4.1.2.1). */
  #authorize(parameters: Parameters): Response {
    const client = this.#clients.find(required(parameters, 'client_id'));
    const redirectUri = required(parameters, 'redirect_uri');
    if (client === undefined) throw new OAuthError('invalid_client', 'invalid_client: the client is unknown');
    if (!client.redirect_uris.includes(redirectUri)) throw invalidRequest('redirect_uri is not registered');
    const challenge = parameters.get('code_challenge') ?? '';
    const until = this.#options.now() + QUESTION_MS;
    const question = { client, redirectUri, challenge, state: parameters.get('state'), until };
    if (parameters.get('response_type') !== 'code') {
      return this.#redirect(question, refused('unsupported_response_type', 'response_type must be code'));
    }
    if ((parameters.get('scope') ?? SCOPE) !== SCOPE) {
      return this.#redirect(question, refused('invalid_scope', `scope must be ${SCOPE}`));
    }
    // Without a method it would be plain (RFC 7636 §4.3).
    if (parameters.get('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(challenge)) {
      return this.#redirect(question, refused('invalid_request', 'a code_challenge with S256 is required'));
    }
    if (this.#options.autoApprove) return this.#approve(question);
    const id = secretValue('q_');
    this.#questions.set(id, question);
    return consentPage(question, id);
  }

  /** The page's form. Its hidden id, which no other site knows, is valid once. */
  #decide(form: Parameters): Response {
    const id = required(form, 'question');
    const question = this.#questions.get(id);
    this.#questions.delete(id);
    if (question === undefined || question.until <= this.#options.now()) {
      throw invalidRequest('this page was answered before, or is too old: sign in again');
    }
    if (form.get('decision') === 'approve') return this.#approve(question);
    return this.#redirect(question, refused('access_denied', 'the owner of the account said no'));
  }

  #approve(question: Question): Response {
    return this.#redirect(question, { code: this.#grants.approve(question) });
  }

  /** By 303: a 307 would send the form again (RFC 9700 §4.12). */
  #redirect({ redirectUri, state }: Question, parameters: Readonly<Record<string, string>>): Response {
    const to = new URL(redirectUri);
    for (const [name, value] of Object.entries(parameters)) to.searchParams.append(name, value);
    const sent = this.#options.traps.has('other-state') ? secretValue('') : state;
    if (sent !== undefined) to.searchParams.append('state', sent);
    return { status: 303, headers: { ...NO_STORE, location: to.href, 'referrer-policy': 'no-referrer' } };
  }

  #token(authorization: string | undefined, form: Parameters): Response {
    const { traps, fast } = this.#options;
    const grantType = required(form, 'grant_type');
    const client = this.#clients.authenticate(authorization, form);
    if (grantType === 'authorization_code') {
      const [code, redirectUri] = [required(form, 'code'), required(form, 'redirect_uri')];
      const tokens = this.#grants.exchange(client, code, redirectUri, required(form, 'code_verifier'));
      this.#clients.use(client);
      return this.#json(200, tokens);
    }
    if (grantType !== 'refresh_token') {
      throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token');
    }
    if (!client.grant_types.includes(grantType)) {
      throw new OAuthError('unauthorized_client', 'the client is not registered for refreshes');
    }
    const token = required(form, 'refresh_token');
    if ((form.get('scope') ?? SCOPE) !== SCOPE) throw new OAuthError('invalid_scope', `scope must be ${SCOPE}`);
    if (traps.has('dropped-refresh')) return { status: 500, lost: true };
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

function consentPage({ client, redirectUri }: Question, id: string): Response {
  const name = escaped(client.client_name || client.client_id);
  return page(
    200,
    'Sign in to the sandbox',
    `<p><strong>${name}</strong> wants to manage the webhooks of this sandbox, and to read its recordings.
<p>The response goes to <code>${escaped(new URL(redirectUri).origin)}</code>.
<form method="post" action="${DECISION_PATH}">
<input type="hidden" name="question" value="${escaped(id)}">
<button name="decision" value="approve">Approve</button>
<button name="decision" value="deny">Deny</button>
</form>`,
  );
}

function page(status: number, title: string, content: string, headers: Response['headers'] = {}): Response {
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      ...NO_STORE,
      ...headers,
    },
    body: `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>${title}</title>\n<h1>${title}</h1>\n${content}\n</html>\n`,
  };
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
