import { listCommand, type RunContext } from '../../../cli/command.ts';
import type { Arguments, Flags, Input } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { deleteOrder } from '../client.ts';
import { orderText } from '../order-text.ts';
import { CHANGE_LIST } from '../orders/change-report.ts';
import { checkConfirmable } from '../orders/confirming.ts';
import { CHANGE_FLAGS, checkedIds, SENT_ONCE } from '../orders/flags.ts';
import {
  checkAccount,
  groupOf,
  type OrderTables,
  openOrders,
  wantedAccount,
  withOrderTables,
} from '../orders/order-tables.ts';
import { type PlannedRequest, planOrders } from '../orders/placing.ts';
import { confirmAll, reportChanges, sendAll } from '../orders/planned-requests.ts';
import { checkOrderId } from '../orders/rules.ts';
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
  output: CHANGE_LIST,
  async run(input, ctx) {
    const { ids, symbol, wanted } = readCanceled(input, ctx);
    const all = symbol === undefined ? 'all orders' : `all orders of ${symbol}`;
    await checkConfirmable(`cancel ${ids.length === 0 ? all : ids.join(', ')}?`, input.account, ctx);
    return withOrderTables(ctx, {}, async (tables) => {
      const planned = await (ids.length === 0
        ? planCancelAll(symbol, wanted, tables)
        : planIds(ids, input.account, tables, ctx));
      if (planned.length === 0) return { value: [], footer: 'no pending orders to cancel; nothing was sent' };
      if (ctx.dryRun) return { value: await planOrders(planned, ctx) };
      const confirmed = await confirmAll(planned, ctx);
      return reportChanges(await sendAll(planned, { confirmed, tables, goesOn: true }, ctx));
    });
  },
});

interface Canceled {
  /** Empty for all of the account, or of the symbol. */
  readonly ids: readonly string[];
  readonly symbol: string | undefined;
  /** The account as given or set. */
  readonly wanted: string | undefined;
}

function readCanceled(input: CancelInput, ctx: RunContext): Canceled {
  const ids = checkedIds(input.order, (id) =>
    checkOrderId(id, 'an order id', 'svc trade orders lists open orders; --all cancels all'),
  );
  const { all, symbol } = input;
  if (all === ids.length > 0 || (symbol !== undefined && !all)) {
    throw new SvcError('usage', 'pass order ids, or --all (with --symbol <symbol> for one symbol)', {
      hint: 'svc trade orders lists open orders',
    });
  }
  return { ids, symbol, wanted: wantedAccount(input.account, ctx) };
}

async function planIds(
  ids: readonly string[],
  named: string | undefined,
  tables: OrderTables,
  ctx: RunContext,
): Promise<readonly PlannedRequest[]> {
  const seen = await openOrders(ids, tables);
  const account = named === undefined ? undefined : await tables.accountOrGiven(named);
  if (seen === undefined) {
    ctx.notice('could not check whether the orders are pending, nor which OCO orders end with them');
    return ids.map((id) => cancel({ orderId: id }, [], account?.accountId));
  }
  for (const row of seen.asked) {
    await checkAccount(`order ${row.orderId}`, await tables.accountOrGiven(row.accountId), named, tables);
  }
  return cancelEach(seen.asked, seen.all);
}

/** Of the account; throws if they cannot be read. */
async function planCancelAll(
  symbol: string | undefined,
  wanted: string | undefined,
  tables: OrderTables,
): Promise<readonly PlannedRequest[]> {
  const { accountId } = await tables.accountOrGiven(wanted);
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
  return cancelEach(
    all.filter((row) => row.isEntryOrder !== false && (row.accountId ?? accountId) === accountId && isOf(row)),
    all,
  );
}

/** No request for orders that end with another one. */
function cancelEach(rows: readonly Order[], all: readonly Order[]): readonly PlannedRequest[] {
  const planned: PlannedRequest[] = [];
  const gone = new Set<string>();
  for (const row of rows) {
    if (gone.has(row.orderId)) continue;
    const along = groupOf(row, all);
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
