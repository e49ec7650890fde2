/** Writes the rows of a table to a file of a format: complete, or not at all. */
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SchemaElement } from 'hyparquet';
import { escapeJson, escapeText } from '../../../output/escape.ts';
import { withoutFormula } from '../../../output/formats.ts';
import { discard, syncDirectory } from '../../../store/atomic-write.ts';
import { fileFailure } from '../../../store/own-file.ts';
import { type ColumnType, type ExportTable, type Fields, typed } from './tables.ts';

export const EXPORT_FORMATS = ['ndjson', 'csv', 'parquet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface CsvStyle {
  readonly delimiter: string;
  readonly decimal: string;
  /** Texts as they are, without escapes and apostrophes. */
  readonly raw: boolean;
  readonly bom: boolean;
}

export interface StagedFile {
  readonly path: string;
  readonly staged: string;
  readonly rows: number;
  /** Columns with values of another type, which Parquet has as null. */
  readonly unfit: ReadonlySet<string>;
}

interface Sink {
  write(rows: readonly Fields[]): void | Promise<void>;
  end(): void | Promise<void>;
  /** Whatever happened. */
  close(): void;
}

/** As many rows as are in memory at once: a row group of Parquet. */
const BATCH = 5_000;

/** Until it is committed, the file is complete beside its place. An earlier one stays where it is. */
export async function stageFile(
  path: string,
  table: ExportTable,
  rows: Iterable<Fields>,
  format: ExportFormat,
  csv: CsvStyle,
): Promise<StagedFile> {
  const staged = `${path}.new`;
  const unfit = new Set<string>();
  let count = 0;
  try {
    discard(staged);
    const sink = await (format === 'parquet'
      ? parquetSink(staged, table, unfit)
      : textSink(staged, table, format === 'csv' ? csv : undefined));
    try {
      for (const batch of batches(rows)) {
        await sink.write(batch);
        count += batch.length;
      }
      await sink.end();
    } finally {
      sink.close();
    }
  } catch (error) {
    discard(staged);
    throw fileFailure(`cannot write ${path}`, error);
  }
  return { path, staged, rows: count, unfit };
}

export function commitFile({ path, staged }: StagedFile): void {
  try {
    renameSync(staged, path);
    syncDirectory(dirname(path));
  } catch (error) {
    throw fileFailure(`cannot write ${path}`, error);
  }
}

function* batches(rows: Iterable<Fields>): Generator<readonly Fields[], void, void> {
  let batch: Fields[] = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function textSink(path: string, table: ExportTable, csv: CsvStyle | undefined): Sink {
  const file = openSync(path, 'wx');
  const line = csv === undefined ? (row: Fields) => `${escapeJson(JSON.stringify(row))}\n` : csvLine(table, csv);
  const names = table.columns.map(({ name }) => name);
  if (csv !== undefined) writeFileSync(file, `${csv.bom ? '\ufeff' : ''}${names.join(csv.delimiter)}\n`);
  return {
    write: (rows) => writeFileSync(file, rows.map(line).join('')),
    end: () => fsyncSync(file),
    close: () => closeSync(file),
  };
}

/** RFC 4180 except for the line ends. An empty text is quoted; a field without a value is not. */
function csvLine({ columns }: ExportTable, { delimiter, decimal, raw }: CsvStyle): (row: Fields) => string {
  const quoted = (text: string): string =>
    text === '' || /["\r\n,;]|^\s|\s$/.test(text) || text.includes(delimiter)
      ? `"${text.replaceAll('"', '""')}"`
      : text;
  const field = (value: unknown, type: ColumnType): string => {
    // A time has the digits that the service gave it.
    const cell = typed(value, type === 'time' ? 'text' : type);
    if (cell === null) return '';
    if (typeof cell === 'number') return quoted(String(cell).replace('.', decimal));
    if (typeof cell === 'bigint' || typeof cell === 'boolean') return String(cell);
    const text = cell ?? String(typed(value, 'text'));
    return quoted(raw ? text : withoutFormula(escapeText(text)));
  };
  return (row) => `${columns.map(({ value, type }) => field(value(row), type)).join(delimiter)}\n`;
}

const SCHEMA: Readonly<Record<ColumnType, Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
};

async function parquetSink(path: string, { columns }: ExportTable, unfit: Set<string>): Promise<Sink> {
  const { fileWriter, ParquetWriter } = await import('hyparquet-writer');
  const schema = [
    { name: 'root', num_children: columns.length },
    ...columns.map(({ name, type }) => ({ name, repetition_type: 'OPTIONAL' as const, ...SCHEMA[type] })),
  ];
  const writer = new ParquetWriter({ writer: fileWriter(path), schema, createdBy: 'svc' });
  return {
    write(rows) {
      const columnData = columns.map(({ name, type, value }) => ({
        name,
        data: rows.map((row) => {
          const cell = typed(value(row), type);
          if (cell === undefined) unfit.add(name);
          return cell ?? null;
        }),
      }));
      return writer.write({ columnData, rowGroupSize: BATCH });
    },
    async end() {
      await writer.finish();
      const file = openSync(path, 'r+');
      fsyncSync(file);
      closeSync(file);
    },
    close() {},
  };
}
