/** Applies `--sort`, the list's `--limit`, then `--query` or `--fields`, before the format. */
import { SvcError } from '../errors.ts';
import { isObject } from '../json-object.ts';
import { exactMean, exactSum } from './decimal.ts';
import {
  columnsHint,
  findColumn,
  idOf,
  keyColumn,
  type ListSubject,
  type Subject,
  selectColumns,
  subjectOf,
} from './subject.ts';
import { collectRows, type ListOutput, type OutputOf, type OutputOptions, type Rows } from './types.ts';

export interface Shaped {
  readonly subject: Subject;
  /** How many rows `--limit` omitted, as far as is known without further requests. */
  readonly cut: number;
}

/** Charts are drawn elsewhere; here are their rows or value. */
export async function shape(value: unknown, output: OutputOf<unknown>, options: OutputOptions): Promise<Shaped> {
  if (output.kind === 'list') return shapeList(value as Rows<unknown>, output, options);
  if (output.kind === 'chart' && chartForm(options) === 'rows') {
    return shapeList(output.rows(value), output.list, options);
  }
  if (options.query !== undefined) return { subject: subjectOf((await compileQuery(options.query))(value)), cut: 0 };
  if (options.fields !== undefined) {
    const fields = new Fields(options.fields);
    const picked = fields.pick(value);
    fields.refuseUnknown();
    return { subject: subjectOf(picked), cut: 0 };
  }
  if (output.kind === 'text' && typeof value !== 'number') {
    return { subject: { kind: 'text', text: String(value) }, cut: 0 };
  }
  if (output.kind !== 'record') return { subject: subjectOf(value), cut: 0 };
  const line = options.columns === undefined ? output.line : undefined;
  const columns = selectColumns(output, options);
  return { subject: { kind: 'record', value, columns, id: output.id, line }, cut: 0 };
}

async function shapeList(all: Rows<unknown>, output: ListOutput<unknown>, options: OutputOptions): Promise<Shaped> {
  let rows = options.sort === undefined ? all : sortRows(await collectRows(all), options.sort, output);
  const { limit, query, fields } = options;
  let cut = 0;
  if (limit !== undefined) {
    if (Array.isArray(rows)) cut = Math.max(0, rows.length - limit);
    rows = Array.isArray(rows) ? rows.slice(0, limit) : takeFirst(rows, limit);
  }
  if (query !== undefined) return { subject: subjectOf((await compileQuery(query))(await collectRows(rows))), cut };
  if (fields !== undefined) return { subject: await project(rows, fields, options), cut };
  return { subject: { ...output, rows, columns: selectColumns(output, options), named: true }, cut };
}

/** Only NDJSON gets each row as it comes: the others print nothing if a field is unknown. */
async function project(rows: Rows<unknown>, names: readonly string[], options: OutputOptions): Promise<ListSubject> {
  const fields = new Fields(names);
  const picked = pickRows(rows, fields);
  return {
    kind: 'list',
    rows: options.format === 'ndjson' ? picked : await collectRows(picked),
    columns: names.map(keyColumn),
    named: true,
    id: idOf,
  };
}

async function* pickRows(rows: Rows<unknown>, fields: Fields): AsyncGenerator<unknown> {
  for await (const row of rows) yield fields.pick(row);
  fields.refuseUnknown();
}

/** The paths of `--fields`, and which of them occurred. */
class Fields {
  readonly #names: readonly string[];
  readonly #unseen: Set<string>;
  #sample: unknown;

  constructor(names: readonly string[]) {
    this.#names = names;
    this.#unseen = new Set(names);
  }

  /** An object keyed by the given paths; null if this value lacks one. */
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
    throw new SvcError('usage', `--fields: there is no field "${unknown}" in the response`, {
      hint: `fields: ${pathsOf(this.#sample).slice(0, 60).join(', ')}`,
    });
  }
}

async function* takeFirst(rows: Rows<unknown>, limit: number): AsyncGenerator<unknown> {
  if (limit <= 0) return;
  let count = 0;
  for await (const row of rows) {
    yield row;
    if (++count >= limit) return;
  }
}

/** `--query` applies to what json prints; `--fields` and line formats apply to rows. */
export function chartForm({ format, query, fields }: OutputOptions): 'drawing' | 'value' | 'rows' {
  if (query !== undefined) return 'value';
  if (fields !== undefined) return 'rows';
  if (format === 'table' || format === 'wide') return 'drawing';
  return format === 'json' || format === 'yaml' ? 'value' : 'rows';
}

/**
 * A key with dots is first tried as one name. A number selects an item of an array, and any other
 * name that field of every item.
 */
export function valueAt(value: unknown, path: string): unknown {
  if (Array.isArray(value) && !/^\d+(\.|$)/.test(path)) {
    const found = value.map((item) => valueAt(item, path)).filter((item) => item !== undefined);
    return found.length === 0 ? undefined : found;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, path)) return (value as Record<string, unknown>)[path];
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    const head = path.slice(0, dot);
    if (!Object.hasOwn(value, head)) continue;
    const found = valueAt((value as Record<string, unknown>)[head], path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The paths of a value, two levels deep: enough for a suggestion. */
function pathsOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    isObject(inner) && Object.keys(inner).length > 0 ? Object.keys(inner).map((name) => `${key}.${name}`) : [key],
  );
}

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** Numbers precede times (rank 1), which precede other text; missing values always come last. */
interface Key {
  readonly rank: 0 | 1 | 2;
  readonly amount: number;
  readonly text: string;
}

/**
 * Numbers sort by value, times by instant, text naturally (`disk9` before `disk10`). The sort is
 * stable.
 */
function sortRows(rows: readonly unknown[], sorts: readonly string[], output: ListOutput<unknown>): readonly unknown[] {
  const directions = sorts.map((sort) => (sort.startsWith('-') ? -1 : 1));
  const readers = sorts.map((sort) => keyReader(sort.replace(/^-/, ''), rows, output));
  const keyed = rows.map((row) => ({ row, keys: readers.map((read) => read(row)) }));
  const compareText = new Intl.Collator('en', { numeric: true }).compare;
  keyed.sort((a, b) => {
    for (const [index, direction] of directions.entries()) {
      const [left, right] = [a.keys[index], b.keys[index]];
      const order =
        left === undefined || right === undefined
          ? Number(left === undefined) - Number(right === undefined)
          : direction * compareKeys(left, right, compareText);
      if (order !== 0) return order;
    }
    return 0;
  });
  return keyed.map(({ row }) => row);
}

function keyReader(
  name: string,
  rows: readonly unknown[],
  output: ListOutput<unknown>,
): (row: unknown) => Key | undefined {
  const column = findColumn(output, name);
  if (column !== undefined) return (row) => keyOf(column.order?.(row) ?? column.cell(row));
  const read = (row: unknown) => keyOf(valueAt(row, name));
  if (rows.length === 0 || rows.some((row) => read(row) !== undefined)) return read;
  throw new SvcError('usage', `--sort: there is no column or field "${name}"`, {
    hint: `${columnsHint(output)}; any field of -o json also works`,
  });
}

function compareKeys(a: Key, b: Key, compareText: (a: string, b: string) => number): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  if (a.amount !== b.amount) return a.amount < b.amount ? -1 : 1;
  // Beyond 2^53 different integers compare equal: order and account numbers.
  const exact = a.rank !== 2 && (Number.isSafeInteger(a.amount) || !Number.isInteger(a.amount));
  return exact ? 0 : compareText(a.text, b.text);
}

function keyOf(value: unknown): Key | undefined {
  const text = keyText(value);
  if (text === '' || Number.isNaN(value)) return undefined;
  if (typeof value === 'number' || typeof value === 'boolean' || NUMBER.test(text)) {
    return { rank: 0, amount: Number(typeof value === 'boolean' ? value : text), text };
  }
  const instant = TIME.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(instant) ? { rank: 2, amount: 0, text } : { rank: 1, amount: instant, text };
}

function keyText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(keyText).join(' ').trim();
  if (typeof value !== 'object') return String(value);
  if ('spark' in value && Array.isArray(value.spark)) return String(value.spark.at(-1) ?? '');
  if ('amount' in value && 'text' in value) return String(value.amount ?? '');
  if ('time' in value && typeof value.time === 'string') return value.time;
  if ('text' in value && typeof value.text === 'string') return value.text;
  return JSON.stringify(value);
}

type Query = (value: unknown) => unknown;

/** Refuses an invalid expression, including unknown functions, before any request. */
export async function compileQuery(expression: string): Promise<Query> {
  const jmespath = await import('@jmespath-community/jmespath');
  const { TreeInterpreter } = jmespath;
  for (const [name, compute] of Object.entries(SUMS)) {
    jmespath.registerFunction(
      name,
      ([values]) => compute(values as readonly number[]),
      [{ types: [jmespath.TYPE_ARRAY_NUMBER] }],
      { override: true },
    );
  }
  const tree = refuseFaults(() => jmespath.compile(expression), languageHint(expression));
  checkTokens(jmespath.tokenize(expression), jmespath.isRegistered);
  return (value) =>
    refuseFaults(() => TreeInterpreter.search(tree, value as Parameters<typeof TreeInterpreter.search>[1]));
}

/** Sums are decimal: money has no binary remainders. */
const SUMS: Readonly<Record<string, (values: readonly number[]) => number | null>> = {
  sum: exactSum,
  avg: (values) => (values.length === 0 ? null : exactMean(values)),
};

const COMPARATORS: readonly unknown[] = ['EQ', 'NE', 'LT', 'LTE', 'GT', 'GTE'];

/** Refuses what the parser accepts, and what would show after the response only, or never. */
function checkTokens(
  tokens: readonly { readonly type: string; readonly value: unknown }[],
  isFunction: (name: string) => boolean,
): void {
  for (const [index, { type, value }] of tokens.entries()) {
    const name = String(value);
    const next = tokens[index + 1]?.type;
    if (type === 'UnquotedIdentifier' && next === 'Lparen' && !isFunction(name)) {
      throw queryError(`there is no function ${name}()`);
    }
    // In jq and most languages, double quotes there make a text.
    const isCompared = COMPARATORS.includes(tokens[index - 1]?.type) && next !== 'Dot' && next !== 'Lbracket';
    if (type === 'QuotedIdentifier' && isCompared) {
      throw queryError(
        `${JSON.stringify(name)}, in double quotes, is the name of a field`,
        `write the text as '${name}'; a field belongs on the left of a comparison`,
      );
    }
  }
}

function refuseFaults<T>(work: () => T, hint?: string): T {
  try {
    return work();
  } catch (error) {
    throw queryError(error instanceof Error ? error.message : String(error), hint);
  }
}

const LANGUAGE = 'the language is JMESPath, see https://jmespath.org';

function languageHint(expression: string): string {
  if (/^\s*\./.test(expression)) return 'the language is JMESPath: [].a for .[].a in jq; or pipe -o json to jq';
  return expression.includes('`') ? "write texts in single quotes: 'a'; backticks are for JSON: `1`" : LANGUAGE;
}

function queryError(reason: string, hint = LANGUAGE): SvcError {
  return new SvcError('usage', `--query: ${reason}`, { hint });
}
