/** Several tables on one screen: what fits into a terminal of any size, and what gives way. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OutStream } from '../../src/context.ts';
import { render } from '../../src/output/render.ts';
import { displayWidth } from '../../src/output/terminal.ts';
import type { Dashboard, ListOutput, OutputOptions } from '../../src/output/types.ts';

const LIST: ListOutput<string> = { kind: 'list', columns: [{ name: 'n', cell: (text) => text }], id: String };

const OPTIONS: OutputOptions = {
  ...{ format: 'table', fields: undefined, query: undefined, columns: undefined, headers: true, sort: undefined },
  ...{ limit: undefined, time: 'relative', color: 0, width: 80, canvas: 80, ascii: false, now: 0 },
};

const tableOf = (title: string, rows: readonly string[]) => ({ title, list: LIST, rows, total: `sum of ${title}` });

/** The lines of the only picture. */
async function drawn(dashboard: Partial<Dashboard>, size: { columns: number; rows: number }, dumb = false) {
  let text = '';
  const sink: OutStream = {
    ...{ isTTY: true, ...size, colorDepth: 0, closed: false },
    write: async (chunk) => {
      text += String(chunk);
    },
  };
  const whole: Dashboard = { at: 0, title: 'title', heading: [], tables: [], ...dashboard };
  await render(
    (async function* () {
      yield whole;
    })(),
    { kind: 'dashboard' },
    { ...OPTIONS, dumb },
    sink,
  );
  const lines = text
    .replace(/\u001b\[[\d?;]*[A-Za-z]/g, '')
    .replaceAll('\r', '')
    .trimEnd()
    .split('\n');
  return { text, lines };
}

const rows = fc.array(fc.string({ maxLength: 30 }), { minLength: 1, maxLength: 12 });
const size = fc.record({ columns: fc.integer({ min: 20, max: 90 }), rows: fc.integer({ min: 4, max: 50 }) });

test('fits the width and height of the terminal', async () => {
  await fc.assert(
    fc.asyncProperty(rows, rows, size, async (first, second, { columns, rows }) => {
      const tables = [tableOf('A', first), tableOf('B', second)];
      const { lines } = await drawn(
        { tables, heading: [{ text: 'state', tone: 'good' }], footer: 'end' },
        { columns, rows },
      );
      expect(lines.length).toBeLessThan(rows);
      expect(lines.filter((line) => displayWidth(line) > columns)).toEqual([]);
      expect([lines[1], lines.at(-1)]).toEqual(['state', 'end; Ctrl-C to quit']);
      // Two headings, the footer and its blank line, and of each table title, header, a row, what is left out, and the total.
      if (rows > 4 + 2 * 5) for (const total of ['sum of A', 'sum of B']) expect(lines).toContain(total);
      const left = [...first, ...second].length + 2 * 4 + 4 < rows ? 0 : undefined;
      if (left === 0) expect(lines.some((line) => / more$/.test(line))).toBe(false);
    }),
    { numRuns: 60 },
  );
});

test('shortens the longest table first, and says how many rows are left out', async () => {
  const tables = [
    tableOf('A', ['1', '2']),
    tableOf(
      'B',
      Array.from({ length: 20 }, (_, at) => `b${at}`),
    ),
  ];
  const { lines } = await drawn({ tables }, { columns: 40, rows: 20 });
  expect(lines).toEqual([
    ...['title at 00:00:00Z', 'A', 'N', '1', '2', 'sum of A'],
    ...['B', 'N', 'b0', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6', '… 13 more', 'sum of B', '', 'Ctrl-C to quit'],
  ]);
});

test('a dumb terminal gets all rows, no escape sequence, and hostile text escaped', async () => {
  const many = Array.from({ length: 40 }, (_, at) => `row ${at}`);
  const { text, lines } = await drawn(
    { tables: [tableOf('\u001b[2J', [...many, '\u202e'])] },
    { columns: 40, rows: 10 },
    true,
  );
  expect(text).not.toMatch(/[\u001b\u202e]/);
  for (const row of [...many, '\\u202e', 'sum of \\x1b[2J']) expect(lines).toContain(row);
});
