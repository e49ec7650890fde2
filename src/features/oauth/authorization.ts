/** One attempt to sign in: its request, and which response is accepted. Valid for one response. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { SvcError } from '../../errors.ts';
import type { ServerMetadata } from './discovery.ts';
import type { Verdict } from './loopback-listener.ts';

interface AuthorizationParts {
  readonly server: ServerMetadata;
  readonly clientId: string;
  readonly redirectUri: string;
  /** That of doc 2 §5 unless given. */
  readonly scope?: string | undefined;
}

/** The fields of the request that exchanges the code (doc 2 §5). */
export interface CodeGrant {
  readonly grant_type: 'authorization_code';
  readonly code: string;
  readonly code_verifier: string;
  readonly redirect_uri: string;
}

export const SCOPE = 'mcp:connect';

/** 256 bits as 43 characters of `A-Za-z0-9-_` (RFC 7636 §4.1, §7.1). */
export function randomValue(): string {
  return randomBytes(32).toString('base64url');
}

/** RFC 7636 §4.2, S256. */
export function codeChallenge(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** Parameters that a response has at most once (RFC 6749 §3.1). */
const SINGLE = ['state', 'code', 'iss', 'error', 'error_description'];

export class Authorization {
  /** The address for the browser. */
  readonly url: URL;
  readonly #server: ServerMetadata;
  readonly #redirectUri: string;
  readonly #state = randomValue();
  readonly #verifier = randomValue();
  #used = false;

  constructor({ server, clientId, redirectUri, scope = SCOPE }: AuthorizationParts) {
    this.#server = server;
    this.#redirectUri = redirectUri;
    this.url = new URL(server.authorization_endpoint);
    const asked = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope,
      state: this.#state,
      code_challenge: codeChallenge(this.#verifier),
      code_challenge_method: 'S256',
    };
    // Each parameter once, whatever the endpoint's own query contains.
    for (const [name, value] of Object.entries(asked)) this.url.searchParams.set(name, value);
  }

  /** `query` follows the `?` in the address that the service sent the browser back to. */
  judge(query: string): Verdict<CodeGrant> {
    const parameters = new URLSearchParams(query);
    const code = parameters.get('code') ?? '';
    // First, for errors too: a sender that lacks the state can neither answer nor end a sign-in.
    if (!sameText(parameters.get('state') ?? '', this.#state)) return refuse('its state does not match');
    const twice = SINGLE.find((name) => parameters.getAll(name).length > 1);
    if (twice !== undefined) return refuse(`it has ${twice} twice`);
    if (this.#used) return refuse('this sign-in is already over');
    if (!parameters.has('error') && code === '') return refuse('it contains no code');
    this.#used = true;
    const stranger = this.#stranger(parameters.get('iss'));
    if (stranger !== undefined) return { kind: 'over', failure: stranger };
    if (parameters.has('error')) return { kind: 'over', failure: toFailure(parameters) };
    const value = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.#redirectUri,
      code_verifier: this.#verifier,
    } as const;
    return { kind: 'taken', value };
  }

  /** RFC 9207 §2.4: a response of another server, whose code must go nowhere. */
  #stranger(iss: string | null): SvcError | undefined {
    const { issuer, authorization_response_iss_parameter_supported: promised } = this.#server;
    if (iss === issuer || (iss === null && promised !== true)) return undefined;
    const from = iss === null ? 'does not say which server it comes from' : `comes from ${iss}, not from ${issuer}`;
    return new SvcError('guarded', `the sign-in response ${from}`, { hint: 'nothing was sent to any server' });
  }
}

function toFailure(parameters: URLSearchParams): SvcError {
  const error = parameters.get('error') ?? '';
  const text = [error, parameters.get('error_description')].filter((part) => part).join(': ');
  if (['server_error', 'temporarily_unavailable'].includes(error)) {
    return new SvcError('server_error', `the service could not complete the sign-in: ${text.slice(0, 300)}`);
  }
  return new SvcError('unauthorized', `the sign-in was refused: ${text.slice(0, 300)}`, {
    hint: 'sign in again, and allow access; for another client use --new-client, for other scopes --scope',
  });
}

function refuse(why: string): Verdict<never> {
  return { kind: 'refused', why };
}

function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
