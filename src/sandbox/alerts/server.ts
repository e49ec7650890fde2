/** An Alertmanager 0.25 on loopback, emulated at the wire: for trying `svc` out, and for its tests. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AlertmanagerApi, type Answer, frameworkError } from './api.ts';
import { seedDemo } from './demo.ts';
import { goJson } from './go-json.ts';
import { acceptsJson, cleanPath, isLoopbackHost, unsupportedBody } from './http-rules.ts';
import { BodyRefused, ServerPanic } from './postable.ts';
import { parseQuery } from './query.ts';
import { type AlertsTrap, ERROR_TEXT } from './traps.ts';

export interface EmulatorOptions {
  /** Any free one by default. */
  readonly port?: number;
  /** Milliseconds since 1970; the `Date` header says the same. */
  readonly now: () => number;
  readonly randomUuid?: () => string;
  readonly seed?: 'demo' | 'empty';
}

export interface Emulator {
  readonly url: string;
  /** What is in it is switched on. */
  readonly traps: Set<AlertsTrap>;
  close(): Promise<void>;
}

const API = '/api/v2/';
/** The real server takes request lines of a mebibyte; Node's own limit of 16 KiB would refuse long filters. */
const MAX_HEADER_SIZE = (1 << 20) + 4096;
/** Longer answers leave without a length. */
const BUFFERED = 2048;

export async function startAlertmanagerEmulator(options: EmulatorOptions): Promise<Emulator> {
  const { port = 0, now, randomUuid = randomUUID, seed = 'empty' } = options;
  const traps = new Set<AlertsTrap>();
  const api = new AlertmanagerApi(now, randomUuid, traps);
  if (seed === 'demo') seedDemo(api, now(), randomUuid);
  const server = http.createServer({ maxHeaderSize: MAX_HEADER_SIZE, keepAliveTimeout: 0 }, (request, response) => {
    response.sendDate = false;
    response.setHeader('date', new Date(now()).toUTCString());
    if (traps.has('error-200')) return plain(response, 200, ERROR_TEXT);
    answer(api, request, response).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    traps,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(api: AlertmanagerApi, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/', headers } = request;
  // A name that resolves to loopback must not let a web page in (DNS rebinding). No CORS headers either, unlike the real one.
  if (!isLoopbackHost(headers.host)) return plain(response, 403, 'The sandbox answers to loopback addresses only.\n');
  const at = url.indexOf('?');
  const path = at === -1 ? url : url.slice(0, at);
  const search = at === -1 ? '' : url.slice(at);
  const clean = path === '/api/v2' ? API : cleanPath(path);
  if (clean !== undefined) return redirect(response, method, clean + search);
  if (!path.startsWith(API)) {
    if (path === '/-/ready' || path === '/-/healthy') return plain(response, 200, 'OK');
    return plain(response, 404, '404 page not found\n', { 'x-content-type-options': 'nosniff' });
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString('utf8');
  try {
    const found = handle(api, method, path, search.slice(1), headers, body);
    send(response, method, found, acceptsJson(headers.accept));
  } catch (error) {
    if (error instanceof ServerPanic) response.destroy();
    else if (error instanceof BodyRefused)
      send(response, method, frameworkError(error.status, error.code, error.message));
    else throw error;
  }
}

/** In the order in which the server checks: path, method, the body's type, the answer's type, then the rest. */
function handle(
  api: AlertmanagerApi,
  method: string,
  path: string,
  search: string,
  headers: http.IncomingHttpHeaders,
  body: string,
): Answer {
  const found = api.find(path.slice(API.length));
  if (found === undefined) return frameworkError(404, 404, `path ${path} was not found`);
  const handler = Object.entries(found.methods).find(([name]) => name === method)?.[1];
  if (handler === undefined) {
    const allow = Object.keys(found.methods).join(',');
    return { ...frameworkError(405, 405, `method ${method} is not allowed, but [${allow}] are`), headers: { allow } };
  }
  if (body !== '') {
    const refused = unsupportedBody(headers['content-type']);
    if (refused !== undefined) return frameworkError(refused.status, refused.status, refused.message);
  } else if (!acceptsJson(headers.accept)) {
    return frameworkError(406, 406, 'unsupported media type requested, only [application/json] are available');
  }
  return handler({ query: parseQuery(search), id: found.id, body });
}

/** A POST whose answer was not wanted as JSON is carried out, and answered with an empty type. */
function send(response: ServerResponse, method: string, answer: Answer, typed = true): void {
  response.statusCode = answer.status;
  response.setHeader('vary', 'Origin');
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  if (answer.json === undefined) {
    response.end();
    return;
  }
  response.setHeader('content-type', typed || answer.framework ? 'application/json' : '');
  const text = goJson(answer.json, answer.html === true) + (answer.framework ? '' : '\n');
  if (method !== 'HEAD' && Buffer.byteLength(text) > BUFFERED) response.write(text);
  response.end(response.headersSent ? undefined : text);
}

function plain(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries({ 'content-type': 'text/plain; charset=utf-8', ...headers })) {
    response.setHeader(name, value);
  }
  response.end(text);
}

function redirect(response: ServerResponse, method: string, location: string): void {
  response.statusCode = 301;
  response.setHeader('location', location);
  if (method !== 'GET' && method !== 'HEAD') response.end();
  else {
    const shown = location
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&#34;');
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<a href="${shown}">Moved Permanently</a>.\n\n`);
  }
}
