/** What the topics list is what the code takes: none of them is made up, and none is left out. */
import { describe, expect, it } from 'vitest';
import { parseTime, UTC } from '../../src/cli/time.ts';
import { TOPICS, topicText } from '../../src/cli/topics.ts';
import { OPERATORS, operatorOf } from '../../src/features/alerts/matcher.ts';
import { parseMatcherArguments } from '../../src/features/alerts/matcher-arguments.ts';

function rows(topic: string, title: RegExp): readonly (readonly [string, string])[] {
  const blocks = TOPICS.find(({ name }) => name === topic)?.blocks ?? [];
  const found = blocks.find((block) => block.rows !== undefined && title.test(block.title));
  return found?.rows ?? [];
}

describe.each(TOPICS)('svc help $name', (topic) => {
  it('fits a terminal of any width', () => {
    for (const columns of [40, 80, undefined]) {
      const text = topicText(topic, columns);
      const width = Math.min(columns ?? 80, 80);
      // One long word cannot be broken.
      const tooWide = text.split('\n').filter((line) => line.length > width && line.trim().includes(' '));
      expect(tooWide).toEqual([]);
      expect(text).not.toMatch(/[ \t]$|[^\x0a\x20-\x7e]|\n\n\n|\n\n$/m);
    }
  });
});

describe('svc help times', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  const points: Readonly<Record<string, string>> = {
    now: '2026-11-21T12:00:00.000Z',
    '2026-11-20T12:00:00Z': '2026-11-20T12:00:00.000Z',
    '2026-11-20T13:00:00+01:00': '2026-11-20T12:00:00.000Z',
    '2h ago': '2026-11-21T10:00:00.000Z',
    '-2h': '2026-11-21T10:00:00.000Z',
    'in 2h': '2026-11-21T14:00:00.000Z',
    '+2h': '2026-11-21T14:00:00.000Z',
    '2h': '2026-11-21T14:00:00.000Z',
    '18:00': '2026-11-21T18:00:00.000Z',
    'tomorrow 02:00': '2026-11-22T02:00:00.000Z',
    '2026-11-23 02:00': '2026-11-23T02:00:00.000Z',
    '2026-11-20': '2026-11-20T00:00:00.000Z',
    '1795176000': '2026-11-20T12:00:00.000Z',
  };

  it('lists only forms that svc accepts, with their meaning', () => {
    const listed = rows('times', /point in time/).flatMap(([left, right]) => [
      ...left.split(', '),
      ...(/\d{4}-\S+$/.exec(right) ?? []),
    ]);
    expect(listed.sort()).toEqual(Object.keys(points).sort());
    const zone = () => UTC;
    for (const [text, iso] of Object.entries(points)) {
      expect(parseTime(text, { now, bare: 'forward', unix: /^\d{10}$/.test(text), dates: true, zone }).iso).toBe(iso);
    }
  });
});

describe('svc help matchers', () => {
  it('shows every operator once', () => {
    const shown = rows('matchers', /operator/).map(([text]) => parseMatcherArguments([text]));
    expect(shown.map(([only]) => only && operatorOf(only)).sort()).toEqual([...OPERATORS].sort());
  });

  it('shows only spellings that svc accepts, with their meaning', () => {
    const read = (typed: string): unknown =>
      parseMatcherArguments([typed.replace(/^'(.*)'$/, '$1')]).map(({ name, value }) => [name, value]);
    expect(rows('matchers', /written/).map(([typed]) => read(typed))).toEqual([
      [['job', 'a b']],
      [['severity', 'critical']],
      [['alertname', 'DiskFull']],
      [
        ['job', 'db'],
        ['env', 'dev'],
      ],
    ]);
  });

  it('lists what is refused', () => {
    for (const text of ['a==b', 'a=b,c=d', '[a=b]', "a='b'"]) expect(() => parseMatcherArguments([text])).toThrow();
  });
});
