import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cellLine } from '../../src/output/cells.ts';
import { escapeText } from '../../src/output/escape.ts';
import { fitColumns, type TableColumn } from '../../src/output/fit.ts';
import { lineCell, printLine, printLines } from '../../src/output/lines.ts';
import { layOut } from '../../src/output/table.ts';
import { displayWidth, painter } from '../../src/output/terminal.ts';
import type { ListOutput, RecordOutput } from '../../src/output/types.ts';
import { ALERT, ALERTS, type Alert, alert, arriving, options, rendering } from './rendering.ts';

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

  test('prints nothing if it is empty', async () => {
    expect(await rendering([], ALERTS)).toEqual({ text: '', rows: 0, dropped: [], shared: [], cut: 0 });
  });

  test('accepts rows as they arrive', async () => {
    expect((await rendering(arriving([alert()]), ALERTS)).text).toBe((await rendering([alert()], ALERTS)).text);
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

  test('shows relative times on a terminal', async () => {
    expect((await rendering([alert()], ALERTS, { time: 'relative', columns: ['since'] })).text).toBe('SINCE\n3m ago\n');
  });

  test('shortens nothing in a pipe', async () => {
    const summary = 'x'.repeat(5000);
    const { text, dropped } = await rendering([alert({ summary })], ALERTS);
    expect(text).toContain(summary);
    expect(dropped).toEqual([]);
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

  test.each([40, 80, 200])('no line is wider than %d columns, and every column is shown or named', async (width) => {
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

  test.each([24, 40, 60, 80])('at %d columns a column that --columns names wraps and is not dropped', async (width) => {
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

  test('wraps at blanks, and shortens each of several ids', async () => {
    const ids = { name: 'by', cell: (row: Alert) => row.receivers, brief: true } as const;
    const output = { ...ALERTS, columns: [...ALERTS.columns, ids] };
    const row = alert({ summary: 'the disk is nearly full', receivers: ['4c4da081-ebac', '95d7ad8a-1111'] });
    const { text } = await rendering([row], output, { width: 40, columns: ['summary', 'by'] });
    expect(text).toBe(['SUMMARY                BY', 'the disk is nearly     4c4da081 95d7ad8a', 'full', ''].join('\n'));
  });

  test('a table of more than two hundred rows has the format of a short one', async () => {
    const rows = Array.from({ length: 230 }, (_, index) => alert({ value: index, summary: `row ${index % 9}` }));
    const long = lines((await rendering(rows, ALERTS)).text);
    const short = lines((await rendering(rows.slice(30), ALERTS)).text);
    expect(long.slice(31)).toEqual(short.slice(1));
    expect(long[0]).toBe(short[0]);
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
    { numRuns: 300 },
  );
});

test('a column of empty cells without a header looks the same in short and in long tables', async () => {
  const rows = Array.from({ length: 230 }, () => ({ a: 'x', b: '', c: 'y' }));
  for (const count of [2, 230]) {
    const { text } = await rendering(rows.slice(0, count), ALERTS, { fields: ['a', 'b', 'c'], headers: false });
    expect(new Set(lines(text))).toEqual(new Set(['x     y']));
  }
});

describe('fitColumns', () => {
  const sized = (name: string, width: number, shrinks?: true): TableColumn => ({
    column: { name, cell: () => undefined, ...(shrinks && { shrinks }) },
    title: lineCell('', undefined),
    cells: [lineCell('x'.repeat(width), undefined)],
    width,
  });
  const used = (columns: readonly TableColumn[]): number => columns.reduce((sum, { width }) => sum + width + 2, -2);

  test('fits, keeps the first, stays within its bounds and wastes nothing', () => {
    const column = fc.tuple(fc.integer({ min: 1, max: 120 }), fc.constantFrom(undefined, true as const));
    fc.assert(
      fc.property(
        fc.array(column, { minLength: 1, maxLength: 10 }),
        fc.integer({ min: 10, max: 250 }),
        (all, width) => {
          const columns = all.map(([natural, shrinks], index) => sized(`c${index}`, natural, shrinks));
          const { shown, dropped } = fitColumns(columns, width);
          expect(used(shown)).toBeLessThanOrEqual(width);
          expect(shown[0]?.column.name).toBe('c0');
          expect(shown.length + dropped.length).toBe(columns.length);
          const [first, ...others] = shown.map(({ column: { name, shrinks }, width: given }) => {
            const { width: natural = 0 } = columns.find(({ column: one }) => one.name === name) ?? {};
            return { given, natural, least: shrinks ? Math.min(8, natural) : natural };
          });
          if ([first, ...others].some((one) => one !== undefined && one.given < one.natural))
            expect(used(shown)).toBe(width);
          for (const { given, natural, least } of others) {
            expect(given).toBeGreaterThanOrEqual(least);
            expect(given).toBeLessThanOrEqual(natural);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('never drops an id', () => {
    const columns = ['state', 'summary', 'order-id', 'comment', 'id'].map((name) => sized(name, 12));
    for (const width of [10, 30, 40, 60, 80]) {
      const { shown } = fitColumns(columns, width);
      expect(shown.map(({ column }) => column.name)).toEqual(expect.arrayContaining(['state', 'order-id', 'id']));
      expect(used(shown)).toBeLessThanOrEqual(width);
    }
  });
});

describe('gives width to columns that distinguish rows', () => {
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

  test('keeps a vital column longest', async () => {
    const vital = list(column('id'), column('source'), column('more', { vital: true }));
    const { text, dropped } = await rendering(rows, vital, { width: 45 });
    expect(lines(text)[0]).toBe('ID                  MORE');
    expect(dropped).toEqual(['source']);
  });

  test('has no column without text, unless the user names it or it is wide', async () => {
    const empty = list(column('id'), column('note'));
    expect((await rendering(rows, empty)).text).not.toContain('NOTE');
    expect((await rendering(rows, empty, { format: 'wide' })).text).toContain('NOTE');
    expect((await rendering(rows, empty, { columns: ['note'] })).text).toContain('NOTE');
    expect((await rendering(rows, empty, { fields: ['note'] })).text).toContain('NOTE');
  });

  test('shortens ids at a terminal, and nowhere else', async () => {
    const brief = list(column('id', { brief: true }), column('more'));
    expect((await rendering(rows, brief)).text).toContain('0123456789abcdef-1');
    expect(lines((await rendering(rows, brief, { width: 80 })).text)[1]).toMatch(/^01234567 {2}1 the/);
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

  test('rounds numbers only at a terminal', async () => {
    const amounts = list({ name: 'amount', cell: () => ({ amount: -1.005, text: '-1.00' }) });
    expect((await rendering(rows.slice(1), amounts, { width: 80 })).text).toContain('-1.00\n');
    expect((await rendering(rows.slice(1), amounts, { exact: true })).text).toContain('-1.005\n');
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

  test('a single column without headers is the value alone', async () => {
    expect((await rendering(alert(), ALERT, { columns: ['state'], headers: false })).text).toBe('active\n');
  });

  test('wraps a long value below its beginning', async () => {
    const output: RecordOutput<Alert> = { ...ALERT, columns: ALERT.columns.filter(({ name }) => name === 'summary') };
    const { text } = await rendering(alert({ summary: 'one two three four five six seven eight' }), output, {
      width: 30,
    });
    expect(text).toBe('SUMMARY  one two three four\n         five six seven eight\n');
  });

  test.each([40, 80, 200])('fits %d columns without losing text', async (width) => {
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
