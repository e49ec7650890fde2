/** What an order adds to the position of a symbol in an account. */
import { hedges } from '../accounts.ts';
import type { Account } from '../schema.ts';
import type { Side } from './rules.ts';

/** A request may be executed this long after it was sent, and the tables show it later still. */
export const MAY_ARRIVE_MS = 10_000;

/** A request that may add to a position. */
export interface Opening {
  readonly account: Account;
  readonly symbol: string;
  readonly side: Side;
  /** As `--amount` counts. */
  readonly amount: number;
  readonly isEntry: boolean;
  /** The pending order that it changes. */
  readonly replaces?: string;
}

/** Amounts of one symbol in one account. */
export interface Exposure {
  readonly open: Readonly<Record<Side, number>>;
  /** Market orders that are not filled yet. */
  readonly atMarket: Readonly<Record<Side, number>>;
  readonly entries: Readonly<Record<Side, number>>;
}

/** `most` is the largest position in the order's direction if everything pending is filled. */
export function positionAfter(
  { account, side, amount, isEntry }: Pick<Opening, 'account' | 'side' | 'amount' | 'isEntry'>,
  { open, atMarket, entries }: Exposure,
): { readonly most: number; readonly onlyReduces: boolean } {
  const pending = atMarket[side] + entries[side];
  if (hedges(account) !== false) return { most: open[side] + pending + amount, onlyReduces: false };
  const opposite = side === 'buy' ? open.sell - open.buy : open.buy - open.sell;
  const earlier = atMarket[side] + (isEntry ? entries[side] : 0);
  return { most: pending + amount - opposite, onlyReduces: amount + earlier <= opposite };
}
