/** An order at market, from its options to its form. */
import type { Flags } from '../../cli/flags.ts';
import { openTrade } from './client.ts';
import type { NewOrderDraft } from './new-order.ts';
import { type ExitInput, exitsOf, NEW_ORDER_FLAGS } from './order-flags.ts';
import { marketForm } from './order-forms.ts';
import { MARKET_TIMES, parseAmount, type Side, type TimeInForce, timeInForce } from './order-rules.ts';

export const MARKET_FLAGS = {
  tif: { type: 'choice', choices: MARKET_TIMES, help: 'How long it holds: GTC unless told, and with --range IOC' },
  ...NEW_ORDER_FLAGS,
} as const satisfies Flags;

export interface MarketTerms extends ExitInput {
  readonly symbol: string;
  readonly amount: string;
  readonly tif?: TimeInForce | undefined;
}

/** Throws where its values do not hold by themselves. */
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
