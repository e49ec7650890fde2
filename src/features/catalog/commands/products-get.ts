import { recordCommand } from '../../../cli/command.ts';
import { openCatalog } from '../api.ts';
import { PRODUCT_RECORD, productCandidates } from '../columns.ts';
import { PARAM_FLAG } from '../lists.ts';

export const catalogProductsGet = recordCommand({
  id: 'catalog products get',
  summary: 'Show one product',
  description:
    'FROM is the least of its prices where each source counts with its discount price, else its loyalty price, else its price. A product that nobody sells any more is not found here, though its snapshots may be. No product can have the id "count": that is another resource.',
  effect: 'read',
  service: 'catalog',
  args: { id: { help: 'Its canonical_product_id', required: true, complete: 'products' } },
  flags: { param: PARAM_FLAG },
  examples: [{ run: 'svc catalog products get 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10', why: 'By its id' }],
  output: PRODUCT_RECORD,
  offers: productCandidates,
  async run({ id, param }, ctx) {
    return { value: await openCatalog(ctx.target).product(id, param) };
  },
});
