import { listCommand, type RunContext } from '../../../cli/command.ts';
import type { Arguments, Flags, Input } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { CHANGE_LIST } from '../change-report.ts';
import { changeTradeStopLimit } from '../client.ts';
import { CHANGE_FLAGS, checkAccount, missingIds, SENT_ONCE } from '../order-flags.ts';
import { type Exit, tradeExitForm } from '../order-forms.ts';
import { trailText } from '../order-preview.ts';
import { checkExitPrices, checkOrderId, parseDistance, parseTrail } from '../order-rules.ts';
import { sideText } from '../order-text.ts';
import type { PlannedRequest } from '../placing.ts';
import { type Change, carryOut } from '../planned-requests.ts';
import type { OpenPosition } from '../schema.ts';
import type { Seen, TableCache, TableSnapshot } from '../table-cache.ts';

export const POSITION_SET_ARGS = {
  trade: { help: 'Its trade id', required: true, complete: 'trades' },
} as const satisfies Arguments;

export const POSITION_SET_FLAGS = {
  stop: {
    type: 'string',
    value: 'pips|price|none',
    help: 'Where it is closed at a loss: 40pips, without a sign, a price, or none',
  },
  limit: {
    type: 'string',
    value: 'pips|price|none',
    help: 'Where it is closed with a profit: 80pips, a price, or none',
  },
  trail: { type: 'string', value: 'dynamic|n', help: 'The stop follows the price: dynamic, or in steps of 10 or more' },
  ...CHANGE_FLAGS,
} as const satisfies Flags;

type PositionSetInput = Input<typeof POSITION_SET_ARGS, typeof POSITION_SET_FLAGS>;

export const tradePositionSet = listCommand({
  id: 'trade position set',
  summary: 'Set the stop and the limit of an open trade',
  description: `Each takes a request; where the second one fails the first one stands, and the exit status is 10, or 8 where the outcome of it is not known. In pips they are counted from where the trade was opened and need no sign. A stop that is set without --trail follows the price no more. ${SENT_ONCE}`,
  effect: 'money',
  service: 'trade',
  args: POSITION_SET_ARGS,
  flags: POSITION_SET_FLAGS,
  exits: ['partly_done'],
  examples: [
    { run: 'svc trade position set 170162801 --stop 40pips', why: 'Closed at 40 pips of loss' },
    { run: 'svc trade position set 170162801 --limit none', why: 'Without a limit' },
  ],
  output: CHANGE_LIST,
  run: async (input, ctx) => carryOut(settingPosition(input, ctx), input, ctx),
});

interface Exits {
  readonly stop: Exit | undefined;
  readonly limit: Exit | undefined;
}

export function settingPosition(input: PositionSetInput, ctx: RunContext): Change {
  const { trade: id } = input;
  checkOrderId(id, 'a trade id');
  const exits: Exits = { stop: exitOf(input.stop, '--stop'), limit: exitOf(input.limit, '--limit') };
  const trail = input.trail === undefined ? undefined : parseTrail(input.trail);
  if (exits.stop === undefined && exits.limit === undefined && trail === undefined) {
    throw new SvcError('usage', 'nothing is to be set: pass --stop or --limit');
  }
  if (trail !== undefined && (exits.stop === undefined || exits.stop === 'none')) {
    throw new SvcError('missing_value', '--trail is of a stop: pass --stop <pips|price> as well');
  }
  const plan = async (cache: TableCache): Promise<readonly PlannedRequest[]> => {
    // The requests follow from the command line alone.
    const seen = ctx.dryRun ? undefined : await cache.positions((rows) => rows.some(({ tradeId }) => tradeId === id));
    const row = openTradeOf(id, seen);
    if (seen !== undefined && row !== undefined) check(row, seen, exits, ctx);
    const account = row?.accountId === undefined ? undefined : await cache.account(row.accountId);
    if (account !== undefined && input.account !== undefined) {
      checkAccount(`trade ${id}`, account, await cache.account(input.account));
    }
    const of = row === undefined ? `trade ${id}` : tradeText(row);
    // The request always says how the stop follows the price: 0 where it does not.
    const wasTrailing = Number(row?.stopMove ?? 0) > 0;
    return (['stop', 'limit'] as const).flatMap((side) => {
      const exit = exits[side];
      if (exit === undefined) return [];
      return {
        request: {
          endpoint: changeTradeStopLimit,
          form: tradeExitForm(id, side, exit, side === 'stop' ? trail : undefined),
          command: 'position set',
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
      };
    });
  };
  return { question: `change trade ${id}?`, plan, goesOn: () => false };
}

function exitOf(text: string | undefined, flag: '--stop' | '--limit'): Exit | undefined {
  return text === undefined ? undefined : text === 'none' ? 'none' : parseDistance(text, flag);
}

function openTradeOf(id: string, seen: Seen<OpenPosition>): OpenPosition | undefined {
  const row = seen?.rows.find(({ tradeId }) => tradeId === id);
  if (row !== undefined || seen === undefined) return row;
  throw missingIds('open trade', [id], 'it may be closed: svc trade positions, svc trade positions --closed');
}

/** A price of an earlier look says nothing of now. */
function check(row: OpenPosition, { isFresh }: TableSnapshot<OpenPosition>, exits: Exits, ctx: RunContext): void {
  const [stop, limit] = [exits.stop, exits.limit].map((exit) => (exit === 'none' ? undefined : exit));
  if (stop?.unit !== 'price' && limit?.unit !== 'price') return;
  if (isFresh && row.close !== undefined && row.isBuy !== undefined) {
    checkExitPrices({ side: row.isBuy ? 'buy' : 'sell', stop, limit }, row.close, 'guarded');
  } else {
    ctx.notice(
      `on which side of the price of now the stop and the limit of trade ${row.tradeId} are could not be checked`,
    );
  }
}

function tradeText({ tradeId, isBuy, amountK, currency, open, close }: OpenPosition): string {
  return `trade ${tradeId} (${sideText(isBuy)} ${amountK ?? '?'}K ${currency ?? '?'}, open at ${open ?? '?'}, ${close ?? '?'} now)`;
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
  if (exit === 'none') return `Take the ${side} away from ${of}`;
  const where = exit.unit === 'pips' ? `${exit.text} pips away` : `to ${exit.text}`;
  const follows = trail === undefined ? (wasTrailing ? ', no longer trailing' : '') : `, ${trailText(trail)}`;
  return `Set the ${side} ${where}${follows} of ${of}`;
}
