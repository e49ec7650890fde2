import { describe, expect, test } from 'vitest';
import { getJson, postSilence, type SeedSilence, wire } from '../../support/alertmanager.ts';
import type { RunOptions } from '../../support/svc.ts';
import { failure, onBothServices, printed, writes } from '../alerts/commands/service.ts';

const HOUR = 3_600_000;

interface Row {
  readonly id: string;
  readonly result: string;
}

onBothServices((service) => {
  let label = 0;
  const seed = (silence: Partial<SeedSilence> = {}): Promise<string> =>
    postSilence(service.url(), { matchers: [{ name: 'n', value: `${++label}`, isRegex: false }], ...silence });
  const run = (argv: readonly string[], options?: RunOptions) =>
    service.svc(['silences', ...argv, '-o', 'json'], options);
  const read = (id: string) => getJson<{ comment: string; endsAt: string }>(service.url(), `/api/v2/silence/${id}`);

  describe('update of several silences', () => {
    test('without ids --comment selects, and --new-comment changes', async () => {
      const ids = [await seed({ comment: 'UPD-1' }), await seed({ comment: 'UPD-1' })];
      const now = Date.now();
      const changed = await run(['update', '--comment', 'UPD-1', '--new-comment', 'UPD-1b', '-d', '2h'], {
        now: () => now,
      });
      expect(changed.code).toBe(0);
      expect(
        printed<Row[]>(changed)
          .map(({ id, result }) => `${result} ${id}`)
          .sort(),
      ).toEqual(ids.map((id) => `updated ${id}`).sort());
      const endsAt = new Date(now + 2 * HOUR).toISOString();
      for (const id of ids) expect(await read(id)).toMatchObject({ comment: 'UPD-1b', endsAt });
    });

    test('with ids --comment changes; a missing and an expired one do not stop the others', async () => {
      const [good, gone] = [await seed(), await seed()];
      await wire(service.url(), `/api/v2/silence/${gone}`, { method: 'DELETE' });
      const missing = '00000000-0000-4000-8000-000000000000';
      const changed = await run(['update', gone, '-', '-c', 'UPD-2'], { stdin: `${good}\n${missing}\n` });
      expect([changed.code, printed<Row[]>(changed).map(({ result }) => result)]).toEqual([
        10,
        ['error', 'updated', 'not-found'],
      ]);
      expect((await read(good)).comment).toBe('UPD-2');
    });

    test.each([
      [['--comment', 'UPD'], 'no change is specified'],
      [['--comment', 'UPD', '-m', 'team=db'], '--matcher changes one silence only'],
      [['-', '-m', 'team=db'], '--matcher changes one silence only'],
      [['2f1a', '-c', 'a', '--new-comment', 'b'], '--comment and --new-comment cannot be used together'],
      [['--created-by', 'ann', '--new-comment', ' '], '--new-comment: is empty'],
      [['2f1a', '--created-by', 'ann', '-d', '1h'], 'ids cannot be used with options that select'],
      [['-d', '1h'], "missing required argument 'id'"],
    ])('%j: exit 2, nothing is sent', async (argv, message) => {
      const refused = await run(['update', ...argv], { stdin: '' });
      expect([refused.code, refused.sent, failure(refused).message]).toEqual([2, [], expect.stringContaining(message)]);
    });

    test('a dry run sends nothing and shows each request', async () => {
      await seed({ comment: 'UPD-3' });
      await seed({ comment: 'UPD-3' });
      const dry = await run(['update', '--comment', 'UPD-3', '--author', 'bob', '--dry-run']);
      expect([dry.code, printed<unknown[]>(dry).length, writes(dry.sent)]).toEqual([0, 2, []]);
    });
  });
});
