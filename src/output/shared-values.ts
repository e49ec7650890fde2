/** What every row of a short table says alike, so that it is told once and the rows show how they differ. */
import type { ListSubject } from './subject.ts';
import type { Cell, Column, Rows } from './types.ts';

/** Longer tables go on row by row: what they share is known only at their end. */
const MOST_ROWS = 500;

export interface Factored {
  readonly rows: Rows<unknown>;
  readonly columns: readonly Column<unknown>[];
  /** In the order of the first row. */
  readonly shared: readonly string[];
}

/** Takes the values that all rows share out of the columns that are declared `shared`. */
export async function factorOut({ rows, columns }: ListSubject): Promise<Factored> {
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
