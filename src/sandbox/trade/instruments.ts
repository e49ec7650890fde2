/** What can be traded. Ids follow the public implementation; the prices are invented. */

export interface Instrument {
  readonly symbol: string;
  readonly offerId: number;
  /** The gateway's number of its kind. */
  readonly type: number;
  readonly digits: number;
  readonly pip: number;
  readonly spread: number;
  /** The bid at the start. */
  readonly price: number;
  readonly volatility: number;
  /** It is also traded on weekends. */
  readonly always: boolean;
  /** The part of a position's worth that is its margin. */
  readonly margin: number;
  readonly maxQuantity: number;
}

const FOREX = 1;
const PAIR = {
  type: FOREX,
  digits: 5,
  pip: 0.0001,
  volatility: 0.005,
  always: false,
  margin: 0.0333,
  maxQuantity: 50_000,
};
const YEN = { ...PAIR, digits: 3, pip: 0.01 };
const BULLION = { type: 5, digits: 2, pip: 0.1, always: false, margin: 0.05 };
const INDEX = { ...BULLION, type: 2, pip: 1 };
const COMMODITY = { ...INDEX, type: 3, always: true, margin: 0.25 };

export const INSTRUMENTS: readonly Instrument[] = [
  { ...PAIR, symbol: 'EUR/USD', offerId: 1, price: 1.16, spread: 1.3 },
  { ...YEN, symbol: 'USD/JPY', offerId: 2, price: 154.2, spread: 1.4 },
  { ...PAIR, symbol: 'GBP/USD', offerId: 3, price: 1.315, spread: 1.8 },
  { ...PAIR, symbol: 'USD/CHF', offerId: 4, price: 0.805, spread: 2.1 },
  { ...PAIR, symbol: 'AUD/USD', offerId: 6, price: 0.652, spread: 1.6 },
  { ...BULLION, symbol: 'XAU/USD', offerId: 4001, price: 4080, spread: 4.2, volatility: 0.011, maxQuantity: 10_000 },
  { ...INDEX, symbol: 'US30', offerId: 1013, price: 46_500, spread: 2.4, volatility: 0.009, maxQuantity: 500 },
  { ...COMMODITY, symbol: 'BTC/USD', offerId: 5028, price: 91_000, spread: 35, volatility: 0.025, maxQuantity: 100 },
];

export function findInstrument(symbol: string): Instrument | undefined {
  return INSTRUMENTS.find((instrument) => instrument.symbol === symbol);
}

export function requireInstrument(symbol: string): Instrument {
  const instrument = findInstrument(symbol);
  if (instrument === undefined) throw new Error(`the sandbox has no ${symbol}`);
  return instrument;
}

/** Amounts of forex are in thousands, those of anything else in single contracts. */
export function inThousands(instrument: Instrument, amount: number): number {
  return isForex(instrument) ? amount : amount / 1000;
}

export function isForex({ type }: Instrument): boolean {
  return type === FOREX;
}

/** What one unit of the quote currency is worth in dollars. */
export function inDollars({ symbol }: Instrument, rate: number): number {
  return symbol.startsWith('USD/') ? 1 / rate : 1;
}

export function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

export function roundRate({ digits }: Instrument, rate: number): number {
  return round(rate, digits);
}
