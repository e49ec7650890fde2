/** Which of a command's columns are shown. */
import { SvcError } from '../errors.ts';
import type { Column, Format, ListOutput, OutputOptions, RecordOutput } from './types.ts';

type Columned = ListOutput<unknown> | RecordOutput<unknown>;

/** Those of `--columns` in its order, or all; only a plain table leaves the wide ones out. */
export function selectColumns(output: Columned, options: OutputOptions): readonly Column<unknown>[] {
  if (options.columns === undefined || !isColumnar(options.format)) {
    return options.format === 'table' ? output.columns.filter((column) => column.wide !== true) : output.columns;
  }
  return options.columns.map((name) => {
    const column = findColumn(output, name);
    if (column !== undefined) return column;
    throw new SvcError('usage', `--columns: there is no column "${name}"`, {
      hint: `columns: ${columnNames(output).join(', ')}`,
    });
  });
}

/** The formats that `--columns` concerns. */
export function isColumnar(format: Format): boolean {
  return format === 'table' || format === 'wide' || format === 'csv' || format === 'tsv';
}

/** A declared column, or one of a family: `label:instance`. */
export function findColumn(output: Columned, name: string): Column<unknown> | undefined {
  const declared = output.columns.find((column) => column.name === name);
  if (declared !== undefined || output.kind !== 'list' || output.families === undefined) return declared;
  const [family = '', ...argument] = name.split(':');
  return Object.hasOwn(output.families, family) && argument.join(':') !== ''
    ? output.families[family]?.(argument.join(':'))
    : undefined;
}

export function columnNames(output: Columned): readonly string[] {
  const families = output.kind === 'list' ? Object.keys(output.families ?? {}) : [];
  return [...output.columns.map((column) => column.name), ...families.map((family) => `${family}:<name>`)];
}
