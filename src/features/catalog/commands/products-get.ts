import { openPage } from '../../../cli/browser.ts';
import { recordCommand } from '../../../cli/command.ts';
import { openCatalog } from '../api.ts';
import { PRODUCT_RECORD } from '../columns.ts';
import { PRODUCT_ARGUMENT } from '../lists.ts';

export const catalogProductsGet = recordCommand({
  id: 'catalog products get',
  summary: 'Show one product',
  description:
    'FROM is the lowest price of all sources; each counts with its discount price, or its loyalty price, or its price. A product that no store sells any more is not found, but may have snapshots.',
  effect: 'read',
  service: 'catalog',
  args: { id: PRODUCT_ARGUMENT },
  flags: {
    web: { type: 'boolean', group: 'Browser options', help: 'Open its image, the only page it has, in a browser' },
  },
  examples: [{ run: 'svc catalog products get 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10', why: 'Show a product' }],
  output: PRODUCT_RECORD,
  outputOf: ({ web }) => (web ? { kind: 'text' } : PRODUCT_RECORD),
  async run({ id, web }, ctx) {
    const value = await openCatalog(ctx.target).product(id);
    return web
      ? openPage(value.image_url, { page: 'image', of: `product ${value.canonical_product_id}` }, ctx)
      : { value };
  },
});
