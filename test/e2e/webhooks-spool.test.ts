/** `svc webhooks listen --spool`, killed and out of disk: `npm run test:hard -- spool` kills it hundreds of times. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, watch } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { deliver, event, KEY } from '../features/webhooks/receiver-client.ts';
import { SLOWNESS } from '../support/executable.ts';
import { environment, HOME, start } from './binary.ts';
import { killSpool } from './spool-kills.ts';
import { named } from './terminal.ts';

it('loses no event after kill -9, and repeats none whose response was recorded', async () => {
  const draws = [0.1, 0.9, 0.5, 0.7, 0.35];
  let next = 0;
  const { events } = await killSpool(2, 12, () => draws[next++ % draws.length] ?? 0.5);
  expect(events).toBeGreaterThan(0);
});

const noMount =
  spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { env: environment() }).status !== 0;

it.skipIf(noMount)(named('responds 500 on a full disk, and drains afterwards', noMount), async () => {
  const folder = mkdtempSync(join(HOME, 'spool-'));
  mkdirSync(join(folder, 'small'));
  const ready = join(folder, 'ready.json');
  const taken: string[] = [];
  let away = true;
  const application = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    if (!away) taken.push((JSON.parse(Buffer.concat(pieces).toString()) as { id: string }).id);
    response.writeHead(away ? 503 : 204).end();
  }).listen(0, '127.0.0.1');
  await once(application, 'listening');
  const url = `http://127.0.0.1:${(application.address() as AddressInfo).port}/`;
  const argv = ['svc', 'webhooks', 'listen', '--port', '0', '--ready-file', ready, '--spool', 'small/spool'];
  const watcher = watch(folder);
  const script = 'mount -t tmpfs -o size=64k none small; "$@"; cat small/spool >&2';
  const running = start('unshare', ['-rm', 'bash', '-c', `trap '' INT; ${script}`, '-', ...argv, '--forward-to', url], {
    env: { SVC_WEBHOOK_SECRET: KEY },
    cwd: folder,
  });
  while (!existsSync(ready)) await once(watcher, 'change');
  watcher.close();
  const { port, pid } = JSON.parse(readFileSync(ready, 'utf8')) as { port: number; pid: number };
  const answered: string[] = [];
  const large = { text: 'x'.repeat(2_000) };
  for (let n = 0; ; n++) {
    const { status } = await deliver(port, event(`evt_${n}`, 'summary.completed', large));
    if (status !== 204) {
      expect(status).toBe(500);
      break;
    }
    answered.push(`evt_${n}`);
  }
  expect(answered.length).toBeGreaterThan(5);
  // What is left of the disk is filled, too.
  while ((await deliver(port, event(`evt_${answered.length}`))).status === 204) answered.push(`evt_${answered.length}`);
  away = false;
  await expect.poll(() => taken, { timeout: 10_000 * SLOWNESS }).toEqual(answered);
  await expect.poll(async () => (await deliver(port, event('evt_last'))).status).toBe(204);
  await expect.poll(() => taken.at(-1)).toBe('evt_last');
  process.kill(pid, 'SIGINT');
  const { stderr } = await running.ended;
  expect(stderr).toContain('ERROR: the spool cannot be written: svc responds 500');
  expect(stderr).not.toContain('body_b64');
  expect(taken).toHaveLength(answered.length + 1);
  application.close();
  application.closeAllConnections();
});
