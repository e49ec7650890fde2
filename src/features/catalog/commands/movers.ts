import { listCommand } from '../../../cli/command.ts';
import { zoneOf } from '../../../cli/time.ts';
import { SvcError } from '../../../errors.ts';
import type { Cell, ListOutput } from '../../../output/types.ts';
import { openCatalog } from '../api.ts';
import { FIELD_FLAG, readingProblems, TZ_FLAG } from '../lists.ts';
import { productSeries, sourceSelection } from '../product-sources.ts';
import {
  readProducts,
  SELECTION_ARGUMENT,
  SELECTION_DETAILS,
  SELECTION_FLAGS,
  selectedProducts,
} from '../selection.ts';
import { grouped, inEffect, type OfferField, type PriceSeries, titleOf, unitOf } from '../series.ts';
import { cents, percentOf } from '../statistics.ts';
import { PER_FLAG, pricesPer } from '../unit-price.ts';
import { isResolved, plainInstant, wireTime } from '../window.ts';

const DAY_MS = 86_400_000;
/** What was observed longer before a time is no price then. */
const MAX_AGE_MS = 30 * DAY_MS;

/** A price that changed: the lowest of a product, in one store or in all. */
interface Mover {
  readonly canonical_product_id: string;
  readonly title: string;
  /** Null for all stores. */
  readonly parser_name: string | null;
  readonly unit: string;
  /** Null if there was no price at --since; `to` if there is none now. */
  readonly from: number | null;
  readonly to: number | null;
  /** Null without both. */
  readonly change: number | null;
  readonly change_percent: number | null;
}

const MOVERS: ListOutput<Mover> = {
  kind: 'list',
  columns: [
    { name: 'product', cell: ({ title }) => title, shrinks: true },
    { name: 'store', cell: (one) => one.parser_name },
    { name: 'from', cell: ({ from }) => from, align: 'right' },
    { name: 'to', cell: ({ to }) => to, align: 'right' },
    { name: 'change', cell: ({ change }) => change, align: 'right' },
    { name: 'percent', cell: percentCell, align: 'right', vital: true },
    { name: 'unit', cell: ({ unit }) => unit },
    { name: 'id', cell: (one) => one.canonical_product_id, brief: true },
  ],
  id: (one) => one.canonical_product_id,
  empty: 'no price changed',
};

export const catalogMovers = listCommand({
  id: 'catalog movers',
  summary: 'Show the largest price changes of products',
  description:
    'Compares the lowest price of each product at --since with the price now, and lists the largest changes first. Prices that are new or gone since then are listed last, with an empty FROM or TO.',
  details: `${SELECTION_DETAILS}\nPrices for different units are never compared. With --by store, each store of a product is a row. The price of a store in a place at a time is the one last observed until then, if that was not more than 30 days before. The price of a row is the lowest of its stores and places at that time. A row that was not observed after --since has no price now. change is to - from, rounded to cents; the percentage is of from. Rows are ordered by the absolute percentage. A price of 0 or below is none. --per divides each price by the size of its package.\nJSON has an array of canonical_product_id, title, parser_name (null with --by product), unit, from, to, change and change_percent.`,
  effect: 'read',
  service: 'catalog',
  args: SELECTION_ARGUMENT,
  flags: {
    since: { type: 'time', bare: 'back', dates: true, help: 'Compare with this time (default 7d ago)' },
    by: { type: 'choice', choices: ['product', 'store'], default: 'product', help: 'One row per product or store' },
    field: FIELD_FLAG,
    tz: { ...TZ_FLAG, help: 'Time zone of a date in --since (default local)' },
    limit: { type: 'integer', min: 1, help: 'Maximum number of rows' },
    per: PER_FLAG,
    ...SELECTION_FLAGS,
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc catalog movers --category 17 --since 7d', why: 'Show what changed in a category this week' },
    { run: "svc catalog movers --store fixprice -o json --query '[?from==null]'", why: 'Show what is new at a store' },
  ],
  output: MOVERS,
  async run(input, ctx) {
    const now = ctx.startedAt;
    const since = plainInstant(input.since, now - 7 * DAY_MS, zoneOf(input.tz ?? 'local'));
    if (since >= now) throw new SvcError('invalid_value', `--since is ${wireTime(since)}, which is not in the past`);
    if (isResolved(input.since, since)) ctx.notice(`since ${wireTime(since)}`);
    const catalog = openCatalog(ctx.target);
    const problems = readingProblems(ctx);
    const { report } = problems;
    const selection = await sourceSelection(catalog, input, report);
    const ids = await selectedProducts(catalog, input, selection, ctx, report);
    const { products, code } = await readProducts(ids, ctx, async (id) => {
      const recorded = await productSeries(catalog, id, selection, report);
      const title = titleOf(recorded.series) ?? id;
      const { series, notes } = pricesPer(recorded.series, input);
      for (const text of notes) report({ text: `${title}: ${text}`, incomplete: false });
      return moversOf({ id, title, series }, { ...input, since, now });
    });
    const movers = products.flatMap(({ result }) => result).filter(({ from, to }) => from !== to);
    const size = ({ change_percent }: Mover) => Math.abs(change_percent ?? 0);
    movers.sort((a, b) => size(b) - size(a));
    return { value: movers, code: code ?? problems.code, footer: `prices now and at ${wireTime(since)}` };
  },
});

interface ProductPrices {
  readonly id: string;
  readonly title: string;
  /** One for each store, place and unit. */
  readonly series: readonly PriceSeries[];
}

interface MoversWanted {
  readonly field: OfferField;
  readonly by: 'product' | 'store';
  readonly since: number;
  readonly now: number;
}

/** Unchanged prices, too. */
function moversOf({ id, title, series }: ProductPrices, { field, by, since, now }: MoversWanted): readonly Mover[] {
  const groups = grouped(series, (one) => [unitOf(one), by === 'store' ? one.parser_name : null]);
  return groups.map((group): Mover => {
    const [first] = group;
    const isSeen = group.some(({ observations }) => observations.some((one) => one.to > since * 1000));
    const from = lowestAt(group, field, since);
    const to = isSeen ? lowestAt(group, field, now) : null;
    const isKnown = from !== null && to !== null;
    return {
      canonical_product_id: id,
      title,
      parser_name: by === 'store' ? first.parser_name : null,
      unit: unitOf(first),
      from,
      to,
      change: isKnown ? cents(to - from) : null,
      change_percent: isKnown ? percentOf(to - from, from) : null,
    };
  });
}

/** The lowest price in effect at a time, of those that were observed not long before. */
function lowestAt(series: readonly PriceSeries[], field: OfferField, at: number): number | null {
  const prices: number[] = [];
  for (const { observations } of series) {
    const found = inEffect(observations, field, at);
    if (found !== undefined && found.value !== null && found.until >= at - MAX_AGE_MS) prices.push(found.value);
  }
  return prices.length === 0 ? null : Math.min(...prices);
}

function percentCell({ change_percent: amount }: Mover): Cell {
  if (amount === null) return undefined;
  return { amount, text: `${amount > 0 ? '+' : ''}${Number(amount.toFixed(1))}%`, tone: amount > 0 ? 'bad' : 'good' };
}
