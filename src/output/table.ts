/** `-o table` and `-o wide`: rows below upper-case headers, or the lines of one record. */
import type { BatchWriter } from './batch-writer.ts';
import { type CellText, cellLine, cellTone, cellValues } from './cells.ts';
import { escapeText } from './escape.ts';
import { fitColumns, GAP, type GridRow, gridLines } from './grid.ts';
import { writePlain } from './lines.ts';
import type { ListSubject, Printed, RecordSubject, Subject } from './subject.ts';
import { painter } from './terminal.ts';
import type { Cell, Column, OutputOptions, Rows, Tone } from './types.ts';
import { displayWidth, wrap } from './width.ts';

/** A shortened column keeps this much, or its header. */
const LEAST = 8;

export async function renderTable(subject: Subject, options: OutputOptions, out: BatchWriter): Promise<Printed> {
  if (subject.kind === 'text' || subject.kind === 'scalar') return writePlain(subject, out);
  return subject.kind === 'list' ? writeTable(subject, options, out) : writeRecord(subject, options, out);
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
  const { rows: items, columns, shared } = factored ? await extractCommonValues(subject) : { ...subject, shared: [] };
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

/** Several values stand one below the other. On a terminal long ones go on below their beginning; nothing is cut off. */
async function writeRecord(subject: RecordSubject, options: OutputOptions, out: BatchWriter): Promise<Printed> {
  const paint = await painter(options.color);
  if (subject.line !== undefined) {
    for (const { text, tone } of cellValues(subject.line(subject.value), options)) {
      for (const line of wrapValue({ text, tone }, options.width)) await out.write(`${paint(line.text, tone)}\n`);
    }
    return { rows: 1 };
  }
  const fields = subject.columns
    .map(({ name, cell }) => ({
      name: escapeText(name.toUpperCase()),
      values: cellValues(cell(subject.value), options),
    }))
    .filter(({ values }) => values.length > 0);
  // A name that takes more than half of the terminal stands on lines of its own.
  const room = options.width === undefined ? Number.POSITIVE_INFINITY : Math.floor(options.width / 2) - GAP;
  const widths = fields.map(({ name }) => displayWidth(name)).filter((width) => width <= room);
  const indent = options.headers ? Math.max(0, ...widths) + GAP : 0;
  const valueWidth = options.width === undefined ? undefined : Math.max(1, options.width - indent);

  for (const { name, values } of fields) {
    let head = options.headers ? [name] : [];
    if (displayWidth(name) > room && options.headers) {
      for (const part of wrap(name, options.width ?? 0)) await out.write(`${paint(part, 'strong')}\n`);
      head = [];
    }
    for (const { text, tone } of values.flatMap((value) => wrapValue(value, valueWidth))) {
      const title = head.shift() ?? '';
      const blanks = ' '.repeat(indent - displayWidth(title));
      await out.write(`${paint(title, 'strong')}${text === '' ? '' : blanks + paint(text, tone)}\n`);
    }
  }
  return { rows: 1 };
}

function wrapValue({ text, tone }: CellText, width: number | undefined): readonly CellText[] {
  const lines = width === undefined ? [escapeText(text)] : wrap(escapeText(text), width);
  return lines.map((line) => ({ text: line, tone }));
}

/** Longer tables go on row by row: what they share is known only at their end. */
const MOST_ROWS = 500;

interface Factored {
  readonly rows: Rows<unknown>;
  readonly columns: readonly Column<unknown>[];
  /** In the order of the first row. */
  readonly shared: readonly string[];
}

/** Takes the values that all rows share out of the columns that are declared `shared`. */
async function extractCommonValues({ rows, columns }: ListSubject): Promise<Factored> {
  const none: Factored = { rows, columns, shared: [] };
  if (!columns.some(({ shared }) => shared)) return none;
  const { first, rest } = await begin(rows);
  const all = { ...none, rows: rest === undefined ? first : chain(first, rest) };
  if (rest !== undefined || first.length < 2) return all;
  const shared: string[] = [];
  const varying = columns.map((column) => {
    if (column.shared !== true) return column;
    const common = inAll(first.map((row) => texts(column.cell(row))));
    if (common.size === 0) return column;
    shared.push(...common);
    return { ...column, cell: (row: unknown) => texts(column.cell(row)).filter((text) => !common.has(text)) };
  });
  return { ...all, columns: varying, shared };
}

function inAll([first = [], ...others]: readonly (readonly string[])[]): ReadonlySet<string> {
  const common = new Set(first);
  for (const list of others) {
    const there = new Set(list);
    for (const text of common) if (!there.has(text)) common.delete(text);
    if (common.size === 0) break;
  }
  return common;
}

function texts(cell: Cell): readonly string[] {
  return Array.isArray(cell) ? cell.filter((part) => typeof part === 'string') : [];
}

/** As many rows as may be compared, and what comes after them, if anything does. */
async function begin(
  rows: Rows<unknown>,
): Promise<{ readonly first: readonly unknown[]; readonly rest: AsyncIterator<unknown> | undefined }> {
  const first: unknown[] = [];
  const rest = iterate(rows);
  while (first.length <= MOST_ROWS) {
    const next = await rest.next();
    if (next.done) return { first, rest: undefined };
    first.push(next.value);
  }
  return { first, rest };
}

async function* iterate(rows: Rows<unknown>): AsyncGenerator<unknown> {
  yield* rows;
}

async function* chain(first: readonly unknown[], rest: AsyncIterator<unknown>): AsyncGenerator<unknown> {
  try {
    yield* first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
