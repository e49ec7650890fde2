import { listCommand } from '../../../cli/command.ts';
import { zoneOf } from '../../../cli/time.ts';
import { SvcError } from '../../../errors.ts';
import type { ListOutput } from '../../../output/types.ts';
import { TZ_FLAG } from '../lists.ts';
import { FIELD_FLAG, PRICES_DETAILS, PRICES_FLAGS, type ProductPrices, priceAt, readPrices } from '../prices.ts';
import { SELECTION_ARGUMENT } from '../selection.ts';
import type { OfferField, PriceSeries } from '../series.ts';
import { calendarWindow, INTERVALS, plainInstant, wireTime } from '../window.ts';

const DAY_MS = 86_400_000;

interface IndexPoint {
  readonly date: string;
  /** 100 at the first point; null without any price. */
  readonly index: number | null;
  /** How many offers have a price then, of those in the index. */
  readonly offers: number;
  readonly ofOffers: number;
}

const POINTS: ListOutput<IndexPoint> = {
  kind: 'list',
  columns: [
    { name: 'date', cell: ({ date }) => date },
    { name: 'index', cell: ({ index }) => index, align: 'right' },
    { name: 'offers', cell: ({ offers }) => offers, align: 'right' },
    { name: 'of-offers', cell: ({ ofOffers }) => ofOffers, align: 'right' },
  ],
  id: ({ date }) => date,
};

export const catalogIndex = listCommand({
  id: 'catalog index',
  summary: 'Compute a price index of products, 100 at --since',
  description:
    'The weighted mean of the prices divided by those at the first point, times 100. Weights are fixed: each product has the same, shared equally by its offers. An offer is in the index if it has a price at the first point. A price lasts until the next observation, at most --max-age.',
  details: `${PRICES_DETAILS}\nPoints are where an hour, a quarter of a day, a day or a week begins in --tz, from the one that contains --since, and now. An offer is a product at one store in one place for one unit. The index at a time is 100 times the sum of weight times price divided by first price, over the offers with a price then, divided by the sum of their weights; it is rounded to 2 decimals; unit prices with --per are not. The weight of an offer is 1 divided by the number of offers of its product that are in the index. An offer without a price at a time is left out there; offers says how many have one. Offers without a first price, or with one of 0, are never in the index, and are counted on standard error.\nJSON has an array of date, index (null if no offer has a price), offers and ofOffers.`,
  effect: 'read',
  service: 'catalog',
  args: SELECTION_ARGUMENT,
  flags: {
    since: { type: 'time', bare: 'back', dates: true, help: 'First point (default 90d ago)' },
    interval: { type: 'choice', choices: INTERVALS, value: 'step', default: '1d', help: 'Time between points' },
    field: FIELD_FLAG,
    'max-age': { type: 'duration', positive: true, help: 'Use a price for at most so long (default 30d)' },
    tz: TZ_FLAG,
    ...PRICES_FLAGS,
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc catalog index --category 17 --since 90d', why: 'Compute the index of a category' },
    { run: 'svc catalog index --file ids.txt --interval 7d -o csv', why: 'Export the index of a list by week' },
  ],
  output: POINTS,
  async run(input, ctx) {
    const { interval, field, maxAge = 30 * DAY_MS } = input;
    const zone = zoneOf(input.tz ?? 'local');
    const now = plainInstant(undefined, ctx.now(), zone);
    const since = plainInstant(input.since, now - 90 * DAY_MS, zone);
    if (since >= now) throw new SvcError('invalid_value', `--since is ${wireTime(since)}, which is not in the past`);
    const { starts } = calendarWindow({ from: since, to: now, interval }, zone);
    const times = starts.at(-1) === now ? starts : [...starts, now];
    const { products, code } = await readPrices(input, ctx, { exact: true });
    const { items, left } = indexItems(products, { field, maxAge, at: times[0] ?? since });
    if (items.length === 0) {
      throw new SvcError('not_found', `no product has a price at ${zone.text(times[0] ?? since)}`, {
        hint: 'choose a later --since or a longer --max-age',
      });
    }
    if (left > 0) ctx.notice(`${left} of ${left + items.length} offers are left out: no price at the first point`);
    const points = times.map((at) => ({ date: zone.text(at), ...indexAt(items, { field, maxAge, at }) }));
    return { value: points, code };
  },
});

interface At {
  readonly field: OfferField;
  readonly maxAge: number;
  readonly at: number;
}

interface IndexItem {
  readonly series: PriceSeries;
  readonly first: number;
  readonly weight: number;
}

function indexItems(products: readonly ProductPrices[], { field, maxAge, at }: At) {
  let left = 0;
  const items = products.flatMap(({ series }): IndexItem[] => {
    const based = series.flatMap((one) => {
      const first = priceAt(one, field, at, maxAge)?.value ?? 0;
      return first > 0 ? [{ series: one, first }] : [];
    });
    left += series.length - based.length;
    return based.map((one) => ({ ...one, weight: 1 / based.length }));
  });
  return { items, left };
}

function indexAt(items: readonly IndexItem[], { field, maxAge, at }: At): Omit<IndexPoint, 'date'> {
  let [sum, weights, offers] = [0, 0, 0];
  for (const { series, first, weight } of items) {
    const price = priceAt(series, field, at, maxAge)?.value;
    if (price === undefined) continue;
    sum += (weight * price) / first;
    weights += weight;
    offers++;
  }
  const index = offers === 0 ? null : Number(((100 * sum) / weights).toFixed(2));
  return { index, offers, ofOffers: items.length };
}
