import { listCommand } from '../../../cli/command.ts';
import type { Candidates } from '../../../cli/flags.ts';
import { timeCell } from '../../../output/cells.ts';
import type { Cell, ListOutput } from '../../../output/types.ts';
import { openCatalog } from '../api.ts';
import { LIST_FLAGS, listed, orderFlag, PRODUCT_ARGUMENT, TIME_ORDERS, UNDOCUMENTED } from '../lists.ts';
import { ofProduct } from '../product-sources.ts';
import type { SourceRow } from '../schema.ts';

const SOURCE_LIST: ListOutput<SourceRow> = {
  kind: 'list',
  columns: [
    { name: 'store', cell: (one) => one.parser_name },
    { name: 'source', cell: (one) => one.source_id },
    { name: 'price', cell: ({ price }) => price, align: 'right' },
    { name: 'discount', cell: (one) => one.discount_price, align: 'right' },
    { name: 'loyal', cell: (one) => one.loyal_price, align: 'right' },
    { name: 'currency', cell: (one) => one.price_unit },
    { name: 'available', cell: (one) => one.available_count, align: 'right' },
    { name: 'where', cell: ({ settlement }) => settlement?.name ?? settlement?.region, shrinks: true },
    { name: 'flags', cell: flagsCell },
    { name: 'observed', cell: (one) => timeCell(one.observed_at) },
    { name: 'title', cell: (one) => one.title_original, wide: true },
    { name: 'brand', cell: ({ brand }) => brand, wide: true },
    { name: 'category', cell: (one) => one.primary_category?.title, wide: true },
    { name: 'region', cell: ({ settlement }) => settlement?.region, wide: true },
    { name: 'unit', cell: ({ unit }) => unit, wide: true },
    { name: 'rating', cell: ({ rating }) => rating, align: 'right', wide: true },
    { name: 'reviews', cell: (one) => one.reviews_count, align: 'right', wide: true },
    { name: 'product', cell: (one) => one.canonical_product_id, wide: true },
  ],
  id: (one) => (one.source_id == null ? undefined : String(one.source_id)),
  empty: 'no sources',
};

export const catalogProductsSources = listCommand({
  id: 'catalog products sources',
  summary: 'List the stores that sell a product, with prices',
  description: `STORE and SOURCE (parser_name and source_id) select a series of svc catalog products dynamics. ${UNDOCUMENTED}`,
  effect: 'read',
  service: 'catalog',
  args: { id: PRODUCT_ARGUMENT },
  flags: { order: orderFlag(TIME_ORDERS), ...LIST_FLAGS },
  exits: ['partly_done'],
  examples: [
    {
      run: 'svc catalog products sources 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10 --sort price',
      why: 'Sort by price as it was observed',
    },
  ],
  output: SOURCE_LIST,
  offers: sourceCandidates,
  async run(input, ctx) {
    const catalog = openCatalog(ctx.target);
    return listed(ofProduct(catalog.sources, input.id, catalog), { sort: input.order }, input, ctx);
  },
});

function flagsCell({ promo, is_new, hit, adult }: SourceRow): Cell {
  const flags = Object.entries({ promo, new: is_new, hit, adult }).flatMap(([name, value]) =>
    isSet(value) ? [name] : [],
  );
  return flags.length === 0 ? undefined : flags;
}

function isSet(value: SourceRow['promo']): boolean {
  return value === true || /^(true|t|yes)$/i.test(String(value)) || Number(value) > 0;
}

function sourceCandidates({ source_id: source, parser_name: store, settlement }: SourceRow): Candidates {
  const where = [store, settlement?.name].filter(Boolean).join(', ');
  return {
    sources: source ? [{ value: String(source), note: where || undefined }] : [],
    stores: store ? [{ value: store }] : [],
  };
}
