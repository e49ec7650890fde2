import { describe, expect, it } from 'vitest';
import { getJson, postAlerts, postSilence, type SeedSilence, wire } from '../../support/alertmanager.ts';
import type { RunOptions } from '../../support/svc.ts';
import { failure } from '../../support/svc.ts';
import { printed, sharedService, writes } from '../alerts/commands/service.ts';

const HOUR = 3_600_000;

interface Row {
  readonly id: string;
  readonly result: string;
}

const service = sharedService();

describe('a selection of silences', () => {
  let label = 0;
  const seed = (silence: Partial<SeedSilence> = {}): Promise<string> =>
    postSilence(service.url(), { matchers: [{ name: 'n', value: `${++label}`, isRegex: false }], ...silence });
  const run = (argv: readonly string[], options?: RunOptions) =>
    service.svc(['silences', ...argv, '-o', 'json'], options);
  const read = (id: string) => getJson<{ comment: string; endsAt: string }>(service.url(), `/api/v2/silence/${id}`);

  describe('update of several silences', () => {
    it('changes each; a missing and an expired one do not stop the others', async () => {
      const [good, gone] = [await seed(), await seed()];
      await wire(service.url(), `/api/v2/silence/${gone}`, { method: 'DELETE' });
      const missing = '00000000-0000-4000-8000-000000000000';
      const changed = await run(['update', gone, '-', '-c', 'UPD-2'], { stdin: `${good}\n${missing}\n` });
      expect([changed.code, printed<Row[]>(changed).map(({ result }) => result)]).toEqual([
        10,
        ['error', 'updated', 'not-found'],
      ]);
      expect((await read(good)).comment).toBe('UPD-2');
      const dry = await run(['update', good, await seed(), gone, '--author', 'bob', '--dry-run']);
      expect([dry.code, printed<unknown[]>(dry).length, writes(dry.sent)]).toEqual([10, 2, []]);
      expect(dry.stderr).toContain(gone);
    });

    it.each([
      [['-', '-m', 'team=db'], '--matcher changes one silence only'],
      [['2f1a'], 'no change is specified'],
      [['-c', 'UPD-1'], '<id> is required'],
      [['', '-c', 'UPD-1'], '<id> is empty'],
      [['2f1a', '--created-by', 'ann', '-c', 'x'], 'there is no option --created-by'],
    ])('%j: exit 2, nothing is sent', async (argv, message) => {
      const refused = await run(['update', ...argv], { stdin: '' });
      expect([refused.code, refused.sent, failure(refused).message]).toEqual([2, [], expect.stringContaining(message)]);
    });

    it('with no ids from standard input nothing is selected', async () => {
      const none = await run(['update', '-', '-c', 'UPD-3'], { stdin: '' });
      expect([none.code, printed(none), none.sent]).toEqual([0, [], []]);
    });
  });

  const listed = async (argv: readonly string[], options?: RunOptions): Promise<string[]> => {
    const found = await run(['list', ...argv], options);
    expect(found.code).toBe(0);
    return printed<{ id: string }[]>(found).map(({ id }) => id);
  };
  it('--unused leaves out silences that mute an alert', async () => {
    const [used, unused] = [await seed({ comment: 'FOR' }), await seed({ comment: 'FOR' })];
    await postAlerts(service.url(), [{ labels: { alertname: 'Used', n: `${label - 1}` } }]);
    const argv = ['--comment', 'FOR', '--unused'];
    await expect.poll(() => listed(argv)).toEqual([unused]);
    const expired = await run(['expire', ...argv, '--yes']);
    expect(printed<Row[]>(expired).map(({ id }) => id)).toEqual([unused]);
    expect(await listed(['--comment', 'FOR'])).toEqual([used]);
  });

  it('check lists silences that end within the time, the first to end at the top, and exits 1', async () => {
    const comment = 'CHECK';
    const ends = (ms: number) => ({ comment, endsAt: new Date(Date.now() + ms).toISOString() });
    const [second, first] = [await seed(ends(2 * HOUR)), await seed(ends(HOUR)), await seed(ends(5 * HOUR))];
    const check = ['check', '--comment', comment, '--expiring-within'];
    const failed = await run([...check, '3h']);
    expect([failed.code, printed<Row[]>(failed).map(({ id }) => id)]).toEqual([1, [first, second]]);
    const ok = await service.svc(['silences', ...check, '30m']);
    expect([ok.code, ok.stdout, ok.stderr]).toEqual([0, '', 'ok: no matching silence ends within this time\n']);
    const table = await service.svc(['silences', ...check, '90m']);
    expect([table.code, table.stderr]).toEqual([1, 'failed: 1 silence ends within 1h30m\n']);
    expect(table.stdout).toContain(first);
    const missing = await run(['check']);
    expect([missing.code, missing.sent]).toEqual([2, []]);
  });
});
