import { listCommand } from '../../../cli/command.ts';
import type { Cell, Column, ListOutput } from '../../../output/types.ts';
import { type Catalog, openCatalog, type SeriesField } from '../api.ts';
import { FIELD_FLAG, type Report, readingProblems } from '../lists.ts';
import { type SourceSelection, selectSources, sourceSelection } from '../product-sources.ts';
import type { Source } from '../schema.ts';
import {
  readProducts,
  SELECTION_ARGUMENT,
  SELECTION_DETAILS,
  SELECTION_FLAGS,
  type SelectionInput,
  selectedProducts,
  severalProducts,
} from '../selection.ts';
import { amountOf, type OfferField, observedBefore, type PriceSeries, seriesOf, titleOf, unitOf } from '../series.ts';
import { exact, percentOf } from '../statistics.ts';
import { PER_FLAG, type Per, pricesPer } from '../unit-price.ts';

const DAY_MS = 86_400_000;
const STALE_DAYS = 7;

/** A source, and how its price compares with others of the product in the same unit. */
type Offer = Source & {
  readonly canonical_product_id: string;
  readonly effective_price: number | null;
  readonly effective_field: SeriesField | null;
  readonly cheapest: boolean;
  readonly above_cheapest: number | null;
  readonly above_cheapest_percent: number | null;
  /** It was observed long ago. */
  readonly stale: boolean;
};

export const catalogCompare = listCommand({
  id: 'catalog compare',
  summary: 'Compare current prices of products across stores',
  description:
    'An offer is the price of one store in one place for one unit, as last observed: the lowest of price, discount_price and loyal_price, or --field. Prices are compared only within a product and a unit. Prices older than 7 days are stale.',
  details: `${SELECTION_DETAILS}\nA store or region without an offer is named. --per divides each price by the size of its package (package_quantity and package_unit) and rounds it to cents; offers without such a size are left out and counted. JSON has the newest source of each offer as the service returns it, with effective_price and effective_field (null if it has no price), cheapest, above_cheapest, above_cheapest_percent and stale.`,
  effect: 'read',
  service: 'catalog',
  args: SELECTION_ARGUMENT,
  flags: {
    ...SELECTION_FLAGS,
    field: { ...FIELD_FLAG, help: 'Price to compare' },
    per: PER_FLAG,
    'newer-than': { type: 'duration', help: 'Only prices observed within this time' },
    limit: { type: 'integer', min: 0, help: 'Maximum number of rows' },
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc catalog compare 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10', why: 'Find the cheapest store' },
    { run: 'svc catalog compare --search milk --per l', why: 'Compare milk by the liter' },
  ],
  output: offerList({ several: true, mixed: false }),
  outputOf: (input) => offerList({ several: severalProducts(input), mixed: false }),
  async run(input, ctx) {
    const catalog = openCatalog(ctx.target);
    const problems = readingProblems(ctx);
    const selection = await sourceSelection(catalog, input, problems.report);
    const ids = await selectedProducts(catalog, input, selection, ctx, problems.report);
    const wanted = { ...input, selection, now: ctx.startedAt };
    const { products, code } = await readProducts(ids, ctx, (id) => readOffers(catalog, id, wanted, problems.report));
    const offers = products.flatMap(({ result }) => result);
    const mixed = new Set(offers.map(unitOf)).size > 1;
    const as = offerList({ several: severalProducts(input), mixed });
    return { value: offers, as, code: code ?? problems.code, footer: staleFooter(offers) };
  },
});

interface Wanted extends SelectionInput {
  readonly selection: SourceSelection;
  readonly now: number;
  readonly field: OfferField;
  readonly newerThan: number | undefined;
  readonly per: Per | undefined;
}

/** The offers of one product, the cheapest first, those without a price last. */
async function readOffers(catalog: Catalog, id: string, wanted: Wanted, report: Report): Promise<readonly Offer[]> {
  const { selection, now, field, newerThan } = wanted;
  const rows = await selectSources(catalog, id, selection, report);
  const current = seriesOf(rows).filter(
    ({ offer }) => offer && (newerThan === undefined || !observedBefore(offer, now - newerThan)),
  );
  const { series, notes } = pricesPer(current, wanted);
  for (const text of notes) report({ text: `${titleOf(rows) ?? id}: ${text}`, incomplete: false });
  const lowest = lowestPrices(series, field);
  const offers = series.flatMap(({ offer }): Offer[] => {
    if (offer === undefined) return [];
    const amount = amountOf(offer, field);
    const least = lowest.get(unitOf(offer)) ?? null;
    const above = amount === undefined || least === null ? null : exact(amount.value - least);
    return [
      {
        ...offer,
        canonical_product_id: String(offer.canonical_product_id ?? id),
        effective_price: amount?.value ?? null,
        effective_field: amount?.field ?? null,
        cheapest: above === 0,
        above_cheapest: above,
        above_cheapest_percent: above === null ? null : percentOf(above, least),
        stale: observedBefore(offer, now - STALE_DAYS * DAY_MS),
      },
    ];
  });
  const order = ({ effective_price }: Offer): number => effective_price ?? Number.MAX_VALUE;
  return offers.sort((a, b) => order(a) - order(b));
}

/** By unit. */
function lowestPrices(series: readonly PriceSeries[], field: OfferField): ReadonlyMap<string, number> {
  const lowest = new Map<string, number>();
  for (const { offer } of series) {
    const amount = offer && amountOf(offer, field);
    if (offer === undefined || amount === undefined) continue;
    const unit = unitOf(offer);
    lowest.set(unit, Math.min(amount.value, lowest.get(unit) ?? amount.value));
  }
  return lowest;
}

interface OfferView {
  /** The rows are of several products. */
  readonly several: boolean;
  /** Prices are for different units: each needs its own beside it. */
  readonly mixed: boolean;
}

function offerList({ several, mixed }: OfferView): ListOutput<Offer> {
  const product: Column<Offer> = { name: 'product', cell: productOf, shrinks: true };
  const unit: Column<Offer> = { name: 'unit', cell: unitOf };
  const columns: Column<Offer>[] = [
    several ? product : { ...product, wide: true },
    { name: 'store', cell: (one) => one.parser_name },
    { name: 'where', cell: ({ settlement }) => settlement?.name ?? settlement?.region, shrinks: true },
    { name: 'lowest', cell: priceCell, align: 'right' },
    ...(mixed ? [unit] : []),
    { name: 'above', cell: aboveCell, align: 'right' },
    { name: 'observed', cell: observedCell },
    { name: 'stale', cell: ({ stale }) => (stale ? { text: 'stale', tone: 'warn' } : undefined) },
    { name: 'kind', cell: (one) => one.effective_field?.replace('_price', '') },
    ...(mixed ? [] : [unit]),
    { name: 'region', cell: ({ settlement }) => settlement?.region, wide: true },
    { name: 'source', cell: (one) => one.source_id, wide: true },
    { name: 'price', cell: ({ price }) => price, align: 'right', wide: true },
    { name: 'discount', cell: (one) => one.discount_price, align: 'right', wide: true },
    { name: 'loyal', cell: (one) => one.loyal_price, align: 'right', wide: true },
    { name: 'id', cell: (one) => one.canonical_product_id, wide: true },
  ];
  return { kind: 'list', columns, id: (one) => one.source_id, empty: 'no prices' };
}

function productOf(offer: Offer): string {
  return offer.title_original ?? offer.canonical_product_id;
}

function priceCell({ effective_price, cheapest }: Offer): Cell {
  return cheapest ? { text: String(effective_price), tone: 'good' } : effective_price;
}

function aboveCell({ cheapest, above_cheapest_percent: amount }: Offer): Cell {
  if (cheapest) return { amount, text: 'cheapest', tone: 'good' };
  return amount === null ? undefined : { amount, text: `${Number(amount.toFixed(1))}% more` };
}

function observedCell({ observed_at, stale }: Offer): Cell {
  if (!observed_at) return undefined;
  return stale ? { time: observed_at, tone: 'warn' } : { time: observed_at };
}

function staleFooter(offers: readonly Offer[]): string | undefined {
  const stale = offers.filter((one) => one.stale).length;
  if (stale === 0) return undefined;
  return `${stale} stale: observed more than ${STALE_DAYS} days ago; --newer-than omits them`;
}
