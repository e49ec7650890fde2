import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { getJson, postSilence, type SeedSilence } from '../../../support/alertmanager.ts';
import type { RunOptions } from '../../../support/svc.ts';
import { failure } from '../../../support/svc.ts';
import { lines, onBothServices, printed, writes } from '../../alerts/commands/service.ts';

const HOUR = 3_600_000;
const iso = (ms: number): string => new Date(ms).toISOString();
const folder = mkdtempSync(join(tmpdir(), 'svc-silences-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const FILE = join(folder, 'silences.json');

const matchers = (value: string) => [{ name: 'team', value, isRegex: false, isEqual: true }];

interface Made {
  readonly silenceID: string;
  readonly previousID?: string;
  readonly comment: string;
}
interface WireSilence extends SeedSilence {
  readonly id: string;
  readonly status: { readonly state: string };
}

onBothServices((service) => {
  const fromFile = (content: unknown, argv: readonly string[] = [], options: RunOptions = {}) => {
    writeFileSync(FILE, typeof content === 'string' ? content : JSON.stringify(content));
    return service.svc(['silences', 'create', '-f', FILE, ...argv], options);
  };
  const silence = (id: string) => getJson<WireSilence>(service.url(), `/api/v2/silence/${id}`);
  const all = () => getJson<WireSilence[]>(service.url(), '/api/v2/silences');

  test('one object: fills in defaults, preserves unknown fields', async () => {
    const now = Date.now();
    const file = { matchers: matchers('one'), endsAt: '2h', comment: 'from a file', annotations: { ticket: 'CHG-1' } };
    const run = await fromFile(file, ['-o', 'json'], { now: () => now });
    expect(run.code).toBe(0);
    const sent = { ...file, createdBy: 'tester@host', startsAt: iso(now), endsAt: iso(now + 2 * HOUR) };
    expect(writes(run.sent).map(({ body }) => JSON.parse(body))).toEqual([sent]);
    const made = printed<Made>(run);
    expect(made).toMatchObject({ comment: 'from a file', annotations: { ticket: 'CHG-1' } });
    expect(await silence(made.silenceID)).toMatchObject({ comment: 'from a file', matchers: matchers('one') });
  });

  test('null is absent: the id, the author and the start too', async () => {
    const now = Date.now();
    const given = { matchers: matchers('nulls'), endsAt: iso(now + HOUR), comment: 'x' };
    const nulls = { id: null, startsAt: null, createdBy: null, annotations: null, status: null, updatedAt: null };
    const run = await fromFile({ ...given, ...nulls }, ['-o', 'json'], { now: () => now });
    expect(run.code, run.stderr).toBe(0);
    const sent = { ...given, createdBy: 'tester@host', startsAt: iso(now) };
    expect(writes(run.sent).map(({ body }) => JSON.parse(body))).toEqual([sent]);
    const imported = await service.svc(['silences', 'import', FILE, '-o', 'json']);
    expect(printed(imported)).toMatchObject([{ result: 'unchanged', silenceID: printed<Made>(run).silenceID }]);
  });

  test('several: a list in their order, and with -q their ids', async () => {
    const now = Date.now();
    const file = ['a', 'b', 'c', 'd', 'e', 'f'].map((value) => ({
      matchers: matchers(value),
      startsAt: iso(now),
      endsAt: iso(now + HOUR),
      createdBy: `by ${value}`,
      comment: value,
    }));
    const run = await fromFile(file, ['-o', 'json'], { now: () => now });
    expect(run.code).toBe(0);
    const made = printed<Made[]>(run);
    expect(made.map(({ comment }) => comment)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    for (const { silenceID, comment } of made) {
      expect(await silence(silenceID)).toMatchObject({ comment, createdBy: `by ${comment}` });
    }
    const quiet = await fromFile(file.slice(0, 2), ['-q'], { now: () => now });
    expect(quiet.stdout).toMatch(/^[0-9a-f-]{36}\n[0-9a-f-]{36}\n$/);
    const table = await fromFile(file, [], { now: () => now });
    expect(table.stdout.trimEnd().split('\n')).toHaveLength(7);
  });

  test('prints an array of one as an array', async () => {
    const run = await fromFile([{ matchers: matchers('x'), endsAt: '1h', comment: 'x' }], ['-o', 'json']);
    expect(printed<Made[]>(run)).toHaveLength(1);
  });

  test('standard input', async () => {
    const stdin = JSON.stringify({ matchers: matchers('x'), endsAt: 'in 1h', comment: 'x' });
    const run = await service.svc(['silences', 'create', '-f', '-', '-q', '--author', 'me'], { stdin });
    expect(run.code).toBe(0);
    expect(await silence(run.stdout.trim())).toMatchObject({ createdBy: 'me' });
  });

  describe('with an id', () => {
    let id = '';
    beforeEach(async () => {
      id = await postSilence(service.url(), { matchers: matchers('old'), comment: 'old', createdBy: 'ann' });
    });

    test('an edited list updates the silences', async () => {
      const listed = await service.svc(['silences', 'get', id, '-o', 'json']);
      const edited = { ...printed<WireSilence & { updatedAt: string }>(listed), comment: 'new' };
      const run = await fromFile(edited, ['-o', 'json']);
      expect(run.code).toBe(0);
      expect(printed<Made>(run)).toMatchObject({ silenceID: id, previousID: id, comment: 'new' });
      const { status: _status, updatedAt: _updatedAt, ...fields } = edited;
      expect(writes(run.sent).map(({ body }) => JSON.parse(body))).toEqual([fields]);
      expect(await silence(id)).toMatchObject({ comment: 'new', createdBy: 'ann', status: { state: 'active' } });
    });

    test('an upper-case id is the same silence', async () => {
      const run = await fromFile({ ...(await silence(id)), id: id.toUpperCase(), comment: 'new' }, ['-o', 'json']);
      expect(printed<Made>(run)).toMatchObject({ silenceID: id, previousID: id });
    });

    test('other matchers replace it, and both ids are printed', async () => {
      const run = await fromFile({ ...(await silence(id)), matchers: matchers('new') }, ['-o', 'json']);
      const made = printed<Made>(run);
      expect(made.previousID).toBe(id);
      expect(made.silenceID).not.toBe(id);
      expect([(await silence(id)).status.state, (await silence(made.silenceID)).status.state]).toEqual([
        'expired',
        'active',
      ]);
    });

    test('an unknown id: exit 5, nothing written', async () => {
      const unknown = '00000000-0000-4000-8000-000000000000';
      const run = await fromFile([
        { matchers: matchers('n'), endsAt: '1h', comment: 'n' },
        { ...(await silence(id)), id: unknown },
      ]);
      expect([run.code, writes(run.sent)]).toEqual([5, []]);
    });

    test('an invalid regular expression: exit 3, and the old silence remains', async () => {
      const bad = [{ name: 'team', value: '(', isRegex: true, isEqual: true }];
      const run = await fromFile({ ...(await silence(id)), matchers: bad }, ['--yes', '-o', 'json']);
      expect([run.code, writes(run.sent)]).toEqual([3, []]);
      expect(failure(run).message).toContain('missing closing )');
      expect((await silence(id)).status.state).toBe('active');
    });
  });

  test.each([
    ['text', 'hello', 'not JSON'],
    ['nothing', '', 'is empty'],
    ['an empty array', '[]', 'the array is empty'],
    ['a number', '[1]', 'silence 1: not an object'],
    [
      'no matchers',
      [
        { matchers: matchers('a'), endsAt: '1h', comment: 'x' },
        { endsAt: '1h', comment: 'x' },
      ],
      'silence 2: matchers',
    ],
    [
      'a matcher without isRegex',
      { matchers: [{ name: 'a', value: 'b' }], endsAt: '1h', comment: 'x' },
      'matchers.0.isRegex',
    ],
    ['no end', { matchers: matchers('a'), comment: 'x' }, 'endsAt'],
    ['no comment', { matchers: matchers('a'), endsAt: '1h' }, 'comment'],
    ['an empty comment', { matchers: matchers('a'), endsAt: '1h', comment: ' ' }, 'comment is empty'],
    ['a time that is none', { matchers: matchers('a'), endsAt: 'soon', comment: 'x' }, 'endsAt: "soon" is not a time'],
    [
      'an end in the past',
      { matchers: matchers('a'), startsAt: '3h ago', endsAt: '1h ago', comment: 'x' },
      'in the past',
    ],
    [
      'an end before the start',
      { matchers: matchers('a'), startsAt: '3h', endsAt: '1h', comment: 'x' },
      'before it starts',
    ],
    ['an id that is none', { id: 'x', matchers: matchers('a'), endsAt: '1h', comment: 'x' }, 'id is not a UUID'],
    [
      'no positive matcher',
      { matchers: [{ name: 'a', value: 'b', isRegex: false, isEqual: false }], endsAt: '1h', comment: 'x' },
      '--all-alerts',
    ],
    ['no matcher at all', { matchers: [], endsAt: '1h', comment: 'x' }, 'matchers: there must be at least one'],
  ])('a file with %s: exit 2, nothing written', async (_, content, why) => {
    const before = (await all()).length;
    const run = await fromFile(content);
    expect([run.code, run.stdout, writes(run.sent)]).toEqual([2, '', []]);
    expect(run.stderr).toContain(why);
    expect(await all()).toHaveLength(before);
  });

  test('one refused silence among others: the others are created, exit 10', async () => {
    // A name that a filter takes and a silence does not: only the write finds out.
    const bad = { matchers: [{ name: 'a:b', value: 'x', isRegex: false }], endsAt: '1h', comment: 'bad' };
    const good = (value: string) => ({ matchers: matchers(value), endsAt: '1h', comment: value });
    const run = await fromFile([good('g1'), bad, good('g2')], ['-o', 'ndjson']);
    expect(run.code).toBe(10);
    const made = run.stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as Made).comment);
    expect(made).toEqual(['g1', 'g2']);
    expect(run.stderr).toContain('a:b="x"');
    expect(run.stderr).toContain('invalid label name');
  });

  test('asks about one before it writes any', async () => {
    const good = { matchers: matchers('g'), endsAt: '1h', comment: 'g' };
    const wide = { matchers: matchers('w'), endsAt: '25h', comment: 'w' };
    const unattended = await fromFile([good, wide]);
    expect([unattended.code, writes(unattended.sent)]).toEqual([2, []]);
    const no = await fromFile([good, wide], [], { terminal: 100, answer: false });
    expect([no.code, no.asked.length, writes(no.sent)]).toEqual([2, 1, []]);
    const yes = await fromFile([good, wide], ['--yes', '-q']);
    expect([yes.code, writes(yes.sent).length]).toEqual([0, 2]);
  });

  test('--dry-run shows every request, in order, and writes nothing', async () => {
    const run = await fromFile(
      ['a', 'b', 'c'].map((value) => ({ matchers: matchers(value), endsAt: '1h', comment: value })),
      ['--dry-run', '-o', 'json'],
    );
    expect([run.code, lines(run.sent)]).toEqual([0, []]);
    expect(printed<{ body: { comment: string } }[]>(run).map(({ body }) => body.comment)).toEqual(['a', 'b', 'c']);
  });
});
