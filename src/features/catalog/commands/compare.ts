import { listCommand } from '../../../cli/command.ts';
import { zoneOf } from '../../../cli/time.ts';
import { SvcError } from '../../../errors.ts';
import type { AnyOutput } from '../../../output/types.ts';
import { type Catalog, openCatalog } from '../api.ts';
import { everyItem, type Report, readingProblems, TZ_FLAG } from '../lists.ts';
import { type Offer, observedBefore, offerList, offersFooter, offersOf, spreadList, spreadsOf } from '../offers.ts';
import { regionLabels } from '../places.ts';
import {
  listSources,
  missingSources,
  nothingThere,
  notListed,
  productSnapshots,
  type SourceSelection,
  selects,
  sourceSelection,
} from '../product-sources.ts';
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
import {
  bucketValues,
  freeNotes,
  type OfferField,
  PRICE_FIELDS,
  type PriceSeries,
  seriesOf,
  titleOf,
  unitOf,
} from '../series.ts';
import { leftOut, PER_FLAG, type Per, pricesPer } from '../unit-price.ts';
import { bucketDates, calendarWindow } from '../window.ts';

const DAY_MS = 86_400_000;
const TREND_DAYS = 30;
const STALE_DAYS = 7;

export const catalogCompare = listCommand({
  id: 'catalog compare',
  summary: 'Compare current prices of products across stores',
  description:
    'An offer is the price of one store in one place for one unit, as last observed: the lowest of price, discount_price and loyal_price, or --field. Prices are compared only within a product and a unit. Prices older than 7 days are stale.',
  details: `${SELECTION_DETAILS}\nA store or region without an offer is named; exit status 5 if nothing is left. --per divides each price by the size of its package (package_quantity and package_unit) and rounds it to cents; offers without such a size are left out and counted, and a size that changed is named. JSON has the newest source of each offer as the service returns it, with effective_price and effective_field (null if it has no price), cheapest, above_cheapest, above_cheapest_percent, stale and, with --trend, trend (dates and values of 30 days). With --by store or region, it has for each product and unit: canonical_product_id, title, place (the store or region), unit, offers (those with a price), min, max, spread and spread_percent.`,
  effect: 'read',
  service: 'catalog',
  args: SELECTION_ARGUMENT,
  flags: {
    ...SELECTION_FLAGS,
    by: {
      type: 'choice',
      choices: ['source', 'store', 'region'],
      default: 'source',
      help: 'One row per source, store or region',
    },
    field: { type: 'choice', choices: PRICE_FIELDS, default: 'lowest', help: 'Price to compare' },
    per: PER_FLAG,
    'newer-than': { type: 'duration', help: 'Only prices observed within this time' },
    trend: { type: 'boolean', help: 'Show the prices of 30 days (reads all snapshots)' },
    tz: { ...TZ_FLAG, help: 'With --trend: zone of its days (default local)' },
    limit: { type: 'integer', min: 0, help: 'Maximum number of rows' },
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc catalog compare 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10 --trend', why: 'Find the cheapest store' },
    { run: 'svc catalog compare --search milk --by store', why: 'Show the price range of milk in each store' },
  ],
  output: offerList({ several: true, trend: true }),
  outputOf,
  async run(input, ctx) {
    if (input.trend && input.by !== 'source')
      throw new SvcError('usage', `--trend shows single sources, and cannot be combined with --by ${input.by}`);
    const catalog = openCatalog(ctx.target);
    const problems = readingProblems(ctx);
    const now = ctx.startedAt;
    const selection = await sourceSelection(catalog, input, problems.report);
    const selected = await selectedProducts(catalog, input, selection, ctx, problems.report);
    const { products, code } = await readProducts(catalog, selected, ctx, (id) =>
      offers(catalog, id, { ...input, selection, now }, problems.report),
    );
    const known = products.map(({ result }) => result);
    const sources = known.flatMap((product) => product.sources);
    const nothing = sources.some((source) => selects(selection, source)) ? undefined : nothingThere(sources, selection);
    if (nothing !== undefined) throw nothing;
    const texts = [...missingSources(selection, sources)];
    const all = known.flatMap((product) => product.offers);
    const left = known.reduce((sum, product) => sum + product.left, 0);
    if (input.per !== undefined) texts.push(...leftOut(left, left + all.length, input.per));
    for (const text of [...texts, ...known.flatMap(({ doubts }) => doubts)]) ctx.notice(text);
    if (all.length === 0 && sources.length > 0 && input.newerThan !== undefined) {
      ctx.notice('--newer-than filters out older observations');
    }
    if (input.by !== 'source') {
      const value = spreadsOf(all, input.by === 'store' ? storeOf : await regionNamer(catalog, problems.report));
      return { value, as: spreadList(input.by), code: code ?? problems.code };
    }
    const mixed = new Set(all.map(unitOf)).size > 1;
    const as = offerList({ several: severalProducts(input), trend: input.trend, mixed });
    return { value: all, as, code: code ?? problems.code, footer: offersFooter(all, STALE_DAYS) };
  },
});

interface Compared extends SelectionInput {
  readonly by: 'source' | 'store' | 'region';
  readonly trend: boolean;
  readonly field: OfferField;
  readonly newerThan: number | undefined;
  readonly per: Per | undefined;
  readonly tz: string | undefined;
}

function outputOf({ by, trend, ...input }: Compared): AnyOutput {
  return by === 'source' ? offerList({ several: severalProducts(input), trend }) : spreadList(by);
}

interface Offered {
  readonly id: string;
  readonly offers: readonly Offer[];
  /** Those that were not chosen, too. */
  readonly sources: readonly Source[];
  /** With --per: how many offers cannot be converted, and whose size changed. */
  readonly left: number;
  readonly doubts: readonly string[];
}

interface Wanted extends Compared {
  readonly selection: SourceSelection;
  readonly now: number;
}

async function offers(catalog: Catalog, id: string, wanted: Wanted, report: Report): Promise<Offered> {
  const { selection, now, field } = wanted;
  const sources = await listSources(catalog, id, report);
  if (sources.length === 0) throw await notListed(catalog, id);
  const rows = sources.filter((source) => selects(selection, source));
  const snapshots = wanted.trend && rows.length > 0 ? await productSnapshots(catalog, id, selection, rows, report) : [];
  const current = seriesOf(rows, snapshots).filter(
    ({ offer }) => offer && (wanted.newerThan === undefined || !observedBefore(offer, now - wanted.newerThan)),
  );
  const { series, left, doubts } =
    wanted.per === undefined ? { series: current, left: 0, doubts: [] } : pricesPer(current, wanted.per);
  const rules = { field, freshSince: now - STALE_DAYS * DAY_MS };
  const found = offersOf(
    id,
    series.flatMap(({ offer }) => offer ?? []),
    rules,
  );
  const offers = wanted.trend ? withTrends(found, series, wanted, now) : found;
  const title = titleOf(sources) ?? id;
  const notes = [...doubts, ...freeNotes(series, field)];
  return { id, offers, sources, left, doubts: notes.map((text) => `${title}, ${text}`) };
}

function storeOf({ parser_name }: Offer): string {
  return parser_name;
}

async function regionNamer(catalog: Catalog, report: Report): Promise<(offer: Offer) => string | null> {
  const labelOf = regionLabels(await everyItem((page) => catalog.settlements(page), report));
  return ({ settlement }) => labelOf(settlement);
}

/** The price that is compared, day by day. */
function withTrends(
  offers: readonly Offer[],
  series: readonly PriceSeries[],
  { field, tz }: Compared,
  now: number,
): readonly Offer[] {
  const window = calendarWindow({ from: now - TREND_DAYS * DAY_MS, to: now, interval: '1d' }, zoneOf(tz ?? 'local'));
  return offers.map((offer) => {
    const own = series.find((one) => one.offer?.source_id === offer.source_id && one.parser_name === offer.parser_name);
    if (own === undefined || own.observations.length === 0) return offer;
    const values = bucketValues(own.observations, field, window);
    return { ...offer, trend: { dates: bucketDates(window), values } };
  });
}
