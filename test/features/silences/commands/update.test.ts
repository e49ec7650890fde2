import { describe, expect, it } from 'vitest';
import { getJson, postAlerts, postSilence, type SeedSilence, wire } from '../../../support/alertmanager.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { failure, type RunOptions, svc } from '../../../support/svc.ts';
import { lines, printed, sharedService, writes } from '../../alerts/commands/service.ts';

const HOUR = 3_600_000;
const iso = (ms: number): string => new Date(ms).toISOString();
const equal = (name: string, value: string) => ({ name, value, isRegex: false, isEqual: true });

interface Updated {
  readonly id: string;
  readonly previous_id: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly matched: { readonly alerts: number; readonly active: number } | null;
}
interface WireSilence extends Required<SeedSilence> {
  readonly status: { readonly state: string };
}

const service = sharedService();

describe('svc silences update', () => {
  const seed = (more: Partial<SeedSilence> = {}): Promise<string> =>
    postSilence(service.url(), {
      matchers: [equal('team', 'db'), equal('host', 'a')],
      createdBy: 'ann',
      comment: 'old',
      ...more,
    });
  const silence = (id: string) => getJson<WireSilence>(service.url(), `/api/v2/silence/${id}`);
  const state = async (id: string): Promise<string> => (await silence(id)).status.state;
  const update = (id: string, argv: readonly string[], options?: RunOptions) =>
    service.svc(['silences', 'update', id, ...argv], options);
  const updated = async (id: string, argv: readonly string[], options?: RunOptions): Promise<Updated> => {
    const run = await update(id, [...argv, '-o', 'json'], options);
    expect(run.stderr).not.toContain('svc:');
    expect(run.code).toBe(0);
    return printed<Updated>(run);
  };

  describe('of the comment or the author', () => {
    it.each([
      [['--comment', 'new'], { comment: 'new' }],
      [['--author', 'bob'], { createdBy: 'bob' }],
    ])('does not change the id: %j', async (argv, changed) => {
      const id = await seed();
      const before = await silence(id);
      expect(await updated(id, argv)).toMatchObject({ id: id, previous_id: id, matched: null });
      expect(await silence(id)).toMatchObject({
        createdBy: before.createdBy,
        comment: before.comment,
        ...changed,
        matchers: before.matchers,
        startsAt: before.startsAt,
        status: { state: 'active' },
      });
    });
  });

  describe('of the matchers, or of their order,', () => {
    it.each([
      [['--matcher', 'team=web'], [equal('team', 'web')]],
      [
        ['-m', 'host=a', '-m', 'team=db'],
        [equal('host', 'a'), equal('team', 'db')],
      ],
    ])('creates a new silence: %j', async (argv, matchers) => {
      const id = await seed();
      const run = await update(id, argv);
      expect(run.code).toBe(0);
      expect(run.stdout).toContain(`${id} (expired and replaced)`);
      const [made] = (await getJson<WireSilence[]>(service.url(), '/api/v2/silences')).filter((one) =>
        run.stdout.includes(`ID          ${one.id}`),
      );
      expect(made).toMatchObject({ matchers, comment: 'old', createdBy: 'ann', status: { state: 'active' } });
      expect(await state(id)).toBe('expired');
    });
  });

  it('refuses an expired silence with exit 3', async () => {
    const id = await seed();
    await wire(service.url(), `/api/v2/silence/${id}`, { method: 'DELETE' });
    const run = await update(id, ['-c', 'new', '-o', 'json']);
    expect([run.code, run.stdout, writes(run.sent)]).toEqual([3, '', []]);
    expect(failure(run)).toMatchObject({
      code: 'guarded',
      hint: `create it again: svc silences extend ${id} --for 1h`,
    });
  });

  describe('of the matchers that the server would refuse', () => {
    it.each([
      ['team=~(', 3, 'missing closing )'],
      ['"a-b"=x', 3, 'bad matcher format'],
      ['a:b=x', 2, 'has a colon'],
      ['team=', 2, 'may match an alert without any label'],
      ['team=~".*"', 2, 'may match an alert without any label'],
    ])('does not end the old silence: %s', async (matcher, code, why) => {
      const id = await seed();
      const run = await update(id, ['--matcher', matcher, '--yes', '--all-alerts']);
      expect([run.code, run.stdout, writes(run.sent)]).toEqual([code, '', []]);
      expect(run.stderr).toContain(why);
      expect(await state(id)).toBe('active');
    });

    it('is refused without --all-alerts if they could mute everything', async () => {
      const id = await seed();
      const run = await update(id, ['--matcher', 'team=~".*"', '--yes']);
      expect([run.code, writes(run.sent), await state(id)]).toEqual([2, [], 'active']);
      expect(run.stderr).toContain('--all-alerts');
    });
  });

  it('exits 5 for an unknown id, and 2 for what is no id', async () => {
    const unknown = await update('00000000-0000-4000-8000-000000000000', ['-c', 'new']);
    expect([unknown.code, writes(unknown.sent)]).toEqual([5, []]);
    const none = await update('x y', ['-c', 'new']);
    expect([none.code, none.sent]).toEqual([2, []]);
  });

  it('counts and checks new matchers as for a new silence', async () => {
    await postAlerts(
      service.url(),
      Array.from({ length: 24 }, (_, n) => ({ labels: { alertname: 'Crowd', n: `${n}` } })),
    );
    const id = await seed();
    const many = await update(id, ['--matcher', 'alertname=Crowd'], { terminal: 100, answer: false });
    expect([many.code, many.asked.length, await state(id)]).toEqual([2, 1, 'active']);
    expect(many.asked[0]).toMatch(/^Silence alertname="Crowd"\? This mutes 24 of the \d+ active alerts\.$/);
    const negative = await update(id, ['--matcher', 'alertname!=Other', '--yes']);
    expect([negative.code, negative.sent.every(({ method }) => method === 'GET'), await state(id)]).toEqual([
      2,
      true,
      'active',
    ]);
    const narrow = await updated(id, ['--matcher', 'n=7']);
    expect(narrow.matched).toEqual({ alerts: 1, active: 1 });
  });

  it('changes several silences; a missing and an expired one do not stop the others', async () => {
    const [good, gone] = [await seed(), await seed()];
    await wire(service.url(), `/api/v2/silence/${gone}`, { method: 'DELETE' });
    const missing = '00000000-0000-4000-8000-000000000000';
    const run = await update(gone, ['-', '-c', 'UPD-2', '-o', 'json'], { stdin: `${good}\n${missing}\n` });
    const results = printed<{ result: string }[]>(run).map(({ result }) => result);
    expect([run.code, results]).toEqual([10, ['error', 'updated', 'not-found']]);
    expect((await silence(good)).comment).toBe('UPD-2');
    const dry = await update(good, [await seed(), gone, '--author', 'bob', '--dry-run', '-o', 'json']);
    expect([dry.code, printed<unknown[]>(dry).length, writes(dry.sent)]).toEqual([10, 2, []]);
    expect(dry.stderr).toContain(gone);
    const none = await update('-', ['-c', 'UPD-3', '-o', 'json'], { stdin: '' });
    expect([none.code, printed(none), none.sent]).toEqual([0, [], []]);
  });

  it.each([
    [['2f1a'], 'no change is specified'],
    [['2f1a', '--comment', ' '], 'is empty'],
    [['-', '-m', 'team=db'], '--matcher changes one silence only'],
    [['-c', 'UPD-1'], '<id> is required'],
    [['', '-c', 'UPD-1'], '<id> is empty'],
    [['2f1a', '--created-by', 'ann', '-c', 'x'], 'there is no option --created-by'],
  ])('refuses %j with exit 2, and sends nothing', async (argv, why) => {
    const run = await service.svc(['silences', 'update', ...argv], { stdin: '' });
    expect([run.code, run.sent, run.stderr]).toEqual([2, [], expect.stringContaining(why)]);
  });

  it('reads the silence for --dry-run, and prints the request', async () => {
    const id = await seed();
    const { status: _status, ...fields } = await silence(id);
    const run = await update(id, ['-c', 'new', '--dry-run', '-o', 'json']);
    expect([run.code, lines(run.sent)]).toEqual([0, [`GET /api/v2/silence/${id}`]]);
    const { updatedAt: _updatedAt, ...sendable } = fields as typeof fields & { updatedAt: string };
    expect(printed<{ body: unknown }>(run).body).toEqual({ ...sendable, comment: 'new' });
    expect((await silence(id)).comment).toBe('old');
  });
});

describe('svc silences update on a newer server', () => {
  const before = {
    id: '2f1ac0de-0000-4000-8000-000000000001',
    matchers: [{ name: 'a', value: 'b', isRegex: false, weight: 3 }],
    startsAt: iso(Date.now() - HOUR),
    endsAt: iso(Date.now() + HOUR),
    updatedAt: iso(Date.now() - HOUR),
    createdBy: 'ann',
    comment: 'old',
    annotations: { ticket: 'CHG-1', __proto: 'x' },
    status: { state: 'active' },
    kind: null,
  };
  /** Responds to reads with the silence, and to a write with its id by default. */
  const serve = (post: string, after: object = before) => {
    let wrote = false;
    return faultServer((socket, { method, path }) => {
      const now = wrote ? after : before;
      wrote ||= method === 'POST';
      const read = answer(200, JSON.stringify(path.startsWith('/api/v2/silence/') ? now : []));
      socket.write(method === 'POST' ? post : read);
    });
  };

  it('sends unknown fields back unchanged', async () => {
    await using server = await serve(answer(200, JSON.stringify({ silenceID: before.id })));
    const run = await svc(['silences', 'update', before.id, '-c', 'new', '--base-url', server.url, '-o', 'json']);
    expect(run.code).toBe(0);
    const { status: _status, updatedAt: _updatedAt, ...fields } = before;
    const [body] = server.requests.filter(({ method }) => method === 'POST').map((request) => JSON.parse(request.body));
    expect(body).toEqual({ ...fields, comment: 'new' });
    expect(printed(run)).toMatchObject({ annotations: before.annotations, kind: null, comment: 'new' });
  });

  it.each([
    ['is expired afterwards', { ...before, status: { state: 'expired' } }, 8, 'not_as_asked'],
    ['is active afterwards', before, 3, 'refused'],
  ] as const)('that is refused is a failure, or an outcome, if the silence %s', async (_, after, exit, code) => {
    await using server = await serve(answer(400, '"bad things"'), after);
    const run = await svc(['silences', 'update', before.id, '-c', 'new', '--base-url', server.url, '-o', 'json']);
    expect([run.code, run.stdout]).toEqual([exit, '']);
    expect(failure(run)).toMatchObject({ code, message: expect.stringContaining('bad things') });
    expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });
});
