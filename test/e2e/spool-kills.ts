/** kill -9 at random moments of `svc webhooks listen --spool`, while a service delivers and an application comes and goes. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, watch } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { deliver, event, KEY } from '../features/webhooks/receiver-client.ts';
import { SLOWNESS } from '../support/executable.ts';
import { HOME, type Running, startSvc } from './binary.ts';

interface Took {
  readonly id: string;
  readonly delivery: string | undefined;
  /** How many kills there had been. */
  readonly run: number;
}

export interface SpoolKills {
  readonly events: number;
  readonly repeats: number;
}

/** `random` gives numbers from 0 to 1. Throws, where an event was lost, out of order, or repeated without need. */
export async function killSpool(kills: number, eventsPerRun: number, random: () => number): Promise<SpoolKills> {
  const folder = mkdtempSync(join(HOME, 'spool-'));
  const took: Took[] = [];
  let run = 0;
  let away = false;
  const application = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      // It refuses before it takes anything, or takes the event, and answers at once or a little later.
      if (away) return void response.writeHead(503).end();
      const { id } = JSON.parse(Buffer.concat(pieces).toString()) as { id: string };
      took.push({ id, delivery: request.headers['x-service-delivery'] as string, run });
      setTimeout(() => response.writeHead(204).end(), random() * 4);
    });
  }).listen(0, '127.0.0.1');
  await once(application, 'listening');
  const url = `http://127.0.0.1:${(application.address() as AddressInfo).port}/hook`;
  const forwarded = new Map<string, number>();

  /** What it printed as forwarded had its answer on disk. */
  const collect = (listener: Running): void => {
    for (const line of listener.texts.stdout.split('\n').slice(0, -1)) {
      const row = JSON.parse(line) as { type: string; event_id: string };
      if (row.type === 'forwarded' && !forwarded.has(row.event_id)) forwarded.set(row.event_id, run);
    }
  };
  const start = async (): Promise<{ listener: Running; port: number }> => {
    const ready = join(folder, 'ready.json');
    rmSync(ready, { force: true });
    const watcher = watch(folder);
    const argv = ['webhooks', 'listen', '--port', '0', '--ready-file', ready, '--spool', join(folder, 'spool')];
    const listener = startSvc([...argv, '--forward-to', url, '-o', 'ndjson'], { env: { SVC_WEBHOOK_SECRET: KEY } });
    for (;;) {
      try {
        const { port } = JSON.parse(readFileSync(ready, 'utf8')) as { port: number };
        watcher.close();
        return { listener, port };
      } catch {
        const ended = await Promise.race([once(watcher, 'change'), listener.ended]);
        if ('code' in ended) throw new Error(`it ended: ${JSON.stringify(ended)}`);
      }
    }
  };

  let { listener, port } = await start();
  let sent = 0;
  try {
    while (run < kills) {
      away = random() < 0.3;
      // While it answers one delivery and forwards another.
      const last = 1 + Math.floor(random() * eventsPerRun);
      for (let n = 0; ; ) {
        if (n === last) setTimeout(() => listener.child.kill('SIGKILL'), random() * 8);
        const headers = [`X-Service-Delivery: dlv_${sent}`];
        // The service sends a delivery again until it is answered 2xx.
        const answer = await deliver(port, event(`evt_${sent}`), { headers }).catch(() => undefined);
        if (answer === undefined) break;
        expect(answer.status).toBe(204);
        sent++;
        n++;
        if (n === Math.ceil(last / 2)) away = false;
      }
      await listener.ended;
      collect(listener);
      run++;
      ({ listener, port } = await start());
    }
    away = false;
    await expect
      .poll(() => new Set(took.map(({ id }) => id)).size, { timeout: 60_000 * SLOWNESS })
      .toBeGreaterThanOrEqual(sent);
    collect(listener);
    await listener.kill('SIGINT');
  } finally {
    listener.child.kill('SIGKILL');
    application.close();
    application.closeAllConnections();
  }
  return judged(took, sent, forwarded);
}

function judged(took: readonly Took[], sent: number, forwarded: ReadonlyMap<string, number>): SpoolKills {
  const first = new Map<string, Took>();
  let repeats = 0;
  for (const [at, one] of took.entries()) {
    const before = first.get(one.id);
    if (before === undefined) {
      first.set(one.id, one);
      continue;
    }
    repeats++;
    // The next run may repeat only the last request before a kill, and the application can recognize it.
    expect(one.delivery).toBe(before.delivery);
    expect(one.run, one.id).toBeGreaterThan(before.run);
    expect(took[at - 1]?.id, one.id).toBe(one.id);
    // One whose answer was recorded is not.
    expect(forwarded.get(one.id) ?? one.run, one.id).toBeGreaterThanOrEqual(one.run);
  }
  // None is lost, and an application that drops repeats sees the order in which the service sent.
  const order = [...first.keys()];
  expect(order.slice(0, sent)).toEqual(Array.from({ length: sent }, (_, n) => `evt_${n}`));
  return { events: sent, repeats };
}
