/** Ends a login at the service (RFC 7009), where the service offers that. */
import { SvcError } from '../../errors.ts';
import type { Target } from '../../http/target.ts';
import { type Credential, clientKey, type OAuthCredential } from '../../store/credentials.ts';
import type { SecretStore } from '../../store/secret-store.ts';
import { type FormRequest, submitForm } from './token-endpoint.ts';

/** The request that revokes a login; undefined if there is nothing to revoke, or no way to. */
export type Revocation = Omit<FormRequest, 'target'>;

export async function findRevocation(
  store: SecretStore,
  login: Credential | undefined,
): Promise<Revocation | undefined> {
  if (login?.kind !== 'oauth' || login.revocation_endpoint === undefined) return undefined;
  const { client_id, revocation_endpoint: endpoint } = login;
  const client = (await store.find(clientKey(login))) ?? { client_id, token_endpoint_auth_method: 'none' as const };
  return { endpoint, client, fields: fieldsOf(login) };
}

/** A refresh token takes its access token along (RFC 7009 §2.1). */
function fieldsOf({ refresh_token, access_token }: OAuthCredential): Readonly<Record<string, string>> {
  if (refresh_token === undefined) return { token: access_token, token_type_hint: 'access_token' };
  return { token: refresh_token, token_type_hint: 'refresh_token' };
}

/** Resolves to the failure, if any. */
export async function revoke(revocation: Revocation, target: Target): Promise<SvcError | undefined> {
  try {
    await submitForm({ ...revocation, target }, true);
    return undefined;
  } catch (error) {
    if (!(error instanceof SvcError) || target.signal.aborted) throw error;
    return error;
  }
}
