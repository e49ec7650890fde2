import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { afterAll } from 'vitest';

/** One request as its bytes arrived. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The number of the connection it came on, from 1. */
  readonly connection: number;
}

export interface FaultServer {
  readonly url: string;
  readonly port: number;
  readonly requests: Received[];
  /** Connections that were accepted. */
  readonly connections: number;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What the server does with a request that arrived complete: writes bytes, cuts, stays silent. */
export type Fault = (socket: Socket, request: Received, index: number) => void;

export const isWrite = ({ method }: Received): boolean => method !== 'GET';

/** Answers a read with this body; a write meets the fault. */
export const faultOnWrite =
  (fault: Fault, bodyOf: (request: Received) => string): Fault =>
  (socket, request, index) => {
    if (isWrite(request)) fault(socket, request, index);
    else socket.write(answer(200, bodyOf(request)));
  };

export interface FaultOptions {
  readonly tls?: TlsOptions;
  readonly host?: string;
  readonly onConnect?: (socket: Socket) => void;
}

/** A server that answers byte by byte what the test says, and keeps every request it got. */
export async function faultServer(
  fault: Fault,
  { tls, host = '127.0.0.1', onConnect }: FaultOptions = {},
): Promise<FaultServer> {
  const requests: Received[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const accept = (socket: Socket): void => {
    const connection = ++connections;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    onConnect?.(socket);
    let bytes = '';
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.toString('latin1');
      for (;;) {
        const end = bytes.indexOf('\r\n\r\n');
        if (end < 0) return;
        const [first = '', ...lines] = bytes.slice(0, end).split('\r\n');
        const headers = Object.fromEntries(
          lines.map((line) => [
            line.slice(0, line.indexOf(':')).toLowerCase(),
            line.slice(line.indexOf(':') + 1).trim(),
          ]),
        );
        const length = Number(headers['content-length'] ?? 0);
        if (bytes.length < end + 4 + length) return;
        const [method = '', path = ''] = first.split(' ');
        const body = Buffer.from(bytes.slice(end + 4, end + 4 + length), 'latin1').toString();
        bytes = bytes.slice(end + 4 + length);
        const request = { method, path, headers, body, connection };
        requests.push(request);
        fault(socket, request, requests.length);
      }
    });
  };
  const server: Server = tls === undefined ? createServer(accept) : createTlsServer(tls, accept);
  server.on('tlsClientError', () => {});
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.close();
    for (const socket of sockets) socket.destroy();
    if (server.listening) await once(server, 'close');
  };
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    requests,
    get connections() {
      return connections;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** For all tests of a file. */
export async function fileServer(fault: Fault): Promise<FaultServer> {
  const server = await faultServer(fault);
  afterAll(() => server.close());
  return server;
}

/** A whole answer with its length. */
export function answer(status: number, body: string, headers: Readonly<Record<string, string>> = {}): string {
  const all = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Some Reason\r\n${lines.join('')}\r\n${body}`;
}

/** Writes as fast as the reader takes it, until the connection is gone. */
export const endless =
  (head: string | Buffer, piece: string | Buffer): Fault =>
  (socket) => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', more);
    socket.write(head);
    more();
  };

/** A proxy that leads every CONNECT to this port of this machine. */
export const tunnelTo =
  (port: number): Fault =>
  (socket) => {
    socket.removeAllListeners('data');
    const service = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\nX: y\r\n\r\n');
      socket.pipe(service).pipe(socket);
    });
    service.on('error', () => socket.destroy());
    socket.on('close', () => service.destroy());
  };

/** An address where no connection is ever made: its process is stopped and its queue full, so the kernel is silent. Linux only. */
export async function stoppedServer(): Promise<AsyncDisposable & { readonly url: string }> {
  const script = `const server = require('node:net').createServer();
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port));`;
  // Of Node.js also where bun runs the tests: bun's servers have a backlog of their own.
  const child = spawn('node', ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGSTOP');
  const port = Number(line.toString());
  const fillers: Socket[] = [];
  for (let i = 0; i < 2; i++) {
    const socket = connect(port, '127.0.0.1');
    fillers.push(socket);
    await once(socket, 'connect');
  }
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of fillers) socket.destroy();
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
