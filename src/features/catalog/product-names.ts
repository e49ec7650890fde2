/** Finds products by id or by a part of the title, for which the service has `q` (undocumented). */
import type { RunContext } from '../../cli/command.ts';
import { MOST_CHOICES, tellCommand } from '../../cli/wizard.ts';
import { SvcError } from '../../errors.ts';
import type { Catalog, Page, PageQuery } from './api.ts';
import { productId } from './columns.ts';
import { LARGEST_PAGE, searchHint } from './lists.ts';
import { pastable } from './places.ts';
import type { Product } from './schema.ts';

type Asking = Pick<RunContext, 'notice' | 'interactive' | 'prompter' | 'typed'>;

/** Each name is searched once, and one at a time, because the user may be asked. */
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
  /** Throws for an unknown product, which the service answers like one without items. */
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

async function findProduct(text: string, catalog: Pick<Catalog, 'products'>, ctx: Asking): Promise<string> {
  const found = await catalog.products({ q: text, limit: LARGEST_PAGE });
  const all = Math.max(found.total ?? 0, found.items.length);
  const matches = titledSo(text, found.items, all);
  const [only] = matches;
  if (only === undefined) throw unknownName(text, found.items);
  // Those on further pages may match, too.
  const total = all > found.items.length ? all : matches.length;
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

/** `q` also finds brands, has wildcards, and may be ignored. A whole title is preferred. */
function titledSo(text: string, items: readonly Product[], total: number): readonly Product[] {
  const whole = items.filter(({ title }) => folded(title) === folded(text));
  if (whole.length > 0 && total === items.length) return whole;
  return items.filter(({ title }) => folded(title).includes(folded(text)));
}

/** Without accents: some services ignore them. */
function folded(text: string | null | undefined): string {
  return (text ?? '').normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

const MOST_SHOWN = 10;

function ambiguous(text: string, matches: readonly Product[], total: number): SvcError {
  return new SvcError('invalid_value', `${total} products match ${JSON.stringify(text)}`, {
    hint: 'give the id of one of them, or more of its title',
    meant: pastable(text, matches[0] && productId(matches[0])),
    candidates: candidatesOf(matches),
  });
}

/** Products of such a brand are named. */
function unknownName(text: string, found: readonly Product[]): SvcError {
  return new SvcError('not_found', `there is no product with this id, or with ${JSON.stringify(text)} in its title`, {
    hint: searchHint(text) ?? 'svc catalog products list --search <text> finds ids',
    candidates: candidatesOf(found.filter(({ brand }) => folded(brand).includes(folded(text)))),
  });
}

function candidatesOf(products: readonly Product[]) {
  return products.length === 0 ? undefined : products.slice(0, MOST_SHOWN).map(rowOf);
}

function rowOf({ title, parsers, ...product }: Product) {
  return { id: productId(product), title: title ?? '', stores: (parsers ?? []).join(', ') };
}
