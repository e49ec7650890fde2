/** A command that creates something prints the line that undoes it. The line works as it is printed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { shellCommands } from '../registry/shell-commands.ts';
import { answer, faultServer } from '../support/servers.ts';
import { type RunOptions, svc, temporaryHome } from '../support/svc.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ now: Date.now, random: Math.random });
});
afterAll(() => sandbox.close());

const home = temporaryHome();
const run = (argv: readonly string[], more: RunOptions = {}) =>
  svc(argv, { home, env: sandbox.env, sleeps: true, ...more });
const argumentsOf = (line: string | undefined): readonly string[] => shellCommands(line ?? '')[0]?.slice(1) ?? [];

interface Undoable {
  readonly does: readonly string[];
  readonly undo: RegExp;
  /** Prints what the command adds, and no longer has after the undo. */
  readonly list: readonly string[];
}

const CASES: readonly Undoable[] = [
  {
    does: ['silences', 'create', 'team=undo', '-c', 'why'],
    undo: /^svc silences expire [0-9a-f-]{36}$/,
    list: ['silences', 'list', 'team=undo', '-q'],
  },
  {
    does: ['webhooks', 'create', 'https://192.0.2.7/undo', '--event', 'summary.completed', '--show-secret'],
    undo: /^svc webhooks delete ep_\w+$/,
    list: ['webhooks', 'list', '-o', 'json', '--query', "[?url=='https://192.0.2.7/undo'].id"],
  },
];

describe.each(CASES)('svc $does', ({ does, undo, list }) => {
  it('prints the line that undoes it', async () => {
    const before = await run(list);
    const done = await run(does);
    expect(done.code, done.stderr).toBe(0);
    expect(done.undo).toMatch(undo);
    const between = await run(list);
    expect(between.stdout).not.toBe(before.stdout);
    const undone = await run([...argumentsOf(done.undo), '--yes']);
    expect(undone.code, undone.stderr).toBe(0);
    expect((await run(list)).stdout).toBe(before.stdout);
  });
});

it('does not offer to expire a silence that was there before', async () => {
  const made = await run(['silences', 'create', 'team=before', '-c', 'why', '--ensure']);
  const [id = ''] = /[0-9a-f-]{36}/.exec(made.undo ?? '') ?? [];
  for (const line of [
    ['extend', id, '--for', '3h'],
    ['create', 'team=before', '-c', 'why', '--for', '5h', '--ensure'],
    ['update', id, '--matcher', 'team=after'],
  ]) {
    const changed = await run(['silences', ...line]);
    expect([changed.code, changed.undo], changed.stderr).toEqual([0, undefined]);
  }
});

it('prints it with the options that name the server, and not with -q or in a dry run', async () => {
  const [silence] = CASES.map(({ does }) => does);
  const url = sandbox.env['SVC_ALERTS_URL'] ?? '';
  const elsewhere = await run([...(silence ?? []), '--base-url', url], { env: {} });
  expect(elsewhere.undo).toMatch(/^svc silences expire [0-9a-f-]{36} --base-url http:/);
  expect(await run([...argumentsOf(elsewhere.undo), '--yes'], { env: {} })).toMatchObject({ code: 0 });
  expect((await run([...(silence ?? []), '--dry-run'])).undo).toBeUndefined();
  const quiet = await run([...(silence ?? []), '-q']);
  expect(quiet.undo).toBeUndefined();
  expect(await run([...(silence ?? []), '--for', '30m', '--ensure'])).toMatchObject({ code: 0, undo: undefined });
});

describe.each(['--all', ''])('an id %j of a service', (id) => {
  const json = (value: unknown): string => answer(200, JSON.stringify(value));

  it('is no id of a new silence: the outcome is unknown, and no line names it', async () => {
    await using server = await faultServer((socket, { method }) => {
      socket.write(method === 'POST' ? json({ silenceID: id }) : json([]));
    });
    const env = { SVC_ALERTS_URL: server.url };
    const { code, stdout, stderr, undo } = await run(['silences', 'create', 'team=undo', '-c', 'why'], { env });
    expect([code, stdout, undo]).toEqual([8, '', undefined]);
    expect(stderr).toContain('silenceID: expected an id');
  });

  it('is no id of a subscription: it is left out of the list, and a new one is found by its address', async () => {
    const url = 'https://192.0.2.7/undo';
    const other = { url: 'https://192.0.2.7/other', events: [], status: 1 };
    const items: object[] = [
      { ...other, id },
      { ...other, id: 'ep_1' },
    ];
    await using server = await faultServer((socket, { method }) => {
      if (method !== 'POST') return socket.write(json({ items }));
      items.push({ id: 'ep_9', url, events: ['webhook.ping'], status: 1 });
      return socket.write(
        json({ endpoint_id: id, secret: 'whsec_c2VjcmV0LXNlY3JldA==', url, events: ['webhook.ping'] }),
      );
    });
    const env = { SVC_WEBHOOKS_URL: server.url, SVC_WEBHOOKS_TOKEN: 'token-123' };
    const list = await run(['webhooks', 'list', '-q'], { env });
    expect([list.code, list.stdout]).toEqual([10, 'ep_1\n']);

    const created = await run(['webhooks', 'create', url, '--event', 'webhook.ping', '--show-secret'], { env });
    expect(created).toMatchObject({ code: 8, undo: 'svc webhooks delete ep_9' });
    expect(created.stderr).toContain('created, but the response has no endpoint_id');
  });
});
