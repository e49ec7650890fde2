/** The products that a command reads: named, listed in a file, or found. Each is read once. */
import { bulk } from '../../cli/bulk.ts';
import type { RunContext } from '../../cli/command.ts';
import { FILE, type Options, section } from '../../cli/flags.ts';
import { type ErrorCode, SvcError } from '../../errors.ts';
import type { Catalog, PageQuery } from './api.ts';
import { productId } from './columns.ts';
import { everyItem, REGION_FLAG, type Report, SOURCE_FLAGS } from './lists.ts';
import { checkStores } from './places.ts';
import type { SourceSelection } from './product-sources.ts';
import type { Category } from './schema.ts';
import { isBlank, numberOf } from './statistics.ts';

export const SELECTION_FLAGS = section('Product options', {
  search: { type: 'string', value: 'text', help: 'Products found by this text (undocumented)' },
  category: { type: 'integer', value: 'id', repeat: true, help: 'Products of a category and those below it' },
  store: { ...SOURCE_FLAGS.store, help: 'Only this store (parser_name)' },
  region: { ...REGION_FLAG, help: 'Only this region, raw or normalized' },
  file: { ...FILE, help: 'Ids of products, one per line' },
});

/** For the details of each command that takes them. */
export const SELECTION_DETAILS =
  'Products are named by ids, listed in --file (blank lines and lines with # are ignored), or found by --search, --category, --store and --region together. --store and --region also choose the offers of each product; a region is the settlements that have it as their region or normalized region. --category reads all categories to find those below it. Each product is read once. A product that cannot be read is named and the exit status is 10; a selection without any product is exit status 5.';

/** Options that select products without any id. */
const SELECTORS = ['search', 'category', 'store', 'region', 'file'] as const;

export const SELECTION_ARGUMENT = {
  id: {
    help: 'Ids of products; - reads them, one per line',
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

/** The ids of the selected products. Throws `not_found` if there is none. */
export async function selectedProducts(
  catalog: Catalog,
  input: SelectionInput,
  selection: SourceSelection,
  ctx: Pick<RunContext, 'readInput'>,
  report: Report,
): Promise<readonly string[]> {
  const { id = [], search, category } = input;
  const isNamed = id.length > 0 || input.file !== undefined;
  const isFound = search !== undefined || category.length > 0;
  if (isNamed && isFound) throw new SvcError('usage', 'ids and --search or --category cannot be used together');
  if (isNamed) return namedProducts(id, input.file, ctx);
  if (!isFound && input.store.length === 0 && input.region.length === 0) {
    throw new SvcError('missing_value', 'no products are given', {
      hint: 'pass ids, --search, --category, --store, --region or --file',
    });
  }
  return foundProducts(catalog, input, selection, report);
}

async function namedProducts(
  given: readonly string[],
  file: string | undefined,
  ctx: Pick<RunContext, 'readInput'>,
): Promise<readonly string[]> {
  const ids = new Set(given.filter((text) => text !== '-'));
  const inputs = new Set([...given.filter((text) => text === '-'), ...(file === undefined ? [] : [file])]);
  for (const path of inputs) {
    const lines = await productLines(path, ctx);
    for (const { text, number } of lines) ids.add(checkedId(text, path, number));
  }
  if (ids.size === 0) throw new SvcError('not_found', `${[...inputs].map(nameOf).join(', ')}: there is no id in it`);
  return [...ids];
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
  return lines
    .map((line, index) => ({ text: line.trim(), number: index + 1 }))
    .filter((line) => line.text !== '' && !line.text.startsWith('#'));
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

async function foundProducts(
  catalog: Catalog,
  { search: q, category, store }: SelectionInput,
  { regions }: SourceSelection,
  report: Report,
): Promise<readonly string[]> {
  await checkStores(catalog, store, report);
  const categories = await withChildren(catalog, category, report);
  const settlements = regions.flatMap((one) => one.settlements.flatMap(({ id }) => (isBlank(id) ? [] : [String(id)])));
  const places = regions.length === 0 ? [undefined] : [...new Set(settlements)];
  const ids = new Set<string>();
  for (const filters of combineFilters(orNone(categories), places, orNone(store))) {
    const products = await everyItem((page) => catalog.products({ ...page, q, ...filters }), report);
    for (const product of products) ids.add(productId(product));
  }
  if (ids.size === 0) throw new SvcError('not_found', 'no product matches the selection');
  return [...ids];
}

/** The catalog filters by one name each: every combination is one list. */
function combineFilters(
  categories: readonly (number | undefined)[],
  settlements: readonly (string | undefined)[],
  stores: readonly (string | undefined)[],
): readonly PageQuery[] {
  return categories.flatMap((category_id) =>
    settlements.flatMap((settlement_id) => stores.map((parser_name) => ({ category_id, settlement_id, parser_name }))),
  );
}

function orNone<T>(values: readonly T[]): readonly (T | undefined)[] {
  return values.length === 0 ? [undefined] : values;
}

/** A category stands for all those below it: products are in the lowest ones. */
async function withChildren(catalog: Catalog, wanted: readonly number[], report: Report): Promise<readonly number[]> {
  if (wanted.length === 0) return [];
  const all = await everyItem((page) => catalog.categories(page), report);
  const found = new Set<Category>();
  for (const id of wanted) {
    const top = all.find((one) => numberOf(one.id) === id);
    if (top === undefined) {
      const hint = 'svc catalog categories list --tree shows ids';
      throw new SvcError('not_found', `there is no category ${id}`, { hint });
    }
    found.add(top);
  }
  // A set is walked to its end, with what is added meanwhile.
  for (const parent of found) {
    for (const one of all) {
      if (one.parser_name === parent.parser_name && isBelow(one, parent)) found.add(one);
    }
  }
  return [...found].flatMap(({ id }) => numberOf(id) ?? []);
}

function isBelow({ parent_source_uid: uid }: Category, parent: Category): boolean {
  return !isBlank(uid) && String(uid) === String(parent.source_uid);
}

interface ProductsRead<Result> {
  /** In the order of the selection. */
  readonly products: readonly { readonly id: string; readonly result: Result }[];
  /** Why the others are missing: each was named on standard error. */
  readonly code: ErrorCode | undefined;
}

const AT_ONCE = 8;

/** Reads a few products at a time. One that fails is named; throws if all fail. */
export async function readProducts<Result>(
  ids: readonly string[],
  ctx: Pick<RunContext, 'warn'>,
  read: (id: string) => Promise<Result>,
): Promise<ProductsRead<Result>> {
  const { outcomes } = await bulk(ids, AT_ONCE, async (id) => ({ id, result: await read(id) }));
  const products: { readonly id: string; readonly result: Result }[] = [];
  const failed: { readonly id: string; readonly error: SvcError }[] = [];
  for (const one of outcomes) {
    if (one.error === undefined) products.push(one.result);
    else failed.push({ id: one.item, error: one.error });
  }
  const [first] = failed;
  if (first !== undefined && failed.length === ids.length) throw first.error;
  for (const { id, error } of failed) ctx.warn(`${id} is skipped: ${error.message}`);
  return { products, code: first && 'partly_done' };
}
