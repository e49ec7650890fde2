/** Previews an order before it is sent, with warnings and guards. */
import { SvcError } from '../../../errors.ts';
import { exactSum, fixedText } from '../../../output/decimal.ts';
import { hedges, marginCallText } from '../accounts.ts';
import { daysLater, type MarketHours, marketHours, newYorkText } from '../market-hours.ts';
import type { Account, Offer } from '../schema.ts';
import { isForex, quoteOf } from '../symbols.ts';
import { costsOf, type OrderCosts, product } from './costs.ts';
import type { OrderTerms } from './forms.ts';
import {
  checkExitPrices,
  checkPrecision,
  type Distance,
  DYNAMIC_TRAIL,
  entryKind,
  type Side,
  type TimeInForce,
} from './rules.ts';
import type { Sizing } from './sizing.ts';

/** Distance and money of a stop or limit; null if the offer does not say. */
export interface ExitPreview {
  readonly rate: number | null;
  readonly pips: number | null;
  /** In the account's currency, about. */
  readonly money: number | null;
}

export interface OrderPreview extends OrderCosts {
  readonly account_id: string;
  readonly account_name: string | null;
  readonly side: Side;
  readonly symbol: string;
  readonly amount: number;
  /** `5,000 EUR`, `5 contracts`. */
  readonly notional: string;
  /** `at market`, `at market within 5 pips`, `stop entry`, `limit entry`. */
  readonly order: string;
  /** The entry rate, or the current price. */
  readonly rate: number | null;
  readonly bid: number | null;
  readonly ask: number | null;
  readonly time_in_force: TimeInForce;
  /** UTC. */
  readonly expires: string | null;
  readonly stop: ExitPreview | null;
  readonly limit: ExitPreview | null;
  /** Trailing of the stop and of the entry: 1 is dynamic, else the steps. */
  readonly trail: number | null;
  readonly trail_entry: number | null;
  /** With `--risk`. */
  readonly sizing: Sizing | null;
  readonly warnings: readonly string[];
}

/** An order with the account and the offer that it was read with. */
interface CheckedOrder {
  readonly terms: OrderTerms;
  readonly account: Account;
  readonly offer: Offer;
  readonly sizing?: Sizing | undefined;
}

export function previewOrder(order: CheckedOrder, now: number): OrderPreview {
  const { terms, account, offer, sizing = null } = order;
  const { side, amount, tif, stop, limit, expires = null, trail = null, trailEntry = null } = terms;
  const { bid = null, ask = null } = quoteOf(offer);
  const rate = terms.rate?.value ?? (side === 'buy' ? ask : bid);
  const up = side === 'buy' ? 1 : -1;
  const costs = costsOf({ side, amount }, account, offer);
  return {
    account_id: account.accountId,
    account_name: account.accountName ?? null,
    side,
    symbol: offer.currency,
    amount,
    notional: notional(amount, offer),
    order: orderKind(terms, bid, ask),
    rate,
    bid,
    ask,
    time_in_force: tif,
    expires,
    stop: stop === undefined ? null : exitPreview(stop, rate, -up, amount, offer),
    limit: limit === undefined ? null : exitPreview(limit, rate, up, amount, offer),
    trail,
    trail_entry: trailEntry,
    ...costs,
    sizing,
    warnings: warningsOf(order, costs, now),
  };
}

/** In thousands, as in the tables. Of an unknown kind, as doc 3 §4 shows symbols: a pair of currencies. */
export function thousands(amount: number, offer: Pick<Offer, 'instrumentType'>): number {
  return offer.instrumentType === undefined || isForex(offer) ? amount : amount / 1000;
}

export function notional(amount: number, offer: Offer): string {
  if (offer.instrumentType === undefined) return 'unit unknown';
  if (isForex(offer)) return `${(amount * 1000).toLocaleString('en-US')} ${offer.currency.split('/')[0]}`;
  return `${amount.toLocaleString('en-US')} ${amount === 1 ? 'contract' : 'contracts'}`;
}

function orderKind({ rate, range, side }: OrderTerms, bid: number | null, ask: number | null): string {
  const within = range === undefined ? '' : ` within ${range.text} pips`;
  if (rate === undefined) return `at market${within}`;
  const kind = bid === null || ask === null ? 'entry' : entryKind(side, rate.value, { bid, ask });
  return `${kind}${within}`;
}

export function exitPreview(
  exit: Distance,
  rate: number | null,
  sign: number,
  amount: number,
  offer: Offer,
): ExitPreview {
  const { pip, pipCost, ratePrecision, instrBaseUnitSize } = offer;
  const isPips = exit.unit === 'pips';
  // The other one needs the rate and the size of a pip.
  const isKnown = rate !== null && pip !== undefined && pip !== 0;
  const away = isKnown && !isPips ? rounded(Math.abs(exit.value - rate) / pip, 1) : null;
  const level = isKnown && isPips ? rate + sign * exit.value * pip : null;
  const pips = isPips ? exit.value : away;
  const price = isPips ? level : exit.value;
  // Older tables give the cost of a pip per single unit, and no unit size.
  const money =
    pips === null || pipCost === undefined || instrBaseUnitSize === undefined
      ? null
      : product(product(pips, pipCost), amount);
  return {
    rate: price === null ? null : rounded(price, ratePrecision ?? 5),
    pips,
    money: money === null ? null : rounded(money, 2),
  };
}

function rounded(value: number, digits: number): number {
  return Number(fixedText(value, digits));
}

function warningsOf(
  { terms: { side, rate }, account, offer }: CheckedOrder,
  { margin_needed, margin_left }: OrderCosts,
  now: number,
): readonly string[] {
  const warnings: string[] = [];
  const closed = closedWarning(offer, now);
  if (closed !== undefined) warnings.push(closed);
  if (priceFor(side, offer) === undefined) warnings.push(`the gateway has no ${side} price of ${offer.currency} now`);
  if (rate !== undefined && tradable(offer, side) === false) {
    warnings.push(`the gateway reports that ${offer.currency} cannot be ${bought(side)} now: the order stays pending`);
  }
  if (hedges(account) === false) {
    warnings.push(`the account does not hedge: the order first closes opposite ${offer.currency} positions`);
  }
  if (margin_needed !== null && margin_left !== null && margin_left < 0) {
    const usable = exactSum([margin_needed, margin_left]).toFixed(2);
    const needed = `the order may need a margin of ${margin_needed.toFixed(2)}`;
    warnings.push(`${needed}, and account ${account.accountId} has only ${usable}`);
  }
  return warnings;
}

/** For forex by the usual hours, unless the gateway quotes it now; for other products only the offers tell. */
export function closedWarning(offer: Offer, now: number): string | undefined {
  if (!isForex(offer)) return undefined;
  const hours = marketHours(now);
  if (hours.state === 'open' || isQuotedNow(offer, hours, now)) return undefined;
  const { state, opensAt } = hours;
  const minutes = Math.ceil((opensAt - now) / 60_000);
  const wait = minutes < 60 ? `${minutes} m` : `${Math.floor(minutes / 60)} h ${minutes % 60} m`;
  if (state === 'opening') return `forex is just opening, and prices may not be available yet (${newYorkText(now)})`;
  return `forex is usually closed now and opens in ${wait} (${newYorkText(opensAt)})`;
}

const FRESH_QUOTE_MS = 60_000;
const LATE_QUOTES_MS = 10 * 60_000;

/** A price of the last minute. Gateways may still quote for some minutes after the market has closed. */
function isQuotedNow({ time }: Offer, { closesAt }: MarketHours, now: number): boolean {
  const hasJustClosed = now < daysLater(closesAt, -7) + LATE_QUOTES_MS;
  return !hasJustClosed && Math.abs(now - Date.parse(time ?? '')) < FRESH_QUOTE_MS;
}

/** At market. */
export function priceFor(side: Side, offer: Offer): number | undefined {
  const { bid, ask } = quoteOf(offer);
  return side === 'buy' ? ask : bid;
}

/** `--require-open`. */
export function checkOpen(side: Side, offer: Offer, now: number): void {
  const why =
    closedWarning(offer, now) ??
    (tradable(offer, side) === false
      ? `the gateway reports that ${offer.currency} cannot be ${bought(side)} now`
      : undefined);
  if (why !== undefined) throw new SvcError('condition_false', `${why}; nothing was sent`);
}

function tradable({ buyTradable, sellTradable }: Offer, side: Side): boolean | undefined {
  return side === 'buy' ? buyTradable : sellTradable;
}

function bought(side: Side): string {
  return side === 'buy' ? 'bought' : 'sold';
}

/** Margin states in which nothing new may be opened. */
const BARRED = /^[WAYQ]$/;

export function isBarred({ mc }: Account): boolean {
  return BARRED.test(mc ?? '');
}

/** Throws if the gateway's state rules the order out. */
export function guardOrder({ terms, account, offer }: CheckedOrder): void {
  const { side, amount, rate } = terms;
  const { currency: symbol, minQuantity: min, maxQuantity: max, instrBaseUnitSize: step } = offer;
  const guard = (why: string, hint?: string): never => {
    throw new SvcError('guarded', `${why}; nothing was sent`, hint === undefined ? {} : { hint });
  };
  checkPrecision(terms, offer);
  if (isBarred(account)) guard(`account ${account.accountId} cannot open positions now: ${marginCallText(account.mc)}`);
  if (rate === undefined && tradable(offer, side) === false) {
    guard(
      `the gateway reports that ${symbol} cannot be ${bought(side)} now`,
      'svc trade offers shows what can be traded',
    );
  }
  if (min !== undefined && amount < min) guard(`${amount} is too small: the minimum of ${symbol} is ${min}`);
  if (max !== undefined && max > 0 && amount > max) guard(`${amount} is too large: the maximum of ${symbol} is ${max}`);
  if (step !== undefined && step > 1 && amount % step !== 0)
    guard(`${amount} is not a multiple of ${step}, the trading step of ${symbol}`);
  if (rate !== undefined) return;
  const price = priceFor(side, offer);
  const exit = terms.stop?.unit === 'price' ? '--stop' : '--limit';
  if (price !== undefined) checkExitPrices(terms, price, 'guarded');
  else if ((terms.stop ?? terms.limit)?.unit === 'price') {
    guard(`the offer of ${symbol} has no ${side} price to check ${exit} against`, `pass ${exit} in pips`);
  }
}

/** `Buy 5 EUR/USD (5,000 EUR) at market, 1.16013 now, in account 654061 (00654061), stop 1.15613, 40 pips` */
export function orderSentence(terms: Pick<OrderTerms, 'rate'>, preview: OrderPreview): string {
  const { side, amount, symbol, notional, order, rate, stop, limit, trail, trail_entry, time_in_force, expires } =
    preview;
  const at = terms.rate === undefined ? `, now ${rate}` : ` at ${rate}`;
  const price = rate === null ? '' : at;
  const exits = [
    stop === null ? '' : `, ${trail === null ? '' : `${trailText(trail)} `}stop ${exitText(stop)}`,
    limit === null ? '' : `, limit ${exitText(limit)}`,
  ];
  const entry = trail_entry === null ? '' : `, ${trailText(trail_entry)} entry`;
  const holds = expires === null ? time_in_force : `${time_in_force} until ${expires} UTC`;
  return `${verb(side)} ${amount} ${symbol} (${notional}) ${order}${price}${entry}, ${holds}, in account ${accountText(preview)}${exits.join('')}`;
}

export function verb(side: Side): string {
  return side === 'buy' ? 'Buy' : 'Sell';
}

/** `trailing`, `trailing in steps of 10`. */
export function trailText(trail: number): string {
  return trail === DYNAMIC_TRAIL ? 'trailing' : `trailing in steps of ${trail}`;
}

export function accountText({ account_id, account_name }: Pick<OrderPreview, 'account_id' | 'account_name'>): string {
  return account_name === null ? account_id : `${account_id} (${account_name})`;
}

/** `1.15613 (40 pips, about 20.00)`. */
export function exitText({ rate, pips, money }: ExitPreview): string {
  const away = [
    pips === null ? undefined : `${pips} pips`,
    money === null ? undefined : `about ${money.toFixed(2)} in the account's currency`,
  ].filter((part) => part !== undefined);
  if (rate === null) return away.join(', ');
  return away.length === 0 ? String(rate) : `${rate} (${away.join(', ')})`;
}
