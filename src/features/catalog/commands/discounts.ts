import { listCommand } from '../../../cli/command.ts';
import type { Cell, ListOutput } from '../../../output/types.ts';
import type { SeriesField } from '../api.ts';
import { FOREIGN_PARSER_NAME } from '../lists.ts';
import { observedBefore } from '../offers.ts';
import { cents, PRICES_DETAILS, PRICES_FLAGS, type ProductPrices, readPrices } from '../prices.ts';
import { SELECTION_ARGUMENT } from '../selection.ts';
import { type Amount, amountOf, inEffect, type Observation, type PriceSeries, unitOf } from '../series.ts';
import { numberOf, percentOf } from '../statistics.ts';
import { wireTime } from '../window.ts';

const DAY_MS = 86_400_000;
const BEFORE_MS = 30 * DAY_MS;

interface Discount extends Pick<PriceSeries, 'parser_name' | 'source_id' | 'settlement' | 'observed_at'> {
  readonly canonical_product_id: string;
  readonly title: string;
  readonly unit: string;
  /** The base price now. */
  readonly price: number;
  readonly discounted: number;
  readonly field: SeriesField;
  /** Of the base price. */
  readonly discountPercent: number | null;
  /** The first observation of the discount. */
  readonly since: string | null;
  /** The base price in effect before the discount; null if there was none. */
  readonly priceBefore: number | null;
  /** The lowest base price in the 30 days before the discount. */
  readonly lowestBefore: number | null;
  /** The base price is higher than that: null if unknown. */
  readonly raised: boolean | null;
}

const DISCOUNTS: ListOutput<Discount> = {
  kind: 'list',
  columns: [
    { name: 'product', cell: ({ title }) => title, flex: true },
    { name: 'store', cell: (one) => one.parser_name },
    { name: 'where', cell: ({ settlement }) => settlement?.name ?? settlement?.region, flex: true },
    { name: 'price', cell: ({ price }) => price, align: 'right' },
    { name: 'discounted', cell: ({ discounted }) => discounted, align: 'right' },
    { name: 'percent', cell: percentCell, align: 'right' },
    { name: 'before', cell: ({ priceBefore }) => priceBefore, align: 'right' },
    { name: 'raised', cell: raisedCell },
    { name: 'since', cell: ({ since }) => (since === null ? undefined : { time: since }) },
    { name: 'unit', cell: ({ unit }) => unit, wide: true },
    { name: 'kind', cell: ({ field }) => field.replace('_price', ''), wide: true },
    { name: 'source', cell: (one) => one.source_id, wide: true },
    { name: 'id', cell: (one) => one.canonical_product_id, brief: true },
  ],
  id: (one) => one.canonical_product_id,
  empty: 'no discounts',
};

export const catalogDiscounts = listCommand({
  id: 'catalog discounts',
  foreignOptions: FOREIGN_PARSER_NAME,
  summary: 'List discounts and the base price before them',
  description:
    'A discount is a current discount_price or loyal_price below price, the base price. before is the base price before the discount began. raised marks a discount whose base price is higher than the lowest base price in the 30 days before it began. The largest discounts are first.',
  details: `${PRICES_DETAILS}\nA discount began with the first of the latest observations that all have one; observations without a price are ignored. The 30 days before include the price in effect when they began. Without an earlier observation, before and raised are unknown (null in JSON).\nJSON has for each discount: canonical_product_id, title, parser_name, source_id, settlement, observed_at, unit, price, discounted, field, discountPercent, since, priceBefore, lowestBefore and raised.`,
  effect: 'read',
  service: 'catalog',
  args: SELECTION_ARGUMENT,
  flags: {
    raised: { type: 'boolean', help: 'Only discounts whose base price was raised' },
    'newer-than': { type: 'duration', help: 'Only prices observed within this time' },
    limit: { type: 'integer', min: 1, help: 'Maximum number of rows' },
    ...PRICES_FLAGS,
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc catalog discounts --category 17', why: 'List the discounts of a category' },
    { run: 'svc catalog discounts --search milk --raised', why: 'Find discounts after a higher base price' },
  ],
  output: DISCOUNTS,
  async run(input, ctx) {
    const { products, code } = await readPrices(input, ctx);
    for (const { title, series } of products) {
      if (series.length > 0 && series.every(({ offer }) => offer === undefined)) {
        ctx.notice(`${title} is not sold any more: only its snapshots remain`);
      }
    }
    const oldest = input.newerThan === undefined ? Number.NEGATIVE_INFINITY : ctx.now() - input.newerThan;
    const found = products
      .flatMap(discountsOf)
      .filter((one) => (!input.raised || one.raised) && !observedBefore(one, oldest))
      .sort((a, b) => (b.discountPercent ?? 0) - (a.discountPercent ?? 0));
    const raised = found.filter((one) => one.raised).length;
    const footer = raised === 0 ? undefined : `${raised} of ${found.length}: the base price rose within 30 days before`;
    return { value: found, code, footer };
  },
});

function discountsOf({ id, title, series }: ProductPrices): readonly Discount[] {
  return series.flatMap((one): Discount[] => {
    const { parser_name, source_id, settlement, observed_at, offer, observations } = one;
    const [price, paid] = offer === undefined ? [null] : [numberOf(offer.price), discountIn(offer)];
    if (price === null || paid === undefined) return [];
    const start = startOf(observations);
    const past = start === undefined ? undefined : basePrices(observations, start);
    return [
      {
        canonical_product_id: id,
        title,
        parser_name,
        source_id,
        settlement,
        observed_at,
        unit: unitOf(one),
        price,
        discounted: paid.value,
        field: paid.field,
        discountPercent: percentOf(cents(price - paid.value), price),
        since: start === undefined ? null : wireTime(Math.floor(start / 1000)),
        priceBefore: past?.before ?? null,
        lowestBefore: past?.lowest ?? null,
        raised: past === undefined || past.lowest === null ? null : price > past.lowest,
      },
    ];
  });
}

function discountIn(source: Parameters<typeof amountOf>[0]): Amount | undefined {
  const price = numberOf(source.price);
  const lowest = amountOf(source, 'lowest');
  return price !== null && lowest !== undefined && lowest.value < price ? lowest : undefined;
}

/** In microseconds: when the first of the latest observations that all have a discount was made. */
function startOf(observations: readonly Observation[]): number | undefined {
  const known = observations.filter(({ snapshot }) => numberOf(snapshot.price) !== null);
  const last = known.findLastIndex(({ snapshot }) => discountIn(snapshot) === undefined);
  return known[last + 1]?.from;
}

/** The base price just before a time in microseconds, and the lowest of the 30 days before it. */
function basePrices(observations: readonly Observation[], start: number) {
  const earlier = observations.filter(({ from, snapshot }) => from < start && numberOf(snapshot.price) !== null);
  const at = start / 1000;
  const values = earlier
    .filter(({ to }) => to >= start - BEFORE_MS * 1000)
    .map(({ snapshot }) => numberOf(snapshot.price) ?? Number.POSITIVE_INFINITY);
  const opening = inEffect(earlier, 'price', at - BEFORE_MS)?.value;
  const lowest = Math.min(...values, opening ?? Number.POSITIVE_INFINITY);
  const before = inEffect(earlier, 'price', at)?.value ?? null;
  return { before, lowest: Number.isFinite(lowest) ? lowest : null };
}

function percentCell({ discountPercent: amount }: Discount): Cell {
  return amount === null ? undefined : { amount, text: `-${Number(amount.toFixed(1))}%` };
}

function raisedCell({ raised, lowestBefore }: Discount): Cell {
  return raised ? { text: `from ${lowestBefore}`, tone: 'warn' } : undefined;
}
