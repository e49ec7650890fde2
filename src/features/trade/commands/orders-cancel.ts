import type { RunContext } from '../../../cli/command.ts';
import type { Arguments, Flags, Input } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { deleteOrder } from '../client.ts';
import { orderText } from '../order-text.ts';
import { changeCommand } from '../orders/change-preview.ts';
import { CHANGE_FLAGS, checkedIds, SENT_ONCE } from '../orders/flags.ts';
import type { PlannedRequest } from '../orders/placing.ts';
import type { Change } from '../orders/planned-requests.ts';
import { checkOrderId } from '../orders/rules.ts';
import {
  checkAccount,
  groupOf,
  openOrders,
  type TableCache,
  type TableSnapshot,
  wantedAccount,
} from '../orders/table-cache.ts';
import type { Order } from '../schema.ts';
import { foldedSymbol } from '../symbols.ts';

const ARGS = {
  order: { help: 'Order ids from svc trade orders', repeat: true, complete: 'orders', promptUnless: ['all', 'symbol'] },
} as const satisfies Arguments;

const FLAGS = {
  all: { type: 'boolean', help: 'Cancel all entry orders of the account' },
  symbol: { type: 'string', value: 'symbol', complete: 'symbols', help: 'With --all: only orders of this symbol' },
  ...CHANGE_FLAGS,
} as const satisfies Flags;

type CancelInput = Input<typeof ARGS, typeof FLAGS>;

export const tradeOrdersCancel = changeCommand({
  id: 'trade orders cancel',
  suggestFor: ['cancel'],
  summary: 'Cancel pending orders',
  description: `Canceling one order of an OCO group cancels all of its orders; svc names the others before you confirm. ${SENT_ONCE}`,
  args: ARGS,
  flags: FLAGS,
  exits: ['partly_done'],
  examples: [
    { run: 'svc trade orders cancel 390285837', why: 'Cancel one order' },
    { run: 'svc trade orders cancel --all --symbol EUR/USD', why: 'Cancel all orders of a symbol' },
  ],
  change: canceling,
});

function canceling(input: CancelInput, ctx: RunContext): Change {
  const ids = checkedIds(input.order, (id) =>
    checkOrderId(id, 'an order id', 'svc trade orders lists open orders; --all cancels all'),
  );
  const { all, symbol } = input;
  if (all === ids.length > 0 || (symbol !== undefined && !all)) {
    throw new SvcError('usage', 'pass order ids, or --all (with --symbol <symbol> for one symbol)', {
      hint: 'svc trade orders lists open orders',
    });
  }
  const wanted = wantedAccount(input.account, ctx);
  if (all) {
    const what = symbol === undefined ? 'all orders' : `all orders of ${symbol}`;
    const nothing = 'no pending orders to cancel; nothing was sent';
    const plan = (cache: TableCache) => planCancelAll(symbol, wanted, cache);
    return { question: `cancel ${what}?`, plan, goesOn: true, nothing };
  }
  const named = input.account;
  const plan = (cache: TableCache) => planIds(ids, named, cache, ctx);
  return { question: `cancel ${ids.join(', ')}?`, plan, goesOn: true };
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
    ctx.notice('could not check whether the orders are pending, nor which OCO orders end with them');
    return ids.map((id) => cancel({ orderId: id }, [], account?.accountId));
  }
  for (const row of seen.asked) {
    await checkAccount(`order ${row.orderId}`, await cache.account(row.accountId), named, cache);
  }
  return cancelEach(seen.asked, seen);
}

/** Of the account; throws if they cannot be read. */
async function planCancelAll(
  symbol: string | undefined,
  wanted: string | undefined,
  cache: TableCache,
): Promise<readonly PlannedRequest[]> {
  const { accountId } = await cache.account(wanted);
  // Cached rows may be outdated, but they still name what can be canceled.
  const seen = await cache.orders((rows) => rows.length > 0);
  if (seen === undefined) {
    throw new SvcError(cache.unreadCode, 'cannot read the pending orders now; nothing was sent', {
      hint: 'pass order ids, which needs no read: svc trade orders cancel <order-id>',
    });
  }
  const isOf = ({ currency = '' }: Order): boolean =>
    symbol === undefined || foldedSymbol(currency) === foldedSymbol(symbol);
  // A hidden symbol may have orders; one without orders must at least exist.
  if (symbol !== undefined && !seen.rows.some(isOf)) await cache.symbol(symbol);
  return cancelEach(
    seen.rows.filter((row) => row.isEntryOrder !== false && (row.accountId ?? accountId) === accountId && isOf(row)),
    seen,
  );
}

/** No request for orders that end with another one, if the rows are fresh. */
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
  const others = along.length === 0 ? '' : `; its OCO group ends with it: ${along.map(orderText).join('; ')}`;
  return {
    request: {
      endpoint: deleteOrder,
      form: { order_id: orderId },
      command: 'orders cancel',
      what: `to cancel order ${orderId}`,
      makesOrder: false,
    },
    accountId,
    does: `Cancel ${row.currency === undefined ? `order ${orderId}` : orderText(row)}${others}`,
    orderId,
    along: along.map((one) => one.orderId),
  };
}
