/** The secret is returned once, the create has no idempotency key, and a quota looks like a rate limit. */
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { failure, temporaryHome } from '../../../support/svc.ts';
import { RECEIVER, type Subscribed, subscribed } from './subscribed.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-create-'));
afterAll(() => rmSync(folder, { recursive: true }));

const EVENTS = ['--event', 'summary.completed'];
const created = (service: Subscribed) => [...service.account.subscriptions.values()];
const onlySecret = (service: Subscribed): string => created(service).at(-1)?.secret ?? '';

describe('the secret', () => {
  test('is written only to a new file', async () => {
    await using service = await subscribed();
    const file = join(folder, 'key');
    const run = await service.run(['create', RECEIVER, ...EVENTS, '--secret-file', file, '--debug', '-o', 'json']);
    expect(run.code).toBe(0);
    const secret = onlySecret(service);
    expect(readFileSync(file, 'utf8')).toBe(`${secret}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(run.stdout + run.stderr).not.toContain(secret);
    expect(JSON.parse(run.stdout)).toMatchObject({
      endpoint_id: created(service)[0]?.id,
      id: created(service)[0]?.id,
      status_text: 'active',
      secret_stored: `in ${file}`,
      secret_fingerprint: expect.stringMatching(/^[0-9a-f]{8}$/),
    });
    expect(JSON.parse(run.stdout)).not.toHaveProperty('secret');
  });

  test('is stored for --endpoint, with which a delivery verifies', async () => {
    await using service = await subscribed();
    const home = temporaryHome();
    const run = await service.run(['create', RECEIVER, ...EVENTS, '--store'], { home });
    expect([run.code, run.stdout]).toEqual([0, expect.stringMatching(/SECRET +stored \(sha256 fp [0-9a-f]{8}\)\n/)]);
    const id = created(service)[0]?.id ?? '';
    const exported = await service.run(['secrets', 'export', id], { home });
    expect(exported.stdout.trim()).toBe(onlySecret(service));
    expect((await service.run(['get', id], { home })).stdout).toContain('stored (sha256 fp');
  });

  test('is written to a descriptor', async () => {
    await using service = await subscribed();
    const file = join(folder, 'fd');
    const fd = openSync(file, 'w');
    const run = await service.run(['create', RECEIVER, ...EVENTS, '--secret-file', `/dev/fd/${fd}`], { here: true });
    expect(run.code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(`${onlySecret(service)}\n`);
  });

  test('is printed only on request', async () => {
    await using service = await subscribed();
    const run = await service.run(['create', RECEIVER, ...EVENTS, '--show-secret', '-o', 'json']);
    expect(JSON.parse(run.stdout)).toMatchObject({ secret: onlySecret(service) });
  });

  test('is stored at a terminal, and needs a destination elsewhere', async () => {
    await using service = await subscribed();
    const home = temporaryHome();
    const pipe = await service.run(['create', RECEIVER, ...EVENTS]);
    expect([pipe.code, pipe.stderr]).toEqual([
      2,
      expect.stringContaining('the service shows the secret only once: choose where to store it'),
    ]);
    expect(created(service)).toEqual([]);
    expect((await service.run(['create', RECEIVER, ...EVENTS], { home, terminal: 80 })).stdout).toContain('stored');
    expect((await service.run(['secrets', 'list', '-q'], { home })).stdout).toBe(`${created(service)[0]?.id}\n`);
  });

  test('needs a destination before anything is sent', async () => {
    await using service = await subscribed();
    const taken = join(folder, 'taken');
    writeFileSync(taken, 'mine');
    const readOnly = openSync(taken, 'r');
    const home = temporaryHome();
    for (const args of [
      ['--secret-file', taken],
      ['--secret-file', join(folder, 'no/such/folder')],
      ['--secret-file', `/dev/fd/${readOnly}`],
      ['--secret-file', '/dev/fd/987'],
      ...(existsSync('/dev/full') ? [['--secret-file', `/dev/fd/${openSync('/dev/full', 'w')}`]] : []),
      ['--store', '--show-secret'],
    ]) {
      const run = await service.run(['create', RECEIVER, ...EVENTS, ...args], { home });
      expect([args, run.code, run.stdout]).toEqual([args, 2, '']);
    }
    expect(readFileSync(taken, 'utf8')).toBe('mine');
    expect(created(service)).toEqual([]);
  });

  test('leaves no file behind if nothing was created', async () => {
    await using service = await subscribed(['failed-create']);
    const file = join(folder, 'nothing');
    expect((await service.run(['create', RECEIVER, ...EVENTS, '--secret-file', file])).code).toBe(7);
    expect((await service.run(['create', RECEIVER, ...EVENTS, '--secret-file', file, '--dry-run'])).code).toBe(0);
    expect(existsSync(file)).toBe(false);
  });
});

describe('before it is sent', () => {
  test('refuses an address that is already subscribed', async () => {
    await using service = await subscribed();
    service.subscribe();
    const run = await service.run(['create', RECEIVER, ...EVENTS, '--show-secret']);
    expect([run.code, run.stderr]).toEqual([
      3,
      expect.stringContaining('ep_1 already points at this url (events [summary.completed, webhook.ping])'),
    ]);
    expect(created(service)).toHaveLength(1);
    expect((await service.run(['create', RECEIVER, ...EVENTS, '--show-secret', '--allow-duplicate'])).code).toBe(0);
  });

  test('checks the quota, and names subscriptions to delete', async () => {
    await using service = await subscribed();
    for (const status of [1, 1, 2, 2, 2] as const) service.subscribe(`${RECEIVER}?${Math.random()}`, [], status);
    const run = await service.run(['create', RECEIVER, ...EVENTS, '--show-secret']);
    expect(run.code).toBe(6);
    expect(run.stderr).toContain('svc: quota: 5 of 5 subscriptions used, 3 of them disabled');
    expect(run.stderr).toContain('hint: svc webhooks delete ep_3');
    expect(run.stderr).toMatch(/^ep_5 {2}disabled {2}https/m);
    const { stderr } = await service.run(['create', RECEIVER, ...EVENTS, '--show-secret', '-o', 'json']);
    // A script that repeats what is retryable would never end.
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'quota_used', exit: 6, retryable: false } });
  });

  test('requires https and types, and warns about an unreachable address', async () => {
    await using service = await subscribed();
    for (const [argv, message] of [
      [['http://example.com/', ...EVENTS], 'the service delivers to https:// addresses only'],
      [['ftp://example.com/', ...EVENTS], 'the service delivers to https:// addresses only'],
      [['example.com', ...EVENTS], 'not a URL'],
      [['', ...EVENTS], '<url> is empty'],
      [[RECEIVER], 'no event types: nothing would be delivered'],
      [[RECEIVER, '--event', ''], '--event is empty'],
      [[RECEIVER, ...EVENTS, '--no-events'], '--event and --no-events cannot be combined'],
      [[RECEIVER, '--event', 'a,,b'], 'an item of "a,,b" is empty'],
    ] as const) {
      const run = await service.run(['create', ...argv, '--show-secret']);
      expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(message)]);
    }
    expect(created(service)).toEqual([]);
    const odd = await service.run(['create', 'https://10.0.0.8/', '--no-events', '--show-secret']);
    expect(odd.code).toBe(0);
    expect(odd.stderr).toContain(
      'warning: the service cannot reach 10.0.0.8: it belongs to this machine or to a private network',
    );
    expect(odd.stderr).toContain('warning: no events: nothing will be delivered');
  });

  test.each([
    [['--event', 'summary.completed', '--event', 'webhook.ping']],
    [['--events', 'summary.completed,webhook.ping']],
  ])('accepts %j', async (events) => {
    await using service = await subscribed();
    const run = await service.run(['create', RECEIVER, ...events, '--show-secret', '-o', 'json']);
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ events: ['summary.completed', 'webhook.ping'] });
  });

  test('suggests a type if the service refuses an unknown one', async () => {
    await using service = await subscribed();
    const run = await service.run(['create', RECEIVER, '--event', 'summary.complete', '--show-secret']);
    expect([run.code, run.stderr]).toEqual([
      3,
      'svc: bad_request: unknown event type: summary.complete\nhint: did you mean summary.completed?\n',
    ]);
  });
});

describe('a missing or wrong response', () => {
  const create = (service: Subscribed, ...more: string[]) =>
    service.run(['create', RECEIVER, ...EVENTS, '--show-secret', '-o', 'json', ...more]);

  test.each(['lost-create', 'created-but-503'] as const)('%s: exit 8, with the id of the orphan', async (trap) => {
    await using service = await subscribed([trap]);
    const run = await create(service);
    const [orphan, ...more] = created(service);
    expect(more).toEqual([]);
    expect([run.code, run.stdout]).toEqual([8, '']);
    expect(failure(run)).toMatchObject({
      code: 'not_as_asked',
      message: `${orphan?.id} was created, but its secret was lost in transit and cannot be fetched`,
      hint: `svc webhooks delete ${orphan?.id}, then create it again`,
    });
  });

  test('503 from the service, and the list has no new one: exit 7', async () => {
    await using service = await subscribed(['failed-create']);
    const run = await create(service);
    expect([run.code, failure(run).message]).toEqual([
      7,
      'unavailable: the storage is away; not created (list checked)',
    ]);
    expect(created(service)).toEqual([]);
  });

  test('429: exit 6, without a retry', async () => {
    await using service = await subscribed(['rate-429']);
    service.subscribe('https://192.0.2.8/');
    const run = await create(service);
    expect([run.code, failure(run).message]).toEqual([6, 'too_many_requests: too many requests']);
  });
});
