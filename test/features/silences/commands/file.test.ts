/** What a file of silences may have. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { getJson } from '../../../support/alertmanager.ts';
import type { RunOptions } from '../../../support/svc.ts';
import { sharedService, writes } from '../../alerts/commands/service.ts';

const HOUR = 3_600_000;
const iso = (ms: number): string => new Date(ms).toISOString();
const folder = mkdtempSync(join(tmpdir(), 'svc-silences-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const FILE = join(folder, 'silences.json');

const matchers = (value: string) => [{ name: 'team', value, isRegex: false, isEqual: true }];

const service = sharedService();

describe('svc silences import', () => {
  const fromFile = (content: unknown, argv: readonly string[] = [], options: RunOptions = {}) => {
    writeFileSync(FILE, typeof content === 'string' ? content : JSON.stringify(content));
    return service.svc(['silences', 'import', FILE, ...argv], options);
  };
  const all = () => getJson<unknown[]>(service.url(), '/api/v2/silences');

  it('one object: fills in defaults, preserves unknown fields', async () => {
    const now = Date.now();
    const file = { matchers: matchers('one'), endsAt: '2h', comment: 'from a file', annotations: { ticket: 'CHG-1' } };
    const run = await fromFile(file, [], { now: () => now });
    expect(run.code).toBe(0);
    const sent = { ...file, createdBy: 'tester@host', startsAt: iso(now), endsAt: iso(now + 2 * HOUR) };
    expect(writes(run.sent).map(({ body }) => JSON.parse(body))).toEqual([sent]);
  });

  it('null is absent: the id, the author and the start too', async () => {
    const now = Date.now();
    const given = { matchers: matchers('nulls'), endsAt: iso(now + HOUR), comment: 'x' };
    const nulls = { id: null, startsAt: null, createdBy: null, annotations: null, status: null, updatedAt: null };
    const run = await fromFile({ ...given, ...nulls }, [], { now: () => now });
    expect(run.code, run.stderr).toBe(0);
    const sent = { ...given, createdBy: 'tester@host', startsAt: iso(now) };
    expect(writes(run.sent).map(({ body }) => JSON.parse(body))).toEqual([sent]);
  });

  it.each([
    ['text', 'hello', 'not JSON'],
    ['nothing', '', 'is empty'],
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
    ['a time that is none', { matchers: matchers('a'), endsAt: 'soon', comment: 'x' }, 'endsAt: "soon" is not a time'],
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
});
