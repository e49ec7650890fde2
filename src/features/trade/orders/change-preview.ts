/** Commands that change or close something, and their `--preview`: what would be sent, and what it would do. Sends nothing. */
import { type Answer, type Command, listCommand, type RunContext, type Spec } from '../../../cli/command.ts';
import type { Arguments, Flags, Input } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import type { ListOutput } from '../../../output/types.ts';
import { sideOf } from '../order-text.ts';
import type { Offer, OpenPosition } from '../schema.ts';
import { CHANGE_LIST, type ChangeRow, rowOf, subject } from './change-report.ts';
import type { Exit } from './forms.ts';
import type { PlannedRequest, Shown } from './placing.ts';
import { type Change, type ChangeInput, carryOut } from './planned-requests.ts';
import { type ExitPreview, exitPreview, exitText } from './preview.ts';
import { type TableCache, withTableCache } from './table-cache.ts';

/** One row per request. Null if it is not known. */
export interface ChangePreview extends Partial<Shown> {
  readonly command: string;
  readonly request: string;
  readonly account_id: string | null;
  readonly trade_id: string | null;
  readonly order_id: string | null;
  /** A sentence. */
  readonly does: string;
  readonly warnings: readonly string[];
}

export const PREVIEW_LIST: ListOutput<ChangePreview> = {
  kind: 'list',
  columns: [
    { name: 'command', cell: ({ command }) => command },
    { name: 'of', cell: subject },
    { name: 'before', cell: ({ before }) => partsText(before), flex: true },
    { name: 'after', cell: ({ after }) => partsText(after), flex: true },
    { name: 'warnings', cell: ({ warnings }) => warnings.join('; '), flex: true, optional: true },
    { name: 'does', cell: ({ does }) => does, wide: true },
  ],
  id: ({ trade_id, order_id }) => trade_id ?? order_id ?? undefined,
};

/** `amount 10, grossPL -9.50, stop none`. */
function partsText(parts: Shown['before'] | undefined): string | undefined {
  if (parts === undefined) return undefined;
  return Object.entries(parts)
    .map(([name, value]) => `${name} ${valueText(value)}`)
    .join(', ');
}

function valueText(value: Shown['before'][string]): string {
  if (value === null) return 'unknown';
  return typeof value === 'object' ? exitText(value) : String(value);
}

export function changeOrPreview({ preview }: { readonly preview: boolean }) {
  return preview ? PREVIEW_LIST : CHANGE_LIST;
}

export function previewChange(change: Change, input: ChangeInput, ctx: RunContext): Promise<Answer<never>> {
  return withTableCache(ctx, input, async (cache): Promise<Answer<never>> => {
    const planned = await change.plan(cache);
    if (planned.length === 0) return { value: [], footer: change.nothing, as: PREVIEW_LIST };
    const value: ChangePreview[] = [];
    for (const one of planned) value.push(await previewOf(one, cache));
    return { value, as: PREVIEW_LIST };
  });
}

async function previewOf(planned: PlannedRequest, cache: TableCache): Promise<ChangePreview> {
  const { request, does, warnings = [], shows } = planned;
  const { accountId: account_id = null, tradeId: trade_id = null, orderId: order_id = null } = planned;
  const about = { command: request.command, request: request.endpoint.path, account_id, trade_id, order_id };
  return { ...about, does, ...(await shows?.(cache)), warnings };
}

/** Undefined if the symbol is hidden or a rate limit prevents the reading. */
export async function offerOf(symbol: string | undefined, cache: TableCache): Promise<Offer | undefined> {
  try {
    return symbol === undefined ? undefined : await cache.offer(symbol);
  } catch (error) {
    if (error instanceof SvcError && (error.code === 'not_found' || error.code === 'limited')) return undefined;
    throw error;
  }
}

interface ChangedExit {
  readonly name: 'stop' | 'limit';
  /** As the tables have it: 0 is none. */
  readonly was: number | undefined;
  readonly exit: Exit;
}

interface ExitTerms extends Pick<Shown, 'open' | 'rate'> {
  readonly from: number | null;
  readonly amount: number | undefined;
}

/** The stop or limit of an order or a position before and after a change. Distances count from `from`. */
export async function exitsShown(
  { currency, isBuy }: Pick<OpenPosition, 'currency' | 'isBuy'>,
  { from, amount, ...prices }: ExitTerms,
  changes: readonly ChangedExit[],
  cache: TableCache,
): Promise<Shown> {
  const offer = await offerOf(currency, cache);
  const shownExit = ({ name, exit }: ChangedExit): ExitPreview | string => {
    if (exit === 'none') return exit;
    const sign = (name === 'stop') === (isBuy === false) ? 1 : -1;
    if (offer !== undefined && amount !== undefined) return exitPreview(exit, from, sign, amount, offer);
    const { unit, value } = exit;
    return { rate: unit === 'price' ? value : null, pips: unit === 'pips' ? value : null, money: null };
  };
  const exitBefore = ({ was }: ChangedExit): ExitPreview | string | null => {
    if (was === undefined) return null;
    return was === 0 ? 'none' : { rate: was, pips: null, money: null };
  };
  return {
    symbol: currency ?? null,
    side: sideOf(isBuy) ?? null,
    ...prices,
    before: Object.fromEntries(changes.map((change) => [change.name, exitBefore(change)])),
    after: Object.fromEntries(changes.map((change) => [change.name, shownExit(change)])),
  };
}

type None = Record<never, never>;

/** Its rows are one for each request, unless it has a `run` of its own. */
export function changeCommand<const A extends Arguments = None, const F extends Flags = None>({
  change,
  output = CHANGE_LIST,
  run,
  ...spec
}: Omit<Spec<A, F>, 'effect' | 'service'> & {
  readonly args?: A;
  readonly flags?: F;
  readonly change: (input: Input<A, F>, ctx: RunContext) => Change;
  // biome-ignore lint/suspicious/noExplicitAny: `run` decides what the rows are
  readonly output?: ListOutput<any>;
  readonly run?: (input: Input<A, F>, ctx: RunContext) => Promise<Answer<readonly ChangeRow[]>>;
}): Command {
  const usual = async (input: ChangeInput & { readonly preview?: boolean }, ctx: RunContext) => {
    const planned = change(input as Input<A, F>, ctx);
    return input.preview && !ctx.dryRun ? previewChange(planned, input, ctx) : carryOut(planned, input, ctx, rowOf);
  };
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const command: any = { ...spec, effect: 'money', service: 'trade', output, run: run ?? usual };
  return listCommand(command);
}
