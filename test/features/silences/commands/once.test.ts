import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { answer, type Fault, faultOnWrite, faultServer, isWrite } from '../../../support/servers.ts';
import { failure, svc } from '../../../support/svc.ts';
import { printed } from '../../alerts/commands/service.ts';

const ID = '2f1ac0de-0000-4000-8000-000000000001';
const SILENCE = JSON.stringify({
  id: ID,
  matchers: [{ name: 'a', value: 'b', isRegex: false, isEqual: true }],
  startsAt: new Date(Date.now() - 60_000).toISOString(),
  endsAt: new Date(Date.now() + 3_600_000).toISOString(),
  updatedAt: new Date(Date.now() - 60_000).toISOString(),
  createdBy: 'x',
  comment: 'y',
  status: { state: 'active' },
});

const WRITES = {
  'alerts create': ['alerts', 'create', 'A', '--for', '1h'],
  'silences create': ['silences', 'create', 'a=b', '-c', 'x'],
  'silences update': ['silences', 'update', ID, '-c', 'new'],
  'silences expire': ['silences', 'expire', ID, '--yes'],
} as const;
const TEXT = { 'content-type': 'text/plain' };

const reading = (fault: Fault): Fault =>
  faultOnWrite(fault, ({ path }) => (path.includes('/silence/') ? SILENCE : '[]'));

const FAULTS: readonly (readonly [what: string, fault: Fault])[] = [
  ['a cut', (socket) => socket.destroy()],
  ['an end', (socket) => socket.end()],
  ['a reset', (socket) => socket.resetAndDestroy()],
  ['half a head', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le')],
  ['garbage', (socket) => socket.end('\x16\x03\x01 no HTTP\r\n\r\n')],
  ['500', (socket) => socket.write(answer(500, '"boom"'))],
  ['502 of a proxy', (socket) => socket.write(answer(502, '<html>', { 'content-type': 'text/html' }))],
  ['503 and a time to come back', (socket) => socket.write(answer(503, 'busy', { 'retry-after': '0', ...TEXT }))],
  ['a page', (socket) => socket.write(answer(200, '<!doctype html>', { 'content-type': 'text/html' }))],
];

describe.each(Object.entries(WRITES))('svc %s', (_name, argv) => {
  it('exits 8 after a response that is lost or says nothing of the write, and was sent once', async () => {
    for (const [what, fault] of FAULTS) {
      await using server = await faultServer(reading(fault));
      const run = await svc([...argv, '--base-url', server.url, '-o', 'json']);
      expect([what, run.code, run.stdout, failure(run).code]).toEqual([what, 8, '', 'outcome_unknown']);
      expect([what, server.requests.filter(isWrite).length]).toEqual([what, 1]);
    }
  });

  it('interrupted while it waits exits 130, and says that it may have been applied', async () => {
    const stop = new AbortController();
    await using server = await faultServer(reading(() => stop.abort()));
    const run = await svc([...argv, '--base-url', server.url, '-o', 'json'], { signal: stop.signal });
    expect(run.code).toBe(130);
    expect(failure(run).message).toContain('may have been applied');
    expect(server.requests.filter(isWrite)).toHaveLength(1);
  });
});

it('svc alerts create without a response in time exits 8, and was sent once', async () => {
  await using server = await faultServer(() => {});
  const argv = [...WRITES['alerts create'], '--timeout', '1s', '--base-url', server.url, '-o', 'json'];
  const run = await svc(argv);
  expect([run.code, failure(run).code, server.requests.length]).toEqual([8, 'outcome_unknown', 1]);
});

it('svc silences create exits 8 after a response without the id, and was sent once', async () => {
  for (const body of ['', '{}', '[]', '{"silenceID":{}}', 'null', '{"silenceID":"x"']) {
    await using server = await faultServer(reading((socket) => socket.write(answer(200, body))));
    const run = await svc([...WRITES['silences create'], '--base-url', server.url, '-o', 'json']);
    expect([body, run.code, run.stdout]).toEqual([body, 8, '']);
    expect(server.requests.filter(isWrite)).toHaveLength(1);
  }
});

describe('a write on a persistent connection', () => {
  it('that the server closed is sent once on a new one', async () => {
    const closed: Promise<unknown>[] = [];
    await using server = await faultServer((socket: Socket, request) => {
      if (isWrite(request)) {
        socket.write(answer(200, '{"silenceID":"made"}'));
        return;
      }
      socket.write(answer(200, '[]', { connection: 'keep-alive', 'keep-alive': 'timeout=60' }));
      socket.end();
      closed.push(once(socket, 'close'));
    });
    const run = await svc([...WRITES['silences create'], '--base-url', server.url, '-o', 'json']);
    await Promise.all(closed);
    expect([run.code, printed<{ id: string }>(run).id]).toEqual([0, 'made']);
    const used = server.requests.map(({ method, connection }) => [method, connection]);
    expect(used.filter(([method]) => method === 'POST')).toEqual([['POST', used.length]]);
    expect(used.map(([, connection]) => connection)).toEqual(used.map((_, index) => index + 1));
  });

  it('that is cut meanwhile exits 8 or succeeds, and is never sent twice', async () => {
    for (let round = 0; round < 10; round++) {
      await using server = await faultServer((socket: Socket, request) => {
        if (isWrite(request)) {
          socket.write(answer(200, '{"silenceID":"made"}'));
          return;
        }
        socket.write(answer(200, '[]'));
        // Before, while or after the write comes, as the event loops of both sides have it.
        if (round % 2 === 0) setImmediate(() => socket.resetAndDestroy());
        else setTimeout(() => socket.resetAndDestroy(), round);
      });
      const run = await svc([...WRITES['silences create'], '--base-url', server.url, '-o', 'json']);
      expect([0, 7, 8]).toContain(run.code);
      const writes = server.requests.filter(isWrite).length;
      expect(writes).toBeLessThanOrEqual(1);
      if (run.code === 0) expect(writes).toBe(1);
      if (run.code === 7) expect(writes).toBe(0);
    }
  });
});
