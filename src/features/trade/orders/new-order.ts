/** Market and entry orders, from their options to what became of them. */
import type { Answer, RunContext } from '../../../cli/command.ts';
import type { Flags, Instant } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import type { JournalEntry } from '../../../store/order-journal.ts';
import { hedges } from '../accounts.ts';
import { createEntryOrder, openTrade } from '../client.ts';
import type { Account, Offer } from '../schema.ts';
import { foldedSymbol } from '../symbols.ts';
import { acceptedBut, ORDER_PREVIEW, type OrderReport, ordersText, reportedOrder } from './change-report.ts';
import { checkConfirmable, checkFresh, checkRepeats, confirmOrder } from './confirming.ts';
import { costsText } from './costs.ts';
import { type FillReport, FillWatch, type Waiting } from './fills.ts';
import {
  ENTRY_TIME_FLAGS,
  type ExitInput,
  exitsOf,
  MARKET_TIF_FLAG,
  NEW_ORDER_FLAGS,
  RATE_FLAG,
  TRAIL_ENTRY_FLAG,
} from './flags.ts';
import { entryForm, marketForm, type OrderTerms } from './forms.ts';
import { aboveMaxOrder, checkLimits, type Opening } from './limits.ts';
import {
  checkedKey,
  claimOf,
  KeyTaken,
  keepReport,
  maySendAgain,
  type Once,
  readEarlier,
  reportOf,
  requireAccepted,
} from './once.ts';
import { type OrderTables, wantedAccount, withOrderTables } from './order-tables.ts';
import { connectAndPlace, type KeyClaim, type OrderRequest, planOrders } from './placing.ts';
import {
  checkOpen,
  guardOrder,
  type OrderPreview,
  orderSentence,
  previewOrder,
  priceFor,
  thousands,
} from './preview.ts';
import {
  checkExitPrices,
  type Decimal,
  type Distance,
  expiration,
  parseAmount,
  parseRate,
  parseTrail,
  type Side,
  type TimeInForce,
  timeInForce,
} from './rules.ts';
import { parseRisk, type Risk, type Sizing, sizeOf } from './sizing.ts';
import type { AwaitedOrder } from './state.ts';

export interface NewOrderInput {
  readonly account?: string | undefined;
  /** How long to wait for fills; undefined for not at all. */
  readonly wait?: number | undefined;
  readonly once?: string | undefined;
  readonly preview: boolean;
  readonly requireOpen: boolean;
}

/** How long a person who places an order at market waits for its price. */
const WATCHED_MS = 5_000;

/** What the steps of one command share. */
interface Placing {
  /** The account as given or set; undefined for the only one. */
  readonly wanted: string | undefined;
  readonly requireOpen: boolean;
  readonly tables: OrderTables;
  /** Undefined if nobody waits. */
  readonly waiting: Waiting | undefined;
}

/** `buy`, `sell`, `entry buy`, `entry sell`: one new order, from the command line to the exit status. */
export async function placeNewOrder(
  typed: TypedOrder,
  input: NewOrderInput,
  ctx: RunContext,
): Promise<Answer<OrderReport>> {
  if (input.preview && !ctx.dryRun) return showOrder(typed, input, ctx);
  const wanted = wantedAccount(input.account, ctx);
  const once =
    input.once === undefined ? undefined : { key: checkedKey(input.once), asked: typed.asked, account: wanted };
  await checkConfirmable(questionOf(typed), input.account, ctx);
  const isWatched = typed.terms.rate === undefined && ctx.wants.table && ctx.wants.terminal;
  const wait = input.wait ?? (isWatched ? WATCHED_MS : undefined);
  return withOrderTables(ctx, { reconnect: wait !== undefined }, async (tables) => {
    if (ctx.dryRun) return { value: await planNewOrder(typed, wanted, tables, ctx) };
    const waiting = wait === undefined ? undefined : { watch: new FillWatch(ctx), ms: wait };
    const placing = { wanted, requireOpen: input.requireOpen, tables, waiting };
    const accepted = await (once === undefined
      ? sendNewOrder(typed, placing, ctx)
      : sendOnce(once, typed, placing, ctx));
    const [orderId = null] = accepted.orderIds;
    const report = waiting === undefined ? accepted.report : await waitForFill(accepted, waiting, ctx);
    // Nobody asked to wait until it is filled.
    const isKnown = report !== undefined && (input.wait !== undefined || report.status !== 'pending');
    const plain: OrderReport = { order_id: orderId, status: 'accepted', trades: [], closed_trades: [] };
    const answer = isKnown ? reportedOrder(orderId, report) : { value: plain };
    return { ...answer, undo: undoing(typed.terms, accepted, answer.value) };
  });
}

function questionOf({ terms: { side }, size, symbol }: TypedOrder): string {
  return `${side} ${typeof size === 'number' ? size : 'by risk'} ${symbol}?`;
}

/** A dry run reads what the request is made of, and sends nothing. */
async function planNewOrder(typed: TypedOrder, wanted: string | undefined, tables: OrderTables, ctx: RunContext) {
  const order = await readOrder(typed, wanted, tables, ctx);
  const refusal = aboveMaxOrder(order.terms.amount, order.offer.currency, ctx);
  // In an account that does not hedge, it may still reduce a position.
  if (refusal !== undefined) ctx.notice(`warning: ${refusal.message}`);
  return planOrders([{ request: requestOf(order) }], ctx);
}

/** An order that the gateway has accepted, now or under the same key before. */
interface AcceptedOrder {
  readonly orderIds: readonly string[];
  readonly journalId: string;
  readonly key: string | undefined;
  readonly amount: number;
  /** Undefined if it is known how the order ended, or nothing can be found by. */
  readonly awaited: AwaitedOrder | undefined;
  /** How it ended, as the journal has it. */
  readonly report: FillReport | undefined;
}

/** Sends nothing if the journal has an order of the same key that was, or may have been, executed. */
async function sendOnce(once: Once, typed: TypedOrder, placing: Placing, ctx: RunContext): Promise<AcceptedOrder> {
  for (;;) {
    const entry = await readEarlier(once, placing.tables, ctx);
    if (entry !== undefined && !maySendAgain(entry)) return readAccepted(entry, once, typed.terms, placing, ctx);
    try {
      return await sendNewOrder(typed, placing, ctx, claimOf(once.key, entry, ctx));
    } catch (error) {
      if (!(error instanceof KeyTaken)) throw error;
      // Another order was sent meanwhile.
      placing.tables.invalidate();
    }
  }
}

/** What became of the order that an earlier run sent with the key. Throws what that run threw. */
async function readAccepted(
  entry: JournalEntry,
  { key }: Once,
  { side }: TypedOrder['terms'],
  { tables, waiting }: Placing,
  ctx: RunContext,
): Promise<AcceptedOrder> {
  requireAccepted(entry, key, ctx);
  const report = reportOf(entry);
  const { id: journalId, order_ids: orderIds, form } = entry;
  const amount = Number(form['amount']);
  const accepted = { orderIds, journalId, key, amount, report, awaited: undefined };
  const [orderId] = orderIds;
  if (report !== undefined || waiting === undefined || orderId === undefined) return accepted;
  const [accountId, symbol] = [String(form['account_id']), String(form['symbol'])];
  const amountK = thousands(amount, await tables.offer(symbol));
  const account = await tables.accountOrGiven(accountId);
  await followOrders(waiting.watch, tables);
  // Its fills may have been pushed before.
  await waiting.watch.refresh();
  return { ...accepted, awaited: { orderId, accountId, symbol, side, amountK, hedges: hedges(account) } };
}

/** Reads, checks, confirms, writes to the journal and sends. Throws unless the order is accepted. */
async function sendNewOrder(
  typed: TypedOrder,
  { wanted, requireOpen, tables, waiting }: Placing,
  ctx: RunContext,
  claim?: KeyClaim,
): Promise<AcceptedOrder> {
  const order = await readOrder(typed, wanted, tables, ctx);
  await checkOrder(order, requireOpen, tables, ctx);
  const shown = previewOrder(order, ctx.now());
  for (const text of shown.warnings) ctx.warn(`warning: ${text}`);
  for (const text of shownBefore(shown, ctx)) ctx.notice(text);

  const { terms, account, offer } = order;
  const { accountId } = account;
  const asked = { ...typed.asked, account: wanted };
  const request: OrderRequest = { ...requestOf(order), asked, ...(claim && { once: claim }) };
  // A new key says that a new order is meant.
  const repeatable = { path: request.endpoint.path, form: request.form, asked, blocksRepeat: claim === undefined };
  const question = await checkRepeats(`${orderSentence(terms, shown)}?`, [repeatable], ctx);
  if (waiting !== undefined) await followOrders(waiting.watch, tables);
  const confirmed = await confirmOrder(question, accountId, ctx);
  checkFresh(order.readAt, ctx);

  const placed = await connectAndPlace({ request, opens: openingOf(order) }, { confirmed, tables }, ctx);
  if (placed.error !== undefined) throw placed.error;
  const { orderIds, journalId } = placed;
  const sent = { accountId, symbol: offer.currency, side: terms.side, amountK: thousands(terms.amount, offer) };
  const awaited = { ...sent, orderId: orderIds[0] ?? '', hedges: hedges(account) };
  return { orderIds, journalId, key: claim?.key, amount: terms.amount, awaited, report: undefined };
}

async function followOrders(watch: FillWatch, tables: OrderTables): Promise<void> {
  const { session, trading } = await tables.open();
  await watch.follow(session, trading);
}

/** An order with the rows that it is checked against. */
interface NewOrder {
  readonly command: string;
  readonly terms: OrderTerms;
  /** With `--risk`. */
  readonly sizing: Sizing | undefined;
  readonly account: Account;
  readonly offer: Offer;
  /** When the offer was read, by our clock: milliseconds since 1970. */
  readonly readAt: number;
}

/** With the account and the offer, and with the amount that `--risk` sets. */
async function readOrder(
  { command, symbol, size, terms }: TypedOrder,
  wanted: string | undefined,
  tables: OrderTables,
  { now }: Pick<RunContext, 'now'>,
): Promise<NewOrder> {
  const account = await tables.account(wanted);
  const readAt = now();
  const offer = await tables.offer(symbol);
  const rows = { account, offer, readAt };
  if (typeof size === 'number') return { command, terms: { ...terms, amount: size }, sizing: undefined, ...rows };
  const rate = terms.rate?.text ?? priceFor(terms.side, offer);
  const sizing = sizeOf({ ...size, side: terms.side, rate }, account, offer);
  return { command, terms: { ...terms, amount: sizing.amount }, sizing, ...rows };
}

/** Throws if the gateway's state or a limit rules the order out. */
async function checkOrder(order: NewOrder, requireOpen: boolean, tables: OrderTables, ctx: RunContext): Promise<void> {
  if (requireOpen) checkOpen(order.terms.side, order.offer, ctx.now());
  guardOrder(order);
  await checkLimits(openingOf(order), tables, ctx);
}

function openingOf({ terms: { side, amount, rate }, account, offer }: NewOrder): Opening {
  return { account, symbol: offer.currency, side, amount, isEntry: rate !== undefined };
}

function requestOf({ command, terms, account: { accountId }, offer: { currency: symbol } }: NewOrder): OrderRequest {
  const { side, amount, rate } = terms;
  const order = { accountId, symbol, ...terms };
  const what = `to ${side} ${amount} ${symbol}`;
  if (rate === undefined) {
    return { endpoint: openTrade, form: marketForm(order), command, what: `${what} at market`, makesOrder: true };
  }
  const form = entryForm({ ...order, rate });
  return { endpoint: createEntryOrder, form, command, what: `${what} at ${rate.text}`, makesOrder: true };
}

/** The arithmetic of `--risk`, and for a person what the order costs. */
function shownBefore(preview: OrderPreview, { interactive }: RunContext): readonly string[] {
  const costs = interactive ? costsText(preview) : '';
  return [preview.sizing === null ? '' : `amount: ${preview.sizing.arithmetic}`, costs].filter((text) => text !== '');
}

/** The end of an order of an earlier run as the journal has it; undefined if nothing can be found by. */
async function waitForFill(
  { orderIds, journalId, key, awaited, report }: AcceptedOrder,
  { watch, ms }: Waiting,
  ctx: RunContext,
): Promise<FillReport | undefined> {
  if (awaited === undefined) return report;
  ctx.notice(`${ordersText(orderIds)} accepted; waiting for fills`);
  try {
    const found = await watch.wait(awaited, ms);
    await keepReport({ journalId, orderIds, report: found, isOnce: key !== undefined }, ctx);
    return found;
  } catch (error) {
    throw acceptedBut(error, orderIds);
  }
}

/** Cancels an entry order that is still open, and takes back what was filled. Until a market order is filled nothing can be said. */
function undoing(
  { side, rate }: TypedOrder['terms'],
  { amount, awaited }: AcceptedOrder,
  { order_id, status, trades, closed_trades }: OrderReport,
): NonNullable<Answer<unknown>['undo']> {
  if (awaited?.hedges === false && status === 'filled') {
    // The account has one position of a symbol: only an order of the other side takes a part of it back.
    const opposite = side === 'buy' ? 'sell' : 'buy';
    return [['trade', opposite, awaited.symbol, String(amount), '--account', awaited.accountId]];
  }
  const isPending = rate !== undefined && (status === 'accepted' || status === 'pending');
  // A trade may be stopped out at once.
  const open = trades.filter(({ trade_id }) => closed_trades.every((closed) => closed.trade_id !== trade_id));
  return [
    ...(isPending && order_id !== null ? [['trade', 'orders', 'cancel', order_id]] : []),
    ...(open.length > 0 && awaited !== undefined && awaited.hedges !== false
      ? [['trade', 'close', ...open.map(({ trade_id }) => trade_id)]]
      : []),
  ];
}

/** `--preview`. */
function showOrder(typed: TypedOrder, input: NewOrderInput, ctx: RunContext): Promise<Answer<OrderReport>> {
  return withOrderTables(ctx, {}, async (tables): Promise<Answer<OrderReport>> => {
    const order = await readOrder(typed, wantedAccount(input.account, ctx), tables, ctx);
    const refusal = await checkOrder(order, input.requireOpen, tables, ctx).then(() => null, refusalText);
    return { value: { ...previewOrder(order, ctx.now()), refusal }, as: ORDER_PREVIEW };
  });
}

/** Why svc would refuse it because of the gateway's state, or because that is unknown. */
function refusalText(error: unknown): string {
  if (error instanceof SvcError && (error.exit === 3 || error.exit === 11)) return error.message;
  throw error;
}

export const MARKET_FLAGS = { tif: MARKET_TIF_FLAG, ...NEW_ORDER_FLAGS } as const satisfies Flags;

export const ENTRY_FLAGS = {
  rate: { ...RATE_FLAG, required: true },
  'trail-entry': TRAIL_ENTRY_FLAG,
  ...ENTRY_TIME_FLAGS,
  ...NEW_ORDER_FLAGS,
} as const satisfies Flags;

interface MarketInput extends ExitInput {
  readonly symbol: string;
  readonly amount?: string | undefined;
  readonly risk?: string | undefined;
  readonly tif?: TimeInForce | undefined;
}

interface EntryInput extends MarketInput {
  readonly rate: string;
  readonly trailEntry?: string | undefined;
  readonly expires?: Instant | undefined;
}

/** An order whose values are valid by themselves. */
export interface TypedOrder {
  /** `buy`, `entry buy`. */
  readonly command: string;
  readonly symbol: string;
  /** An amount, or with `--risk` what the stop may lose. */
  readonly size: number | { readonly risk: Risk; readonly stop: Distance };
  readonly terms: Omit<OrderTerms, 'amount'>;
  /** For `--once`: what must be the same when the command is repeated. */
  readonly asked: Readonly<Record<string, unknown>>;
}

/** Throws if a value is invalid by itself. */
export function readMarketOrder(side: Side, input: MarketInput): TypedOrder {
  const exits = exitsOf(input);
  const tif = timeInForce(exits.range === undefined ? 'AtMarket' : 'MarketRange', input.tif);
  const order = { command: side, symbol: input.symbol, size: readSize(input, exits.stop) };
  return { ...order, terms: { side, tif, ...exits }, asked: askedFor(side, input, { tif, ...exits }) };
}

/** Throws if a value is invalid by itself. */
export function readEntryOrder(side: Side, input: EntryInput, now: number): TypedOrder {
  const rate = parseRate(input.rate);
  const exits = exitsOf(input);
  checkExitPrices({ side, ...exits }, rate.value);
  const trailEntry = input.trailEntry === undefined ? undefined : parseTrail(input.trailEntry, '--trail-entry');
  const type = exits.range === undefined ? 'Entry' : 'RangeEntry';
  const tif = timeInForce(type, input.tif, input.expires !== undefined);
  const expires = input.expires === undefined ? undefined : expiration(input.expires.ms, now);
  const command = `entry ${side}`;
  const asked = askedFor(command, input, { tif, rate, trailEntry, ...exits, expires: input.expires?.text });
  const terms = { side, tif, rate, expires, trailEntry, ...exits };
  return { command, symbol: input.symbol, size: readSize(input, exits.stop), terms, asked };
}

/** An amount or `--risk`: one of them. */
function readSize({ amount, risk }: MarketInput, stop: Distance | undefined): TypedOrder['size'] {
  if (risk === undefined) {
    if (amount !== undefined) return parseAmount(amount);
    throw new SvcError('missing_value', "missing required argument 'amount'", { hint: 'or pass --risk and --stop' });
  }
  if (amount !== undefined) throw new SvcError('usage', '--risk sets the amount: pass only one of them');
  if (stop === undefined) {
    throw new SvcError('missing_value', '--risk needs a stop: pass --stop <pips|price>; nothing was sent');
  }
  return { risk: parseRisk(risk), stop };
}

/** Prices as values, since `1.10` is `1.1`; of `--expires 2h` and of `--risk` the text, as what they mean changes. */
function askedFor(
  command: string,
  { symbol, amount, risk }: MarketInput,
  { rate, stop, limit, range, ...terms }: Partial<OrderTerms>,
): TypedOrder['asked'] {
  const distance = (one: Distance | undefined) => one && `${one.value} ${one.unit}`;
  const value = (one: Decimal | undefined) => one?.value;
  const prices = { rate: value(rate), range: value(range), stop: distance(stop), limit: distance(limit) };
  const size = risk === undefined ? { amount: Number(amount) } : { risk };
  const asked = { command, symbol: foldedSymbol(symbol), ...size, ...terms, ...prices };
  return Object.fromEntries(Object.entries(asked).filter(([, one]) => one !== undefined));
}
