/** A local receiver: takes deliveries off the wire byte by byte, verifies them before anything is parsed, and bears with bad senders. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { SvcError } from '../../errors.ts';
import { Desk, type Limits, type ReceiverHandlers, type ReceiverOptions } from './receiver-desk.ts';

const LIMITS: Limits = {
  headMs: 5_000,
  requestMs: 10_000,
  idleMs: 75_000,
  connections: 1_000,
  heldBytes: 128 * 1024 * 1024,
};

const CHECKS_MS = 500;

export interface Receiver {
  readonly port: number;
  /** Takes no more connections, and waits until all requests under way are answered, or no longer than this. */
  drain(ms: number): Promise<void>;
  /** Breaks off what is left. */
  destroy(): void;
}

/** Throws where it cannot listen there. */
export async function startReceiver(options: ReceiverOptions, handlers: ReceiverHandlers): Promise<Receiver> {
  const limits = { ...LIMITS, ...options.limits };
  const settings = {
    headersTimeout: limits.headMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(CHECKS_MS, limits.headMs),
  };
  const server = options.tls === undefined ? createServer(settings) : await secureServer(options.tls, settings, limits);
  const desk = new Desk(options, limits, handlers);
  server.on('request', (request, response) => desk.take(request, response));
  server.on('checkContinue', (request, response) => desk.take(request, response, true));
  server.maxConnections = limits.connections;
  // Whoever comes next finds room again.
  server.on('drop', () => server.closeIdleConnections());
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const port = await listen(server, options);
  return {
    port,
    async drain(ms) {
      server.close();
      server.closeIdleConnections();
      await desk.drained(ms);
    },
    destroy() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function secureServer(tls: { cert: string; key: string }, settings: object, { headMs }: Limits): Promise<Server> {
  const { createServer: createSecureServer } = await import('node:https');
  try {
    return createSecureServer({ ...settings, ...tls, handshakeTimeout: headMs });
  } catch (error) {
    throw new SvcError('file_unusable', `--tls-cert, --tls-key: not a certificate and its key: ${reasonOf(error)}`, {
      hint: 'both are PEM files',
      cause: error,
    });
  }
}

function reasonOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? (error as Error).message;
}

function listen(server: Server, { host, port }: ReceiverOptions): Promise<number> {
  return new Promise((done, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const hint = 'choose another with --port, or 0 for a free one';
      const busy = error.code === 'EADDRINUSE';
      if (busy || error.code === 'EACCES') {
        const why = busy ? 'is in use' : 'is for privileged users';
        fail(new SvcError('invalid_value', `--port: ${port} ${why}`, { hint, cause: error }));
      } else {
        fail(new SvcError('invalid_value', `--host: cannot listen on ${host}: ${reasonOf(error)}`, { cause: error }));
      }
    });
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      // A connection that cannot be accepted, for want of descriptors, is no reason to end.
      server.on('error', () => {});
      done((server.address() as AddressInfo).port);
    });
  });
}
