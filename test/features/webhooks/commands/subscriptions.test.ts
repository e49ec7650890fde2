/** Subscriptions that are there: seen, changed without losing events, brought back, deleted. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, faultServer } from '../../../support/servers.ts';
import { failure, svc } from '../../../support/svc.ts';
import { endpointsIn, homeWithSecrets, RECEIVER, type Subscribed, subscribed } from './subscribed.ts';

const stored = (service: Subscribed, id: string) => service.account.subscriptions.get(id);

it('events that svc cannot read are neither cleared nor called none', async () => {
  for (const events of [null, undefined, 'summary.completed', ['summary.completed', null]]) {
    await using service = await subscribed();
    const id = service.subscribe();
    Object.assign(stored(service, id) ?? {}, { events });
    const before = structuredClone(stored(service, id));
    for (const change of [['--url', 'https://192.0.2.9/'], ['--add-event', 'webhook.ping'], ['--clear-events']]) {
      const { code, stdout } = await service.run(['update', id, ...change]);
      expect({ isRefused: [2, 3].includes(code), stdout }, `${change}: ${code}`).toEqual({
        isRefused: true,
        stdout: '',
      });
    }
    expect(stored(service, id)).toEqual(before);
    for (const argv of [['list'], ['doctor', id], ['test', id]]) {
      const { stdout, stderr } = await service.run(argv);
      expect(stdout + stderr).not.toMatch(/none: nothing|--set-event|does not list/);
    }
  }
});

describe('svc webhooks list and get', () => {
  it('show status and failures, the quota and the whole object', async () => {
    await using service = await subscribed();
    service.subscribe();
    service.subscribe('https://192.0.2.8/', [], 2);
    Object.assign(stored(service, 'ep_1') ?? {}, { status: 3, region: 'eu' });
    const run = await service.run(['list']);
    expect(run.stdout).toMatch(/^ep_1 +unknown\(3\) +3\/20 /m);
    expect(run.stdout).toMatch(/^ep_2 +disabled +20\/20 +https\S+ +none: nothing is delivered /m);
    expect(run.stderr).toBe('2/5 used (1 disabled, 1 unknown(3))\n');
    const json = JSON.parse((await service.run(['list', '-o', 'json'])).stdout);
    expect(json[0]).toMatchObject({ status: 3, status_text: 'unknown(3)', region: 'eu' });
    expect((await service.run(['list', '--status', 'disabled', '-q'])).stdout).toBe('ep_2\n');
  });

  it('accept a prefix of an id, and refuse an impossible id', async () => {
    await using service = await subscribed();
    service.subscribe();
    expect((await service.run(['get', 'ep'])).stdout).toContain(
      '3 more failing events can disable it (6 attempts each)',
    );
    service.subscribe('https://192.0.2.8/');
    expect(await service.run(['get', 'ep_'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('2 subscriptions begin with ep_: ep_1, ep_2'),
    });
    expect(await service.run(['get', 'ep_x'])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('ep_x not found (2 subscriptions on this account)'),
    });
    for (const id of ['', '..']) {
      for (const verb of ['get', 'delete --yes', 'test', 'deliveries', 'update --clear-events --yes'])
        expect((await service.run([...verb.split(' '), id])).code, `${verb} ${id}`).toBe(2);
    }
    expect(service.account.subscriptions.size).toBe(2);
  });
});

it('svc webhooks escapes hostile text in every string of the service', async () => {
  await using service = await subscribed(['hostile-text']);
  service.subscribe();
  const options = { terminal: 120, env: { NO_COLOR: '1' } };
  for (const [command, ...formats] of [
    ['list', 'table', 'json', 'csv'],
    ['get ep_1', 'table'],
    ['update ep_1 --url https://192.0.2.9/', 'table'],
    ['deliveries ep_1', 'table'],
    ['test ep_1 --wait 100ms', 'json'],
    ['samples', 'table'],
    ['delete ep_1 --yes', 'csv'],
  ] as const) {
    for (const format of formats) {
      const { code, stdout, stderr } = await service.run([...command.split(' '), '-o', format, '--no-input'], options);
      if (!/^(?:test|update)/.test(command)) expect(code, command).toBe(0);
      expect(stdout + stderr, command).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/);
      expect(stdout).not.toMatch(/^3 fake row/m);
    }
  }
});

describe('svc webhooks update', () => {
  it('keeps the events when the address changes', async () => {
    await using service = await subscribed();
    service.subscribe();
    const run = await service.run(['update', 'ep_1', '--url', 'https://192.0.2.9/']);
    expect(run).toMatchObject({
      code: 0,
      stdout: `updated ep_1  url ${RECEIVER} → https://192.0.2.9/  events unchanged: summary.completed, webhook.ping\n`,
    });
    expect(stored(service, 'ep_1')).toMatchObject({
      url: 'https://192.0.2.9/',
      events: ['summary.completed', 'webhook.ping'],
    });
  });

  it('adds, removes, sets and clears events', async () => {
    await using service = await subscribed();
    service.subscribe(RECEIVER, ['summary.completed']);
    for (const [args, events] of [
      ['--add-event webhook.ping', ['summary.completed', 'webhook.ping']],
      ['--set-event summary.completed', ['summary.completed']],
      ['--remove-event summary.completed --add-event webhook.ping', ['webhook.ping']],
      ['--remove-event webhook.ping --yes', []],
      ['--add-event webhook.ping', ['webhook.ping']],
      ['--clear-events --yes', []],
    ] as const) {
      expect((await service.run(['update', 'ep_1', ...args.split(' ')])).code, args).toBe(0);
      expect(stored(service, 'ep_1'), args).toMatchObject({ url: RECEIVER, events });
    }
  });

  it('says that a disabled subscription stays disabled until its url changes', async () => {
    await using service = await subscribed();
    service.subscribe(RECEIVER, ['summary.completed'], 2);
    expect((await service.run(['get', 'ep_1'])).stdout).toContain('disabled; only a new url enables it: ');
    for (const event of ['webhook.ping', 'summary.completed']) {
      expect(await service.run(['update', 'ep_1', '--add-event', event])).toMatchObject({
        code: 0,
        stderr: 'warning: ep_1 stays disabled until its url changes: svc webhooks update ep_1 --url <url>\n',
      });
    }
  });

  it('refuses wrong changes, and sends nothing', async () => {
    await using service = await subscribed();
    service.subscribe(RECEIVER, ['summary.completed']);
    const before = { ...stored(service, 'ep_1') };
    for (const [args, message] of [
      [[], 'nothing to change'],
      [['--set-event', ''], 'use --clear-events to stop all deliveries'],
      [['--url', ''], '--url is empty'],
      [['--url', 'http://a.example'], 'https:// addresses only'],
      [['--clear-events'], '--yes'],
      [['--remove-event', 'summary.completed'], '--yes'],
      [['--clear-events', '--add-event', 'a'], 'replace all event types'],
      [['--add-event', 'a', '--remove-event', 'a'], 'a is both added and removed'],
    ] as const) {
      const run = await service.run(['update', 'ep_1', ...args]);
      expect(run, args.join(' ')).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
    }
    expect(stored(service, 'ep_1')).toEqual(before);
  });

  it('sends nothing without a change', async () => {
    await using service = await subscribed();
    service.subscribe();
    const run = await service.run(['update', 'ep_1', '--add-event', 'webhook.ping', '--url', RECEIVER]);
    expect([run.code, run.stdout]).toEqual([0, 'unchanged ep_1  already up to date, nothing was sent\n']);
    expect(stored(service, 'ep_1')?.updated_at).toBe('2026-11-20T12:00:00.000Z');
  });

  it('exits 8 if the service cleared the events, or someone else changed them at the same time', async () => {
    const hint = 'svc webhooks update ep_1 --set-event summary.completed';
    const both = '[summary.completed, webhook.ping], expected [summary.completed]';
    for (const [trap, expected] of [
      ['update-clears-events', { message: 'events are [] after the update, expected [summary.completed]', hint }],
      ['other-editor', { message: `events changed by someone else between read and write: they are ${both}` }],
    ] as const) {
      await using service = await subscribed([trap]);
      service.subscribe(RECEIVER, ['summary.completed']);
      const run = await service.run(['update', 'ep_1', '--url', 'https://192.0.2.9/', '-o', 'json']);
      expect([run.code, run.stdout]).toEqual([8, '']);
      expect(failure(run)).toMatchObject(expected);
    }
  });

  it('sends nothing if someone else changed the subscription during the prompt', async () => {
    await using service = await subscribed();
    service.subscribe(RECEIVER, ['summary.completed']);
    const one = stored(service, 'ep_1');
    const run = await service.run(['update', 'ep_1', '--clear-events'], {
      terminal: 80,
      // The answer is read when svc prompts.
      get answer() {
        if (one !== undefined) one.events = ['webhook.ping'];
        return true;
      },
    });
    expect(run).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('was changed by someone else in the meantime; nothing was sent'),
    });
    expect(one?.events).toEqual(['webhook.ping']);
  });

  it('succeeds after a lost response if the list shows the change', async () => {
    await using service = await subscribed(['lost-update']);
    service.subscribe();
    const run = await service.run(['update', 'ep_1', '--url', 'https://192.0.2.9/']);
    expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining('the list shows that it was') });
  });
});

describe('svc webhooks update of a disabled subscription', () => {
  it('enables it by another url only', async () => {
    await using service = await subscribed();
    service.subscribe(RECEIVER, ['summary.completed'], 2);
    const before = { ...stored(service, 'ep_1') };
    for (const more of [[], ['--add-event', 'webhook.ping']]) {
      expect(await service.run(['update', 'ep_1', '--url', RECEIVER, ...more])).toMatchObject({
        code: 3,
        stdout: '',
        stderr:
          'svc: ep_1 is disabled, and has this url already: only another url enables it\nhint: append ?v=2, for example\n',
      });
    }
    expect(stored(service, 'ep_1')).toEqual(before);
    const run = await service.run(['update', 'ep_1', '--url', `${RECEIVER}?v=2`]);
    expect(run.stdout).toMatch(/^updated ep_1 .* events unchanged: summary.completed {2}now active\n$/);
    expect(stored(service, 'ep_1')).toMatchObject({
      status: 1,
      consecutive_failures: 0,
      events: ['summary.completed'],
    });
  });

  it('exits 8 if it stays disabled', async () => {
    const one = { id: 'ep_1', url: RECEIVER, events: ['webhook.ping'], status: 2 };
    await using server = await faultServer((socket, { method }) => {
      if (method === 'PATCH') one.url = `${RECEIVER}?v=2`;
      socket.write(answer(200, JSON.stringify(method === 'PATCH' ? { item: one } : { items: [one] })));
    });
    const run = await svc(['webhooks', 'update', 'ep_1', '--url', `${RECEIVER}?v=2`, '--base-url', server.url], {
      env: { SVC_WEBHOOKS_TOKEN: 'pat' },
    });
    expect(run).toMatchObject({
      code: 8,
      stderr: expect.stringContaining('ep_1 has the new url but is still disabled'),
    });
  });
});

describe('svc webhooks delete', () => {
  it('deletes several, with a common exit status', async () => {
    await using service = await subscribed();
    for (const status of [1, 2, 2] as const) service.subscribe(RECEIVER, [], status);
    const some = await service.run(['delete', 'ep_1', 'ep_9', '--yes', '-o', 'json']);
    expect([some.code, JSON.parse(some.stdout)]).toMatchObject([
      10,
      [{ result: 'deleted' }, { id: 'ep_9', result: 'not-found' }],
    ]);
    expect((await service.run(['delete', 'ep_9', '--yes'])).code).toBe(5);
    expect((await service.run(['delete', 'ep_9', '--yes', '--ignore-missing'])).code).toBe(0);
    expect((await service.run(['delete', '--disabled', '--yes', '-q'])).stdout).toBe('ep_2\nep_3\n');
    expect(service.account.subscriptions.size).toBe(0);
  });

  it('fails in a dry run as it would fail', async () => {
    await using service = await subscribed();
    service.subscribe();
    const run = await service.run(['delete', 'ep_1', 'nope', '--dry-run']);
    expect([run.code, run.stdout]).toEqual([10, expect.stringMatching(/DELETE .*ep_1/)]);
    expect(run.stderr).toContain('nope');
    expect(service.account.subscriptions.size).toBe(1);
  });

  describe('the stored secret', () => {
    /** A home with the secrets of these endpoints of the service, and one of another service with the same id. */
    const storing = (url: string, ...ids: readonly string[]): string =>
      homeWithSecrets(...ids.map((id) => [url, id] as const), ['https://other.example', 'ep_1']);

    it('goes with the subscription, which the row says', async () => {
      await using service = await subscribed();
      for (const status of [1, 1, 2] as const) service.subscribe(RECEIVER, [], status);
      const home = storing(service.url, 'ep_1', 'ep_3');
      const run = await service.run(['delete', 'ep_1', 'ep_2', '--yes'], { home });
      expect(run).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^ep_1 +deleted +.*stored secret deleted$/m),
      });
      expect(run.stdout).not.toMatch(/^ep_2 .*secret/m);
      expect(endpointsIn(home)).toEqual(['ep_3', 'ep_1']);
      const disabled = await service.run(['delete', '--disabled', '--yes', '-o', 'json'], { home });
      expect(JSON.parse(disabled.stdout)).toMatchObject([{ id: 'ep_3', secret_deleted: true }]);
      expect(endpointsIn(home)).toEqual(['ep_1']);
    });

    it('stays if the list has a row that cannot be read', async () => {
      const peer = await faultServer((socket) => socket.write(answer(200, '{"items":[{"url":"https://192.0.2.7/"}]}')));
      const env = { SVC_WEBHOOKS_URL: peer.url, SVC_WEBHOOKS_TOKEN: 'pat_1' };
      const home = storing(peer.url, 'ep_9');
      const run = (...argv: string[]) => svc(['webhooks', ...argv], { env, home });
      await run('delete', 'ep_9', '--ignore-missing', '--yes');
      expect(endpointsIn(home)).toEqual(['ep_9', 'ep_1']);
      expect((await run('doctor')).stdout).not.toContain('orphan-secret');
      expect((await run('list')).stderr).not.toContain('there are no subscriptions');
      await peer.close();
    });

    it('goes if the list shows that the subscription is gone', async () => {
      await using service = await subscribed(['lost-delete']);
      service.subscribe();
      const home = storing(service.url, 'ep_1');
      const run = await service.run(['delete', 'ep_1', '--yes', '-o', 'json'], { home });
      expect(JSON.parse(run.stdout)).toMatchObject([{ result: 'already-gone', secret_deleted: true }]);
      expect(endpointsIn(home)).toEqual(['ep_1']);
    });

    it('stays if the service refuses, or nothing says that the subscription is gone', async () => {
      await using service = await subscribed(['delete-not-ok']);
      service.subscribe();
      const home = storing(service.url, 'ep_1', 'ep_9');
      expect(await service.run(['delete', 'ep_1', '--yes'], { home })).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('server answered ok:false'),
      });
      expect((await service.run(['delete', 'ep_9', '--yes'], { home })).code).toBe(5);
      expect((await service.run(['delete', 'ep_9', '--ignore-missing', '--yes'], { home })).code).toBe(0);
      expect((await service.run(['delete', 'ep_1', 'ep_9', '--ignore-missing', '--dry-run'], { home })).code).toBe(0);
      expect(endpointsIn(home)).toEqual(['ep_1', 'ep_9', 'ep_1']);
    });

    it('in a file that cannot be read does not fail a deletion', async () => {
      await using service = await subscribed();
      service.subscribe();
      const home = storing(service.url, 'ep_1');
      writeFileSync(join(home, 'config/webhook-secrets.json'), '{', { mode: 0o600 });
      expect(await service.run(['delete', 'ep_1', '--yes'], { home })).toMatchObject({ code: 0, stderr: '' });
    });
  });
});
