/** The products that a command reads: named, listed in a file, or found. Each is read once. */
import { bulk } from '../../cli/bulk.ts';
import type { RunContext } from '../../cli/command.ts';
import { FILE, type Options, section } from '../../cli/flags.ts';
import { type ErrorCode, SvcError } from '../../errors.ts';
import type { Catalog, PageQuery } from './api.ts';
import { branchRows, categoryTree } from './category-tree.ts';
import { productId } from './columns.ts';
import { everyItem, REGION_FLAG, type Report, readPages, SOURCE_FLAGS } from './lists.ts';
import { findStores, hasRowsIn } from './places.ts';
import { productNames } from './product-names.ts';
import type { SourceSelection } from './product-sources.ts';
import { isBlank, numberOf } from './statistics.ts';

export const SELECTION_FLAGS = section('Product options', {
  search: { type: 'string', value: 'text', help: 'Products found by this text (undocumented)' },
  category: { type: 'integer', value: 'id', repeat: true, help: 'Products of a category and those below it' },
  store: { ...SOURCE_FLAGS.store, help: 'Only this store (parser_name)' },
  region: { ...REGION_FLAG, help: 'Only this region, raw or normalized' },
  file: { ...FILE, help: 'Ids of products, one per line' },
  'max-products': { type: 'integer', min: 1, help: 'Maximum number of products to read' },
});

/** For the details of each command that takes them. */
export const SELECTION_DETAILS =
  'Products are named by ids or parts of titles, listed in --file (whole ids; blank lines and lines with # are ignored), or found by --search, --category, --store and --region together. --store and --region also choose the offers of each product; a region is the settlements that have it as their region or normalized region. --category reads all categories to find those below it. Each product is read once. A product that cannot be read is named and the exit status is 10; a selection without any product is exit status 5.';

/** Options that select products without any id. */
const SELECTORS = ['search', 'category', 'store', 'region', 'file'] as const;

export const SELECTION_ARGUMENT = {
  id: {
    help: 'Products: ids, or parts of titles; - reads ids, one per line',
    repeat: true,
    complete: 'products',
    promptUnless: SELECTORS,
  },
} as const;

export type SelectionInput = Options<typeof SELECTION_FLAGS> & { readonly id?: readonly string[] };

/** Whether the answer may have more than one product. */
export function severalProducts({ id = [], file }: Pick<SelectionInput, 'id' | 'file'>): boolean {
  return id.length !== 1 || id[0] === '-' || file !== undefined;
}

interface Selected {
  /** As it was typed, or a whole id. */
  readonly text: string;
  /** It may also be a part of a title. */
  readonly typed: boolean;
}

/** Throws `not_found` if there is none. */
export async function selectedProducts(
  catalog: Catalog,
  input: SelectionInput,
  selection: SourceSelection,
  ctx: Pick<RunContext, 'notice' | 'readInput'>,
  report: Report,
): Promise<readonly Selected[]> {
  const { id = [], search, category, maxProducts } = input;
  const named = id.length > 0 || input.file !== undefined;
  const found = search !== undefined || category.length > 0;
  if (named && found) throw new SvcError('usage', 'ids and --search or --category cannot be used together');
  if (named && maxProducts !== undefined) {
    throw new SvcError('usage', '--max-products needs --search, --category, --store or --region, and no ids');
  }
  if (named) return namedProducts(id, input.file, ctx);
  if (!found && input.store.length === 0 && input.region.length === 0) {
    throw new SvcError('missing_value', 'no products are given', {
      hint: 'pass ids, --search, --category, --store, --region or --file',
    });
  }
  const ids = await foundProducts(catalog, input, selection, ctx, report);
  return ids.map((text) => ({ text, typed: false }));
}

async function namedProducts(
  typed: readonly string[],
  file: string | undefined,
  ctx: Pick<RunContext, 'readInput'>,
): Promise<readonly Selected[]> {
  const selected: Selected[] = typed.filter((text) => text !== '-').map((text) => ({ text, typed: true }));
  const inputs = new Set([...(typed.includes('-') ? ['-'] : []), ...(file === undefined ? [] : [file])]);
  for (const path of inputs) {
    const lines = await productLines(path, ctx);
    for (const { text, number } of lines) selected.push({ text: checkedId(text, path, number), typed: false });
  }
  const ids = [...new Map(selected.map((one) => [one.text, one])).values()];
  if (ids.length === 0) throw new SvcError('not_found', `${[...inputs].map(nameOf).join(', ')}: there is no id in it`);
  return ids;
}

interface Line {
  readonly text: string;
  /** From 1. */
  readonly number: number;
}

/** The lines of a list of products, without blank ones and comments. */
export async function productLines(path: string, ctx: Pick<RunContext, 'readInput'>): Promise<readonly Line[]> {
  const text = Buffer.from(await ctx.readInput(path)).toString('utf8');
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  return lines.flatMap((line, index) => {
    const content = line.trim();
    return content === '' || content.startsWith('#') ? [] : [{ text: content, number: index + 1 }];
  });
}

/** Throws `invalid_value` with the line's number for a table, JSON or binary data. */
function checkedId(text: string, path: string, line: number): string {
  if (!/[/,;"\p{Cc}\ufffd]|^[{[]/u.test(text)) return text;
  throw new SvcError(
    'invalid_value',
    `${nameOf(path)}, line ${line}: ${JSON.stringify(text.slice(0, 60))} is not an id`,
    { hint: 'write one id per line; # begins a comment' },
  );
}

export function nameOf(path: string): string {
  return path === '-' ? 'standard input' : path;
}

/** The catalog filters by one name each: every combination is one list. */
async function foundProducts(
  catalog: Catalog,
  input: SelectionInput,
  { regions }: SourceSelection,
  ctx: Pick<RunContext, 'notice'>,
  report: Report,
): Promise<readonly string[]> {
  const categories = await withChildren(catalog, input.category, report);
  const settlements = regions.flatMap((one) => one.settlements.flatMap(({ id }) => (isBlank(id) ? [] : [String(id)])));
  const stores = await findStores(catalog, input.store, hasRowsIn(catalog.products), report);
  const limit = input.maxProducts;
  const places = regions.length === 0 ? [undefined] : [...new Set(settlements)];
  const ids = new Set<string>();
  let total = 0;
  for (const query of combineFilters(input.search, orNone(categories), places, orNone(stores))) {
    total += await addProducts(ids, catalog, query, limit, report);
  }
  if (ids.size === 0) throw new SvcError('not_found', `no product matches ${selectionText(input)}`);
  if (limit !== undefined && total > limit && ids.size === limit) {
    ctx.notice(`${total} products match, and svc reads ${ids.size}: --max-products`);
  }
  return [...ids];
}

function combineFilters(
  q: string | undefined,
  categories: readonly (number | undefined)[],
  settlements: readonly (string | undefined)[],
  stores: readonly (string | undefined)[],
): readonly PageQuery[] {
  return categories.flatMap((category_id) =>
    settlements.flatMap((settlement_id) =>
      stores.map((parser_name) => ({ q, category_id, settlement_id, parser_name })),
    ),
  );
}

/** Adds to `ids` up to `limit`. Returns how many products match, as far as is known. */
async function addProducts(
  ids: Set<string>,
  catalog: Catalog,
  query: PageQuery,
  limit: number | undefined,
  report: Report,
): Promise<number> {
  const left = limit === undefined ? undefined : Math.max(1, limit - ids.size);
  const ask = (page: PageQuery) => catalog.products({ ...page, ...query });
  let listed = 0;
  for await (const page of readPages(ask, { limit: left, offset: 0 }, report)) {
    listed = page.total ?? 0;
    for (const one of page.items) {
      if (limit === undefined || ids.size < limit) ids.add(productId(one));
    }
  }
  return listed;
}

function orNone<T>(values: Iterable<T>): readonly (T | undefined)[] {
  const all = [...values];
  return all.length === 0 ? [undefined] : all;
}

function selectionText({ search, category, store, region }: SelectionInput): string {
  const parts = [
    ...(search === undefined ? [] : [`--search ${JSON.stringify(search)}`]),
    ...category.map((id) => `--category ${id}`),
    ...store.map((name) => `--store ${name}`),
    ...region.map((name) => `--region ${name}`),
  ];
  return parts.join(' ') || 'the catalog';
}

/** A category stands for all those below it: products are in the lowest ones. */
async function withChildren(catalog: Catalog, wanted: readonly number[], report: Report): Promise<ReadonlySet<number>> {
  if (wanted.length === 0) return new Set();
  const rows = [...branchRows(categoryTree(await everyItem((page) => catalog.categories(page), report)))];
  const found = wanted.flatMap((id) => {
    const at = rows.findIndex((row) => numberOf(row.id) === id);
    const top = rows[at];
    if (top === undefined) {
      throw new SvcError('not_found', `there is no category ${id}`, {
        hint: 'svc catalog categories list --tree shows ids',
      });
    }
    const end = rows.findIndex(({ level }, index) => index > at && level <= top.level);
    return rows.slice(at, end < 0 ? undefined : end);
  });
  return new Set(found.flatMap(({ id }) => numberOf(id) ?? []));
}

interface ProductsRead<Result> {
  /** In the order of the selection. */
  readonly products: readonly { readonly id: string; readonly result: Result }[];
  /** Why the others are missing: each was named on standard error. */
  readonly code: ErrorCode | undefined;
}

const AT_ONCE = 8;

/**
 * Reads a few products at a time, and each once. A product that fails is named and does not stop
 * the others. Throws if all fail, or if a name is ambiguous.
 */
export async function readProducts<Result>(
  catalog: Catalog,
  selected: readonly Selected[],
  ctx: RunContext,
  read: (id: string) => Promise<Result>,
): Promise<ProductsRead<Result>> {
  const names = productNames(catalog, ctx);
  const results = new Map<string, Promise<{ readonly id: string; readonly result: Result }>>();
  const once = (id: string) => {
    const result = results.get(id) ?? read(id).then((value) => ({ id, result: value }));
    results.set(id, result);
    return result;
  };
  const { outcomes } = await bulk(selected, AT_ONCE, ({ text, typed }) =>
    typed ? names.read(text, once) : once(text),
  );
  const failed = outcomes.flatMap(({ item, error }) => (error === undefined ? [] : [{ item, error }]));
  const fatal =
    failed.length === selected.length ? failed[0] : failed.find(({ error }) => error.candidates && error.exit === 2);
  if (fatal !== undefined) throw fatal.error;
  for (const { item, error } of failed) ctx.warn(`${item.text} is skipped: ${error.message}`);
  const products = outcomes.flatMap((one) => (one.error === undefined ? [one.result] : []));
  return {
    products: [...new Map(products.map((one) => [one.id, one])).values()],
    code: failed.length > 0 ? 'partly_done' : undefined,
  };
}
