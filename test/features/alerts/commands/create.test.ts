import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { getJson } from '../../../support/alertmanager.ts';
import { failure, type RunOptions } from '../../../support/svc.ts';
import type { WireAlert } from './fleet.ts';
import { printed, type Sent, sharedService, writes } from './service.ts';

const HOUR = 3_600_000;
const iso = (ms: number): string => new Date(ms).toISOString();

const folder = mkdtempSync(join(tmpdir(), 'svc-alerts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

function posted(sent: readonly Sent[]): unknown[] {
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /api/v2/alerts']);
  expect(sent[0]?.headers['content-type']).toBe('application/json');
  return JSON.parse(sent[0]?.body ?? '') as unknown[];
}

const service = sharedService();

describe('svc alerts create', () => {
  const create = (argv: readonly string[], options?: RunOptions) => service.svc(['alerts', 'create', ...argv], options);
  const there = async (name: string): Promise<WireAlert | undefined> =>
    (await getJson<WireAlert[]>(service.url(), '/api/v2/alerts')).find(({ labels }) => labels['alertname'] === name);

  it('sends labels, annotations and a link', async () => {
    const now = Date.now();
    const argv = [
      'Backup',
      'host=db-1',
      'path=a=b c',
      'text="q\\"\\n"',
      '--annotation',
      'summary=No = backup',
      '--annotation',
      'empty=',
    ];
    const more = ['--for', '2h', '--generator-url', 'https://ci.example/job/1'];
    const run = await create([...argv, ...more, '-o', 'json'], { now: () => now });
    expect([run.code, run.stderr]).toEqual([0, '']);
    const alert = {
      labels: { alertname: 'Backup', host: 'db-1', path: 'a=b c', text: 'q"\n' },
      annotations: { summary: 'No = backup', empty: '' },
      generatorURL: 'https://ci.example/job/1',
      startsAt: iso(now),
      endsAt: iso(now + 2 * HOUR),
    };
    expect(posted(run.sent)).toEqual([alert]);
    expect(printed(run)).toEqual([alert]);
    expect(await there('Backup')).toMatchObject(alert);
  });

  it('sends no end without one, and says what the server will do', async () => {
    const now = Date.now();
    const run = await create(['Endless'], { now: () => now });
    expect(run.code).toBe(0);
    expect(posted(run.sent)).toEqual([{ labels: { alertname: 'Endless' }, startsAt: iso(now) }]);
    expect(run.stderr).toContain('has no end');
    expect(run.stderr).toContain('--for or --until');
    const ends = Date.parse((await there('Endless'))?.endsAt ?? '');
    expect(ends - now).toBeGreaterThan(4 * 60_000);
    expect(ends - now).toBeLessThan(6 * 60_000);
  });

  it.each([
    [['--start', '1h'], -HOUR, undefined],
    [['--start', '1h', '--for', '3h'], -HOUR, 2 * HOUR],
    [['--start', '-2h', '--end', '30m'], -2 * HOUR, HOUR / 2],
    [['--end', '2h'], 0, 2 * HOUR],
  ])('sends the times of %j by the clock, and always a start', async (argv, start, end) => {
    const now = Date.now();
    const run = await create(['Window', ...argv], { now: () => now });
    expect(run.code).toBe(0);
    const times =
      end === undefined ? { startsAt: iso(now + start) } : { startsAt: iso(now + start), endsAt: iso(now + end) };
    expect(posted(run.sent)).toEqual([{ labels: { alertname: 'Window' }, ...times }]);
    expect(run.stdout).toContain(iso(now + start));
  });

  it('reads one alert or several from a file or standard input', async () => {
    const now = Date.now();
    const one = { labels: { alertname: 'One' }, note: 'kept', endsAt: '2h' };
    const single = await create(['-f', file('one.json', one)], { now: () => now });
    expect([single.code, single.stderr]).toEqual([0, '']);
    expect(posted(single.sent)).toEqual([{ ...one, startsAt: iso(now), endsAt: iso(now + 2 * HOUR) }]);

    const many = [
      { labels: { alertname: 'Two', a: '1' }, annotations: { summary: 's' }, startsAt: iso(now - HOUR) },
      { labels: { alertname: 'Three' }, startsAt: '', endsAt: '', generatorURL: 'http://x/' },
    ];
    const several = await create(['--file', '-'], { now: () => now, stdin: `\ufeff${JSON.stringify(many)}` });
    expect(several.code).toBe(0);
    expect(posted(several.sent)).toEqual([
      many[0],
      { labels: { alertname: 'Three' }, generatorURL: 'http://x/', startsAt: iso(now) },
    ]);
    expect(several.stderr).toContain('2 alerts have no end');
    expect(await there('Two')).toBeDefined();
    expect(await there('Three')).toBeDefined();
  });

  it.each([
    ['not JSON', '{"labels":', 'not JSON'],
    ['an empty array', '[]', 'the array is empty'],
    ['no labels', '[{"labels":{"a":"b"}},{"annotations":{}}]', 'alert 2: labels'],
    ['a label that is a number', '[{"labels":{"a":1}}]', 'labels'],
    ['only empty labels', '[{"labels":{"a":"b"}},{"labels":{"a":"b"}},{"labels":{"a":""}}]', 'alert 3: no labels'],
    [
      'a time that is none',
      '[{"labels":{"a":"b"}},{"labels":{"a":"b"},"endsAt":"2026-02-30T00:00:00Z"}]',
      'alert 2: endsAt',
    ],
    [
      'an end before the start',
      '[{"labels":{"a":"b"},"startsAt":"2026-01-02T00:00:00Z","endsAt":"2026-01-01T00:00:00Z"}]',
      'before the start',
    ],
  ])('refuses a file with %s as a whole with exit 2', async (name, text, why) => {
    const path = file(`${name.replaceAll(' ', '-')}.json`, text);
    const run = await create(['-f', path]);
    expect([run.code, run.stdout, run.sent]).toEqual([2, '', []]);
    expect(run.stderr).toContain(why);
    expect(run.stderr).toContain(path);
  });

  it.each([
    [[], 'the alert name is missing'],
    [['A', 'x!=y'], 'x!="y" is not a label'],
    [['A', 'x='], 'the label x is empty'],
    [['A', 'x=1', 'x=2'], 'given twice'],
    [['A', '--end', '1h', '--for', '1h'], 'cannot be used together'],
    [['A', '--start', 'now', '--end', '2h ago'], 'before the start'],
    [['A', '--annotation', 'x'], 'not name=value'],
    [['A', '-f', 'x.json'], '--file cannot be used with'],
  ])('refuses %j with exit 2, and sends nothing', async (argv, why) => {
    const run = await create(argv);
    expect([run.code, run.stdout, run.sent]).toEqual([2, '', []]);
    expect(run.stderr).toContain(why);
  });

  it('ends an alert by an end in the past, whatever time passes between two readings of the clock', async () => {
    const ends: readonly (readonly string[] | object)[] = [
      ['--end', 'now'],
      ['--start', '1h', '--end', '1s ago'],
      ['--for', '0s'],
      { endsAt: '2026-01-01T00:00:00Z' },
      { endsAt: 'now', startsAt: null },
    ];
    for (const [index, end] of ends.entries()) {
      const name = `Ending${index}`;
      expect((await create([name, '--for', '1h'])).code).toBe(0);
      expect(await there(name)).toBeDefined();
      let clock = Date.now() - 1_000; // however fast, never ahead of the server's
      const now = () => clock++;
      const argv = Array.isArray(end)
        ? [name, ...end]
        : ['-f', file('end.json', { labels: { alertname: name }, ...end })];
      const run = await create(argv, { now });
      expect([end, run.code, run.stderr, await there(name)]).toEqual([end, 0, '', undefined]);
    }
  });

  it('takes null, new fields and the zero time of Go from a file', async () => {
    const zero = '0001-01-01T00:00:00Z';
    const labels = { alertname: 'Nulls', gone: null };
    const alert = {
      labels,
      annotations: { a: null, b: 'c' },
      generatorURL: null,
      startsAt: zero,
      endsAt: zero,
      more: { x: 1 },
    };
    const run = await create(['-f', file('nulls.json', [alert, { ...alert, annotations: null }])]);
    expect(run.code, run.stderr).toBe(0);
    const startsAt = expect.any(String);
    expect(posted(run.sent)).toEqual([
      { labels: { alertname: 'Nulls' }, annotations: { b: 'c' }, startsAt, more: { x: 1 } },
      { labels: { alertname: 'Nulls' }, startsAt, more: { x: 1 } },
    ]);
  });

  it('prints with --dry-run the request, and does not connect', async () => {
    const now = Date.now();
    const run = await create(['Dry', 'a=b', '--for', '1h', '--dry-run', '-o', 'json'], { now: () => now });
    expect([run.code, run.sent]).toEqual([0, []]);
    expect(printed(run)).toMatchObject({
      method: 'POST',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/api\/v2\/alerts$/),
      body: [{ labels: { alertname: 'Dry', a: 'b' }, startsAt: iso(now), endsAt: iso(now + HOUR) }],
    });
    const curl = await create(['Dry', '--for', '1h', '--dry-run=curl']);
    expect([curl.code, curl.sent]).toEqual([0, []]);
    expect(curl.stdout).toMatch(/^curl .*\/api\/v2\/alerts/);
    expect(await there('Dry')).toBeUndefined();
  });

  it('exits 3 with the reason of the server if that refuses the alert', async () => {
    const run = await create(['-o', 'json', '--generator-url', 'not a url', 'Link', '--for', '1h']);
    expect([run.code, run.stdout, writes(run.sent).length]).toEqual([3, '', 1]);
    expect(failure(run)).toMatchObject({ code: 'refused', http_status: 422 });
    expect(failure(run).message).toContain('generatorURL in body must be of type uri');
    expect(await there('Link')).toBeUndefined();
  });

  it('exits 10 if the server refuses some alerts of several', async () => {
    const batch = [{ labels: { alertname: 'Good' } }, { labels: { 'a-b': 'x', alertname: 'Bad' } }];
    const run = await create(['-f', '-', '-o', 'json'], { stdin: JSON.stringify(batch) });
    expect([run.code, run.stdout]).toEqual([10, '']);
    expect(failure(run)).toMatchObject({ code: 'partly_done', http_status: 400 });
    expect(failure(run).message).toContain('invalid label set: invalid name "a-b"');
    expect(await there('Good')).toBeDefined();
    expect(await there('Bad')).toBeUndefined();
    const alone = await create(['-f', '-', '-o', 'json'], { stdin: JSON.stringify(batch.slice(1)) });
    expect([alone.code, failure(alone).code]).toEqual([3, 'refused']);
  });
});
