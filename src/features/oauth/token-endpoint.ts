/** One request to the token endpoint, or to another that takes a form from a client (doc 2 §5). */
import { SvcError } from '../../errors.ts';
import { serviceMessage } from '../../http/answers.ts';
import type { Target } from '../../http/target.ts';
import { isObject, schemaProblem, tryParseJson } from '../../json-object.ts';
import type { ClientRecord } from '../../store/credentials.ts';
import { type ProtocolAnswer, ProtocolRefusal, protocolRequest } from './protocol-request.ts';
import { type TokenGrant, tokenResponse } from './schema.ts';

export type OAuthClient = Pick<ClientRecord, 'client_id' | 'client_secret' | 'token_endpoint_auth_method'>;

export interface FormRequest {
  /** How the service is reached. Its headers go along only to an endpoint on the same origin. */
  readonly target: Target;
  readonly endpoint: string;
  readonly client: OAuthClient;
  /** `grant_type` and what it needs; the client's own fields are added. */
  readonly fields: Readonly<Record<string, string>>;
}

/** The server's refusal of the client, the code or the token. */
export class OAuthRefusal extends SvcError {
  /** RFC 6749 §5.2; empty if the response has another kind of error. */
  readonly error: string;

  constructor(error: unknown, message: string, httpStatus: number) {
    super('unauthorized', message, { httpStatus });
    this.error = typeof error === 'string' ? error : '';
  }

  /** About the client, and not about the login. */
  get isOfClient(): boolean {
    return this.error === 'invalid_client' || this.error === 'unauthorized_client';
  }
}

/** Sends one POST. Throws an `OAuthRefusal`, or another `SvcError` if no usable response came. */
export async function requestToken(request: FormRequest): Promise<TokenGrant> {
  const answer = await submitForm(request);
  const { origin, pathname } = new URL(request.endpoint);
  const line = `POST ${origin}${pathname}`;
  if (answer['error']) {
    const message = serviceMessage({ contentType: '', text: JSON.stringify(answer) });
    throw new OAuthRefusal(answer['error'], `${line}: ${message}`, 200);
  }
  const read = tokenResponse.safeParse(answer);
  if (read.success) return read.data;
  throw new SvcError('wrong_shape', `${line}: the answer cannot be used: ${schemaProblem(read.error.issues, answer)}`);
}

/** What a login stores of a grant. */
export function grantedFields({ access_token, expires_in, refresh_token }: TokenGrant, now: number) {
  return {
    access_token,
    obtained_at: now,
    expires_at: expires_in === undefined ? undefined : now + expires_in,
    // Left out, the old one stays valid (RFC 6749 §6).
    ...(refresh_token === undefined ? {} : { refresh_token, refresh_obtained_at: now }),
  };
}

export async function submitForm(
  { target, endpoint, client, fields }: FormRequest,
  bodiless = false,
): Promise<ProtocolAnswer> {
  const { client_id, client_secret = '', token_endpoint_auth_method: method } = client;
  const { refresh_token, token, code, code_verifier } = fields;
  const secrets = [refresh_token, token, code, code_verifier, client_secret];
  try {
    return await protocolRequest(target, {
      method: 'POST',
      url: new URL(endpoint),
      // No POST is repeated anyway: no state hangs on it, and a dry run may need a token.
      effect: 'read',
      encoding: 'form',
      body: { ...fields, client_id, ...(method === 'client_secret_post' ? { client_secret } : {}) },
      credentials: method === 'client_secret_basic' ? toBasic(client_id, client_secret) : {},
      secrets: secrets.filter((one) => one !== undefined),
      bodiless,
    });
  } catch (error) {
    if (!(error instanceof ProtocolRefusal)) throw error;
    const { status, text } = error.answer;
    const body = tryParseJson(text);
    if (status >= 500 || status === 429 || !isObject(body) || !body['error']) throw error;
    throw new OAuthRefusal(body['error'], error.message, status);
  }
}

/** RFC 6749 §2.3.1: both parts are form-encoded. */
function toBasic(id: string, secret: string): Record<string, string> {
  const parts = [id, secret].map((part) => new URLSearchParams([['', part]]).toString().slice(1));
  return { authorization: `Basic ${Buffer.from(parts.join(':')).toString('base64')}` };
}
