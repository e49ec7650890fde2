/** Market and entry orders: from their options to a planned request. */
import type { Answer, RunContext } from '../../cli/command.ts';
import type { Flags, Instant } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
import { Plan } from '../../http/endpoint.ts';
import { budgetPath, CallBudgetFile } from '../../store/call-budget.ts';
import { findAccount, hedges } from './accounts.ts';
import { createEntryOrder, openTrade } from './client.ts';
import { CALL_LIMITS, type CallsLeft } from './counted-caller.ts';
import { aboveMaxOrder, wantedAccount } from './order-account.ts';
import {
  ENTRY_TIME_FLAGS,
  type ExitInput,
  exitsOf,
  MARKET_TIF_FLAG,
  NEW_ORDER_FLAGS,
  RATE_FLAG,
  TRAIL_ENTRY_FLAG,
} from './order-flags.ts';
import { entryForm, marketForm, type OrderTerms } from './order-forms.ts';
import {
  checkOpen,
  guardOrder,
  isBarred,
  type OrderPreview,
  orderSentence,
  previewOrder,
  thousands,
} from './order-preview.ts';
import {
  checkExitPrices,
  expiration,
  parseAmount,
  parseRate,
  parseTrail,
  type Side,
  type TimeInForce,
  timeInForce,
} from './order-rules.ts';
import { acceptedOrder, ORDER_PREVIEW, type OrderReport, reportedOrder } from './orders.ts';
import type { OrderRequest, PlannedRequest } from './placing.ts';
import { type Change, type ChangeInput, carryOutEach } from './planned-requests.ts';
import type { Account } from './schema.ts';
import { type TableCache, withTableCache } from './table-cache.ts';
import { commandNumbersOf, gatewayToken } from './trading-session.ts';

export const MARKET_FLAGS = { tif: MARKET_TIF_FLAG, ...NEW_ORDER_FLAGS } as const satisfies Flags;

export const ENTRY_FLAGS = {
  rate: { ...RATE_FLAG, required: true },
  'trail-entry': TRAIL_ENTRY_FLAG,
  ...ENTRY_TIME_FLAGS,
  ...NEW_ORDER_FLAGS,
} as const satisfies Flags;

export interface MarketTerms extends ExitInput {
  readonly symbol: string;
  readonly amount: string;
  readonly tif?: TimeInForce | undefined;
}

export interface EntryTerms extends MarketTerms {
  readonly rate: string;
  readonly trailEntry?: string | undefined;
  readonly expires?: Instant | undefined;
}

export interface NewOrderInput extends ChangeInput {
  readonly wait?: number | undefined;
  readonly preview: boolean;
  readonly requireOpen: boolean;
}

/** An order whose own values are valid. */
export interface NewOrderDraft extends OrderTerms {
  /** As typed. */
  readonly symbol: string;
  request(accountId: string, symbol: string): OrderRequest;
}

/** Throws if a value is invalid by itself. */
export function marketDraft(side: Side, input: MarketTerms): NewOrderDraft {
  const amount = parseAmount(input.amount);
  const exits = exitsOf(input);
  const tif = timeInForce(exits.range === undefined ? 'AtMarket' : 'MarketRange', input.tif);
  const terms = { side, amount, tif, ...exits };
  const request = (accountId: string, symbol: string) => ({
    endpoint: openTrade,
    form: marketForm({ accountId, symbol, ...terms }),
    command: side,
    what: `to ${side} ${amount} ${symbol} at market`,
    makesOrder: true,
  });
  return { ...terms, symbol: input.symbol, request };
}

/** The same for an entry order. */
export function entryDraft(side: Side, input: EntryTerms, now: number): NewOrderDraft {
  const amount = parseAmount(input.amount);
  const rate = parseRate(input.rate);
  const exits = exitsOf(input);
  checkExitPrices({ side, ...exits }, rate.value);
  const trailEntry = input.trailEntry === undefined ? undefined : parseTrail(input.trailEntry, '--trail-entry');
  const type = exits.range === undefined ? 'Entry' : 'RangeEntry';
  const tif = timeInForce(type, input.tif, input.expires !== undefined);
  const expires = input.expires === undefined ? undefined : expiration(input.expires.ms, now);
  const terms = { side, amount, tif, rate, expires, trailEntry, ...exits };
  const request = (accountId: string, symbol: string) => ({
    endpoint: createEntryOrder,
    form: entryForm({ accountId, symbol, ...terms }),
    command: `entry ${side}`,
    what: `to ${side} ${amount} ${symbol} at ${rate.text}`,
    makesOrder: true,
  });
  return { ...terms, symbol: input.symbol, request };
}

interface OpeningInput {
  readonly account?: string | undefined;
  readonly requireOpen?: boolean | undefined;
}

export function opening(draft: NewOrderDraft, { account, requireOpen = false }: OpeningInput, ctx: RunContext): Change {
  const wanted = wantedAccount(account, ctx);
  return {
    question: `${draft.side} ${draft.amount} ${draft.symbol}?`,
    plan: async (cache) => [await planOrder(draft, { wanted, requireOpen }, cache, ctx)],
    goesOn: () => false,
  };
}

interface Planning {
  readonly wanted: string | undefined;
  readonly requireOpen?: boolean;
}

/** Throws if the gateway's state rules the order out. */
export async function planOrder(
  draft: NewOrderDraft,
  { wanted, requireOpen = false }: Planning,
  cache: TableCache,
  ctx: RunContext,
): Promise<PlannedRequest> {
  const { side, amount } = draft;
  if (ctx.dryRun) {
    const accountId = await cache.accountId(wanted);
    const request = draft.request(accountId, await cache.symbol(draft.symbol));
    return { request, accountId, does: request.what };
  }
  const found = await cache.checkedAccount(wanted);
  const offer = await cache.offer(draft.symbol);
  const account = await freshIfBarred(found, cache);
  const preview = async (cache: TableCache): Promise<OrderPreview> => {
    const offer = await cache.offer(draft.symbol);
    if (requireOpen) checkOpen(side, offer, ctx.now());
    guardOrder(draft, { account, offer });
    await checkMaxOrder(draft, { account, symbol: offer.currency }, cache, ctx);
    return previewOrder(draft, { account, offer, now: ctx.now() });
  };
  const before = await preview(cache);
  const { accountId } = account;
  const { currency: symbol } = offer;
  const amountK = thousands(amount, offer);
  const order = { accountId, symbol, side, amountK, amount, rate: draft.rate?.value, hedges: hedges(account) };
  return {
    request: draft.request(accountId, symbol),
    known: { amount, symbol, account, offer },
    accountId,
    does: orderSentence(draft, before),
    warnings: before.warnings,
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

/** Never refuses a market order that only reduces the net position of a non-hedging account. */
async function checkMaxOrder(
  { side, amount, rate }: NewOrderDraft,
  { account, symbol }: { readonly account: Account; readonly symbol: string },
  cache: TableCache,
  ctx: RunContext,
): Promise<void> {
  const refusal = aboveMaxOrder(amount, symbol, ctx);
  if (refusal === undefined) return;
  // An entry order may fill after the position is closed.
  if (rate === undefined && hedges(account) === false) {
    const seen = await cache.positions(() => false);
    if (!seen?.isFresh) {
      throw new SvcError('limited', `${refusal.message}: current positions could not be read`, {
        hint: `to reduce the position: svc trade close --symbol ${symbol}`,
      });
    }
    let net = 0;
    for (const row of seen.rows) {
      if ((row.accountId ?? account.accountId) !== account.accountId || row.currency !== symbol) continue;
      // An unknown side or amount refuses the order.
      const sign = row.isBuy === undefined ? Number.NaN : row.isBuy ? 1 : -1;
      net += sign * ((await cache.amountOf(row)) ?? Number.NaN);
    }
    if (amount <= (side === 'buy' ? -net : net)) return;
  }
  throw refusal;
}

/** The cached account may be a day old: read it again before refusing. */
async function freshIfBarred(account: Account, cache: TableCache): Promise<Account> {
  return isBarred(account) ? findAccount(await cache.freshAccounts(), account.accountId) : account;
}

/** `buy`, `sell`, `entry buy`, `entry sell`. */
export async function placeNewOrder(
  draft: NewOrderDraft,
  input: NewOrderInput,
  ctx: RunContext,
): Promise<Answer<OrderReport>> {
  if (input.preview && !ctx.dryRun) return previewed(draft, input, ctx);
  const outcomes = await carryOutEach(opening(draft, input, ctx), input, ctx);
  if (outcomes instanceof Plan) return { value: outcomes };
  const [{ placed, report } = {}] = outcomes;
  const [orderId = ''] = placed?.orderIds ?? [];
  const answer = report === undefined ? { value: acceptedOrder(orderId) } : reportedOrder(orderId, report);
  return { ...answer, undo: undoing(draft, answer.value) };
}

/** Closes what was filled, or cancels an entry order. Until a market order is filled nothing can be said. */
function undoing({ rate }: NewOrderDraft, { orderId, status, trades }: OrderReport): readonly string[] | undefined {
  if (trades.length > 0) return ['trade', 'close', ...trades.map(({ tradeId }) => tradeId)];
  const isOpen = rate !== undefined && orderId !== '' && (status === 'accepted' || status === 'pending');
  return isOpen ? ['trade', 'orders', 'cancel', orderId] : undefined;
}

function previewed(draft: NewOrderDraft, input: NewOrderInput, ctx: RunContext): Promise<Answer<OrderReport>> {
  return withTableCache(ctx, input, async (cache): Promise<Answer<OrderReport>> => {
    const found = await cache.checkedAccount(wantedAccount(input.account, ctx));
    const offer = await cache.offer(draft.symbol);
    const account = await freshIfBarred(found, cache);
    if (input.requireOpen) checkOpen(draft.side, offer, ctx.now());
    const value = { ...previewOrder(draft, { account, offer, now: ctx.now() }), callsLeft: await callsLeft(ctx) };
    return { value, as: ORDER_PREVIEW };
  });
}

/** The calls left for checking an order's outcome. */
async function callsLeft(ctx: RunContext): Promise<readonly CallsLeft[]> {
  const token = await gatewayToken(ctx);
  const file = new CallBudgetFile(budgetPath(ctx.paths, ctx.target.baseUrl.href, token.reveal()), ctx);
  const { OpenPosition, Order, ClosedPosition } = await commandNumbersOf(ctx);
  return CALL_LIMITS.filter(({ cmd }) => [OpenPosition, Order, ClosedPosition].includes(cmd)).map((limit) => {
    const { cmd, does, maxCalls: max } = limit;
    return { cmd, does, left: max - file.usage(limit).used, max };
  });
}
