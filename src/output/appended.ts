/** Rows that are watched where nothing can be drawn anew: a line of the table for each that has changed. */
import type { OutStream } from '../context.ts';
import { BatchWriter } from './batch-writer.ts';
import { cellLine } from './cells.ts';
import { selectColumns } from './columns.ts';
import { escapeText } from './escape.ts';
import { showTime } from './times.ts';
import type { Change, Column, Glance, ListOutput, OutputOptions } from './types.ts';
import { displayWidth } from './width.ts';

const GAP = '  ';

/** What became of the row, as a column of its own. */
interface Told {
  readonly at: number;
  readonly change: Change<unknown>;
}

export async function appendChanges(
  glances: AsyncIterable<Glance<unknown>>,
  list: ListOutput<unknown>,
  options: OutputOptions,
  sink: OutStream,
): Promise<void> {
  const out = new BatchWriter(sink, true);
  const columns: readonly Column<Told>[] = [
    { name: 'at', cell: ({ at }) => showTime(new Date(at).toISOString(), { time: 'iso', now: at }) },
    { name: 'event', cell: ({ change }) => change.event },
    ...selectColumns(list, options).map(({ cell, ...column }) => ({
      ...column,
      cell: ({ change }: Told) => cell(change.row),
    })),
  ];
  const titles = columns.map(({ name }) => escapeText(name.toUpperCase()));
  // They only grow: what was printed stays as it is.
  const widths = titles.map(displayWidth);
  grow(widths, 1, 'resolved');
  let begun = !options.headers;
  try {
    for await (const { at, changes } of glances) {
      if (out.closed) break;
      const lines = changes.map((change) =>
        columns.map(({ cell }) => escapeText(cellLine(cell({ at, change }), { ...options, now: at }))),
      );
      for (const cells of lines) for (const [index, text] of cells.entries()) grow(widths, index, text);
      if (lines.length > 0 && !begun) lines.unshift(titles);
      begun ||= lines.length > 0;
      for (const cells of lines) {
        const full = out.write(`${aligned(cells, columns, widths)}\n`);
        if (full !== undefined) await full;
      }
    }
  } finally {
    await out.end();
  }
}

function grow(widths: number[], index: number, text: string): void {
  widths[index] = Math.max(widths[index] ?? 0, displayWidth(text));
}

function aligned(cells: readonly string[], columns: readonly Column<Told>[], widths: readonly number[]): string {
  return cells
    .map((text, index) => {
      const blanks = ' '.repeat(Math.max(0, (widths[index] ?? 0) - displayWidth(text)));
      return columns[index]?.align === 'right' ? blanks + text : text + blanks;
    })
    .join(GAP)
    .trimEnd();
}
