import { listCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { openCatalog } from '../api.ts';
import { PRODUCT_LIST, productCandidates } from '../columns.ts';
import { LIST_FLAGS, listed, orderFlag, STORE_FLAG, TIME_ORDERS, UNDOCUMENTED } from '../lists.ts';
import { ofStore } from '../places.ts';

export const catalogProductsList = listCommand({
  id: 'catalog products list',
  aliases: ['products ls'],
  summary: 'List and search products',
  description: `FROM is the lowest price of the matching sources; each counts with its discount price, or its loyalty price, or its price. Without --limit, --all or --sort the service returns one page. --sort reads all pages. ${UNDOCUMENTED}`,
  details:
    'Filters select sources before they are grouped: FROM, STORES and SOURCES count only those. In a catalog that makes a new source for each scrape, FROM is the lowest price ever observed; svc catalog compare shows current prices. With --sort, --limit counts in the sorted list.',
  effect: 'read',
  service: 'catalog',
  flags: {
    search: { type: 'string', value: 'text', help: 'Text in title or brand, with % and _ (undocumented)' },
    brand: { type: 'string', help: 'Brand; case is ignored (undocumented)' },
    store: STORE_FLAG,
    category: { type: 'integer', value: 'id', help: 'Category (undocumented)' },
    settlement: { type: 'integer', value: 'id', help: 'Settlement (undocumented)' },
    promo: { type: 'choice', choices: ['true', 'false'], help: 'Promoted products (undocumented)' },
    'price-min': { type: 'number', help: 'Minimum price (undocumented)' },
    'price-max': { type: 'number', help: 'Maximum price (undocumented)' },
    order: orderFlag([...TIME_ORDERS, 'price_asc', 'price_desc', 'rating_desc']),
    ...LIST_FLAGS,
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc catalog products list --search milk --order price_asc', why: 'Find milk, cheapest first' },
    {
      run: 'svc catalog products list --promo true --store fixprice -q',
      why: 'Print the ids of products that one store promotes',
    },
    { run: 'svc catalog products list --all -o ndjson', why: 'Export all products, one per line' },
  ],
  output: PRODUCT_LIST,
  offers: productCandidates,
  async run(input, ctx) {
    const { search, priceMin, priceMax } = input;
    if (priceMin !== undefined && priceMax !== undefined && priceMin > priceMax) {
      throw new SvcError('invalid_value', `--price-min is ${priceMin}, more than --price-max, ${priceMax}`);
    }
    const catalog = openCatalog(ctx.target);
    const query = {
      q: search,
      brand: input.brand,
      category_id: input.category,
      settlement_id: input.settlement,
      promo: input.promo,
      price_min: priceMin,
      price_max: priceMax,
      sort: input.order,
    };
    const products = ofStore(catalog.products, input.store, catalog);
    return listed(products, query, input, ctx);
  },
});
