/** What of an answer is offered when the next command line is completed. */
import type { Product, Source } from './schema.ts';

interface Named {
  readonly value: string;
  readonly note?: string;
}

export function productCandidates({ canonical_product_id: value, title, parsers }: Product): {
  readonly products: readonly Named[];
  readonly stores: readonly Named[];
} {
  return { products: [noted(value, title)], stores: (parsers ?? []).map((name) => ({ value: name })) };
}

export function sourceCandidates({ source_id: source, parser_name: store, settlement }: Source): {
  readonly sources: readonly Named[];
  readonly stores: readonly Named[];
} {
  const where = settlement?.name ? `${store}, ${settlement.name}` : store;
  return { sources: [noted(source, where)], stores: [{ value: store }] };
}

function noted(value: string, note: string | null | undefined): Named {
  return note ? { value, note } : { value };
}
