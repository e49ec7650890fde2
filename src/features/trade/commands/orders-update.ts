import { listCommand, type RunContext } from '../../../cli/command.ts';
import type { Arguments, Flags, Input } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { changeOrder, changeOrderStopLimit } from '../client.ts';
import { orderRate, orderText } from '../order-text.ts';
import { CHANGE_LIST } from '../orders/change-report.ts';
import { checkConfirmable, checkFresh } from '../orders/confirming.ts';
import {
  AMOUNT_FLAG,
  CHANGE_FLAGS,
  EXIT_FLAGS,
  RANGE_FLAG,
  RATE_FLAG,
  SENT_ONCE,
  TRAIL_ENTRY_FLAG,
} from '../orders/flags.ts';
import { changeOrderForm, type ExitsChange, orderExitsForm } from '../orders/forms.ts';
import { aboveMaxOrder, checkLimits, checkNoLimits, type Opening } from '../orders/limits.ts';
import { checkAccount, type OrderTables, openOrders, withOrderTables } from '../orders/order-tables.ts';
import { type PlannedRequest, planOrders } from '../orders/placing.ts';
import { confirmAll, reportChanges, sendAll } from '../orders/planned-requests.ts';
import { trailText } from '../orders/preview.ts';
import {
  checkExitPrices,
  checkOrderId,
  checkPrecision,
  checkTrailed,
  type Decimal,
  type Distance,
  parseAmount,
  parseDistance,
  parsePips,
  parseRate,
  parseTrail,
  plainText,
} from '../orders/rules.ts';
import type { Account, Order } from '../schema.ts';

const ORDER_UPDATE_ARGS = {
  order: { help: 'Order id', required: true, complete: 'orders' },
} as const satisfies Arguments;

const ORDER_UPDATE_FLAGS = {
  rate: RATE_FLAG,
  amount: AMOUNT_FLAG,
  range: RANGE_FLAG,
  'trail-entry': TRAIL_ENTRY_FLAG,
  ...EXIT_FLAGS,
  ...CHANGE_FLAGS,
} as const satisfies Flags;

type OrderUpdateInput = Input<typeof ORDER_UPDATE_ARGS, typeof ORDER_UPDATE_FLAGS>;

export const tradeOrdersUpdate = listCommand({
  id: 'trade orders update',
  summary: 'Change a pending order',
  description: `Options that you omit stay unchanged. ${SENT_ONCE}`,
  details:
    'Rate, amount and range take one request, stop and limit another; if only one succeeds, svc exits 10. Limits of the profile apply to a larger amount: see svc trade buy.',
  effect: 'money',
  service: 'trade',
  args: ORDER_UPDATE_ARGS,
  flags: ORDER_UPDATE_FLAGS,
  exits: ['partly_done'],
  examples: [
    { run: 'svc trade orders update 390285837 --rate 1.155', why: 'Change the price' },
    { run: 'svc trade orders update 390285837 --stop 40pips --limit 80pips', why: 'Set a stop and a limit' },
  ],
  output: CHANGE_LIST,
  async run(input, ctx) {
    const update = readUpdate(input);
    await checkConfirmable(`change order ${update.id}?`, input.account, ctx);
    return withOrderTables(ctx, {}, async (tables) => {
      const planned = await planUpdate(update, tables, ctx);
      if (ctx.dryRun) return { value: await planOrders(planned, ctx) };
      const confirmed = await confirmAll(planned, ctx);
      // The request carries unchanged values, too: it would undo a change of another program.
      checkFresh(tables.readAt, ctx);
      return reportChanges(await sendAll(planned, { confirmed, tables, goesOn: false }, ctx));
    });
  },
});

interface Terms {
  readonly rate: Decimal | undefined;
  readonly amount: number | undefined;
  readonly range: Decimal | undefined;
  readonly trailEntry: number | undefined;
}

function readUpdate(input: OrderUpdateInput): OrderUpdate {
  const { order: id } = input;
  checkOrderId(id);
  const terms: Terms = {
    rate: input.rate === undefined ? undefined : parseRate(input.rate),
    amount: input.amount === undefined ? undefined : parseAmount(input.amount, '--amount'),
    range: input.range === undefined ? undefined : parsePips(input.range, '--range'),
    trailEntry: input.trailEntry === undefined ? undefined : parseTrail(input.trailEntry, '--trail-entry'),
  };
  const exits: ExitsChange = {
    stop: orderExit(input.stop, '--stop'),
    limit: orderExit(input.limit, '--limit'),
    trail: input.trail === undefined ? undefined : parseTrail(input.trail),
  };
  checkTrailed(exits);
  const changesTerms = Object.values(terms).some((value) => value !== undefined);
  const changesExits = exits.stop !== undefined || exits.limit !== undefined;
  if (!changesTerms && !changesExits) {
    throw new SvcError('usage', 'nothing to change: pass --rate, --amount, --range, --trail-entry, --stop or --limit');
  }
  return { id, terms, exits, changesTerms, changesExits, account: input.account };
}

interface OrderUpdate {
  readonly id: string;
  readonly terms: Terms;
  readonly exits: ExitsChange;
  readonly changesTerms: boolean;
  readonly changesExits: boolean;
  /** As given. */
  readonly account: string | undefined;
}

/** The rate, amount and range of an order, which one request changes together. */
interface WholeTerms {
  readonly rate: string;
  readonly amount: number;
  readonly range: string;
}

async function planUpdate(
  update: OrderUpdate,
  tables: OrderTables,
  ctx: RunContext,
): Promise<readonly PlannedRequest[]> {
  const { id, terms, exits, changesTerms, changesExits } = update;
  const row = (await openOrders([id], tables))?.asked[0];
  const account = row && (await tables.accountOrGiven(row.accountId));
  await checkAccount(`order ${id}`, account, update.account, tables);
  const opens = await checkedOpening(terms, row, { id, account, tables }, ctx);
  if (row !== undefined) {
    checkPrecision({ rate: terms.rate, ...exits }, row);
    checkExits(row, terms, exits);
  } else if (changesExits) {
    ctx.notice(`could not check the stop and limit of order ${id} against its rate`);
  }
  const whole = changesTerms ? await wholeTerms(terms, row, id, tables) : undefined;
  const planned: PlannedRequest[] = [];
  if (whole !== undefined) planned.push({ ...planTerms(update, whole, row, account), opens });
  if (changesExits) planned.push(planExits(update, row, account));
  return planned;
}

function planTerms(
  { id, terms }: OrderUpdate,
  whole: WholeTerms,
  row: Order | undefined,
  account: Account | undefined,
): PlannedRequest {
  return {
    request: {
      endpoint: changeOrder,
      form: changeOrderForm(id, { ...whole, trailEntry: terms.trailEntry }),
      command: 'orders update',
      what: `to change order ${id}`,
      makesOrder: false,
    },
    accountId: account?.accountId,
    orderId: id,
    does: `Change ${nowText(id, row)} to rate ${whole.rate}, amount ${whole.amount}, range ${whole.range}${followsText(terms.trailEntry)}`,
  };
}

function planExits({ id, exits }: OrderUpdate, row: Order | undefined, account: Account | undefined): PlannedRequest {
  const and = exits.stop && exits.limit ? ' and ' : '';
  return {
    request: {
      endpoint: changeOrderStopLimit,
      form: orderExitsForm(id, exits),
      command: 'orders update',
      what: `to change the stop and limit of order ${id}`,
      makesOrder: false,
    },
    accountId: account?.accountId,
    orderId: id,
    does: `Set ${exitText('stop', exits.stop)}${followsText(exits.trail)}${and}${exitText('limit', exits.limit)} of ${nowText(id, row)}`,
  };
}

function nowText(id: string, row: Order | undefined): string {
  return row === undefined ? `order ${id}` : orderText(row);
}

function orderExit(text: string | undefined, flag: '--stop' | '--limit'): Distance | undefined {
  if (text === undefined) return undefined;
  if (text !== 'none') return parseDistance(text, flag);
  throw new SvcError(
    'invalid_value',
    `${flag} none: the interface has no known way to remove it from a pending order`,
    {
      hint: 'cancel the order and place it again; for an open trade: svc trade positions update',
    },
  );
}

function checkExits(row: Order, { rate }: Terms, exits: ExitsChange): void {
  const at = rate?.value ?? orderRate(row);
  if (row.isBuy === undefined || at === undefined || at === 0) return;
  checkExitPrices({ side: row.isBuy ? 'buy' : 'sell', ...exits }, at, 'guarded');
}

/** What a larger amount opens. A smaller one than before is never refused. */
async function checkedOpening(
  { amount }: Terms,
  row: Order | undefined,
  { id, account, tables }: { readonly id: string; readonly account: Account | undefined; readonly tables: OrderTables },
  ctx: RunContext,
): Promise<Opening | undefined> {
  if (amount === undefined) return undefined;
  const before = row && (await tables.amountOf(row));
  if (before !== undefined && amount <= before) return undefined;
  const refusal = aboveMaxOrder(amount, `order ${id}`, ctx);
  if (refusal !== undefined) throw refusal;
  if (account === undefined || row?.currency === undefined || row.isBuy === undefined) {
    checkNoLimits(id, ctx);
    return undefined;
  }
  const side = row.isBuy ? 'buy' : 'sell';
  const opening: Opening = { account, symbol: row.currency, side, amount, isEntry: true, replaces: id };
  await checkLimits(opening, tables, ctx);
  return opening;
}

/** The request carries unchanged values, too. */
async function wholeTerms(
  { rate, amount, range }: Terms,
  row: Order | undefined,
  id: string,
  tables: OrderTables,
): Promise<WholeTerms> {
  const rateNow = row === undefined ? undefined : orderRate(row);
  const whole = {
    rate: rate?.text ?? (rateNow === undefined ? undefined : plainText(rateNow)),
    amount: amount ?? (row === undefined ? undefined : await tables.amountOf(row)),
    range: range?.text ?? (row === undefined ? undefined : plainText(row.range ?? 0)),
  };
  const missing = Object.entries(whole).flatMap(([name, value]) => (value === undefined ? [`--${name}`] : []));
  if (whole.rate !== undefined && whole.amount !== undefined && whole.range !== undefined) {
    return { rate: whole.rate, amount: whole.amount, range: whole.range };
  }
  throw new SvcError(
    row === undefined ? tables.unreadCode : 'guarded',
    `the gateway needs the rate, amount and range of order ${id} together, and its current values could not be read; nothing was sent`,
    {
      hint: `pass ${missing.join(', ')}`,
    },
  );
}

function exitText(name: string, exit: Distance | undefined): string {
  return exit === undefined ? '' : `the ${name} ${exit.unit === 'pips' ? `${exit.text} pips away` : `at ${exit.text}`}`;
}

function followsText(trail: number | undefined): string {
  return trail === undefined ? '' : `, ${trailText(trail)}`;
}
