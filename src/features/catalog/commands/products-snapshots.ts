import { listCommand } from '../../../cli/command.ts';
import { exactHint, LIST_FLAGS, listed, orderFlag, TIME_ORDERS, UNDOCUMENTED } from '../catalog-lists.ts';
import { SNAPSHOT_LIST } from '../columns.ts';

export const catalogProductsSnapshots = listCommand({
  id: 'catalog products snapshots',
  summary: 'What was observed of a product, and when',
  description: `A snapshot with VALID-FROM and VALID-TO holds for the whole time between them; an older one has neither, and holds for the time it was observed. ${UNDOCUMENTED}`,
  effect: 'read',
  service: 'catalog',
  args: { id: { help: 'The product', required: true, complete: 'products' } },
  flags: {
    'parser-name': { type: 'string', value: 'store', complete: 'stores', help: 'Of this store (undocumented)' },
    'source-id': { type: 'string', value: 'id', complete: 'sources', help: 'Of this source (undocumented)' },
    order: orderFlag(TIME_ORDERS),
    ...LIST_FLAGS,
  },
  exits: ['partly_done'],
  examples: [
    {
      run: 'svc catalog products snapshots 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10 --all -o csv',
      why: 'All of them, for a spreadsheet',
    },
  ],
  output: SNAPSHOT_LIST,
  async run(input, ctx) {
    const { openCatalog } = await import('../client.ts');
    const catalog = openCatalog(ctx.target);
    const query = { parser_name: input.parserName, source_id: input.sourceId, sort: input.order };
    return listed(
      (page) => catalog.snapshots(input.id, page),
      query,
      input,
      ctx,
      exactHint({ 'parser-name': input.parserName }),
    );
  },
});
