import { describe, expect, test } from 'vitest';
import { compileQuery } from '../../src/output/query.ts';
import { checkOutputOptions } from '../../src/output/render.ts';
import { valueAt } from '../../src/output/shape.ts';
import type { AnyOutput, OutputOptions } from '../../src/output/types.ts';
import { rejectionOf } from '../support/refusal.ts';
import { ALERT, ALERTS, type Alert, alert, options, rendering } from './rendering.ts';

const ids = async (rows: Iterable<Alert> | AsyncIterable<Alert>, changes: Partial<OutputOptions>): Promise<string[]> =>
  (await rendering(rows, ALERTS, { ...changes, format: 'id' })).text.split('\n').slice(0, -1);

describe('--sort', () => {
  const by = (sort: string, changes: Partial<Alert>[]) =>
    ids(
      changes.map((change, index) => alert({ fingerprint: String(index), ...change })),
      { sort: [sort] },
    );

  test('numbers go by amount, in columns and in fields', async () => {
    expect(await by('value', [{ value: 10 }, { value: 9 }, { value: -1 }])).toEqual(['2', '1', '0']);
    const amounts = ['0.5', '0.25', '10', '9'].map((amount) => ({ labels: { amount } }));
    expect(await by('labels.amount', amounts)).toEqual(['1', '0', '3', '2']);
    const large = ['9007199254740993', '9007199254740992'].map((amount) => ({ labels: { amount } }));
    expect(await by('labels.amount', large)).toEqual(['1', '0']);
  });

  test('times go by instant', async () => {
    const times = [{ startsAt: '2026-03-01T12:30:00+02:00' }, { startsAt: '2026-03-01T11:00:00Z' }];
    expect(await by('startsAt', times)).toEqual(['0', '1']);
    expect(await by('-since', times)).toEqual(['1', '0']);
  });

  test('text sorts naturally, in toned cells, families and fields', async () => {
    const names = ['disk10', 'disk9', 'Disk1'].map((alertname) => ({ labels: { alertname } }));
    for (const key of ['alertname', 'label:alertname', 'labels.alertname'])
      expect(await by(key, names)).toEqual(['2', '1', '0']);
    expect(await by('state', [{ state: 'b' }, { state: 'a' }])).toEqual(['1', '0']);
  });

  test('missing values are last in both directions', async () => {
    const rows = [{ value: null }, { value: 2 }, { value: 1 }];
    expect(await by('value', rows)).toEqual(['2', '1', '0']);
    expect(await by('-value', rows)).toEqual(['1', '2', '0']);
  });

  test('an unknown name is refused with the columns, unless there are no rows', async () => {
    const error = await rejectionOf(rendering([alert()], ALERTS, { sort: ['colour'] }));
    expect(error).toMatchObject({ code: 'usage', message: '--sort: there is no column or field "colour"' });
    expect(error.hint).toContain('alertname');
    expect(await ids([], { sort: ['colour'] })).toEqual([]);
  });
});

describe('--limit', () => {
  test('comes after the sort, and says how many were cut', async () => {
    const rows = [3, 1, 2].map((value) => alert({ value, fingerprint: String(value) }));
    expect(await rendering(rows, ALERTS, { format: 'id', sort: ['value'], limit: 2 })).toMatchObject({
      text: '1\n2\n',
      rows: 2,
      cut: 1,
    });
    expect((await rendering(rows, ALERTS, { format: 'json', limit: 0 })).text).toBe('[]\n');
  });

  test('reads no more rows than it shows, and ends the source', async () => {
    let made = 0;
    let ended = false;
    async function* source(): AsyncGenerator<Alert> {
      try {
        for (;;) yield alert({ fingerprint: String(++made) });
      } finally {
        ended = true;
      }
    }
    expect(await ids(source(), { limit: 2 })).toEqual(['1', '2']);
    expect([made, ended]).toEqual([2, true]);
  });
});

describe('--query', () => {
  const rows = [alert({ fingerprint: 'a', value: 1 }), alert({ fingerprint: 'b', value: null })];
  const query = async (expression: string, changes: Partial<OutputOptions> = {}): Promise<string> =>
    (await rendering(rows, ALERTS, { query: expression, ...changes })).text;

  test('runs after sort and limit', async () => {
    expect(await query('[].fingerprint', { sort: ['-fingerprint'], limit: 1, format: 'ndjson' })).toBe('"b"\n');
  });

  test('any shape has a table', async () => {
    expect(await query('[].fingerprint')).toBe('a\nb\n');
    expect(await query('[].[fingerprint, value]')).toBe('a  1\nb\n');
    expect(await query('[].{id: fingerprint, at: labels}')).toBe(
      'ID  AT\na   {"alertname":"DiskFull","instance":"db1"}\nb   {"alertname":"DiskFull","instance":"db1"}\n',
    );
    expect(await query('[0].labels')).toBe('ALERTNAME  DiskFull\nINSTANCE   db1\n');
    expect(await query('length(@)')).toBe('2\n');
    expect(await query('[0].nothing')).toBe('');
    expect(await query('[?value > `5`]')).toBe('');
    expect(await query('[0].receivers')).toBe('team-a\nteam-b\n');
  });

  test('orders numbers only, and sums decimals', async () => {
    expect(await query('[?value >= `1`].fingerprint')).toBe('a\n');
    expect(await query('[?nothing < `1`].fingerprint')).toBe('');
    expect(await query("[?fingerprint < 'b'].fingerprint")).toBe('');
    expect(await query("[?fingerprint == 'a' && value < `2`].fingerprint")).toBe('a\n');
    expect(await query('sum(`[0.1, 0.2]`)')).toBe('0.3\n');
    expect(await query('avg(`[0.1, 0.2, 0.3]`)')).toBe('0.2\n');
    expect(await query('avg(`[]`)', { format: 'json' })).toBe('null\n');
  });

  test('compares with texts, not with fields in double quotes: refused before any request', async () => {
    for (const [expression, name] of [
      ['[?fingerprint == "a"]', 'a'],
      ['[?value == `1` && fingerprint != "x-y"].fingerprint', 'x-y'],
      ['[?value >= "1"]', '1'],
    ] as const)
      await expect(compileQuery(expression)).rejects.toMatchObject({
        code: 'usage',
        message: `--query: "${name}", in double quotes, is the name of a field`,
        hint: `write the text as '${name}'; a field belongs on the left of a comparison`,
      });
    expect(await query('[?"fingerprint" == \'a\']."fingerprint"')).toBe('a\n');
  });

  test.each([
    ['.[].labels', /JMESPath: \[\]\.a for \.\[\]\.a in jq/],
    ['[?fingerprint == `a`]', /write texts in single quotes/],
    ['foo[', /jmespath\.org/],
  ])('%s: the hint says what to write', async (expression, hint) => {
    await expect(compileQuery(expression)).rejects.toMatchObject({ hint: expect.stringMatching(hint) });
  });

  test('a failure at run time is reported as a faulty query', async () => {
    const error = await rejectionOf(query('length([0].value)'));
    expect(error).toMatchObject({ code: 'usage', exit: 2 });
    expect(error.message).toMatch(/^--query: /);
  });
});

describe('--fields', () => {
  test('gives objects keyed by the paths, with null for missing values', async () => {
    const rows = [alert(), alert({ labels: {} })];
    const { text } = await rendering(rows, ALERTS, { fields: ['state', 'labels.instance'], format: 'json' });
    expect(JSON.parse(text)).toEqual([
      { state: 'active', 'labels.instance': 'db1' },
      { state: 'active', 'labels.instance': null },
    ]);
  });

  test('names the columns of a table, and of an empty csv', async () => {
    const changes = { fields: ['labels.instance', 'value'] };
    expect((await rendering([alert()], ALERTS, changes)).text).toBe('LABELS.INSTANCE  VALUE\ndb1              93.5\n');
    expect((await rendering([], ALERTS, { ...changes, format: 'csv' })).text).toBe('labels.instance,value\n');
  });

  test('refuses a field that no row has before it prints', async () => {
    const error = await rejectionOf(rendering([alert()], ALERTS, { fields: ['state', 'nope'], format: 'csv' }));
    expect(error).toMatchObject({ code: 'usage', message: '--fields: there is no field "nope" in the response' });
    expect(error.hint).toContain('labels.alertname');
  });

  test('__proto__ is a name like any other', async () => {
    const value = JSON.parse('[{"__proto__":{"a":1}}]');
    expect((await rendering(value, ALERTS, { fields: ['__proto__.a'], format: 'ndjson' })).text).toBe(
      '{"__proto__.a":1}\n',
    );
    await rejectionOf(rendering([{}], ALERTS, { fields: ['constructor'] }));
  });
});

test('a path leads through objects and lists', () => {
  for (const [path, value, found] of [
    ['a.b', { a: { b: 1 } }, 1],
    ['a.b', { 'a.b': 2, a: { b: 1 } }, 2],
    ['a.b.c', { 'a.b': { c: 3 } }, 3],
    ['list.name', { list: [{ name: 'x' }, {}, { name: 'y' }] }, ['x', 'y']],
    ['list.1', { list: ['x', 'y'] }, 'y'],
    ['a.b', { a: null }, undefined],
    ['list.name', { list: [{}] }, undefined],
    ['length', 'text', undefined],
  ] as const)
    expect([path, valueAt(value, path)]).toEqual([path, found]);
});

test('options that do not apply are refused before any request', async () => {
  const refused: readonly (readonly [Partial<OutputOptions>, AnyOutput, RegExp])[] = [
    [{ query: 'foo[' }, ALERTS, /^--query: /],
    [{ query: '[?x].nope(@)' }, ALERTS, /no function nope\(\)/],
    [{ query: '@', fields: ['a'] }, ALERTS, /cannot be used together/],
    [{ columns: ['colour'] }, ALERTS, /no column "colour"/],
    [{ columns: ['label:'] }, ALERTS, /no column "label:"/],
    [{ columns: ['toString:x'] }, ALERTS, /no column/],
    [{ columns: ['state'], format: 'json' }, ALERTS, /does not apply to -o json/],
    [{ columns: ['state'], query: '@' }, ALERTS, /--query replaces/],
    [{ fields: ['state'] }, { kind: 'text' }, /plain text/],
    [{ sort: ['state'] }, ALERT, /does not print a list/],
    [{ sort: ['-'] }, ALERTS, /the name is empty/],
    [{ query: '@', format: 'id' }, ALERTS, /--query does not apply/],
  ];
  for (const [changes, output, message] of refused) {
    const error = await rejectionOf(checkOutputOptions(output, options(changes)));
    expect([error.code, error.message]).toEqual(['usage', expect.stringMatching(message)]);
  }
  await expect(checkOutputOptions(ALERT, options({ fields: ['a.b'], format: 'csv' }))).resolves.toBeUndefined();
});
