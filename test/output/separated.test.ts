import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeText } from '../../src/output/escape.ts';
import type { ListOutput } from '../../src/output/types.ts';
import { ALERT, ALERTS, alert, rendering } from './rendering.ts';

const ROWS: ListOutput<readonly (string | number)[]> = {
  kind: 'list',
  columns: ['a', 'b', 'c'].map((name, index) => ({ name, cell: (row) => row[index] })),
  id: (row) => String(row[0]),
};

/** What a spreadsheet would run. */
const FORMULA = /^\s*(?:[=@＝＋－＠\t\r]|[+-](?!\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$))/;

/** A reader by RFC 4180, of its own. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = '';
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (quoted && character === '"' && text[at + 1] === '"') field += text[at++];
    else if (character === '"') quoted = !quoted;
    else if (quoted) field += character;
    else if (character === ',') {
      row.push(field);
      field = '';
    } else if (character === '\n') {
      rows.push([...row, field]);
      row = [];
      field = '';
    } else field += character;
  }
  expect(quoted).toBe(false);
  return rows;
}

describe('csv', () => {
  test('has a header and every column, wide ones as well, and no relative times', async () => {
    const { text } = await rendering([alert({ summary: 'say "hi", all' })], ALERTS, {
      format: 'csv',
      time: 'relative',
    });
    expect(text).toBe(
      'state,alertname,value,summary,since,receivers,fingerprint\n' +
        'active,DiskFull,93.5,"say ""hi"", all",2026-03-01T11:57:00Z,team-a team-b,f00d\n',
    );
  });

  test('an empty list is its header, and nothing without it', async () => {
    expect((await rendering([], ALERTS, { format: 'csv', columns: ['state'] })).text).toBe('state\n');
    expect((await rendering([], ALERTS, { format: 'csv', headers: false })).text).toBe('');
  });

  test('guards what a spreadsheet would run, and no number', async () => {
    const fields = {
      '=1+1': "'=1+1",
      '-2+3': "'-2+3",
      '@SUM(A1)': "'@SUM(A1)",
      '-5': '-5',
      '+1.5e3': '+1.5e3',
      '=a,b': `"'=a,b"`,
      ' lead': '" lead"',
      ' =1+1': "' =1+1",
      '\u3000=1': "'\u3000=1",
      '＝1+1': "'＝1+1",
      'a;=1+1': '"a;=1+1"',
    };
    const rows = [...Object.keys(fields), -Infinity].map((text) => [text]);
    const { text } = await rendering(rows, ROWS, { format: 'csv', columns: ['a'], headers: false });
    expect(text).toBe([...Object.values(fields), '-Infinity', ''].join('\n'));
  });

  test('reads back as the escaped texts, guarded or not', async () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^[=+\-@,"'\n\r\t 0-9a]*$/),
      fc.double({ noNaN: true }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, text, text)), async (rows) => {
        const output = await rendering(rows, ROWS, { format: 'csv', headers: false });
        const read = readCsv(output.text);
        expect(read).toHaveLength(rows.length);
        for (const [index, row] of rows.entries()) {
          for (const [place, cell] of row.entries()) {
            const shown = escapeText(String(cell));
            const field = read[index]?.[place] ?? 'missing';
            expect([shown, `'${shown}`]).toContain(field);
            if (typeof cell === 'string') expect(field).not.toMatch(FORMULA);
          }
        }
      }),
      { numRuns: 120 },
    );
  });
});

describe('tsv', () => {
  test('quotes nothing, and has a tab only between fields', async () => {
    const { text } = await rendering([['a "b"', 'x\ty', -5]], ROWS, { format: 'tsv' });
    expect(text).toBe('a\tb\tc\na "b"\tx\\ty\t-5\n');
  });
});

describe('id', () => {
  test('is one id per line, for lists and records', async () => {
    const rows = [alert({ fingerprint: 'a' }), alert({ fingerprint: 'b\n' })];
    expect((await rendering(rows, ALERTS, { format: 'id' })).text).toBe('a\nb\\n\n');
    expect((await rendering(alert(), ALERT, { format: 'id' })).text).toBe('f00d\n');
  });
});

describe('text', () => {
  test.each(['table', 'csv'] as const)('is printed unchanged in %s', async (format) => {
    const script = 'if true; then\n\techo "a, b"\nfi\n';
    expect((await rendering(script, { kind: 'text' }, { format })).text).toBe(script);
    expect((await rendering('token', { kind: 'text' }, { format })).text).toBe('token\n');
  });
});
