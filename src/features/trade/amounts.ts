/** Amounts as tables show them: in the unit of orders. */
import type { Offer } from './schema.ts';
import { orderAmount } from './symbols.ts';
import type { Traded } from './totals.ts';

/** The amount of a row as `--amount` takes it, where the offer of its symbol says what that is. */
const ORDER_AMOUNT = Symbol('amount');

/** With the amounts that tables show. JSON has the rows of the gateway as they are. */
export function withAmounts<Row extends Traded>(rows: readonly Row[], offers: readonly Offer[]): readonly Row[] {
  const bySymbol = new Map(offers.map((offer) => [offer.currency, offer]));
  return rows.map((row) => ({ ...row, [ORDER_AMOUNT]: orderAmount(row, bySymbol.get(row.currency ?? '')) }));
}

/** Thousands with a K if the kind of the symbol is unknown. */
export function amountCell(
  row: Traded & { readonly [ORDER_AMOUNT]?: number | undefined },
): number | string | undefined {
  return row[ORDER_AMOUNT] ?? (row.amountK === undefined ? undefined : `${row.amountK}K`);
}
