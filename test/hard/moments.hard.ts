/** kill -9 at random moments of long operations: a rotation, a silence around a command. The next run continues. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Ended, HOME, type Running, startSvc, svc } from '../e2e/binary.ts';
import { onBothServices } from '../features/alerts/commands/service.ts';
import { startReceiver, startService } from '../sandbox/webhooks/service.ts';
import { getJson } from '../support/alertmanager.ts';
import { counted, scaled } from './scale.ts';

const KILLS = scaled(60);

/** The duration without a kill. */
async function timed(run: () => Running): Promise<{ readonly ended: Ended; readonly ms: number }> {
  const began = performance.now();
  const ended = await run().ended;
  return { ended, ms: performance.now() - began };
}

/** The command alone: what it has started lives on. */
async function killedWithin(ms: number, running: Running): Promise<boolean> {
  const timer = setTimeout(() => running.child.kill('SIGKILL'), Math.random() * ms);
  const { signal } = await running.ended;
  clearTimeout(timer);
  return signal !== null;
}

it('webhooks rotate: the receiver always has a stored secret', async ({ task }) => {
  await using receiver = await startReceiver();
  await using service = await startService({ fast: 1000 });
  const { subscriptions } = service.account;
  const config = mkdtempSync(join(HOME, 'rotate-'));
  const env = { SVC_CONFIG_DIR: config, SVC_WEBHOOKS_URL: service.url, SVC_WEBHOOKS_TOKEN: service.token };
  const rotate = (id: string): Running =>
    startSvc(['webhooks', 'rotate', id, '--store', '--yes', '-o', 'json'], { env });
  const stored = async (id: string): Promise<string> =>
    (await svc(['webhooks', 'secrets', 'export', id], { env })).stdout.trim();
  const time = '2026-11-20T12:00:00.000Z';
  const reset = (): void => {
    subscriptions.clear();
    const events = ['summary.completed', 'webhook.ping'];
    const old = { id: 'ep_1', secret: 'whsec_old', url: receiver.url, events, status: 1 as const };
    subscriptions.set('ep_1', { ...old, consecutive_failures: 0, created_at: time, updated_at: time });
  };
  reset();
  const { ended, ms } = await timed(() => rotate('ep_1'));
  expect(ended).toMatchObject({ code: 0 });
  const figures = { killed: 0, both: 0, done: 0 };
  for (let round = 0; round < KILLS; round++) {
    reset();
    if (await killedWithin(ms, rotate('ep_1'))) figures.killed += 1;
    const left = [...subscriptions.values()];
    const others = left.filter(({ id }) => id !== 'ep_1');
    expect(others.length, `round ${round}`).toBeLessThanOrEqual(1);
    if (left.length === 2) figures.both += 1;
    const [other] = others;
    if (!subscriptions.has('ep_1')) {
      figures.done += 1;
      expect({ round, secret: await stored(other?.id ?? '') }).toEqual({ round, secret: other?.secret });
    }
    JSON.parse(readFileSync(join(config, 'webhook-secrets.json'), 'utf8'));
    const replaced = subscriptions.has('ep_1') ? 'ep_1' : (other?.id ?? '');
    const next = await rotate(replaced).ended;
    expect({ round, ...next }).toMatchObject({ round, code: 0 });
    const { id } = JSON.parse(next.stdout) as { readonly id: string };
    expect(subscriptions.has(replaced)).toBe(false);
    expect({ round, secret: await stored(id) }).toEqual({ round, secret: subscriptions.get(id)?.secret });
    counted(task, 1);
  }
  task.meta.figures = `rotate: ${figures.killed} killed, ${figures.both} between the two, ${figures.done} after the old one was deleted`;
});

interface Silence {
  readonly id: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly status: { readonly state: string };
}

const TTL_MS = 10_000;

onBothServices((service) => {
  it('silences run: leaves at most one silence, which ends by itself', async ({ task }) => {
    const run = (label: string): Running => {
      const argv = ['silences', 'run', `run=${label}`, '--ttl', `${TTL_MS / 1000}s`, '--author', 'ci'];
      return startSvc([...argv, '--', 'sleep', '0.6'], { env: { SVC_ALERTS_URL: service.url() } });
    };
    const silences = (label: string): Promise<Silence[]> =>
      getJson<Silence[]>(service.url(), `/api/v2/silences?filter=${encodeURIComponent(`run="${label}"`)}`);
    const { ended, ms } = await timed(() => run('whole'));
    expect(ended).toMatchObject({ code: 0 });
    const figures = { killed: 0, left: 0 };
    for (let round = 0; round < KILLS; round++) {
      const label = `${round}`;
      if (await killedWithin(ms, run(label))) figures.killed += 1;
      const left = await silences(label);
      expect(left.length, `round ${round}`).toBeLessThanOrEqual(1);
      for (const { startsAt, endsAt, status } of left) {
        if (status.state !== 'expired') figures.left += 1;
        // It was extended for as long as the command ran.
        expect(Date.parse(endsAt) - Date.parse(startsAt)).toBeLessThan(TTL_MS + 2 * ms + 5_000);
        expect(Date.parse(endsAt) - Date.now()).toBeLessThan(TTL_MS + 1_000);
      }
      const next = await run(label).ended;
      expect({ round, ...next }).toMatchObject({ round, code: 0 });
      const own = (await silences(label)).filter(({ id }) => !left.some((one) => one.id === id));
      expect(own.map(({ status }) => status.state)).toEqual(['expired']);
      counted(task, 1);
    }
    task.meta.figures = `run: ${figures.killed} killed, ${figures.left} silences left to end by themselves`;
  });
});
