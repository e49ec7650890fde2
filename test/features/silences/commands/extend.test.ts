import { describe, expect, test } from 'vitest';
import { getJson, postSilence, type SeedSilence, type StoredSilence, wire } from '../../../support/alertmanager.ts';
import type { RunOptions } from '../../../support/svc.ts';
import { failure } from '../../../support/svc.ts';
import { onBothServices, printed, writes } from '../../alerts/commands/service.ts';

const HOUR = 3_600_000;

interface Row {
  readonly id: string;
  readonly result: string;
  readonly silenceID: string | null;
  readonly endsAt: string | null;
  readonly message: string | null;
}

let label = 0;

onBothServices((service) => {
  const extend = (argv: readonly string[], options?: RunOptions) =>
    service.svc(['silences', 'extend', ...argv, '-o', 'json'], options);
  const read = (id: string): Promise<StoredSilence> => getJson<StoredSilence>(service.url(), `/api/v2/silence/${id}`);
  const seed = (silence: Partial<SeedSilence> = {}): Promise<string> =>
    postSilence(service.url(), {
      matchers: [{ name: 'extend', value: `${++label}`, isRegex: false }],
      ...silence,
    });
  const endOf = async (id: string): Promise<number> => Date.parse((await read(id)).endsAt);

  test('moves each end by the duration, and keeps the id and everything else', async () => {
    const ids = [await seed(), await seed({ endsAt: new Date(Date.now() + 3 * HOUR).toISOString(), comment: 'two' })];
    const before = await Promise.all(ids.map(read));
    const run = await extend([...ids, '--by', '90m']);
    expect(run.code).toBe(0);
    for (const [index, row] of printed<Row[]>(run).entries()) {
      const was = before[index] as StoredSilence;
      const endsAt = new Date(Date.parse(was.endsAt) + 1.5 * HOUR).toISOString();
      expect(row).toMatchObject({ id: was.id, silenceID: was.id, result: 'extended', endsAt, message: null });
      const { updatedAt: _, ...after } = (await read(was.id)) as StoredSilence & { updatedAt: string };
      expect(after).toMatchObject({ ...after, startsAt: was.startsAt, comment: was.comment, endsAt });
    }
  });

  test('accepts a prefix; extends a silence named twice once', async () => {
    const id = await seed();
    const end = await endOf(id);
    const run = await extend([id, id.slice(0, 20), id.toUpperCase(), '--by', '1m']);
    expect([run.code, printed<Row[]>(run).length, writes(run.sent).length]).toEqual([0, 1, 1]);
    expect(await endOf(id)).toBe(end + 60_000);
  });

  test('a pending one stays pending', async () => {
    const id = await seed({
      startsAt: new Date(Date.now() + HOUR).toISOString(),
      endsAt: new Date(Date.now() + 2 * HOUR).toISOString(),
    });
    const run = await extend([id, '--by', '1h', '-q']);
    expect([run.code, (await read(id)).status.state]).toEqual([0, 'pending']);
  });

  describe('--max', () => {
    test('limits the extension; at the limit nothing is sent', async () => {
      const id = await seed();
      const { startsAt } = await read(id);
      const limit = Date.parse(startsAt) + 90 * 60_000;
      const first = await extend([id, '--by', '1h', '--max', '90m']);
      expect(printed<Row[]>(first)).toMatchObject([{ result: 'extended', endsAt: new Date(limit).toISOString() }]);
      const second = await extend([id, '--by', '1h', '--max', '90m']);
      expect([second.code, writes(second.sent)]).toEqual([0, []]);
      expect(printed<Row[]>(second)).toMatchObject([
        { result: 'at-max', silenceID: id, message: 'it already lasts as long as --max allows' },
      ]);
      expect(await endOf(id)).toBe(limit);
    });

    test('shortens nothing', async () => {
      const id = await seed();
      const end = await endOf(id);
      const run = await extend([id, '--by', '1h', '--max', '1m']);
      expect([run.code, printed<Row[]>(run)[0]?.result, await endOf(id)]).toEqual([0, 'at-max', end]);
    });
  });

  test('checks each like a new silence: width and duration', async () => {
    const wide = await postSilence(service.url(), {
      matchers: [{ name: 'alertname', value: '.+', isRegex: true }],
    });
    const refused = await extend([wide, '--by', '1h', '--yes']);
    expect([refused.code, writes(refused.sent)]).toEqual([2, []]);
    expect(failure(refused).message).toContain('alertname=~".+" could mute everything');
    expect((await extend([wide, '--by', '1h', '--all-alerts'])).code).toBe(0);
    await wire(service.url(), `/api/v2/silence/${wide}`, { method: 'DELETE' });
    const id = await seed();
    const long = await extend([id, '--by', '2d']);
    expect([long.code, failure(long).code, writes(long.sent)]).toEqual([2, 'confirmation_required', []]);
    const done = await extend([id, '--by', '2d', '--yes']);
    expect([done.code, done.stderr]).toEqual([
      0,
      expect.stringMatching(/mutes \d alerts? now(?:, none of them active)?; it ends at /),
    ]);
  });

  test('an expired or missing one does not stop the others', async () => {
    const [good, gone] = [await seed(), await seed()];
    await wire(service.url(), `/api/v2/silence/${gone}`, { method: 'DELETE' });
    const end = await endOf(good);
    const run = await extend([gone, good, '00000000-0000-4000-8000-000000000000', '--by', '1h']);
    expect(run.code).toBe(10);
    expect(printed<Row[]>(run).map(({ result }) => result)).toEqual(['error', 'extended', 'not-found']);
    expect(printed<Row[]>(run)[0]?.message).toContain('has expired');
    expect(await endOf(good)).toBe(end + HOUR);
    expect((await read(gone)).status.state).toBe('expired');
  });

  test('alone, it is the failure of the command', async () => {
    const gone = await seed();
    await wire(service.url(), `/api/v2/silence/${gone}`, { method: 'DELETE' });
    const expired = await extend([gone, '--by', '1h']);
    expect([expired.code, expired.stdout, writes(expired.sent)]).toEqual([3, '', []]);
    expect(failure(expired).hint).toContain(`svc silences recreate ${gone}`);
    expect((await extend(['00000000-0000-4000-8000-000000000000', '--by', '1h'])).code).toBe(5);
  });

  test('asks once about more than alerts.maxSilence, before the first request', async () => {
    const ids = [await seed(), await seed()];
    const env = { SVC_ALERTS_MAX: '' };
    const home = (await import('../../../support/svc.ts')).temporaryHome();
    const { svc } = await import('../../../support/svc.ts');
    expect((await svc(['config', 'set', 'alerts.maxSilence', '90m'], { home })).code).toBe(0);
    const refused = await extend([...ids, '--by', '1h'], { home, env });
    expect([refused.code, writes(refused.sent)]).toEqual([2, []]);
    const asked = await extend([...ids, '--by', '1h'], { home, terminal: 100, answer: true });
    expect([asked.code, asked.asked.length, writes(asked.sent).length]).toEqual([0, 1, 2]);
  });

  test('names a missing argument before anything is sent', async () => {
    for (const [argv, missing] of [
      [['--by', '1h'], "'id'"],
      [['2f1a'], '--by'],
    ] as const) {
      const run = await extend(argv);
      expect([run.code, run.sent]).toEqual([2, []]);
      expect(failure(run).message).toContain(missing);
    }
    expect((await extend(['nonsense', '--by', '1h'])).sent).toEqual([]);
    expect((await extend(['2f1a', '--by', '0s'])).code).toBe(2);
  });

  describe('without ids, options select', () => {
    test('by comment, author and labels; expired silences are left out', async () => {
      const matchers = [{ name: 'select', value: 'db', isRegex: false }];
      const change = { matchers, comment: 'SEL-1', createdBy: 'ann' };
      const ids = [await seed(change), await seed(change)];
      const [other, gone] = [await seed({ ...change, comment: 'SEL-2' }), await seed(change)];
      await wire(service.url(), `/api/v2/silence/${gone}`, { method: 'DELETE' });
      const end = await endOf(other);
      for (const by of [
        ['--comment', 'SEL-1'],
        ['--created-by', 'ann', '--comment', '~1$'],
        ['--matching', 'select=db', '--comment', 'SEL-1'],
      ]) {
        const run = await extend([...by, '--by', '1m']);
        expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('2 silences chosen')]);
        expect(printed<Row[]>(run).map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
        expect(writes(run.sent)).toHaveLength(2);
      }
      expect(await endOf(other)).toBe(end);
    });

    test('no match: nothing sent, exit 0', async () => {
      const run = await service.svc(['silences', 'extend', '--comment', 'no such change', '--by', '1m']);
      expect([run.code, run.stdout, writes(run.sent)]).toEqual([0, '', []]);
      expect(run.stderr).toContain('no silences match; nothing was sent');
    });

    test('read ids from standard input, which may be empty; not together with options', async () => {
      const ids = [await seed(), await seed()];
      const run = await extend(['-', '--by', '1m'], { stdin: `${ids.join('\n')}\n` });
      expect([run.code, printed<Row[]>(run).map(({ id }) => id)]).toEqual([0, ids]);
      const empty = await extend(['-', '--by', '1m'], { stdin: '' });
      expect([empty.code, printed(empty), empty.sent]).toEqual([0, [], []]);
      const both = await extend([...ids, '--comment', 'x', '--by', '1m']);
      expect([both.code, both.sent]).toEqual([2, []]);
    });

    test('asks about a long duration once for all', async () => {
      await seed({ comment: 'SEL-3' });
      await seed({ comment: 'SEL-3' });
      const refused = await extend(['--comment', 'SEL-3', '--by', '2d']);
      expect([refused.code, failure(refused).message, writes(refused.sent)]).toEqual([
        2,
        expect.stringContaining('Send these 2 silences? 2 of them last longer'),
        [],
      ]);
    });
  });

  test('-q prints the ids, a table the results, and a dry run every request', async () => {
    const ids = [await seed(), await seed()];
    const quiet = await service.svc(['silences', 'extend', ...ids, '--by', '1m', '-q']);
    expect(quiet.stdout).toBe(`${ids.join('\n')}\n`);
    const table = await service.svc(['silences', 'extend', ids[0] ?? '', '--by', '1m']);
    expect(table.stdout).toMatch(new RegExp(`^${ids[0]} +extended +\\S+Z `, 'm'));
    const dry = await extend([...ids, '--by', '1m', '--dry-run']);
    expect(printed<unknown[]>(dry)).toHaveLength(2);
    expect(writes(dry.sent)).toEqual([]);
  });
});
