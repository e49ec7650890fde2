/** Market and entry orders: from their drafts to a planned request. */
import type { Answer, RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import { hedges } from '../accounts.ts';
import type { Account, Offer } from '../schema.ts';
import { wantedAccount } from './account.ts';
import { costsText } from './costs.ts';
import { type NewOrderDraft, withAmount } from './drafts.ts';
import type { Opening } from './exposure.ts';
import type { OrderForm } from './forms.ts';
import { aboveMaxOrder, checkLimits, lackOfMargin, openedAmount } from './limits.ts';
import { checkedKey, type Once } from './once.ts';
import { acceptedOrder, ORDER_PREVIEW, type OrderReport, reportedOrder } from './orders.ts';
import type { PlannedRequest } from './placing.ts';
import { type Change, type ChangeInput, carryOutEach } from './planned-requests.ts';
import { checkOpen, guardOrder, type OrderPreview, orderSentence, previewOrder, thousands } from './preview.ts';
import type { Sizing } from './sizing.ts';
import { type TableCache, withTableCache } from './table-cache.ts';

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
function undoing({ rate }: NewOrderDraft, { orderId, status, trades }: OrderReport): Answer<unknown>['undo'] {
  if (trades.length > 0) return [['trade', 'close', ...trades.map(({ tradeId }) => tradeId)]];
  const isOpen = rate !== undefined && orderId !== '' && (status === 'accepted' || status === 'pending');
  return isOpen ? [['trade', 'orders', 'cancel', orderId]] : undefined;
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
