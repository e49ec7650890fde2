/** kill -9 at random moments of commands that change something elsewhere: the next run continues, and nothing is done twice. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startTradingEmulator } from '../../src/sandbox/trade/server.ts';
import { type Ended, type Running, startSvc, svc } from '../e2e/binary.ts';
import { sharedService } from '../features/alerts/commands/service.ts';
import { environmentIn, ordersFromNow } from '../features/trade/commands/trader.ts';
import { delivery, event, KEY, Sender } from '../features/webhooks/receiver-client.ts';
import { startReceiver, startService } from '../sandbox/webhooks/service.ts';
import { getJson } from '../support/alertmanager.ts';
import { freshHome, killedAtRandom, slowNetwork, soon } from './random-kills.ts';

/** The service behind a slow network, and commands that store secrets. */
async function startSubscribing() {
  const service = await startService({ fast: 1000 });
  const network = await slowNetwork(service.url);
  const { root, env: folders } = freshHome();
  const env = { ...folders, SVC_WEBHOOKS_URL: network.url, SVC_WEBHOOKS_TOKEN: service.token };
  return {
    subscriptions: service.account.subscriptions,
    network,
    root,
    start: (...argv: readonly string[]) => startSvc(['webhooks', ...argv, '--store', '-o', 'json'], { env }),
    async storedSecret(id: string): Promise<string> {
      return (await soon(svc(['webhooks', 'secrets', 'export', id], { env }))).stdout.trim();
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await network[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

function idIn({ stdout }: Ended): string {
  return (JSON.parse(stdout) as { readonly id: string }).id;
}

it('webhooks create: at most one subscription, and what svc printed has a stored secret', async ({ task }) => {
  await using service = await startSubscribing();
  const { subscriptions, network, root, start, storedSecret } = service;
  const url = 'https://192.0.2.7/hook';
  const create = (): Running => start('create', url, '--event', 'webhook.ping');
  const figures = { none: 0, created: 0 };
  const begin = (): Running => {
    subscriptions.clear();
    return create();
  };
  for await (const { at, ended, isAcknowledged } of killedAtRandom(task, root, begin)) {
    await network.arrived();
    const made = [...subscriptions.keys()];
    expect(made.length, at).toBeLessThanOrEqual(1);
    if (isAcknowledged) {
      expect([idIn(ended)], at).toEqual(made);
      expect(await storedSecret(idIn(ended)), at).toBe(subscriptions.get(idIn(ended))?.secret);
    }
    figures[made.length === 0 ? 'none' : 'created'] += 1;
    // A repetition is refused if there is one.
    expect(await soon(create().ended), at).toMatchObject({ code: made.length === 0 ? 0 : 3 });
    expect(subscriptions.size, at).toBe(1);
    subscriptions.clear();
    const next = await soon(create().ended);
    expect(next, at).toMatchObject({ code: 0 });
    expect([...subscriptions.keys()], at).toEqual([idIn(next)]);
    expect(await storedSecret(idIn(next)), at).toBe(subscriptions.get(idIn(next))?.secret);
  }
  task.meta.figures = `create: ${figures.none} ended before the service created one, ${figures.created} after`;
});

it('webhooks rotate: the receiver always has a stored secret', async ({ task }) => {
  await using receiver = await startReceiver();
  await using service = await startSubscribing();
  const { subscriptions, network, root, start, storedSecret } = service;
  const rotate = (id: string): Running => start('rotate', id, '--yes');
  const time = '2026-11-20T12:00:00.000Z';
  const figures = { untouched: 0, both: 0, done: 0 };
  const begin = (): Running => {
    subscriptions.clear();
    const events = ['summary.completed', 'webhook.ping'];
    const old = { id: 'ep_1', secret: 'whsec_old', url: receiver.url, events, status: 1 as const };
    subscriptions.set('ep_1', { ...old, consecutive_failures: 0, created_at: time, updated_at: time });
    return rotate('ep_1');
  };
  for await (const { at, isAcknowledged } of killedAtRandom(task, root, begin)) {
    await network.arrived();
    const others = [...subscriptions.values()].filter(({ id }) => id !== 'ep_1');
    expect(others.length, at).toBeLessThanOrEqual(1);
    const [other] = others;
    const isDone = !subscriptions.has('ep_1');
    if (isAcknowledged) expect(isDone, at).toBe(true);
    if (isDone) {
      figures.done += 1;
      expect(await storedSecret(other?.id ?? ''), at).toBe(other?.secret);
    } else {
      figures[other === undefined ? 'untouched' : 'both'] += 1;
    }
    const replaced = isDone ? (other?.id ?? '') : 'ep_1';
    const next = await soon(rotate(replaced).ended);
    expect(next, at).toMatchObject({ code: 0 });
    expect(subscriptions.has(replaced), at).toBe(false);
    expect(await storedSecret(idIn(next)), at).toBe(subscriptions.get(idIn(next))?.secret);
  }
  const { untouched, both, done } = figures;
  task.meta.figures = `rotate: ${untouched} ended before the second subscription, ${both} between the two, ${done} after the old one was deleted`;
});

describe('webhooks listen --record', () => {
  /** They take about as long as the start. */
  const DELIVERIES = 400;
  const SENDERS = 4;

  interface Verified {
    readonly status: string;
    readonly event_id: string;
  }

  async function portOf(running: Running): Promise<number> {
    await running.printed('"type":"ready"');
    return Number(/"port":(\d+)/.exec(running.texts.stdout)?.[1]);
  }

  /** Resolves to the ids of the events that were answered with a 2xx, when all are sent or svc is dead. */
  async function deliver(running: Running, ids: readonly string[]): Promise<readonly string[]> {
    const port = await portOf(running).catch(() => undefined);
    if (port === undefined) return [];
    const answered: string[] = [];
    const waiting = [...ids];
    const send = async (): Promise<void> => {
      const sender = new Sender(port);
      try {
        for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
          const body = event(id, 'summary.completed', { text: 'x'.repeat(2_000) });
          const { status } = await sender.send(delivery(body)).answer();
          if (status >= 200 && status < 300) answered.push(id);
        }
      } catch {
        // It was killed.
      } finally {
        sender.close();
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, send));
    return answered;
  }

  it('has every delivery that was acknowledged, once', async ({ task }) => {
    const { root, env: folders } = freshHome();
    const env = { ...folders, SVC_WEBHOOK_SECRET: KEY };
    const record = join(root, 'recording.ndjson');
    const listen = (count: number): Running => {
      const argv = ['webhooks', 'listen', '--port', '0', '--record', record, '--count', String(count), '-o', 'ndjson'];
      return startSvc(argv, { env });
    };
    const recorded = async (at: string): Promise<readonly string[]> => {
      const { code, stdout } = await soon(svc(['webhooks', 'verify', record, '-o', 'ndjson'], { env }));
      const rows = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Verified);
      expect({ at, code, states: [...new Set(rows.map(({ status }) => status))] }).toEqual({
        at,
        code: 0,
        states: ['valid'],
      });
      return rows.map(({ event_id }) => event_id);
    };
    const figures = { none: 0, some: 0, deliveries: 0 };
    let delivered: Promise<readonly string[]> | undefined;
    const begin = (round: number): Running => {
      rmSync(record, { force: true });
      const running = listen(DELIVERIES);
      const ids = Array.from({ length: DELIVERIES }, (_, index) => `evt_${round}_${index}`);
      delivered = deliver(running, ids);
      return running;
    };
    for await (const { at, round } of killedAtRandom(task, root, begin)) {
      const answered = (await delivered) ?? [];
      figures[answered.length === 0 ? 'none' : 'some'] += 1;
      figures.deliveries += answered.length;
      const next = listen(1);
      const nextId = `evt_${round}_next`;
      expect(await soon(deliver(next, [nextId])), at).toEqual([nextId]);
      expect(await soon(next.ended), at).toMatchObject({ code: 0 });
      const found = await recorded(at);
      expect(found, at).toEqual(expect.arrayContaining([...answered, nextId]));
      expect(new Set(found).size, at).toBe(found.length);
    }
    const { none, some, deliveries } = figures;
    task.meta.figures = `listen: ${none} ended before the first delivery, ${some} later, with ${deliveries} deliveries acknowledged`;
  });
});

it('trade buy --once: at most one order, which the journal has', async ({ task, onTestFinished }) => {
  const gateway = await startTradingEmulator({ now: Date.now, random: () => 0.5, fast: 20, tickMs: 0, caps: false });
  onTestFinished(() => gateway.close());
  await using network = await slowNetwork(gateway.url);
  gateway.setPrice('EUR/USD', 1.16);
  gateway.tick();
  const { root, env: folders } = freshHome();
  const env = { ...environmentIn(root, gateway), ...folders, SVC_TRADE_URL: network.url };
  const buy = (key: string): Running =>
    startSvc(['trade', 'buy', 'EUR/USD', '7', '--once', key, '--yes', '-o', 'json'], { env });
  const trade = (...argv: readonly string[]): Promise<Ended> => soon(svc(['trade', ...argv], { env }));
  const entriesOf = async (key: string, at: string): Promise<readonly Entry[]> => {
    const { code, stdout } = await trade('journal', '-o', 'json');
    expect({ at, code }).toEqual({ at, code: 0 });
    return (JSON.parse(stdout) as readonly Entry[]).filter(({ once }) => once === key);
  };
  const figures = { unsent: 0, unknown: 0, accepted: 0 };
  let arrived = ordersFromNow(gateway);
  const begin = (round: number): Running => {
    gateway.book.trades.clear();
    arrived = ordersFromNow(gateway);
    return buy(`key-${round}`);
  };
  for await (const { at, round, ended, isAcknowledged } of killedAtRandom(task, root, begin)) {
    await network.arrived();
    const key = `key-${round}`;
    const orders = arrived().length;
    expect(orders, at).toBeLessThanOrEqual(1);
    const entries = await entriesOf(key, at);
    expect(entries.length, at).toBeLessThanOrEqual(1);
    expect(entries.length, at).toBeGreaterThanOrEqual(orders);
    const [entry] = entries;
    if (isAcknowledged) {
      const { order_id } = JSON.parse(ended.stdout) as { readonly order_id: string };
      expect(entry, at).toMatchObject({ outcome: 'accepted', order_ids: [order_id] });
    }
    figures[entry?.outcome ?? 'unsent'] += 1;

    const again = await soon(buy(key).ended);
    const isUnknown = entry?.outcome === 'unknown';
    expect(again, at).toMatchObject({ code: isUnknown ? 8 : 0 });
    expect(arrived().length, at).toBe(isUnknown ? orders : 1);
    if (isUnknown && orders === 1) {
      expect(await trade('journal', 'settle', entry.id, '--as', 'filled'), at).toMatchObject({ code: 0 });
      expect(await soon(buy(key).ended), at).toMatchObject({ code: 0 });
      expect(arrived().length, at).toBe(1);
    }
    const before = arrived().length;
    expect(await soon(buy(`next-${key}`).ended), at).toMatchObject({ code: 0 });
    expect(arrived().length, at).toBe(before + 1);
  }
  const { unsent, unknown, accepted } = figures;
  task.meta.figures = `buy: ${unsent} ended before the order was in the journal, ${unknown} left unknown, ${accepted} accepted`;
});

/** Of `trade journal`. */
interface Entry {
  readonly id: string;
  readonly once: string;
  readonly outcome: 'unknown' | 'accepted';
  readonly order_ids: readonly string[];
}

interface Silence {
  readonly id: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly status: { readonly state: string };
}

const TTL_MS = 10_000;

const service = sharedService();

it('silences run: leaves at most one silence, which ends by itself', async ({ task }) => {
  const { root, env } = freshHome();
  const run = (label: string): Running => {
    const argv = ['silences', 'run', `run=${label}`, '--ttl', `${TTL_MS / 1000}s`, '--author', 'ci'];
    return startSvc([...argv, '--', 'sleep', '0.6'], { env: { ...env, SVC_ALERTS_URL: service.url() } });
  };
  const silences = (label: string): Promise<Silence[]> =>
    getJson<Silence[]>(service.url(), `/api/v2/silences?filter=${encodeURIComponent(`run="${label}"`)}`);
  const figures = { none: 0, left: 0, ended: 0 };
  for await (const { at, round, ms } of killedAtRandom(task, root, (round) => run(`${round}`))) {
    const label = `${round}`;
    const left = await silences(label);
    expect(left.length, at).toBeLessThanOrEqual(1);
    for (const { startsAt, endsAt } of left) {
      // It was extended for as long as the command ran.
      expect(Date.parse(endsAt) - Date.parse(startsAt), at).toBeLessThan(TTL_MS + 2 * ms + 5_000);
      expect(Date.parse(endsAt) - Date.now(), at).toBeLessThan(TTL_MS + 1_000);
    }
    const [silence] = left;
    if (silence === undefined) figures.none += 1;
    else figures[silence.status.state === 'expired' ? 'ended' : 'left'] += 1;
    expect(await soon(run(label).ended), at).toMatchObject({ code: 0 });
    const own = (await silences(label)).filter(({ id }) => !left.some((one) => one.id === id));
    expect(
      own.map(({ status }) => status.state),
      at,
    ).toEqual(['expired']);
  }
  const { none, left, ended } = figures;
  task.meta.figures = `run: ${none} ended before the silence, ${left} silences left to end by themselves, ${ended} ended`;
});
