/** The secrets in credentials.json: logins, OAuth clients, and tokens of the trading gateway. */
import { join } from 'node:path';
import type { Paths } from '../context.ts';
import {
  type ClientRecord,
  client,
  type GatewayToken,
  gatewayToken,
  login,
  type OAuthCredential,
  type PersonalCredential,
} from './schemas.ts';
import { type SecretKey, type SecretStore, type SecretsFile, secretId } from './secret-store.ts';
import type { Settings } from './settings.ts';

export type { ClientRecord, GatewayToken, OAuthCredential, PersonalCredential };
export type ClientAuthMethod = ClientRecord['token_endpoint_auth_method'];
export type Credential = OAuthCredential | PersonalCredential;

/** Whose login or gateway token it is. */
export type CredentialOwner = Pick<GatewayToken, 'profile' | 'base_url'>;
export type ClientName = Pick<ClientRecord, 'issuer' | 'client_id'>;

const SIGN_IN = 'sign in again: svc oauth login';
const STORE_TOKEN = 'store it again: svc trade login';

export function credentialsPath(paths: Paths): string {
  return join(paths.config, 'credentials.json');
}

export function credentialsFile(paths: Paths): SecretsFile {
  return { path: credentialsPath(paths), remedy: 'sign in again: svc oauth login (trade: svc trade login)' };
}

/** A token is sent to no other address than this one, including its path. */
export function ownerOf({ profile }: Pick<Settings, 'profile'>, baseUrl: URL): CredentialOwner {
  return { profile: profile.name, base_url: baseUrl.origin + baseUrl.pathname.replace(/\/$/, '') };
}

export function loginKey({ profile, base_url }: CredentialOwner): SecretKey<Credential> {
  return {
    id: secretId('login', profile, base_url),
    name: `the login of profile ${profile} to ${base_url}`,
    remedy: SIGN_IN,
    fields: { profile, base_url },
    schema: login,
  };
}

export function clientKey({ issuer, client_id }: ClientName): SecretKey<ClientRecord> {
  return {
    id: secretId('client', issuer, client_id),
    name: `the OAuth client ${client_id}`,
    remedy: SIGN_IN,
    fields: { issuer, client_id },
    schema: client,
  };
}

export function gatewayTokenKey({ profile, base_url }: CredentialOwner): SecretKey<GatewayToken> {
  return {
    id: secretId('gateway', profile, base_url),
    name: `the token of profile ${profile} for ${base_url}`,
    remedy: STORE_TOKEN,
    fields: { profile, base_url },
    schema: gatewayToken,
  };
}

/** Whose logins, or whose gateway tokens, are stored. */
function listOwners(store: SecretStore, kind: 'login' | 'gateway'): readonly CredentialOwner[] {
  return store.pairs(kind).map(([profile, base_url]) => ({ profile, base_url }));
}

export function listClients(store: SecretStore): readonly ClientName[] {
  return store.pairs('client').map(([issuer, client_id]) => ({ issuer, client_id }));
}

/** The logins that have a client. Throws if one cannot be read: a client may be needed for it. */
export async function readClientLogins(store: SecretStore): Promise<readonly OAuthCredential[]> {
  const found: OAuthCredential[] = [];
  for (const owner of listOwners(store, 'login')) {
    const stored = await store.find(loginKey(owner));
    if (stored?.kind === 'oauth') found.push(stored);
  }
  return found;
}

export function isClientOf(credential: OAuthCredential, { issuer, client_id }: ClientName): boolean {
  return credential.issuer === issuer && credential.client_id === client_id;
}
