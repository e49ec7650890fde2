/** How prices side by side are shown: a row for each source, or for each store or region of a product. */
import type { Cell, Column, ListOutput } from '../../output/types.ts';
import type { Offer, Place, Spread } from './offers.ts';
import { unitOf } from './series-names.ts';

export interface OfferView {
  /** The rows are of several products. */
  readonly several: boolean;
  readonly trend: boolean;
  /** Prices are for different units: each needs its own beside it. */
  readonly mixed?: boolean;
}

export function offerList({ several, trend, mixed = false }: OfferView): ListOutput<Offer> {
  const product: Column<Offer> = { name: 'product', cell: productOf, flex: true };
  const unit: Column<Offer> = { name: 'unit', cell: unitOf };
  const columns: Column<Offer>[] = [
    several ? product : { ...product, wide: true },
    { name: 'store', cell: (one) => one.parser_name },
    { name: 'where', cell: ({ settlement }) => settlement?.name ?? settlement?.region, flex: true },
    { name: 'lowest', cell: priceCell, align: 'right' },
    ...(mixed ? [unit] : []),
    { name: 'above', cell: aboveCell, align: 'right' },
    ...(trend ? [{ name: 'trend', cell: trendCell }] : []),
    { name: 'observed', cell: observedCell },
    { name: 'stale', cell: ({ stale }) => (stale ? { text: 'stale', tone: 'warn' } : undefined) },
    { name: 'kind', cell: (one) => one.effectiveField?.replace('_price', '') },
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

export function spreadList(by: Place): ListOutput<Spread> {
  return {
    kind: 'list',
    columns: [
      { name: 'product', cell: (one) => one.title ?? one.canonical_product_id, flex: true },
      { name: by, cell: ({ place }) => place, flex: true },
      { name: 'unit', cell: ({ unit }) => unit },
      { name: 'offers', cell: ({ offers }) => offers, align: 'right' },
      { name: 'min', cell: ({ min }) => min, align: 'right' },
      { name: 'max', cell: ({ max }) => max, align: 'right' },
      { name: 'spread', cell: ({ spread }) => spread, align: 'right' },
      { name: 'percent', cell: (one) => percentCell(one.spreadPercent), align: 'right' },
      { name: 'id', cell: (one) => one.canonical_product_id, wide: true },
    ],
    id: ({ place }) => place ?? undefined,
    empty: 'no prices',
  };
}

function productOf(offer: Offer): string {
  return offer.title_original ?? offer.canonical_product_id;
}

function priceCell({ effectivePrice, cheapest }: Offer): Cell {
  return cheapest ? { text: String(effectivePrice), tone: 'good' } : effectivePrice;
}

function aboveCell({ cheapest, aboveCheapest, aboveCheapestPercent: amount }: Offer): Cell {
  if (cheapest) return { amount, text: 'cheapest', tone: 'good' };
  if (aboveCheapest === null) return undefined;
  // Of nothing there is no percentage.
  return { amount, text: `${percentText(amount) ?? aboveCheapest} more` };
}

function percentCell(amount: number | null): Cell {
  return amount === null ? undefined : { amount, text: percentText(amount) ?? '' };
}

function percentText(percent: number | null): string | undefined {
  return percent === null ? undefined : `${Number(percent.toFixed(1))}%`;
}

function trendCell({ trend }: Offer): Cell {
  return trend === undefined ? undefined : { spark: trend.values };
}

function observedCell({ observed_at, stale }: Offer): Cell {
  if (!observed_at) return undefined;
  return stale ? { time: observed_at, tone: 'warn' } : { time: observed_at };
}

/** So many products have a line of their own below the rows. */
const MOST_LINES = 5;

/** For each product, who is cheapest and how far the prices are apart. */
export function offersFooter(offers: readonly Offer[], staleDays: number): string | undefined {
  const cheapest = offers.filter((one) => one.cheapest);
  const stale = offers.filter((one) => one.stale).length;
  const lines =
    cheapest.length > MOST_LINES ? [] : groupsOf(cheapest).map((group) => oneLine(cheapestLine(group, offers)));
  if (stale > 0) lines.push(`${stale} stale: observed more than ${staleDays} days ago; --newer-than leaves them out`);
  return lines.length === 0 ? undefined : lines.join('\n');
}

/** A footer may have several lines: a name in it must not make one of its own. */
function oneLine(text: string): string {
  return text.replaceAll('\n', '\\n');
}

/** Those of one product that are equally cheap. */
function groupsOf(cheapest: readonly Offer[]): readonly (readonly [Offer, ...Offer[]])[] {
  const groups = new Map<string, [Offer, ...Offer[]]>();
  for (const offer of cheapest) {
    const group = groups.get(groupKey(offer));
    if (group === undefined) groups.set(groupKey(offer), [offer]);
    else group.push(offer);
  }
  return [...groups.values()];
}

function groupKey(offer: Offer): string {
  return JSON.stringify([offer.canonical_product_id, unitOf(offer)]);
}

function cheapestLine(group: readonly [Offer, ...Offer[]], offers: readonly Offer[]): string {
  const [first] = group;
  const same = offers.filter((one) => one.effectivePrice !== null && groupKey(one) === groupKey(first));
  const dearest = same.at(-1);
  const places = group.map(({ parser_name, settlement }) => [parser_name, settlement?.name].filter(Boolean).join(' '));
  const where = [...new Set(places)].join(', ');
  const apart =
    same.length < 2 || dearest === undefined
      ? ''
      : `; the dearest of ${same.length} is ${dearest.effectivePrice}${dearest.aboveCheapestPercent ? `, ${percentText(dearest.aboveCheapestPercent)} more` : ''}`;
  return `${productOf(first)}: cheapest at ${where}, ${first.effectivePrice} ${unitOf(first)}${apart}`;
}
