import { describe, expect, it } from 'vitest';
import { getJson, postAlerts, postSilence, wire } from '../../../support/alertmanager.ts';
import { failure, type RunOptions } from '../../../support/svc.ts';
import { printed, type ServiceRun, sharedService, writes } from '../../alerts/commands/service.ts';

const HOUR = 3_600_000;
const iso = (ms: number): string => new Date(ms).toISOString();

interface Made {
  readonly id: string;
  readonly previous_id?: string;
  readonly unchanged?: boolean;
  readonly endsAt: string;
  readonly comment: string;
  readonly createdBy: string;
  readonly matched: { readonly alerts: number } | null;
}

let label = 0;
const matchersOf = (run: ServiceRun): unknown => JSON.parse(writes(run.sent)[0]?.body ?? '').matchers;

const service = sharedService();

describe('svc silences create', () => {
  const create = (argv: readonly string[], options?: RunOptions) =>
    service.svc(['silences', 'create', ...argv, '-o', 'json'], options);
  const end = (id: string) => wire(service.url(), `/api/v2/silence/${id}`, { method: 'DELETE' });

  describe('--ensure', () => {
    const ensure = async (name: string, argv: readonly string[], options?: RunOptions): Promise<Made & ServiceRun> => {
      const run = await create([`ensure=${name}`, '-c', 'nightly', '--ensure', ...argv], options);
      expect(run.code, run.stderr).toBe(0);
      return { ...printed<Made>(run), ...run };
    };
    const sole = async (name: string): Promise<string> => {
      const filter = encodeURIComponent(`ensure="${name}"`);
      const all = await getJson<{ id: string }[]>(service.url(), `/api/v2/silences?filter=${filter}`);
      expect(all).toHaveLength(1);
      return all[0]?.id ?? '';
    };

    it('creates a silence once, and then sends nothing', async () => {
      const name = `${++label}`;
      const first = await ensure(name, ['--for', '2h']);
      expect([first.unchanged, first.matched]).toEqual([false, { alerts: 0, active: 0 }]);
      for (const argv of [
        ['--for', '1h'],
        ['--until', first.endsAt],
        ['--from', '30m', '--for', '1h'],
      ]) {
        const again = await ensure(name, argv);
        expect(again).toMatchObject({
          id: first.id,
          unchanged: true,
          endsAt: first.endsAt,
          matched: null,
        });
        expect(writes(again.sent)).toEqual([]);
      }
      expect(await sole(name)).toBe(first.id);
      const quiet = await service.svc(['silences', 'create', `ensure=${name}`, '-c', 'x', '--ensure', '-q']);
      expect([quiet.code, quiet.stdout, quiet.stderr]).toEqual([0, `${first.id}\n`, '']);
      const table = await service.svc(['silences', 'create', `ensure=${name}`, '-c', 'x', '--ensure']);
      expect(table.stdout).toMatch(/^RESULT +unchanged: it already covers this time$/m);
    });

    it('extends a shorter one, and changes neither its id, author nor comment', async () => {
      const name = `${++label}`;
      const before = Date.now();
      const id = await postSilence(service.url(), {
        matchers: [{ name: 'ensure', value: name, isRegex: false }],
        endsAt: iso(before + HOUR / 2),
        createdBy: 'ann',
        comment: 'of ann',
      });
      const longer = await ensure(name, ['--for', '1h']);
      expect(longer).toMatchObject({
        id: id,
        previous_id: id,
        unchanged: false,
        comment: 'of ann',
        createdBy: 'ann',
      });
      expect(Date.parse(longer.endsAt)).toBeGreaterThanOrEqual(before + HOUR);
      expect(await sole(name)).toBe(id);
    });

    it('takes the same matchers in any order, and no others', async () => {
      const name = `${++label}`;
      const first = await ensure(name, ['team=db', 'host=~a', '--for', '2h']);
      expect(await ensure(name, ['host=~a', 'team=db'])).toMatchObject({ id: first.id, unchanged: true });
      for (const other of [['team=db'], ['host=~a', 'team=db', 'x=y'], ['host=a', 'team=db'], ['host!~a', 'team=db']]) {
        const made = await ensure(name, other);
        expect([made.unchanged, made.id === first.id]).toEqual([false, false]);
      }
    });

    it('does not count an expired one', async () => {
      const name = `${++label}`;
      const first = await ensure(name, []);
      await end(first.id);
      const second = await ensure(name, []);
      expect([second.unchanged, second.previous_id, second.id === first.id]).toEqual([false, undefined, false]);
    });

    it('takes a pending one for the time after its start, and does not bridge a gap', async () => {
      const name = `${++label}`;
      const first = await ensure(name, ['--from', '2h', '--for', '2h']);
      expect(await ensure(name, ['--from', '2h30m', '--for', '1h'])).toMatchObject({
        id: first.id,
        unchanged: true,
      });
      const extended = await ensure(name, ['--from', '3h', '--for', '2h']);
      expect([extended.unchanged, extended.previous_id]).toEqual([false, first.id]);
      const later = await ensure(name, ['--from', '9h', '--for', '1h']);
      expect([later.unchanged, later.previous_id]).toEqual([false, undefined]);
      const earlier = await ensure(name, ['--for', '3h']);
      expect([earlier.unchanged, earlier.previous_id]).toEqual([false, undefined]);
    });

    it('takes of several the last to end', async () => {
      const name = `${++label}`;
      const matchers = [{ name: 'ensure', value: name, isRegex: false }];
      const ids: string[] = [];
      for (const hours of [3, 1, 2])
        ids.push(await postSilence(service.url(), { matchers, endsAt: iso(Date.now() + hours * HOUR) }));
      expect(await ensure(name, ['--for', '2h30m'])).toMatchObject({ id: ids[0], unchanged: true });
    });

    it('prints with --dry-run the request, or that none is needed', async () => {
      const name = `${++label}`;
      const first = await ensure(name, ['--for', '2h']);
      const covered = await ensure(name, ['--dry-run']);
      expect([covered.unchanged, covered.id]).toEqual([true, first.id]);
      const longer = await create([`ensure=${name}`, '-c', 'x', '--ensure', '--for', '3h', '--dry-run']);
      expect(printed(longer)).toMatchObject({ method: 'POST', body: { id: first.id } });
      expect(writes(longer.sent)).toEqual([]);
    });

    it('refuses one that is too wide, unless it exists', async () => {
      expect((await create(['a!=b', '-c', 'x', '--ensure'])).code).toBe(2);
      const id = await postSilence(service.url(), {
        matchers: [{ name: 'zz', value: 'x', isRegex: false, isEqual: false }],
      });
      const run = await create(['zz!=x', '-c', 'x', '--ensure', '--for', '30m']);
      expect([run.code, printed<Made>(run)]).toEqual([0, expect.objectContaining({ id: id, unchanged: true })]);
      await end(id);
    });
  });

  describe('--from-alert', () => {
    const labels = { alertname: 'Full', Zone: 'a', instance: 'web-1:9100', mount: '/a "b"\\c', team: 'from-alert' };
    const seed = async (): Promise<string> => {
      await postAlerts(service.url(), [
        { labels },
        { labels: { ...labels, instance: 'web-2:9100' } },
        { labels: { ...labels, instance: 'web-3:9100', mount: '/b' } },
      ]);
      const filter = encodeURIComponent('instance="web-1:9100"');
      const [alert] = await getJson<{ fingerprint: string }[]>(service.url(), `/api/v2/alerts?filter=${filter}`);
      return alert?.fingerprint ?? '';
    };
    const equals = (pairs: Record<string, string>) =>
      Object.entries(pairs).map(([name, value]) => ({ name, value, isRegex: false, isEqual: true }));

    it('takes every label of the alert, the name first, and mutes only that alert', async () => {
      const fingerprint = await seed();
      const run = await create(['--from-alert', fingerprint.slice(0, 10), '-c', 'x']);
      expect([run.code, matchersOf(run)]).toEqual([0, equals(labels)]);
      const { id, matched } = printed<Made>(run);
      expect(matched).toEqual({ alerts: 1, active: 1 });
      const silenced = await getJson<{ fingerprint: string }[]>(service.url(), '/api/v2/alerts?active=false');
      expect(silenced.map((alert) => alert.fingerprint)).toEqual([fingerprint]);
      await end(id);
    });

    it('leaves out the labels of --drop, and adds more matchers', async () => {
      const fingerprint = await seed();
      const run = await create(['--from-alert', fingerprint, '--drop', 'instance', '--drop', 'mount', '-c', 'x']);
      expect(matchersOf(run)).toEqual(equals({ alertname: 'Full', Zone: 'a', team: 'from-alert' }));
      expect(printed<Made>(run).matched).toEqual({ alerts: 3, active: 3 });
      await end(printed<Made>(run).id);
      const both = await create([
        'instance=~"web-[12]:.*"',
        '--from-alert',
        fingerprint,
        '--drop',
        'instance',
        '-c',
        'x',
      ]);
      expect(printed<Made>(both).matched).toEqual({ alerts: 2, active: 2 });
      await end(printed<Made>(both).id);
    });

    it('is refused for a missing alert, an unknown label, or without any label', async () => {
      const fingerprint = await seed();
      expect((await create(['--from-alert', '0000', '-c', 'x'])).code).toBe(5);
      expect((await create(['--from-alert', 'web', '-c', 'x'])).sent).toEqual([]);
      const typo = await create(['--from-alert', fingerprint, '--drop', 'instnace', '-c', 'x']);
      expect([typo.code, failure(typo)]).toMatchObject([
        2,
        {
          message: '--drop: unknown label instnace: did you mean instance?',
          hint: 'svc alerts list -a -o json shows the labels',
        },
      ]);
      const other = await create(['--from-alert', fingerprint, '--drop', 'rack', '-c', 'x']);
      expect([other.code, failure(other).message]).toEqual([2, '--drop: unknown label rack']);
      const drop = Object.keys(labels).flatMap((name) => ['--drop', name]);
      const none = await create(['--from-alert', fingerprint, ...drop, '-c', 'x']);
      expect([none.code, writes(none.sent)]).toEqual([3, []]);
      expect(failure(none).message).toContain('--drop leaves no label of');
      const alone = await create(['a=b', '--drop', 'x', '-c', 'x']);
      expect([alone.code, alone.sent]).toEqual([2, []]);
    });
  });

  it('refuses more than --max-alerts with exit 3, even with --yes', async () => {
    await postAlerts(
      service.url(),
      [1, 2, 3].map((n) => ({ labels: { alertname: 'Max', max: 'yes', n: `${n}` } })),
    );
    for (const argv of [
      ['--max-alerts', '2'],
      ['--max-alerts', '0', '--yes', '--all-alerts'],
    ]) {
      const run = await create(['max=yes', '-c', 'x', ...argv]);
      expect([run.code, failure(run).code, writes(run.sent)]).toEqual([3, 'guarded', []]);
      expect(failure(run).message).toContain('matches 3 alerts, more than');
    }
    const run = await create(['max=yes', '-c', 'x', '--max-alerts', '3']);
    expect([run.code, printed<Made>(run).matched?.alerts]).toEqual([0, 3]);
    await end(printed<Made>(run).id);
    for (const text of ['-1', 'x', '1.5']) {
      expect(await create(['a=b', '-c', 'x', `--max-alerts=${text}`])).toMatchObject({ code: 2, sent: [] });
    }
  });
});
