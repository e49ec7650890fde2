/** The options that the catalog's lists share, and the rows and footer that come of them. */
import type { RunContext } from '../cli/command.ts';
import type { Flags } from '../cli/flags.ts';
import { SvcError } from '../errors.ts';
import type { Page, PageQuery } from '../services/catalog/client.ts';
import { LARGEST_PAGE, pages } from '../services/catalog/paging.ts';

/** What the interface document does not show, and was seen on the public implementation. */
export const UNDOCUMENTED =
  'Options marked (undocumented) were seen on the public implementation; another may ignore them.';

export const PARAM_FLAG = {
  type: 'pairs',
  repeat: true,
  value: 'name=value',
  help: 'Any other parameter, sent as it is',
} as const satisfies Flags[string];

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
}

/** `none` says what may be wrong where there is nothing. */
export async function listed<Item>(
  ask: (query: PageQuery) => Promise<Page<Item>>,
  query: PageQuery,
  { limit, offset, all, param }: ListInput,
  ctx: Pick<RunContext, 'notice' | 'progress' | 'wants'>,
  none?: string,
): Promise<Listed<Item>> {
  if (all && limit !== undefined) throw new SvcError('usage', '--all and --limit do not go together');
  const whole = withParams(query, param);
  let shown = 0;
  let total: number | undefined;
  const footer = (): string | undefined => {
    if (shown === 0)
      return total !== undefined && total > 0 && offset !== undefined
        ? `there are ${total}, before --offset ${offset}`
        : none;
    const end = (offset ?? 0) + shown;
    return total === undefined || total <= end || all ? undefined : `${shown} of ${total}: --limit, --offset, --all`;
  };
  if (!all && (limit ?? 0) <= LARGEST_PAGE) {
    const page = await ask({ ...whole, limit, offset });
    const value = page.items.slice(0, limit);
    shown = value.length;
    total = page.total;
    return { value, footer };
  }
  async function* items(): AsyncGenerator<Item, void, void> {
    let told = false;
    const repeated = (at: number): void => {
      told = true;
      ctx.notice(
        `warning: the page at offset ${at} begins as the one before it: stopped, for there seems to be no paging`,
      );
    };
    const bar = new PageBar(ctx, limit, offset ?? 0);
    for await (const page of pages((one) => ask({ ...whole, ...one }), { limit, offset: offset ?? 0 }, repeated)) {
      bar.read(page);
      total = page.total;
      shown += page.items.length;
      yield* page.items;
    }
    bar.clear();
    // A page that is short ends the list, for the total may be wrong: the one of the last page then says so, or the page was no end.
    const due = Math.min(limit ?? Number.POSITIVE_INFINITY, (total ?? 0) - (offset ?? 0));
    if (shown > 0 && shown < due && !told) ctx.notice(`warning: a short page ended the list: ${shown} came, of ${due}`);
  }
  return { value: items(), footer };
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

/** The reason why a search may find nothing that is there. */
export function searchHint(text: string | undefined): string | undefined {
  if (text === undefined || text === text.toLowerCase().replace(/[^\x00-\x7f]/g, '')) return undefined;
  const inner = [...(text.trim().split(/\s+/)[0] ?? '')].slice(1).join('').toLowerCase();
  const such = inner.length < 2 ? '' : `, such as ${inner}`;
  return `some instances cannot compare upper and lower case beyond a to z: search for a part in lower case${such}`;
}
