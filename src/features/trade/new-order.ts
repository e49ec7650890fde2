/** The way of an order that opens something: from what was typed to its fills. */

import type { Answer, RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { shellWord } from '../../http/as-curl.ts';
import type { Confirmed } from '../../http/endpoint.ts';
import type { CallsLeft } from './counted-caller.ts';
import type { FillWatch } from './fills.ts';
import { freshAccounts, keptAccountId, keptSymbol, liveOffer, orderAccount, wantedAccount } from './order-account.ts';
import type { LostOrder } from './order-candidates.ts';
import { checkConfirmable, confirmOrder, STALE_MS, warnOfRepeats } from './order-confirmation.ts';
import type { OrderPreview, OrderTerms } from './order-preview.ts';
import { planOrders, type SendingDetails, sendOrder } from './order-sending.ts';
import type { OrderReport } from './orders.ts';
import type { OrderRequest, Placed } from './placing.ts';
import type { Account, Offer } from './schema.ts';
import {
  commandNumbersOf,
  gatewayToken,
  type TradingOptions,
  type TradingSession,
  withTrading,
} from './trading-session.ts';

export interface NewOrderInput extends TradingOptions {
  readonly account?: string | undefined;
  readonly wait?: number | undefined;
  readonly preview: boolean;
  readonly requireOpen: boolean;
}

/** An order whose own values hold. */
export interface NewOrderDraft extends OrderTerms {
  /** As typed. */
  readonly symbol: string;
  request(accountId: string, symbol: string): OrderRequest;
}

type Rendering = NonNullable<Answer<unknown>['as']>;

export async function placeNewOrder(
  draft: NewOrderDraft,
  input: NewOrderInput,
  previewAs: Rendering,
  ctx: RunContext,
): Promise<Answer<OrderReport>> {
  const wanted = wantedAccount(input.account, ctx);
  if (ctx.dryRun) {
    const request = draft.request(await keptAccountId(wanted, ctx), await keptSymbol(draft.symbol, ctx));
    return { value: await planOrders([request], ctx) };
  }
  const { side, amount, symbol } = draft;
  if (!input.preview) await checkConfirmable(`${side} ${amount} ${symbol}?`, input.account, ctx);
  const options: TradingOptions = { ...input, reconnect: input.wait !== undefined, forOrder: true };
  return withTrading(ctx, options, async (open) => {
    const { previewOrder, isBarred, checkOpen } = await import('./order-preview.ts');
    const found = await orderAccount(wanted, open);
    const offer = await liveOffer(symbol, open);
    // What was kept of the account may be a day old: that alone is no reason to refuse.
    const account = isBarred(found) ? await freshAccount(found, open) : found;
    if (input.requireOpen) checkOpen(side, offer, ctx.now());
    if (input.preview) {
      const preview = previewOrder(draft, { account, offer, now: ctx.now() });
      return { value: { ...preview, callsLeft: await callsLeft(ctx) }, as: previewAs };
    }
    const agreed = await confirm(draft, { account, offer, open }, ctx);
    if (input.requireOpen) checkOpen(side, agreed.offer, ctx.now());
    return send({ draft, account, ...agreed, open, options, wait: input.wait }, ctx);
  });
}

/** Returns the offer by which it holds. Where the answer took its time it is looked again, and nothing is sent that would be another order by now. */
async function confirm(
  draft: NewOrderDraft,
  { account, offer, open }: Pick<ConfirmedOrder, 'account' | 'offer' | 'open'>,
  ctx: RunContext,
): Promise<Pick<ConfirmedOrder, 'offer' | 'confirmed'>> {
  const { previewOrder, guardOrder } = await import('./order-preview.ts');
  const { orderSentence } = await import('./order-preview.ts');
  const previewBy = (seen: Offer): OrderPreview => {
    guardOrder(draft, { account, offer: seen });
    return previewOrder(draft, { account, offer: seen, now: ctx.now() });
  };
  const before = previewBy(offer);
  for (const warning of before.warnings) ctx.notice(warning);
  const askedAt = ctx.now();
  const { endpoint, form } = draft.request(account.accountId, offer.currency);
  const question = await warnOfRepeats(`${orderSentence(draft, before)}?`, [{ path: endpoint.path, form }], ctx);
  const confirmed = await confirmOrder(question, account.accountId, ctx);
  if (ctx.now() - askedAt < STALE_MS) return { offer, confirmed };
  const fresh = await liveOffer(draft.symbol, open);
  const now = previewBy(fresh);
  if (now.order !== before.order) {
    throw new SvcError(
      'guarded',
      `while it was confirmed the price went on: it was ${before.order}, and is ${now.order} now; nothing was sent`,
    );
  }
  if (now.rate !== before.rate) ctx.notice(`while it was confirmed the price went from ${before.rate} to ${now.rate}`);
  return { offer: fresh, confirmed };
}

async function freshAccount({ accountId }: Account, open: TradingSession): Promise<Account> {
  const { findAccount } = await import('./accounts.ts');
  return findAccount(await freshAccounts(open), accountId);
}

/** What to look for where the answer is lost: without hedging it may have closed something and opened nothing. */
export async function openingDetails(
  { side, amount, rate }: Pick<OrderTerms, 'side' | 'amount' | 'rate'>,
  account: Account,
  offer: Offer,
): Promise<SendingDetails> {
  const { hedges } = await import('./accounts.ts');
  const { thousands } = await import('./order-preview.ts');
  const { accountId } = account;
  const { currency: symbol } = offer;
  const amountK = thousands(amount, offer);
  const order: LostOrder = { accountId, symbol, side, amountK, amount, rate: rate?.value, hedges: hedges(account) };
  const seen: SendingDetails['seen'] = async (tables, sentAt) => {
    const { closingTraces, otherSide } = await import('./closing-traces.ts');
    return closingTraces(otherSide(order, undefined), sentAt, tables);
  };
  return {
    lost: [order],
    known: { amount, symbol, account, offer },
    ...(order.hedges === true || rate !== undefined ? {} : { seen }),
  };
}

interface ConfirmedOrder {
  readonly confirmed: Confirmed;
  readonly draft: NewOrderDraft;
  readonly account: Account;
  readonly offer: Offer;
  readonly open: TradingSession;
  readonly options: TradingOptions;
  readonly wait: number | undefined;
}

async function send(order: ConfirmedOrder, ctx: RunContext): Promise<Answer<OrderReport>> {
  const { draft, account, offer, open, options, wait, confirmed } = order;
  const { accountId } = account;
  const { currency: symbol } = offer;
  const { acceptedOrder } = await import('./orders.ts');
  const { watchFills } = await import('./fills.ts');
  const watch = wait === undefined ? undefined : watchFills(ctx);
  await watch?.follow(open.session, open.unlimited);
  const details = await openingDetails(draft, account, offer);
  const request = draft.request(accountId, symbol);
  const placed = await sendOrder(request, confirmed, open, details, { ...options, wait, watch }, ctx);
  if (watch === undefined || wait === undefined) return { value: acceptedOrder(placed.orderIds[0] ?? '') };
  return filled(placed, { watch, wait }, order, ctx);
}

async function filled(
  { orderIds: [orderId = ''], sentAt }: Placed,
  { watch, wait }: { readonly watch: FillWatch; readonly wait: number },
  { draft, account, offer }: ConfirmedOrder,
  ctx: RunContext,
): Promise<Answer<OrderReport>> {
  const { hedges } = await import('./accounts.ts');
  const { thousands } = await import('./order-preview.ts');
  const { reportedOrder } = await import('./orders.ts');
  ctx.notice(`order ${orderId} is accepted; waiting for its trades`);
  try {
    const awaited = {
      orderId,
      accountId: account.accountId,
      symbol: offer.currency,
      side: draft.side,
      amountK: thousands(draft.amount, offer),
      hedges: hedges(account),
      rate: draft.rate?.value,
      sentAt,
    };
    return reportedOrder(orderId, await watch.wait(awaited, wait));
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw new SvcError(error.code, `${error.message}: order ${orderId} was accepted and is live, or filled by now`, {
      hint: `svc trade order get ${shellWord(orderId)}, svc trade positions`,
      more: { order_id: orderId },
      cause: error,
    });
  }
}

/** Of those that a look at what became of an order costs. */
const LOOKS = ['OpenPosition', 'Order', 'ClosedPosition'];

async function callsLeft(ctx: RunContext): Promise<readonly CallsLeft[]> {
  const { budgetPath, CallBudgetFile } = await import('../../store/call-budget.ts');
  const { CALL_LIMITS } = await import('./counted-caller.ts');
  const token = await gatewayToken(ctx);
  const file = new CallBudgetFile(budgetPath(ctx.paths, ctx.target.baseUrl.href, token.reveal()), ctx);
  const commandNumbers = await commandNumbersOf(ctx);
  const numbers = LOOKS.map((name) => commandNumbers[name]);
  return CALL_LIMITS.filter(({ cmd }) => numbers.includes(cmd)).map((limit) => {
    const { cmd, does, maxCalls: max } = limit;
    return { cmd, does, left: max - file.usage(limit).used, max };
  });
}
