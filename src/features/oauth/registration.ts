/** Dynamic registration of a client (RFC 7591, doc 2 §5). */
import { SvcError } from '../../errors.ts';
import { Plan } from '../../http/endpoint.ts';
import type { Target } from '../../http/target.ts';
import { jsonText, schemaProblem } from '../../json-object.ts';
import type { ClientAuthMethod, ClientRecord } from '../../store/credentials.ts';
import { SCOPE } from './authorization.ts';
import type { ServerMetadata } from './discovery.ts';
import { callbackPath, openListener } from './loopback-listener.ts';
import { type ProtocolAnswer, protocolRequest } from './protocol-request.ts';

interface RegistrationRequest {
  readonly method: ClientAuthMethod;
  readonly clientName: string;
  readonly redirectUris: readonly string[];
  readonly scope?: string | undefined;
  /** For device authorization (RFC 8628), which redirects no browser. */
  readonly device?: boolean;
}

interface Registration {
  readonly client: ClientRecord;
  /** Notices about a response that differs from the request but is usable. */
  readonly warnings: readonly string[];
}

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Sends one POST. Throws if the service refuses (3) or creates another or unknown client (8). */
export async function registerClient(
  target: Target,
  server: ServerMetadata,
  asked: RegistrationRequest,
): Promise<Registration | Plan> {
  const url = registrationUrl(server, asked.method);
  const answer = await protocolRequest(target, {
    method: 'POST',
    effect: 'write',
    url,
    encoding: 'json',
    body: {
      redirect_uris: asked.redirectUris,
      client_name: asked.clientName,
      token_endpoint_auth_method: asked.method,
      grant_types: [asked.device ? DEVICE_GRANT : 'authorization_code', 'refresh_token'],
      response_types: asked.device ? [] : ['code'],
      scope: asked.scope ?? SCOPE,
      // The default is a web application, which may have no http redirect (OpenID registration §2).
      ...(asked.redirectUris.every(isHttp) ? { application_type: 'native' } : {}),
    },
  }).catch(unfinished);
  if (answer instanceof Plan) return answer;
  return readRegistration(answer, server, asked, { line: `POST ${url.origin}${url.pathname}`, now: target.now() });
}

/** For a sign-in, which has no dry run. */
export async function registerForLogin(
  target: Target,
  server: ServerMetadata,
  asked: RegistrationRequest,
): Promise<Registration> {
  const registered = await registerClient(target, server, asked);
  if (registered instanceof Plan) throw new SvcError('internal', 'a sign-in has no dry run');
  return registered;
}

/** Nothing to check at the service: it does not list clients. */
function unfinished(error: unknown): never {
  if (!(error instanceof SvcError) || error.code !== 'outcome_unknown') throw error;
  const { code, message, httpStatus, cause } = error;
  throw new SvcError(code, message, { hint: LEFT_BEHIND, cause, httpStatus });
}

/** Only loopback addresses are http (doc 2 §5). */
function isHttp(uri: string): boolean {
  return new URL(uri).protocol === 'http:';
}

/** In order of preference: a client without a secret has none to lose. */
const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;

/** The methods that both the server and svc support; all of svc's if the server does not say. */
export function offeredMethods({ token_endpoint_auth_methods_supported: offered }: ServerMetadata) {
  return AUTH_METHODS.filter((method) => offered === undefined || offered.includes(method));
}

const LEFT_BEHIND = 'an unused client may remain at the service';

const NO_CLIENT = 'ask the operator for a client (--client-id) or a personal token (svc oauth login --token-stdin)';

function registrationUrl({ registration_endpoint, ...server }: ServerMetadata, method: ClientAuthMethod): URL {
  if (!registration_endpoint) {
    throw new SvcError('guarded', `${server.issuer} does not offer client registration`, { hint: NO_CLIENT });
  }
  const offered = offeredMethods(server);
  if (!offered.includes(method)) {
    const all = list(server.token_endpoint_auth_methods_supported);
    const choice = offered.length === 0 ? NO_CLIENT : `choose another method: --auth-method ${offered.join(' or ')}`;
    throw new SvcError('guarded', `${server.issuer} does not offer the method ${method}, but ${all}`, {
      hint: `${choice}; nothing was registered`,
    });
  }
  return new URL(registration_endpoint);
}

interface Received {
  readonly line: string;
  readonly now: number;
}

/** RFC 7591 §3.2.1: the service may change the request, and its response counts. */
async function readRegistration(
  answer: ProtocolAnswer,
  server: ServerMetadata,
  { method: asked, redirectUris, clientName, scope }: RegistrationRequest,
  { line, now }: Received,
): Promise<Registration> {
  const { clientRegistration } = await import('./schema.ts');
  const unusable = (why: string, hint = 'svc stored nothing'): SvcError =>
    new SvcError('not_as_asked', `${line} answered, but the client it registered cannot be used: ${why}`, {
      hint: `${hint}; ${LEFT_BEHIND}`,
    });
  const read = clientRegistration.safeParse(answer);
  if (!read.success) throw unusable(schemaProblem(read.error.issues, answer));
  const { client_id, client_secret: secret, client_secret_expires_at: expires, ...registered } = read.data;
  const { token_endpoint_auth_method: given = asked, redirect_uris: uris = redirectUris } = registered;
  const method = AUTH_METHODS.find((one) => one === given);
  const others = offeredMethods(server).filter((one) => one !== asked);
  const other = others.length === 0 ? NO_CLIENT : `use another method: --auth-method ${others.join(' or ')}`;
  if (method === undefined) throw unusable(`svc does not support its token_endpoint_auth_method ${given}`, other);
  const missing = redirectUris.find((uri) => !uris.includes(uri));
  if (missing !== undefined) throw unusable(`its redirect_uris are ${list(uris)}, without ${missing}`);
  if (method !== 'none' && !secret) throw unusable(`it has no client_secret, which ${method} needs`, other);
  const loopback = redirectUris.find(isHttp);
  return {
    client: {
      issuer: server.issuer,
      client_id,
      client_secret: method === 'none' ? undefined : secret,
      client_secret_expires_at: method === 'none' ? undefined : (expires ?? 0),
      token_endpoint_auth_method: method,
      redirect_uris: redirectUris,
      redirect_port: loopback === undefined ? undefined : Number(new URL(loopback).port || 80),
      client_name: clientName,
      scope,
      registered_at: Math.floor(now / 1000),
    },
    warnings: [
      ...(method === asked ? [] : [`the service registered the client with the method ${method}, not ${asked}`]),
      ...(method === 'none' && secret
        ? ['the service returned a secret for a client without authentication; svc ignores it']
        : []),
    ],
  };
}

function list(value: unknown): string {
  return Array.isArray(value) ? value.map(jsonText).join(', ') || 'none' : 'no list';
}

/** Whether the client's secret is still valid, for at least another minute. */
export function isLive({ client_secret_expires_at: expires = 0 }: ClientRecord, now: number): boolean {
  return expires === 0 || expires * 1000 > now + 60_000;
}

/** That of svc oauth login, at a port that is free now. */
export async function freeRedirectUri({ issuer }: ServerMetadata): Promise<string> {
  const listener = await openListener({ path: callbackPath(issuer) });
  await listener.close();
  return listener.redirectUri;
}
