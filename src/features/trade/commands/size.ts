import { recordCommand } from '../../../cli/command.ts';
import { findAccount } from '../accounts.ts';
import { SESSION_FLAGS, SYMBOL_ARGUMENT, withTrading } from '../gateway/trading-session.ts';
import { wantedAccount } from '../orders/account.ts';
import { costsOf, type OrderCosts } from '../orders/costs.ts';
import { EXIT_FLAGS, TRADING_FLAGS } from '../orders/flags.ts';
import { accountText, notional } from '../orders/preview.ts';
import { parseDistance, parseRate, type Side } from '../orders/rules.ts';
import { parseRisk, type Sizing, sideOf, sizeOf } from '../orders/sizing.ts';
import { findOffer } from '../symbols.ts';

interface Size extends Sizing, OrderCosts {
  readonly accountId: string;
  readonly accountName: string | null;
  readonly symbol: string;
  readonly side: Side;
  readonly notional: string;
  /** At which it would be filled. */
  readonly rate: number | null;
}

export const tradeSize = recordCommand({
  id: 'trade size',
  summary: 'Compute the amount that risks a given sum',
  description:
    'The amount is the risk divided by what the stop loses for each lot, rounded down. --risk of buy, sell and entry does the same and places the order.',
  details:
    'amount = risk / (pips between the rate and the stop x value of a pip), rounded down to the unit size of the symbol (instrBaseUnitSize), in exact decimal arithmetic. A percentage is of the equity of the account. Losses by slippage, commission and rollover are not included. marginNeeded is for the whole amount.',
  effect: 'read',
  service: 'trade',
  args: { symbol: SYMBOL_ARGUMENT },
  flags: {
    risk: {
      type: 'string',
      value: '%|money',
      required: true,
      help: 'What the stop may lose: 1% of the equity, or 100',
    },
    stop: { type: 'string', value: 'pips|price', required: true, help: EXIT_FLAGS.stop.help },
    rate: { type: 'string', value: 'price', help: 'Entry price (default: the current price)' },
    side: {
      type: 'choice',
      choices: ['buy', 'sell'],
      help: 'Side (default: buy; with a price as stop, the side that it fits)',
    },
    account: TRADING_FLAGS.account,
    ...SESSION_FLAGS,
  },
  examples: [
    { run: 'svc trade size EUR/USD --risk 1% --stop 40pips', why: 'Risk 1% of the equity' },
    { run: 'svc trade size EUR/USD --risk 100 --stop 1.156 --rate 1.16 -q', why: 'Print only the amount' },
  ],
  output: {
    kind: 'record',
    columns: [
      { name: 'amount', cell: ({ amount, symbol, notional }: Size) => `${amount} ${symbol} (${notional})` },
      { name: 'arithmetic', cell: ({ arithmetic }) => arithmetic },
      { name: 'side', cell: ({ side }) => side },
      { name: 'rate', cell: ({ rate }) => rate ?? undefined },
      { name: 'stop', cell: ({ stopPips }) => `${stopPips} pips` },
      { name: 'loss', cell: ({ loss }) => loss.toFixed(2) },
      { name: 'account', cell: accountText },
      { name: 'margin-needed', cell: ({ marginNeeded }) => marginNeeded?.toFixed(2) },
      { name: 'margin-left', cell: ({ marginLeft }) => marginLeft?.toFixed(2) },
    ],
    id: ({ amount }) => String(amount),
  },
  async run(input, ctx) {
    const risk = parseRisk(input.risk);
    const stop = parseDistance(input.stop, '--stop');
    const entry = input.rate === undefined ? undefined : parseRate(input.rate);
    const value = await withTrading(ctx, input, async ({ trading }): Promise<Size> => {
      const account = findAccount(await trading.accounts(), wantedAccount(input.account, ctx));
      const offer = findOffer(await trading.model('Offer'), input.symbol);
      const side = input.side ?? sideOf(stop, entry, offer);
      const price = side === 'buy' ? offer.buy : offer.sell;
      const sizing = sizeOf({ risk, side, stop, rate: entry?.text ?? price }, account, offer);
      const { amount } = sizing;
      return {
        accountId: account.accountId,
        accountName: account.accountName ?? null,
        symbol: offer.currency,
        side,
        notional: notional(amount, offer),
        rate: entry?.value ?? price ?? null,
        ...sizing,
        ...costsOf({ side, amount }, account, offer),
      };
    });
    return { value };
  },
});
