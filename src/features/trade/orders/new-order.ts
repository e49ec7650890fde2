/** Market and entry orders, from their options to what became of them. */
import type { Answer, RunContext } from '../../../cli/command.ts';
import type { Flags, Instant } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import type { Plan } from '../../../http/endpoint.ts';
import type { JournalEntry } from '../../../store/order-journal.ts';
import { hedges } from '../accounts.ts';
import { createEntryOrder, openTrade } from '../client.ts';
import type { Account, Offer } from '../schema.ts';
import { ORDER_PREVIEW, type OrderReport, reportedOrder } from './change-report.ts';
import { costsText } from './costs.ts';
import type { Opening } from './exposure.ts';
import { type FillReport, FillWatch } from './fills.ts';
import {
  ENTRY_TIME_FLAGS,
  type ExitInput,
  exitsOf,
  MARKET_TIF_FLAG,
  NEW_ORDER_FLAGS,
  RATE_FLAG,
  TRAIL_ENTRY_FLAG,
} from './flags.ts';
import { askedFor, entryForm, marketForm, type OrderTerms } from './forms.ts';
import { aboveMaxOrder, checkLimits, lackOfMargin, openedAmount } from './limits.ts';
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
import { type KeyClaim, type OrderRequest, planOrders } from './placing.ts';
import {
  acceptedBut,
  checkConfirmable,
  checkRepeats,
  confirmOrder,
  connectAndPlace,
  ordersText,
  STALE_MS,
} from './planned-requests.ts';
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

interface SizedOrder {
  readonly draft: NewOrderDraft;
  readonly account: Account;
  readonly offer: Offer;
  readonly opens: Opening;
  readonly sizing: Sizing | undefined;
}

/** With current rows, and with the amount that `--risk` sets. */
async function sizedOrder(typed: NewOrderDraft, wanted: string | undefined, tables: OrderTables): Promise<SizedOrder> {
  const account = await tables.account(wanted);
  const offer = await tables.offer(typed.symbol);
  const { draft, sizing } = withAmount(typed, account, offer);
  const { side, amount, rate } = draft;
  const opens = { account, symbol: offer.currency, side, amount, isEntry: rate !== undefined };
  return { draft, account, offer, opens, sizing };
}

/** Throws if the gateway's state or a limit rules the order out. Returns warnings. */
async function checkOrder(
  { draft, account, offer, opens }: SizedOrder,
  tables: OrderTables,
  ctx: RunContext,
): Promise<readonly string[]> {
  guardOrder(draft, { account, offer });
  await checkLimits(opens, tables, ctx);
  const lack = await lackOfMargin(opens, offer, tables, ctx);
  if (lack === undefined) return [];
  if (opens.isEntry) return [`${lack} now`];
  throw new SvcError('guarded', `${lack}; nothing was sent`, { hint: 'pass a smaller amount, or close positions' });
}

/** The arithmetic of `--risk`, and for a person what the order costs. */
function shownBefore(preview: OrderPreview, { interactive }: RunContext): readonly string[] {
  const costs = interactive ? costsText(preview) : '';
  return [preview.sizing === null ? '' : `amount: ${preview.sizing.arithmetic}`, costs].filter((text) => text !== '');
}

/** How long a person who places an order at market waits for its price. */
const WATCHED_MS = 5_000;

/** What the steps of one command share. */
interface Placing {
  /** The account as given or set; undefined for the only one. */
  readonly wanted: string | undefined;
  readonly requireOpen: boolean;
  readonly tables: OrderTables;
  /** Follows the session from before the order is sent. Undefined if nobody waits. */
  readonly watch: FillWatch | undefined;
}

/** `buy`, `sell`, `entry buy`, `entry sell`: one new order, from the command line to the exit status. */
export async function placeNewOrder(
  draft: NewOrderDraft,
  input: NewOrderInput,
  ctx: RunContext,
): Promise<Answer<OrderReport>> {
  if (input.preview && !ctx.dryRun) return previewed(draft, input, ctx);
  const wanted = wantedAccount(input.account, ctx);
  const once =
    input.once === undefined ? undefined : { key: checkedKey(input.once), asked: draft.asked, account: wanted };
  await checkConfirmable(questionOf(draft), input.account, ctx);
  const isWatched = draft.rate === undefined && ctx.wants.table && ctx.wants.terminal;
  const wait = input.wait ?? (isWatched ? WATCHED_MS : undefined);
  return withOrderTables(ctx, { reconnect: wait !== undefined }, async (tables) => {
    if (ctx.dryRun) return { value: await planNewOrder(draft, wanted, tables, ctx) };
    const watch = wait === undefined ? undefined : new FillWatch(ctx);
    const placing = { wanted, requireOpen: input.requireOpen, tables, watch };
    const accepted = await (once === undefined
      ? sendNewOrder(draft, placing, ctx)
      : sendOnce(once, draft, placing, ctx));
    const [orderId = null] = accepted.orderIds;
    const report = watch === undefined ? accepted.report : await waitForFill(accepted, watch, wait ?? 0, tables, ctx);
    // Nobody asked to wait until it is filled.
    const isKnown = report !== undefined && (input.wait !== undefined || report.status !== 'pending');
    const plain: OrderReport = { order_id: orderId, status: 'accepted', trades: [], closed_trades: [] };
    const answer = isKnown ? reportedOrder(orderId, report) : { value: plain };
    return { ...answer, undo: undoing(draft, answer.value) };
  });
}

function questionOf({ side, sized, amount, symbol }: NewOrderDraft): string {
  return `${side} ${sized === undefined ? amount : 'by risk'} ${symbol}?`;
}

/** A dry run reads what the request is made of, and sends nothing. */
async function planNewOrder(
  typed: NewOrderDraft,
  wanted: string | undefined,
  tables: OrderTables,
  ctx: RunContext,
): Promise<Plan> {
  const { draft, account, offer } = await sizedOrder(typed, wanted, tables);
  const refusal = aboveMaxOrder(draft.amount, offer.currency, ctx);
  // In an account that does not hedge, it may still reduce a position.
  if (refusal !== undefined) ctx.notice(`warning: ${refusal.message}`);
  return planOrders([{ request: draft.request(account.accountId, offer.currency) }], ctx);
}

/** An order that the gateway has accepted, now or under the same key before. */
interface AcceptedOrder {
  readonly orderIds: readonly string[];
  readonly journalId: string;
  readonly key: string | undefined;
  /** Undefined if it is known how the order ended, or nothing can be found by. */
  readonly awaited: AwaitedOrder | undefined;
  /** How it ended, as the journal has it. */
  readonly report: FillReport | undefined;
}

/** Sends nothing if the journal has an order of the same key that was, or may have been, executed. */
async function sendOnce(once: Once, draft: NewOrderDraft, placing: Placing, ctx: RunContext): Promise<AcceptedOrder> {
  for (;;) {
    const entry = await readEarlier(once, placing.tables, ctx);
    if (entry !== undefined && !maySendAgain(entry)) return readAccepted(entry, once, draft, placing, ctx);
    try {
      return await sendNewOrder(draft, placing, ctx, claimOf(once.key, entry, ctx));
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
  draft: NewOrderDraft,
  { tables, watch }: Placing,
  ctx: RunContext,
): Promise<AcceptedOrder> {
  requireAccepted(entry, key, ctx);
  const report = reportOf(entry);
  const { id: journalId, order_ids: orderIds, at, form } = entry;
  const accepted = { orderIds, journalId, key, report, awaited: undefined };
  const [orderId] = orderIds;
  if (report !== undefined || watch === undefined || orderId === undefined) return accepted;
  const [accountId, symbol, amount] = [String(form['account_id']), String(form['symbol']), Number(form['amount'])];
  const amountK = thousands(amount, await tables.offer(symbol));
  const skew = entry.clock_skew ?? (await tables.open()).session.clockSkewMs ?? 0;
  const order = { orderId, accountId, symbol, side: draft.side, amountK, rate: draft.rate?.value };
  return { ...accepted, awaited: { ...order, sentAt: Date.parse(at) + skew } };
}

/** Reads, checks, confirms, writes to the journal and sends. Throws unless the order is accepted. */
async function sendNewOrder(
  typed: NewOrderDraft,
  placing: Placing,
  ctx: RunContext,
  once?: KeyClaim,
): Promise<AcceptedOrder> {
  const { wanted, tables, watch } = placing;
  const readAt = ctx.now();
  const sized = await sizedOrder(typed, wanted, tables);
  const checked = await checkNewOrder(sized, placing, ctx);
  for (const text of new Set([...checked.warnings, ...shownBefore(checked, ctx)])) ctx.notice(text);

  const { accountId } = sized.account;
  const asked = { ...sized.draft.asked, account: wanted };
  const request: OrderRequest = {
    ...sized.draft.request(accountId, sized.offer.currency),
    asked,
    ...(once && { once }),
  };
  // A new key says that a new order is meant.
  const repeatable = { path: request.endpoint.path, form: request.form, asked, blocksRepeat: once === undefined };
  const sentence = `${orderSentence(sized.draft, checked)}?`;
  const question = await checkRepeats(sentence, [repeatable], ctx);
  let confirmed = await confirmOrder(question, accountId, ctx);
  let order = sized;
  if (ctx.now() - readAt >= STALE_MS) {
    tables.invalidate();
    order = await readAgain(typed, sized, tables);
    checkSameOrder(checked, await checkNewOrder(order, placing, ctx), ctx);
    const again = await checkRepeats(sentence, [repeatable], ctx);
    if (again !== question) confirmed = await confirmOrder(again, accountId, ctx);
  }

  const { draft, account, offer, opens } = order;
  const known = { amount: draft.amount, symbol: offer.currency, account, offer };
  const placed = await connectAndPlace({ request, opens, known }, { confirmed, tables, watch }, ctx);
  if (placed.error !== undefined) throw placed.error;
  const { orderIds, journalId, sentAt } = placed;
  const sent = { accountId, symbol: offer.currency, side: draft.side, rate: draft.rate?.value };
  const amountK = thousands(draft.amount, offer);
  const awaited = { ...sent, orderId: orderIds[0] ?? '', amountK, hedges: hedges(account), sentAt };
  return { orderIds, journalId, key: once?.key, awaited, report: undefined };
}

/** With current rows, and the amount that was confirmed. Throws if `--risk` allows only a smaller one by now. */
async function readAgain(
  typed: NewOrderDraft,
  { draft, account }: SizedOrder,
  tables: OrderTables,
): Promise<SizedOrder> {
  const { amount } = draft;
  const now = await sizedOrder(typed, account.accountId, tables);
  if (now.draft.amount < amount) {
    const why = `the price moved before you confirmed: --risk now allows only ${now.draft.amount}, not ${amount}`;
    throw new SvcError('guarded', `${why}; nothing was sent`);
  }
  return { ...now, draft: typed.sized?.to(amount) ?? now.draft, opens: { ...now.opens, amount } };
}

/** Throws if the gateway's state or a limit rules the order out. */
async function checkNewOrder(
  order: SizedOrder,
  { requireOpen, tables }: Placing,
  ctx: RunContext,
): Promise<OrderPreview> {
  if (requireOpen) checkOpen(order.draft.side, order.offer, ctx.now());
  const warnings = await checkOrder(order, tables, ctx);
  const shown = previewOrder(order.draft, { ...order, now: ctx.now() });
  return { ...shown, warnings: [...shown.warnings, ...warnings] };
}

/** Throws if the order has become one of another kind while the user confirmed it. */
function checkSameOrder(before: OrderPreview, now: OrderPreview, ctx: RunContext): void {
  const was = `the price moved from ${before.rate} to ${now.rate} before you confirmed`;
  if (now.order !== before.order) {
    throw new SvcError('guarded', `${was}, so the ${before.order} is now a ${now.order}; nothing was sent`);
  }
  if (now.rate !== before.rate && now.rate !== null && before.rate !== null) ctx.notice(was);
  for (const warning of now.warnings) if (!before.warnings.includes(warning)) ctx.notice(warning);
}

/** Undefined for an order of an earlier run of which nothing can be found. */
async function waitForFill(
  { orderIds, journalId, key, awaited, report }: AcceptedOrder,
  watch: FillWatch,
  wait: number,
  tables: OrderTables,
  ctx: RunContext,
): Promise<FillReport | undefined> {
  if (awaited === undefined) return report;
  if (!watch.isFollowing) {
    // An earlier run has sent it.
    const { session, trading } = await tables.open();
    await watch.follow(session, trading);
    await watch.refresh();
  }
  ctx.notice(`${ordersText(orderIds)} accepted; waiting for fills`);
  try {
    const found = await watch.wait(awaited, wait);
    await keepReport({ journalId, orderIds, report: found, isOnce: key !== undefined }, ctx);
    return found;
  } catch (error) {
    throw acceptedBut(error, orderIds);
  }
}

/** Cancels an entry order that is still open, and closes the trades that are. Until a market order is filled nothing can be said. */
function undoing({ rate }: NewOrderDraft, report: OrderReport): NonNullable<Answer<unknown>['undo']> {
  const { order_id, status, trades, closed_trades } = report;
  const isPending = rate !== undefined && (status === 'accepted' || status === 'pending');
  // A trade may be stopped out at once.
  const open = trades.filter(({ trade_id }) => closed_trades.every((closed) => closed.trade_id !== trade_id));
  return [
    ...(isPending && order_id !== null ? [['trade', 'orders', 'cancel', order_id]] : []),
    ...(open.length > 0 ? [['trade', 'close', ...open.map(({ trade_id }) => trade_id)]] : []),
  ];
}

function previewed(draft: NewOrderDraft, input: NewOrderInput, ctx: RunContext): Promise<Answer<OrderReport>> {
  return withOrderTables(ctx, {}, async (tables): Promise<Answer<OrderReport>> => {
    const order = await sizedOrder(draft, wantedAccount(input.account, ctx), tables);
    if (input.requireOpen) checkOpen(draft.side, order.offer, ctx.now());
    const { warnings = [], refusal = null } = await checkOrder(order, tables, ctx).then(
      (warnings) => ({ warnings, refusal: undefined }),
      (error: unknown) => ({ warnings: undefined, refusal: refusalText(error) }),
    );
    const opened = await openedAmount(order.opens, tables, ctx);
    const shown = previewOrder(order.draft, { ...order, opened, now: ctx.now() });
    const all = [...shown.warnings, ...warnings];
    return { value: { ...shown, warnings: all, refusal }, as: ORDER_PREVIEW };
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

export interface MarketTerms extends ExitInput {
  readonly symbol: string;
  readonly amount?: string | undefined;
  readonly risk?: string | undefined;
  readonly tif?: TimeInForce | undefined;
}

export interface EntryTerms extends MarketTerms {
  readonly rate: string;
  readonly trailEntry?: string | undefined;
  readonly expires?: Instant | undefined;
}

/** An order whose own values are valid. */
export interface NewOrderDraft extends OrderTerms {
  /** As typed. */
  readonly symbol: string;
  /** For `--once`: its terms as asked for. */
  readonly asked: Readonly<Record<string, unknown>>;
  /** With `--risk`; the amount is 0 until then. */
  readonly sized?: { readonly risk: Risk; readonly to: (amount: number) => NewOrderDraft };
  request(accountId: string, symbol: string): OrderRequest;
}

/** Throws if a value is invalid by itself. */
export function marketDraft(side: Side, input: MarketTerms): NewOrderDraft {
  const exits = exitsOf(input);
  const tif = timeInForce(exits.range === undefined ? 'AtMarket' : 'MarketRange', input.tif);
  return sizedDraft(input, (amount) => {
    const terms = { side, amount, tif, ...exits };
    const asked = askedFor(side, input.symbol, { ...asAsked(amount, input), tif, ...exits });
    const request = (accountId: string, symbol: string) => ({
      endpoint: openTrade,
      form: marketForm({ accountId, symbol, ...terms }),
      command: side,
      what: `to ${side} ${amount} ${symbol} at market`,
      makesOrder: true,
    });
    return { ...terms, symbol: input.symbol, asked, request };
  });
}

/** The same for an entry order. */
export function entryDraft(side: Side, input: EntryTerms, now: number): NewOrderDraft {
  const rate = parseRate(input.rate);
  const exits = exitsOf(input);
  checkExitPrices({ side, ...exits }, rate.value);
  const trailEntry = input.trailEntry === undefined ? undefined : parseTrail(input.trailEntry, '--trail-entry');
  const type = exits.range === undefined ? 'Entry' : 'RangeEntry';
  const tif = timeInForce(type, input.tif, input.expires !== undefined);
  const expires = input.expires === undefined ? undefined : expiration(input.expires.ms, now);
  return sizedDraft(input, (amount) => {
    const terms = { side, amount, tif, rate, expires, trailEntry, ...exits };
    const typed = { ...asAsked(amount, input), tif, rate, trailEntry, ...exits, expires: input.expires?.text };
    const asked = askedFor(`entry ${side}`, input.symbol, typed);
    const request = (accountId: string, symbol: string) => ({
      endpoint: createEntryOrder,
      form: entryForm({ accountId, symbol, ...terms }),
      command: `entry ${side}`,
      what: `to ${side} ${amount} ${symbol} at ${rate.text}`,
      makesOrder: true,
    });
    return { ...terms, symbol: input.symbol, asked, request };
  });
}

/** For `--once`: of `--risk` the text, as the amount follows the equity. */
function asAsked(amount: number, { risk }: MarketTerms): { readonly amount: number } | { readonly risk: string } {
  return risk === undefined ? { amount } : { risk };
}

/** From an amount or `--risk`: one of them. */
function sizedDraft({ amount, risk, stop }: MarketTerms, to: (amount: number) => NewOrderDraft): NewOrderDraft {
  if (risk === undefined) {
    if (amount !== undefined) return to(parseAmount(amount));
    throw new SvcError('missing_value', "missing required argument 'amount'", { hint: 'or pass --risk and --stop' });
  }
  if (amount !== undefined) throw new SvcError('usage', '--risk sets the amount: pass only one of them');
  if (stop === undefined) {
    throw new SvcError('missing_value', '--risk needs a stop: pass --stop <pips|price>; nothing was sent');
  }
  return { ...to(0), sized: { risk: parseRisk(risk), to } };
}

/** With the amount that `--risk` sets. */
export function withAmount(
  draft: NewOrderDraft,
  account: Account,
  offer: Offer,
): { readonly draft: NewOrderDraft; readonly sizing: Sizing | undefined } {
  const { sized, side, stop, rate } = draft;
  if (sized === undefined || stop === undefined) return { draft, sizing: undefined };
  const price = rate?.text ?? priceFor(side, offer);
  const sizing = sizeOf({ risk: sized.risk, side, stop, rate: price }, account, offer);
  return { draft: sized.to(sizing.amount), sizing };
}
