/** The path /socket.io/ (doc 3 §4): connections by polling, as socket.io 2.5 manages them. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
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
export class EngineServer {
  readonly #sessions = new Map<string, EngineSession>();
  readonly #options: EngineOptions;
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
    if (transport !== 'polling') return failureOf(UNKNOWN_TRANSPORT);
    if (id === null) {
      if (request.method !== 'GET') return failureOf(BAD_METHOD);
      const session = this.#make(parameters);
      response.setHeader('set-cookie', cookiesOf(session));
      session.send(`0${JSON.stringify({ sid: session.id, upgrades: [], ...HEARTBEAT })}`);
      session.poll(response);
      this.#admit(session);
      return undefined;
    }
    const session = this.find(id, request.message);
    if (session === undefined) return failureOf(UNKNOWN_SESSION);
    if (request.method === 'GET') session.poll(response);
    else if (request.method === 'POST') receivePackets(session, request, response);
    else return failureOf(BAD_REQUEST);
    return undefined;
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
