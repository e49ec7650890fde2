/** The path /socket.io/: connections are made, carried on, and taken over by websockets, as socket.io 2.5 does it. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocketServer } from 'ws';
import type { TradeTrap } from '../traps.ts';
import { decodeBinaryPayload, decodePayload } from './engine-payload.ts';
import { EngineSession, type SessionOwner } from './engine-session.ts';

export interface EngineOptions {
  readonly traps: ReadonlySet<TradeTrap>;
  readonly accepts: (token: string) => boolean;
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
}

/** Engine.IO's own numbers: none of the gateway's. */
const FAILURES = ['Transport unknown', 'Session ID unknown', 'Bad handshake method', 'Bad request'] as const;
const [UNKNOWN_TRANSPORT, UNKNOWN_SESSION, BAD_METHOD, BAD_REQUEST] = [0, 1, 2, 3] as const;

const BALANCER = 'BIGipServersandbox';
const NODES = 2;
const LONGEST_BODY = 1 << 20;
const SOCKETS = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: LONGEST_BODY,
  maxFragments: 1024,
  /** A client that does not answer a goodbye is cut off. */
  closeTimeout: 1000,
};
/** RFC 6455 §7.4.1: the protocol of the gateway is text. */
const UNSUPPORTED = 1003;

export class EngineServer implements SessionOwner {
  readonly sessions = new Map<string, EngineSession>();
  readonly #options: EngineOptions;
  readonly #sockets = new WebSocketServer(SOCKETS);
  #made = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  get silenceMs(): number {
    return this.#options.pingIntervalMs + this.#options.pingTimeoutMs;
  }

  ended(session: EngineSession): void {
    this.sessions.delete(session.id);
  }

  /** The session of an id, where the request reaches the node that knows it. */
  find(id: string, { headers }: IncomingMessage): EngineSession | undefined {
    const session = this.sessions.get(id);
    if (session === undefined || !this.#options.traps.has('sticky-nodes')) return session;
    const cookies = (headers.cookie ?? '').split(/;\s*/);
    return cookies.includes(`${BALANCER}=${nodeName(session.node)}`) ? session : undefined;
  }

  /** A poll, or what is sent beside it. */
  async handle(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): Promise<void> {
    const id = query.get('sid');
    const transport = query.get('transport');
    if (transport !== 'polling') {
      return fail(response, transport === 'websocket' ? BAD_REQUEST : UNKNOWN_TRANSPORT);
    }
    if (id === null) {
      if (request.method !== 'GET') return fail(response, BAD_METHOD);
      const session = this.#make(query);
      response.setHeader('set-cookie', cookiesOf(session));
      session.send(this.#opening(session));
      session.poll(response);
      this.#admit(session);
      return;
    }
    const session = this.find(id, request);
    if (session === undefined) return fail(response, UNKNOWN_SESSION);
    if (session.transport !== 'polling') return fail(response, BAD_REQUEST);
    if (request.method === 'GET') session.poll(response);
    else if (request.method === 'POST') await receive(session, request, response);
    else fail(response, BAD_REQUEST);
  }

  /** A websocket: a connection of its own, or one that takes over from polls. */
  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer, query: URLSearchParams): void {
    const id = query.get('sid');
    const known = id === null ? undefined : this.find(id, request);
    const isPossible = query.get('transport') === 'websocket' && !this.#options.traps.has('no-websocket');
    if (!isPossible || (id !== null && known?.transport !== 'polling')) {
      stream.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const session = known ?? this.#make(query);
    const cookies = known === undefined ? cookiesOf(session) : [];
    const setCookies = (headers: string[]): void => {
      headers.push(...cookies.map((cookie) => `Set-Cookie: ${cookie}`));
    };
    // A client that is gone before its websocket opened leaves an error that no one else handles.
    stream.on('error', () => stream.destroy());
    this.#sockets.once('headers', setCookies);
    this.#sockets.handleUpgrade(request, stream, head, (socket) => {
      let carries = known === undefined;
      socket.on('message', (data: RawData, isBinary: boolean) => {
        const packet = String(data);
        if (isBinary) {
          socket.close(UNSUPPORTED);
          if (carries) session.end();
        } else if (carries) session.receive(packet);
        else if (packet === '2probe') {
          socket.send('3probe');
          session.probed();
        } else if (packet === '5') {
          carries = true;
          session.carriedBy(socket);
        }
      });
      socket.on('error', () => socket.terminate());
      socket.on('close', () => (carries ? session.end() : session.notProbed()));
      if (!carries) return;
      session.carriedBy(socket);
      session.send(this.#opening(session));
      this.#admit(session);
    });
    // Not called where the handshake was refused.
    this.#sockets.off('headers', setCookies);
  }

  close(): void {
    for (const session of [...this.sessions.values()]) session.cut();
  }

  #make(query: URLSearchParams): EngineSession {
    const id = randomBytes(15).toString('base64url');
    const session = new EngineSession(this, id, query.get('access_token') ?? '', this.#made++ % NODES);
    this.sessions.set(id, session);
    return session;
  }

  #opening({ id, transport }: EngineSession): string {
    const { pingIntervalMs, pingTimeoutMs, traps } = this.#options;
    const upgrades = transport === 'polling' && !traps.has('no-websocket') ? ['websocket'] : [];
    return `0${JSON.stringify({ sid: id, upgrades, pingInterval: pingIntervalMs, pingTimeout: pingTimeoutMs })}`;
  }

  /** The token is looked at after the connection was opened: its id is good for nothing until then. */
  #admit(session: EngineSession): void {
    const isGood = this.#options.accepts(session.token) && !this.#options.traps.has('bad-token');
    session.connected = isGood;
    session.send(isGood ? '40' : '44"Not authorized"');
  }
}

function nodeName(node: number): string {
  return `sandbox-node-${node}`;
}

function cookiesOf({ id, node }: EngineSession): readonly string[] {
  return [`io=${id}; Path=/; HttpOnly; SameSite=Strict`, `${BALANCER}=${nodeName(node)}; path=/; Httponly`];
}

async function receive(session: EngineSession, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > LONGEST_BODY) {
      response.writeHead(413, { connection: 'close' }).end();
      session.end();
      return;
    }
    chunks.push(chunk as Buffer);
  }
  const body = Buffer.concat(chunks);
  const isBinary = request.headers['content-type'] === 'application/octet-stream';
  const packets = isBinary ? decodeBinaryPayload(body) : decodePayload(body.toString('utf8'));
  response.writeHead(200, { 'content-type': 'text/html', 'content-length': 2 }).end('ok');
  if (packets === undefined) session.end();
  else for (const packet of packets) session.receive(packet);
}

function fail(response: ServerResponse, code: 0 | 1 | 2 | 3): void {
  const body = JSON.stringify({ code, message: FAILURES[code] });
  response.writeHead(400, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}
