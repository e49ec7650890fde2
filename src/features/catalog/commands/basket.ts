import { listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { ListOutput } from '../../../output/types.ts';
import { openCatalog } from '../api.ts';
import { FIELD_FLAG, readingProblems } from '../lists.ts';
import { selectSources, sourceSelection } from '../product-sources.ts';
import { nameOf, productLines, readProducts, SELECTION_FLAGS } from '../selection.ts';
import { amountOf, grouped, type OfferField, type PriceSeries, seriesOf } from '../series.ts';
import { cents } from '../statistics.ts';

/** One line of the basket. */
interface Bought {
  readonly canonical_product_id: string;
  readonly quantity: number;
  readonly price: number;
}

/** What the basket costs at a store in one place. */
interface BasketCost {
  readonly parser_name: string;
  readonly place: string | null;
  readonly currency: string | null;
  /** Of what is not missing. */
  readonly cost: number;
  readonly items: readonly Bought[];
  readonly missing: readonly string[];
}

const COSTS: ListOutput<BasketCost> = {
  kind: 'list',
  columns: [
    { name: 'store', cell: (row) => row.parser_name, shrinks: true },
    { name: 'place', cell: ({ place }) => place, shrinks: true },
    { name: 'cost', cell: ({ cost }) => cost, align: 'right' },
    { name: 'currency', cell: ({ currency }) => currency },
    { name: 'items', cell: ({ items }) => items.length, align: 'right' },
    { name: 'missing', cell: ({ missing }) => missing.length, align: 'right' },
    { name: 'missing-ids', cell: ({ missing }) => missing.join(' '), wide: true },
  ],
  id: (row) => row.parser_name,
  empty: 'no store has any product of the basket',
};

export const catalogBasket = listCommand({
  id: 'catalog basket',
  summary: 'Show what a basket costs at each store and place',
  description:
    'The file has one product id per line and, after a space, comma or tab, a quantity; without one, it is 1. The row with the fewest missing products is first, then the cheapest.',
  details: `Lines that begin with # and blank lines are ignored; a product on several lines is bought as often as they say together. The price of a product at a store and place is the lowest of its current prices there; the cost is the sum of quantity times price, rounded to cents. If a product is sold by several units, the unit that most offers have is used (of those, the first by name). A product in another currency than the row is missing there. A product that cannot be read is missing everywhere, and the exit status is 10.\nJSON has for each row: parser_name, place, currency, cost, items (canonical_product_id, quantity and price) and missing (ids).`,
  effect: 'read',
  service: 'catalog',
  args: { file: { help: 'File of ids and quantities; - reads standard input', required: true, complete: 'files' } },
  flags: {
    store: SELECTION_FLAGS.store,
    region: SELECTION_FLAGS.region,
    field: FIELD_FLAG,
  },
  exits: ['partly_done'],
  examples: [{ run: 'svc catalog basket basket.txt', why: 'Find the cheapest store for a list of products' }],
  output: COSTS,
  async run(input, ctx) {
    const basket = await basketIn(input.file, ctx);
    const catalog = openCatalog(ctx.target);
    const problems = readingProblems(ctx);
    const selection = await sourceSelection(catalog, input, problems.report);
    // What is sold now of a product: one series for each store, place and unit.
    const { products, code } = await readProducts([...basket.keys()], ctx, async (id) =>
      seriesOf(await selectSources(catalog, id, selection, problems.report)),
    );
    return { value: costsOf(basket, products, input.field), code: code ?? problems.code };
  },
});

type Basket = ReadonlyMap<string, number>;

/** Throws `invalid_value`, with the number of the line. */
async function basketIn(path: string, ctx: Pick<RunContext, 'readInput'>): Promise<Basket> {
  const basket = new Map<string, number>();
  for (const { text, number } of await productLines(path, ctx)) {
    const [id = '', typed, ...more] = text.split(/\s*[,;\s]\s*/);
    const quantity = typed === undefined ? 1 : Number(typed);
    if (!/^[^/"{[\p{Cc}\ufffd]+$/u.test(id) || more.length > 0 || !(quantity > 0 && quantity <= 1e9)) {
      throw new SvcError(
        'invalid_value',
        `${nameOf(path)}, line ${number}: ${JSON.stringify(text.slice(0, 60))} is not an id with a quantity`,
        { hint: 'write an id and a number above 0 on each line, as in: 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10 2' },
      );
    }
    basket.set(id, quantity + (basket.get(id) ?? 0));
  }
  if (basket.size === 0) throw new SvcError('not_found', `${nameOf(path)}: there is no id in it`);
  return basket;
}

interface ProductOffers {
  readonly id: string;
  readonly result: readonly PriceSeries[];
}

/** For each store, place and currency. */
function costsOf(basket: Basket, products: readonly ProductOffers[], field: OfferField): readonly BasketCost[] {
  const offers = products.flatMap(({ id, result: series }) =>
    ofUsualUnit(series).flatMap((one) => {
      const price = one.offer && amountOf(one.offer, field)?.value;
      return price === undefined ? [] : [{ id, price, one, quantity: basket.get(id) ?? 1 }];
    }),
  );
  const rows = grouped(offers, ({ one }) => [one.parser_name, placeOf(one), one.price_unit]).map((group) => {
    const [{ one }] = group;
    const items: readonly Bought[] = grouped(group, ({ id }) => [id]).map(([first, ...others]) => ({
      canonical_product_id: first.id,
      quantity: first.quantity,
      price: Math.min(first.price, ...others.map(({ price }) => price)),
    }));
    const has = new Set(items.map((item) => item.canonical_product_id));
    return {
      parser_name: one.parser_name,
      place: placeOf(one),
      currency: one.price_unit,
      cost: cents(items.reduce((sum, { price, quantity }) => sum + price * quantity, 0)),
      items,
      missing: [...basket.keys()].filter((id) => !has.has(id)),
    };
  });
  return rows.sort((a, b) => a.missing.length - b.missing.length || a.cost - b.cost);
}

function placeOf({ settlement }: PriceSeries): string | null {
  return settlement?.name ?? settlement?.region ?? null;
}

/** Prices for a kilogram and for a piece do not add up. */
function ofUsualUnit(series: readonly PriceSeries[]): readonly PriceSeries[] {
  const name = (unit: string | null) => unit ?? '';
  const offered = grouped(series, ({ unit }) => [unit]).toSorted(
    ([a, ...as], [b, ...bs]) => bs.length - as.length || (name(a.unit) < name(b.unit) ? -1 : 1),
  );
  return offered[0] ?? [];
}
