/** Market and entry orders: from their options to a planned request. */
import type { Answer, RunContext } from '../../../cli/command.ts';
import type { Flags, Instant } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import { hedges } from '../accounts.ts';
import { createEntryOrder, openTrade } from '../client.ts';
import type { Account, Offer } from '../schema.ts';
import { ORDER_PREVIEW, type OrderReport, reportedOrder } from './change-report.ts';
import { costsText } from './costs.ts';
import type { Opening } from './exposure.ts';
import {
  ENTRY_TIME_FLAGS,
  type ExitInput,
  exitsOf,
  MARKET_TIF_FLAG,
  NEW_ORDER_FLAGS,
  RATE_FLAG,
  TRAIL_ENTRY_FLAG,
} from './flags.ts';
import { askedFor, entryForm, marketForm, type OrderForm, type OrderTerms } from './forms.ts';
import { aboveMaxOrder, checkLimits, lackOfMargin, openedAmount } from './limits.ts';
import { checkedKey, type Once } from './once.ts';
import type { OrderRequest, PlannedRequest } from './placing.ts';
import { type Change, type ChangeInput, carryOutEach } from './planned-requests.ts';
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
import { type TableCache, wantedAccount, withTableCache } from './table-cache.ts';

export interface NewOrderInput extends ChangeInput {
  readonly wait?: number | undefined;
  readonly once?: string | undefined;
  readonly preview: boolean;
  readonly requireOpen: boolean;
}

function opening(draft: NewOrderDraft, { account, once, requireOpen }: NewOrderInput, ctx: RunContext): Change {
  const wanted = wantedAccount(account, ctx);
  return {
    once: once === undefined ? undefined : orderOnce(once, draft, wanted),
    question: `${draft.side} ${draft.sized === undefined ? draft.amount : 'by risk'} ${draft.symbol}?`,
    plan: async (cache) => [await planOrder(draft, { wanted, requireOpen }, cache, ctx)],
    goesOn: false,
  };
}

function orderOnce(key: string, draft: NewOrderDraft, account: string | undefined): Once {
  return {
    key: checkedKey(key),
    asked: draft.asked,
    account,
    async again(entry, cache, waits) {
      const form = entry.form as OrderForm;
      const [accountId, symbol] = [String(form['account_id']), String(form['symbol'])];
      const request = { ...draft.request(accountId, symbol), form, once: { key } };
      const planned = { request, accountId, does: request.what };
      if (!waits) return planned;
      const amount = Number(form['amount']);
      const amountK = thousands(amount, await cache.offer(symbol));
      const skew = entry.clock_skew ?? (await cache.open()).session.clockSkewMs ?? 0;
      const sentAt = Date.parse(entry.at) + skew;
      const order = { accountId, symbol, side: draft.side, amountK, amount, rate: draft.rate?.value };
      return { ...planned, awaits: ({ orderIds: [orderId = ''] }) => ({ ...order, orderId, sentAt }) };
    },
  };
}

/** Throws if the gateway's state rules the order out. */
async function planOrder(
  typed: NewOrderDraft,
  { wanted, requireOpen }: { readonly wanted: string | undefined; readonly requireOpen: boolean },
  cache: TableCache,
  ctx: RunContext,
): Promise<PlannedRequest> {
  if (ctx.dryRun) {
    if (typed.sized !== undefined) {
      throw new SvcError('usage', 'a dry run does not connect, so --risk cannot set the amount', {
        hint: 'pass --preview instead of --dry-run, or an amount',
      });
    }
    const accountId = await cache.accountId(wanted);
    const symbol = await cache.symbol(typed.symbol);
    const refusal = aboveMaxOrder(typed.amount, symbol, ctx);
    // In an account that does not hedge, it may still reduce a position.
    if (refusal !== undefined) ctx.notice(`warning: ${refusal.message}`);
    const request = typed.request(accountId, symbol);
    return { request, accountId, does: request.what };
  }
  const { draft, account, offer, opens } = await sizedOrder(typed, wanted, cache);
  const { side, amount } = draft;
  const preview = async (cache: TableCache): Promise<OrderPreview> => {
    const now = await sizedOrder(typed, account.accountId, cache);
    if (now.draft.amount < amount) {
      const why = `the price moved before you confirmed: --risk now allows only ${now.draft.amount}, not ${amount}`;
      throw new SvcError('guarded', `${why}; nothing was sent`);
    }
    if (requireOpen) checkOpen(side, now.offer, ctx.now());
    const warnings = await checkOrder({ ...now, draft, opens }, cache, ctx);
    const shown = previewOrder(draft, { ...now, now: ctx.now() });
    return { ...shown, warnings: [...shown.warnings, ...warnings] };
  };
  const before = await preview(cache);
  const { accountId } = account;
  const { currency: symbol } = offer;
  const amountK = thousands(amount, offer);
  const order = { accountId, symbol, side, amountK, amount, rate: draft.rate?.value, hedges: hedges(account) };
  return {
    request: { ...draft.request(accountId, symbol), asked: { ...draft.asked, account: wanted } },
    known: { amount, symbol, account, offer },
    accountId,
    opens,
    does: orderSentence(draft, before),
    warnings: [...before.warnings, ...shownBefore(before, ctx)],
    async recheck(cache) {
      const now = await preview(cache);
      const was = `the price moved from ${before.rate} to ${now.rate} before you confirmed`;
      if (now.order !== before.order) {
        throw new SvcError('guarded', `${was}, so the ${before.order} is now a ${now.order}; nothing was sent`);
      }
      if (now.rate !== before.rate) ctx.notice(was);
    },
    awaits: ({ orderIds: [orderId = ''], sentAt }) => ({ ...order, orderId, sentAt }),
  };
}

interface SizedOrder {
  readonly draft: NewOrderDraft;
  readonly account: Account;
  readonly offer: Offer;
  readonly opens: Opening;
  readonly sizing: Sizing | undefined;
}

/** With current rows, and with the amount that `--risk` sets. */
async function sizedOrder(typed: NewOrderDraft, wanted: string | undefined, cache: TableCache): Promise<SizedOrder> {
  const account = await cache.currentAccount(wanted);
  const offer = await cache.offer(typed.symbol);
  const { draft, sizing } = withAmount(typed, account, offer);
  const { side, amount, rate } = draft;
  const opens = { account, symbol: offer.currency, side, amount, isEntry: rate !== undefined };
  return { draft, account, offer, opens, sizing };
}

/** Throws if the gateway's state or a limit rules the order out. Returns warnings. */
async function checkOrder(
  { draft, account, offer, opens }: SizedOrder,
  cache: TableCache,
  ctx: RunContext,
): Promise<readonly string[]> {
  guardOrder(draft, { account, offer });
  await checkLimits(opens, cache, ctx);
  const lack = await lackOfMargin(opens, offer, cache, ctx);
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

/** `buy`, `sell`, `entry buy`, `entry sell`. */
export async function placeNewOrder(
  draft: NewOrderDraft,
  input: NewOrderInput,
  ctx: RunContext,
): Promise<Answer<OrderReport>> {
  if (input.preview && !ctx.dryRun) return previewed(draft, input, ctx);
  const isWatched = draft.rate === undefined && ctx.wants.table && ctx.wants.terminal;
  const wait = input.wait ?? (isWatched ? WATCHED_MS : undefined);
  const outcomes = await carryOutEach(opening(draft, input, ctx), { ...input, wait }, ctx);
  if (outcomes instanceof Plan) return { value: outcomes };
  const [{ placed, report: found } = {}] = outcomes;
  // Nobody asked to wait until it is filled.
  const report = input.wait === undefined && found?.status === 'pending' ? undefined : found;
  const [orderId = null] = placed?.orderIds ?? [];
  const accepted: OrderReport = { order_id: orderId, status: 'accepted', trades: [], closed_trades: [] };
  const answer = report === undefined ? { value: accepted } : reportedOrder(orderId, report);
  return { ...answer, undo: undoing(draft, answer.value) };
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
  return withTableCache(ctx, input, async (cache): Promise<Answer<OrderReport>> => {
    const order = await sizedOrder(draft, wantedAccount(input.account, ctx), cache);
    if (input.requireOpen) checkOpen(draft.side, order.offer, ctx.now());
    const { warnings = [], refusal = null } = await checkOrder(order, cache, ctx).then(
      (warnings) => ({ warnings, refusal: undefined }),
      (error: unknown) => ({ warnings: undefined, refusal: refusalText(error) }),
    );
    const opened = await openedAmount(order.opens, cache, ctx);
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
      opens: true as const,
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
      opens: true as const,
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
