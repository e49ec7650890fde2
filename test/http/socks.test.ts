import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SvcError } from '../../src/errors.ts';
import { Authority } from '../support/certificates.ts';
import { answer, type FaultServer, faultServer } from '../support/servers.ts';
import { targetFor } from '../support/targets.ts';
import { outcomes } from './outcomes.ts';

// Loopback is never proxied: the services have a name that only the proxy of the test knows.
const HOST = 'service.test';
const authority = new Authority();
const responses = (socket: Socket) => socket.write(answer(200, '{"id":1}'));
let secure: FaultServer;
let plain: FaultServer;
beforeAll(async () => {
  secure = await faultServer(responses, { tls: authority.sign(`DNS:${HOST}`) });
  plain = await faultServer(responses);
});
afterAll(async () => {
  await Promise.all([secure.close(), plain.close()]);
  authority.remove();
});

const USER_AND_PASSWORD = 2;

/** Greets a client, and says whether it may go on: with the password where the server wants one. */
async function greeted(socket: Socket, message: () => Promise<Buffer>, password?: string): Promise<boolean> {
  const [version, , ...methods] = await message();
  if (version !== 5) throw new Error('not SOCKS5');
  if (password === undefined || !methods.includes(USER_AND_PASSWORD)) {
    socket.write(Buffer.from([5, password === undefined ? 0 : 0xff]));
    return true;
  }
  socket.write(Buffer.from([5, USER_AND_PASSWORD]));
  const login = await message();
  const userEnd = 2 + (login[1] ?? 0);
  const given = `${login.subarray(2, userEnd)}:${login.subarray(userEnd + 1)}`;
  socket.write(Buffer.from([1, given === password ? 0 : 1]));
  return given === password;
}

/** A SOCKS5 server (RFC 1928, RFC 1929), which leads every host to `to`, or refuses with a number. */
async function socksServer(to: number | { readonly refusal: number }, password?: string) {
  const asked: string[] = [];
  const serve = async (socket: Socket): Promise<void> => {
    const message = async (): Promise<Buffer> => (await once(socket, 'data'))[0] as Buffer;
    if (!(await greeted(socket, message, password))) return;
    const request = await message();
    const byName = request[3] === 3;
    const host = byName ? request.subarray(5, -2).toString() : request.subarray(4, -2).join('.');
    asked.push(`${host}:${request.readUInt16BE(request.length - 2)}`);
    if (typeof to !== 'number') {
      socket.end(Buffer.from([5, to.refusal, 0, 1, 0, 0, 0, 0, 0, 0]));
      return;
    }
    const service = connect(to, '127.0.0.1', () => {
      socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
      socket.pipe(service).pipe(socket);
    });
    service.on('error', () => socket.destroy());
  };
  const server = createServer((socket) => {
    socket.on('error', () => {});
    serve(socket).catch(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

const tls = { ca: authority.cert, insecure: false };
const through = (baseUrl: string, all: string) => outcomes(targetFor(baseUrl, { proxy: { all }, tls }));

describe('through a SOCKS5 proxy', () => {
  test.each(['https', 'http'])('%s goes to a name that the proxy resolves', async (scheme) => {
    await using proxy = await socksServer(scheme === 'https' ? secure.port : plain.port);
    expect(await through(`${scheme}://${HOST}`, `socks5h://${proxy.address}`)).toEqual(['done', 'done']);
    expect(proxy.asked[0]).toBe(`${HOST}:${scheme === 'https' ? 443 : 80}`);
  });

  test('plain http goes to an address that svc resolves', async () => {
    await using proxy = await socksServer(plain.port);
    expect(await through('http://203.0.113.7:9093', `socks5://${proxy.address}`)).toEqual(['done', 'done']);
    expect(proxy.asked[0]).toBe('203.0.113.7:9093');
  });

  test('https signs in with a user and a password', async () => {
    await using proxy = await socksServer(secure.port, 'me:p@ss');
    expect(await through(`https://${HOST}`, `socks5h://me:p%40ss@${proxy.address}`)).toEqual(['done', 'done']);
  });

  test.each([
    ['a wrong password', 'me:hunter22@'],
    ['no password', ''],
  ])('%s fails before anything is sent', async (_name, user) => {
    await using proxy = await socksServer(secure.port, 'me:p@ss');
    for (const error of await through(`https://${HOST}`, `socks5h://${user}${proxy.address}`)) {
      expect(error).toMatchObject({ code: 'proxy_failed', exit: 7 });
      expect((error as SvcError).message).toContain(`the proxy ${proxy.address} answered: `);
      expect((error as SvcError).message).not.toContain('hunter22');
    }
    expect(proxy.asked).toEqual([]);
  });
});
