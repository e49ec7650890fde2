/** What can be traded in the sandbox. Ids as seen on the public implementation; the prices are of nobody. */

export interface Instrument {
  readonly symbol: string;
  readonly offerId: number;
  /** The gateway's number of its kind. */
  readonly type: number;
  /** Digits after the point of its price. */
  readonly digits: number;
  readonly pip: number;
  /** In pips. */
  readonly spread: number;
  /** Around which its price moves, and how far in a day, as a part of it. */
  readonly price: number;
  readonly volatility: number;
  /** It is traded on weekends, too. */
  readonly always: boolean;
  /** The part of a position's worth that is kept as margin. */
  readonly margin: number;
  readonly maxQuantity: number;
}

const FOREX = 1;
const INDEX = 2;
const COMMODITY = 3;
const BULLION = 5;

const forex = (symbol: string, offerId: number, price: number, spread: number): Instrument => {
  const [digits, pip] = symbol.endsWith('JPY') ? [3, 0.01] : [5, 0.0001];
  return {
    symbol,
    offerId,
    type: FOREX,
    digits,
    pip,
    spread,
    price,
    volatility: 0.005,
    always: false,
    margin: 0.0333,
    maxQuantity: 50_000,
  };
};

export const INSTRUMENTS: readonly Instrument[] = [
  forex('EUR/USD', 1, 1.16, 1.3),
  forex('USD/JPY', 2, 154.2, 1.4),
  forex('GBP/USD', 3, 1.315, 1.8),
  forex('USD/CHF', 4, 0.805, 2.1),
  forex('AUD/USD', 6, 0.652, 1.6),
  {
    symbol: 'XAU/USD',
    offerId: 4001,
    type: BULLION,
    digits: 2,
    pip: 0.1,
    spread: 4.2,
    price: 4080,
    volatility: 0.011,
    always: false,
    margin: 0.05,
    maxQuantity: 10_000,
  },
  {
    symbol: 'US30',
    offerId: 1013,
    type: INDEX,
    digits: 2,
    pip: 1,
    spread: 2.4,
    price: 46_500,
    volatility: 0.009,
    always: false,
    margin: 0.05,
    maxQuantity: 500,
  },
  {
    symbol: 'BTC/USD',
    offerId: 5028,
    type: COMMODITY,
    digits: 2,
    pip: 1,
    spread: 35,
    price: 91_000,
    volatility: 0.025,
    always: true,
    margin: 0.25,
    maxQuantity: 100,
  },
];

/** Amounts of forex are in thousands, those of anything else in single contracts. */
export function amountK({ type }: Instrument, amount: number): number {
  return type === FOREX ? amount : amount / 1000;
}

export function isForex({ type }: Instrument): boolean {
  return type === FOREX;
}

/** A dollar's worth of one unit of the currency that it is quoted in. */
export function dollars({ symbol }: Instrument, rate: number): number {
  return symbol.startsWith('USD/') ? 1 / rate : 1;
}

export function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
