/** Lists in pages, as seen on the public implementation, and the options that they share. */
import type { RunContext } from '../../cli/command.ts';
import { TZ_FLAG as CLOCK_TZ } from '../../cli/common-flags.ts';
import type { Flags } from '../../cli/flags.ts';
import { type ErrorCode, SvcError } from '../../errors.ts';
import type { Page, PageQuery } from './api.ts';
import { PRICE_FIELDS } from './series.ts';
import type { Numeric } from './statistics.ts';

/** What the interface document does not show, and was seen on the public implementation. */
export const UNDOCUMENTED =
  'Options marked (undocumented) follow the public implementation; other servers may ignore them.';

/** Whose days, weeks and dates are meant. */
export const TZ_FLAG = { ...CLOCK_TZ, help: 'Time zone: UTC, Asia/Tokyo (default local)' } as const;

export const PRODUCT_ARGUMENT = {
  help: 'Product: its id, or a part of the title',
  required: true,
  complete: 'products',
} as const;

/** A filter of the service itself, which takes one name. */
export const STORE_FLAG = {
  type: 'string',
  value: 'name',
  help: 'Filter by store (undocumented)',
} as const satisfies Flags[string];

export const REGION_FLAG = {
  type: 'string',
  value: 'name',
  repeat: true,
  help: 'Filter by region, raw or normalized',
} as const satisfies Flags[string];

/** Filters of what was read. */
export const SOURCE_FLAGS = {
  store: { ...STORE_FLAG, repeat: true, help: 'Filter by store (parser_name)' },
  source: { type: 'string', value: 'id', repeat: true, help: 'Filter by source (source_id)' },
} as const satisfies Flags;

export const FIELD_FLAG = { type: 'choice', choices: PRICE_FIELDS, default: 'lowest', help: 'Price to use' } as const;

export const COUNT_FLAGS = {
  store: SOURCE_FLAGS.store,
  region: REGION_FLAG,
} as const satisfies Flags;

export const LIST_FLAGS = {
  limit: { type: 'integer', min: 1, help: 'Maximum number of results (undocumented)' },
  offset: { type: 'integer', min: 0, help: 'Skip this many results (undocumented)' },
  all: { type: 'boolean', help: 'Read all pages, 100 results each (undocumented)' },
} as const satisfies Flags;

export const TIME_ORDERS = ['observed_at_desc', 'observed_at_asc'] as const;

export function orderFlag<const C extends readonly string[]>(choices: C) {
  return { type: 'choice', value: 'order', choices, help: 'Order of the service (undocumented)' } as const;
}

/** The public implementation refuses more. */
export const LARGEST_PAGE = 100;

export interface Stretch {
  /** The greatest number of items; all of them where it is undefined. */
  readonly limit: number | undefined;
  readonly offset: number;
}

/** What a list turned out to be that is not, or may not be, whole. */
export interface PagingProblem {
  readonly text: string;
  /** Rows are missing, as far as can be known. */
  readonly incomplete: boolean;
  /** The client has named them. */
  readonly named?: true;
}

export type Report = (problem: PagingProblem) => void;

/** Says what is wrong with the lists of a command; its exit status tells that rows are missing. */
export function readingProblems(ctx: Pick<RunContext, 'notice' | 'warn'>) {
  let incomplete = false;
  return {
    report(problem: PagingProblem): void {
      incomplete ||= problem.incomplete;
      if (problem.named) return;
      if (problem.incomplete) ctx.warn(problem.text);
      else ctx.notice(problem.text);
    },
    get code() {
      return incomplete ? ('partly_done' as const) : undefined;
    },
  };
}

/** The fields that identify the rows of every list. */
interface Identified {
  readonly id?: unknown;
  readonly canonical_product_id?: Numeric | null | undefined;
  readonly parser_name?: string | null | undefined;
  readonly source_id?: Numeric | null | undefined;
  readonly observed_at?: string | null | undefined;
}

/**
 * Reads pages until one is short or empty: `total` changes while a list is read. Rows that are
 * written meanwhile move others to the next page. A row that was on an earlier page is omitted and
 * reported, because another may then be missing. Two equal snapshots on one page are two rows.
 */
export async function* readPages<Item extends Identified>(
  ask: (query: PageQuery) => Promise<Page<Item>>,
  { limit = Number.POSITIVE_INFINITY, offset }: Stretch,
  report: Report,
): AsyncGenerator<Page<Item>, void, void> {
  const keys = new Set<string>();
  const totals = new Set<number | undefined>();
  let [read, repeated] = [0, 0];
  while (read < limit) {
    const asked = Math.min(LARGEST_PAGE, limit - read);
    const page = await ask({ limit: asked, offset: offset + read });
    const rows = page.items.slice(0, limit - read);
    totals.add(page.total);
    const items = rows.filter((row) => !keys.has(rowKey(row)));
    if (rows.length > 0 && items.length === 0) {
      // It gave all that it has at once.
      if (page.total === undefined && rows.length < asked) return;
      return report(describeRepeatedPage({ limit, offset }, read, page.total));
    }
    for (const row of rows) keys.add(rowKey(row));
    read += Math.min(countRows(page), limit - read);
    reportOmitted(page, report);
    repeated += rows.length - items.length;
    yield { ...page, items };
    if (isLast(page, asked)) break;
  }
  const due = Math.min(limit, ([...totals].at(-1) ?? 0) - offset);
  const problem = describeEnd({ read, due, repeated, totals: [...totals] });
  if (problem !== undefined) report(problem);
}

/** With those that cannot be read. */
function countRows({ items, omitted = 0 }: Page<unknown>): number {
  return items.length + omitted;
}

function reportOmitted({ omitted = 0 }: Page<unknown>, report: Report): void {
  if (omitted === 0) return;
  report({ text: `${omitted} ${omitted === 1 ? 'row' : 'rows'} cannot be read`, incomplete: true, named: true });
}

/** A page may be short. Without a total, only an empty or a repeated page is the end. */
function isLast(page: Page<unknown>, asked: number): boolean {
  const came = countRows(page);
  if (page.total === undefined && came > asked) return true;
  if (page.total === undefined && page.size === undefined) return came === 0;
  return came < Math.min(asked, page.size ?? asked);
}

function describeRepeatedPage(
  { limit, offset }: { readonly limit: number; readonly offset: number },
  read: number,
  total = Number.POSITIVE_INFINITY,
): PagingProblem {
  const text = `stopped at offset ${offset + read}: the service returned the same page twice, so it does not seem to support paging`;
  return { text, incomplete: read < Math.min(limit, total - offset) };
}

function rowKey({ id, canonical_product_id, parser_name, source_id, observed_at }: Identified): string {
  if (id !== undefined && id !== null) return String(id);
  if (source_id === undefined && canonical_product_id) return String(canonical_product_id);
  return JSON.stringify([canonical_product_id, parser_name, source_id, observed_at]);
}

interface ReadList {
  readonly read: number;
  /** The number of results that the latest total promises. */
  readonly due: number;
  readonly repeated: number;
  /** Every total that a page named. */
  readonly totals: readonly (number | undefined)[];
}

function describeEnd({ read, due, repeated, totals }: ReadList): PagingProblem | undefined {
  const changed = 'the catalog changed while it was read';
  if (repeated > 0) return { text: `${changed}: ${repeated} came twice, and others may be missing`, incomplete: true };
  // A list without a row may begin behind the last one.
  if (read > 0 && read < due) {
    const why = totals.length > 1 ? changed : 'a short page ended the list';
    return { text: `${why}: ${read} of ${due} results`, incomplete: true };
  }
  if (totals.length < 2) return undefined;
  return { text: `${changed}: its total was first ${totals[0]}, then ${totals.at(-1)}`, incomplete: false };
}

export async function everyItem<Item extends Identified>(
  ask: (query: PageQuery) => Promise<Page<Item>>,
  report: Report,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const { items } of readPages(ask, { limit: undefined, offset: 0 }, report)) all.push(...items);
  return all;
}

interface ListInput {
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  readonly all: boolean;
}

interface Listed<Item> {
  readonly value: AsyncIterable<Item> | readonly Item[];
  readonly footer: () => string | undefined;
  readonly code: () => ErrorCode | undefined;
}

/** `none` explains an empty list. The service cannot sort, so `--sort` reads everything. */
export async function listed<Item extends Identified>(
  ask: (query: PageQuery) => Promise<Page<Item>>,
  query: PageQuery,
  { limit, offset, all }: ListInput,
  ctx: Pick<RunContext, 'notice' | 'warn' | 'wants'>,
  none?: string,
): Promise<Listed<Item>> {
  if (all && limit !== undefined) throw new SvcError('usage', '--all and --limit cannot be combined');
  const { sorted } = ctx.wants;
  if (sorted && offset !== undefined) {
    throw new SvcError('usage', '--sort and --offset cannot be combined: --offset counts in the order of the service', {
      hint: 'pass --limit with --sort',
    });
  }
  let shown = 0;
  let total: number | undefined;
  const problems = readingProblems(ctx);
  const footer = (): string | undefined => {
    if (shown === 0) return total && offset !== undefined ? `there are ${total}, before --offset ${offset}` : none;
    const end = (offset ?? 0) + shown;
    return total === undefined || total <= end || all ? undefined : `${shown} of ${total}: --limit, --offset, --all`;
  };
  const code = () => problems.code;
  if (!all && !sorted && (limit ?? 0) <= LARGEST_PAGE) {
    const page = await ask({ ...query, limit, offset });
    const value = page.items.slice(0, limit);
    shown = value.length;
    total = page.total;
    return { value, footer, code };
  }
  const stretch = { limit: sorted ? undefined : limit, offset: offset ?? 0 };
  async function* items(): AsyncGenerator<Item, void, void> {
    for await (const page of readPages((one) => ask({ ...query, ...one }), stretch, problems.report)) {
      total = page.total;
      shown += page.items.length;
      yield* page.items;
    }
  }
  return { value: items(), footer, code };
}

/** Categories and settlements have whole numbers for ids (as seen on the public implementation). */
export function checkNumericId(id: string): void {
  if (/^\d+$/.test(id)) return;
  throw new SvcError('invalid_value', `${JSON.stringify(id)} is not an id: ids are whole numbers`, {
    hint: 'list the items to see their ids',
  });
}

/** The reason why a search may find nothing that is there. */
export function searchHint(text: string | undefined): string | undefined {
  if (text === undefined || text === text.toLowerCase().replace(/[^\x00-\x7f]/g, '')) return undefined;
  const inner = [...(text.trim().split(/\s+/)[0] ?? '')].slice(1).join('').toLowerCase();
  const such = inner.length < 2 ? '' : `, such as ${inner}`;
  return `some instances ignore case only from a to z: search for a part in lower case${such}`;
}
