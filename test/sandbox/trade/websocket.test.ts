/** WebSocket frames of the sandbox's gateway, by bytes. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { wire } from '../../support/alertmanager.ts';
import { startGateway, type TestGateway } from './service.ts';

const MASK = Buffer.from([0x37, 0xfa, 0x21, 0x3d]);

/** As a client sends it. */
function masked(opcode: number, payload: Buffer, { isLast = true } = {}): Buffer {
  const { length } = payload;
  const size = length < 126 ? [length] : length < 65_536 ? [126, length >> 8, length & 255] : undefined;
  const wide = Buffer.alloc(9, 127);
  wide.writeBigUInt64BE(BigInt(length), 1);
  const head = Buffer.from(size ?? wide);
  head[0] = (head[0] ?? 0) | 0x80;
  const hidden = Buffer.from(payload.map((byte, at) => byte ^ (MASK[at % 4] ?? 0)));
  return Buffer.concat([Buffer.from([(isLast ? 0x80 : 0) | opcode]), head, MASK, hidden]);
}

const text = (message: string): Buffer => masked(1, Buffer.from(message));

async function raw({ url, token }: TestGateway, sid = '', path = '/socket.io/'): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const query = `access_token=${token}&EIO=3&transport=websocket${sid === '' ? '' : `&sid=${sid}`}`;
  socket.write(
    [
      `GET ${path}?${query} HTTP/1.1`,
      'Host: localhost',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      // of RFC 6455, section 1.3
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      '\r\n',
    ].join('\r\n'),
  );
  return socket;
}

/** Everything until it has this in it. */
async function until(socket: Socket, wanted: string | Buffer): Promise<Buffer> {
  let all = Buffer.alloc(0);
  while (!all.includes(wanted)) all = Buffer.concat([all, (await once(socket, 'data'))[0] as Buffer]);
  return all;
}

describe('a websocket', () => {
  test('that takes over before the first poll gets `40` instead', async () => {
    await using gateway = await startGateway();
    const opening = await wire(gateway.url, `/socket.io/?access_token=${gateway.token}&EIO=3&transport=polling`);
    const sid = /"sid":"([\w-]{20})"/.exec(opening.body)?.[1] ?? '';
    const socket = await raw(gateway, sid);
    await until(socket, '101 Switching');
    socket.write(text('2probe'));
    await until(socket, '3probe');
    socket.write(text('5'));
    socket.write(text('2'));
    expect(String(await until(socket, '3'))).toContain('40');
    socket.destroy();
  });

  test('opens with the handshake of the RFC and the packets of the protocol', async () => {
    await using gateway = await startGateway();
    const socket = await raw(gateway);
    const all = (await until(socket, '40')).toString('latin1');
    expect(all.slice(0, all.indexOf('\r\n\r\n')).split('\r\n')).toEqual([
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=',
      expect.stringMatching(/^Set-Cookie: io=[\w-]{20}; Path/),
      expect.stringMatching(/^Set-Cookie: BIGipServersandbox=/),
    ]);
    const opening =
      /\x81\x56(0\{"sid":"[\w-]{20}","upgrades":\[\],"pingInterval":25000,"pingTimeout":20000\})\x81\x0240$/;
    expect(all).toMatch(opening);
    socket.write(text('2'));
    expect(await until(socket, '3')).toEqual(Buffer.from([0x81, 1, 0x33]));
    socket.write(masked(9, Buffer.from('hi')));
    expect(await until(socket, 'hi')).toEqual(Buffer.from([0x8a, 2, 0x68, 0x69]));
    socket.write(text('41'));
    socket.write(masked(8, Buffer.from([3, 232])));
    expect(await until(socket, Buffer.from([3, 232]))).toEqual(Buffer.from([0x88, 2, 3, 232]));
    await once(socket, 'close');
    expect(gateway.sessions).toEqual([]);
  });

  test('is refused for an unknown session, or with polling only', async () => {
    await using gateway = await startGateway();
    expect((await until(await raw(gateway, 'nobody'), '\r\n\r\n')).toString()).toMatch(/^HTTP\/1.1 400 /);
    gateway.traps.add('no-websocket');
    expect((await until(await raw(gateway), '\r\n\r\n')).toString()).toMatch(/^HTTP\/1.1 400 /);
    const elsewhere = await raw(gateway, '', '/other/');
    await once(elsewhere.resume(), 'close');
  });

  test.each([
    ['not masked', Buffer.from([0x81, 1, 0x32]), 1002],
    ['of reserved bits', Buffer.from([0xc1, 0x80, 0, 0, 0, 0]), 1002],
    ['a continuation of nothing', masked(0, Buffer.from('2')), 1002],
    ['bytes', masked(2, Buffer.from('2')), 1003],
    ['larger than anything', Buffer.concat([Buffer.from([0x81, 0xff, 0, 0, 0, 1, 0, 0, 0, 0]), MASK]), 1009],
  ])('ends with a frame that is %s', async (_, frame, code) => {
    await using gateway = await startGateway();
    const socket = await raw(gateway);
    await until(socket, '40');
    socket.write(frame);
    expect((await until(socket, Buffer.from([0x88, 2]))).readUInt16BE(2)).toBe(code);
    await once(socket, 'close');
    expect(gateway.sessions).toEqual([]);
  });

  test('takes over from polling, and ends the poll', async () => {
    await using gateway = await startGateway();
    const { url, token } = gateway;
    const polling = `${url}/socket.io/?access_token=${token}&EIO=3&transport=polling&b64=1`;
    const sid = /"sid":"([^"]+)"/.exec(await (await fetch(polling)).text())?.[1] ?? '';
    expect(await (await fetch(`${polling}&sid=${sid}`)).text()).toBe('2:40');
    const poll = fetch(`${polling}&sid=${sid}`);
    const socket = await raw(gateway, sid);
    await until(socket, '\r\n\r\n');
    socket.write(text('2probe'));
    expect((await until(socket, 'probe')).toString('latin1')).toBe('\x81\x063probe');
    expect(await (await poll).text()).toBe('1:6');
    await gateway.call(sid, 'POST', '/subscribe', { pairs: 'EUR/USD' });
    gateway.tick();
    socket.write(text('5'));
    expect((await until(socket, '42[')).toString()).toContain('Updated');
    expect((await fetch(`${polling}&sid=${sid}`)).status).toBe(400);
  });
});
