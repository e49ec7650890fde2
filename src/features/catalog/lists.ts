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

export const PRODUCT_ARGUMENT = { help: 'Product (its id)', required: true, complete: 'products' } as const;

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
}

export type Report = (problem: PagingProblem) => void;

/** Says what is wrong with the lists of a command; its exit status tells that rows are missing. */
export function readingProblems(ctx: Pick<RunContext, 'notice' | 'warn'>) {
  let isIncomplete = false;
  return {
    report({ text, incomplete }: PagingProblem): void {
      isIncomplete ||= incomplete;
      if (incomplete) ctx.warn(text);
      else ctx.notice(text);
    },
    get code() {
      return isIncomplete ? ('partly_done' as const) : undefined;
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
 * Reads pages until one is short, or brings nothing new: a service may ignore the offset. Rows that
 * are written meanwhile move others to the next page; a row that was on an earlier page is omitted.
 */
export async function* readPages<Item extends Identified>(
  ask: (query: PageQuery) => Promise<Page<Item>>,
  { limit = Number.POSITIVE_INFINITY, offset }: Stretch,
  report: Report,
): AsyncGenerator<Page<Item>, void, void> {
  const keys = new Set<string>();
  let first: number | undefined;
  let last: number | undefined;
  let read = 0;
  let repeated = 0;
  let isStuck = false;
  while (read < limit) {
    const asked = Math.min(LARGEST_PAGE, limit - read);
    const page = await ask({ limit: asked, offset: offset + read });
    const { omitted = 0, total } = page;
    const rows = page.items.slice(0, limit - read);
    const items = rows.filter((row) => !keys.has(rowKey(row)));
    first ??= total;
    last = total ?? last;
    reportOmitted(page, report);
    if (items.length === 0) {
      isStuck = rows.length >= asked;
      break;
    }
    for (const row of rows) keys.add(rowKey(row));
    read += rows.length + omitted;
    repeated += rows.length - items.length;
    yield { ...page, items };
    if (isLast(page, asked)) break;
  }
  const due = last === undefined ? undefined : Math.min(limit, last - offset);
  const isShort = due === undefined ? isStuck : read > 0 && read < due;
  if (repeated > 0 || isShort) report({ text: describeLoss(read, due, repeated), incomplete: true });
  else if (first !== last) {
    report({ text: `the catalog changed while it was read: its total was ${first}, then ${last}`, incomplete: false });
  }
}

function describeLoss(read: number, due: number | undefined, repeated: number): string {
  const twice = repeated === 0 ? '' : `, ${repeated} of them twice`;
  return `the list may be incomplete: ${read} of ${due ?? 'more'} results${twice}`;
}

function reportOmitted({ items, omitted = 0 }: Page<unknown>, report: Report): void {
  if (omitted === 0) return;
  report({ text: `${omitted} of ${items.length + omitted} rows cannot be read`, incomplete: true });
}

/** A page may be short. Without a total, only an empty or a repeated page is the end. */
function isLast({ items, omitted = 0, total, size }: Page<unknown>, asked: number): boolean {
  const came = items.length + omitted;
  if (total === undefined && came > asked) return true;
  if (total === undefined && size === undefined) return came === 0;
  return came < Math.min(asked, size ?? asked);
}

function rowKey({ id, canonical_product_id, parser_name, source_id, observed_at }: Identified): string {
  if (id !== undefined && id !== null) return String(id);
  if (source_id === undefined && canonical_product_id) return String(canonical_product_id);
  return JSON.stringify([canonical_product_id, parser_name, source_id, observed_at]);
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

/** The service cannot sort, so `--sort` reads everything. */
export async function listed<Item extends Identified>(
  ask: (query: PageQuery) => Promise<Page<Item>>,
  query: PageQuery,
  { limit, offset, all }: ListInput,
  ctx: Pick<RunContext, 'notice' | 'warn' | 'wants'>,
): Promise<Listed<Item>> {
  if (all && limit !== undefined) throw new SvcError('usage', '--all and --limit cannot be combined');
  const { sorted } = ctx.wants;
  if (sorted && offset !== undefined) {
    throw new SvcError('usage', '--sort and --offset cannot be combined: --offset counts in the order of the service', {
      hint: 'pass --limit with --sort',
    });
  }
  let end = offset ?? 0;
  let total: number | undefined;
  const problems = readingProblems(ctx);
  const footer = () =>
    total === undefined || total <= end || all
      ? undefined
      : `showing ${end - (offset ?? 0)} of ${total}; use --all for the rest`;
  const code = () => problems.code;
  if (!all && !sorted && (limit ?? 0) <= LARGEST_PAGE) {
    const page = await ask({ ...query, limit, offset });
    const value = page.items.slice(0, limit);
    end += value.length;
    total = page.total;
    return { value, footer, code };
  }
  const stretch = { limit: sorted ? undefined : limit, offset: offset ?? 0 };
  async function* items(): AsyncGenerator<Item, void, void> {
    for await (const page of readPages((one) => ask({ ...query, ...one }), stretch, problems.report)) {
      total = page.total;
      end += page.items.length;
      yield* page.items;
    }
  }
  return { value: items(), footer, code };
}
