/** What an order means and costs, for `--preview`, `--dry-run` and the question; what bars it. */
import { SvcError } from '../../../errors.ts';
import { showTime } from '../../../output/cells.ts';
import { exact, exactSum, fixedText, times } from '../../../output/decimal.ts';
import type { RecordOutput } from '../../../output/types.ts';
import { hedges, marginCallText } from '../accounts.ts';
import type { Account, Offer } from '../schema.ts';
import { isForex, pipValueOf, quoteOf } from '../symbols.ts';
import type { OrderTerms } from './forms.ts';
import { checkExitPrices, checkPrecision, type Distance, DYNAMIC_TRAIL, type Side } from './rules.ts';
import type { Sizing } from './sizing.ts';

/** An order with the account and the offer that it was read with. */
export interface OrderToCheck {
  readonly terms: OrderTerms;
  readonly account: Account;
  readonly offer: Offer;
  readonly sizing?: Sizing | undefined;
}

export type OrderPreview = ReturnType<typeof previewOrder>;

export function previewOrder(order: OrderToCheck, now: number) {
  const details = detailsOf(order);
  return { summary: summaryOf(order.terms, details), ...details, warnings: warningsOf(order, details, now) };
}

type OrderDetails = ReturnType<typeof detailsOf>;

/** Null is not known, or not asked for. */
function detailsOf({ terms, account, offer, sizing }: OrderToCheck) {
  const { side, amount, tif, stop, limit, expires = null, trail = null } = terms;
  const { bid = null, ask = null } = quoteOf(offer);
  const rate = terms.rate?.value ?? (side === 'buy' ? ask : bid);
  const up = side === 'buy' ? 1 : -1;
  return {
    account_id: account.accountId,
    account_name: account.accountName ?? null,
    side,
    symbol: offer.currency,
    amount,
    // `5,000 EUR`, `5 contracts`.
    notional: notionalOf(amount, offer),
    // `at market`, `at market within 5 pips`, `stop entry`, `limit entry`.
    order: orderKind(terms, bid, ask),
    // The entry rate, or the current price.
    rate,
    bid,
    ask,
    time_in_force: tif,
    // UTC.
    expires,
    stop: stop === undefined ? null : exitPreview(stop, rate, -up, amount, offer),
    limit: limit === undefined ? null : exitPreview(limit, rate, up, amount, offer),
    // 1 is dynamic, else the steps.
    trail,
    ...costsOf(terms, account, offer),
    sizing: sizing ?? null,
  };
}

function notionalOf(amount: number, offer: Offer): string {
  if (offer.instrumentType === undefined) return 'unit unknown';
  if (isForex(offer)) return `${groupedText(amount * 1000)} ${offer.currency.split('/')[0]}`;
  return `${groupedText(amount)} ${amount === 1 ? 'contract' : 'contracts'}`;
}

/** `1,234,567.5`: no group in the decimals, of which there are three at most. `Intl` takes 13 ms to load. */
function groupedText(value: number): string {
  return String(Number(fixedText(value, 3))).replace(/\B(?=(?:\d{3})+(?!\d))/g, ',');
}

/** A stop entry waits for a worse price than the current one, a limit entry for a better one. */
function orderKind({ rate, range, side }: OrderTerms, bid: number | null, ask: number | null): string {
  const within = range === undefined ? '' : ` within ${range.text} pips`;
  if (rate === undefined) return `at market${within}`;
  if (bid === null || ask === null) return `entry${within}`;
  const isWorse = side === 'buy' ? rate.value > ask : rate.value < bid;
  return `${isWorse ? 'stop' : 'limit'} entry${within}`;
}

/** The distance and the money of a stop or limit. */
function exitPreview(exit: Distance, rate: number | null, sign: number, amount: number, offer: Offer) {
  const { pip, pipCost, ratePrecision = 5, instrBaseUnitSize } = offer;
  const isPips = exit.unit === 'pips';
  // The other one needs the rate and the size of a pip.
  const isKnown = rate !== null && pip !== undefined && pip !== 0;
  const away = isKnown && !isPips ? roundTo(Math.abs(exit.value - rate) / pip, 1) : null;
  const level = isKnown && isPips ? rate + sign * exit.value * pip : null;
  const pips = isPips ? exit.value : away;
  const price = isPips ? level : exit.value;
  // Older tables give the cost of a pip per single unit, and no unit size.
  const isCostKnown = pips !== null && pipCost !== undefined && instrBaseUnitSize !== undefined;
  return {
    rate: price === null ? null : roundTo(price, ratePrecision),
    pips,
    // In the account's currency, about.
    money: isCostKnown ? roundTo(multiply(multiply(pips, pipCost), amount), 2) : null,
  };
}

function roundTo(value: number, digits: number): number {
  return Number(fixedText(value, digits));
}

/** Exact, as decimals. */
function multiply(one: number, other: number): number {
  const { digits, decimals } = times(exact(one), exact(other));
  return Number(`${digits}e-${decimals}`);
}

/** Money is in the account's currency. */
function costsOf({ amount }: OrderTerms, { usableMargin }: Account, offer: Offer) {
  const { spread, pip, mmr, instrBaseUnitSize } = offer;
  const { bid, ask } = quoteOf(offer);
  const isQuoted = ask !== undefined && bid !== undefined && pip !== undefined && pip !== 0;
  const pipValue = pipValueOf(offer);
  // `mmr` is the margin of an amount of 1; older tables give it per single unit, and no unit size.
  const isMarginKnown = mmr !== undefined && mmr > 0 && instrBaseUnitSize !== undefined;
  const margin = isMarginKnown ? multiply(mmr, amount) : null;
  return {
    // Of one pip, for the whole amount.
    pip_value: pipValue === undefined ? null : multiply(pipValue, amount),
    // In pips.
    spread: spread ?? (isQuoted ? Number(((ask - bid) / pip).toFixed(1)) : null),
    margin_needed: margin,
    // Negative if it does not suffice.
    margin_left: margin === null || usableMargin === undefined ? null : exactSum([usableMargin, -margin]),
  };
}

function warningsOf(
  { terms: { side, rate }, account, offer }: OrderToCheck,
  { margin_needed, margin_left }: OrderDetails,
  now: number,
): readonly string[] {
  const { currency: symbol } = offer;
  const warnings = [ageWarning(offer, now) ?? []].flat();
  const barrier = untradableText(side, offer);
  if (priceFor(side, offer) === undefined) warnings.push(`the gateway has no ${side} price of ${symbol} now`);
  if (rate !== undefined && barrier !== undefined) warnings.push(`${barrier}: the order stays pending`);
  if (hedges(account) === false) {
    warnings.push(`the account does not hedge: the order first closes opposite ${symbol} positions`);
  }
  if (margin_needed !== null && margin_left !== null && margin_left < 0) {
    const usable = exactSum([margin_needed, margin_left]).toFixed(2);
    const needed = `the order may need a margin of ${margin_needed.toFixed(2)}`;
    warnings.push(`${needed}, and account ${account.accountId} has only ${usable}`);
  }
  return warnings;
}

/** Prices of an open market are seconds old. */
const OLD_PRICE_MS = 5 * 60_000;

/** For any instrument: nothing but its price says whether it is traded now. */
export function ageWarning({ currency, time = '' }: Offer, now: number): string | undefined {
  const quotedAt = Date.parse(time);
  if (Number.isNaN(quotedAt) || now - quotedAt < OLD_PRICE_MS) return undefined;
  const ago = showTime(time, { time: 'relative', now });
  return `the last price of ${currency} came ${ago}: its market may be closed, see svc trade hours`;
}

/** At market. */
export function priceFor(side: Side, offer: Offer): number | undefined {
  const { bid, ask } = quoteOf(offer);
  return side === 'buy' ? ask : bid;
}

function untradableText(side: Side, { currency, buyTradable, sellTradable }: Offer): string | undefined {
  if ((side === 'buy' ? buyTradable : sellTradable) !== false) return undefined;
  return `the gateway reports that ${currency} cannot be ${side === 'buy' ? 'bought' : 'sold'} now`;
}

/** Margin states in which nothing new may be opened. */
const BARRED = /^[WAYQ]$/;

/** Throws if the gateway's state rules the order out. */
export function guardOrder({ terms, account, offer }: OrderToCheck): void {
  const { side, amount, rate, stop, limit } = terms;
  const { currency: symbol, minQuantity: min, maxQuantity: max, instrBaseUnitSize: step } = offer;
  const { accountId, mc = '' } = account;
  checkPrecision(terms, offer);
  if (BARRED.test(mc)) throw guarded(`account ${accountId} cannot open positions now: ${marginCallText(mc)}`);
  const barrier = untradableText(side, offer);
  if (rate === undefined && barrier !== undefined) throw guarded(barrier, 'svc trade offers shows what can be traded');
  if (min !== undefined && amount < min) throw guarded(`${amount} is too small: the minimum of ${symbol} is ${min}`);
  if (max !== undefined && max > 0 && amount > max) {
    throw guarded(`${amount} is too large: the maximum of ${symbol} is ${max}`);
  }
  if (step !== undefined && step > 1 && amount % step !== 0) {
    throw guarded(`${amount} is not a multiple of ${step}, the trading step of ${symbol}`);
  }
  if (rate !== undefined || (stop ?? limit)?.unit !== 'price') return;
  const price = priceFor(side, offer);
  const exit = stop === undefined ? '--limit' : '--stop';
  if (price === undefined) {
    throw guarded(`the offer of ${symbol} has no ${side} price to check ${exit} against`, `pass ${exit} in pips`);
  }
  checkExitPrices(terms, price, 'guarded');
}

function guarded(why: string, hint?: string): SvcError {
  return new SvcError('guarded', `${why}; nothing was sent`, hint === undefined ? {} : { hint });
}

/** `Buy 5 EUR/USD (5,000 EUR) at market, now 1.16013, GTC, in account A (1), stop 1.1 (40 pips)` */
function summaryOf(terms: OrderTerms, details: OrderDetails): string {
  const { side, amount, symbol, notional, order, rate, stop, limit, trail } = details;
  const { time_in_force: tif, expires, account_id: id, account_name: name } = details;
  const price = rate === null ? '' : `${terms.rate === undefined ? ', now' : ' at'} ${rate}`;
  return [
    `${side === 'buy' ? 'Buy' : 'Sell'} ${amount} ${symbol} (${notional}) ${order}${price}`,
    expires === null ? tif : `${tif} until ${expires} UTC`,
    `in account ${name === null ? id : `${id} (${name})`}`,
    stop === null ? [] : `${trail === null ? '' : `${trailText(trail)} `}stop ${exitText(stop)}`,
    limit === null ? [] : `limit ${exitText(limit)}`,
  ]
    .flat()
    .join(', ');
}

/** `trailing`, `trailing in steps of 10`. */
export function trailText(trail: number): string {
  return trail === DYNAMIC_TRAIL ? 'trailing' : `trailing in steps of ${trail}`;
}

/** `1.15613 (40 pips, about 20.00 in the account's currency)`. */
function exitText({ rate, pips, money }: ReturnType<typeof exitPreview>): string {
  const away = [
    pips === null ? [] : `${pips} pips`,
    money === null ? [] : `about ${money.toFixed(2)} in the account's currency`,
  ]
    .flat()
    .join(', ');
  if (rate === null) return away;
  return away === '' ? String(rate) : `${rate} (${away})`;
}

/** `margin 38.63 of 49024.62 usable, a pip is worth 0.50, spread 1.3 pips`. Empty if unknown. */
export function costsText({ margin_needed: needed, margin_left: left, pip_value, spread }: OrderDetails): string {
  const usable = needed === null || left === null ? '' : ` of ${exactSum([needed, left]).toFixed(2)} usable`;
  return [
    needed === null ? [] : `margin ${needed.toFixed(2)}${usable}`,
    pip_value === null ? [] : `a pip is worth ${pip_value.toFixed(2)}`,
    spread === null ? [] : `spread ${spread} pips`,
  ]
    .flat()
    .join(', ');
}

/** `refusal`: why svc would refuse it. */
export const ORDER_PREVIEW: RecordOutput<OrderPreview & { readonly refusal: string | null }> = {
  kind: 'record',
  columns: [
    { name: 'order', cell: ({ summary }) => summary },
    { name: 'amount', cell: ({ sizing }) => sizing?.arithmetic },
    { name: 'costs', cell: (preview) => costsText(preview) || undefined },
    { name: 'refused', cell: ({ refusal }) => (refusal === null ? undefined : { text: refusal, tone: 'bad' }) },
    { name: 'warnings', cell: ({ warnings }) => warnings.map((text) => ({ text, tone: 'warn' as const })) },
  ],
  id: ({ account_id }) => account_id,
};
