import { bulk } from '../../../cli/bulk.ts';
import { listCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { Column, ListOutput } from '../../../output/types.ts';
import { type Catalog, openCatalog } from '../api.ts';
import { PRODUCT_LIST, productCandidates, productId } from '../columns.ts';
import {
  LIST_FLAGS,
  listed,
  orderFlag,
  type Report,
  readingProblems,
  STORE_FLAG,
  searchHint,
  TIME_ORDERS,
  UNDOCUMENTED,
} from '../lists.ts';
import { ofStore } from '../places.ts';
import { listSources } from '../product-sources.ts';
import type { Product } from '../schema.ts';
import { amountOf, freeNotes, seriesOf, unitOf } from '../series.ts';
import { PER_FLAG, type Per, pricesPer } from '../unit-price.ts';

const EITHER = ['true', 'false'] as const;

export const catalogProductsList = listCommand({
  id: 'catalog products list',
  aliases: ['products ls'],
  summary: 'List and search products',
  description: `FROM is the lowest price of the matching sources; each counts with its discount price, or its loyalty price, or its price. Without --limit, --all or --sort the service returns one page. --sort reads all pages. ${UNDOCUMENTED}`,
  details:
    'Filters select sources before they are grouped: FROM, STORES and SOURCES count only those. In a catalog that makes a new source for each scrape, FROM is the lowest price ever observed; svc catalog compare shows current prices. With --sort, --limit counts in the sorted list. --per reads the sources of each product, and adds unit_price, the lowest current price, and unit_price_unit to each product in its own currency; products without a size in that unit are left out and counted.',
  effect: 'read',
  service: 'catalog',
  flags: {
    search: { type: 'string', value: 'text', help: 'Text in title or brand, with % and _ (undocumented)' },
    brand: { type: 'string', help: 'Brand; case is ignored (undocumented)' },
    store: STORE_FLAG,
    category: { type: 'integer', value: 'id', help: 'Category (undocumented)' },
    settlement: { type: 'integer', value: 'id', help: 'Settlement (undocumented)' },
    promo: { type: 'choice', choices: EITHER, help: 'Promoted products (undocumented)' },
    new: { type: 'choice', choices: EITHER, help: 'New products (undocumented)' },
    hit: { type: 'choice', choices: EITHER, help: 'Hits (undocumented)' },
    adult: { type: 'choice', choices: EITHER, help: 'Products for adults (undocumented)' },
    'price-min': { type: 'number', help: 'Minimum price (undocumented)' },
    'price-max': { type: 'number', help: 'Maximum price (undocumented)' },
    per: { ...PER_FLAG, help: 'Add the lowest unit price' },
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
  outputOf: ({ per }) => (per === undefined ? PRODUCT_LIST : UNIT_PRICE_LIST),
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
      parser_name: input.store,
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
    const products = ofStore(catalog.products, input.store, catalog);
    const found = await listed(products, query, input, ctx, searchHint(search));
    const { per } = input;
    if (per === undefined) return found;
    const problems = readingProblems(ctx);
    let left = 0;
    async function* priced(): AsyncGenerator<PricedProduct> {
      for await (const one of unitPrices(found.value, per as Per, catalog, problems.report)) {
        if (one.unit_price === null) left++;
        else yield one;
      }
    }
    const footer = (): string | undefined => {
      const lines = [
        found.footer(),
        left === 0 ? undefined : `left out, because their price by ${per} is not known: ${left}`,
      ];
      return lines.filter((line) => line !== undefined).join('\n') || undefined;
    };
    return { value: priced(), as: UNIT_PRICE_LIST, footer, code: () => found.code() ?? problems.code };
  },
});

interface PricedProduct extends Product {
  /** The lowest current price; null where no size converts. */
  readonly unit_price: number | null;
  readonly unit_price_unit: string | null;
}

const UNIT_PRICE_LIST: ListOutput<PricedProduct> = {
  ...PRODUCT_LIST,
  empty: 'no product has a price by this unit',
  columns: PRODUCT_LIST.columns.flatMap((column): readonly Column<PricedProduct>[] =>
    column.name === 'from'
      ? [
          column,
          { name: 'unit-price', cell: ({ unit_price }) => unit_price, align: 'right' },
          { name: 'unit', cell: ({ unit_price_unit }) => unit_price_unit },
        ]
      : [column],
  ),
};

const AT_ONCE = 8;

async function* unitPrices(
  products: AsyncIterable<Product> | Iterable<Product>,
  per: Per,
  catalog: Catalog,
  report: Report,
): AsyncGenerator<PricedProduct> {
  let batch: Product[] = [];
  const priced = async (): Promise<readonly PricedProduct[]> => {
    const { outcomes } = await bulk(batch, AT_ONCE, (product) => unitPriceOf(product, per, catalog, report));
    batch = [];
    return outcomes.flatMap((one) => {
      if (one.error === undefined) return [one.result];
      if (one.error.code !== 'invalid_value') throw one.error;
      report({ text: `${productId(one.item)} is skipped: ${one.error.message}`, incomplete: true });
      return [];
    });
  };
  for await (const product of products) if (batch.push(product) === AT_ONCE) yield* await priced();
  yield* await priced();
}

async function unitPriceOf(product: Product, per: Per, catalog: Catalog, report: Report): Promise<PricedProduct> {
  const sources = await listSources(catalog, productId(product), report);
  const { series, doubts } = pricesPer(seriesOf(sources, []), per);
  for (const text of [...doubts, ...freeNotes(series, 'lowest')]) {
    report({ text: `${product.title ?? productId(product)}: ${text}`, incomplete: false });
  }
  // Prices of other currencies are not compared.
  const offers = series.filter((one) => !product.price_unit || one.price_unit === product.price_unit);
  const [lowest] = offers
    .flatMap((one) => {
      const value = one.offer && amountOf(one.offer, 'lowest')?.value;
      return value === undefined ? [] : [{ value, unit: unitOf(one) }];
    })
    .sort((a, b) => a.value - b.value);
  return { ...product, unit_price: lowest?.value ?? null, unit_price_unit: lowest?.unit ?? null };
}
