/** The HTTP server of `webhooks listen`: it listens, limits connections, and drains. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { SvcError } from '../../../errors.ts';
import { type Limits, type OtherProtocol, type ReceiverHandlers, RequestReceiver } from './requests.ts';

export interface ReceiverOptions {
  readonly host: string;
  /** 0 for any. */
  readonly port: number;
  /** Deliveries to any other path are answered 404. Undefined: any path takes them. */
  readonly path: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly limits?: Partial<Limits>;
}

const LIMITS: Limits = {
  headMs: 5_000,
  requestMs: 10_000,
  idleMs: 75_000,
  connections: 1_000,
  maxBody: 32 * 1024 * 1024,
  bufferedBytes: 128 * 1024 * 1024,
};

const CHECKS_MS = 500;

export interface Receiver {
  readonly port: number;
  /** Accepts nothing more, and waits until all current requests are answered, or for this long. */
  drain(ms: number): Promise<void>;
  destroy(): void;
}

/** Throws `invalid_value` if it cannot listen there. */
export async function startReceiver(options: ReceiverOptions, handlers: ReceiverHandlers): Promise<Receiver> {
  const limits = { ...LIMITS, ...options.limits };
  const server = createServer({
    headersTimeout: limits.headMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(CHECKS_MS, limits.headMs),
  });
  const requests = new RequestReceiver({ ...options, ...limits }, handlers);
  server.on('request', (request, response) => requests.receive(request, response));
  server.on('checkContinue', (request, response) => requests.receive(request, response, true));
  server.maxConnections = limits.connections;
  // Idle connections make way for new ones.
  server.on('drop', () => server.closeIdleConnections());
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // The server answers 400 and closes the connection with this error.
    socket.on('error', (error) => {
      const protocol = otherProtocol(error);
      if (protocol !== undefined) handlers.misdirected(protocol);
    });
  });
  const port = await listen(server, options);
  return {
    port,
    async drain(ms) {
      server.close();
      server.closeIdleConnections();
      await requests.drain(ms);
    },
    destroy() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** By the bytes that node:http could not parse: those of a TLS handshake, or the beginning of HTTP/2 (RFC 9113 §3.4). */
function otherProtocol(error: Error): OtherProtocol | undefined {
  if (!('rawPacket' in error) || !Buffer.isBuffer(error.rawPacket)) return undefined;
  const [first, second] = error.rawPacket;
  if (first === 0x16 && second === 0x03) return 'TLS';
  return error.rawPacket.toString('latin1', 0, 14) === 'PRI * HTTP/2.0' ? 'HTTP/2' : undefined;
}

function listen(server: Server, { host, port }: ReceiverOptions): Promise<number> {
  return new Promise((done, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const hint = 'choose another with --port, or 0 for a free one';
      const busy = error.code === 'EADDRINUSE';
      if (busy || error.code === 'EACCES') {
        const why = busy ? 'is in use' : 'requires more privileges';
        fail(new SvcError('invalid_value', `--port: ${port} ${why}`, { hint, cause: error }));
      } else {
        fail(
          new SvcError('invalid_value', `--host: cannot listen on ${host}: ${error.code ?? error.message}`, {
            cause: error,
          }),
        );
      }
    });
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      // Running out of descriptors costs one connection, not the listener.
      server.on('error', () => {});
      done((server.address() as AddressInfo).port);
    });
  });
}
