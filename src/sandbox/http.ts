/** What the services share: an HTTP server on loopback with limits, routes, and refusals. */
import { once } from 'node:events';
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly message: IncomingMessage;
}

export interface Response {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Cut the connection instead of responding. */
  readonly lost?: boolean | undefined;
  readonly delayMs?: number | undefined;
}

export interface EmulatorOptions {
  /** Any free one by default. */
  readonly port?: number | undefined;
  /** Milliseconds since 1970; the `Date` header shows the same time. */
  readonly now: () => number;
  /** The data at the start: none by default. */
  readonly seed?: 'demo' | 'empty';
}

interface ServerOptions extends Omit<EmulatorOptions, 'seed'> {
  /** Bytes of a request's head, instead of Node's 16 KiB. */
  readonly maxHeaderSize?: number;
  /** Bytes of a request's body, 1 MiB by default. */
  readonly maxBody?: number;
  /** Undefined: the handler writes the response itself. */
  respond(request: Request, response: ServerResponse): Response | undefined | Promise<Response | undefined>;
}

export interface LocalServer {
  readonly url: string;
  readonly http: http.Server;
  close(): Promise<void>;
}

const MAX_BODY = 1 << 20;

export async function startServer(options: ServerOptions): Promise<LocalServer> {
  const { port = 0, now, maxHeaderSize } = options;
  const server = http.createServer({ keepAliveTimeout: 0, maxHeaderSize }, (message, response) => {
    response.sendDate = false;
    response.setHeader('date', new Date(now()).toUTCString());
    serve(message, response, options).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    http: server,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A web page must not get in through a name that resolves to loopback (DNS rebinding). */
export function isLoopbackHost(host: string | undefined): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i.test(host ?? '');
}

async function serve(
  message: IncomingMessage,
  response: ServerResponse,
  { respond, maxBody = MAX_BODY }: ServerOptions,
): Promise<void> {
  const { method = 'GET', url = '/', headers } = message;
  if (!isLoopbackHost(headers.host)) {
    return send(response, plain(403, 'The sandbox answers to loopback addresses only.\n'));
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    size += (chunk as Buffer).length;
    if (size > maxBody) return send(response, { ...plain(413, 'too large'), headers: { connection: 'close' } });
    chunks.push(chunk as Buffer);
  }
  const [path = '', ...query] = url.split('?');
  const request = { method, path, query: query.join('?'), headers, body: Buffer.concat(chunks), message };
  const answer = await respond(request, response);
  if (answer !== undefined) await send(response, answer);
}

async function send(response: ServerResponse, { status, headers, body = '', lost, delayMs }: Response): Promise<void> {
  if (delayMs !== undefined) await setTimeout(delayMs, undefined, { ref: false });
  if (lost) response.destroy();
  else response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

export function json(status: number, value: unknown, headers: Response['headers'] = {}): Response {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers: { ...type, ...headers }, body: JSON.stringify(value) };
}

export function plain(status: number, body: string): Response {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

/** A refusal: thrown anywhere, and sent with this value as its JSON. */
export class Refusal extends Error {
  readonly status: number;
  readonly value: unknown;
  readonly headers: Response['headers'];

  constructor(status: number, value: unknown, headers: Response['headers'] = {}) {
    super(`refused with status ${status}`);
    this.status = status;
    this.value = value;
    this.headers = headers;
  }
}

/** The first route that matches, with the parts of the path that `{}` stands for. */
export function findRoute<T>(
  routes: Readonly<Record<string, T>>,
  path: string,
): readonly [route: T, parts: readonly string[]] | undefined {
  for (const [pattern, route] of Object.entries(routes)) {
    const [found, ...parts] = new RegExp(`^${pattern.replaceAll('{}', '([^/]+)')}$`).exec(path) ?? [];
    if (found !== undefined) return [route, parts];
  }
  return undefined;
}
