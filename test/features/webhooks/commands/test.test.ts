/** A test event, followed to its end; a rotation that rests on it. */
import type { Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import { startReceiver } from '../../../sandbox/webhooks/service.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { failure, type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';
import { RECEIVER, subscribed } from './subscribed.ts';

/** A clock that moves only while svc sleeps, and each time not before this. */
function clock(ready: () => unknown = () => true): RunOptions {
  let now = Date.now();
  const sleepsUntil = async (ms: number): Promise<void> => {
    await vi.waitUntil(ready, 60_000);
    now += ms;
  };
  return { now: () => now, sleepsUntil };
}

describe('svc webhooks test', () => {
  it('does not call a queued event delivered', async () => {
    await using service = await subscribed(['no-log-item']);
    service.subscribe();
    const run = await service.run(['test', 'ep_1']);
    expect([run.code, run.stdout]).toEqual([0, expect.stringMatching(/^queued evt_\w+ \(not delivered yet\)\n$/)]);
    service.traps.add('test-not-queued');
    expect(await service.run(['test', 'ep_1'])).toMatchObject({ code: 3, stderr: 'svc: not queued\n' });
  });

  it('--wait reports the delivery, at the first attempt or a later one', async () => {
    await using receiver = await startReceiver([500, 204]);
    await using service = await subscribed([], { fast: 6000 });
    service.subscribe(receiver.url);
    const later = await service.run(['test', 'ep_1', '--wait', '1m']);
    expect([later.code, later.stdout]).toEqual([
      0,
      expect.stringMatching(/^delivered in \d+\.\ds after 2 attempts\n$/),
    ]);
    const first = await service.run(['test', 'ep_1', '--wait', '1m', '-o', 'json']);
    expect(JSON.parse(first.stdout)).toMatchObject({ outcome: 'delivered', delivery: { status: 1, attempts: 1 } });
  });

  it('--wait exits 1 if the last attempt failed, and 9 if the delivery is still pending', async () => {
    for (const [status, fast, attempts, code, stdout] of [
      [500, 100_000, 6, 1, 'failed: http_500 after 6 attempts\n'],
      [502, 5, 1, 9, 'pending, attempt 1, last_error http_502\n'],
    ] as const) {
      await using receiver = await startReceiver([status]);
      await using service = await subscribed([], { fast });
      service.subscribe(receiver.url);
      const failed = () => service.account.subscriptions.get('ep_1')?.consecutive_failures === 3 + attempts;
      expect(await service.run(['test', 'ep_1', '--wait', '5s'], clock(failed))).toMatchObject({ code, stdout });
    }
  });

  it('--wait exits 9 with a warning if the log never has the event', async () => {
    await using service = await subscribed(['ping-needs-listing']);
    service.subscribe(RECEIVER, ['summary.completed']);
    const run = await service.run(['test', 'ep_1', '--wait', '100ms'], clock());
    expect([run.code, run.stdout]).toEqual([
      9,
      expect.stringMatching(/^no log item for evt_\w+ after 0 s \(not dispatched, or skipped\)\n$/),
    ]);
    expect(run.stderr).toContain(
      'warning: ep_1 does not list webhook.ping; the API documentation does not say whether it is then delivered',
    );
  });

  it('--wait exits 1 if the subscription is disabled meanwhile, and 3 if it was before', async () => {
    await using service = await subscribed(['disabled-mid-wait']);
    service.subscribe();
    const run = await service.run(['test', 'ep_1', '--wait', '1m']);
    expect([run.code, run.stdout]).toEqual([1, 'skipped: ep_1 is disabled; no log item will appear\n']);
    expect(await service.run(['test', 'ep_1'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('ep_1 is disabled'),
    });
  });
});

describe('svc webhooks rotate', () => {
  it('replaces the old subscription by a new one that works', async () => {
    await using receiver = await startReceiver();
    await using service = await subscribed();
    service.subscribe(receiver.url);
    const home = temporaryHome();
    const run = await service.run(['rotate', 'ep_1', '--store', '--yes', '-o', 'json'], { home });
    expect(run.code).toBe(0);
    const [left, ...more] = [...service.account.subscriptions.values()];
    expect(more).toEqual([]);
    expect(left).toMatchObject({ url: receiver.url, events: ['summary.completed', 'webhook.ping'] });
    expect(JSON.parse(run.stdout)).toMatchObject({
      id: left?.id,
      replaced: 'ep_1',
      replaced_secret_deleted: false,
      test: { outcome: 'delivered' },
    });
    expect((await service.run(['secrets', 'export', left?.id ?? ''], { home })).stdout.trim()).toBe(left?.secret);
    const again = await service.run(['rotate', left?.id ?? '', '--store', '--yes', '-o', 'json'], { home });
    const { id: newest } = JSON.parse(again.stdout) as { id: string };
    expect(JSON.parse(again.stdout)).toMatchObject({ replaced: left?.id, replaced_secret_deleted: true });
    expect((await service.run(['secrets', 'list', '-q'], { home })).stdout).toBe(`${newest}\n`);
  });

  it('exits 8 or 9 if the new one does not work, and neither is deleted', async () => {
    for (const [fast, wait, code] of [
      [100_000, '1m', 8],
      [20, '30ms', 9],
    ] as const) {
      await using receiver = await startReceiver([500]);
      await using service = await subscribed([], { fast });
      service.subscribe(receiver.url);
      const run = await service.run(['rotate', 'ep_1', '--store', '--yes', '--wait', wait]);
      expect([run.code, run.stdout]).toEqual([code, '']);
      expect(run.stderr).toMatch(/^svc: ep_\w+ was created \(secret stored, .*\), and ep_1 was not deleted: /m);
      expect(service.account.subscriptions.size).toBe(2);
    }
  });

  describe('the deletion of the old one', () => {
    const EVENTS = ['webhook.ping'];
    const rows = ['ep_1', 'ep_9'].map((id) => ({ id, url: RECEIVER, events: EVENTS, status: 1 }));
    const created = { endpoint_id: 'ep_9', secret: 'whsec_new', events: EVENTS, status: 1, url: RECEIVER };
    /** A service whose list has an unreadable row, and that answers the deletion by `remove`. */
    const startRotating = (remove: (socket: Socket) => void) => {
      let shown = rows.slice(0, 1);
      const reply = (method: string, path: string): object => {
        const log = { id: 'del_1', event_id: 'evt_1', event_type: 'webhook.ping', status: 1, attempts: 1 };
        if (path.includes('/deliveries')) return { items: [{ ...log, created_at: TIME }] };
        if (path.endsWith('/test')) return { queued: true, event_id: 'evt_1' };
        if (method === 'GET') return { items: [...shown, 7] };
        shown = rows;
        return created;
      };
      return faultServer((socket, { method, path }) => {
        if (method === 'DELETE') remove(socket);
        else socket.write(answer(200, JSON.stringify(reply(method, path))));
      });
    };
    const TIME = '2026-11-20T12:00:00.000Z';
    const rotate = (url: string, options: RunOptions = {}) => {
      const env = { SVC_WEBHOOKS_TOKEN: 'pat', SVC_WEBHOOKS_URL: url };
      return svc(['webhooks', 'rotate', 'ep_1', '--store', '--yes', '-o', 'json'], { ...options, env });
    };

    it('takes its secret with it, whatever else the list has', async () => {
      await using server = await startRotating((socket) => socket.write(answer(200, '{"ok": true}')));
      const home = temporaryHome();
      const env = { SVC_WEBHOOKS_URL: server.url, SVC_WEBHOOKS_TOKEN: 'pat' };
      const imported = { home, env: { ...env, KEY: 'whsec_old' } };
      expect(await svc(['webhooks', 'secrets', 'import', 'ep_1', '--secret-env', 'KEY'], imported)).toMatchObject({
        code: 0,
      });
      const run = await rotate(server.url, { home });
      expect([run.code, JSON.parse(run.stdout || '{}')]).toMatchObject([10, { replaced_secret_deleted: true }]);
      expect((await svc(['webhooks', 'secrets', 'list', '-q'], { home, env })).stdout).toBe('ep_9\n');
    });

    it('names both if it is interrupted', async () => {
      const stop = new AbortController();
      await using server = await startRotating(() => stop.abort(new SvcError('interrupted', 'interrupted')));
      const run = await rotate(server.url, { signal: stop.signal });
      expect(run).toMatchObject({ code: 130, stdout: '' });
      expect(failure(run)).toMatchObject({
        message: expect.stringMatching(
          /^ep_9 was created \(secret stored, .*\) and works, but ep_1 could not be deleted/,
        ),
        hint: 'svc webhooks delete ep_1',
      });
    });
  });

  it('needs a free place in the quota', async () => {
    await using service = await subscribed();
    for (let count = 0; count < 5; count++) service.subscribe();
    expect((await service.run(['rotate', 'ep_1', '--store', '--yes'])).code).toBe(6);
    expect(service.account.subscriptions.size).toBe(5);
  });
});

it('svc webhooks test --wait exits 8 if the log cannot be read, with the command to check', async () => {
  const list = { items: [{ id: 'ep_1', url: RECEIVER, events: ['webhook.ping'], status: 1 }] };
  await using server = await faultServer((socket, { method, path }) => {
    if (path.includes('/deliveries')) socket.write(answer(403, '{}'));
    else socket.write(answer(200, JSON.stringify(method === 'GET' ? list : { queued: true, event_id: 'evt_1' })));
  });
  const argv = ['webhooks', 'test', 'ep_1', '--wait', '1s', '-o', 'json', '--base-url', server.url];
  const run = await svc(argv, { env: { SVC_WEBHOOKS_TOKEN: 'pat' } });
  expect([run.code, failure(run)]).toEqual([
    8,
    expect.objectContaining({
      message: expect.stringContaining('evt_1 is queued, but waiting for it failed'),
      hint: 'see: svc webhooks deliveries ep_1',
    }),
  ]);
});
