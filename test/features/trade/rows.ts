/** Rows of a table as the client returns them. */
import type { TableRows } from '../../../src/features/trade/models.ts';

/** All of them could be read. */
export function tableRows<Row>(rows: readonly Row[]): TableRows<Row> {
  return Object.assign([...rows], { omitted: [] });
}
