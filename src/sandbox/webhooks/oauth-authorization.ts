/** Where the person is asked (doc 2 §5): a page with two buttons, or no page where all is approved. */

import type { WebhooksTrap } from '../traps.ts';
import {
  OAuthRefusal,
  type Parameters,
  pageAnswer,
  readForm,
  readParameters,
  redirectAnswer,
  required,
  type WireAnswer,
} from './oauth-answer.ts';
import { type Client, type Clients, SCOPE, secretValue } from './oauth-clients.ts';
import type { Grants } from './oauth-grants.ts';

export interface AuthorizationOptions {
  readonly now: () => number;
  readonly traps: ReadonlySet<WebhooksTrap>;
  /** Nobody is asked. */
  readonly autoApprove: boolean;
}

/** Where the browser is sent back to. */
interface Return {
  readonly client: Client;
  readonly redirectUri: string;
  readonly state: string | undefined;
}

interface Question extends Return {
  readonly challenge: string;
  readonly until: number;
}

/** A page that is left open for longer is asked for again. */
const QUESTION_MS = 10 * 60_000;

export const DECISION_PATH = '/oauth/decision';

export class Authorization {
  readonly #clients: Clients;
  readonly #grants: Grants;
  readonly #options: AuthorizationOptions;
  readonly #questions = new Map<string, Question>();

  constructor(clients: Clients, grants: Grants, options: AuthorizationOptions) {
    this.#clients = clients;
    this.#grants = grants;
    this.#options = options;
  }

  ask(query: string): WireAnswer {
    const parameters = readParameters(query);
    const to = this.#returnOf(parameters);
    const problem = problemOf(parameters);
    if (problem !== undefined) return this.#back(to, problem);
    const question = {
      ...to,
      challenge: parameters.get('code_challenge') ?? '',
      until: this.#options.now() + QUESTION_MS,
    };
    if (this.#options.autoApprove) return this.#approve(question);
    const id = secretValue('q_');
    this.#questions.set(id, question);
    return pageAnswer(200, consentPage(question, id));
  }

  /** The page's form. Its hidden id, which no other site knows, is good for one answer. */
  decide(contentType: string | undefined, body: string): WireAnswer {
    const form = readForm(contentType, body);
    const id = required(form, 'question');
    const question = this.#questions.get(id);
    this.#questions.delete(id);
    if (question === undefined || question.until <= this.#options.now()) {
      throw new OAuthRefusal('invalid_request', 'this page has been answered, or is too old: sign in again');
    }
    if (form.get('decision') === 'approve') return this.#approve(question);
    return this.#back(question, { error: 'access_denied', error_description: 'the owner of the account said no' });
  }

  #approve(question: Question): WireAnswer {
    return this.#back(question, { code: this.#grants.approve(question) });
  }

  #back({ redirectUri, state }: Return, answer: Readonly<Record<string, string>>): WireAnswer {
    const to = new URL(redirectUri);
    for (const [name, value] of Object.entries(answer)) to.searchParams.append(name, value);
    const told = this.#options.traps.has('other-state') ? secretValue('') : state;
    if (told !== undefined) to.searchParams.append('state', told);
    return redirectAnswer(to.href);
  }

  /** Throws where a redirect could end at a stranger: the browser then sees a page, and no client anything (RFC 6749 §4.1.2.1). */
  #returnOf(parameters: Parameters): Return {
    const { repeated } = parameters;
    for (const name of ['client_id', 'redirect_uri']) {
      required(parameters, name);
      if (repeated.has(name)) throw new OAuthRefusal('invalid_request', `${name} stands there more than once`);
    }
    const client = this.#clients.find(parameters.get('client_id'));
    if (client === undefined) throw new OAuthRefusal('invalid_client', 'invalid_client: the client is not known');
    const redirectUri = parameters.get('redirect_uri') ?? '';
    if (!client.redirect_uris.includes(redirectUri)) {
      throw new OAuthRefusal('invalid_request', 'redirect_uri is not one that the client is registered with');
    }
    return { client, redirectUri, state: repeated.has('state') ? undefined : parameters.get('state') };
  }
}

function problemOf(parameters: Parameters): Readonly<Record<string, string>> | undefined {
  const refuse = (error: string, error_description: string) => ({ error, error_description });
  if (parameters.repeated.size > 0) return refuse('invalid_request', 'a parameter stands there more than once');
  const type = parameters.get('response_type');
  if (type === undefined) return refuse('invalid_request', 'response_type is required');
  if (type !== 'code') return refuse('unsupported_response_type', 'response_type must be code');
  if ((parameters.get('scope') ?? SCOPE) !== SCOPE) return refuse('invalid_scope', `scope must be ${SCOPE}`);
  // Without a method it would be plain (RFC 7636 §4.3).
  if (parameters.get('code_challenge_method') !== 'S256') {
    return refuse('invalid_request', 'code_challenge_method must be S256');
  }
  return /^[\w-]{43}$/.test(parameters.get('code_challenge') ?? '')
    ? undefined
    : refuse('invalid_request', 'code_challenge must be 43 characters of base64url');
}

function consentPage({ client, redirectUri }: Question, id: string): string {
  const name = escaped(client.client_name || client.client_id);
  return page(
    'Sign in to the sandbox',
    `<p><strong>${name}</strong> wants to manage the webhooks of this sandbox, and to read its recordings.
<p>The answer goes to <code>${escaped(new URL(redirectUri).origin)}</code>.
<form method="post" action="${DECISION_PATH}">
<input type="hidden" name="question" value="${escaped(id)}">
<button name="decision" value="approve">Approve</button>
<button name="decision" value="deny">Deny</button>
</form>`,
  );
}

/** For the person: a browser shows no JSON. */
export function refusalPage({ status, message, headers }: OAuthRefusal): WireAnswer {
  return pageAnswer(status, page('This sign-in cannot go on', `<p>${escaped(message)}`), headers);
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<h1>${title}</h1>
${body}
</html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
