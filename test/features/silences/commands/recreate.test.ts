import { expect, test } from 'vitest';
import { getJson, postAlerts, postSilence, type SeedSilence, wire } from '../../../support/alertmanager.ts';
import type { RunOptions } from '../../../support/svc.ts';
import { failure } from '../../../support/svc.ts';
import { onBothServices, printed, writes } from '../../alerts/commands/service.ts';

const HOUR = 3_600_000;
const iso = (ms: number): string => new Date(ms).toISOString();

interface Row {
  readonly id: string;
  readonly result: string;
  readonly silenceID: string;
}
interface Silence {
  readonly matchers: unknown;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly status: { readonly state: string };
}

let label = 0;

onBothServices((service) => {
  const recreate = (argv: readonly string[], options?: RunOptions) =>
    service.svc(['silences', 'recreate', ...argv, '-o', 'json'], options);
  const read = (id: string): Promise<Silence> => getJson<Silence>(service.url(), `/api/v2/silence/${id}`);
  const end = (id: string) => wire(service.url(), `/api/v2/silence/${id}`, { method: 'DELETE' });
  const seed = (silence: Partial<SeedSilence> = {}): Promise<string> =>
    postSilence(service.url(), {
      matchers: [{ name: 'again', value: `${++label}`, isRegex: false }],
      ...silence,
    });
  const expired = async (silence?: Partial<SeedSilence>): Promise<string> => {
    const id = await seed(silence);
    await end(id);
    return id;
  };
  const length = async (id: string): Promise<number> => {
    const { startsAt, endsAt } = await read(id);
    return Date.parse(endsAt) - Date.parse(startsAt);
  };

  test('the same matchers, author and comment under a new id; the old one stays expired', async () => {
    const old = await expired({
      matchers: [
        { name: 'host', value: 'web-.*', isRegex: true },
        { name: 'again', value: 'x', isRegex: false },
        { name: 'env', value: 'test', isRegex: false, isEqual: false },
      ],
      createdBy: 'ann',
      comment: 'night work: "x"',
    });
    const run = await recreate([old.slice(0, 20), '--for', '2h']);
    const [row] = printed<Row[]>(run);
    expect([run.code, row]).toMatchObject([0, { id: old, result: 'recreated' }]);
    const again = await read(row?.silenceID ?? '');
    expect(again).toMatchObject({ createdBy: 'ann', comment: 'night work: "x"', status: { state: 'active' } });
    expect(again.matchers).toEqual((await read(old)).matchers);
    expect(row?.silenceID).not.toBe(old);
    expect((await read(old)).status.state).toBe('expired');
    expect(Math.abs((await length(row?.silenceID ?? '')) - 2 * HOUR)).toBeLessThan(5000);
  });

  test('lasts as long as it did', async () => {
    const now = Date.now();
    const old = await seed({ startsAt: iso(now), endsAt: iso(now + 700) });
    await expect.poll(async () => (await read(old)).status.state, { timeout: 3000 }).toBe('expired');
    const [row] = printed<Row[]>(await recreate([old]));
    expect(Math.abs((await length(row?.silenceID ?? '')) - (await length(old)))).toBeLessThan(300);
  });

  test('one that never began has no duration: needs --for', async () => {
    const old = await expired({ startsAt: iso(Date.now() + HOUR), endsAt: iso(Date.now() + 2 * HOUR) });
    const run = await recreate([old]);
    expect([run.code, failure(run).hint, writes(run.sent)]).toEqual([3, 'pass --for', []]);
    expect((await recreate([old, '--for', '10m'])).code).toBe(0);
  });

  test('does not touch an active one, and creates the others', async () => {
    const [living, old] = [await seed(), await expired()];
    const alone = await recreate([living]);
    expect([alone.code, writes(alone.sent)]).toEqual([3, []]);
    expect(failure(alone).hint).toContain('svc silences extend');
    const both = await recreate([living, old, '--for', '1h']);
    expect([both.code, printed<Row[]>(both).map(({ result }) => result)]).toEqual([10, ['error', 'recreated']]);
    expect((await recreate(['00000000-0000-4000-8000-000000000000'])).code).toBe(5);
  });

  test('checks like a new silence: refuses a wide one, needs --yes for a long one', async () => {
    await postAlerts(
      service.url(),
      [1, 2].map((n) => ({ labels: { alertname: 'Again', n: `${n}` } })),
    );
    const broad = await expired({ matchers: [{ name: 'alertname', value: 'Aga.+', isRegex: true }] });
    const long = await recreate([broad, '--for', '25h']);
    expect([long.code, writes(long.sent)]).toEqual([2, []]);
    const asked = await recreate([broad, '--for', '25h'], { terminal: 100, answer: true });
    expect([asked.code, asked.asked.length]).toEqual([0, 1]);
    expect(asked.stderr).toContain('alertname=~"Aga.+" mutes 2 active alerts now');
    const all = await expired({ matchers: [{ name: 'zz', value: 'x', isRegex: false, isEqual: false }] });
    expect((await recreate([all, '--for', '1h', '--yes'])).code).toBe(2);
    expect((await recreate([all, '--for', '1h', '--all-alerts'])).code).toBe(0);
  });

  test('sends nothing after a no, not even a narrow silence', async () => {
    const [narrow, broad] = [
      await expired(),
      await expired({ matchers: [{ name: 'again', value: 'b.+', isRegex: true }] }),
    ];
    const run = await recreate([narrow, broad, '--for', '2d'], { terminal: 100, answer: false });
    expect([run.code, writes(run.sent)]).toEqual([2, []]);
    expect(run.asked).toEqual(['Send these 2 silences? 2 of them last longer than 24h (alerts.maxSilence).']);
  });

  test('a dry run prints a request without the old id', async () => {
    const run = await recreate([await expired(), '--for', '1h', '--dry-run']);
    const { body } = printed<{ body: Record<string, unknown> }>(run);
    expect([Object.keys(body).sort(), writes(run.sent)]).toEqual([
      ['comment', 'createdBy', 'endsAt', 'matchers', 'startsAt'],
      [],
    ]);
  });
});
