/** An order in one sentence, as it is confirmed. */
import type { ExitPreview, OrderPreview, OrderTerms } from './order-preview.ts';
import { DYNAMIC_TRAIL, type Side } from './order-rules.ts';

/** `Buy 5 EUR/USD (5,000 EUR) at market, 1.16013 now, in account 654061 (00654061), stop 1.15613, 40 pips` */
export function orderSentence(terms: Pick<OrderTerms, 'rate'>, preview: OrderPreview): string {
  const { side, amount, symbol, notional, order, rate, stop, limit, trail, trailEntry, timeInForce, expires } = preview;
  const price = rate === null ? '' : terms.rate === undefined ? `, ${rate} now` : ` at ${rate}`;
  const exits = [
    stop === null ? '' : `, ${trail === null ? '' : `${trailText(trail)} `}stop ${exitText(stop)}`,
    limit === null ? '' : `, limit ${exitText(limit)}`,
  ];
  const entry = trailEntry === null ? '' : `, ${trailText(trailEntry)} itself`;
  const holds = expires === null ? timeInForce : `${timeInForce} until ${expires} UTC`;
  return `${verb(side)} ${amount} ${symbol} (${notional}) ${order}${price}${entry}, ${holds}, in account ${accountText(preview)}${exits.join('')}`;
}

export function verb(side: Side): string {
  return side === 'buy' ? 'Buy' : 'Sell';
}

/** `trailing`, `trailing in steps of 10`. */
export function trailText(trail: number): string {
  return trail === DYNAMIC_TRAIL ? 'trailing' : `trailing in steps of ${trail}`;
}

export function accountText({ accountId, accountName }: Pick<OrderPreview, 'accountId' | 'accountName'>): string {
  return accountName === null ? accountId : `${accountId} (${accountName})`;
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
