import { listCommand, type RunContext } from '../../../cli/command.ts';
import type { Arguments, Flags, Input } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { deleteOrder } from '../client.ts';
import { orderText } from '../order-text.ts';
import {
  type Change,
  confirmChanges,
  listChanges,
  planChanges,
  reportChanges,
  sendChanges,
} from '../orders/changes.ts';
import { checkConfirmable } from '../orders/confirming.ts';
import { CHANGE_FLAGS, checkedIds, SENT_ONCE } from '../orders/flags.ts';
import { checkAccount, type OrderTables, openOrders, wantedAccount, withOrderTables } from '../orders/order-tables.ts';
import { checkOrderId } from '../orders/rules.ts';
import type { Order } from '../schema.ts';
import { foldedSymbol } from '../symbols.ts';
import { isOfAccount } from '../tables/lookups.ts';

const ARGS = {
  order: { help: 'Order ids from svc trade orders', repeat: true, complete: 'orders', promptUnless: ['all', 'symbol'] },
} as const satisfies Arguments;

const FLAGS = {
  all: { type: 'boolean', help: 'Cancel all entry orders of the account' },
  symbol: { type: 'string', value: 'symbol', help: 'With --all: only orders of this symbol' },
  ...CHANGE_FLAGS,
} as const satisfies Flags;

type CancelInput = Input<typeof ARGS, typeof FLAGS>;

export const tradeOrdersCancel = listCommand({
  id: 'trade orders cancel',
  suggestFor: ['cancel'],
  summary: 'Cancel pending orders',
  description: `Canceling one order of an OCO group cancels all of its orders; svc names the others before you confirm. ${SENT_ONCE}`,
  effect: 'money',
  service: 'trade',
  args: ARGS,
  flags: FLAGS,
  exits: ['partly_done'],
  examples: [
    { run: 'svc trade orders cancel 390285837', why: 'Cancel one order' },
    { run: 'svc trade orders cancel --all --symbol EUR/USD', why: 'Cancel all orders of a symbol' },
  ],
  output: listChanges(),
  async run(input, ctx) {
    const ids = readOrderIds(input);
    const all = input.symbol === undefined ? 'all orders' : `all orders of ${input.symbol}`;
    await checkConfirmable(`cancel ${ids.length === 0 ? all : ids.join(', ')}?`, input.account, ctx);
    return withOrderTables(ctx, false, async (tables) => {
      const cancels = await (ids.length > 0
        ? planCancelIds(ids, input.account, tables, ctx)
        : planCancelAll(input, tables, ctx));
      if (cancels.length === 0) return { value: [], footer: 'no pending orders to cancel; nothing was sent' };
      if (ctx.dryRun) return { value: await planChanges(cancels, ctx) };
      const confirmed = await confirmChanges(cancels, ctx);
      return reportChanges(await sendChanges(cancels, { confirmed, tables, goesOn: true }, ctx));
    });
  },
});

/** None for all of the account, or of the symbol. */
function readOrderIds({ order, all, symbol }: CancelInput): readonly string[] {
  const ids = checkedIds(order, (id) =>
    checkOrderId(id, 'an order id', 'svc trade orders lists open orders; --all cancels all'),
  );
  if (all === ids.length > 0 || (symbol !== undefined && !all)) {
    throw new SvcError('usage', 'pass order ids, or --all (with --symbol <symbol> for one symbol)', {
      hint: 'svc trade orders lists open orders',
    });
  }
  return ids;
}

async function planCancelIds(
  ids: readonly string[],
  given: string | undefined,
  tables: OrderTables,
  ctx: RunContext,
): Promise<readonly Change[]> {
  const seen = await openOrders(ids, tables);
  const account = given === undefined ? undefined : await tables.accountOrGiven(given);
  if (seen === undefined) {
    ctx.notice('could not check whether the orders are pending, nor which OCO orders end with them');
    return ids.map((orderId) => cancelOf({ orderId, accountId: account?.accountId }, []));
  }
  for (const row of seen.asked) {
    await checkAccount(`order ${row.orderId}`, await tables.accountOrGiven(row.accountId), given, tables);
  }
  return cancelEach(seen.asked, seen.all);
}

/** Of the account; throws if they cannot be read. */
async function planCancelAll(
  { symbol, account: given }: CancelInput,
  tables: OrderTables,
  ctx: RunContext,
): Promise<readonly Change[]> {
  const account = await tables.accountOrGiven(wantedAccount(given, ctx));
  const all = await tables.rows('Order');
  if (all === undefined) {
    throw new SvcError(tables.unreadCode, 'cannot read the pending orders now; nothing was sent', {
      hint: 'pass order ids, which needs no read: svc trade orders cancel <order-id>',
    });
  }
  const isOf = ({ currency = '' }: Order): boolean =>
    symbol === undefined || foldedSymbol(currency) === foldedSymbol(symbol);
  // A hidden symbol may have orders; one without orders must at least exist.
  if (symbol !== undefined && !all.some(isOf)) await tables.offer(symbol);
  const wanted = all.filter((row) => row.isEntryOrder !== false && isOfAccount(row, account) !== false && isOf(row));
  return cancelEach(wanted, all);
}

/** Canceling an order ends the others of its OCO group: they need no request. */
function cancelEach(rows: readonly Order[], all: readonly Order[]): readonly Change[] {
  const cancels: Change[] = [];
  const gone = new Set<string>();
  for (const row of rows) {
    if (gone.has(row.orderId)) continue;
    const isGrouped = Number(row.ocoBulkId ?? 0) !== 0;
    const along = all.filter(
      ({ ocoBulkId, orderId }) => isGrouped && ocoBulkId === row.ocoBulkId && orderId !== row.orderId,
    );
    for (const { orderId } of along) gone.add(orderId);
    cancels.push(cancelOf(row, along));
  }
  return cancels;
}

function cancelOf(row: Pick<Order, 'orderId'> & Partial<Order>, along: readonly Order[]): Change {
  const { orderId, accountId, currency } = row;
  const others = along.length === 0 ? '' : `; its OCO group ends with it: ${along.map(orderText).join('; ')}`;
  return {
    endpoint: deleteOrder,
    form: { order_id: orderId },
    command: 'orders cancel',
    what: `to cancel order ${orderId}`,
    makesOrder: false,
    accountId,
    does: `Cancel ${currency === undefined ? `order ${orderId}` : orderText(row)}${others}`,
    tradeId: null,
    orderId,
    along: along.map((one) => one.orderId),
  };
}
