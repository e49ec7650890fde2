/** The real socket.io 2.5 server with the gateway's rules around it: tokens, and requests that only a live connection id may make. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import listen, { type Client } from 'socket.io';
import { Session, type SessionEvent, type SessionOptions } from '../../../src/features/trade/gateway/session.ts';
import { Secret } from '../../../src/http/redact.ts';
import { SLOWNESS } from '../../support/executable.ts';
import { type TargetOptions, type TestTarget, targetFor } from '../../support/targets.ts';

export const TOKEN = '0123456789abcdef0123456789abcdef01234567';

export interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  body: string;
}

export interface GatewayOptions {
  readonly tls?: ServerOptions;
  readonly port?: number;
  readonly engine?: Readonly<Record<string, unknown>>;
  /** Answers instead of the gateway where it says so. */
  readonly before?: (request: IncomingMessage, response: ServerResponse) => boolean;
  readonly accepts?: (token: string) => boolean;
}

export interface Gateway extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Every request of HTTP, polls and goodbyes as well. */
  readonly requests: Request[];
  readonly clients: Client[];
  /** The reason of each connection that ended. */
  readonly ended: string[];
  /** Those that are connected. */
  readonly live: Client[];
  readonly upgrades: string[];
  readonly sockets: ReadonlySet<Socket>;
  stop(): Promise<void>;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
type Log = Pick<Gateway, 'requests' | 'clients' | 'ended' | 'upgrades'>;

/** What the gateway answers to the requests of sessions. */
function tradingHandler(connected: () => Readonly<Record<string, Client>>): Handler {
  return (request, response) => {
    const { url = '', headers } = request;
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const id = Object.keys(connected()).find((id) => headers.authorization === `Bearer ${id}${TOKEN}`);
      response.setHeader('content-type', 'application/json');
      const refused = { response: { executed: false, error: 'Unauthorized' } };
      response.end(JSON.stringify(id === undefined ? refused : { response: { executed: true }, id, body }));
      if (id !== undefined && url === '/trading/subscribe') connected()[id]?.emit('Order', `{"form":"${body}"}`);
    });
  };
}

/** Logs a request and gives it to `serve`, unless a test answers it. */
function loggingHandler(serve: Handler | undefined, { before }: GatewayOptions, log: Log): Handler {
  return (request, response) => {
    const { method = '', url = '', headers } = request;
    const received = { method, url, headers, body: '' };
    log.requests.push(received);
    // Engine.IO takes a poll that was read to its end for one that was given up.
    if (method === 'POST') {
      request.on('data', (chunk: Buffer) => {
        received.body += chunk.toString();
      });
    }
    if (before?.(request, response) !== true) serve?.(request, response);
  };
}

function serverWith(options: GatewayOptions, log: Log) {
  const answer = tradingHandler(() => io.sockets.connected);
  const server = options.tls === undefined ? createServer(answer) : createTlsServer(options.tls, answer);
  server.on('upgrade', (request: IncomingMessage) => log.upgrades.push(request.url ?? ''));
  const io = listen(server, { serveClient: false, ...options.engine });
  const { accepts = (token: string) => token === TOKEN } = options;
  io.use((client, next) =>
    next(accepts(client.handshake.query['access_token'] ?? '') ? undefined : new Error('Not authorized')),
  );
  io.on('connection', (client) => {
    log.clients.push(client);
    client.on('disconnect', (reason) => log.ended.push(reason));
  });
  // socket.io has put itself before `answer`; this is before both.
  const [serve] = server.listeners('request') as Handler[];
  server.removeAllListeners('request').on('request', loggingHandler(serve, options, log));
  return { server, io };
}

export async function gateway(options: GatewayOptions = {}): Promise<Gateway> {
  const log: Log = { requests: [], clients: [], ended: [], upgrades: [] };
  const sockets = new Set<Socket>();
  const { server, io } = serverWith(options, log);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    io.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    ...log,
    url: `http${options.tls === undefined ? '' : 's'}://127.0.0.1:${port}`,
    port,
    sockets,
    get live() {
      return Object.values(io.sockets.connected);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

export interface TestSession extends AsyncDisposable {
  readonly session: Session;
  readonly target: TestTarget;
  readonly notices: string[];
}

export function sessionWith(url: string, options: Partial<SessionOptions> = {}, more: TargetOptions = {}): TestSession {
  const target = targetFor(url, { service: 'trade', ...more });
  const notices: string[] = [];
  const session = new Session(target, {
    token: () => new Secret(TOKEN),
    onNotice: (text) => notices.push(text),
    ...options,
  });
  return { session, target, notices, [Symbol.asyncDispose]: () => session.close() };
}

/** The events as they come, without those on outages and the first connection. */
export function reader(session: Session): () => Promise<SessionEvent | undefined> {
  const next = wholeReader(session);
  return async () => {
    for (;;) {
      const event = await next();
      const { kind = '' } = event ?? {};
      if (!['unreachable', 'recovered', 'connected'].includes(kind)) return event;
    }
  };
}

export function wholeReader(session: Session): () => Promise<SessionEvent | undefined> {
  const events = session.events()[Symbol.asyncIterator]();
  return async () => {
    const { done, value } = await events.next();
    return done === true ? undefined : value;
  };
}

export async function until(holds: () => boolean): Promise<void> {
  // On a busy machine a step takes seconds; less than a test may.
  for (const end = performance.now() + 20_000 * SLOWNESS; performance.now() < end; ) {
    if (holds()) return;
    await new Promise((done) => setTimeout(done, 5));
  }
  throw new Error('it never came to be');
}
