/** Lists that are longer than a page: `limit` and `offset`, as seen on the public implementation. */
import type { Page, PageQuery } from './client.ts';

/** The public implementation refuses more. */
export const LARGEST_PAGE = 100;

export interface Stretch {
  /** At most so many items; all of them where it is undefined. */
  readonly limit: number | undefined;
  readonly offset: number;
}

/**
 * The items from `offset` on, a page at a time: only one page is ever in memory. The end is a short page or an empty one, never
 * `total`, which moves while a list is read; and a page that begins as the one before it did, of a service that does not page.
 */
export async function* pages<Item>(
  ask: (query: PageQuery) => Promise<Page<Item>>,
  { limit = Number.POSITIVE_INFINITY, offset }: Stretch,
  repeated: (offset: number) => void,
): AsyncGenerator<Page<Item>, void, void> {
  let left = limit;
  let from = offset;
  let first: string | undefined;
  while (left > 0) {
    const asked = Math.min(LARGEST_PAGE, left);
    const page = await ask({ limit: asked, offset: from });
    if (page.items.length === 0) return;
    const begin = JSON.stringify(page.items[0]);
    if (begin === first) return repeated(from);
    first = begin;
    yield page.items.length > left ? { ...page, items: page.items.slice(0, left) } : page;
    // A service may give fewer than it is asked for, and says so.
    if (page.items.length < Math.min(asked, page.size ?? asked)) return;
    left -= page.items.length;
    from += page.items.length;
  }
}

/** Every item there is, one after the other. */
export async function* everyItem<Item>(
  ask: (query: PageQuery) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, void> {
  for await (const { items } of pages(ask, { limit: undefined, offset: 0 }, () => {})) yield* items;
}
