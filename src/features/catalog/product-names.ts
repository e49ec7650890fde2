/**
 * Products by what people type: an id, the beginning of an id, or a part of the title. The service finds only whole ids, and titles
 * by `q` (undocumented). The beginning of an id is found by reading the list of products.
 */
import { bulk } from '../../cli/bulk.ts';
import type { RunContext } from '../../cli/command.ts';
import { distance } from '../../cli/lookup.ts';
import { MOST_CHOICES, tellCommand } from '../../cli/wizard.ts';
import { SvcError } from '../../errors.ts';
import type { Catalog, Page, PageQuery } from './api.ts';
import { productId } from './columns.ts';
import { LARGEST_PAGE } from './lists.ts';
import { pastable } from './places.ts';
import type { Product } from './schema.ts';

type Asking = Pick<RunContext, 'notice' | 'interactive' | 'prompter' | 'typed'>;

/** The names of one command: each is searched for once, and only one at a time, because the user may be asked. */
export function productNames(catalog: Pick<Catalog, 'products' | 'product' | 'snapshots'>, ctx: Asking) {
  const ids = new Map<string, Promise<string>>();
  const existing = new Set<string>();
  let latest: Promise<unknown> = Promise.resolve();
  const idOf = (text: string): Promise<string> => {
    const id = ids.get(text) ?? latest.then(() => findProduct(text, catalog, ctx));
    ids.set(text, id);
    latest = id.catch(() => {});
    return id;
  };
  /** An exact id takes precedence, and costs no other request than those of `read`. */
  const read = async <T>(text: string, ask: (id: string) => Promise<T>): Promise<T> => {
    if (ids.has(text)) return ask(await idOf(text));
    try {
      return await ask(text);
    } catch (error) {
      const isUnknown = error instanceof SvcError && error.reason === 'unknown_product';
      if (!isUnknown || WHOLE_ID.test(text)) throw error;
    }
    return ask(await idOf(text));
  };
  /** For what the service answers alike for a product without such items and an unknown one. Throws where it is unknown. */
  const checkProduct = async (id: string): Promise<void> => {
    const { items } = await catalog.snapshots(id, { limit: 1 });
    if (items.length === 0) await catalog.product(id);
  };
  return {
    read,
    checkProduct,
    /** The same for a list, which is empty for an unknown product, too. */
    pages<Item>(text: string, ask: (id: string, query: PageQuery) => Promise<Page<Item>>) {
      return (query: PageQuery): Promise<Page<Item>> =>
        read(text, async (id) => {
          const page = await ask(id, query);
          if (page.items.length === 0 && !existing.has(id) && !WHOLE_ID.test(id)) await checkProduct(id);
          existing.add(id);
          return page;
        });
    },
  };
}

/** The ids of the public implementation. */
const WHOLE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const ID_BEGINNING = /^[0-9a-f]{4}[0-9a-f-]*$/i;
const SHORTEST_BEGINNING = 4;

async function findProduct(text: string, catalog: Pick<Catalog, 'products'>, ctx: Asking): Promise<string> {
  const { matches, total, others } = await matching(text, catalog);
  const [only] = matches;
  if (only === undefined) throw unknownName(text, others);
  if (total === 1) {
    ctx.notice(`${text} → ${productId(only)} ${JSON.stringify(only.title ?? '')}`);
    return productId(only);
  }
  if (!ctx.interactive) throw ambiguous(text, matches, total);
  const choices = matches.slice(0, MOST_CHOICES).map((product) => {
    const { id, title, stores } = rowOf(product);
    return { value: id, name: `${title}  ${stores}  ${id}` };
  });
  const more = total > choices.length ? ` (${choices.length} of ${total})` : '';
  const id = await ctx.prompter.select(`Which product is ${JSON.stringify(text)}?${more}`, choices);
  tellCommand({ ...ctx, typed: ctx.typed.map((word) => (word === text ? id : word)) }, []);
  return id;
}

interface Matching {
  readonly matches: readonly Product[];
  /** How many match, as far as is known: all of them may be too many to read. */
  readonly total: number;
  /** Where no title matches: products of such a brand, or with nearly such a title. */
  readonly others: readonly Product[];
}

async function matching(text: string, catalog: Pick<Catalog, 'products'>): Promise<Matching> {
  const found = await catalog.products({ q: text, limit: LARGEST_PAGE });
  const total = Math.max(found.total ?? 0, found.items.length);
  const titled = titledSo(text, found.items, total);
  /** Those on further pages may match, too. */
  const counted = (matches: readonly Product[]): number => (total > found.items.length ? total : matches.length);
  if (titled.length > 0 && !ID_BEGINNING.test(text)) return { matches: titled, total: counted(titled), others: [] };
  const { items: all, missing } = await firstProducts(catalog);
  const beginning = text.toLowerCase();
  const isBeginning = (product: Product): boolean => productId(product).toLowerCase().startsWith(beginning);
  const begins = text.length >= SHORTEST_BEGINNING ? all.filter(isBeginning) : [];
  if (missing > 0 && (begins.length > 0 || ID_BEGINNING.test(text))) {
    throw new SvcError(
      'invalid_value',
      `there are ${all.length + missing} products: too many to find one by the beginning of its id`,
      { hint: 'give the whole id, or a part of the title', candidates: candidatesOf([...begins, ...titled]) },
    );
  }
  // Some databases ignore the case of a to z only, so the service may not find a title that is there.
  const titles = titled.length > 0 ? titled : all.filter(({ title }) => folded(title).includes(folded(text)));
  const matches = [...new Map([...begins, ...titles].map((one) => [productId(one), one])).values()];
  return {
    matches,
    total: matches.length === 0 ? 0 : counted(matches),
    others: [
      ...new Set([...found.items.filter((one) => folded(one.brand).includes(folded(text))), ...nearest(text, all)]),
    ],
  };
}

/** `q` finds brands, too, and takes % and _ for wildcards, and a service may ignore it. A whole title takes precedence. */
function titledSo(text: string, items: readonly Product[], total: number): readonly Product[] {
  const whole = items.filter(({ title }) => folded(title) === folded(text));
  if (whole.length > 0 && total === items.length) return whole;
  return items.filter(({ title }) => folded(title).includes(folded(text)));
}

/** Without accents: some services ignore them. */
function folded(text: string | null | undefined): string {
  return (text ?? '').normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

const MOST_PAGES = 20;
const AT_ONCE = 4;

/** Up to 2,000 products, each once, and how many more there are. */
async function firstProducts(catalog: Pick<Catalog, 'products'>) {
  const first = await catalog.products({ limit: LARGEST_PAGE });
  const total = Math.max(first.total ?? 0, first.items.length);
  const size = Math.max(1, first.items.length + (first.omitted ?? 0));
  const pages = Math.min(MOST_PAGES, Math.ceil(total / size));
  const offsets = Array.from({ length: pages - 1 }, (_, index) => (index + 1) * size);
  const { outcomes } = await bulk(offsets, AT_ONCE, (offset) => catalog.products({ limit: LARGEST_PAGE, offset }));
  const others = outcomes.flatMap((one) => {
    if (one.error !== undefined) throw one.error;
    return one.result.items;
  });
  const items = [...new Map([...first.items, ...others].map((one) => [productId(one), one])).values()];
  return { items, missing: Math.max(0, total - items.length) };
}

const MOST_SHOWN = 10;

function ambiguous(text: string, matches: readonly Product[], total: number): SvcError {
  return new SvcError('invalid_value', `${total} products match ${JSON.stringify(text)}`, {
    hint: 'give the id of one of them, or more of its title',
    meant: pastable(text, matches[0] && productId(matches[0])),
    candidates: candidatesOf(matches),
  });
}

function unknownName(text: string, others: readonly Product[]): SvcError {
  return new SvcError('not_found', `there is no product with this id, or with ${JSON.stringify(text)} in its title`, {
    hint: 'svc catalog products list --search <text> finds ids',
    candidates: candidatesOf(others),
  });
}

const MOST_NEAR = 3;

/** Products of which a word of the title is nearly the text. */
function nearest(text: string, all: readonly Product[]): readonly Product[] {
  const wanted = folded(text);
  const most = Math.min(2, Math.floor(wanted.length / 3));
  const near = all.flatMap((product) => {
    const title = folded(product.title);
    const edits = Math.min(...[title, ...title.split(/[\s,]+/)].map((part) => editsTo(wanted, part)));
    return edits <= most ? [{ product, edits }] : [];
  });
  return near
    .sort((a, b) => a.edits - b.edits)
    .slice(0, MOST_NEAR)
    .map(({ product }) => product);
}

const LONGEST_COMPARED = 60;

function editsTo(wanted: string, part: string): number {
  return Math.max(wanted.length, part.length) > LONGEST_COMPARED ? Number.POSITIVE_INFINITY : distance(wanted, part);
}

function candidatesOf(products: readonly Product[]) {
  return products.length === 0 ? undefined : products.slice(0, MOST_SHOWN).map(rowOf);
}

function rowOf({ title, parsers, ...product }: Product) {
  return { id: productId(product), title: title ?? '', stores: (parsers ?? []).join(', ') };
}
