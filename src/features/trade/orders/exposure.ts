/** What an order adds to the position of a symbol in an account. */
import { hedges } from '../accounts.ts';
import type { Account } from '../schema.ts';
import type { Side } from './rules.ts';

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

/** An order that closes a trade of an account that does not hedge. */
export interface OppositeOrder extends Opening {
  readonly tradeId: string;
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

/**
 * The part of an order that makes the position larger. In an account that holds both sides, a gateway may ask no margin for the smaller one, so only the larger
 * one counts.
 */
export function increase(
  { account, side, amount }: Pick<Opening, 'account' | 'side' | 'amount'>,
  { open }: Pick<Exposure, 'open'>,
): number {
  const [own, other] = side === 'buy' ? [open.buy, open.sell] : [open.sell, open.buy];
  if (hedges(account) === false) return Math.max(0, Math.abs(own - other + amount) - Math.abs(own - other));
  return Math.max(own + amount, other) - Math.max(own, other);
}
