/** What svc does to alerts and silences, seen by the receiver of the notifications of a real server. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { getJson, type RunningAlertmanager, startAlertmanager } from '../../support/alertmanager.ts';
import { ALERTMANAGER_RELEASES, alertmanagerBinary } from '../../support/peers.ts';
import { svc } from '../../support/svc.ts';

interface Notification {
  readonly at: number;
  readonly status: string;
  readonly labels: Readonly<Record<string, string>>;
}

const release = ALERTMANAGER_RELEASES.findLast((one) => alertmanagerBinary(one) !== undefined);

describe.skipIf(release === undefined)('the receiver of an alert', () => {
  const received: Notification[] = [];
  const webhook = http.createServer(async (request, response) => {
    const { alerts } = JSON.parse(await text(request)) as { alerts: readonly Omit<Notification, 'at'>[] };
    received.push(...alerts.map(({ status, labels }) => ({ at: Date.now(), status, labels })));
    response.end();
  });
  let server: RunningAlertmanager;
  beforeAll(async () => {
    await once(webhook.listen(0, '127.0.0.1'), 'listening');
    const config = `
route: { receiver: default, group_by: [alertname], group_wait: 0s, group_interval: 100ms, repeat_interval: 1h }
receivers:
  - name: default
    webhook_configs: [{ url: 'http://127.0.0.1:${(webhook.address() as AddressInfo).port}', send_resolved: true }]
`;
    server = await startAlertmanager({ release: release ?? '', config });
  });
  afterAll(async () => {
    await server.stop();
    webhook.close();
    webhook.closeAllConnections();
  });

  const run = async (...argv: string[]) => {
    const done = await svc(argv, { env: { SVC_ALERTS_URL: server.url } });
    expect(done.code, done.stderr).toBe(0);
    return done.stdout.trim();
  };
  const notified = (name: string) => received.filter(({ labels }) => labels['alertname'] === name);

  it('is notified when it is created, and again when it is resolved', async () => {
    await run('alerts', 'create', 'Ends', '--for', '1h');
    await vi.waitFor(() => expect(notified('Ends').map(({ status }) => status)).toEqual(['firing']), 20_000);
    await run('alerts', 'resolve', 'alertname=Ends', '--yes');
    await vi.waitFor(
      () => expect(notified('Ends').map(({ status }) => status)).toEqual(['firing', 'resolved']),
      20_000,
    );
  });

  it('is not notified before its silence ends', async () => {
    const id = await run('silences', 'create', 'Quiet', '--for', '3s', '-c', 'quiet', '-q');
    await run('alerts', 'create', 'Quiet', '--for', '5m');
    await vi.waitFor(() => expect(notified('Quiet')).toHaveLength(1), 20_000);
    const { endsAt } = await getJson<{ endsAt: string }>(server.url, `/api/v2/silence/${id}`);
    expect(notified('Quiet')[0]?.at).toBeGreaterThanOrEqual(Date.parse(endsAt));
  });
});
