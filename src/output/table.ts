/** `-o table` and `-o wide`: rows below upper-case headers, or the lines of one record. */
import type { BatchWriter } from './batch-writer.ts';
import { cellLine, cellTone } from './cells.ts';
import { painter } from './color.ts';
import { escapeText } from './escape.ts';
import { fitColumns } from './fit.ts';
import { type GridRow, gridLines } from './grid.ts';
import { writePlain } from './lines.ts';
import { factorOut } from './shared-values.ts';
import type { ListSubject, Printed, Subject } from './subject.ts';
import type { Column, OutputOptions, Tone } from './types.ts';
import { displayWidth } from './width.ts';

/** A shortened column keeps this much, or its header. */
const LEAST = 8;

export async function renderTable(subject: Subject, options: OutputOptions, out: BatchWriter): Promise<Printed> {
  if (subject.kind === 'text' || subject.kind === 'scalar') return writePlain(subject, out);
  if (subject.kind === 'list') return writeTable(subject, options, out);
  const { writeRecord } = await import('./record.ts');
  return writeRecord(subject, options, out);
}

async function writeTable(subject: ListSubject, options: OutputOptions, out: BatchWriter): Promise<Printed> {
  const { lines, ...printed } = await layOut(subject, options);
  for (const line of lines) {
    if (out.closed) break;
    const full = out.write(`${line}\n`);
    if (full !== undefined) await full;
  }
  return printed;
}

/** The lines of a table, headers among them; none where there are no rows. */
export async function layOut(
  subject: ListSubject,
  options: OutputOptions,
): Promise<Printed & { readonly lines: Iterable<string> }> {
  // Whoever names the columns, or wants them wide, gets each row as it is.
  const factored = options.format === 'table' && options.columns === undefined;
  const { rows: items, columns, shared } = factored ? await factorOut(subject) : { ...subject, shared: [] };
  const headers = options.headers && subject.named;
  const titles = columns.map(({ name }) => escapeText(name.toUpperCase()));
  const natural = titles.map((title) => (headers ? displayWidth(title) : 0));
  const rows: GridRow[] = [];
  for await (const row of items) rows.push(gridRow(row, columns, options, natural));
  if (rows.length === 0) return { rows: 0, lines: [] };

  const sizes = columns.map(({ name, flex }, index) => {
    const full = natural[index] ?? 0;
    const least = Math.max(LEAST, headers ? displayWidth(titles[index] ?? '') : 0);
    return { name, natural: full, least: flex === true ? Math.min(full, least) : full };
  });
  const { kept, dropped } = fitColumns(sizes, options.width);
  const lines = await gridLines({
    columns: kept.map(({ index, width }) => ({
      index,
      title: titles[index] ?? '',
      width,
      align: columns[index]?.align ?? 'left',
    })),
    headers,
    rows,
    paint: await painter(options.color),
  });
  return { rows: rows.length, dropped, shared, lines };
}

/** Of a row nothing is kept but its texts; `natural` grows with them. */
function gridRow(
  row: unknown,
  columns: readonly Column<unknown>[],
  options: OutputOptions,
  natural: number[],
): GridRow {
  const cells: string[] = [];
  let tones: (Tone | undefined)[] | undefined;
  for (let index = 0; index < columns.length; index++) {
    const cell = columns[index]?.cell(row);
    const text = escapeText(cellLine(cell, options));
    cells.push(text);
    natural[index] = Math.max(natural[index] ?? 0, displayWidth(text));
    const tone = options.color > 0 ? cellTone(cell) : undefined;
    if (tone !== undefined) {
      tones ??= [];
      tones[index] = tone;
    }
  }
  return { cells, tones };
}
