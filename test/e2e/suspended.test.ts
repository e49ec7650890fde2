/** A laptop that sleeps, a container that is frozen, Ctrl-Z: the time passes, and svc does not run. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { answer, faultServer } from '../support/servers.ts';
import { startSvc } from './binary.ts';

it('takes a response that came while it was suspended for longer than its time-out', async () => {
  let suspend = (): void => {};
  const suspended = new Promise<void>((done) => {
    suspend = done;
  });
  await using server = await faultServer((socket) => {
    // The process does not run from here on, and the response is in its socket.
    run.child.kill('SIGSTOP');
    socket.write(answer(200, '[]'), () => suspend());
  });
  const run = startSvc(['alerts', 'list', '-q', '--timeout', '3s'], { env: { SVC_ALERTS_URL: server.url } });
  await suspended;
  await sleep(3_500); // longer than the time-out
  run.child.kill('SIGCONT');
  const { code, stderr } = await run.ended;
  expect([code, stderr, server.requests.length]).toEqual([0, '', 1]);
});
