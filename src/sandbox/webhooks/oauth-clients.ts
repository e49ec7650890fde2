/** Clients: their registration (doc 2 §5, RFC 7591) and how they prove who they are. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { isObject } from '../../json-object.ts';
import { ALLOW_LISTED, type WebhooksTrap } from '../traps.ts';
import { jsonAnswer, OAuthRefusal, type Parameters, type WireAnswer } from './oauth-answer.ts';

const METHODS = ['client_secret_basic', 'client_secret_post', 'none'] as const;
const GRANT_TYPES = ['authorization_code', 'refresh_token'] as const;
export const SCOPE = 'mcp:connect';

export interface Client {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly client_name: string;
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly string[];
  readonly token_endpoint_auth_method: (typeof METHODS)[number];
}

export interface ClientsOptions {
  readonly now: () => number;
  readonly traps: ReadonlySet<WebhooksTrap>;
}

export class Clients {
  readonly #clients = new Map<string, Client>();
  readonly #used = new Set<string>();
  readonly #options: ClientsOptions;

  constructor(options: ClientsOptions) {
    this.#options = options;
  }

  find(id: string | undefined): Client | undefined {
    const forgotten = this.#options.traps.has('client-forgotten') && this.#used.has(id ?? '');
    return forgotten ? undefined : this.#clients.get(id ?? '');
  }

  /** Somebody has signed in with it. */
  use({ client_id }: Client): void {
    this.#used.add(client_id);
  }

  /** How clients may prove who they are. */
  get methods(): readonly string[] {
    return this.#options.traps.has('one-method') ? ['client_secret_post'] : METHODS;
  }

  register(contentType: string | undefined, body: string): WireAnswer {
    const asked = readMetadata(contentType, body);
    const { traps, now } = this.#options;
    if (traps.has('web-by-default') && !isNative(body) && asked.redirect_uris.some((uri) => uri.startsWith('http:'))) {
      throw badRedirect('a web application must have https redirects');
    }
    const method = traps.has('other-method') ? otherThan(asked.token_endpoint_auth_method) : undefined;
    const client: Client = { ...asked, ...(method === undefined ? {} : { token_endpoint_auth_method: method }) };
    if (!this.methods.includes(client.token_endpoint_auth_method)) {
      throw invalid(`token_endpoint_auth_method must be ${this.methods.join(', ')}`);
    }
    const prefix = traps.has('basic-plain') ? 'cs~%2B+/' : 'cs_';
    const secret = client.token_endpoint_auth_method === 'none' ? undefined : secretValue(prefix);
    const kept = { ...client, ...(secret === undefined ? {} : { client_secret: secret }) };
    this.#clients.set(client.client_id, kept);
    const told = secret ?? (traps.has('secret-for-public') ? secretValue('cs_') : undefined);
    return jsonAnswer(201, {
      ...client,
      client_id_issued_at: Math.floor(now() / 1000),
      ...(told === undefined ? {} : { client_secret: told, client_secret_expires_at: 0 }),
      response_types: ['code'],
      scope: SCOPE,
    });
  }

  /** By the method that it was registered with, and by that alone. */
  authenticate(authorization: string | undefined, form: Parameters): Client {
    const posted = form.get('client_secret');
    if (authorization !== undefined && posted !== undefined) {
      throw new OAuthRefusal('invalid_request', 'a client proves itself by one method, not by two');
    }
    const { traps } = this.#options;
    const basic = authorization === undefined ? undefined : readBasic(authorization, !traps.has('basic-plain'));
    if (basic !== undefined && traps.has('basic-alone') && form.get('client_id') !== undefined) {
      throw new OAuthRefusal('invalid_request', 'client_id stands in the header, and in the body too');
    }
    const id = basic?.id ?? form.get('client_id');
    if (id === undefined) throw new OAuthRefusal('invalid_request', 'client_id is required');
    if (id !== (form.get('client_id') ?? id)) {
      throw new OAuthRefusal('invalid_request', 'client_id is not that of the Authorization header');
    }
    const client = this.find(id);
    const method = basic ? 'client_secret_basic' : posted === undefined ? 'none' : 'client_secret_post';
    if (client === undefined) throw strangerTo(method, 'the client is not known');
    if (client.token_endpoint_auth_method !== method) {
      throw strangerTo(method, `the client is registered with ${client.token_endpoint_auth_method}, not ${method}`);
    }
    if (!sameText(basic?.secret ?? posted ?? '', client.client_secret ?? '')) {
      throw strangerTo(method, 'the secret is not that of the client');
    }
    return client;
  }
}

/** Not for guessing: 256 bits. */
export function secretValue(prefix: string): string {
  return prefix + randomBytes(32).toString('base64url');
}

export function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function strangerTo(method: Client['token_endpoint_auth_method'], why: string): OAuthRefusal {
  const headers = method === 'client_secret_basic' ? { 'www-authenticate': 'Basic realm="sandbox"' } : {};
  return new OAuthRefusal('invalid_client', why, 401, headers);
}

/** RFC 6749 §2.3.1: both parts are form-encoded before they are joined. */
function readBasic(authorization: string, decodes: boolean): { readonly id: string; readonly secret: string } {
  const encoded = /^Basic +([\w+/]+=*)$/i.exec(authorization)?.[1];
  const pair = Buffer.from(encoded ?? '', 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  try {
    if (colon < 1) throw new URIError('no pair');
    const [id, secret] = [pair.slice(0, colon), pair.slice(colon + 1)];
    return decodes ? { id: formDecoded(id), secret: formDecoded(secret) } : { id, secret };
  } catch {
    throw strangerTo('client_secret_basic', 'the Authorization header is not Basic with an id and a secret');
  }
}

function formDecoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

function isNative(body: string): boolean {
  return parseObject(body)['application_type'] === 'native';
}

function readMetadata(contentType: string | undefined, body: string): Client {
  if (!/^application\/json(?: *;|$)/i.test(contentType ?? '')) throw invalid('the body must be application/json');
  const asked = parseObject(body);
  const { redirect_uris, client_name = '', scope = SCOPE, response_types = ['code'] } = asked;
  const { token_endpoint_auth_method: method = 'client_secret_basic', grant_types = ['authorization_code'] } = asked;
  if (!isTexts(redirect_uris) || redirect_uris.length === 0) throw badRedirect('redirect_uris is required');
  for (const uri of redirect_uris) checkRedirect(uri);
  const known = METHODS.find((one) => one === method);
  if (known === undefined) throw invalid(`token_endpoint_auth_method must be one of ${METHODS.join(', ')}`);
  if (typeof client_name !== 'string') throw invalid('client_name must be a string');
  if (scope !== SCOPE) throw invalid(`scope must be ${SCOPE}`);
  if (!isTexts(response_types) || response_types.join() !== 'code') throw invalid('response_types must be ["code"]');
  if (!isTexts(grant_types) || !grant_types.includes('authorization_code') || !grant_types.every(isGrantType)) {
    throw invalid(`grant_types must be authorization_code, or both of ${GRANT_TYPES.join(', ')}`);
  }
  const client_id = `client_${randomBytes(9).toString('hex')}`;
  return { client_id, client_name, redirect_uris, grant_types, token_endpoint_auth_method: known };
}

/** Doc 2 §5: https is allow-listed; http is for the loopback addresses. */
function checkRedirect(uri: string): void {
  if (!URL.canParse(uri)) throw badRedirect(`${uri} is no address`);
  const { protocol, hostname, username, password } = new URL(uri);
  if (uri.includes('#')) throw badRedirect(`${uri} has a fragment`);
  if (username !== '' || password !== '') throw badRedirect(`${uri} has a user or a password`);
  if (protocol === 'https:' && uri !== ALLOW_LISTED) throw badRedirect(`${uri} is not on the allow-list`);
  if (protocol === 'https:') return;
  if (protocol !== 'http:' || !['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) {
    throw badRedirect(`${uri} is neither https nor a loopback address`);
  }
}

function parseObject(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    if (isObject(value)) return value;
  } catch {
    throw invalid('the body is not JSON');
  }
  throw invalid('the body must be an object');
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isGrantType(type: string): boolean {
  return GRANT_TYPES.some((known) => known === type);
}

function otherThan(method: Client['token_endpoint_auth_method']): Client['token_endpoint_auth_method'] {
  return method === 'none' ? 'client_secret_basic' : 'none';
}

function invalid(why: string): OAuthRefusal {
  return new OAuthRefusal('invalid_client_metadata', why);
}

function badRedirect(why: string): OAuthRefusal {
  return new OAuthRefusal('invalid_redirect_uri', why);
}
