/** How to connect through a proxy. */
import type { Socket } from 'node:net';
import { bare, hostLiteral } from './address.ts';
import { ProxyFailure } from './failures.ts';

export function isSocks(proxy: URL): boolean {
  return proxy.protocol.startsWith('socks');
}

/** The `proxy-authorization` from the user and password in the proxy's address. */
export function proxyHeaders(proxy: URL): Record<string, string> {
  if (proxy.username === '' && proxy.password === '') return {};
  const pair = `${decode(proxy.username)}:${decode(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const LONGEST_HEAD = 16 * 1024;

interface Host {
  readonly hostname: string;
  readonly port: string;
}

/** Asks the proxy for a connection to the host, and calls back once it is open. */
export function openTunnel(socket: Socket, proxy: URL, to: Host, callback: (error: Error | undefined) => void): void {
  if (!isSocks(proxy)) {
    openConnect(socket, proxy, to, callback);
    return;
  }
  openSocks(socket, proxy, to).then(
    () => callback(undefined),
    (error: Error) => {
      socket.destroy();
      callback(new ProxyFailure(proxy, `answered: ${error.message}`));
    },
  );
}

/** RFC 1928. As in curl, `socks5` resolves the name here, `socks5h` at the proxy. */
async function openSocks(socket: Socket, proxy: URL, to: Host): Promise<void> {
  const { SocksClient } = await import('socks');
  const { lookup } = await import('node:dns/promises');
  const user = { userId: decode(proxy.username), password: decode(proxy.password) };
  await SocksClient.createConnection({
    command: 'connect',
    existing_socket: socket,
    proxy: { host: bare(proxy.hostname), port: Number(proxy.port), type: 5, ...(user.userId === '' ? {} : user) },
    destination: {
      host: proxy.protocol === 'socks5:' ? (await lookup(to.hostname)).address : to.hostname,
      port: Number(to.port),
    },
  });
}

function openConnect(socket: Socket, proxy: URL, to: Host, callback: (error: Error | undefined) => void): void {
  const authority = `${hostLiteral(to.hostname)}:${to.port}`;
  let head = Buffer.alloc(0);
  const settle = (error?: Error): void => {
    socket.off('data', read).off('error', broken).off('close', closed);
    if (error !== undefined) socket.destroy();
    callback(error);
  };
  const fail = (text: string, details: { status?: number; cause?: Error } = {}): void =>
    settle(new ProxyFailure(proxy, text, details));
  const broken = (cause: Error): void =>
    cause instanceof ProxyFailure ? settle(cause) : fail('broke the connection', { cause });
  const closed = (): void => fail('closed the connection');
  const read = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0 && head.length < LONGEST_HEAD) return;
    const status = Number(/^HTTP\/1\.[01] (\d{3})[^\d]/.exec(head.toString('latin1'))?.[1]);
    if (end < 0 || Number.isNaN(status)) fail('sent something that is not HTTP');
    else if (status < 200 || status > 299) fail(`answered ${status}`, { status });
    else {
      socket.pause();
      if (head.length > end + 4) socket.unshift(head.subarray(end + 4));
      settle();
    }
  };
  socket.on('data', read).on('error', broken).on('close', closed);
  const lines = Object.entries(proxyHeaders(proxy)).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${lines.join('')}\r\n`, 'latin1');
}
