import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Exposure, positionAfter } from '../../../../src/features/trade/orders/limits.ts';
import type { Account } from '../../../../src/features/trade/schema.ts';

const amount = fc.integer({ min: 0, max: 40 });
const sides = fc.record({ buy: amount, sell: amount });
const exposure = fc.record({ open: sides, atMarket: sides, entries: sides });
const order = fc.record({
  side: fc.constantFrom('buy', 'sell'),
  amount: fc.integer({ min: 1, max: 60 }),
  isEntry: fc.boolean(),
});

/** One unit after the other, as a netting account fills them: the positions after each. */
function netted(start: number, fills: readonly number[], sign: number): readonly number[] {
  const positions: number[] = [];
  let position = start;
  for (const size of fills) {
    for (let unit = 0; unit < size; unit++) {
      position += sign;
      positions.push(position);
    }
  }
  return positions;
}

describe('the position after an order', () => {
  it('equals the result of filling one unit at a time', () => {
    fc.assert(
      fc.property(exposure, order, ({ open, atMarket, entries }: Exposure, { side, amount, isEntry }) => {
        const sign = side === 'buy' ? 1 : -1;
        const account = { accountId: '1', hedging: 'N' };
        const { most, onlyReduces } = positionAfter({ account, side, amount, isEntry }, { open, atMarket, entries });
        const start = open.buy - open.sell;
        const all = netted(start, [atMarket[side], entries[side], amount], sign);
        expect(most).toBeCloseTo(sign * (all.at(-1) ?? start), 9);
        const before = [atMarket[side], ...(isEntry ? [entries[side]] : [])];
        const until = [start, ...netted(start, [...before, amount], sign)].slice(-amount - 1);
        expect(onlyReduces).toBe(until.every((now, i) => i === 0 || Math.abs(now) < Math.abs(until[i - 1] ?? 0)));
      }),
    );
  });

  it.each([['Y'], [undefined]])('never reduces in a hedging or unknown account: %s', (hedging) => {
    const exposure = { open: { buy: 30, sell: 2 }, atMarket: { buy: 5, sell: 1 }, entries: { buy: 7, sell: 4 } };
    const account = { accountId: '1', hedging } as Account;
    expect(positionAfter({ account, side: 'sell', amount: 3, isEntry: false }, exposure)).toEqual({
      most: 10,
      onlyReduces: false,
    });
  });
});
