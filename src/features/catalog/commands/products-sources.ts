import { listCommand } from '../../../cli/command.ts';
import { sourceCandidates } from '../candidates.ts';
import { LIST_FLAGS, listed, orderFlag, TIME_ORDERS, UNDOCUMENTED } from '../catalog-lists.ts';
import { SOURCE_LIST } from '../columns.ts';

export const catalogProductsSources = listCommand({
  id: 'catalog products sources',
  summary: 'Where a product is sold, and for how much',
  description: `STORE and SOURCE (parser_name and source_id) name a series of svc catalog products dynamics. A product that nobody sells any more has none, and is no error. ${UNDOCUMENTED}`,
  effect: 'read',
  service: 'catalog',
  args: { id: { help: 'The product', required: true, complete: 'products' } },
  flags: { order: orderFlag(TIME_ORDERS), ...LIST_FLAGS },
  exits: ['partly_done'],
  examples: [
    {
      run: 'svc catalog products sources 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10 --sort price',
      why: 'The cheapest of them first',
    },
  ],
  output: SOURCE_LIST,
  offers: sourceCandidates,
  async run(input, ctx) {
    const { openCatalog } = await import('../client.ts');
    const catalog = openCatalog(ctx.target);
    return listed((query) => catalog.sources(input.id, query), { sort: input.order }, input, ctx);
  },
});
