import { describe, expect, it } from 'vitest';
import { getJson, postSilence, type StoredSilence, wire } from '../../../support/alertmanager.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { failure, type RunOptions, svc } from '../../../support/svc.ts';
import { lines, printed, sharedService, writes } from '../../alerts/commands/service.ts';

const HOUR = 3_600_000;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

interface Result {
  readonly id: string;
  readonly result: string;
  readonly message: string | null;
}

const service = sharedService();

describe('svc silences expire', () => {
  const seed = (value = 'db', comment = 'CHG-1'): Promise<string> =>
    postSilence(service.url(), {
      matchers: [{ name: 'team', value, isRegex: false }],
      createdBy: 'ann',
      comment,
    });
  // In one request: Alertmanager refuses more than eight GETs at a time.
  const states = async (...ids: string[]): Promise<(string | undefined)[]> => {
    const all = await getJson<StoredSilence[]>(service.url(), '/api/v2/silences');
    return ids.map((id) => all.find((silence) => silence.id === id)?.status.state);
  };
  const expire = (argv: readonly string[], options?: RunOptions) =>
    service.svc(['silences', 'expire', ...argv], options);

  it('ends a silence by its id', async () => {
    const id = await seed();
    const run = await expire([id, '--yes', '-o', 'json']);
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(lines(run.sent)).toEqual([`GET /api/v2/silence/${id}`, `DELETE /api/v2/silence/${id}`]);
    expect(printed<Result[]>(run)).toEqual([{ id, result: 'expired', message: null }]);
    expect(await states(id)).toEqual(['expired']);
  });

  it('prints an Undo line for each silence that was active', async () => {
    const from = (start: number, end: number) =>
      postSilence(service.url(), {
        matchers: [{ name: 'team', value: 'undo', isRegex: false }],
        startsAt: new Date(start).toISOString(),
        endsAt: new Date(end).toISOString(),
      });
    const now = Date.now();
    const end = now + 2 * HOUR;
    const ids = [await from(now, end), await from(now + HOUR, end), await from(now, end)];
    const { code, undo, stderr } = await expire([...ids, '--yes', '-o', 'json']);
    const [first, second] = [ids[0], ids[2]].map(
      (id) => `svc silences extend ${id} --until ${new Date(end).toISOString()}`,
    );
    expect([code, undo, stderr]).toEqual([0, first, `Undo: ${second}\n`]);
    const undone = await service.svc([...(first ?? '').split(' ').slice(1), '--yes', '-q']);
    expect([undone.code, undone.stderr]).toEqual([0, '']);
    expect(await states(undone.stdout.trim())).toEqual(['active']);
  });

  it('ends the others if one of ten ids is unknown, and exits 10', async () => {
    const ids = await Promise.all(Array.from({ length: 9 }, () => seed()));
    const all = [...ids.slice(0, 4), UNKNOWN, ...ids.slice(4)];
    const run = await expire([...all, '--yes', '-o', 'json']);
    expect(run.code).toBe(10);
    expect(printed<Result[]>(run)).toEqual(
      all.map((id) =>
        id === UNKNOWN
          ? { id, result: 'not-found', message: expect.stringContaining('no silence') }
          : { id, result: 'expired', message: null },
      ),
    );
    expect(await states(...ids)).toEqual(ids.map(() => 'expired'));
    expect(writes(run.sent)).toHaveLength(10);
  });

  it('exits 5 if it knows none of the ids', async () => {
    for (const text of [UNKNOWN, UNKNOWN.slice(0, 13)]) {
      const run = await expire([text, '--yes', '-o', 'json']);
      expect([run.code, run.stdout]).toEqual([5, '']);
      expect(failure(run)).toMatchObject({ code: 'not_found', hint: expect.stringContaining('silences list -a') });
    }
    const two = await expire([UNKNOWN, UNKNOWN.replace(/0$/, '1'), '--yes', '-o', 'json']);
    expect([two.code, printed<Result[]>(two).length]).toEqual([5, 2]);
  });

  it('exits 0 for a silence that has expired, and says so', async () => {
    const id = await seed();
    await wire(service.url(), `/api/v2/silence/${id}`, { method: 'DELETE' });
    const { endsAt } = await getJson<{ endsAt: string }>(service.url(), `/api/v2/silence/${id}`);
    const other = await seed();
    for (const ids of [[id], [id.slice(0, 13)], [id, other]]) {
      const run = await expire([...ids, '--yes', '-o', 'json']);
      expect([run.code, printed<Result[]>(run)[0]]).toEqual([
        0,
        { id, result: 'already-expired', message: `it ended at ${endsAt}` },
      ]);
      expect(writes(run.sent)).toHaveLength(ids.length - 1);
    }
    expect(await states(other)).toEqual(['expired']);
  });

  it('sends one request for an id, however often it is given', async () => {
    const id = await seed();
    const run = await expire([id, id.toUpperCase(), id, id.slice(0, 13), id.slice(0, 14), '--yes', '-q']);
    expect([run.code, run.stdout]).toEqual([0, `${id}\n`]);
    expect(writes(run.sent)).toHaveLength(1);
  });

  it('lists what will end, and asks', async () => {
    const [first, second] = [await seed(), await seed('web')];
    const run = await expire([first, second], { terminal: 120, answer: true });
    expect([run.code, run.asked]).toEqual([0, [expect.stringContaining('these 2 silences')]]);
    expect(run.stderr).toContain(`${first}  active  team="db"  (ann: CHG-1)`);
    expect(run.stderr).toContain(`${second}  active  team="web"  (ann: CHG-1)`);
    expect(await states(first, second)).toEqual(['expired', 'expired']);
  });

  it.each([
    [{}, []],
    [{ terminal: 120 }, ['--no-input']],
    [{ terminal: 120, env: { CI: 'true' } }, []],
  ] as const)('exits 2 where it cannot ask (%j %j), and writes nothing', async (options, argv) => {
    const id = await seed();
    const run = await expire([id, ...argv, '-o', 'json'], options);
    expect([run.code, run.stdout, run.asked, writes(run.sent)]).toEqual([2, '', [], []]);
    const hint = `to confirm, type: svc silences expire ${[id, ...argv].join(' ')} -o json --yes`;
    expect(failure(run)).toMatchObject({ code: 'confirmation_required', hint });
    expect(await states(id)).toEqual(['active']);
  });

  it('refuses what is no id with exit 2, and writes nothing', async () => {
    for (const argv of [[], ['x y'], ['..'], ['']]) {
      const run = await expire(['--yes', '--', ...argv]);
      expect([argv, run.code, run.stdout, writes(run.sent)]).toEqual([argv, 2, '', []]);
    }
    for (const line of [`${UNKNOWN} --all`, '--comment ~', '--author ~'])
      expect(await expire([...line.split(' '), '--yes'])).toMatchObject({ code: 2, sent: [] });
  });

  it('lists a selection before it asks, and ends it', async () => {
    const ids = await Promise.all(Array.from({ length: 25 }, () => seed('crowd', 'CHG-25')));
    const argv = ['--comment', 'CHG-25'];
    const declined = await expire(argv, { terminal: 80, answer: false });
    expect([declined.code, declined.asked, writes(declined.sent)]).toEqual([2, ['Expire these 25 silences?'], []]);
    expect(declined.stderr).toContain('team="crowd"');
    expect(declined.stderr).toContain('and 5 more');
    const unattended = await expire(argv);
    expect([unattended.code, unattended.asked, writes(unattended.sent)]).toEqual([2, [], []]);
    const unused = await expire([...argv, '--unused', '--yes', '-q']);
    expect([unused.code, unused.stdout.trimEnd().split('\n').sort()]).toEqual([0, ids.sort()]);
  });

  it('reads ids from standard input', async () => {
    const id = await seed();
    const run = await expire(['-', '--yes', '-o', 'json'], { stdin: `${id}\n${UNKNOWN}\n` });
    expect([run.code, printed<Result[]>(run).map(({ result }) => result)]).toEqual([10, ['expired', 'not-found']]);
  });

  it('prints with --dry-run the requests, without a question', async () => {
    const ids = [await seed(), await seed(), await seed()];
    const run = await expire([...ids, '--dry-run', '-o', 'json'], { terminal: 120 });
    expect([run.code, run.asked, writes(run.sent)]).toEqual([0, [], []]);
    expect(
      printed<{ method: string; url: string }[]>(run).map(({ method, url }) => `${method} ${new URL(url).pathname}`),
    ).toEqual(ids.map((id) => `DELETE /api/v2/silence/${id}`));
    expect(await states(...ids)).toEqual(['active', 'active', 'active']);
  });
});

describe('a DELETE of svc silences expire', () => {
  const id = '2f1ac0de-0000-4000-8000-000000000001';
  it('answered with 404 of JSON without a body exits 5', async () => {
    await using server = await faultServer((socket, { method }) => {
      socket.write(method === 'GET' ? answer(200, '[]') : answer(404, ''));
    });
    expect((await svc(['silences', 'expire', id, '--yes', '--base-url', server.url])).code).toBe(5);
    expect(server.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
  });

  it('without a response does not stop the others, and each is sent once', async () => {
    const ids = ['1', '2', '3'].map((digit) => id.replace(/.$/, digit));
    await using server = await faultServer((socket, { method, path }) => {
      if (method === 'GET') socket.write(answer(200, '[]'));
      else if (path.endsWith('2')) socket.destroy();
      else socket.write(answer(200, '', { 'content-type': '' }));
    });
    const run = await svc(['silences', 'expire', ...ids, '--yes', '--base-url', server.url, '-o', 'json']);
    expect(run.code).toBe(10);
    expect(printed<Result[]>(run).map(({ result }) => result)).toEqual(['expired', 'error', 'expired']);
    const deletions = server.requests.filter(({ method }) => method === 'DELETE');
    expect(deletions.map(({ path }) => path.slice(-1)).sort()).toEqual(['1', '2', '3']);
  });
});
