/** What happens to the value before a format sees it: `--sort`, the list's `--limit`, then `--query` or `--fields`. */
import { SvcError } from '../errors.ts';
import { chartForm } from './chart/form.ts';
import { selectColumns } from './columns.ts';
import { pathsOf, valueAt } from './field-path.ts';
import { idOf, keyColumn, type ListSubject, type Subject, subjectOf } from './subject.ts';
import type { AnyOutput, OutputOptions, RecordOutput, Rows, TextOutput } from './types.ts';

export interface Shaped {
  readonly subject: Subject;
  /** How many rows `--limit` left out, as far as is known without asking for more. */
  readonly cut: number;
}

/** A chart is drawn elsewhere: here are its rows, or its value. */
export async function shape(value: unknown, output: AnyOutput, options: OutputOptions): Promise<Shaped> {
  if (output.kind === 'chart') {
    if (chartForm(options) === 'rows') return shape(output.rows(value), output.list, options);
    return { subject: await one(value, { kind: 'record', columns: [], id: idOf }, options), cut: 0 };
  }
  if (output.kind !== 'list') return { subject: await one(value, output, options), cut: 0 };
  let rows = value as Rows<unknown>;
  if (options.sort !== undefined) {
    const { sortRows } = await import('./sort.ts');
    rows = sortRows(await collect(rows), options.sort, output);
  }
  let cut = 0;
  if (options.limit !== undefined) {
    if (Array.isArray(rows)) cut = Math.max(0, rows.length - options.limit);
    rows = Array.isArray(rows) ? rows.slice(0, options.limit) : first(rows, options.limit);
  }
  if (options.query !== undefined) {
    const { compileQuery } = await import('./query.ts');
    const query = await compileQuery(options.query);
    return { subject: subjectOf(query(await collect(rows))), cut };
  }
  if (options.fields !== undefined) return { subject: await project(rows, options.fields, options), cut };
  return {
    subject: {
      kind: 'list',
      rows,
      columns: selectColumns(output, options),
      named: true,
      id: output.id,
      live: output.live,
      linesPerSecond: output.linesPerSecond,
      json: output.json,
    },
    cut,
  };
}

async function one(value: unknown, output: RecordOutput<unknown> | TextOutput, options: OutputOptions) {
  if (options.query !== undefined) {
    const { compileQuery } = await import('./query.ts');
    return subjectOf((await compileQuery(options.query))(value));
  }
  if (options.fields !== undefined) {
    const fields = new Fields(options.fields);
    const picked = fields.pick(value);
    fields.refuseUnknown();
    return subjectOf(picked);
  }
  if (output.kind === 'text') {
    return typeof value === 'number' ? subjectOf(value) : ({ kind: 'text', text: String(value) } as const);
  }
  const columns = selectColumns(output, options);
  const line = options.columns === undefined ? output.line : undefined;
  return { kind: 'record', value, columns, id: output.id, line } as const;
}

/** NDJSON gets each row as it comes; the others wait for the last, so that nothing is written where a field is unknown. */
async function project(rows: Rows<unknown>, names: readonly string[], options: OutputOptions): Promise<ListSubject> {
  const fields = new Fields(names);
  const picked = picking(rows, fields);
  return {
    kind: 'list',
    rows: options.format === 'ndjson' ? picked : await collect(picked),
    columns: names.map(keyColumn),
    named: true,
    id: idOf,
  };
}

async function* picking(rows: Rows<unknown>, fields: Fields): AsyncGenerator<unknown> {
  for await (const row of rows) yield fields.pick(row);
  fields.refuseUnknown();
}

/** The paths of `--fields`, and which of them were seen. */
class Fields {
  readonly #names: readonly string[];
  readonly #unseen: Set<string>;
  #sample: unknown;

  constructor(names: readonly string[]) {
    this.#names = names;
    this.#unseen = new Set(names);
  }

  /** An object keyed by the paths as they were given; null where this value lacks one. */
  pick(value: unknown): Readonly<Record<string, unknown>> {
    this.#sample ??= value;
    return Object.fromEntries(
      this.#names.map((name) => {
        const found = valueAt(value, name);
        if (found !== undefined) this.#unseen.delete(name);
        return [name, found ?? null];
      }),
    );
  }

  /** An empty list has every field. */
  refuseUnknown(): void {
    const [unknown] = this.#unseen;
    if (this.#sample === undefined || unknown === undefined) return;
    throw new SvcError('usage', `--fields: there is no field "${unknown}" in the answer`, {
      hint: `fields: ${pathsOf(this.#sample).slice(0, 60).join(', ')}`,
    });
  }
}

async function* first(rows: Rows<unknown>, limit: number): AsyncGenerator<unknown> {
  if (limit <= 0) return;
  let count = 0;
  for await (const row of rows) {
    yield row;
    if (++count >= limit) return;
  }
}

async function collect(rows: Rows<unknown>): Promise<readonly unknown[]> {
  if (Array.isArray(rows)) return rows;
  const all: unknown[] = [];
  for await (const row of rows) all.push(row);
  return all;
}
