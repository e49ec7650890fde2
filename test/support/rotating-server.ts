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

export interface RotatingServer {
  readonly url: string;
  /** Requests to the token endpoint. */
  readonly calls: number;
  /** Requests to the service itself, and how many of them were refused. */
  readonly reads: number;
  readonly refused: number;
  /** The only refresh token that it still takes. */
  readonly current: string;
  readonly alive: boolean;
  readonly revoked: readonly string[];
  meddle: Meddle | undefined;
  /** Takes no access token but those it gives from now on. */
  forget(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export const FIRST = { access: 'at-0-abcdefghijkl', refresh: 'rt-0-abcdefghijkl' };
/** The form of every token; no output may contain it. */
export const ANY_TOKEN = /[ar]t-\d+-abcdefghijkl/;

export async function rotatingServer({ latency = 0, lifetime = 3600, rotates = true } = {}): Promise<RotatingServer> {
  const state = { calls: 0, reads: 0, refused: 0, given: 0, current: FIRST.refresh, alive: true, until: Infinity };
  const revoked: string[] = [];
  let access = FIRST.access;
  const commit = (): object => {
    state.given += 1;
    access = `at-${state.given}-abcdefghijkl`;
    state.until = performance.now() + lifetime * 1000;
    const next = rotates ? { refresh_token: `rt-${state.given}-abcdefghijkl` } : {};
    state.current = next.refresh_token ?? state.current;
    return {
      access_token: access,
      token_type: 'Bearer',
      expires_in: lifetime,
      scope: 'mcp:connect',
      email: '',
      ...next,
    };
  };
  const token = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = new URLSearchParams(await text(request));
    state.calls += 1;
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (server.meddle !== undefined) return server.meddle({ call: state.calls, response, commit, answer });
    await new Promise((resolve) => setTimeout(resolve, latency));
    if (form.get('refresh_token') !== state.current) state.alive = false;
    if (!state.alive)
      return answer(400, { error: 'invalid_grant', error_description: `${form.get('refresh_token')}?` });
    answer(200, commit());
  };
  const http = createServer((request, response) => {
    if (request.url === '/oauth/token') return void token(request, response);
    if (request.url === '/oauth/revoke') {
      return void text(request).then((form) => {
        revoked.push(new URLSearchParams(form).get('token') ?? '');
        response.writeHead(200).end();
      });
    }
    const isCurrent = request.headers.authorization === `Bearer ${access}` && performance.now() < state.until;
    const good = state.alive && isCurrent;
    state.reads += 1;
    if (!good) state.refused += 1;
    response.writeHead(good ? 200 : 401, { 'content-type': 'application/json' });
    response.end(good ? '{"items":[]}' : '{"error":{"code":"unauthorized","message":"no"}}');
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const server: RotatingServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    get calls() {
      return state.calls;
    },
    get reads() {
      return state.reads;
    },
    get refused() {
      return state.refused;
    },
    get current() {
      return state.current;
    },
    get alive() {
      return state.alive;
    },
    revoked,
    meddle: undefined,
    forget: () => {
      access = '';
    },
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
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
