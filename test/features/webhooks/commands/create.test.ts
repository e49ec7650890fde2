/** The secret is returned once, the create has no idempotency key, and a quota looks like a rate limit. */
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { answer, faultServer } from '../../../support/servers.ts';
import { failure, svc, temporaryHome } from '../../../support/svc.ts';
import { RECEIVER, type Subscribed, subscribed } from './subscribed.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-create-'));
afterAll(() => rmSync(folder, { recursive: true }));

const EVENTS = ['--event', 'summary.completed'];
const created = (service: Subscribed) => [...service.account.subscriptions.values()];
const onlySecret = (service: Subscribed): string => created(service).at(-1)?.secret ?? '';

describe('the secret of svc webhooks create', () => {
  it('is written to a new file of mode 600, and shown nowhere', async () => {
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

  it('is written to an open file descriptor', async () => {
    await using service = await subscribed();
    const file = join(folder, 'fd');
    const fd = openSync(file, 'w');
    const run = await service.run(['create', RECEIVER, ...EVENTS, '--secret-file', `/dev/fd/${fd}`], { here: true });
    expect(run.code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(`${onlySecret(service)}\n`);
  });

  it('is printed only on request', async () => {
    await using service = await subscribed();
    const run = await service.run(['create', RECEIVER, ...EVENTS, '--show-secret', '-o', 'json']);
    expect(JSON.parse(run.stdout)).toMatchObject({ secret: onlySecret(service) });
  });

  it('is stored at a terminal or with --store, and needs a destination in a script', async () => {
    await using service = await subscribed();
    const home = temporaryHome();
    const pipe = await service.run(['create', RECEIVER, ...EVENTS]);
    expect([pipe.code, pipe.stderr]).toEqual([
      2,
      expect.stringContaining('the service shows the secret only once: choose where to store it'),
    ]);
    expect(created(service)).toEqual([]);
    for (const [args, terminal] of [
      [[], 80],
      [['--store', '--allow-duplicate'], undefined],
    ] as const) {
      const options = { home, env: { NO_COLOR: '1' }, ...(terminal === undefined ? {} : { terminal }) };
      const { stdout } = await service.run(['create', RECEIVER, ...EVENTS, ...args], options);
      expect(stdout).toMatch(/SECRET +stored \(sha256 fp [0-9a-f]{8}\)\n/);
      const id = created(service).at(-1)?.id ?? '';
      expect((await service.run(['secrets', 'export', id], { home })).stdout).toBe(`${onlySecret(service)}\n`);
      expect((await service.run(['get', id], { home })).stdout).toContain('stored (sha256 fp');
    }
  });

  it('needs a destination before anything is sent', async () => {
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

  it('leaves no file behind if nothing was created', async () => {
    await using service = await subscribed(['failed-create']);
    const file = join(folder, 'nothing');
    expect((await service.run(['create', RECEIVER, ...EVENTS, '--secret-file', file])).code).toBe(7);
    expect((await service.run(['create', RECEIVER, ...EVENTS, '--secret-file', file, '--dry-run'])).code).toBe(0);
    expect(existsSync(file)).toBe(false);
  });
});

describe('svc webhooks create', () => {
  it('refuses an address that is already subscribed', async () => {
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

  it('checks the quota, and names subscriptions to delete', async () => {
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

  it('requires https and types, and warns about an unreachable address', async () => {
    await using service = await subscribed();
    for (const [argv, message] of [
      [['http://example.com/', ...EVENTS], 'the service delivers to https:// addresses only'],
      [['example.com', ...EVENTS], 'not a URL'],
      [['', ...EVENTS], '<url> is empty'],
      [[' ', ...EVENTS], '<url> is empty'],
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
});

describe('svc webhooks create, with a missing or wrong response,', () => {
  const create = (service: Subscribed) => service.run(['create', RECEIVER, ...EVENTS, '--show-secret', '-o', 'json']);

  it.each(['lost-create', 'created-but-503'] as const)('exits 8 with the id of the orphan (%s)', async (trap) => {
    await using service = await subscribed([trap]);
    const run = await create(service);
    const [orphan] = created(service);
    expect(created(service)).toHaveLength(1);
    expect([run.code, run.stdout]).toEqual([8, '']);
    expect(failure(run)).toMatchObject({
      code: 'not_as_asked',
      message: `${orphan?.id} was created, but its secret was lost in transit and cannot be fetched`,
      hint: `svc webhooks delete ${orphan?.id}, then create it again`,
    });
  });

  it('exits 6 after a 429, without a retry', async () => {
    await using service = await subscribed(['rate-429']);
    service.subscribe('https://192.0.2.8/');
    const run = await create(service);
    expect([run.code, failure(run).message]).toEqual([6, 'too_many_requests: too many requests']);
  });

  const made = (id: string, url = RECEIVER) => ({ id, url, events: ['summary.completed'], status: 1 });
  const GOOD = { endpoint_id: 'ep_1', secret: 'whsec_1', url: RECEIVER, events: ['summary.completed'], status: 1 };

  /** Creates at a service that responds so, or not at all, and whose list has these subscriptions afterwards. */
  async function createAt(response: object | undefined, after: readonly object[], onPost = (_home: string) => {}) {
    const home = temporaryHome();
    await using server = await faultServer((socket, { method }) => {
      const isCreated = server.requests.some((request) => request.method === 'POST');
      if (method === 'GET') socket.write(answer(200, JSON.stringify({ items: isCreated ? after : [] })));
      else {
        onPost(home);
        if (response === undefined) socket.destroy();
        else socket.write(answer(200, JSON.stringify(response)));
      }
    });
    const env = { SVC_WEBHOOKS_URL: server.url, SVC_WEBHOOKS_TOKEN: 'pat' };
    const options = { home, env };
    const run = await svc(['webhooks', 'create', RECEIVER, ...EVENTS, '--store', '-o', 'json'], options);
    expect(run.stdout + run.stderr).not.toContain('whsec_1');
    const stored = JSON.parse((await svc(['webhooks', 'secrets', 'list', '-o', 'json'], options)).stdout || '[]');
    return { run, stored: stored.map((one: { endpoint_id: string }) => one.endpoint_id) };
  }

  it('stores the secret, and exits 8 if events or id are not as requested', async () => {
    const odd = JSON.parse('{"toString":1}') as object;
    for (const [response, after, id, message] of [
      [{ ...GOOD, events: [odd] }, [made('ep_1')], 'ep_1', 'expected [summary.completed]'],
      [{ ...GOOD, events: [] }, [], 'ep_1', 'events are [], expected [summary.completed]'],
      [{ ...GOOD, endpoint_id: undefined }, [made('ep_9')], 'ep_9', ''],
      [{ ...GOOD, endpoint_id: '' }, [made('ep_9')], 'ep_9', ''],
    ] as const) {
      const { run, stored } = await createAt(response, after);
      expect([run.code, stored], JSON.stringify(response)).toEqual([8, [id]]);
      expect(run.stderr).toContain(message);
    }
  });

  it('exits 8 without a secret, and stores nothing', async () => {
    for (const secret of [undefined, '', 5]) {
      const { run, stored } = await createAt({ ...GOOD, secret }, [made('ep_1')]);
      expect([run.code, stored, failure(run).message]).toEqual([
        8,
        [],
        'ep_1 was created, but the response has no secret, and the secret cannot be fetched',
      ]);
    }
  });

  it('exits 8 if the secret cannot be stored, with what to do', async () => {
    const { run } = await createAt(GOOD, [made('ep_1')], (home) => {
      rmSync(join(home, 'config'), { recursive: true, force: true });
      writeFileSync(join(home, 'config'), '');
    });
    expect(run.code).toBe(8);
    expect(failure(run)).toMatchObject({
      message: expect.stringContaining('ep_1 was created, but its secret could not be stored: '),
      hint: 'svc webhooks delete ep_1, then create it again',
    });
  });

  it('names all new subscriptions of the address, however it is written', async () => {
    const several = await createAt(undefined, [made('ep_1'), made('ep_2')]);
    expect([several.run.code, failure(several.run).message]).toEqual([
      8,
      expect.stringContaining('several new subscriptions have this url: ep_1, ep_2'),
    ]);
    const one = await createAt(undefined, [made('ep_1', RECEIVER.replace('https', 'HTTPS'))]);
    expect([one.run.code, failure(one.run).message]).toEqual([
      8,
      expect.stringContaining('ep_1 was created, but its secret was lost'),
    ]);
  });
});
