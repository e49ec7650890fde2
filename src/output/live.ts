/** Rows that come over time, for people: each is a line of its own, printed when it is there. */
import type { BatchWriter } from './batch-writer.ts';
import { cellLine, cellTone } from './cells.ts';
import { painter } from './color.ts';
import { escapeText } from './escape.ts';
import type { Printed } from './subject.ts';
import type { Cell, OutputOptions, Rows } from './types.ts';

export async function writeLive(
  rows: Rows<unknown>,
  cells: (row: unknown) => readonly Cell[],
  options: OutputOptions,
  out: BatchWriter,
): Promise<Printed> {
  const paint = await painter(options.color);
  const line = (row: unknown): string =>
    cells(row)
      .map((cell) => paint(escapeText(cellLine(cell, options)), cellTone(cell)))
      .filter((text) => text !== '')
      .join('  ');
  let count = 0;
  for await (const row of rows) {
    if (out.closed) break;
    count++;
    const text = line(row);
    if (text === '') continue;
    const full = out.write(`${text}\n`);
    if (full !== undefined) await full;
  }
  return { rows: count };
}
