/** A strict authorization server: every refresh gives a new token, and one that is used twice ends the whole login. */
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { OAuthCredential } from '../../src/store/credentials.ts';
import { type Credentials, credentialsText } from './credentials.ts';

/** `commit` is what the server does on success, `answer` what it would then say. */
export type Meddle = (step: {
  readonly call: number;
  readonly response: ServerResponse;
  commit(): object;
  answer(status: number, body: object): void;
}) => void | Promise<void>;

export const FIRST = { access: 'at-0-abcdefghijkl', refresh: 'rt-0-abcdefghijkl' };
/** The form of every token; no output may contain it. */
export const ANY_TOKEN = /[ar]t-\d+-abcdefghijkl/;

interface Options {
  /** Milliseconds until the token endpoint responds. */
  readonly latency?: number;
  /** Seconds. */
  readonly lifetime?: number;
  readonly rotates?: boolean;
}

export class RotatingServer {
  /** Requests to the token endpoint. */
  calls = 0;
  /** Requests to the service itself, and how many of them were refused. */
  reads = 0;
  refused = 0;
  /** The only refresh token that it still takes. */
  current = FIRST.refresh;
  alive = true;
  readonly revoked: string[] = [];
  meddle: Meddle | undefined;
  readonly #options: Required<Options>;
  readonly #http = createServer((request, response) => void this.#serve(request, response));
  #given = 0;
  #access = FIRST.access;
  #until = Number.POSITIVE_INFINITY;

  constructor(options: Options) {
    this.#options = { latency: 0, lifetime: 3600, rotates: true, ...options };
  }

  async start(): Promise<void> {
    this.#http.listen(0, '127.0.0.1');
    await once(this.#http, 'listening');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** Takes no access token but those it gives from now on. */
  forget(): void {
    this.#access = '';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#http.closeAllConnections();
    this.#http.close();
    await once(this.#http, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/oauth/token') {
      await this.#refresh(request, response);
    } else if (request.url === '/oauth/revoke') {
      const form = new URLSearchParams(await text(request));
      this.revoked.push(form.get('token') ?? '');
      response.writeHead(200).end();
    } else this.#list(request, response);
  }

  async #refresh(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const token = new URLSearchParams(await text(request)).get('refresh_token');
    this.calls += 1;
    const commit = (): object => this.#commit();
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (this.meddle !== undefined) return this.meddle({ call: this.calls, response, commit, answer });
    await new Promise((resolve) => setTimeout(resolve, this.#options.latency));
    if (token !== this.current) this.alive = false;
    if (this.alive) answer(200, commit());
    else answer(400, { error: 'invalid_grant', error_description: `${token}?` });
  }

  #commit(): object {
    const { lifetime, rotates } = this.#options;
    this.#given += 1;
    this.#access = `at-${this.#given}-abcdefghijkl`;
    this.#until = performance.now() + lifetime * 1000;
    const next = rotates ? { refresh_token: `rt-${this.#given}-abcdefghijkl` } : {};
    this.current = next.refresh_token ?? this.current;
    const grant = { access_token: this.#access, token_type: 'Bearer', expires_in: lifetime };
    return { ...grant, scope: 'mcp:connect', email: '', ...next };
  }

  #list({ headers }: IncomingMessage, response: ServerResponse): void {
    const isCurrent = headers.authorization === `Bearer ${this.#access}` && performance.now() < this.#until;
    const isGood = this.alive && isCurrent;
    this.reads += 1;
    if (!isGood) this.refused += 1;
    response.writeHead(isGood ? 200 : 401, { 'content-type': 'application/json' });
    response.end(isGood ? '{"items":[]}' : '{"error":{"code":"unauthorized","message":"no"}}');
  }
}

export async function rotatingServer(options: Options = {}): Promise<RotatingServer> {
  const server = new RotatingServer(options);
  await server.start();
  return server;
}

/** A login at the server that expires in this many seconds. */
export function login(url: string, left: number, more: Partial<OAuthCredential> = {}): Credentials {
  const now = Math.floor(Date.now() / 1000);
  const credential: OAuthCredential = {
    kind: 'oauth',
    profile: 'default',
    base_url: url,
    issuer: url,
    token_endpoint: `${url}/oauth/token`,
    client_id: 'c1',
    access_token: FIRST.access,
    obtained_at: now + left - 3600,
    expires_at: now + left,
    refresh_token: FIRST.refresh,
    refresh_obtained_at: now - 86_400,
    ...more,
  };
  const client = {
    issuer: url,
    client_id: 'c1',
    token_endpoint_auth_method: 'none' as const,
    redirect_uris: ['http://127.0.0.1:8250/callback'],
    redirect_port: 8250,
    registered_at: now - 86_400,
  };
  return { clients: [client], credentials: [credential] };
}

/** Writes it where `svc` with this configuration directory looks. */
export function keep(config: string, document: object | string, name = 'credentials.json'): string {
  mkdirSync(config, { recursive: true, mode: 0o700 });
  const path = join(config, name);
  writeFileSync(path, textOf(document), { mode: 0o600 });
  return path;
}

function textOf(document: object | string): string {
  if (typeof document === 'string') return document;
  return 'clients' in document ? credentialsText(document as Credentials) : JSON.stringify(document);
}
