/** Reads the rows of a list, which may be there already, or come one by one or in batches. */
import { RowBatches, type Rows } from './types.ts';

/** Rows that are there already are one batch. */
export async function* batchesOf<Row>(rows: Rows<Row>): AsyncGenerator<Iterable<Row>, void, void> {
  if (rows instanceof RowBatches) yield* (rows as RowBatches<Row>).batches;
  else if (Symbol.iterator in rows) yield rows;
  else for await (const row of rows) yield [row];
}

export async function collectRows<Row>(rows: Rows<Row>): Promise<readonly Row[]> {
  if (Array.isArray(rows)) return rows;
  const all: Row[] = [];
  for await (const batch of batchesOf(rows)) {
    for (const row of batch) all.push(row);
  }
  return all;
}
