import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cellLine } from '../../src/output/cells.ts';
import { escapeText } from '../../src/output/escape.ts';
import { lineCell, printLine, printLines } from '../../src/output/lines.ts';
import { layOut } from '../../src/output/table.ts';
import { displayWidth, painter } from '../../src/output/terminal.ts';
import type { ListOutput } from '../../src/output/types.ts';
import { ALERT, ALERTS, alert, options, rendering } from './rendering.ts';

const texts = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.lorem({ maxCount: 12 }),
);
const anyAlert = fc
  .record({
    fingerprint: fc.stringMatching(/^[0-9a-f]{0,16}$/),
    state: fc.constantFrom('active', 'suppressed', ''),
    summary: texts,
    receivers: fc.array(texts, { maxLength: 3 }),
    labels: fc.record({ alertname: texts, instance: texts }),
  })
  .map((changes) => alert(changes));
const lines = (text: string): string[] => text.split('\n').slice(0, -1);

describe('a list', () => {
  test('has upper-case headers, two spaces between columns and no trailing spaces', async () => {
    const rows = [alert(), alert({ state: 'suppressed', value: 7, receivers: [], labels: { alertname: '日本' } })];
    const { text, rows: count } = await rendering(rows, ALERTS);
    expect(text).toBe(
      [
        'STATE       ALERTNAME  VALUE  SUMMARY                  SINCE                 RECEIVERS',
        'active      DiskFull    93.5  the disk is nearly full  2026-03-01T11:57:00Z  team-a team-b',
        'suppressed  日本           7  the disk is nearly full  2026-03-01T11:57:00Z',
        '',
      ].join('\n'),
    );
    expect(count).toBe(2);
  });

  test('wide has the wide columns, --columns the named ones, including families', async () => {
    expect((await rendering([alert()], ALERTS, { format: 'wide' })).text).toContain('FINGERPRINT');
    const { text } = await rendering([alert()], ALERTS, { columns: ['fingerprint', 'label:instance'] });
    expect(text).toBe('FINGERPRINT  LABEL:INSTANCE\nf00d         db1\n');
    expect((await rendering([alert()], ALERTS, { columns: ['state'], headers: false })).text).toBe('active\n');
  });

  test('colors headers and tones only if color is on', async () => {
    const rows = [alert({ state: 'active', labels: {} })];
    const { text } = await rendering(rows, ALERTS, { columns: ['state', 'alertname', 'fingerprint'], color: 1 });
    expect(text).toBe(
      '\x1b[1mSTATE\x1b[22m   \x1b[1mALERTNAME\x1b[22m  \x1b[1mFINGERPRINT\x1b[22m\n\x1b[31mactive\x1b[39m             f00d\n',
    );
  });

  test('at a terminal shortens flexible columns, then drops and names columns', async () => {
    const at80 = await rendering([alert({ summary: 'x'.repeat(200) })], ALERTS, { width: 80, time: 'relative' });
    expect(at80.dropped).toEqual([]);
    expect(displayWidth(lines(at80.text)[1] ?? '')).toBe(80);
    expect(at80.text).toMatch(/x…/);
    const at40 = await rendering([alert({ summary: 'x'.repeat(200) })], ALERTS, { width: 40, time: 'relative' });
    expect(at40.dropped).toEqual(['since', 'receivers']);
    expect(at40.text).toContain('xxxxx…');
  });

  test.each([40, 200])('has no line wider than %d columns, and every column is shown or named', async (width) => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyAlert, { minLength: 1, maxLength: 5 }), fc.boolean(), async (rows, wide) => {
        const format = wide ? 'wide' : 'table';
        const { text, dropped, shared } = await rendering(rows, ALERTS, { width, format });
        const [header = '', ...others] = lines(text);
        for (const line of [header, ...others]) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        expect(others).toHaveLength(rows.length);
        const shown = header.split(/ +/).map((title) => title.toLowerCase());
        const isShown = ({ cell, wide: isWide }: (typeof ALERTS.columns)[number], index: number): boolean =>
          wide || index === 0 || (isWide !== true && rows.some((row) => cellLine(cell(row), options()) !== ''));
        const declared = ALERTS.columns.filter(isShown).map(({ name }) => name);
        const named = shared.map((value) => value.split('=')[0] ?? '');
        expect([...shown, ...dropped, ...named].sort()).toEqual([...declared].sort());
      }),
      { numRuns: 60 },
    );
  });

  test.each([24, 80])('at %d columns wraps a column that --columns names, and does not drop it', async (width) => {
    const columns = ['alertname', 'summary', 'receivers', 'fingerprint'];
    await fc.assert(
      fc.asyncProperty(fc.array(anyAlert, { minLength: 1, maxLength: 5 }), async (rows) => {
        const { text, dropped, shared } = await rendering(rows, ALERTS, { width, columns });
        expect({ dropped, shared }).toEqual({ dropped: [], shared: [] });
        for (const line of lines(text)) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        const visible = (shown: string): string => shown.replace(/\s/g, '');
        const wanted = (await rendering(rows, ALERTS, { columns })).text;
        // Cells side by side wrap at different places, so only the characters are the same.
        expect([...visible(text)].sort()).toEqual([...visible(wanted)].sort());
      }),
      { numRuns: 60 },
    );
  });
});

test('both printers of tables give the same bytes, whatever the characters', async () => {
  const text = fc.oneof(
    fc.stringMatching(/^[\x20-\x7e…]{0,12}$/),
    fc.string({ unit: 'grapheme', maxLength: 12 }).map(escapeText),
    fc
      .constantFrom('日本', 'สวัสดี', '☎', 'e\u0301', '\u0300', '_\u0300__', '👩‍👧', '©\ufe0f', 'ᄒ\u1161\u11ab')
      .map(escapeText),
  );
  const tone = fc.constantFrom(undefined, 'bad' as const, 'dim' as const, 'strong' as const);
  const cell = fc.tuple(text, tone).map(([shown, painted]) => lineCell(shown, painted));
  const align = fc.constantFrom(undefined, 'right' as const);
  /** It has five code units and takes five cells: the first takes two, the next two one. */
  const empty = lineCell('', undefined);
  const asLongAsWide: [typeof empty, typeof empty, typeof empty] = [
    lineCell('日\u{10000}ふ\u309a', undefined),
    empty,
    empty,
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell, cell), { maxLength: 8 }),
      fc.tuple(align, align, align),
      fc.constantFrom(0 as const, 1 as const),
      async (rows, aligns, color) => {
        const columns = aligns.map((each, index) => {
          return { width: rows.reduce((most, cells) => Math.max(most, cells[index]?.width ?? 0), 1), align: each };
        });
        const paint = await painter(color);
        const expected = rows.map((cells) => printLine(columns, cells, paint));
        expect(await printLines(columns, rows, paint)).toEqual(expected);
      },
    ),
    { numRuns: 300, examples: [[[asLongAsWide], [undefined, undefined, undefined], 0]] },
  );
});

describe('a list at a narrow terminal', () => {
  interface Row {
    readonly id: string;
    readonly type: string;
    readonly source: string;
    readonly note: string;
    readonly more: string;
  }
  const rows: readonly Row[] = ['1', '2', '3'].map((end) => ({
    id: `0123456789abcdef-${end}`,
    type: 'completed',
    source: `collector:run-2026:${end}`,
    note: '',
    more: `${end} the text of row ${end}`,
  }));
  const column = (name: keyof Row, more: object = {}) => ({ name, cell: (row: Row) => row[name], ...more });
  const list = (...columns: ListOutput<Row>['columns']): ListOutput<Row> => ({
    kind: 'list',
    columns,
    id: ({ id }) => id,
  });
  const wide = list(column('id'), column('type'), column('source', { shrinks: true }), column('note'));

  test('drops a column that is the same in all rows first, and names its value', async () => {
    expect((await rendering(rows, wide, { width: 80 })).shared).toEqual([]);
    const { text, shared, dropped } = await rendering(rows, wide, { width: 40 });
    expect(lines(text)[0]).toBe('ID                  SOURCE');
    expect({ shared, dropped }).toEqual({ shared: ['type=completed'], dropped: [] });
  });

  test('shortens in the middle if the ends differ', async () => {
    const { text } = await rendering(rows, wide, { width: 34 });
    expect(lines(text).map((line) => line.slice(20))).toEqual([
      'SOURCE',
      'collect…2026:1',
      'collect…2026:2',
      'collect…2026:3',
    ]);
  });

  test('below 100 columns uses a second line per row, and never splits a row on a screen', async () => {
    const two = list(column('id'), column('source', { below: true }), column('more', { below: true }));
    expect(lines((await rendering(rows, two, { width: 50 })).text)).toEqual([
      'ID',
      ...['1', '2', '3'].flatMap((end) => [
        `0123456789abcdef-${end}`,
        `    collector:run-2026:${end}  ${end} the text of row ${end}`,
      ]),
    ]);
    expect(lines((await rendering(rows, two, { width: 99 })).text)).toHaveLength(4);
    const subject = { ...two, rows, named: true } as unknown as Parameters<typeof layOut>[0];
    const laidOut = async (height: number) => {
      const { rows: shown, lines: all } = await layOut(subject, options({ width: 50 }), height);
      return [shown, [...all].length];
    };
    expect(await Promise.all([1, 2, 5, 6].map(laidOut))).toEqual([
      [0, 1],
      [1, 3],
      [2, 5],
      [3, 7],
    ]);
  });
});

describe('a record', () => {
  test('is aligned, has one line per value, and leaves out what is undefined or empty', async () => {
    const { text } = await rendering(alert({ labels: {} }), ALERT, { format: 'wide' });
    expect(text).toBe(
      [
        'STATE        active',
        'VALUE        93.5',
        'SUMMARY      the disk is nearly full',
        'SINCE        2026-03-01T11:57:00Z',
        'RECEIVERS    team-a',
        '             team-b',
        'FINGERPRINT  f00d',
        '',
      ].join('\n'),
    );
    expect((await rendering(alert({ receivers: [] }), ALERT)).text).not.toContain('RECEIVERS');
  });

  test.each([40, 200])('fits %d columns without losing text', async (width) => {
    await fc.assert(
      fc.asyncProperty(anyAlert, texts, async (value, key) => {
        const piped = await rendering(value, ALERT);
        const shown = await rendering(value, ALERT, { width });
        for (const line of lines(shown.text)) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        expect(shown.text.replaceAll(/[ \n]/g, '')).toBe(piped.text.replaceAll(/[ \n]/g, ''));
        const named = await rendering({ [key]: value.summary }, ALERT, { width, query: '@' });
        for (const line of lines(named.text)) expect(displayWidth(line)).toBeLessThanOrEqual(width);
      }),
      { numRuns: 60 },
    );
  });
});

// A quadratic layout would take minutes.
test('lays out huge cells in linear time', async () => {
  const output: ListOutput<string> = {
    kind: 'list',
    columns: [{ name: 'text', cell: (row) => row, shrinks: true }],
    id: (row) => row,
  };
  const huge = 'é日 '.repeat(200_000);
  expect((await rendering([huge, huge], output, { width: 80 })).text.length).toBeLessThan(300);
  const { text } = await rendering(huge, { ...output, kind: 'record' }, { width: 80 });
  expect(text.replaceAll(/[ \n]/g, '')).toBe(`TEXT${huge.replaceAll(' ', '')}`);
});
