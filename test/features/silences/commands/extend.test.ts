import { describe, expect, it } from 'vitest';
import { getJson, postSilence, type SeedSilence, type StoredSilence, wire } from '../../../support/alertmanager.ts';
import { failure, type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';
import { printed, sharedService, writes } from '../../alerts/commands/service.ts';

const HOUR = 3_600_000;

interface Row {
  readonly id: string;
  readonly result: string;
  readonly previous_id: string | null;
  readonly endsAt: string | null;
  readonly message: string | null;
}

interface Stored extends StoredSilence {
  readonly matchers: unknown;
  readonly updatedAt: string;
}

let label = 0;

const service = sharedService();

describe('svc silences extend', () => {
  const extend = (argv: readonly string[], options?: RunOptions) =>
    service.svc(['silences', 'extend', ...argv, '-o', 'json'], options);
  const read = (id: string): Promise<Stored> => getJson<Stored>(service.url(), `/api/v2/silence/${id}`);
  const seed = (silence: Partial<SeedSilence> = {}): Promise<string> =>
    postSilence(service.url(), {
      matchers: [{ name: 'extend', value: `${++label}`, isRegex: false }],
      ...silence,
    });
  const endOf = async (id: string): Promise<number> => Date.parse((await read(id)).endsAt);

  it('moves each end by the duration, and changes nothing else', async () => {
    const ids = [await seed(), await seed({ endsAt: new Date(Date.now() + 3 * HOUR).toISOString(), comment: 'two' })];
    const before = await Promise.all(ids.map(read));
    const run = await extend([...ids, '--for', '90m']);
    expect(run.code).toBe(0);
    for (const [index, row] of printed<Row[]>(run).entries()) {
      const was = before[index] as Stored;
      const endsAt = new Date(Date.parse(was.endsAt) + 1.5 * HOUR).toISOString();
      expect(row).toMatchObject({ id: was.id, previous_id: null, result: 'extended', endsAt, message: null });
      const { updatedAt: _, ...after } = await read(was.id);
      expect(after).toMatchObject({ ...after, startsAt: was.startsAt, comment: was.comment, endsAt });
    }
  });

  it('takes the beginning of an id, and extends a silence once, however often it is given', async () => {
    const id = await seed();
    const end = await endOf(id);
    const run = await extend([id, id.slice(0, 20), id.toUpperCase(), '--for', '1m']);
    expect([run.code, printed<Row[]>(run).length, writes(run.sent).length]).toEqual([0, 1, 1]);
    expect(await endOf(id)).toBe(end + 60_000);
  });

  it('sets the end of --until, but never an earlier one', async () => {
    const id = await seed();
    const end = await endOf(id);
    const earlier = await extend([id, '--until', '10m']);
    expect([earlier.code, writes(earlier.sent)]).toEqual([0, []]);
    expect(printed<Row[]>(earlier)).toMatchObject([
      { result: 'unchanged', id, message: 'it already lasts until then' },
    ]);
    expect(await endOf(id)).toBe(end);
    const until = new Date(Date.now() + 5 * HOUR).toISOString();
    const later = await extend([id, '--end', until]);
    expect(printed<Row[]>(later)).toMatchObject([{ id, previous_id: null, result: 'extended', endsAt: until }]);
    expect(await endOf(id)).toBe(Date.parse(until));
  });

  describe('of an expired silence', () => {
    const expired = async (silence?: Partial<SeedSilence>): Promise<string> => {
      const id = await seed(silence);
      await wire(service.url(), `/api/v2/silence/${id}`, { method: 'DELETE' });
      return id;
    };
    const made = async (run: Awaited<ReturnType<typeof extend>>) => {
      expect(run.code, run.stderr).toBe(0);
      const [row] = printed<Row[]>(run);
      return { row, silence: await read(row?.id ?? '') };
    };

    it('creates it again from now with the same matchers, author and comment', async () => {
      const old = await expired({
        matchers: [
          { name: 'host', value: 'web-.*', isRegex: true },
          { name: 'again', value: 'x', isRegex: false },
          { name: 'env', value: 'test', isRegex: false, isEqual: false },
        ],
        createdBy: 'ann',
        comment: 'night work: "x"',
      });
      const now = Date.now();
      const run = await extend([old.slice(0, 20), '--for', '2h'], { now: () => now });
      const { row, silence } = await made(run);
      const endsAt = new Date(now + 2 * HOUR).toISOString();
      expect(row).toMatchObject({ previous_id: old, result: 'created', endsAt });
      expect(row?.id).not.toBe(old);
      const before = await read(old);
      expect(silence).toMatchObject({
        createdBy: 'ann',
        comment: 'night work: "x"',
        endsAt,
        status: { state: 'active' },
      });
      expect([silence.matchers, before.status.state]).toEqual([before.matchers, 'expired']);
      expect(run.undo).toBe(`svc silences expire ${row?.id}`);
      expect((await extend([old, '--for', '2h', '-q', '--dry-run'])).sent.map(({ method }) => method)).not.toContain(
        'POST',
      );
    });

    it('extends what the same line created before, so that cron creates no duplicates', async () => {
      const old = await expired();
      const now = Date.now();
      const line = (minutes: number, ...length: string[]) =>
        extend([old, ...length], { now: () => now + minutes * 60_000 });
      const first = await made(await line(0, '--for', '1h'));
      const second = await made(await line(1, '--for', '1h'));
      expect(second.row).toMatchObject({ result: 'extended', previous_id: old, id: first.row?.id });
      const third = await line(1, '--until', '10m');
      expect([printed<Row[]>(third)[0], writes(third.sent)]).toMatchObject([
        { result: 'unchanged', previous_id: old },
        [],
      ]);
    });
  });

  it('checks each like a new silence: width and duration', async () => {
    const wide = await postSilence(service.url(), {
      matchers: [{ name: 'alertname', value: '.+', isRegex: true }],
    });
    const refused = await extend([wide, '--for', '1h', '--yes']);
    expect([refused.code, writes(refused.sent)]).toEqual([2, []]);
    expect(failure(refused).message).toContain('alertname=~".+" could mute everything');
    expect((await extend([wide, '--for', '1h', '--all-alerts'])).code).toBe(0);
    await wire(service.url(), `/api/v2/silence/${wide}`, { method: 'DELETE' });
    const id = await seed();
    const long = await extend([id, '--for', '2d']);
    expect([long.code, failure(long).code, writes(long.sent)]).toEqual([2, 'confirmation_required', []]);
    const done = await extend([id, '--for', '2d', '--yes']);
    expect([done.code, done.stderr]).toEqual([
      0,
      expect.stringMatching(/mutes \d alerts? now(?:, none of them active)?; it ends at /),
    ]);
  });

  it('exits 10 for a missing silence among others, and 5 for it alone', async () => {
    const missing = '00000000-0000-4000-8000-000000000000';
    const good = await seed();
    const end = await endOf(good);
    const run = await extend([good, missing, '--for', '1h']);
    expect([run.code, printed<Row[]>(run).map(({ result }) => result)]).toEqual([10, ['extended', 'not-found']]);
    expect(await endOf(good)).toBe(end + HOUR);
    expect(await extend([missing, '--for', '1h'])).toMatchObject({ code: 5, stdout: '' });
  });

  it('asks before it extends all silences', async () => {
    const refused = await extend(['--all', '--for', '1m']);
    expect([refused.code, failure(refused).code, writes(refused.sent)]).toEqual([2, 'confirmation_required', []]);
    const { asked } = await extend(['--all', '--for', '1m'], { terminal: 100, answer: false });
    expect(asked).toEqual([expect.stringMatching(/^Extend these \d+ silences\?$/)]);
    expect((await extend(['--all', '--for', '1m', '--all-alerts', '--yes'])).code).toBe(0);
  });

  it('asks once about more than alerts.maxSilence, before the first request', async () => {
    const ids = [await seed(), await seed()];
    const home = temporaryHome();
    expect((await svc(['config', 'set', 'alerts.maxSilence', '90m'], { home })).code).toBe(0);
    const refused = await extend([...ids, '--for', '1h'], { home });
    expect([refused.code, writes(refused.sent)]).toEqual([2, []]);
    const asked = await extend([...ids, '--for', '1h'], { home, terminal: 100, answer: true });
    expect([asked.code, asked.asked.length, writes(asked.sent).length]).toEqual([0, 1, 2]);
  });

  it('refuses a wrong command line before anything is sent', async () => {
    for (const [argv, missing] of [
      [['--for', '1h'], '<id>'],
      [['2f1a'], '--for or --until is required'],
      [['2f1a', '--for', '1h', '--until', '2h'], 'cannot be used together'],
      [['2f1a', '--until', '1h ago'], 'is in the past'],
    ] as const) {
      const run = await extend(argv);
      expect([run.code, run.sent]).toEqual([2, []]);
      expect(failure(run).message).toContain(missing);
    }
    expect((await extend(['nonsense', '--for', '1h'])).sent).toEqual([]);
    expect((await extend(['2f1a', '--for', '0s'])).code).toBe(2);
  });

  it('selects by comment and author, and leaves out expired silences', async () => {
    const matchers = [{ name: 'select', value: 'db', isRegex: false }];
    const change = { matchers, comment: 'SEL-1', createdBy: 'ann' };
    const ids = [await seed(change), await seed(change)];
    const [other, gone] = [await seed({ ...change, comment: 'SEL-2' }), await seed(change)];
    await wire(service.url(), `/api/v2/silence/${gone}`, { method: 'DELETE' });
    const end = await endOf(other);
    const run = await extend(['--created-by', 'ann', '--comment', '~1$', '--for', '1m']);
    expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('2 silences chosen')]);
    expect(printed<Row[]>(run).map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    expect(writes(run.sent)).toHaveLength(2);
    expect(await endOf(other)).toBe(end);
  });

  it('prints with -q the ids, in a table the results, and with --dry-run every request', async () => {
    const ids = [await seed(), await seed()];
    const quiet = await service.svc(['silences', 'extend', ...ids, '--for', '1m', '-q']);
    expect(quiet.stdout).toBe(`${ids.join('\n')}\n`);
    const table = await service.svc(['silences', 'extend', ids[0] ?? '', '--for', '1m']);
    expect(table.stdout).toMatch(new RegExp(`^${ids[0]} +extended +\\S+Z `, 'm'));
    const dry = await extend([...ids, '--for', '1m', '--dry-run']);
    expect(printed<unknown[]>(dry)).toHaveLength(2);
    expect(writes(dry.sent)).toEqual([]);
  });
});
