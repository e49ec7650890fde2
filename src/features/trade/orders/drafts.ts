/** Market and entry orders from their options: checked as far as that needs no gateway. */
import type { Flags, Instant } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { createEntryOrder, openTrade } from '../client.ts';
import type { Account, Offer } from '../schema.ts';
import {
  ENTRY_TIME_FLAGS,
  type ExitInput,
  exitsOf,
  MARKET_TIF_FLAG,
  NEW_ORDER_FLAGS,
  RATE_FLAG,
  TRAIL_ENTRY_FLAG,
} from './flags.ts';
import { askedFor, entryForm, marketForm, type OrderTerms } from './forms.ts';
import type { OrderRequest } from './placing.ts';
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
  const price = rate?.text ?? (side === 'buy' ? offer.buy : offer.sell);
  const sizing = sizeOf({ risk: sized.risk, side, stop, rate: price }, account, offer);
  return { draft: sized.to(sizing.amount), sizing };
}
