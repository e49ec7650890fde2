import type { RunContext } from '../../../cli/command.ts';
import type { Arguments, Flags, Input } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { changeTradeStopLimit } from '../client.ts';
import { sideText } from '../order-text.ts';
import { changeCommand, changeOrPreview, exitsShown } from '../orders/change-preview.ts';
import { CHANGE_FLAGS, EXIT_FLAGS, PREVIEW_FLAG, SENT_ONCE } from '../orders/flags.ts';
import { type Exit, tradeExitForm } from '../orders/forms.ts';
import type { PlannedRequest, Shown } from '../orders/placing.ts';
import type { Change } from '../orders/planned-requests.ts';
import { trailText } from '../orders/preview.ts';
import { checkExitPrices, checkOrderId, checkPrecision, parseDistance, parseTrail } from '../orders/rules.ts';
import { checkAccount, missingIds, type Seen, type TableCache, type TableSnapshot } from '../orders/table-cache.ts';
import type { OpenPosition } from '../schema.ts';

const POSITION_UPDATE_ARGS = {
  trade: { help: 'Trade id', required: true, complete: 'trades' },
} as const satisfies Arguments;

const POSITION_UPDATE_FLAGS = {
  stop: { ...EXIT_FLAGS.stop, value: 'pips|price|none', help: 'Stop loss: distance (40pips), price, or none' },
  limit: { ...EXIT_FLAGS.limit, value: 'pips|price|none', help: 'Take profit: distance (80pips), price, or none' },
  trail: EXIT_FLAGS.trail,
  ...PREVIEW_FLAG,
  ...CHANGE_FLAGS,
} as const satisfies Flags;

type PositionUpdateInput = Input<typeof POSITION_UPDATE_ARGS, typeof POSITION_UPDATE_FLAGS>;

export const tradePositionsUpdate = changeCommand({
  id: 'trade positions update',
  summary: 'Set the stop and limit of an open trade',
  description: `Distances count from the open rate. Setting a stop without --trail turns trailing off. The stop and the limit take one request each; if only one succeeds, svc exits 10. ${SENT_ONCE}`,
  args: POSITION_UPDATE_ARGS,
  flags: POSITION_UPDATE_FLAGS,
  exits: ['partly_done'],
  examples: [
    { run: 'svc trade positions update 170162801 --stop 40pips', why: 'Set a stop at 40 pips' },
    { run: 'svc trade positions update 170162801 --limit none', why: 'Remove the limit' },
  ],
  outputOf: changeOrPreview,
  change: updatingPosition,
});

interface Exits {
  readonly stop: Exit | undefined;
  readonly limit: Exit | undefined;
}

function updatingPosition(input: PositionUpdateInput, ctx: RunContext): Change {
  const { trade: id } = input;
  checkOrderId(id, 'a trade id');
  const exits: Exits = { stop: exitOf(input.stop, '--stop'), limit: exitOf(input.limit, '--limit') };
  const trail = input.trail === undefined ? undefined : parseTrail(input.trail);
  if (exits.stop === undefined && exits.limit === undefined && trail === undefined) {
    throw new SvcError('usage', 'nothing to change: pass --stop or --limit');
  }
  if (trail !== undefined && (exits.stop === undefined || exits.stop === 'none')) {
    throw new SvcError('missing_value', '--trail needs a stop: pass --stop <pips|price>');
  }
  const plan = async (cache: TableCache): Promise<readonly PlannedRequest[]> => {
    // The requests follow from the command line alone.
    const seen = ctx.dryRun ? undefined : await cache.positions((rows) => rows.some(({ tradeId }) => tradeId === id));
    const row = openTradeOf(id, seen);
    if (seen !== undefined && row !== undefined) check(row, seen, exits, ctx);
    const account = row?.accountId === undefined ? undefined : await cache.account(row.accountId);
    await checkAccount(`trade ${id}`, account, input.account, cache);
    const of = row === undefined ? `trade ${id}` : tradeText(row);
    // The request always carries the trailing step: 0 turns trailing off.
    const wasTrailing = Number(row?.stopMove ?? 0) > 0;
    return (['stop', 'limit'] as const).flatMap((side) => {
      const exit = exits[side];
      if (exit === undefined) return [];
      return {
        request: {
          endpoint: changeTradeStopLimit,
          form: tradeExitForm(id, side, exit, side === 'stop' ? trail : undefined),
          command: 'positions update',
          what: `to set the ${side} of trade ${id}`,
          makesOrder: false,
        },
        accountId: account?.accountId,
        does: doesText(
          side,
          exit,
          side === 'stop' ? { trail, wasTrailing, of } : { trail: undefined, wasTrailing: false, of },
        ),
        tradeId: id,
        ...(row && { shows: (cache) => exitShown(row, side, exit, cache) }),
      };
    });
  };
  return { question: `change trade ${id}?`, plan, goesOn: false };
}

function exitOf(text: string | undefined, flag: '--stop' | '--limit'): Exit | undefined {
  if (text === undefined || text === 'none') return text;
  return parseDistance(text, flag);
}

function openTradeOf(id: string, seen: Seen<OpenPosition>): OpenPosition | undefined {
  const row = seen?.rows.find(({ tradeId }) => tradeId === id);
  if (row !== undefined || seen === undefined) return row;
  throw missingIds('open trade', [id], 'it may be closed: svc trade positions, svc trade positions --closed');
}

/** A cached price may be outdated, so only fresh rows are checked. */
function check(row: OpenPosition, { isFresh }: TableSnapshot<OpenPosition>, exits: Exits, ctx: RunContext): void {
  const [stop, limit] = [exits.stop, exits.limit].map((exit) => (exit === 'none' ? undefined : exit));
  checkPrecision({ stop, limit }, row);
  if (stop?.unit !== 'price' && limit?.unit !== 'price') return;
  if (isFresh && row.close && row.isBuy !== undefined) {
    checkExitPrices({ side: row.isBuy ? 'buy' : 'sell', stop, limit }, row.close, 'guarded');
  } else {
    ctx.notice(`could not check the stop and limit of trade ${row.tradeId} against the current price`);
  }
}

async function exitShown(row: OpenPosition, name: 'stop' | 'limit', exit: Exit, cache: TableCache): Promise<Shown> {
  const { open = null, close } = row;
  const about = { from: open, amount: await cache.amountOf(row), open, rate: close || null };
  return exitsShown(row, about, [{ name, was: row[name], exit }], cache);
}

function tradeText({ tradeId, isBuy, amountK, currency, open, close }: OpenPosition): string {
  return `trade ${tradeId} (${sideText(isBuy)} ${amountK ?? '?'}K ${currency ?? '?'}, opened at ${open ?? '?'}, now ${close ?? '?'})`;
}

function doesText(
  side: 'stop' | 'limit',
  exit: Exit,
  {
    trail,
    wasTrailing,
    of,
  }: { readonly trail: number | undefined; readonly wasTrailing: boolean; readonly of: string },
): string {
  if (exit === 'none') return `Remove the ${side} of ${of}`;
  const where = exit.unit === 'pips' ? `${exit.text} pips away` : `to ${exit.text}`;
  const stops = wasTrailing ? ', no longer trailing' : '';
  return `Set the ${side} ${where}${trail === undefined ? stops : `, ${trailText(trail)}`} of ${of}`;
}
