/** Reads and changes the content of credentials.json, without I/O. */
import type {
  ClientRecord,
  CredentialsDocument,
  GatewayToken,
  OAuthCredential,
  PersonalCredential,
} from './schemas.ts';
import type { EachRecord, Sealable } from './sealed-records.ts';

export type { ClientRecord, CredentialsDocument, GatewayToken, OAuthCredential, PersonalCredential };
export type ClientAuthMethod = ClientRecord['token_endpoint_auth_method'];
export type Credential = OAuthCredential | PersonalCredential;

export type CredentialKey = Pick<GatewayToken, 'profile' | 'base_url'>;
type ClientKey = Pick<ClientRecord, 'issuer' | 'client_id'>;

export const NO_CREDENTIALS: CredentialsDocument = { version: 1, gen: 0, clients: [], credentials: [] };

/** What is secret in it. */
export const eachCredential: EachRecord<CredentialsDocument> = (document, change) => {
  const token =
    (service: string, fields: readonly string[]) =>
    <R extends GatewayToken>(one: R): R =>
      change(one, { fields, path: `${service}/${one.profile}/${withoutScheme(one.base_url)}` });
  const { gateway_tokens: gateway } = document;
  return {
    ...document,
    clients: document.clients.map((one) =>
      change(one, { fields: ['client_secret'], path: `client/${withoutScheme(one.issuer)}/${one.client_id}` }),
    ),
    credentials: document.credentials.map(token('webhooks', ['access_token', 'refresh_token'])),
    ...(gateway && { gateway_tokens: gateway.map(token('trade', ['access_token'])) }),
  };
};

export function credentialName(record: Sealable): string {
  if ('issuer' in record && !('profile' in record)) return 'the secret of the OAuth client';
  const { profile, base_url } = record as GatewayToken;
  return 'kind' in record ? `the login of profile ${profile} to ${base_url}` : `the token of profile ${profile}`;
}

function withoutScheme(address: string): string {
  return address.replace(/^\w+:\/\//, '');
}

/** A token is sent to no other address than this, including its path. */
export function credentialAddress(baseUrl: URL): string {
  return baseUrl.origin + baseUrl.pathname.replace(/\/$/, '');
}

const isOf =
  ({ profile, base_url }: CredentialKey) =>
  (one: CredentialKey): boolean =>
    one.profile === profile && one.base_url === base_url;

export function findCredential({ credentials }: CredentialsDocument, key: CredentialKey): Credential | undefined {
  return credentials.find(isOf(key));
}

export function withCredential(document: CredentialsDocument, credential: Credential): CredentialsDocument {
  return { ...document, credentials: [...withoutCredential(document, credential).credentials, credential] };
}

export function withoutCredential(document: CredentialsDocument, key: CredentialKey): CredentialsDocument {
  return { ...document, credentials: document.credentials.filter((one) => !isOf(key)(one)) };
}

export function findGatewayToken(
  { gateway_tokens: tokens = [] }: CredentialsDocument,
  key: CredentialKey,
): GatewayToken | undefined {
  return tokens.find(isOf(key));
}

export function withGatewayToken(document: CredentialsDocument, token: GatewayToken): CredentialsDocument {
  const { gateway_tokens: others = [] } = withoutGatewayToken(document, token);
  return { ...document, gateway_tokens: [...others, token] };
}

export function withoutGatewayToken(document: CredentialsDocument, key: CredentialKey): CredentialsDocument {
  const { gateway_tokens: tokens = [] } = document;
  return { ...document, gateway_tokens: tokens.filter((one) => !isOf(key)(one)) };
}

/** No later sign-in uses it: the next one registers a client. A refresh may still try it. */
export function endedClient(client: ClientRecord, now: number): ClientRecord {
  return { ...client, client_secret_expires_at: now };
}

const isClient =
  ({ issuer, client_id }: ClientKey) =>
  (one: ClientKey): boolean =>
    one.issuer === issuer && one.client_id === client_id;

export function findClient({ clients }: CredentialsDocument, key: ClientKey): ClientRecord | undefined {
  return clients.find(isClient(key));
}

/** The logins that are refreshed with this client. */
export function loginsOf({ credentials }: CredentialsDocument, client: ClientKey): readonly OAuthCredential[] {
  return credentials.filter((one) => one.kind === 'oauth').filter(isClient(client));
}

export function withClient(document: CredentialsDocument, client: ClientRecord): CredentialsDocument {
  return { ...document, clients: [...withoutClient(document, client).clients, client] };
}

export function withoutClient(document: CredentialsDocument, key: ClientKey): CredentialsDocument {
  return { ...document, clients: document.clients.filter((one) => !isClient(key)(one)) };
}
