/** A client of the sandbox's OAuth endpoints, written by hand from doc 2 §5: nothing of svc's own is in it. */
import { createHash } from 'node:crypto';
import { type WireAnswer, wire } from '../../support/alertmanager.ts';
import type { TestService } from './service.ts';

export const REDIRECT = 'http://127.0.0.1:8250/callback';
export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
/** Of RFC 7636, appendix B. */
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
export const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

export interface Registered {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly token_endpoint_auth_method: string;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
}

/** An answer as its status and its JSON. */
export interface Answered {
  readonly status: number;
  readonly headers: WireAnswer['headers'];
  readonly json: Readonly<Record<string, unknown>>;
}

export function answered({ status, headers, body }: WireAnswer): Answered {
  return { status, headers, json: JSON.parse(body) as Answered['json'] };
}

export function metadata(changes: object = {}): Readonly<Record<string, unknown>> {
  return {
    redirect_uris: [REDIRECT],
    client_name: 'by hand',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    scope: 'mcp:connect',
    ...changes,
  };
}

export async function register(
  { url }: TestService,
  body: unknown = metadata(),
  type = 'application/json',
): Promise<Answered> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return answered(
    await wire(url, '/oauth/register', { method: 'POST', headers: { 'content-type': type }, body: text }),
  );
}

export async function client(service: TestService, changes: object = {}): Promise<Registered> {
  const { status, json } = await register(service, metadata(changes));
  if (status !== 201) throw new Error(`not registered: ${JSON.stringify(json)}`);
  return json as unknown as Registered;
}

/** The query of doc 2 §5; what is undefined in `changes` is left out. */
export function authorizeQuery(id: string, changes: Readonly<Record<string, string | undefined>> = {}): string {
  const all = {
    response_type: 'code',
    client_id: id,
    redirect_uri: REDIRECT,
    scope: 'mcp:connect',
    state: 's t&a+te',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...changes,
  };
  const stored = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return new URLSearchParams(stored).toString();
}

export async function authorize({ url }: TestService, query: string, method = 'GET'): Promise<WireAnswer> {
  return wire(url, `/oauth/authorize?${query}`, { method });
}

/** Where a redirect leads, as its parameters. */
export function parametersOf({ headers }: WireAnswer): Readonly<Record<string, string>> {
  return Object.fromEntries(new URL(headers.location ?? '').searchParams);
}

export async function codeFor(
  service: TestService,
  { client_id }: Registered,
  verifier = VERIFIER,
  changes: Readonly<Record<string, string>> = {},
): Promise<string> {
  const code_challenge = createHash('sha256').update(verifier).digest('base64url');
  const { code } = parametersOf(await authorize(service, authorizeQuery(client_id, { code_challenge, ...changes })));
  if (code === undefined) throw new Error('there is no code');
  return code;
}

/** A request to the token endpoint, of these fields alone, or of this very text. */
export async function token(
  { url }: TestService,
  fields: Readonly<Record<string, string>> | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const body = typeof fields === 'string' ? fields : new URLSearchParams(fields).toString();
  return answered(await wire(url, '/oauth/token', { method: 'POST', headers: { ...FORM, ...headers }, body }));
}

export function exchangeFields({ client_id }: Registered, code: string): Readonly<Record<string, string>> {
  return { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, client_id, code_verifier: VERIFIER };
}

export async function signIn(service: TestService, by: Registered): Promise<Tokens> {
  const { status, json } = await token(service, exchangeFields(by, await codeFor(service, by)));
  if (status !== 200) throw new Error(`not signed in: ${JSON.stringify(json)}`);
  return json as unknown as Tokens;
}

export async function refresh(
  service: TestService,
  { client_id }: Registered,
  refresh_token: string,
): Promise<Answered> {
  return token(service, { grant_type: 'refresh_token', refresh_token, client_id });
}

/** Whether the service itself takes an access token. */
export async function isTaken(service: TestService, accessToken: string): Promise<boolean> {
  const { status } = await service.call('GET', '/v1/webhooks', undefined, accessToken);
  if (status !== 200 && status !== 401) throw new Error(`answered ${status}`);
  return status === 200;
}
