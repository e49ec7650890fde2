/**
 * What credentials.json holds, and the pure reading of it. All times are Unix seconds, as OAuth has them. Fields that svc does not know
 * are kept wherever they stand.
 */
import { SvcError } from '../errors.ts';
import { isObject, parseJsonText } from '../json-object.ts';

export type ClientAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post';

/** A registration, which is used again as long as issuer, method and redirect address are the same. */
export interface ClientRecord {
  readonly issuer: string;
  readonly client_id: string;
  readonly client_secret?: string;
  /** 0 or absent: never. */
  readonly client_secret_expires_at?: number;
  readonly token_endpoint_auth_method: ClientAuthMethod;
  readonly redirect_uris: readonly string[];
  /** The port of the loopback redirect, which a strict server compares; absent for an https redirect. */
  readonly redirect_port?: number;
  readonly client_name?: string;
  /** Absent where it is that of doc 2 §5. */
  readonly scope?: string;
  /** The form of client_secret_basic that the service takes. */
  readonly basic_form?: 'encoded' | 'encoded_without_client_id' | 'plain' | 'plain_without_client_id';
  readonly registered_at: number;
}

/** Whose credential it is: one per profile and address. */
export interface CredentialKey {
  readonly profile: string;
  /** As `credentialAddress` writes it. */
  readonly base_url: string;
}

export interface OAuthCredential extends CredentialKey {
  readonly kind: 'oauth';
  readonly issuer: string;
  /** Of the discovery at sign-in: a refresh token goes nowhere else. */
  readonly token_endpoint: string;
  readonly revocation_endpoint?: string;
  /** One of `clients`, of the same issuer. */
  readonly client_id: string;
  readonly access_token: string;
  /** Absent where the service does not say: it is used until it is refused. */
  readonly expires_at?: number;
  readonly obtained_at: number;
  readonly refresh_token?: string;
  readonly refresh_obtained_at?: number;
  readonly scope?: string;
  /** For display only. */
  readonly email?: string;
  /** The service refused this very refresh token. */
  readonly login_required?: LoginRequired;
}

export interface LoginRequired {
  readonly at: number;
  /** The service's own words, which are remote text. */
  readonly reason: string;
}

export interface PersonalCredential extends CredentialKey {
  readonly kind: 'personal';
  readonly access_token: string;
  readonly obtained_at: number;
  /** From `--expires-in-days`: the token itself does not tell. */
  readonly expires_at?: number;
  /** Kept to the day. */
  readonly last_used_at?: number;
}

export type Credential = OAuthCredential | PersonalCredential;

/** An API token of the trading gateway (doc 3 §5 Part B). It tells nothing of itself, and does not end by itself. */
export interface GatewayToken extends CredentialKey {
  readonly access_token: string;
  readonly obtained_at: number;
}

export interface CredentialsDocument {
  readonly version: 1;
  /** One more with every writing: of two complete files the higher one is the newer. */
  readonly gen: number;
  readonly clients: readonly ClientRecord[];
  readonly credentials: readonly Credential[];
  /** Apart from the others: one address may well serve two services. */
  readonly gateway_tokens?: readonly GatewayToken[];
}

export const NO_CREDENTIALS: CredentialsDocument = { version: 1, gen: 0, clients: [], credentials: [] };

/** A token is sent to no other address than this, its path included. */
export function credentialAddress(baseUrl: URL): string {
  return baseUrl.origin + baseUrl.pathname.replace(/\/$/, '');
}

export function findCredential(
  { credentials }: CredentialsDocument,
  { profile, base_url }: CredentialKey,
): Credential | undefined {
  return credentials.find((one) => one.profile === profile && one.base_url === base_url);
}

/** Replaces the one of the same profile and address. */
export function withCredential(document: CredentialsDocument, credential: Credential): CredentialsDocument {
  return { ...document, credentials: [...withoutCredential(document, credential).credentials, credential] };
}

export function withoutCredential(document: CredentialsDocument, key: CredentialKey): CredentialsDocument {
  const gone = findCredential(document, key);
  return { ...document, credentials: document.credentials.filter((one) => one !== gone) };
}

export function findGatewayToken(
  { gateway_tokens: tokens = [] }: CredentialsDocument,
  { profile, base_url }: CredentialKey,
): GatewayToken | undefined {
  return tokens.find((one) => one.profile === profile && one.base_url === base_url);
}

/** Replaces the one of the same profile and address. */
export function withGatewayToken(document: CredentialsDocument, token: GatewayToken): CredentialsDocument {
  const { gateway_tokens: others = [] } = withoutGatewayToken(document, token);
  return { ...document, gateway_tokens: [...others, token] };
}

export function withoutGatewayToken(document: CredentialsDocument, key: CredentialKey): CredentialsDocument {
  const { gateway_tokens: tokens = [] } = document;
  const gone = findGatewayToken(document, key);
  return { ...document, gateway_tokens: tokens.filter((one) => one !== gone) };
}

/** No sign-in uses it again: the next one registers a client. A refresh may still try it. */
export function endedClient(client: ClientRecord, now: number): ClientRecord {
  return { ...client, client_secret_expires_at: now };
}

type ClientKey = Pick<ClientRecord, 'issuer' | 'client_id'>;

export function findClient({ clients }: CredentialsDocument, key: ClientKey): ClientRecord | undefined {
  return clients.find(({ issuer, client_id }) => issuer === key.issuer && client_id === key.client_id);
}

/** Replaces the one of the same issuer and id. */
export function withClient(document: CredentialsDocument, client: ClientRecord): CredentialsDocument {
  return { ...document, clients: [...withoutClient(document, client).clients, client] };
}

export function withoutClient(document: CredentialsDocument, key: ClientKey): CredentialsDocument {
  const gone = findClient(document, key);
  return { ...document, clients: document.clients.filter((one) => one !== gone) };
}

/** Throws what is wrong with a text that is no credentials.json, without a word of its content. */
export function parseCredentials(text: string): CredentialsDocument {
  let value: unknown;
  try {
    value = parseJsonText(text.replace(/^\ufeff/, ''));
  } catch {
    throw new ShapeFault('it is not JSON'); // the parser's own message quotes the text
  }
  if (!isObject(value)) throw new ShapeFault('it holds no JSON object');
  const { version, gen, clients, credentials, gateway_tokens: tokens = [] } = value;
  if (typeof version === 'number' && version > 1) {
    throw new SvcError('file_unusable', `its version is ${version}, which a later svc wrote`, { hint: 'update svc' });
  }
  if (version !== 1) throw new ShapeFault('it has no version');
  if (!isTime(gen)) throw new ShapeFault('its "gen" is no number');
  if (!isListOf(clients, isClient)) throw new ShapeFault('its "clients" are of another shape');
  if (!isListOf(credentials, isCredential)) throw new ShapeFault('its "credentials" are of another shape');
  if (!isListOf(tokens, isGatewayToken)) throw new ShapeFault('its "gateway_tokens" are of another shape');
  return value as unknown as CredentialsDocument;
}

/** What makes a file corrupt. */
export class ShapeFault extends Error {
  override readonly name = 'ShapeFault';
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string' && value !== '';
const isTime: Check = (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0;
/** It goes into a header as it is. */
const isToken: Check = (value) => typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);
const isAnyText: Check = (value) => typeof value === 'string';
const isTexts: Check = (value) => isListOf(value, isText);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

function isListOf(value: unknown, check: Check): boolean {
  return Array.isArray(value) && value.every(check);
}

const shape =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([name, check]) => check(value[name]));

const isClient = shape({
  issuer: isText,
  client_id: isText,
  client_secret: optional(isText),
  client_secret_expires_at: optional(isTime),
  token_endpoint_auth_method: (value) =>
    value === 'none' || value === 'client_secret_basic' || value === 'client_secret_post',
  redirect_uris: isTexts,
  redirect_port: optional(isTime),
  client_name: optional(isAnyText),
  scope: optional(isAnyText),
  basic_form: optional(isAnyText),
  registered_at: isTime,
});

const COMMON = { profile: isAnyText, base_url: isText, access_token: isToken, obtained_at: isTime };

const isGatewayToken = shape(COMMON);

const isOAuth = shape({
  ...COMMON,
  kind: (value) => value === 'oauth',
  issuer: isText,
  token_endpoint: isText,
  revocation_endpoint: optional(isText),
  client_id: isText,
  expires_at: optional(isTime),
  refresh_token: optional(isText),
  refresh_obtained_at: optional(isTime),
  scope: optional(isAnyText),
  email: optional(isAnyText),
  login_required: optional(shape({ at: isTime, reason: isAnyText })),
});

const isPersonal = shape({
  ...COMMON,
  kind: (value) => value === 'personal',
  expires_at: optional(isTime),
  last_used_at: optional(isTime),
});

const isCredential: Check = (value) => isOAuth(value) || isPersonal(value);
