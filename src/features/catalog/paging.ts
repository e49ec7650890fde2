/** Lists that are longer than a page: `limit` and `offset`, as seen on the public implementation. */
import type { Page, PageQuery } from './api.ts';

/** The public implementation refuses more. */
export const LARGEST_PAGE = 100;

/** Rows that are written while they are read move from page to page: a list is read again, this often at most. */
const MOST_PASSES = 3;

export interface Stretch {
  /** At most so many items; all of them where it is undefined. */
  readonly limit: number | undefined;
  readonly offset: number;
}

/** What a list turned out to be that is not, or may not be, whole. */
export interface PagingProblem {
  readonly text: string;
  /** Rows are missing, as far as can be known. */
  readonly incomplete: boolean;
}

export type Report = (problem: PagingProblem) => void;

/** Says what is wrong with the lists of a command; its exit status tells that rows are missing. */
export function readingProblems(ctx: { notice(text: string): void; warn(text: string): void }): {
  readonly report: Report;
  readonly code: 'partly_done' | undefined;
} {
  let incomplete = false;
  return {
    report(problem) {
      incomplete ||= problem.incomplete;
      if (problem.incomplete) ctx.warn(problem.text);
      else ctx.notice(problem.text);
    },
    get code() {
      return incomplete ? 'partly_done' : undefined;
    },
  };
}

/** What the rows of every list are known by: an `id`, or the keys of the catalog's tables. */
export interface Identified {
  readonly id?: unknown;
  readonly canonical_product_id?: string | null | undefined;
  readonly parser_name?: string | null | undefined;
  readonly source_id?: string;
  readonly observed_at?: string | null | undefined;
}

/**
 * The items from `offset` on, a page at a time and each once: only one page and the ids are ever in memory. The end is a short page or
 * an empty one, never `total`, which moves while a list is read. Where the total moved or an item came twice, rows may have moved
 * between pages unseen: the list is read again until a pass is undisturbed or brings the same items as the one before.
 */
export async function* pages<Item extends Identified>(
  ask: (query: PageQuery) => Promise<Page<Item>>,
  { limit = Number.POSITIVE_INFINITY, offset }: Stretch,
  report: Report,
): AsyncGenerator<Page<Item>, void, void> {
  /** The latest pass that brought each item. */
  const seen = new Map<string, number>();
  let before = 0;
  let left = limit;
  for (let pass = 1; pass <= MOST_PASSES; pass++) {
    let [count, repeated, duplicates, moved] = [0, 0, false, false];
    let total: number | undefined;
    /** Where a page had nothing that was not there already: a hundred rows moved at once, or the service does not page. */
    let stuck: number | undefined;
    for (let from = offset; from - offset < limit; ) {
      const asked = Math.min(LARGEST_PAGE, limit - (from - offset));
      const page = await ask({ limit: asked, offset: from });
      moved ||= from > offset && page.total !== total;
      total = page.total;
      if (page.items.length === 0) break;
      const counted = count;
      const fresh: Item[] = [];
      for (const item of page.items.slice(0, limit - (from - offset))) {
        const key = rowKey(item);
        const last = seen.get(key);
        if (last === pass) duplicates = true;
        else {
          count++;
          if (last === pass - 1) repeated++;
          if (last === undefined) fresh.push(item);
          seen.set(key, pass);
        }
      }
      const items = fresh.slice(0, left);
      left -= items.length;
      yield { ...page, items };
      if (count === counted) {
        stuck = from;
        break;
      }
      // A service may give fewer than it is asked for, and says so.
      if (page.items.length < Math.min(asked, page.size ?? asked)) break;
      from += page.items.length;
    }
    const agrees = pass > 1 && count === before && repeated === before;
    if ((!duplicates && !moved) || agrees || left === 0) {
      const due = Math.min(limit, (total ?? 0) - offset);
      if (stuck !== undefined && left > 0) {
        const text = `warning: the page at offset ${stuck} has no new row: the service seems not to page`;
        return report({ text, incomplete: total === undefined || seen.size < due });
      }
      // A list without a row may begin behind the last one.
      if (moved || count === 0 || seen.size >= due) return;
      return report({ text: `a short page ended the list: ${seen.size} came, of ${due}`, incomplete: true });
    }
    before = count;
  }
  const text = `the catalog changed while it was read: ${MOST_PASSES} passes brought different rows, and some may be missing`;
  report({ text, incomplete: true });
}

/** Every item there is, one after the other. */
export async function* everyItem<Item extends Identified>(
  ask: (query: PageQuery) => Promise<Page<Item>>,
  report: Report,
): AsyncGenerator<Item, void, void> {
  for await (const { items } of pages(ask, { limit: undefined, offset: 0 }, report)) yield* items;
}

function rowKey({ id, canonical_product_id, parser_name, source_id, observed_at }: Identified): string {
  if (id !== undefined && id !== null) return String(id);
  if (source_id === undefined && canonical_product_id) return canonical_product_id;
  return JSON.stringify([canonical_product_id, parser_name, source_id, observed_at]);
}
