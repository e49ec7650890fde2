import { type Answer, listCommand, type RunContext } from '../../../cli/command.ts';
import { type ErrorCode, SvcError } from '../../../errors.ts';
import { SENT_ONCE } from '../change-flags.ts';
import type { CloseRow } from '../change-row.ts';
import { closeList } from '../changes.ts';
import { CLOSE_FLAGS, type CloseInput, closing } from '../close-positions.ts';
import type { FillReport, FillWatch } from '../fills.ts';
import { carryOutWith, codeOf, hintsOf, type Outcome, rowsOf, sendAll, throwOnly } from '../planned-requests.ts';
import type { TradingSession } from '../trading-session.ts';

export const tradeClose = listCommand({
  id: 'trade close',
  summary: 'Close trades, all of a symbol, or everything',
  description: `Trades of an account that hedges are closed one by one. In any other account a trade is closed by an order of the other side, which takes what is open longest first: that is explained and asked, and needs --via-opposite where nobody is asked. For --everything the account's id has to be typed; with --yes it has to be on the command line, as --account.\nWith --wait all is sent first, and then waited for: status, and in closedTrades what was closed at which rate; exit status 10 where that is a part, 3 where it ended without any, 9 where the time was over. ${SENT_ONCE}`,
  effect: 'money',
  service: 'trade',
  args: { trade: { help: 'Trade ids, as svc trade positions shows them', repeat: true, complete: 'trades' } },
  flags: CLOSE_FLAGS,
  exits: ['still_pending', 'partly_done'],
  examples: [
    { run: 'svc trade close 170162801', why: 'One trade, at the price of now' },
    { run: 'svc trade close 170162801 --amount 5', why: 'A part of it' },
    { run: 'svc trade close --symbol EUR/USD --wait 30s', why: 'All of a symbol, and at which rates it was closed' },
    { run: 'svc trade close --everything --account 654061', why: 'Everything that an account has open' },
  ],
  output: closeList({}),
  outputOf: closeList,
  run: async (input, ctx) => closeTrades(input, closeList(input), ctx),
});

type CloseAnswer = Answer<readonly CloseRow[]>;

function closeTrades(input: CloseInput, as: NonNullable<CloseAnswer['as']>, ctx: RunContext): Promise<CloseAnswer> {
  const { wait } = input;
  const options = { ...input, reconnect: wait !== undefined };
  const change = closing(input, ctx);
  return carryOutWith(change, options, ctx, async (planned, cache, confirmed) => {
    let watch: FillWatch | undefined;
    const ready = async ({ session, unlimited }: TradingSession): Promise<FillWatch> => {
      const { watchFills } = await import('../fills.ts');
      watch ??= watchFills(ctx);
      await watch.follow(session, unlimited);
      return watch;
    };
    const sending = { confirmed, cache, options, ...(wait === undefined ? {} : { ready }) };
    const outcomes = await sendAll(planned, change, sending, ctx);
    throwOnly(outcomes);
    const reports = watch === undefined || wait === undefined ? new Map() : await reportsOf(outcomes, watch, wait, ctx);
    return { ...(await closeAnswer(outcomes, reports)), as };
  });
}

/** All are sent before the first is waited for. */
async function reportsOf(
  outcomes: readonly Outcome[],
  watch: FillWatch,
  wait: number,
  ctx: RunContext,
): Promise<ReadonlyMap<Outcome, FillReport>> {
  if (outcomes.every(({ placed }) => placed === undefined)) return new Map();
  const ids = outcomes.flatMap(({ placed }) => placed?.orderIds ?? []);
  const orders = ids.length === 0 ? 'it' : `order${ids.length > 1 ? 's' : ''} ${ids.join(', ')}`;
  ctx.notice(`${orders} ${ids.length > 1 ? 'are' : 'is'} accepted; waiting for what is closed`);
  try {
    const reports = outcomes.map(async (outcome): Promise<readonly (readonly [Outcome, FillReport])[]> => {
      const { planned, placed } = outcome;
      const awaited = placed === undefined ? undefined : planned.awaits?.(placed);
      return awaited === undefined ? [] : [[outcome, await watch.wait(awaited, wait)]];
    });
    return new Map((await Promise.all(reports)).flat());
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw new SvcError(
      error.code,
      `${error.message}: ${orders} ${ids.length > 1 ? 'were' : 'was'} accepted, and may be done by now or be live`,
      {
        hint: 'svc trade positions, svc trade orders',
        more: { order_id: ids.length === 0 ? undefined : ids.join(' ') },
        cause: error,
      },
    );
  }
}

async function closeAnswer(
  outcomes: readonly Outcome[],
  reports: ReadonlyMap<Outcome, FillReport>,
): Promise<CloseAnswer> {
  const { FILL_CODES, fillFooter } = await import('../orders.ts');
  const ends = new Map<Outcome, ErrorCode | undefined>();
  const footers: string[] = [];
  for (const [outcome, report] of reports) {
    ends.set(outcome, FILL_CODES[report.status]);
    const { orderIds, planned } = outcome;
    const which = orderIds.length === 0 ? `the request ${planned.request.what}` : `order ${orderIds.join(', ')}`;
    const footer = fillFooter(which, orderIds.length === 1 ? orderIds[0] : undefined, report);
    if (footer !== undefined) footers.push(footer);
  }
  const value = rowsOf(outcomes).map((row, index): CloseRow => {
    const outcome = outcomes[index];
    const report = outcome === undefined ? undefined : reports.get(outcome);
    const { status = null, trades = [], closedTrades = [] } = report ?? {};
    return { ...row, status, trades, closedTrades };
  });
  const told = [hintsOf(outcomes), ...footers].filter((text) => text !== undefined);
  return { value, code: codeOf(outcomes, ends), footer: told.length === 0 ? undefined : told.join('\n') };
}
