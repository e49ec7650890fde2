import { listCommand, type RunContext } from '../../../cli/command.ts';
import type { Arguments, Flags, Input } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { changeTradeStopLimit } from '../client.ts';
import { sideText } from '../order-text.ts';
import {
  type Change,
  confirmChanges,
  listChanges,
  planChanges,
  reportChanges,
  sendChanges,
} from '../orders/changes.ts';
import { checkConfirmable } from '../orders/confirming.ts';
import { CHANGE_FLAGS, EXIT_FLAGS, SENT_ONCE } from '../orders/flags.ts';
import { type Exit, tradeExitForm } from '../orders/forms.ts';
import { checkAccount, notOpen, type OrderTables, withOrderTables } from '../orders/order-tables.ts';
import { trailText } from '../orders/preview.ts';
import { checkExitPrices, checkOrderId, checkPrecision, parseDistance, parseTrail } from '../orders/rules.ts';
import type { OpenPosition } from '../schema.ts';

const POSITION_UPDATE_ARGS = {
  trade: { help: 'Trade id', required: true, complete: 'trades' },
} as const satisfies Arguments;

const POSITION_UPDATE_FLAGS = {
  stop: { ...EXIT_FLAGS.stop, value: 'pips|price|none', help: 'Stop loss: distance (40pips), price, or none' },
  limit: { ...EXIT_FLAGS.limit, value: 'pips|price|none', help: 'Take profit: distance (80pips), price, or none' },
  trail: EXIT_FLAGS.trail,
  ...CHANGE_FLAGS,
} as const satisfies Flags;

type PositionUpdateInput = Input<typeof POSITION_UPDATE_ARGS, typeof POSITION_UPDATE_FLAGS>;

export const tradePositionsUpdate = listCommand({
  id: 'trade positions update',
  summary: 'Set the stop and limit of an open trade',
  description: `Distances count from the open rate. Setting a stop without --trail turns trailing off. The stop and the limit take one request each; if only one succeeds, svc exits 10. ${SENT_ONCE}`,
  effect: 'money',
  service: 'trade',
  args: POSITION_UPDATE_ARGS,
  flags: POSITION_UPDATE_FLAGS,
  exits: ['partly_done'],
  examples: [
    { run: 'svc trade positions update 170162801 --stop 40pips', why: 'Set a stop at 40 pips' },
    { run: 'svc trade positions update 170162801 --limit none', why: 'Remove the limit' },
  ],
  output: listChanges(),
  async run(input, ctx) {
    const exits = readExits(input);
    await checkConfirmable(`change trade ${input.trade}?`, input.account, ctx);
    return withOrderTables(ctx, false, async (tables) => {
      const changes = await planExits(input, exits, tables, ctx);
      if (ctx.dryRun) return { value: await planChanges(changes, ctx) };
      const confirmed = await confirmChanges(changes, ctx);
      return reportChanges(await sendChanges(changes, { confirmed, tables, goesOn: false }, ctx));
    });
  },
});

type TradeExits = ReturnType<typeof readExits>;

function readExits(input: PositionUpdateInput) {
  checkOrderId(input.trade, 'a trade id');
  const [stop, limit] = [parseExit(input.stop, '--stop'), parseExit(input.limit, '--limit')];
  const trail = input.trail === undefined ? undefined : parseTrail(input.trail);
  if (stop === undefined && limit === undefined && trail === undefined) {
    throw new SvcError('usage', 'nothing to change: pass --stop or --limit');
  }
  if (trail !== undefined && (stop === undefined || stop === 'none')) {
    throw new SvcError('missing_value', '--trail needs a stop: pass --stop <pips|price>');
  }
  return { stop, limit, trail };
}

function parseExit(text: string | undefined, flag: '--stop' | '--limit'): Exit | undefined {
  if (text === undefined || text === 'none') return text;
  return parseDistance(text, flag);
}

/** One request for each of the two. */
async function planExits(
  { trade: id, account: given }: PositionUpdateInput,
  exits: TradeExits,
  tables: OrderTables,
  ctx: RunContext,
): Promise<readonly Change[]> {
  const rows = await tables.rows('OpenPosition');
  const row = rows?.find(({ tradeId }) => tradeId === id);
  // A row that cannot be read may be of this trade.
  if (rows !== undefined && row === undefined && rows.omitted.length === 0) throw notOpen([id]);
  if (row !== undefined) checkExits(row, exits, ctx);
  const account = row?.accountId === undefined ? undefined : await tables.accountOrGiven(row.accountId);
  await checkAccount(`trade ${id}`, account, given, tables);
  const trade = row === undefined ? `trade ${id}` : tradeText(row);
  return (['stop', 'limit'] as const).flatMap((name): Change[] => {
    const exit = exits[name];
    if (exit === undefined) return [];
    // The request of the stop always carries the trailing step: 0 turns trailing off.
    const trail = name === 'stop' ? exits.trail : undefined;
    const endsTrailing = name === 'stop' && Number(row?.stopMove ?? 0) > 0;
    return [
      {
        endpoint: changeTradeStopLimit,
        form: tradeExitForm(id, name, exit, trail),
        command: 'positions update',
        what: `to set the ${name} of trade ${id}`,
        makesOrder: false,
        accountId: account?.accountId,
        does: `${describeExit(name, exit, trail, endsTrailing)} of ${trade}`,
        tradeId: id,
        orderId: null,
        along: [],
      },
    ];
  });
}

/** A gateway without a price has 0. */
function checkExits(row: OpenPosition, exits: TradeExits, ctx: RunContext): void {
  const [stop, limit] = [exits.stop, exits.limit].map((exit) => (exit === 'none' ? undefined : exit));
  checkPrecision({ stop, limit }, row);
  if (stop?.unit !== 'price' && limit?.unit !== 'price') return;
  if (row.close && row.isBuy !== undefined) {
    checkExitPrices({ side: row.isBuy ? 'buy' : 'sell', stop, limit }, row.close, 'guarded');
  } else {
    ctx.notice(`could not check the stop and limit of trade ${row.tradeId} against the current price`);
  }
}

function tradeText({ tradeId, isBuy, amountK, currency, open, close }: OpenPosition): string {
  return `trade ${tradeId} (${sideText(isBuy)} ${amountK ?? '?'}K ${currency ?? '?'}, opened at ${open ?? '?'}, now ${close ?? '?'})`;
}

function describeExit(name: string, exit: Exit, trail: number | undefined, endsTrailing: boolean): string {
  if (exit === 'none') return `Remove the ${name}`;
  const where = exit.unit === 'pips' ? `${exit.text} pips away` : `to ${exit.text}`;
  if (trail !== undefined) return `Set the ${name} ${where}, ${trailText(trail)}`;
  return `Set the ${name} ${where}${endsTrailing ? ', no longer trailing' : ''}`;
}
