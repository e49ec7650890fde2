/** The prices of the selected products, from which movers, discounts, indexes and baskets are computed. */
import type { RunContext } from '../../cli/command.ts';
import type { ErrorCode } from '../../errors.ts';
import { openCatalog } from './api.ts';
import { type Report, readingProblems } from './lists.ts';
import { MATCHES_DETAILS, MATCHES_FLAG, membersIn } from './matches.ts';
import { listedSources, nothingThere, notListed, productSeries, selects } from './product-sources.ts';
import {
  readProducts,
  SELECTION_DETAILS,
  SELECTION_FLAGS,
  type SelectionInput,
  selectedProducts,
} from './selection.ts';
import { type Amount, inEffect, type OfferField, PRICE_FIELDS, type PriceSeries, seriesOf } from './series.ts';
import { leftOut, PER_FLAG, type Per, pricesPer } from './unit-price.ts';

export const FIELD_FLAG = { type: 'choice', choices: PRICE_FIELDS, default: 'lowest', help: 'Price to use' } as const;

export const PRICES_FLAGS = { ...SELECTION_FLAGS, per: PER_FLAG, matches: MATCHES_FLAG } as const;

export const PRICES_DETAILS = `${SELECTION_DETAILS} ${MATCHES_DETAILS}`;

export interface PricesInput extends SelectionInput {
  readonly per?: Per | undefined;
  readonly matches: string | undefined;
}

export interface ProductPrices {
  readonly id: string;
  readonly title: string;
  /** One for each store, place and unit. */
  readonly series: readonly PriceSeries[];
}

interface PricesWanted {
  /** Only what is sold now, which needs no snapshot. */
  readonly now?: boolean;
  /** Unit prices that are not rounded. */
  readonly exact?: boolean;
  readonly selected?: Parameters<typeof readProducts>[1];
}

export async function readPrices(
  input: PricesInput,
  ctx: RunContext,
  { now = false, exact = false, selected }: PricesWanted = {},
): Promise<{ readonly products: readonly ProductPrices[]; readonly code: ErrorCode | undefined }> {
  const catalog = openCatalog(ctx.target, await membersIn(input, ctx));
  const problems = readingProblems(ctx);
  const wanted = selected ?? (await selectedProducts(catalog, input, ctx, problems.report));
  const read = (id: string) => (now ? currentSeries : recordedSeries)(catalog, id, input, problems.report);
  const { products, code } = await readProducts(catalog, wanted, input, ctx, read);
  const { per } = input;
  const titled = products.map(({ id, result: series }) => {
    const title = series.find((one) => one.title_original)?.title_original ?? id;
    return {
      id,
      title,
      left: 0,
      resized: [],
      ...(per === undefined ? { series } : pricesPer(series, per, exact ? 12 : 2)),
    };
  });
  if (per !== undefined) {
    const all = products.reduce((sum, { result }) => sum + result.length, 0);
    const left = titled.reduce((sum, one) => sum + one.left, 0);
    for (const text of leftOut(left, all, per)) ctx.notice(text);
    for (const { title, resized } of titled) for (const text of resized) ctx.notice(`${title}, ${text}`);
  }
  return { products: titled, code: code ?? problems.code };
}

type Opened = ReturnType<typeof openCatalog>;

async function recordedSeries(
  catalog: Opened,
  id: string,
  { store, place }: PricesInput,
  report: Report,
): Promise<readonly PriceSeries[]> {
  return (await productSeries(catalog, id, { stores: store, sources: [], places: place }, report)).series;
}

async function currentSeries(
  catalog: Opened,
  id: string,
  { store, place }: PricesInput,
  report: Report,
): Promise<readonly PriceSeries[]> {
  const selection = { stores: store, sources: [], places: place };
  const sources = await listedSources(catalog, id, report);
  if (sources.length === 0) throw await notListed(catalog, id);
  const rows = sources.filter((source) => selects(selection, source));
  const nothing = rows.length === 0 ? nothingThere(sources, selection) : undefined;
  if (nothing !== undefined) throw nothing;
  return seriesOf(rows, []);
}

/** The price in effect at a time, unless it was last observed more than `maxAge` before. */
export function priceAt(
  { observations }: PriceSeries,
  field: OfferField,
  at: number,
  maxAge: number,
): Amount | undefined {
  const found = inEffect(observations, field, at);
  if (found === undefined || found.value === null || found.field === null || found.until < at - maxAge)
    return undefined;
  return { value: found.value, field: found.field };
}

export function cents(value: number): number {
  // A hair is added because 1.005 is below 1.005 in binary.
  return Math.round(Number((value * 100).toPrecision(12))) / 100;
}
