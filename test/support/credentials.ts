/** What svc stores in credentials.json and webhook-secrets.json, as lists. */
import {
  type ClientRecord,
  type Credential,
  clientKey,
  type GatewayToken,
  gatewayTokenKey,
  loginKey,
} from '../../src/store/credentials.ts';
import type { SecretKey } from '../../src/store/secret-store.ts';
import { type StoredSecret, signingSecretKey } from '../../src/store/webhook-secrets.ts';

export interface Credentials {
  readonly clients: readonly ClientRecord[];
  readonly credentials: readonly Credential[];
  readonly gateway_tokens?: readonly GatewayToken[];
}

/** The text of credentials.json. */
export function credentialsText({ clients, credentials, gateway_tokens = [] }: Credentials): string {
  return fileText([
    ...clients.map((one) => [clientKey(one), one] as const),
    ...credentials.map((one) => [loginKey(one), one] as const),
    ...gateway_tokens.map((one) => [gatewayTokenKey(one), one] as const),
  ]);
}

/** The text of webhook-secrets.json. */
export function signingSecretsText(secrets: readonly StoredSecret[]): string {
  return fileText(secrets.map((one) => [signingSecretKey(one), one] as const));
}

function fileText(entries: readonly (readonly [SecretKey<unknown>, object])[]): string {
  const secrets = Object.fromEntries(entries.map(([{ id }, value]) => [id, { value }]));
  return JSON.stringify({ version: 1, secrets });
}

/** What credentials.json has itself; entries of a credential helper are left out. */
export function parseCredentials(text: string): Required<Credentials> {
  return {
    clients: valuesOf(text, 'client'),
    credentials: valuesOf(text, 'login'),
    gateway_tokens: valuesOf(text, 'gateway'),
  };
}

export function parseSigningSecrets(text: string): readonly StoredSecret[] {
  return valuesOf(text, 'signing');
}

function valuesOf<T>(text: string, kind: string): readonly T[] {
  const { secrets } = JSON.parse(text) as { readonly secrets: Record<string, { readonly value?: unknown }> };
  return Object.entries(secrets).flatMap(([id, { value }]) => (id.startsWith(`${kind}/`) && value ? [value as T] : []));
}
