/** An Alertmanager 0.25 on loopback, emulated at the wire: for trying `svc` out, and for its tests. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AlertmanagerApi } from './api.ts';
import { seedDemo } from './demo.ts';
import { acceptsJson, checkBodyType, cleanPath, isLoopbackHost, parseQuery, Refused } from './requests.ts';
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
/** Longer responses have no Content-Length. */
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
    // The real server, too, drops the connection when it fails.
    respond(api, request, response).catch(() => response.destroy());
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

async function respond(api: AlertmanagerApi, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/', headers } = request;
  // There are no CORS headers either, unlike in the real server.
  if (!isLoopbackHost(headers.host)) return plain(response, 403, 'The sandbox answers to loopback addresses only.\n');
  const [, path = '', search = ''] = /^([^?]*)(.*)$/s.exec(url) ?? [];
  const clean = path === '/api/v2' ? API : cleanPath(path);
  if (clean !== path) {
    response.writeHead(301, { location: clean + search }).end();
    return;
  }
  if (!path.startsWith(API)) {
    const isProbe = path === '/-/ready' || path === '/-/healthy';
    return isProbe ? plain(response, 200, 'OK') : plain(response, 404, '404 page not found\n');
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString('utf8');
  try {
    const json = handle(api, method, path, search.slice(1), headers, body);
    // A POST that does not accept JSON is carried out, and its response has an empty type.
    send(response, 200, json, acceptsJson(headers.accept) ? 'application/json' : '');
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { status, code, message } = error;
    for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
    if (message === '') send(response, status, undefined);
    else send(response, status, code === undefined ? message : { code, message });
  }
}

/** In the order in which the server checks: path, method, the body's type, the response's type, then the rest. */
function handle(
  api: AlertmanagerApi,
  method: string,
  path: string,
  search: string,
  headers: http.IncomingHttpHeaders,
  body: string,
): unknown {
  const found = api.find(path.slice(API.length));
  if (found === undefined) throw new Refused(404, `path ${path} was not found`, 404);
  const handler = Object.entries(found.methods).find(([name]) => name === method)?.[1];
  if (handler === undefined) {
    const allow = Object.keys(found.methods).join(',');
    throw new Refused(405, `method ${method} is not allowed, but [${allow}] are`, 405, { allow });
  }
  if (body !== '') checkBodyType(headers['content-type']);
  else if (!acceptsJson(headers.accept)) {
    throw new Refused(406, 'unsupported media type requested, only [application/json] are available', 406);
  }
  return handler({ query: parseQuery(search), id: found.id, body });
}

function send(response: ServerResponse, status: number, json: unknown, type = 'application/json'): void {
  response.statusCode = status;
  response.setHeader('vary', 'Origin');
  if (json === undefined) {
    response.end();
    return;
  }
  response.setHeader('content-type', type);
  const text = `${JSON.stringify(json)}\n`;
  if (Buffer.byteLength(text) > BUFFERED) response.write(text);
  response.end(response.headersSent ? undefined : text);
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
}
