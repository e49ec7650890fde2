/** `--preview` of commands that change or close something: what would be sent, and what it would do. Sends nothing. */
import { type Answer, type Command, listCommand, type RunContext, type Spec } from '../../../cli/command.ts';
import type { Arguments, Flags, Input } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import type { ListOutput } from '../../../output/types.ts';
import type { Account, Offer } from '../schema.ts';
import { CHANGE_LIST, type ChangeRow, rowOf, subject } from './change-report.ts';
import { costsOf, type OrderCosts } from './costs.ts';
import type { PlannedRequest, Shown } from './placing.ts';
import { type Change, type ChangeInput, carryOut } from './planned-requests.ts';
import { type ExitPreview, exitPreview, exitText } from './preview.ts';
import type { Distance } from './rules.ts';
import { type TableCache, withTableCache } from './table-cache.ts';

/** One row per request. Null if it is not known. */
export interface ChangePreview extends Partial<Shown> {
  readonly command: string;
  readonly request: string;
  readonly accountId: string | null;
  readonly tradeId: string | null;
  readonly orderId: string | null;
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
  id: ({ tradeId, orderId }) => tradeId ?? orderId ?? undefined,
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
  const { request, accountId = null, tradeId = null, orderId = null, does, warnings = [], shows } = planned;
  const about = { command: request.command, request: request.endpoint.path, accountId, tradeId, orderId };
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

/** Of an order with this amount. */
export function costsShown(
  terms: { readonly side: 'buy' | 'sell'; readonly amount: number },
  account: Account | undefined,
  offer: Offer | undefined,
): Partial<OrderCosts> {
  return account === undefined || offer === undefined ? {} : costsOf(terms, account, offer);
}

/** With its distance and money if the offer says them. `sign`: 1 for above the rate. */
export function shownExit(
  exit: Distance,
  { rate, sign, amount }: { readonly rate: number | null; readonly sign: number; readonly amount: number | undefined },
  offer: Offer | undefined,
): ExitPreview {
  if (offer !== undefined && amount !== undefined) return exitPreview(exit, rate, sign, amount, offer);
  const { unit, value } = exit;
  return { rate: unit === 'price' ? value : null, pips: unit === 'pips' ? value : null, money: null };
}

/** An exit as the tables have it: 0 is none. */
export function setExit(rate: number | undefined): ExitPreview | string | null {
  if (rate === undefined) return null;
  return rate === 0 ? 'none' : { rate, pips: null, money: null };
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
