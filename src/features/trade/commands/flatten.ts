import { FINAL } from '../../../cli/bulk.ts';
import type { Answer, RunContext } from '../../../cli/command.ts';
import type { Flags, Input } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import { orderText, positionText } from '../order-text.ts';
import { wantedAccount } from '../orders/account.ts';
import { planCancelAll } from '../orders/cancel-orders.ts';
import { changeCommand } from '../orders/change-command.ts';
import { type ChangeRow, codeOf, hintsOf, rowOf } from '../orders/change-report.ts';
import { planCloseAll } from '../orders/close-positions.ts';
import { CHANGE_FLAGS, SENT_ONCE } from '../orders/flags.ts';
import { type Change, carryOutEach, type Part } from '../orders/planned-requests.ts';
import { timeInForce } from '../orders/rules.ts';
import { type TableCache, withTableCache } from '../orders/table-cache.ts';
import { foldedSymbol } from '../symbols.ts';

const FLATTEN_FLAGS = {
  symbol: { type: 'string', value: 'symbol', complete: 'symbols', help: 'Only this symbol' },
  wait: {
    type: 'duration',
    positive: true,
    default: '10s',
    help: 'Read the tables for up to this long until nothing is left',
  },
  ...CHANGE_FLAGS,
} as const satisfies Flags;

type FlattenInput = Input<Record<never, never>, typeof FLATTEN_FLAGS>;

export const tradeFlatten = changeCommand({
  id: 'trade flatten',
  summary: 'Close all positions and cancel all pending orders',
  description: `First closes the positions of the account with one request, then cancels its pending orders one after the other, then reads both tables again and names what is left (exit 10). ${SENT_ONCE}`,
  details:
    'Positions are closed first: they are at risk now, and orders may never be filled. No rate limit of svc delays these requests. If the orders cannot be read, svc closes the positions all the same, and says so. With --yes, --account is required.',
  flags: FLATTEN_FLAGS,
  exits: ['partly_done'],
  examples: [
    { run: 'svc trade flatten --account 654061', why: 'Leave the market' },
    { run: 'svc trade flatten --account 654061 --symbol EUR/USD --yes', why: 'Only one symbol, from a script' },
  ],
  change: flattening,
  run: flatten,
});

function flattening({ symbol, account }: FlattenInput, ctx: RunContext): Change {
  if (ctx.yes && !ctx.dryRun && account === undefined) {
    throw new SvcError('confirmation_required', 'flatten with --yes needs --account; nothing was sent', {
      hint: 'pass --account <id|name>',
    });
  }
  const wanted = wantedAccount(account, ctx);
  const closes: Part = (cache) => planCloseAll(symbol, wanted, timeInForce('AtMarket', undefined), cache, ctx);
  const cancels: Part = (cache, before) =>
    planCancelAll(symbol, wanted, cache).catch((error: unknown) => {
      if (!(error instanceof SvcError) || FINAL.has(error.code) || before.length === 0) throw error;
      // The symbol may be hidden from the offers: then it has no orders either.
      if (error.code !== 'not_found') ctx.warn(`${error.message}: pending orders are not canceled`);
      return [];
    });
  return {
    question: `close and cancel ${symbol === undefined ? 'everything' : `all ${symbol}`}?`,
    goesOn: () => true,
    sweeps: true,
    nothing: 'no open positions and no pending orders; nothing was sent',
    protects: true,
    async plan(cache) {
      const first = await closes(cache, []);
      return [...first, ...(await cancels(cache, first))];
    },
    parts: [closes, cancels],
  };
}

async function flatten(input: FlattenInput, ctx: RunContext): Promise<Answer<readonly ChangeRow[]>> {
  const change = flattening(input, ctx);
  // No wait for fills: a subscription that the gateway refuses must not hold a close back.
  const outcomes = await carryOutEach(change, { ...input, wait: undefined }, ctx);
  if (outcomes instanceof Plan) return { value: outcomes };
  if (outcomes.length === 0) return { value: [], footer: change.nothing };
  const left = await whatIsLeft(input, ctx).catch((error: unknown) => {
    if (!(error instanceof SvcError) || FINAL.has(error.code)) throw error;
    return [`unknown: ${error.message}`];
  });
  for (const text of left) ctx.warn(`left: ${text}`);
  const code = codeOf(outcomes) ?? (left.length > 0 ? 'partly_done' : undefined);
  const footer = [hintsOf(outcomes), left.length === 0 ? 'no position is open, and no order is pending' : undefined];
  return { value: outcomes.map(rowOf), code, footer: footer.filter(Boolean).join('\n') };
}

/** Milliseconds between reads of the tables: the gateway allows 50 in an hour. */
const PAUSES = [500, 1500, 3000];

/** Read on a connection of its own: a fault of the first one must not hide anything. */
function whatIsLeft(input: FlattenInput, ctx: RunContext): Promise<readonly string[]> {
  return withTableCache(ctx, input, async (cache) => {
    const until = ctx.now() + input.wait;
    for (const pause of PAUSES) {
      const left = await readLeft(input, cache, ctx);
      if (left.length === 0 || ctx.now() + pause > until) return left;
      await ctx.sleep(pause);
      cache.invalidate();
    }
    return readLeft(input, cache, ctx);
  });
}

async function readLeft(input: FlattenInput, cache: TableCache, ctx: RunContext): Promise<readonly string[]> {
  const accountId = await cache.accountId(wantedAccount(input.account, ctx));
  const isMeant = (row: { readonly accountId?: string | undefined; readonly currency?: string | undefined }): boolean =>
    (row.accountId ?? accountId) === accountId &&
    (input.symbol === undefined || foldedSymbol(row.currency ?? '') === foldedSymbol(input.symbol));
  const positions = await cache.positions(() => false);
  const orders = await cache.orders(() => false);
  return [
    ...(positions?.isFresh
      ? positions.rows.filter(isMeant).map(positionText)
      : ['unknown, as positions cannot be read']),
    ...(orders?.isFresh
      ? orders.rows.filter((row) => row.isEntryOrder !== false && isMeant(row)).map(orderText)
      : ['unknown, as orders cannot be read']),
  ];
}
