/** A status line that no server should send ends one request, and nothing else. */
import { expect, it } from 'vitest';
import { faultServer } from '../support/servers.ts';
import { startSvc } from './binary.ts';

it.each([
  'HTTP/1.1 000 x\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 099 x\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
])('%j: a read is exit 7, and a write exit 8 and not repeated', async (response) => {
  await using server = await faultServer((socket) => {
    socket.write(response);
  });
  const env = { SVC_ALERTS_URL: server.url };
  const read = await startSvc(['alerts', 'list'], { env }).ended;
  expect(read.code, read.stderr).toBe(7);
  const write = await startSvc(['alerts', 'create', 'Odd', '--for', '1h'], { env }).ended;
  expect(write.code, write.stderr).toBe(8);
  expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
});
