import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Of the sandbox. */
const SERVICES = 4;

/** The first of as many ports in a row as there are services; below those that the system gives to the process that asks for any. */
export async function freePorts(): Promise<number> {
  // Test files run at the same time, in processes whose ids follow each other.
  for (let first = 20_000 + ((process.pid * 20) % 10_000); ; first += SERVICES) {
    const row = Array.from({ length: SERVICES }, (_, index) => first + index);
    const servers = row.map((port) => createServer().listen(port, '127.0.0.1'));
    const states = await Promise.allSettled(servers.map((server) => once(server, 'listening')));
    await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
    if (states.every(({ status }) => status === 'fulfilled')) return first;
  }
}

/** One at which nothing listens, from those that the system gives. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
