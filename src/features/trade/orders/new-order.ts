/** `buy`, `sell`, `entry buy`, `entry sell`: one order, from its options to what became of it. */
import type { Answer, RunContext } from '../../../cli/command.ts';
import type { Input, Instant } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import type { Plan } from '../../../http/endpoint.ts';
import type { Cell, RecordOutput } from '../../../output/types.ts';
import type { JournalEntry } from '../../../store/order-journal.ts';
import { hedges } from '../accounts.ts';
import { createEntryOrder, openTrade } from '../client.ts';
import { FOREX, foldedSymbol } from '../symbols.ts';
import { checkConfirmable, checkFresh, checkRepeats, confirmOrder } from './confirming.ts';
import { acceptedBut, FILL_CODES, type FillReport, FillWatch, fillFooter, fillText, ordersText } from './fills.ts';
import type { NEW_ORDER_FLAGS, SIZED_ARGS } from './flags.ts';
import { entryForm, marketForm, type OrderTerms } from './forms.ts';
import { claimOf, KeyTaken, maySendAgain, readEarlier, recordReport, reportOf, requireAccepted } from './once.ts';
import { type OrderTables, wantedAccount, withOrderTables } from './order-tables.ts';
import { connect, type KeyClaim, type OrderRequest, type Placed, planRequests, sendOrder } from './placing.ts';
import { costsText, guardOrder, ORDER_PREVIEW, type OrderToCheck, previewOrder, priceFor } from './preview.ts';
import {
  checkExitPrices,
  type Distance,
  maxOrderFailure,
  parseAmount,
  parseExits,
  parsePips,
  type Side,
} from './rules.ts';
import { parseRisk, type Risk, sizeOf } from './sizing.ts';
import type { AwaitedOrder, Fills } from './state.ts';

export type NewOrderInput = Input<typeof SIZED_ARGS, typeof NEW_ORDER_FLAGS> & {
  /** Of an entry order. */
  readonly expires?: Instant | undefined;
};

/** An order whose values are valid by themselves. */
export type TypedOrder = ReturnType<typeof readNewOrder>;

/** `own`: terms that only market or only entry orders have. Throws if a value alone is invalid. */
export function readNewOrder(
  side: Side,
  own: Pick<OrderTerms, 'tif' | 'rate' | 'expires'>,
  input: NewOrderInput,
  ctx: RunContext,
) {
  const { symbol, amount, risk } = input;
  const { rate } = own;
  const exits = parseExits(input);
  const { stop, limit, trail } = exits;
  if (stop !== undefined && limit !== undefined && stop.unit !== limit.unit) {
    throw new SvcError('usage', '--stop and --limit must have the same unit', {
      hint: 'pass both in pips or both as prices',
    });
  }
  if (rate !== undefined) checkExitPrices({ side, ...exits }, rate.value);
  const range = input.range === undefined ? undefined : parsePips(input.range, '--range');
  const command = rate === undefined ? side : `entry ${side}`;
  // As given or set; undefined for the only account.
  const account = wantedAccount(input.account, ctx);
  // What must be equal if a command is repeated with its key. Prices are values (`1.10` is `1.1`);
  // expiries and risks are texts, as what they mean changes.
  const asked = {
    ...own,
    command,
    symbol: foldedSymbol(symbol),
    amount: risk === undefined ? Number(amount) : undefined,
    risk,
    rate: rate?.value,
    range: range?.value,
    stop: stop && `${stop.value} ${stop.unit}`,
    limit: limit && `${limit.value} ${limit.unit}`,
    trail,
    expires: input.expires?.text,
    account,
  };
  const terms = { side, ...own, ...exits, range };
  return { command, symbol, size: readSize(input, stop), terms, account, key: input.once, asked };
}

/** An amount or `--risk`: one of them. */
function readSize(
  { amount, risk }: NewOrderInput,
  stop: Distance | undefined,
): number | { readonly risk: Risk; readonly stop: Distance } {
  if (risk === undefined) {
    if (amount !== undefined) return parseAmount(amount);
    throw new SvcError('missing_value', '<amount> is required', { hint: 'or pass --risk and --stop' });
  }
  if (amount !== undefined) throw new SvcError('usage', '--risk sets the amount: pass only one of them');
  if (stop === undefined) {
    throw new SvcError('missing_value', '--risk needs a stop: pass --stop <pips|price>; nothing was sent');
  }
  return { risk: parseRisk(risk), stop };
}

/**
 * Reads the account and the offer, checks the rules and the limits, confirms, writes to the journal,
 * sends once, judges the response, waits, reports. If the response is lost, the journal says
 * `unknown`, and svc exits 8 and lists the rows that are alike. If the answer is no, it says
 * `refused`. If the process is killed after the order is in the journal, that entry stays `unknown`:
 * the next identical order is not sent without a question, and one with the same key not at all
 * until the user has settled it.
 */
export async function placeNewOrder(
  typed: TypedOrder,
  input: NewOrderInput,
  ctx: RunContext,
): Promise<Answer<OrderReport>> {
  const { terms, size, symbol } = typed;
  const question = `${terms.side} ${typeof size === 'number' ? size : 'by risk'} ${symbol}?`;
  if (!input.preview) await checkConfirmable(question, input.account, ctx);
  // A person who orders at market waits for the price.
  const watches = terms.rate === undefined && ctx.wants.table && ctx.wants.terminal;
  const ms = input.wait ?? (watches ? 5_000 : undefined);
  return withOrderTables(ctx, ms !== undefined, async (tables) => {
    if (ctx.dryRun) return { value: await planNewOrder(typed, tables, ctx) };
    if (input.preview) return showOrder(typed, tables, ctx);
    const watch = ms === undefined ? undefined : new FillWatch(ms, ctx);
    const accepted = await sendOrFind(typed, tables, watch, ctx);
    const report = watch === undefined ? accepted.report : await waitForFill(accepted, watch, ctx);
    // Nobody asked to wait until it is filled.
    const isKnown = report !== undefined && (input.wait !== undefined || report.status !== 'pending');
    return reportOrder(accepted.orderIds[0] ?? null, isKnown ? report : undefined);
  });
}

/** A dry run reads what the request is made of, and sends nothing. */
async function planNewOrder(typed: TypedOrder, tables: OrderTables, ctx: RunContext): Promise<Plan> {
  const order = await readOrder(typed, tables, ctx);
  if (ctx.interactive) ctx.notice(previewOrder(order, ctx.now()).summary);
  const refusal = maxOrderFailure(order.terms.amount, order.offer.currency, ctx);
  if (refusal !== undefined) ctx.notice(`warning: ${refusal.message}`);
  return planRequests([requestOf(order, typed)], ctx);
}

/** `--preview`. */
async function showOrder(typed: TypedOrder, tables: OrderTables, ctx: RunContext) {
  const order = await readOrder(typed, tables, ctx);
  return { value: { ...previewOrder(order, ctx.now()), refusal: refusalOf(order, ctx) }, as: ORDER_PREVIEW };
}

/** Why svc would refuse it because of the gateway's state. */
function refusalOf(order: ReadOrder, ctx: RunContext): string | null {
  try {
    checkOrder(order, ctx);
    return null;
  } catch (error) {
    if (error instanceof SvcError && error.exit === 3) return error.message;
    throw error;
  }
}

/** An order that the gateway has accepted, now or under the same key before. */
interface AcceptedOrder extends Pick<Placed, 'orderIds' | 'journalId'> {
  readonly key: string | undefined;
  /** Undefined if nobody waits, it is known how the order ended, or nothing can be found by. */
  readonly awaited: AwaitedOrder | undefined;
  /** How it ended, as the journal has it. */
  readonly report: FillReport | undefined;
}

/** With a key, sends nothing if a journaled order with it was, or may have been, executed. */
async function sendOrFind(
  typed: TypedOrder,
  tables: OrderTables,
  watch: FillWatch | undefined,
  ctx: RunContext,
): Promise<AcceptedOrder> {
  const { key, asked } = typed;
  if (key === undefined) return sendNewOrder(typed, undefined, tables, watch, ctx);
  for (;;) {
    const entry = await readEarlier(key, asked, tables, ctx);
    if (entry !== undefined && !maySendAgain(entry)) return readAccepted(entry, key, tables, watch, ctx);
    try {
      return await sendNewOrder(typed, claimOf(key, entry, ctx), tables, watch, ctx);
    } catch (error) {
      if (!(error instanceof KeyTaken)) throw error;
      // Another order was sent meanwhile.
      tables.invalidate();
    }
  }
}

/** What became of the order that an earlier run sent with the key. Throws what that run threw. */
async function readAccepted(
  entry: JournalEntry,
  key: string,
  tables: OrderTables,
  watch: FillWatch | undefined,
  ctx: RunContext,
): Promise<AcceptedOrder> {
  requireAccepted(entry, key, ctx);
  const report = reportOf(entry);
  const { id: journalId, order_ids: orderIds, form } = entry;
  const accepted = { orderIds, journalId, key, report, awaited: undefined };
  const [orderId] = orderIds;
  if (report !== undefined || watch === undefined || orderId === undefined) return accepted;
  const [accountId, symbol] = [String(form['account_id']), String(form['symbol'])];
  const side = form['is_buy'] === 'true' ? 'buy' : 'sell';
  const amountK = inThousands(Number(form['amount']), await tables.offer(symbol));
  const account = await tables.accountOrGiven(accountId);
  await watch.follow(await tables.open());
  // Its fills may have been pushed before.
  await watch.refresh();
  return { ...accepted, awaited: { orderId, accountId, symbol, side, amountK, hedges: hedges(account) } };
}

/** Reads, checks, confirms, journals and sends. Throws unless the order is accepted. */
async function sendNewOrder(
  typed: TypedOrder,
  once: KeyClaim | undefined,
  tables: OrderTables,
  watch: FillWatch | undefined,
  ctx: RunContext,
): Promise<AcceptedOrder> {
  const order = await readOrder(typed, tables, ctx);
  checkOrder(order, ctx);
  const preview = previewOrder(order, ctx.now());
  for (const text of preview.warnings) ctx.warn(`warning: ${text}`);
  if (preview.sizing !== null) ctx.notice(`amount: ${preview.sizing.arithmetic}`);
  const costs = ctx.interactive ? costsText(preview) : '';
  if (costs !== '') ctx.notice(costs);

  const { terms, account, offer } = order;
  const { accountId } = account;
  const request = { ...requestOf(order, typed), once };
  // A new key says that a new order is meant.
  const question = await checkRepeats(`${preview.summary}?`, [request], once === undefined, ctx);
  await watch?.follow(await tables.open());
  const confirmed = await confirmOrder(question, accountId, ctx);
  checkFresh(order.readAt, ctx);

  const open = await connect(tables);
  const placed = await sendOrder(request, open, confirmed, ctx);
  if (placed.error !== undefined) throw placed.error;
  const { orderIds, journalId } = placed;
  const [orderId = ''] = orderIds;
  const awaited = watch && {
    orderId,
    accountId,
    symbol: offer.currency,
    side: terms.side,
    amountK: inThousands(terms.amount, offer),
    hedges: hedges(account),
  };
  return { orderIds, journalId, key: typed.key, awaited, report: undefined };
}

/** An order with the rows that it is checked against. */
interface ReadOrder extends OrderToCheck {
  /** When the offer was read, by our clock: milliseconds since 1970. */
  readonly readAt: number;
}

/** With the account and the offer, and with the amount that `--risk` sets. */
async function readOrder(typed: TypedOrder, tables: OrderTables, { now }: RunContext): Promise<ReadOrder> {
  const { size } = typed;
  const { side, rate } = typed.terms;
  const account = await tables.account(typed.account);
  const readAt = now();
  const offer = await tables.offer(typed.symbol);
  const price = rate?.text ?? priceFor(side, offer);
  const sized = typeof size === 'number' ? { amount: size } : sizeOf({ ...size, side, rate: price }, account, offer);
  const sizing = 'arithmetic' in sized ? sized : undefined;
  return { terms: { ...typed.terms, amount: sized.amount }, sizing, account, offer, readAt };
}

/** Throws if the gateway's state or a limit rules the order out. */
function checkOrder(order: ReadOrder, ctx: RunContext): void {
  const { terms, offer } = order;
  guardOrder(order);
  const refusal = maxOrderFailure(terms.amount, offer.currency, ctx);
  if (refusal !== undefined) throw refusal;
}

function requestOf({ terms, account, offer }: ReadOrder, { command, asked }: TypedOrder): OrderRequest {
  const { side, amount, rate } = terms;
  const order = { accountId: account.accountId, symbol: offer.currency, ...terms };
  const what = `to ${side} ${amount} ${offer.currency} at ${rate === undefined ? 'market' : rate.text}`;
  const request = { command, what, makesOrder: true, asked };
  if (rate === undefined) return { ...request, endpoint: openTrade, form: marketForm(order) };
  return { ...request, endpoint: createEntryOrder, form: entryForm({ ...order, rate }) };
}

/** As the tables count. Of an unknown kind, as doc 3 §4 shows symbols: a pair of currencies. */
function inThousands(amount: number, { instrumentType = FOREX }: { readonly instrumentType?: number | undefined }) {
  return instrumentType === FOREX ? amount : amount / 1000;
}

/** By pushes, or as journaled by an earlier run. Undefined if there is nothing to find it by. */
async function waitForFill(
  accepted: AcceptedOrder,
  watch: FillWatch,
  ctx: RunContext,
): Promise<FillReport | undefined> {
  const { orderIds, key, awaited, report } = accepted;
  if (awaited === undefined) return report;
  ctx.notice(`${ordersText(orderIds)} accepted; waiting for fills`);
  try {
    const found = await watch.wait(awaited);
    await recordReport(accepted, found, key, ctx);
    return found;
  } catch (error) {
    throw acceptedBut(error, orderIds);
  }
}

export interface OrderReport extends Fills {
  /** Null if the journal has it only as settled by the user. */
  readonly order_id: string | null;
  /** `accepted` without `--wait`. */
  readonly status: 'accepted' | FillReport['status'];
}

/** With a footer for the terminal. Without a report, the order is known to be accepted. */
export function reportOrder(orderId: string | null, report: FillReport | undefined) {
  if (report === undefined) {
    return { value: { order_id: orderId, status: 'accepted', trades: [], closed_trades: [] } as OrderReport };
  }
  const { status, trades, closed_trades } = report;
  return {
    value: { order_id: orderId, status, trades, closed_trades } as OrderReport,
    code: FILL_CODES[status],
    footer: fillFooter(orderId === null ? 'the order' : `order ${orderId}`, orderId, report),
  };
}

/** The end of an order's line. */
const ENDS: Readonly<Record<OrderReport['status'], readonly Cell[]>> = {
  accepted: [],
  filled: [],
  partly_filled: [{ text: 'ended, partly filled', tone: 'warn' }],
  rejected: [{ text: 'ended without a fill', tone: 'bad' }],
  pending: [{ text: 'not completely filled yet', tone: 'warn' }],
  unknown: [{ text: 'outcome unknown', tone: 'bad' }],
};

const ORDER_REPORT: RecordOutput<OrderReport> = {
  kind: 'record',
  columns: [
    { name: 'order-id', cell: ({ order_id }) => order_id ?? undefined },
    { name: 'status', cell: ({ status }) => status },
    { name: 'trades', cell: ({ trades }) => trades.map(fillText) },
    { name: 'closed-trades', cell: ({ closed_trades }) => closed_trades.map(fillText) },
  ],
  id: ({ order_id }) => order_id ?? undefined,
  line: ({ order_id, status, trades, closed_trades }) => [
    order_id === null ? `order without a known id: ${status}, as you settled it` : `order ${order_id} accepted`,
    ...trades.map((fill) => `trade ${fillText(fill)} filled`),
    ...closed_trades.map((fill) => `trade ${fillText(fill)} closed`),
    ...ENDS[status],
  ],
};

/** What the declarations of the commands share beside their flags. */
export const NEW_ORDER = {
  effect: 'money',
  service: 'trade',
  exits: ['condition_false', 'still_pending', 'partly_done'],
  output: ORDER_REPORT,
  outputOf: ({ preview }: { readonly preview: boolean }) => (preview ? ORDER_PREVIEW : ORDER_REPORT),
} as const;
