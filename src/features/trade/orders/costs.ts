/** What an order costs, as far as the tables say. */
import { exact, exactSum, times } from '../../../output/decimal.ts';
import type { Account, Offer } from '../schema.ts';
import { quoteOf } from '../symbols.ts';
import type { Side } from './rules.ts';

/** Money is in the account's currency. Null is not known. */
export interface OrderCosts {
  /** Of one pip, for the whole amount. */
  readonly pip_value: number | null;
  /** In pips. */
  readonly spread: number | null;
  /** The rollover of this side, as the offer has it: the interface does not say for which amount. */
  readonly swap: number | null;
  readonly margin_needed: number | null;
  /** Negative if it does not suffice. */
  readonly margin_left: number | null;
}

interface Amounts {
  readonly side: Side;
  readonly amount: number;
}

export function costsOf({ side, amount }: Amounts, account: Account, offer: Offer): OrderCosts {
  const { spread, pip, rollB, rollS } = offer;
  const { bid, ask } = quoteOf(offer);
  const pipValue = pipValueOf(offer);
  const measured = ask === undefined || bid === undefined || !pip ? undefined : (ask - bid) / pip;
  const needed = marginFor(amount, offer);
  const { usableMargin } = account;
  const left = needed === undefined || usableMargin === undefined ? undefined : exactSum([usableMargin, -needed]);
  return {
    pip_value: pipValue === undefined ? null : product(pipValue, amount),
    spread: spread ?? (measured === undefined ? null : Number(measured.toFixed(1))),
    swap: (side === 'buy' ? rollB : rollS) ?? null,
    margin_needed: needed ?? null,
    margin_left: left ?? null,
  };
}

/** In the account's currency, for an amount of 1. Older tables give it per single unit, and no unit size. */
export function pipValueOf({ pipCost, instrBaseUnitSize }: Offer): number | undefined {
  return pipCost !== undefined && pipCost > 0 && instrBaseUnitSize !== undefined ? pipCost : undefined;
}

/** `mmr` is the margin of an amount of 1, again not in older tables. */
function marginFor(amount: number, { mmr, instrBaseUnitSize }: Offer): number | undefined {
  return mmr === undefined || mmr <= 0 || instrBaseUnitSize === undefined ? undefined : product(mmr, amount);
}

/** Of the decimals. */
export function product(one: number, other: number): number {
  const { digits, decimals } = times(exact(one), exact(other));
  return Number(`${digits}e-${decimals}`);
}

/** `margin 38.63 of 49024.62, a pip is worth 0.50, spread 1.3 pips, swap -0.65`. Empty if nothing is known. */
export function costsText({ margin_needed, margin_left, pip_value, spread, swap }: OrderCosts): string {
  const usable = margin_needed === null || margin_left === null ? undefined : exactSum([margin_needed, margin_left]);
  const parts = [
    margin_needed === null ? undefined : `margin ${margin_needed.toFixed(2)}`,
    usable === undefined ? undefined : `of ${usable.toFixed(2)} usable`,
  ].filter((part) => part !== undefined);
  return [
    parts.join(' '),
    pip_value === null ? '' : `a pip is worth ${pip_value.toFixed(2)}`,
    spread === null ? '' : `spread ${spread} pips`,
    swap === null ? '' : `swap ${swap}`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}
