/** `-o csv`, `-o tsv` and `-o id`: one line per row. */
import type { BatchWriter } from './batch-writer.ts';
import { type CellStyle, cellLine } from './cells.ts';
import { escapeLines, escapeText } from './escape.ts';
import type { ListSubject, Printed, RecordSubject, ScalarSubject, Subject, TextSubject } from './subject.ts';
import type { Cell, OutputOptions } from './types.ts';

/** A rule for values separated by `separator`: how one is written so that it stays one. */
export interface Dialect {
  readonly separator: string;
  /** `isNumber`: the cell is a number, no text, so that it can hold no formula. */
  readonly write: (text: string, isNumber: boolean) => string;
}

/** A header and a line per row; a record is one row. Text and scalars are printed as they are. */
export async function writeSeparated(
  subject: Subject,
  options: OutputOptions,
  out: BatchWriter,
  { separator, write }: Dialect,
): Promise<Printed> {
  if (subject.kind === 'text' || subject.kind === 'scalar') return writePlain(subject, out);
  const time = options.time === 'relative' ? 'utc' : options.time;
  const style: CellStyle = { time, now: options.now, exact: true };
  const field = (cell: Cell): string => write(escapeText(cellLine(cell, style)), isNumber(cell));
  const { columns } = subject;
  const named = options.headers && columns.length > 0 && (subject.kind === 'record' || subject.named);
  const header = named ? `${columns.map(({ name }) => write(escapeText(name), false)).join(separator)}\n` : '';
  return writeLines(subject, out, header, (row) => {
    let line = '';
    for (let index = 0; index < columns.length; index++) {
      if (index > 0) line += separator;
      line += field(columns[index]?.cell(row));
    }
    return line;
  });
}

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A spreadsheet runs what begins like a formula, also behind blanks and in full width: an apostrophe in front makes it text. */
export function withoutFormula(text: string): string {
  return /^\s*[=+\-@＝＋－＠]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

function isNumber(cell: Cell): boolean {
  if (typeof cell !== 'object' || cell === null) return typeof cell === 'number';
  return 'spark' in cell || 'amount' in cell;
}

/** The header goes out with the first row, so that a failure before it prints nothing. */
export async function writeLines(
  subject: ListSubject | RecordSubject,
  out: BatchWriter,
  header: string,
  line: (row: unknown) => string | undefined,
): Promise<Printed> {
  let rows = 0;
  for await (const row of subject.kind === 'list' ? subject.rows : [subject.value]) {
    if (out.closed) break;
    const text = line(row);
    if (text === undefined) continue;
    const full = out.write(`${rows === 0 ? header : ''}${text}\n`);
    if (full !== undefined) await full;
    rows++;
  }
  if (rows === 0) await out.write(header);
  return { rows };
}

/** Text of a command keeps its lines; a scalar picked from an answer is one line, and null is none. */
export async function writePlain(subject: TextSubject | ScalarSubject, out: BatchWriter): Promise<Printed> {
  if (subject.kind === 'scalar') {
    if (subject.value === null) return { rows: 0 };
    await out.write(`${escapeText(String(subject.value))}\n`);
    return { rows: 1 };
  }
  const text = escapeLines(subject.text);
  await out.write(text.endsWith('\n') || text === '' ? text : `${text}\n`);
  return { rows: 1 };
}

/** RFC 4180 but for the line ends, which are `\n`, as shell tools expect. Escaped text has no line break: a row is one line. */
export function renderCsv(subject: Subject, options: OutputOptions, out: BatchWriter): Promise<Printed> {
  return writeSeparated(subject, options, out, { separator: ',', write: csvField });
}

/** Quoted for a semicolon, too: it separates the fields where the decimal separator is a comma. */
export function csvField(text: string, isNumber: boolean): string {
  const safe = isNumber ? text : withoutFormula(text);
  return /[",;]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Without quotes: a tab or a line break in a value is escaped, so that `cut` and `awk` work. */
export function renderTsv(subject: Subject, options: OutputOptions, out: BatchWriter): Promise<Printed> {
  return writeSeparated(subject, options, out, {
    separator: '\t',
    write: (text, isNumber) => (isNumber ? text : withoutFormula(text)),
  });
}

/** One id per line, and nothing for a row without one. */
export function renderIds(subject: Subject, _options: OutputOptions, out: BatchWriter): Promise<Printed> {
  if (subject.kind === 'text' || subject.kind === 'scalar') return writePlain(subject, out);
  return writeLines(subject, out, '', (row) => {
    const id = subject.id(row);
    return id === undefined ? undefined : escapeText(id);
  });
}
