/** The path /socket.io/ (doc 3 §4): connections by polling, as socket.io 2.5 manages them. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json, type Request, type Response } from '../http.ts';
import type { TradeTrap } from '../traps.ts';
import { decodePayload, EngineSession, HEARTBEAT } from './engine-session.ts';

const FAILURES = ['Transport unknown', 'Session ID unknown', 'Bad handshake method', 'Bad request'] as const;
const [UNKNOWN_TRANSPORT, UNKNOWN_SESSION, BAD_METHOD, BAD_REQUEST] = [0, 1, 2, 3] as const;

export class EngineServer {
  readonly #sessions = new Map<string, EngineSession>();
  readonly #token: string;
  readonly #traps: ReadonlySet<TradeTrap>;

  /** The token is the only one that is accepted. */
  constructor(token: string, traps: ReadonlySet<TradeTrap>) {
    this.#token = token;
    this.#traps = traps;
  }

  get connected(): readonly EngineSession[] {
    return [...this.#sessions.values()].filter(({ connected }) => connected);
  }

  find(id: string, { headers }: IncomingMessage): EngineSession | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined || !this.#traps.has('sticky-nodes')) return session;
    const cookies = (headers.cookie ?? '').split(/;\s*/);
    return cookies.includes(`io=${id}`) ? session : undefined;
  }

  handle(request: Request, response: ServerResponse): Response | undefined {
    const parameters = new URLSearchParams(request.query);
    const [id, transport] = [parameters.get('sid'), parameters.get('transport')];
    if (transport !== 'polling') return failureOf(UNKNOWN_TRANSPORT);
    if (id === null) {
      if (request.method !== 'GET') return failureOf(BAD_METHOD);
      this.#open(parameters.get('access_token') === this.#token && !this.#traps.has('bad-token'), response);
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

  /** The token is checked after the connection opens: until then its id is worth nothing. */
  #open(isAdmitted: boolean, response: ServerResponse): void {
    const id = randomBytes(15).toString('base64url');
    const session = new EngineSession(id, () => this.#sessions.delete(id));
    this.#sessions.set(id, session);
    response.setHeader('set-cookie', `io=${id}; Path=/; HttpOnly; SameSite=Strict`);
    session.send(`0${JSON.stringify({ sid: id, upgrades: [], ...HEARTBEAT })}`);
    session.poll(response);
    session.connected = isAdmitted;
    session.send(isAdmitted ? '40' : '44"Not authorized"');
  }
}

function failureOf(code: 0 | 1 | 2 | 3): Response {
  return json(400, { code, message: FAILURES[code] });
}

function receivePackets(session: EngineSession, { body }: Request, response: ServerResponse): void {
  const packets = decodePayload(body.toString('utf8'));
  response.writeHead(200, { 'content-type': 'text/html', 'content-length': 2 }).end('ok');
  if (packets === undefined) session.end();
  else for (const packet of packets) session.receive(packet);
}
