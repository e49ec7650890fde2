import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Pair } from '../support/certificates.ts';

interface Proxy extends AsyncDisposable {
  readonly port: number;
  /** The heads of the requests it got. */
  readonly heads: string[];
}

/** A proxy that responds to CONNECT with the given head, or connects to the given port. */
export async function proxy(connectTo: number | string | ((socket: Socket) => void), tls?: Pair): Promise<Proxy> {
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  const accept = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {});
    let bytes = '';
    const read = (chunk: Buffer): void => {
      bytes += chunk.toString('latin1');
      if (!bytes.includes('\r\n\r\n')) return;
      socket.off('data', read);
      heads.push(bytes);
      if (typeof connectTo === 'function') connectTo(socket);
      else if (typeof connectTo === 'string') socket.end(connectTo);
      else {
        const upstream = connect(connectTo, '127.0.0.1', () => {
          socket.write('HTTP/1.1 200 Connection established\r\nX: y\r\n\r\n');
          socket.pipe(upstream).pipe(socket);
        });
        upstream.on('error', () => socket.destroy());
        sockets.add(upstream);
      }
    };
    socket.on('data', read);
  };
  const server = tls === undefined ? createServer(accept) : createTlsServer(tls, accept);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    heads,
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
