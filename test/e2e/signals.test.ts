import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, faultServer } from '../support/servers.ts';
import { type HangingServer, hangingServer, wireAlert } from './alerts.ts';
import { startSvc } from './binary.ts';

const SIGNALS = [
  { signal: 'SIGINT', status: 130, word: 'interrupted' },
  { signal: 'SIGTERM', status: 143, word: 'terminated' },
] as const;

let silent: HangingServer;
let readable: HangingServer;
beforeAll(async () => {
  silent = await hangingServer();
  readable = await hangingServer({ reads: '[]' });
});
afterAll(async () => {
  await silent.close();
  await readable.close();
});

const CREATE = ['silences', 'create', 'alertname=NodeDown', '-c', 'disk swap', '--yes'];

describe.each(SIGNALS)('$signal', ({ signal, status, word }) => {
  it('ends a hanging read without a message', async () => {
    const hangs = silent.hangs('GET');
    const run = startSvc(['alerts', 'list', '-o', 'json'], { env: { SVC_ALERTS_URL: silent.url } });
    await hangs;
    const { code, stdout, stderr } = await run.kill(signal);
    expect({ code, stdout, stderr }).toEqual({ code: status, stdout: '', stderr: '' });
  });

  it('says that a sent write may have been applied', async () => {
    const hangs = readable.hangs('POST');
    const run = startSvc([...CREATE, '-q'], { env: { SVC_ALERTS_URL: readable.url } });
    await hangs;
    const { code, stdout, stderr } = await run.kill(signal);
    expect({ code, stdout }).toEqual({ code: status, stdout: '' });
    expect(stderr).toBe(
      `svc: ${word}; the request was sent and may have been applied (POST ${readable.url}/api/v2/silences)\nhint: check the state of the service before you repeat it\n`,
    );
  });
});

describe('a signal', () => {
  it('ends a response that stalls', async () => {
    await using server = await hangingServer({
      begin: `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n[${JSON.stringify(wireAlert(1))},`,
    });
    const run = startSvc(['alerts', 'list', '-o', 'ndjson'], { env: { SVC_ALERTS_URL: server.url } });
    await run.printed('Alert1');
    const { code, stdout, stderr } = await run.kill('SIGINT');
    expect({ code, lines: stdout.split('\n').length, stderr }).toEqual({ code: 130, lines: 2, stderr: '' });
  });

  it('ends the reading of standard input', async () => {
    const run = startSvc(['alerts', 'create', '-f', '-', '-v'], {
      env: { SVC_ALERTS_URL: readable.url },
      input: 'open',
    });
    // What is written can be taken from the pipe only by a process that reads it.
    run.child.stdin?.write('['.repeat(1_000_000));
    await once(run.child.stdin as NodeJS.EventEmitter, 'drain');
    const { code, stderr } = await run.kill('SIGINT');
    expect([code, stderr]).toEqual([130, '']);
  });

  it('ends the wait for a stalled reader', async () => {
    await using server = await faultServer((socket) => {
      socket.write(answer(200, JSON.stringify(Array.from({ length: 3_000 }, (_, index) => wireAlert(index)))));
    });
    const { child } = startSvc(['alerts', 'list', '-o', 'ndjson'], {
      env: { SVC_ALERTS_URL: server.url },
      unread: true,
    });
    await once(child.stdout as NodeJS.EventEmitter, 'readable');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([143, null]);
    child.stdout?.destroy();
  });
});
