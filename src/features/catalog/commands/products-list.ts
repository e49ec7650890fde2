import { listCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { openCatalog } from '../api.ts';
import { PRODUCT_LIST, productCandidates } from '../columns.ts';
import { exactHint, LIST_FLAGS, listed, orderFlag, searchHint, TIME_ORDERS, UNDOCUMENTED } from '../lists.ts';

const EITHER = ['true', 'false'] as const;

export const catalogProductsList = listCommand({
  id: 'catalog products list',
  aliases: ['products ls'],
  summary: 'List and search products',
  description: `FROM is the least price of the sources that match, where each counts with its discount price, else its loyalty price, else its price: a loyalty price below a discount is not in it. Filters choose sources before they are put together: FROM, STORES and SOURCES are of those alone. Where each scrape is a source, FROM is the least price ever observed: svc catalog compare shows what is asked now. Without --limit, --all or --sort the service gives one page; --sort reads all pages, and --limit then counts in the sorted list. ${UNDOCUMENTED}`,
  effect: 'read',
  service: 'catalog',
  flags: {
    search: {
      type: 'string',
      value: 'text',
      help: 'Part of the title or the brand; % and _ are wildcards (undocumented)',
    },
    brand: { type: 'string', help: 'The whole brand, in either case (undocumented)' },
    'parser-name': {
      type: 'string',
      value: 'store',
      complete: 'stores',
      help: 'Sold by this store, written exactly so (undocumented)',
    },
    category: { type: 'integer', value: 'id', help: 'In this category (undocumented)' },
    settlement: { type: 'integer', value: 'id', help: 'Sold in this settlement (undocumented)' },
    promo: { type: 'choice', choices: EITHER, help: 'Promoted, or not (undocumented)' },
    new: { type: 'choice', choices: EITHER, help: 'New, or not (undocumented)' },
    hit: { type: 'choice', choices: EITHER, help: 'A hit, or not (undocumented)' },
    adult: { type: 'choice', choices: EITHER, help: 'For adults, or not (undocumented)' },
    'price-min': { type: 'number', value: 'n', help: 'From this price on (undocumented)' },
    'price-max': { type: 'number', value: 'n', help: 'Up to this price (undocumented)' },
    order: orderFlag([...TIME_ORDERS, 'price_asc', 'price_desc', 'rating_desc']),
    ...LIST_FLAGS,
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc catalog products list --search milk --order price_asc', why: 'The cheapest first' },
    {
      run: 'svc catalog products list --promo true --parser-name fixprice -q',
      why: 'The ids of what one store promotes',
    },
    { run: 'svc catalog products list --all -o ndjson', why: 'All of them, each on a line as soon as it is there' },
  ],
  output: PRODUCT_LIST,
  offers: productCandidates,
  async run(input, ctx) {
    const { search, parserName, priceMin, priceMax } = input;
    if (priceMin !== undefined && priceMax !== undefined && priceMin > priceMax) {
      throw new SvcError('invalid_value', `--price-min is ${priceMin}, more than --price-max, ${priceMax}`);
    }
    const query = {
      q: search,
      brand: input.brand,
      parser_name: parserName,
      category_id: input.category,
      settlement_id: input.settlement,
      promo: input.promo,
      is_new: input.new,
      hit: input.hit,
      adult: input.adult,
      price_min: priceMin,
      price_max: priceMax,
      sort: input.order,
    };
    return listed(
      openCatalog(ctx.target).products,
      query,
      input,
      ctx,
      searchHint(search) ?? exactHint({ 'parser-name': parserName }),
    );
  },
});
