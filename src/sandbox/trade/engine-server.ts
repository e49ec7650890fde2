/** The path /socket.io/: connections start by polling or websocket, and may move to a websocket, as in socket.io 2.5. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { json, type Request, type Response } from '../http.ts';
import type { TradeTrap } from '../traps.ts';
import { decodeBinaryPayload, decodePayload, EngineSession, HEARTBEAT } from './engine-session.ts';

interface EngineOptions {
  readonly traps: ReadonlySet<TradeTrap>;
  /** The only one that is accepted. */
  readonly token: string;
}

const FAILURES = ['Transport unknown', 'Session ID unknown', 'Bad handshake method', 'Bad request'] as const;
const [UNKNOWN_TRANSPORT, UNKNOWN_SESSION, BAD_METHOD, BAD_REQUEST] = [0, 1, 2, 3] as const;

const BALANCER = 'BIGipServersandbox';
const NODES = 2;
const SOCKETS = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: 1 << 20,
  maxFragments: 1024,
  /** A client that does not respond to a goodbye is cut off. */
  closeTimeout: 1000,
};
/** RFC 6455 §7.4.1: the protocol of the gateway is text. */
const UNSUPPORTED = 1003;

export class EngineServer {
  readonly #sessions = new Map<string, EngineSession>();
  readonly #options: EngineOptions;
  readonly #sockets = new WebSocketServer(SOCKETS);
  #made = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  get connected(): readonly EngineSession[] {
    return [...this.#sessions.values()].filter(({ connected }) => connected);
  }

  find(id: string, { headers }: IncomingMessage): EngineSession | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined || !this.#options.traps.has('sticky-nodes')) return session;
    const cookies = (headers.cookie ?? '').split(/;\s*/);
    return cookies.includes(`${BALANCER}=${nodeName(session.node)}`) ? session : undefined;
  }

  handle(request: Request, response: ServerResponse): Response | undefined {
    const parameters = new URLSearchParams(request.query);
    const [id, transport] = [parameters.get('sid'), parameters.get('transport')];
    if (transport !== 'polling') return failureOf(transport === 'websocket' ? BAD_REQUEST : UNKNOWN_TRANSPORT);
    if (id === null) {
      if (request.method !== 'GET') return failureOf(BAD_METHOD);
      const session = this.#make(parameters);
      response.setHeader('set-cookie', cookiesOf(session));
      session.send(this.#opening(session));
      session.poll(response);
      this.#admit(session);
      return undefined;
    }
    const session = this.find(id, request.message);
    if (session === undefined) return failureOf(UNKNOWN_SESSION);
    const isKnown = request.method === 'GET' || request.method === 'POST';
    if (session.transport !== 'polling' || !isKnown) return failureOf(BAD_REQUEST);
    if (request.method === 'GET') session.poll(response);
    else receivePackets(session, request, response);
    return undefined;
  }

  /** A websocket: a new connection, or one that takes over from polls. */
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
    this.#sockets.once('headers', setCookies);
    this.#sockets.handleUpgrade(request, stream, head, (socket) => {
      serveSocket(socket, session, known === undefined);
      if (known !== undefined) return;
      session.moveTo(socket);
      session.send(this.#opening(session));
      this.#admit(session);
    });
    // Not called where the handshake was refused.
    this.#sockets.off('headers', setCookies);
  }

  close(): void {
    for (const session of [...this.#sessions.values()]) session.cut();
  }

  #make(query: URLSearchParams): EngineSession {
    const id = randomBytes(15).toString('base64url');
    const token = query.get('access_token') ?? '';
    const session = new EngineSession(id, token, this.#made++ % NODES, () => this.#sessions.delete(id));
    this.#sessions.set(id, session);
    return session;
  }

  #opening({ id, transport }: EngineSession): string {
    const upgrades = transport === 'polling' && !this.#options.traps.has('no-websocket') ? ['websocket'] : [];
    return `0${JSON.stringify({ sid: id, upgrades, ...HEARTBEAT })}`;
  }

  /** The token is checked after the connection opens: until then its id is worth nothing. */
  #admit(session: EngineSession): void {
    const { token, traps } = this.#options;
    const isGood = session.token === token && !traps.has('bad-token');
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

function failureOf(code: 0 | 1 | 2 | 3): Response {
  return json(400, { code, message: FAILURES[code] });
}

function receivePackets(session: EngineSession, { body, headers }: Request, response: ServerResponse): void {
  const isBinary = headers['content-type'] === 'application/octet-stream';
  const packets = isBinary ? decodeBinaryPayload(body) : decodePayload(body.toString('utf8'));
  response.writeHead(200, { 'content-type': 'text/html', 'content-length': 2 }).end('ok');
  if (packets === undefined) session.end();
  else for (const packet of packets) session.receive(packet);
}

/** A socket of a session that polls carries it only after the probe and the packet that upgrades. */
function serveSocket(socket: WebSocket, session: EngineSession, isFirst: boolean): void {
  let carries = isFirst;
  socket.on('message', (data: RawData, isBinary: boolean) => {
    const packet = String(data);
    if (isBinary) {
      socket.close(UNSUPPORTED);
      if (carries) session.end();
    } else if (carries) session.receive(packet);
    else if (packet === '2probe') {
      socket.send('3probe');
      session.releasePolls();
    } else if (packet === '5') {
      carries = true;
      session.moveTo(socket);
    }
  });
  socket.on('error', () => socket.terminate());
  socket.on('close', () => (carries ? session.end() : session.holdPolls()));
}
