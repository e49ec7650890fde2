/** An order that waits for its rate, from its options to its form. */
import type { Flags, Instant } from '../../cli/flags.ts';
import { createEntryOrder } from './client.ts';
import type { MarketTerms } from './market-order.ts';
import type { NewOrderDraft } from './new-order.ts';
import { exitsOf, NEW_ORDER_FLAGS } from './order-flags.ts';
import { entryForm } from './order-forms.ts';
import {
  checkExitPrices,
  expiration,
  parseAmount,
  parseRate,
  parseTrail,
  type Side,
  TIMES_IN_FORCE,
  timeInForce,
} from './order-rules.ts';

export const ENTRY_FLAGS = {
  rate: { type: 'string', value: 'price', required: true, help: 'The price it waits for' },
  'trail-entry': {
    type: 'string',
    value: 'dynamic|n',
    help: 'The entry itself follows the price, as a stop does with --trail',
  },
  tif: { type: 'choice', choices: TIMES_IN_FORCE, help: 'How long it holds: GTC unless told' },
  expires: { type: 'time', bare: 'forward', help: 'When it ends, to the minute; it holds GTD then' },
  ...NEW_ORDER_FLAGS,
} as const satisfies Flags;

export interface EntryTerms extends MarketTerms {
  readonly rate: string;
  readonly trailEntry?: string | undefined;
  readonly expires?: Instant | undefined;
}

/** Throws where its values do not hold by themselves. */
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
