/** The options that the catalog's lists share, and the rows and footer that come of them. */
import { bulk } from '../../cli/bulk.ts';
import type { RunContext } from '../../cli/command.ts';
import type { Flags } from '../../cli/flags.ts';
import { type ErrorCode, SvcError } from '../../errors.ts';
import type { Catalog, Page, PageQuery } from './api.ts';
import { type Numeric, numberOf } from './numeric.ts';
import { type Identified, LARGEST_PAGE, pages, readingProblems } from './paging.ts';

/** What the interface document does not show, and was seen on the public implementation. */
export const UNDOCUMENTED =
  'Options marked (undocumented) were seen on the public implementation; another may ignore them.';

export const PARAM_FLAG = {
  type: 'pairs',
  repeat: true,
  value: 'name=value',
  help: 'Any other parameter, sent as it is',
} as const satisfies Flags[string];

/** Which products are counted. */
export const COUNT_FLAGS = {
  store: {
    type: 'string',
    value: 'name',
    repeat: true,
    complete: 'stores',
    help: 'Of this store, by its parser_name',
  },
  region: { type: 'string', value: 'name', repeat: true, help: 'In this region, normalized or as it is written' },
  param: PARAM_FLAG,
} as const satisfies Flags;

export const LIST_FLAGS = {
  limit: { type: 'integer', value: 'n', min: 1, help: 'At most so many, 100 a request (undocumented)' },
  offset: { type: 'integer', value: 'n', min: 0, help: 'Without the first so many (undocumented)' },
  all: { type: 'boolean', help: 'All of them, 100 a request (undocumented)' },
  param: PARAM_FLAG,
} as const satisfies Flags;

export const TIME_ORDERS = ['observed_at_desc', 'observed_at_asc'] as const;

export function orderFlag<const C extends readonly string[]>(choices: C) {
  return { type: 'choice', value: 'order', choices, help: 'In which order the service lists (undocumented)' } as const;
}

export interface ListInput {
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  readonly all: boolean;
  readonly param: Readonly<Record<string, string>>;
}

interface Listed<Item> {
  readonly value: AsyncIterable<Item> | readonly Item[];
  readonly footer: () => string | undefined;
  readonly code: () => ErrorCode | undefined;
}

/** `none` says what may be wrong where there is nothing. With `--sort` the whole list is read: the service sorts by nothing else. */
export async function listed<Item extends Identified>(
  ask: (query: PageQuery) => Promise<Page<Item>>,
  query: PageQuery,
  { limit, offset, all, param }: ListInput,
  ctx: Pick<RunContext, 'notice' | 'warn' | 'progress' | 'wants'>,
  none?: string,
): Promise<Listed<Item>> {
  if (all && limit !== undefined) throw new SvcError('usage', '--all and --limit do not go together');
  const { sorted } = ctx.wants;
  if (sorted && offset !== undefined) {
    throw new SvcError('usage', '--sort and --offset do not go together: --offset counts in the order of the service', {
      hint: 'pass --limit with --sort',
    });
  }
  const whole = withParams(query, param);
  let shown = 0;
  let total: number | undefined;
  const problems = readingProblems(ctx);
  const footer = (): string | undefined => {
    if (shown === 0)
      return total !== undefined && total > 0 && offset !== undefined
        ? `there are ${total}, before --offset ${offset}`
        : none;
    const end = (offset ?? 0) + shown;
    return total === undefined || total <= end || all ? undefined : `${shown} of ${total}: --limit, --offset, --all`;
  };
  const code = () => problems.code;
  if (!all && !sorted && (limit ?? 0) <= LARGEST_PAGE) {
    const page = await ask({ ...whole, limit, offset });
    const value = page.items.slice(0, limit);
    shown = value.length;
    total = page.total;
    return { value, footer, code };
  }
  const stretch = { limit: sorted ? undefined : limit, offset: offset ?? 0 };
  async function* items(): AsyncGenerator<Item, void, void> {
    const bar = new PageBar(ctx, stretch.limit, stretch.offset);
    for await (const page of pages((one) => ask({ ...whole, ...one }), stretch, problems.report)) {
      bar.read(page);
      total = page.total;
      shown += page.items.length;
      yield* page.items;
    }
    bar.clear();
  }
  return { value: items(), footer, code };
}

/** Lines that are printed as they come have no place for a bar on the same terminal. */
class PageBar {
  readonly #ctx: Pick<RunContext, 'progress' | 'wants'>;
  readonly #limit: number;
  readonly #offset: number;
  #bar: ReturnType<RunContext['progress']> | undefined;
  #left = 0;

  constructor(ctx: Pick<RunContext, 'progress' | 'wants'>, limit = Number.POSITIVE_INFINITY, offset: number) {
    this.#ctx = ctx;
    this.#limit = limit;
    this.#offset = offset;
  }

  read({ items, total }: Page<unknown>): void {
    if (this.#bar === undefined) {
      if (total === undefined || items.length === 0 || (this.#ctx.wants.terminal && !this.#ctx.wants.table)) return;
      this.#left = Math.ceil(Math.min(this.#limit, total - this.#offset) / items.length);
      this.#bar = this.#ctx.progress(this.#left);
    }
    // The total moves while it is read: a full bar stays full.
    if (this.#left-- > 0) this.#bar.step();
  }

  clear(): void {
    this.#bar?.clear();
  }
}

/** What an option sends is not sent a second time. */
export function withParams<Q extends PageQuery>(query: Q, param: Readonly<Record<string, string>>): Q {
  for (const name of Object.keys(param)) {
    if (name !== 'limit' && name !== 'offset' && query[name] === undefined) continue;
    throw new SvcError('usage', `--param ${name}: an option of its own sends it already`, {
      hint: 'see --help: give one of the two',
    });
  }
  return { ...query, ...param };
}

interface CountedNames {
  readonly store: readonly string[];
  readonly region: readonly string[];
}

/**
 * The service counts 0 for a name that it does not know, and says nothing. Each is asked for alone: one that nothing has is named,
 * and is not found where none of its option is left. `found` is how many products there were; one name of each needs no more.
 */
export async function checkCountedNames(
  catalog: Pick<Catalog, 'count'>,
  { store, region }: CountedNames,
  found: Numeric,
  ctx: Pick<RunContext, 'notice'>,
): Promise<void> {
  if (numberOf(found) !== 0 && store.length < 2 && region.length < 2) return;
  for (const [option, names] of [
    ['store', store],
    ['region', region],
  ] as const) {
    const { outcomes } = await bulk([...new Set(names)], 4, (name) => catalog.count({ [option]: [name] }));
    const unknown = outcomes.flatMap((one) => {
      if (one.error !== undefined) throw one.error;
      return numberOf(one.result.products_count) === 0 ? [one.item] : [];
    });
    const texts = unknown.map((name) => `no product has --${option} ${name}`);
    if (unknown.length > 0 && unknown.length === outcomes.length)
      throw new SvcError('not_found', texts.join('; '), NAMES);
    for (const text of texts) ctx.notice(text);
  }
}

const NAMES = { hint: 'svc catalog cursors lists stores, svc catalog settlements list regions' };

/** Categories and settlements have whole numbers for ids (as seen on the public implementation). */
export function checkNumericId(id: string): void {
  if (/^\d+$/.test(id)) return;
  throw new SvcError('invalid_value', `${JSON.stringify(id)} is not an id: it is a whole number`, {
    hint: 'list them to see their ids',
  });
}

/** Why a list may be empty where names are compared exactly, as seen on the public implementation. */
export function exactHint(options: Readonly<Record<string, string | undefined>>): string | undefined {
  const given = Object.entries(options).find(([, text]) => text !== undefined);
  if (given === undefined) return undefined;
  const example = given[0] === 'parser-name' ? 'magnit is not Magnit' : 'Moscow is not moscow';
  return `--${given[0]} must match exactly, upper and lower case too: ${example}`;
}

/** The reason why a search may find nothing that is there. */
export function searchHint(text: string | undefined): string | undefined {
  if (text === undefined || text === text.toLowerCase().replace(/[^\x00-\x7f]/g, '')) return undefined;
  const inner = [...(text.trim().split(/\s+/)[0] ?? '')].slice(1).join('').toLowerCase();
  const such = inner.length < 2 ? '' : `, such as ${inner}`;
  return `some instances cannot compare upper and lower case beyond a to z: search for a part in lower case${such}`;
}
