import { listCommand, type RunContext } from '../../../cli/command.ts';
import type { Arguments, Flags, Input } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { CHANGE_LIST } from '../change-report.ts';
import { deleteOrder } from '../client.ts';
import { wantedAccount } from '../order-account.ts';
import { CHANGE_FLAGS, checkAccount, checkedIds, SENT_ONCE } from '../order-flags.ts';
import { accountOf, groupOf, openOrders } from '../order-rows.ts';
import { checkOrderId } from '../order-rules.ts';
import { orderText } from '../order-text.ts';
import type { PlannedRequest } from '../placing.ts';
import { type Change, carryOut } from '../planned-requests.ts';
import type { Order } from '../schema.ts';
import { foldedSymbol } from '../symbols.ts';
import type { TableCache, TableSnapshot } from '../table-cache.ts';

export const CANCEL_ARGS = {
  order: { help: 'Order ids, as svc trade orders shows them', repeat: true, complete: 'orders' },
} as const satisfies Arguments;

export const CANCEL_FLAGS = {
  all: { type: 'boolean', help: 'All entry orders of the account, or with --symbol those of a symbol' },
  symbol: { type: 'string', value: 'symbol', complete: 'symbols', help: 'With --all: only those of this symbol' },
  ...CHANGE_FLAGS,
} as const satisfies Flags;

type CancelInput = Input<typeof CANCEL_ARGS, typeof CANCEL_FLAGS>;

export const tradeOrderCancel = listCommand({
  id: 'trade order cancel',
  summary: 'Cancel orders that wait',
  description: `One by one. An order of an OCO group takes the others of its group with it: they are named before you confirm, and no second request is sent for them. ${SENT_ONCE}`,
  effect: 'money',
  service: 'trade',
  args: CANCEL_ARGS,
  flags: CANCEL_FLAGS,
  exits: ['partly_done'],
  examples: [
    { run: 'svc trade order cancel 390285837', why: 'One, by its id' },
    { run: 'svc trade order cancel --all --symbol EUR/USD', why: 'All that wait for a symbol' },
  ],
  output: CHANGE_LIST,
  run: async (input, ctx) => carryOut(canceling(input, ctx), input, ctx),
});

export function canceling(input: CancelInput, ctx: RunContext): Change {
  const ids = checkedIds(input.order, checkOrderId);
  const { all, symbol } = input;
  if (all === ids.length > 0 || (symbol !== undefined && !all)) {
    throw new SvcError(
      'usage',
      'name the orders by their ids, or say --all, with --symbol <symbol> for those of one symbol',
      {
        hint: 'svc trade orders shows what waits',
      },
    );
  }
  const wanted = wantedAccount(input.account, ctx);
  const goesOn = (): boolean => true;
  if (all) {
    const what = symbol === undefined ? 'all orders' : `all orders of ${symbol}`;
    const nothing = 'no such order waits: nothing was sent';
    return { question: `cancel ${what}?`, plan: (cache) => planAll(symbol, wanted, cache), goesOn, nothing };
  }
  const named = input.account;
  return { question: `cancel ${ids.join(', ')}?`, plan: (cache) => planIds(ids, named, cache, ctx), goesOn };
}

async function planIds(
  ids: readonly string[],
  named: string | undefined,
  cache: TableCache,
  ctx: RunContext,
): Promise<readonly PlannedRequest[]> {
  // The requests follow from the ids alone.
  if (ctx.dryRun) return ids.map((id) => cancel({ orderId: id }, [], undefined));
  const seen = await openOrders(ids, cache);
  const account = named === undefined ? undefined : await cache.account(named);
  if (seen === undefined) {
    ctx.notice('whether they wait, and which other orders would end with them, could not be checked');
    return ids.map((id) => cancel({ orderId: id }, [], account?.accountId));
  }
  for (const row of seen.asked) checkAccount(`order ${row.orderId}`, await accountOf(row, cache), account);
  return cancelEach(seen.asked, seen);
}

async function planAll(
  symbol: string | undefined,
  wanted: string | undefined,
  cache: TableCache,
): Promise<readonly PlannedRequest[]> {
  const { accountId } = await cache.account(wanted);
  // What was seen earlier does not say what waits now, and still it names what can be canceled.
  const seen = await cache.orders((rows) => rows.length > 0);
  if (seen === undefined) {
    throw new SvcError('limited', 'which orders wait cannot be looked at now; nothing was sent', {
      hint: 'name them by their ids, which needs no look: svc trade order cancel <order id>',
    });
  }
  const isOf = ({ currency = '' }: Order): boolean =>
    symbol === undefined || foldedSymbol(currency) === foldedSymbol(symbol);
  // One that is hidden from the offers may have orders; what has none should be a symbol at least.
  if (symbol !== undefined && !seen.rows.some(isOf)) await cache.symbol(symbol);
  return cancelEach(
    seen.rows.filter((row) => row.isEntryOrder !== false && (row.accountId ?? accountId) === accountId && isOf(row)),
    seen,
  );
}

/** None for those that end with another one, unless that is only how it was earlier. */
function cancelEach(rows: readonly Order[], { rows: all, isFresh }: TableSnapshot<Order>): readonly PlannedRequest[] {
  const planned: PlannedRequest[] = [];
  const gone = new Set<string>();
  for (const row of rows) {
    if (gone.has(row.orderId)) continue;
    const along = isFresh ? groupOf(row, all) : [];
    for (const { orderId } of along) gone.add(orderId);
    planned.push(cancel(row, along, row.accountId));
  }
  return planned;
}

function cancel(
  row: Pick<Order, 'orderId'> & Partial<Order>,
  along: readonly Order[],
  accountId: string | undefined,
): PlannedRequest {
  const { orderId } = row;
  const others =
    along.length === 0 ? '' : `; with it ends, as they live and end together, ${along.map(orderText).join('; ')}`;
  return {
    request: {
      endpoint: deleteOrder,
      form: { order_id: orderId },
      command: 'order cancel',
      what: `to cancel order ${orderId}`,
      makesOrder: false,
    },
    accountId,
    does: `Cancel ${row.currency === undefined ? `order ${orderId}` : orderText(row)}${others}`,
    orderId,
    along: along.map((one) => one.orderId),
  };
}
