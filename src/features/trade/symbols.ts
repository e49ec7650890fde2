/** Symbols as people write them (doc 3 §4: `<BASE>/<QUOTE>`), and the offers with their ids. */
import { distance } from '../../cli/lookup.ts';
import { SvcError } from '../../errors.ts';
import type { TableRows } from './models.ts';
import type { Offer } from './schema.ts';

/** `eurusd` and `EUR/USD` are the same; an index such as `US30` has no slash. */
export function foldedSymbol(symbol: string): string {
  return symbol.replace(/[\s/_-]/g, '').toUpperCase();
}

/** One letter apart only: two letters make another pair of AUD/USD and EUR/USD. */
export function similarSymbol(symbols: readonly string[], wanted: string): string | undefined {
  const folded = foldedSymbol(wanted);
  return symbols.find((symbol) => {
    const other = foldedSymbol(symbol);
    return Math.abs(other.length - folded.length) <= 1 && distance(other, folded) === 1;
  });
}

const SYMBOLS_HINT =
  'svc trade symbols list shows what there is; a hidden one is not offered until the account shows it';

/** The symbol as the gateway writes it. Throws `not_found` if the gateway does not offer it. */
export function findSymbol(symbols: readonly string[], wanted: string): string {
  if (symbols.includes(wanted)) return wanted;
  const alike = symbols.filter((symbol) => foldedSymbol(symbol) === foldedSymbol(wanted));
  const [only, ...others] = alike;
  if (only !== undefined && others.length === 0) return only;
  const similar = similarSymbol(symbols, wanted);
  throw new SvcError('not_found', `the gateway offers no ${wanted}`, {
    hint:
      alike.length > 1
        ? `it could be ${alike.join(' or ')}`
        : `${similar === undefined ? '' : `did you mean ${similar}? `}${SYMBOLS_HINT}`,
  });
}

export function findOffer(offers: TableRows<Offer>, wanted: string): Offer {
  const symbols = offers.map(({ currency }) => currency);
  const omitted = offers.omitted.length;
  if (omitted > 0 && !symbols.some((symbol) => foldedSymbol(symbol) === foldedSymbol(wanted))) {
    throw new SvcError('not_known', `${omitted} of the offers cannot be read: one may be ${wanted}`);
  }
  const symbol = findSymbol(symbols, wanted);
  const offer = offers.find(({ currency }) => currency === symbol);
  if (offer === undefined) throw new SvcError('internal', `no offer of ${symbol}`);
  return offer;
}

/** A pip's value for the amount 1. Tables without a unit size count it for a single unit. */
export function pipValueOf({ pipCost, instrBaseUnitSize }: Offer): number | undefined {
  return pipCost !== undefined && pipCost > 0 && instrBaseUnitSize !== undefined ? pipCost : undefined;
}

/** The gateway writes 0 for a price that it does not have. */
export function quoteOf({ sell, buy }: Pick<Offer, 'sell' | 'buy'>) {
  return { bid: sell || undefined, ask: buy || undefined };
}

/** The instrument type of forex (seen on the public implementation). */
export const FOREX = 1;

export function isForex({ instrumentType }: Pick<Offer, 'instrumentType'>): boolean {
  return instrumentType === FOREX;
}

/**
 * The amount of a row as orders count it: thousands for forex, else contracts. Undefined if the
 * kind is unknown, because a guess could be wrong by a factor of a thousand.
 */
export function orderAmount({ amountK }: { readonly amountK?: number | undefined }, offer: Offer | undefined) {
  if (amountK === undefined || offer?.instrumentType === undefined) return undefined;
  return isForex(offer) ? amountK : Math.round(amountK * 1000);
}

/** Two currencies, neither of them a metal. */
export function isPair(symbol: string): boolean {
  return /^(?!X(?:AU|AG|PT|PD))[A-Z]{3}\/[A-Z]{3}$/.test(symbol);
}

const INSTRUMENT_TYPES: Readonly<Record<number, string>> = {
  [FOREX]: 'forex',
  2: 'index',
  3: 'commodity',
  4: 'treasury',
  5: 'bullion',
  6: 'shares',
  7: 'FX index',
};

/** Unknown numbers are shown as they are. */
export function instrumentText(type: number | undefined): string | undefined {
  return type === undefined ? undefined : (INSTRUMENT_TYPES[type] ?? String(type));
}
