import { listCommand } from '../../../cli/command.ts';
import { zoneOf } from '../../../cli/time.ts';
import { SvcError } from '../../../errors.ts';
import type { AnyOutput } from '../../../output/types.ts';
import { type Catalog, openCatalog } from '../api.ts';
import { type Report, readingProblems, TZ_FLAG } from '../lists.ts';
import { type Offer, observedBefore, offerList, offersFooter, offersOf, spreadList, spreadsOf } from '../offers.ts';
import {
  FIND_SOURCES,
  listSources,
  missingNames,
  missingSources,
  notListed,
  productSnapshots,
  selects,
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
import { bucketValues, type OfferField, PRICE_FIELDS, type PriceSeries, seriesOf, titleOf, unitOf } from '../series.ts';
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
  details: `${SELECTION_DETAILS}\nA store or region without an offer is named; exit status 5 if nothing is left. --per divides each price by the size of its package (package_quantity and package_unit) and rounds it to cents; offers without such a size are left out and counted, and a size that changed is named. JSON has the newest source of each offer as the service returns it, with effectivePrice and effectiveField (null if it has no price), cheapest, aboveCheapest, aboveCheapestPercent, stale and, with --trend, trend (dates and values of 30 days). With --by store or region, it has for each product and unit: canonical_product_id, title, place (the store or region), unit, offers (those with a price), min, max, spread and spreadPercent.`,
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
    region: { type: 'string', value: 'name', repeat: true, help: 'Filter by region' },
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
    const selected = await selectedProducts(catalog, input, ctx, problems.report);
    const { products, code } = await readProducts(catalog, selected, ctx, (id) =>
      offers(catalog, id, input, ctx.now(), problems.report),
    );
    const known = products.map(({ result }) => result);
    const sources = known.flatMap((product) => product.sources);
    const missing = missingPlaces(input, sources);
    const texts = Object.values(missing).flat();
    const nothingLeft = (['store', 'region', 'place'] as const).some(
      (place) => missing[place].length > 0 && missing[place].length === input[place].length,
    );
    if (nothingLeft) throw new SvcError('not_found', texts.join('; '), FIND_SOURCES);
    const all = known.flatMap((product) => product.offers);
    const left = known.reduce((sum, product) => sum + product.left, 0);
    if (input.per !== undefined) texts.push(...leftOut(left, left + all.length, input.per));
    for (const text of [...texts, ...known.flatMap((product) => product.resized)]) ctx.notice(text);
    if (all.length === 0 && sources.length > 0 && input.newerThan !== undefined) {
      ctx.notice('--newer-than filters out older observations');
    }
    const end = { code: code ?? problems.code };
    if (input.by !== 'source') return { value: spreadsOf(all, input.by), as: spreadList(input.by), ...end };
    const mixed = new Set(all.map(unitOf)).size > 1;
    const as = offerList({ several: severalProducts(input), trend: input.trend, mixed });
    return { value: all, as, ...end, footer: offersFooter(all, STALE_DAYS) };
  },
});

interface Compared extends SelectionInput {
  readonly by: 'source' | 'store' | 'region';
  readonly trend: boolean;
  readonly region: readonly string[];
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
  readonly resized: readonly string[];
}

async function offers(catalog: Catalog, id: string, wanted: Compared, now: number, report: Report): Promise<Offered> {
  const sources = await listSources(catalog, id, report);
  if (sources.length === 0) throw await notListed(catalog, id);
  const selection = { stores: wanted.store, sources: [], places: wanted.place };
  const regions = wanted.region.map((name) => name.toLowerCase());
  const isInRegion = ({ settlement }: Source): boolean =>
    regions.length === 0 || regions.includes(settlement?.region?.toLowerCase() ?? '');
  const rows = sources.filter((source) => selects(selection, source) && isInRegion(source));
  const snapshots = wanted.trend && rows.length > 0 ? await productSnapshots(catalog, id, selection, rows, report) : [];
  const current = seriesOf(rows, snapshots).filter(
    ({ offer }) => offer && (wanted.newerThan === undefined || !observedBefore(offer, now - wanted.newerThan)),
  );
  const { series, left, resized } =
    wanted.per === undefined ? { series: current, left: 0, resized: [] } : pricesPer(current, wanted.per);
  const rules = { field: wanted.field, freshSince: now - STALE_DAYS * DAY_MS };
  const found = offersOf(
    id,
    series.flatMap(({ offer }) => offer ?? []),
    rules,
  );
  const offers = wanted.trend ? withTrends(found, series, wanted, now) : found;
  const title = titleOf(sources) ?? id;
  return { id, offers, sources, left, resized: resized.map((text) => `${title}, ${text}`) };
}

/** A line for each store and region that was asked for and is nowhere. */
function missingPlaces({ store, region, place }: Compared, sources: readonly Source[]) {
  if (sources.length === 0) return { store: [], region: [], place: [] };
  const stores = sources.map(({ parser_name: name }) => name);
  const regions = sources.flatMap(({ settlement }) => settlement?.region ?? []);
  const places = missingSources({ stores: [], sources: [], places: place }, sources);
  return {
    store: missingNames('--store', store, stores),
    region: missingNames('--region', region, regions),
    place: places,
  };
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
