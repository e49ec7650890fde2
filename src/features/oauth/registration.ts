/** Dynamic registration of a client (RFC 7591, doc 2 §5). */
import { SvcError } from '../../errors.ts';
import { Plan } from '../../http/endpoint.ts';
import type { Target } from '../../http/target.ts';
import { schemaProblem } from '../../json-object.ts';
import type { ClientAuthMethod, ClientRecord } from '../../store/credentials.ts';
import { SCOPE } from './authorization.ts';
import type { ServerMetadata } from './discovery.ts';
import { type ProtocolAnswer, protocolRequest } from './protocol-request.ts';
import { clientRegistration } from './schema.ts';

interface RegistrationRequest {
  readonly method: ClientAuthMethod;
  readonly clientName: string;
  readonly redirectUris: readonly string[];
  readonly scope?: string | undefined;
}

/** In order of preference: a client without a secret has none to lose. */
export const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;

/** The first method that both the server and svc support. */
export function preferredMethod({ token_endpoint_auth_methods_supported: offered }: ServerMetadata): ClientAuthMethod {
  return AUTH_METHODS.find((method) => offered?.includes(method)) ?? 'none';
}

/** Sends one POST. Throws if the service refuses (3), or creates another or unknown client (8). */
export async function registerClient(
  target: Target,
  server: ServerMetadata,
  asked: RegistrationRequest,
): Promise<ClientRecord | Plan> {
  if (!server.registration_endpoint) {
    throw new SvcError('guarded', `${server.issuer} does not offer client registration`, {
      hint: 'ask the operator for a client (--client-id) or a personal token (svc oauth login --token-stdin)',
    });
  }
  const url = new URL(server.registration_endpoint);
  const answer = await protocolRequest(target, {
    method: 'POST',
    effect: 'write',
    url,
    encoding: 'json',
    body: {
      redirect_uris: asked.redirectUris,
      client_name: asked.clientName,
      token_endpoint_auth_method: asked.method,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: asked.scope ?? SCOPE,
      // The default is a web application, which may have no http redirect (OpenID registration §2).
      ...(asked.redirectUris.every(isHttp) ? { application_type: 'native' } : {}),
    },
  });
  if (answer instanceof Plan) return answer;
  const client = readRegistration(answer, asked, `POST ${url.origin}${url.pathname}`);
  return { ...client, issuer: server.issuer, registered_at: Math.floor(target.now() / 1000) };
}

/** Only loopback addresses are http (doc 2 §5). */
function isHttp(uri: string): boolean {
  return new URL(uri).protocol === 'http:';
}

/** RFC 7591 §3.2.1: the service may change the request, and its response counts. */
function readRegistration(
  answer: ProtocolAnswer,
  { method: asked, redirectUris, clientName, scope }: RegistrationRequest,
  line: string,
): Omit<ClientRecord, 'issuer' | 'registered_at'> {
  const unusable = (why: string): SvcError =>
    new SvcError('not_as_asked', `${line} answered, but the client it registered cannot be used: ${why}`, {
      hint: 'svc stored nothing; an unused client may remain at the service',
    });
  const read = clientRegistration.safeParse(answer);
  if (!read.success) throw unusable(schemaProblem(read.error.issues, answer));
  const { client_id, client_secret, client_secret_expires_at = 0, ...registered } = read.data;
  const { token_endpoint_auth_method: given = asked, redirect_uris: uris = redirectUris } = registered;
  const method = AUTH_METHODS.find((one) => one === given);
  if (method === undefined) throw unusable(`svc does not support its token_endpoint_auth_method ${given}`);
  const missing = redirectUris.find((uri) => !uris.includes(uri));
  if (missing !== undefined) throw unusable(`its redirect_uris are ${uris.join(', ') || 'none'}, without ${missing}`);
  if (method !== 'none' && !client_secret) throw unusable(`it has no client_secret, which ${method} needs`);
  const loopback = redirectUris.find(isHttp);
  return {
    client_id,
    ...(method === 'none' ? {} : { client_secret, client_secret_expires_at }),
    token_endpoint_auth_method: method,
    redirect_uris: redirectUris,
    redirect_port: loopback === undefined ? undefined : Number(new URL(loopback).port || 80),
    client_name: clientName,
    scope,
  };
}

/** Whether the client's secret is still valid, for at least another minute. */
export function isLive({ client_secret_expires_at: expires = 0 }: ClientRecord, now: number): boolean {
  return expires === 0 || expires * 1000 > now + 60_000;
}
