/** The formats for programs: json, ndjson, yaml, csv, tsv and ids. */
import type { Tags } from 'yaml';
import { type CellStyle, cellLine } from './cells.ts';
import { escapeJson, escapeLines, escapeText, escapeYaml, needsYamlQuotes } from './escape.ts';
import type { Printed, ScalarSubject, Subject, TextSubject } from './shape.ts';
import type { Cell, OutputOptions } from './types.ts';
import type { BatchWriter } from './writer.ts';

/** The output of a format for the command's value. */
export type Renderer = (subject: Subject, options: OutputOptions, out: BatchWriter) => Promise<Printed>;

/** Writes a list item by item, and nothing before the first: it is never one string. */
export async function renderJson(subject: Subject, _options: OutputOptions, out: BatchWriter): Promise<Printed> {
  if (subject.kind !== 'list') {
    await out.write(`${escapeJson(JSON.stringify(singleValue(subject), null, 2) ?? 'null')}\n`);
    return { rows: 1 };
  }
  const rows = await out.writeRows(subject.rows, (row, index) => {
    // An item is written as in an array of one, without the brackets.
    const item = JSON.stringify([row], null, 2).slice(1, -2);
    return `${index === 0 ? '[' : ','}${escapeJson(item)}`;
  });
  await out.write(rows === 0 ? '[]\n' : '\n]\n');
  return { rows };
}

/** One JSON value per line, written as soon as it is there. */
export async function renderNdjson(subject: Subject, _options: OutputOptions, out: BatchWriter): Promise<Printed> {
  const json = (subject.kind === 'list' ? subject.json : undefined) ?? ((value) => JSON.stringify(value) ?? 'null');
  const rows = subject.kind === 'list' ? subject.rows : [singleValue(subject)];
  return { rows: await out.writeRows(rows, (row) => `${escapeJson(json(row))}\n`) };
}

function singleValue(subject: Exclude<Subject, { readonly kind: 'list' }>): unknown {
  return subject.kind === 'text' ? subject.text : subject.value;
}

/** YAML 1.2 whose plain strings mean the same to readers of YAML 1.1. No anchors. */
export async function renderYaml(subject: Subject, _options: OutputOptions, out: BatchWriter): Promise<Printed> {
  const toYaml = await yamlSerializer();
  if (subject.kind !== 'list') {
    await out.write(toYaml(singleValue(subject)));
    return { rows: 1 };
  }
  const rows = await out.writeRows(subject.rows, (row) => toYaml([row ?? null]));
  if (rows === 0) await out.write('[]\n');
  return { rows };
}

async function yamlSerializer(): Promise<(value: unknown) => string> {
  const { Document, Scalar, visit } = await import('yaml');
  // A plain `=` has its own type in YAML 1.1, and PyYAML refuses the file.
  const equals = {
    tag: 'tag:yaml.org,2002:value',
    default: true,
    test: /^=$/,
    resolve: (text: string) => text,
  } as const;
  const schema = {
    aliasDuplicateObjects: false,
    compat: 'yaml-1.1',
    customTags: (tags: Tags) => tags.concat(equals),
  } as const;
  const style = { lineWidth: 0, blockQuote: 'literal', doubleQuotedAsJSON: true } as const;
  return (value) => {
    const document = new Document(value, schema);
    const text = document.toString(style);
    if (!needsYamlQuotes(text)) return text;
    visit(document, {
      Scalar(_key, node) {
        if (typeof node.value === 'string' && needsYamlQuotes(node.value)) node.type = Scalar.QUOTE_DOUBLE;
      },
    });
    return escapeYaml(document.toString(style));
  };
}

/** RFC 4180, but with `\n` as shell tools expect. A row is one line, because text is escaped. */
export function renderCsv(subject: Subject, options: OutputOptions, out: BatchWriter): Promise<Printed> {
  return writeSeparated(subject, options, out, ',', csvField);
}

/** Tabs and line breaks are escaped and nothing is quoted, so that `cut` and `awk` work. */
export function renderTsv(subject: Subject, options: OutputOptions, out: BatchWriter): Promise<Printed> {
  return writeSeparated(subject, options, out, '\t', (text) => text);
}

/** A semicolon is quoted, too: it separates fields where the decimal separator is a comma. */
export function csvField(text: string): string {
  return /[",;]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A header and a line per row; a record is one row. Text and scalars are printed unchanged. */
async function writeSeparated(
  subject: Subject,
  options: OutputOptions,
  out: BatchWriter,
  separator: string,
  quoted: (text: string) => string,
): Promise<Printed> {
  if (subject.kind === 'text' || subject.kind === 'scalar') return writePlain(subject, out);
  const time = options.time === 'relative' ? 'utc' : options.time;
  const style: CellStyle = { time, now: options.now, exact: true };
  const field = (cell: Cell): string => {
    const text = escapeText(cellLine(cell, style));
    return quoted(isNumber(cell) ? text : withoutFormula(text));
  };
  const { columns } = subject;
  const line = (cells: readonly Cell[]): string => `${cells.map(field).join(separator)}\n`;
  const named = options.headers && columns.length > 0 && (subject.kind === 'record' || subject.named);
  const header = named ? line(columns.map(({ name }) => name)) : '';
  // The header is written with the first row, so that a failure before it prints nothing.
  const rows = await out.writeRows(subject.kind === 'list' ? subject.rows : [subject.value], (row, index) => {
    const text = line(columns.map(({ cell }) => cell(row)));
    return index === 0 ? header + text : text;
  });
  if (rows === 0) await out.write(header);
  return { rows };
}

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Spreadsheets run values like a formula. A leading apostrophe makes them text. */
export function withoutFormula(text: string): string {
  return /^\s*[=+\-@＝＋－＠]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

function isNumber(cell: Cell): boolean {
  if (typeof cell !== 'object' || cell === null) return typeof cell === 'number';
  return 'amount' in cell;
}

/** One id per line; nothing for a row without one. */
export async function renderIds(subject: Subject, _options: OutputOptions, out: BatchWriter): Promise<Printed> {
  if (subject.kind === 'text' || subject.kind === 'scalar') return writePlain(subject, out);
  const rows = await out.writeRows(subject.kind === 'list' ? subject.rows : [subject.value], (row) => {
    const id = subject.id(row);
    return id === undefined ? undefined : `${escapeText(id)}\n`;
  });
  return { rows };
}

/** Text of a command keeps its lines; a selected scalar is one line, and null is none. */
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
