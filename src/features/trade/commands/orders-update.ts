import { listCommand, type RunContext } from '../../../cli/command.ts';
import type { Arguments, Flags, Input } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { changeOrder, changeOrderStopLimit } from '../client.ts';
import { orderRate, orderText } from '../order-text.ts';
import {
  type Change,
  confirmChanges,
  listChanges,
  planChanges,
  reportChanges,
  sendChanges,
} from '../orders/changes.ts';
import { checkConfirmable, checkFresh } from '../orders/confirming.ts';
import { AMOUNT_FLAG, CHANGE_FLAGS, EXIT_FLAGS, RANGE_FLAG, RATE_FLAG, SENT_ONCE } from '../orders/flags.ts';
import { changeOrderForm, orderExitsForm } from '../orders/forms.ts';
import { checkAccount, type OrderTables, openOrders, withOrderTables } from '../orders/order-tables.ts';
import { trailText } from '../orders/preview.ts';
import {
  checkExitPrices,
  checkOrderId,
  checkPrecision,
  type Distance,
  maxOrderFailure,
  parseAmount,
  parseExits,
  parsePips,
  parseRate,
  withoutExponent,
} from '../orders/rules.ts';
import type { Order } from '../schema.ts';

const ORDER_UPDATE_ARGS = {
  order: { help: 'Order id', required: true, complete: 'orders' },
} as const satisfies Arguments;

const ORDER_UPDATE_FLAGS = {
  rate: RATE_FLAG,
  amount: AMOUNT_FLAG,
  range: RANGE_FLAG,
  ...EXIT_FLAGS,
  ...CHANGE_FLAGS,
} as const satisfies Flags;

type OrderUpdateInput = Input<typeof ORDER_UPDATE_ARGS, typeof ORDER_UPDATE_FLAGS>;

export const tradeOrdersUpdate = listCommand({
  id: 'trade orders update',
  summary: 'Change a pending order',
  description: `Options that you omit stay unchanged. ${SENT_ONCE}`,
  details:
    'Rate, amount and range take one request, stop and limit another; if only one succeeds, svc exits 10. The limit of the profile applies to a larger amount: see svc trade buy.',
  effect: 'money',
  service: 'trade',
  args: ORDER_UPDATE_ARGS,
  flags: ORDER_UPDATE_FLAGS,
  exits: ['partly_done'],
  examples: [
    { run: 'svc trade orders update 390285837 --rate 1.155', why: 'Change the price' },
    { run: 'svc trade orders update 390285837 --stop 40pips --limit 80pips', why: 'Set a stop and a limit' },
  ],
  output: listChanges(),
  async run(input, ctx) {
    const update = readUpdate(input);
    await checkConfirmable(`change order ${update.id}?`, input.account, ctx);
    return withOrderTables(ctx, false, async (tables) => {
      const readAt = ctx.now();
      const known = await readKnown(update.id, input.account, tables);
      await checkAmount(update, known, tables, ctx);
      checkRates(update, known.row, ctx);
      const changes = await planUpdate(update, known, tables);
      if (ctx.dryRun) return { value: await planChanges(changes, ctx) };
      const confirmed = await confirmChanges(changes, ctx);
      // The request carries unchanged values, too: it would undo a change of another program.
      checkFresh(readAt, ctx);
      return reportChanges(await sendChanges(changes, { confirmed, tables, goesOn: false }, ctx));
    });
  },
});

type OrderUpdate = ReturnType<typeof readUpdate>;

function readUpdate(input: OrderUpdateInput) {
  const { order: id } = input;
  checkOrderId(id);
  const none = (['stop', 'limit'] as const).find((name) => input[name] === 'none');
  if (none !== undefined) {
    const why = `--${none} none: the interface has no known way to remove it from a pending order`;
    throw new SvcError('invalid_value', why, {
      hint: 'cancel the order and place it again; for an open trade: svc trade positions update',
    });
  }
  const terms = {
    rate: input.rate === undefined ? undefined : parseRate(input.rate),
    amount: input.amount === undefined ? undefined : parseAmount(input.amount, '--amount'),
    range: input.range === undefined ? undefined : parsePips(input.range, '--range'),
  };
  const exits = parseExits(input);
  if (hasValue(terms) || hasValue(exits)) return { id, terms, exits };
  throw new SvcError('usage', 'nothing to change: pass --rate, --amount, --range, --stop or --limit');
}

function hasValue(options: object): boolean {
  return Object.values(options).some((value) => value !== undefined);
}

/** What could be read of the order. */
type KnownOrder = Awaited<ReturnType<typeof readKnown>>;

async function readKnown(id: string, given: string | undefined, tables: OrderTables) {
  const row = (await openOrders([id], tables))?.asked[0];
  const account = row && (await tables.accountOrGiven(row.accountId));
  await checkAccount(`order ${id}`, account, given, tables);
  return { row, account };
}

/** A smaller amount than before is never refused. */
async function checkAmount(
  { id, terms: { amount } }: OrderUpdate,
  { row }: KnownOrder,
  tables: OrderTables,
  ctx: RunContext,
): Promise<void> {
  if (amount === undefined) return;
  const before = row && (await tables.amountOf(row));
  if (before !== undefined && amount <= before) return;
  const refusal = maxOrderFailure(amount, `order ${id}`, ctx);
  if (refusal !== undefined) throw refusal;
}

function checkRates({ id, terms: { rate }, exits }: OrderUpdate, row: Order | undefined, ctx: RunContext): void {
  if (row === undefined) {
    if (hasValue(exits)) ctx.notice(`could not check the stop and limit of order ${id} against its rate`);
    return;
  }
  checkPrecision({ rate, ...exits }, row);
  const at = rate?.value ?? orderRate(row);
  if (row.isBuy === undefined || at === undefined || at === 0) return;
  checkExitPrices({ side: row.isBuy ? 'buy' : 'sell', ...exits }, at, 'guarded');
}

/** Rate, amount and range take one request, the stop and the limit another. */
async function planUpdate(
  update: OrderUpdate,
  { row, account }: KnownOrder,
  tables: OrderTables,
): Promise<readonly Change[]> {
  const { id, terms, exits } = update;
  const now = row === undefined ? `order ${id}` : orderText(row);
  const change = {
    command: 'orders update',
    makesOrder: false,
    accountId: account?.accountId,
    tradeId: null,
    orderId: id,
    along: [],
  };
  const changes: Change[] = [];
  if (hasValue(terms)) {
    const { rate, amount, range } = await completeTerms(update, row, tables);
    changes.push({
      ...change,
      endpoint: changeOrder,
      form: changeOrderForm(id, { rate, amount, range }),
      what: `to change order ${id}`,
      does: `Change ${now} to rate ${rate}, amount ${amount}, range ${range}`,
    });
  }
  if (hasValue(exits)) {
    const stop =
      exits.stop &&
      `the stop ${placeText(exits.stop)}${exits.trail === undefined ? '' : `, ${trailText(exits.trail)}`}`;
    const limit = exits.limit && `the limit ${placeText(exits.limit)}`;
    changes.push({
      ...change,
      endpoint: changeOrderStopLimit,
      form: orderExitsForm(id, exits),
      what: `to change the stop and limit of order ${id}`,
      does: `Set ${[stop ?? [], limit ?? []].flat().join(' and ')} of ${now}`,
    });
  }
  return changes;
}

/** The request carries unchanged values, too. */
async function completeTerms({ id, terms }: OrderUpdate, row: Order | undefined, tables: OrderTables) {
  const { rate, amount, range } = terms;
  const rateNow = row && orderRate(row);
  const complete = {
    rate: rate?.text ?? (rateNow === undefined ? undefined : withoutExponent(rateNow)),
    amount: amount ?? (row && (await tables.amountOf(row))),
    range: range?.text ?? (row && withoutExponent(row.range ?? 0)),
  };
  if (complete.rate !== undefined && complete.amount !== undefined && complete.range !== undefined) {
    return { rate: complete.rate, amount: complete.amount, range: complete.range };
  }
  const missing = Object.entries(complete).flatMap(([name, value]) => (value === undefined ? [`--${name}`] : []));
  throw new SvcError(
    row === undefined ? tables.unreadCode : 'guarded',
    `the gateway needs the rate, amount and range of order ${id} together, and its current values could not be read; nothing was sent`,
    { hint: `pass ${missing.join(', ')}` },
  );
}

function placeText({ unit, text }: Distance): string {
  return unit === 'pips' ? `${text} pips away` : `at ${text}`;
}
