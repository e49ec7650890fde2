import { listCommand, type RunContext } from '../../../cli/command.ts';
import { zoneOf } from '../../../cli/time.ts';
import { type ErrorCode, SvcError } from '../../../errors.ts';
import type { Cell, ListOutput } from '../../../output/types.ts';
import { openCatalog } from '../api.ts';
import { FIELD_FLAG, readingProblems, TZ_FLAG } from '../lists.ts';
import { grouped } from '../offers.ts';
import { productSeries, sourceSelection } from '../product-sources.ts';
import {
  readProducts,
  SELECTION_ARGUMENT,
  SELECTION_DETAILS,
  SELECTION_FLAGS,
  type SelectionInput,
  selectedProducts,
} from '../selection.ts';
import { type Amount, freeNotes, inEffect, type OfferField, type PriceSeries, titleOf, unitOf } from '../series.ts';
import { cents, percentOf } from '../statistics.ts';
import { leftOut, PER_FLAG, type Per, pricesPer } from '../unit-price.ts';
import { isResolved, plainInstant, wireTime } from '../window.ts';

const DAY_MS = 86_400_000;

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
    'Compares the lowest price of each product at --since with the price now, and lists the largest changes first. A product without a price at both times is left out; --direction new and gone list those.',
  details: `${SELECTION_DETAILS}\nPrices for different units are never compared. With --by store, each store of a product is a row. The price of a store in a place at a time is the one last observed until then, if that was not more than --max-age before. The price of a row is the lowest of its stores and places at that time. A row that was not observed after --since has no price now. With --direction new or gone, the missing price is empty (null in JSON). change is to - from, rounded to cents; the percentage is of from. Rows are ordered by the absolute percentage. A price of 0 or below is none, and is counted. --per divides each price by the size of its package.\nJSON has an array of canonical_product_id, title, parser_name (null with --by product), unit, from, to, change and change_percent.`,
  effect: 'read',
  service: 'catalog',
  args: SELECTION_ARGUMENT,
  flags: {
    since: { type: 'time', bare: 'back', dates: true, help: 'Compare with this time (default 7d ago)' },
    by: { type: 'choice', choices: ['product', 'store'], default: 'product', help: 'One row per product or store' },
    direction: { type: 'choice', choices: ['up', 'down', 'new', 'gone'], help: 'Only changes of this kind' },
    field: FIELD_FLAG,
    'max-age': { type: 'duration', positive: true, help: 'Ignore prices older than this (default 30d)' },
    tz: { ...TZ_FLAG, help: 'Time zone of a date in --since (default local)' },
    limit: { type: 'integer', min: 1, help: 'Maximum number of rows' },
    per: PER_FLAG,
    ...SELECTION_FLAGS,
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc catalog movers --category 17 --since 7d', why: 'Show what changed in a category this week' },
    { run: 'svc catalog movers --store fixprice --direction new', why: 'Show what is new at a store this week' },
  ],
  output: MOVERS,
  async run(input, ctx) {
    const now = ctx.startedAt;
    const since = plainInstant(input.since, now - 7 * DAY_MS, zoneOf(input.tz ?? 'local'));
    if (since >= now) throw new SvcError('invalid_value', `--since is ${wireTime(since)}, which is not in the past`);
    if (isResolved(input.since, since)) ctx.notice(`since ${wireTime(since)}`);
    const { products, code } = await readHistories(input, ctx);
    const { field, by, direction, maxAge = 30 * DAY_MS } = input;
    const all = products.flatMap(({ series }) => series);
    for (const text of freeNotes(all, field)) ctx.notice(text);
    const movers = moversOf(products, { field, by, since, now, maxAge });
    const both = movers.filter(({ change }) => change !== null);
    const left = movers.length - both.length;
    const listed = direction === 'new' || direction === 'gone';
    if (left > 0 && !listed) {
      const some = (['new', 'gone'] as const).flatMap((kind) => {
        const count = movers.filter((one) => directionOf(one) === kind).length;
        return count === 0 ? [] : [`${count} ${kind}`];
      });
      const how = some.length === 0 ? '' : `; --direction lists ${some.join(', ')}`;
      ctx.notice(`${left} of ${movers.length} prices are left out: no price at both times${how}`);
    }
    const moved = movers.filter((one) => (direction ? directionOf(one) === direction : one.change));
    const as = listed ? { ...MOVERS, empty: `no price is ${direction}` } : MOVERS;
    return { value: moved, as, code, footer: `prices now and at ${wireTime(since)}` };
  },
});

interface ProductHistory {
  readonly id: string;
  readonly title: string;
  /** One for each store, place and unit. */
  readonly series: readonly PriceSeries[];
}

type HistoryInput = SelectionInput & { readonly per: Per | undefined };

/** The recorded prices of the selected products, with --per by weight or volume. */
async function readHistories(
  input: HistoryInput,
  ctx: RunContext,
): Promise<{ readonly products: readonly ProductHistory[]; readonly code: ErrorCode | undefined }> {
  const catalog = openCatalog(ctx.target);
  const problems = readingProblems(ctx);
  const selection = await sourceSelection(catalog, input, problems.report);
  const selected = await selectedProducts(catalog, input, selection, ctx, problems.report);
  const read = await readProducts(catalog, selected, ctx, async (id) => {
    const { series } = await productSeries(catalog, id, selection, problems.report);
    return { title: titleOf(series) ?? id, series };
  });
  const products = read.products.map(({ id, result }) => ({ id, ...result }));
  const converted = input.per === undefined ? products : convertPrices(products, input.per, ctx);
  return { products: converted, code: read.code ?? problems.code };
}

function convertPrices(
  products: readonly ProductHistory[],
  per: Per,
  ctx: Pick<RunContext, 'notice'>,
): readonly ProductHistory[] {
  const converted = products.map(({ id, title, series }) => ({ id, title, ...pricesPer(series, per) }));
  const all = products.reduce((sum, { series }) => sum + series.length, 0);
  const left = converted.reduce((sum, one) => sum + one.left, 0);
  for (const text of leftOut(left, all, per)) ctx.notice(text);
  for (const { title, doubts } of converted) for (const text of doubts) ctx.notice(`${title}, ${text}`);
  return converted;
}

interface MoversWanted {
  readonly field: OfferField;
  readonly by: 'product' | 'store';
  readonly since: number;
  readonly now: number;
  readonly maxAge: number;
}

function directionOf({ from, to, change }: Mover): 'up' | 'down' | 'new' | 'gone' | undefined {
  if (change === 0) return undefined;
  if (change !== null) return change > 0 ? 'up' : 'down';
  if (from === to) return undefined;
  return from === null ? 'new' : 'gone';
}

/** Unchanged prices, too. */
function moversOf(
  products: readonly ProductHistory[],
  { field, by, since, now, maxAge }: MoversWanted,
): readonly Mover[] {
  const movers = products.flatMap(({ id, title, series }) =>
    grouped(series, (one) => [unitOf(one), by === 'store' ? one.parser_name : null]).map((group): Mover => {
      const [first] = group;
      const lowest = (at: number): number | null => {
        const prices = group.flatMap((one) => priceAt(one, field, at, maxAge)?.value ?? []);
        return prices.length === 0 ? null : Math.min(...prices);
      };
      // A product that was not observed after --since has no price now, even with a longer
      // --max-age.
      const isSeen = group.some(({ observations }) => observations.some((one) => one.to > since * 1000));
      const [from, to] = [lowest(since), isSeen ? lowest(now) : null];
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
    }),
  );
  const size = ({ change_percent }: Mover) => (change_percent === null ? -1 : Math.abs(change_percent));
  return movers.sort((a, b) => size(b) - size(a));
}

/** The price in effect at a time, unless it was last observed more than `maxAge` before. */
function priceAt({ observations }: PriceSeries, field: OfferField, at: number, maxAge: number): Amount | undefined {
  const found = inEffect(observations, field, at);
  if (found === undefined || found.value === null || found.field === null || found.until < at - maxAge)
    return undefined;
  return { value: found.value, field: found.field };
}

function percentCell({ change_percent: amount }: Mover): Cell {
  if (amount === null) return undefined;
  return { amount, text: `${amount > 0 ? '+' : ''}${Number(amount.toFixed(1))}%`, tone: amount > 0 ? 'bad' : 'good' };
}
