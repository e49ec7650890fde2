/** Ends a login at the service (RFC 7009), where the service offers that. */
import { SvcError } from '../../errors.ts';
import type { Target } from '../../http/target.ts';
import { type Credential, clientKey, type OAuthCredential } from '../../store/credentials.ts';
import type { SecretStore } from '../../store/secret-store.ts';
import { type OAuthClient, submit } from './token-endpoint.ts';

/** A login with what a revocation request needs. */
export interface Revocable {
  readonly credential: OAuthCredential;
  readonly client: OAuthClient;
  readonly endpoint: string;
}

/** Undefined if there is nothing to revoke, or no way to. */
export async function findRevocable(
  store: SecretStore,
  credential: Credential | undefined,
): Promise<Revocable | undefined> {
  if (credential?.kind !== 'oauth' || credential.revocation_endpoint === undefined) return undefined;
  const { client_id, revocation_endpoint: endpoint } = credential;
  const known = await store.find(clientKey(credential));
  return { credential, client: known ?? { client_id, token_endpoint_auth_method: 'none' }, endpoint };
}

/** Resolves to the failure, if any. A refresh token takes its access token along (RFC 7009). */
export async function revoke(
  { credential, client, endpoint }: Revocable,
  target: Target,
): Promise<SvcError | undefined> {
  const { refresh_token, access_token } = credential;
  const fields =
    refresh_token === undefined
      ? { token: access_token, token_type_hint: 'access_token' }
      : { token: refresh_token, token_type_hint: 'refresh_token' };
  try {
    const outcome = await submit({ target, client, fields, tokenEndpoint: endpoint }, true);
    return outcome.kind === 'answered' ? undefined : outcome.failure;
  } catch (error) {
    if (!(error instanceof SvcError) || target.signal.aborted) throw error;
    return error;
  }
}
