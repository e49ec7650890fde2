import { listCommand } from '../../../cli/command.ts';
import { timeCell } from '../../../output/cells.ts';
import type { ListOutput } from '../../../output/types.ts';
import { openCatalog } from '../api.ts';
import { LIST_FLAGS, listed, orderFlag, PRODUCT_ARGUMENT, STORE_FLAG, TIME_ORDERS, UNDOCUMENTED } from '../lists.ts';
import { ofStore } from '../places.ts';
import { ofProduct } from '../product-sources.ts';
import type { SnapshotRow } from '../schema.ts';

const SNAPSHOT_LIST: ListOutput<SnapshotRow> = {
  kind: 'list',
  columns: [
    { name: 'observed', cell: (one) => timeCell(one.observed_at) },
    { name: 'store', cell: (one) => one.parser_name },
    { name: 'source', cell: (one) => one.source_id },
    { name: 'price', cell: ({ price }) => price, align: 'right' },
    { name: 'discount', cell: (one) => one.discount_price, align: 'right' },
    { name: 'loyal', cell: (one) => one.loyal_price, align: 'right' },
    { name: 'available', cell: (one) => one.available_count, align: 'right' },
    { name: 'valid-from', cell: (one) => timeCell(one.valid_from_at) },
    { name: 'valid-to', cell: (one) => timeCell(one.valid_to_at) },
    { name: 'currency', cell: (one) => one.price_unit, wide: true },
    { name: 'product', cell: (one) => one.canonical_product_id, wide: true },
    { name: 'id', cell: snapshotId, wide: true },
  ],
  id: snapshotId,
  empty: 'no such snapshots',
};

/** Not documented. */
function snapshotId({ id, source_id: source }: SnapshotRow): string {
  return String(id ?? source ?? '');
}

export const catalogProductsSnapshots = listCommand({
  id: 'catalog products snapshots',
  summary: 'List observations of a product',
  description: `A snapshot with VALID-FROM and VALID-TO is valid for the time between them; an older one only for the time it was observed. ${UNDOCUMENTED}`,
  effect: 'read',
  service: 'catalog',
  args: { id: PRODUCT_ARGUMENT },
  flags: {
    store: STORE_FLAG,
    source: { type: 'string', value: 'id', help: 'Filter by source (undocumented)' },
    order: orderFlag(TIME_ORDERS),
    ...LIST_FLAGS,
  },
  exits: ['partly_done'],
  examples: [
    {
      run: 'svc catalog products snapshots 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10 --all -o csv',
      why: 'Export all snapshots for a spreadsheet',
    },
  ],
  output: SNAPSHOT_LIST,
  async run(input, ctx) {
    const catalog = openCatalog(ctx.target);
    const all = ofProduct(catalog.snapshots, input.id, catalog);
    const snapshots = ofStore(all, input.store, catalog);
    return listed(snapshots, { source_id: input.source, sort: input.order }, input, ctx);
  },
});
