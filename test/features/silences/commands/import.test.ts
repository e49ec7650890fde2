import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PostableSilence } from '../../../../src/features/alerts/schema.ts';
import { importPlan } from '../../../../src/features/silences/commands/import.ts';
import { getJson } from '../../../support/alertmanager.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { failure, svc, temporaryHome } from '../../../support/svc.ts';
import { printed, sharedService, writes } from '../../alerts/commands/service.ts';
import { start } from './built.ts';

interface Row {
  readonly id: string | null;
  readonly previous_id: string | null;
  readonly result: string;
  readonly message: string | null;
}
interface Stored {
  readonly id: string;
  readonly comment: string;
  readonly endsAt: string;
  readonly status: { readonly state: string };
}

const MATCHERS = [{ name: 'team', value: 'db', isRegex: false, isEqual: true }];

let batch = 0;
const hour = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

/** Silences that no other test has: known by their comment. */
function rows(count: number, extra: object = {}) {
  const comment = `batch ${++batch}`;
  const list = Array.from({ length: count }, (_, i) => ({
    matchers: [{ name: 'row', value: `${batch}-${i}`, isRegex: false, isEqual: true }],
    startsAt: new Date().toISOString(),
    endsAt: hour(4),
    createdBy: 'ann',
    comment,
    ...extra,
  }));
  return { list, comment };
}

const service = sharedService();

const stored = async (comment: string): Promise<Stored[]> =>
  (await getJson<Stored[]>(service.url(), '/api/v2/silences')).filter((silence) => silence.comment === comment);
const importing = (value: unknown, ...argv: string[]) =>
  service.svc(['silences', 'import', '-', '-o', 'json', ...argv], {
    stdin: typeof value === 'string' ? value : JSON.stringify(value),
  });
const results = (run: { stdout: string }): string[] => (JSON.parse(run.stdout) as Row[]).map(({ result }) => result);

describe('svc silences import', () => {
  it('sends nothing for a file without silences, and says so', async () => {
    const run = await service.svc(['silences', 'import', '-'], { stdin: '[]' });
    expect(run).toMatchObject({ code: 0, stdout: '', stderr: 'there are no silences in it; nothing was sent\n' });
    expect(writes(run.sent)).toEqual([]);
  });

  it('creates the silences of an array, nothing the second time, and extends those that end earlier', async () => {
    const { list, comment } = rows(20);
    const first = await importing(list);
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(results(first)).toEqual(list.map(() => 'created'));
    const created = await stored(comment);
    expect(new Set(printed<Row[]>(first).map(({ id }) => id))).toEqual(new Set(created.map(({ id }) => id)));
    const second = await importing(list);
    expect([second.code, writes(second.sent)]).toEqual([0, []]);
    expect(results(second)).toEqual(list.map(() => 'unchanged'));
    const longer = list.map((row) => ({ ...row, endsAt: hour(6) }));
    expect(printed(await importing(longer, '--dry-run'))).toHaveLength(20);
    expect(new Set(results(await importing(longer)))).toEqual(new Set(['extended']));
    expect(new Set(results(await importing([...longer, ...list])))).toEqual(new Set(['unchanged']));
    expect(await stored(comment)).toHaveLength(20);
  });

  it('creates what svc silences export printed, with the former ids', async () => {
    const { list, comment } = rows(3);
    await importing(list);
    const exported = await service.svc(['silences', 'export', '--comment', comment], { env: { SVC_OUTPUT: 'yaml' } });
    expect(JSON.parse(exported.stdout)).toHaveLength(3);
    const expired = await service.svc(['silences', 'expire', '--comment', comment, '--yes', '-q']);
    expect([expired.code, expired.stdout.split('\n')]).toEqual([0, expect.objectContaining({ length: 4 })]);
    const again = await importing(exported.stdout);
    const before = (JSON.parse(exported.stdout) as Stored[]).map(({ id }) => id);
    expect(printed<Row[]>(again).map(({ previous_id }) => previous_id)).toEqual(before);
    expect((await stored(comment)).filter(({ status }) => status.state === 'active')).toHaveLength(3);
  });

  it('reads NDJSON and a single object', async () => {
    const { list, comment } = rows(2);
    expect(results(await importing(list.map((row) => JSON.stringify(row)).join('\n')))).toEqual(['created', 'created']);
    expect(results(await importing(list[0]))).toEqual(['unchanged']);
    expect(await stored(comment)).toHaveLength(2);
  });

  it('sends nothing from an incomplete file or one with a bad row', async () => {
    const { list, comment } = rows(5);
    const text = JSON.stringify(list, null, 2);
    const lines = list.map((row) => JSON.stringify(row)).join('\n');
    for (const bad of [
      text.slice(0, -40),
      text.slice(0, 500),
      lines.slice(0, -9),
      JSON.stringify([...list, { ...list[0], endsAt: 'soon' }]),
      '{',
    ]) {
      const run = await importing(bad);
      expect([run.code, run.stdout, run.sent]).toEqual([2, '', []]);
    }
    expect(await stored(comment)).toEqual([]);
  });

  it('skips silences that have ended, and sends one of two that are the same', async () => {
    const { list, comment } = rows(1);
    const over = { ...list[0], startsAt: hour(-4), endsAt: hour(-2) };
    const later = { ...list[0], startsAt: hour(10), endsAt: hour(12) };
    const run = await importing([...list, ...list, over, later, { ...over, startsAt: over.endsAt }]);
    expect([run.code, results(run)]).toEqual([10, ['created', 'unchanged', 'skipped', 'created', 'skipped']]);
    expect(printed<Row[]>(run)[2]?.message).toBe('already over');
    expect(await stored(comment)).toHaveLength(2);
  });

  it('exits 10 for silences that end before they start, or 3 if there are no others', async () => {
    const { list, comment } = rows(2);
    const swapped = { ...list[0], startsAt: hour(-2), endsAt: hour(-4) };
    const future = { ...list[0], startsAt: hour(4), endsAt: hour(2) };
    const over = { ...list[0], startsAt: hour(-4), endsAt: hour(-2) };
    const mixed = await importing([swapped, ...list, future, over]);
    expect([mixed.code, results(mixed)]).toEqual([10, ['invalid', 'created', 'created', 'invalid', 'skipped']]);
    expect(printed<Row[]>(mixed)[0]?.message).toBe('ends before it starts');
    expect(await stored(comment)).toHaveLength(2);
    const none = await importing([swapped, future]);
    expect([none.code, results(none), writes(none.sent)]).toEqual([3, ['invalid', 'invalid'], []]);
    expect((await importing([over, swapped])).code).toBe(10);
    const shown = await service.svc(['silences', 'import', '-'], { stdin: JSON.stringify([over, swapped]) });
    expect(shown.stderr).toBe('1 skipped: already over, 1 invalid\n');
  });

  it('asks about silences longer than a day', async () => {
    const { list, comment } = rows(5);
    const long = list.map((row, i) => (i < 3 ? row : { ...row, endsAt: hour(25 * i) }));
    const refused = await importing(long);
    expect([refused.code, failure(refused).code, writes(refused.sent)]).toEqual([2, 'confirmation_required', []]);
    expect(failure(refused).message).toContain('2 of them last longer than 24h (alerts.maxSilence).');
    expect(await stored(comment)).toEqual([]);
    // What is not sent is not asked about.
    expect((await importing([{ ...list[0], startsAt: hour(-900), endsAt: hour(-2) }])).code).toBe(10);
    expect((await importing(long, '--yes')).code).toBe(0);
    expect(await stored(comment)).toHaveLength(5);
  });

  it('creates the others if the server refuses one', async () => {
    const { list, comment } = rows(4);
    const bad = { ...list[0], matchers: [{ name: 'row', value: '(', isRegex: true }, ...(list[0]?.matchers ?? [])] };
    const run = await importing([...list.slice(0, 2), bad, ...list.slice(2)]);
    expect([run.code, results(run)]).toEqual([10, ['created', 'created', 'failed', 'created', 'created']]);
    expect(printed<Row[]>(run)[2]?.message).toContain('missing closing )');
    expect(await stored(comment)).toHaveLength(4);
  });

  it('needs --all-alerts for a silence without a positive matcher', async () => {
    const { list, comment } = rows(1, { matchers: [{ name: 'x', value: 'y', isRegex: false, isEqual: false }] });
    expect([(await importing(list)).code, await stored(comment)]).toEqual([2, []]);
    const run = await importing(list, '--all-alerts');
    expect([run.code, results(run)]).toEqual([0, ['created']]);
    for (const { id } of await stored(comment)) await service.svc(['silences', 'expire', id, '--yes']);
  });

  it('prints with --dry-run every request, and sends none', async () => {
    const { list, comment } = rows(3);
    const run = await importing(list, '--dry-run');
    expect(printed<{ body: unknown }[]>(run).map(({ body }) => body)).toEqual(list);
    expect([writes(run.sent), await stored(comment)]).toEqual([[], []]);
  });

  it('creates each silence exactly once after kill -9 and a second run', async () => {
    const { list, comment } = rows(400);
    const file = join(temporaryHome(), 'silences.json');
    writeFileSync(file, JSON.stringify(list));
    const cut = start(['silences', 'import', file, '-o', 'ndjson'], service.url());
    const some = async (): Promise<number> => (await stored(comment)).length;
    while ((await some()) < 20);
    cut.kill('SIGKILL');
    await cut.ended;
    const left = await some();
    expect(left).toBeGreaterThanOrEqual(20);
    const run = await service.svc(['silences', 'import', file, '-o', 'json']);
    expect(run.code).toBe(0);
    const names = (await stored(comment)).map((silence) =>
      JSON.stringify((silence as object as { matchers: unknown }).matchers),
    );
    expect([names.length, new Set(names).size]).toEqual([400, 400]);
    expect(results(run).filter((result) => result === 'unchanged').length).toBeGreaterThanOrEqual(20);
  });

  it('fills in the author and the times, and sends unknown fields', async () => {
    const now = Date.now();
    const file = { matchers: MATCHERS, endsAt: '2h', comment: 'from a file', annotations: { ticket: 'CHG-1' } };
    const iso = (hours: number): string => new Date(now + hours * 3_600_000).toISOString();
    const sent = { ...file, createdBy: 'tester@host', startsAt: iso(0), endsAt: iso(2) };
    const nulls = { id: null, startsAt: null, createdBy: null, status: null, updatedAt: null };
    for (const [content, body] of [
      [file, sent],
      [
        { ...file, comment: 'nulls', ...nulls, annotations: null },
        { ...sent, comment: 'nulls', annotations: undefined },
      ],
    ]) {
      const options = { now: () => now, stdin: JSON.stringify(content) };
      const run = await service.svc(['silences', 'import', '-'], options);
      expect([run.code, writes(run.sent).map((one) => JSON.parse(one.body))]).toEqual([0, [body]]);
    }
  });

  it('names what is wrong in a file', async () => {
    const valid = { matchers: MATCHERS, endsAt: '1h', comment: 'x' };
    const faults: readonly (readonly [content: unknown, why: string])[] = [
      ['hello', 'not JSON'],
      ['', 'is empty'],
      ['[1]', 'silence 1: not an object'],
      [[valid, { ...valid, matchers: undefined }], 'silence 2: matchers'],
      [{ ...valid, matchers: [] }, 'matchers: there must be at least one'],
      [{ ...valid, matchers: [{ name: 'a', value: 'b' }] }, 'matchers.0.isRegex'],
      [{ ...valid, endsAt: undefined }, 'endsAt'],
      [{ ...valid, endsAt: 'soon' }, 'endsAt: "soon" is not a time'],
      [{ ...valid, comment: undefined }, 'comment'],
      [{ ...valid, id: 'x' }, 'id is not a UUID'],
    ];
    for (const [content, why] of faults) {
      const run = await importing(content);
      expect([why, run.code, run.stdout, run.sent]).toEqual([why, 2, '', []]);
      expect(failure(run).message).toContain(why);
    }
  });

  it('sends nothing twice if a response is missing, and says that its outcome is unknown', async () => {
    const { list } = rows(2);
    let posts = 0;
    await using server = await faultServer((socket, { method }) => {
      if (method === 'GET') socket.write(answer(200, '[]'));
      else if (++posts === 1) socket.destroy();
      else socket.write(answer(200, '{"silenceID":"2f1a0000-0000-4000-8000-000000000000"}'));
    });
    const argv = ['silences', 'import', '-', '-o', 'json', '--base-url', server.url];
    const run = await svc(argv, { stdin: JSON.stringify(list) });
    expect([run.code, posts]).toEqual([10, 2]);
    expect(results(run).sort()).toEqual(['created', 'failed']);
    expect(run.stdout).toContain('may have been applied');
  });
});

describe('silences of a file that are the same', () => {
  const base = { startsAt: '2026-11-20T12:00:00.000Z', endsAt: '2027-01-01T00:00:00.000Z' };
  const meaning = ({ matchers, createdBy, comment }: PostableSilence): string => {
    const all = matchers.map((m) => JSON.stringify([m.name, m.value, m.isRegex, m.isEqual ?? true]));
    return JSON.stringify([[...new Set(all)].sort(), createdBy, comment]);
  };
  // Few characters, so that texts run into each other: digits and blanks are what the lengths are written with.
  const few = fc.string({ unit: fc.constantFrom('1', ' ', 't'), maxLength: 3 });
  const small = fc.record({
    matchers: fc.array(
      fc.record({
        name: few,
        value: few,
        isRegex: fc.boolean(),
        isEqual: fc.constantFrom(true, false, null, undefined),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    createdBy: few,
    comment: few,
  });

  it('have the same matchers in any order, author and comment', () => {
    fc.assert(
      fc.property(fc.array(small, { minLength: 2, maxLength: 12 }), (rows) => {
        const silences: PostableSilence[] = rows.map((one) => ({ ...base, ...one }));
        const doubled = [
          ...silences,
          ...silences.map((one) => ({ ...one, matchers: [...one.matchers, ...one.matchers].reverse() })),
        ];
        const planOf = importPlan([], Date.parse('2026-11-20T12:00:00Z'));
        const created = doubled.filter((one) => planOf(one).result === 'created');
        expect(created.map(meaning)).toEqual([...new Set(doubled.map(meaning))]);
      }),
    );
  });
});
