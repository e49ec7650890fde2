/** What is wrong with output options whatever the value will be. */
import { SvcError } from '../errors.ts';
import { chartForm } from './chart/form.ts';
import { columnNames, findColumn, isColumnar, selectColumns } from './columns.ts';
import type { AnyOutput, ChartOutput, OutputOptions } from './types.ts';

/**
 * Refuses options that can never work with this output, before anything else happens. `writes`: what only the rows would tell comes
 * too late, and so a list is sorted by its columns only.
 */
export async function checkOutputOptions(
  declared: AnyOutput,
  options: OutputOptions,
  { writes = false }: { readonly writes?: boolean } = {},
): Promise<void> {
  const shaping = options.query !== undefined ? '--query' : options.fields !== undefined ? '--fields' : undefined;
  if (options.query !== undefined && options.fields !== undefined) {
    throw new SvcError('usage', '--query and --fields cannot be used together');
  }
  if (shaping !== undefined && options.format === 'id') {
    throw new SvcError('usage', `-q and -o id print ids and nothing else, so ${shaping} has no meaning with them`);
  }
  if (declared.kind === 'chart') checkChart(options);
  const output = declared.kind === 'chart' ? declared.list : declared;
  if (options.columns !== undefined) checkColumns(output, options, shaping);
  if (options.fields !== undefined && output.kind === 'text') {
    throw new SvcError('usage', '--fields: this command prints plain text, which has no fields');
  }
  for (const sort of options.sort ?? []) checkSort(output, sort, writes);
  if (options.query !== undefined) {
    const { compileQuery } = await import('./query.ts');
    await compileQuery(options.query);
  }
}

/** What concerns rows has no meaning where others are printed than those. */
function checkChart(options: OutputOptions): void {
  const form = chartForm(options);
  const name = options.columns !== undefined ? '--columns' : options.sort !== undefined ? '--sort' : undefined;
  if (form === 'rows' || name === undefined) return;
  const printed = form === 'drawing' ? 'a chart is drawn' : 'one value is printed';
  throw new SvcError('usage', `${name} has no meaning here: ${printed}`, {
    hint: `it is for the rows that -o ${name === '--sort' ? 'csv, tsv and ndjson' : 'csv and tsv'} print`,
  });
}

type Plain = Exclude<AnyOutput, ChartOutput<unknown, unknown>>;

function checkColumns(output: Plain, options: OutputOptions, shaping: string | undefined): void {
  if (shaping !== undefined) {
    throw new SvcError('usage', `--columns names the command's own columns, which ${shaping} replaces`);
  }
  if (!isColumnar(options.format)) {
    throw new SvcError('usage', `--columns has no meaning with -o ${options.format}`, {
      hint: 'it is for table, wide, csv and tsv; --fields and --query are for every format',
    });
  }
  if (output.kind === 'text') throw new SvcError('usage', '--columns: this command prints plain text');
  selectColumns(output, options);
}

function checkSort(output: Plain, sort: string, writes: boolean): void {
  if (output.kind !== 'list') throw new SvcError('usage', '--sort: this command prints no list');
  const name = sort.replace(/^-/, '');
  if (name !== '' && (!writes || findColumn(output, name) !== undefined)) return;
  throw new SvcError('usage', name === '' ? '--sort: the name is empty' : `--sort: there is no column "${name}"`, {
    hint: `columns: ${columnNames(output).join(', ')}`,
  });
}
