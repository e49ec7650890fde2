import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { marketDayStart } from '../../../../src/features/trade/market-hours.ts';
import { type Exposure, lossOfDay, positionAfter } from '../../../../src/features/trade/orders/limits.ts';
import type { Account, ClosedPosition } from '../../../../src/features/trade/schema.ts';

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

describe('the trading day', () => {
  it.each([
    ['2026-01-14T21:59:59.999Z', '2026-01-13T22:00:00.000Z'],
    ['2026-01-14T22:00:00.000Z', '2026-01-14T22:00:00.000Z'],
    ['2026-07-01T20:59:00.500Z', '2026-06-30T21:00:00.000Z'],
    // New York's clocks go forward and back.
    ['2026-03-08T20:59:00.000Z', '2026-03-07T22:00:00.000Z'],
    ['2026-11-01T21:30:00.000Z', '2026-10-31T21:00:00.000Z'],
  ])('%s began at %s', (now, start) => {
    expect(new Date(marketDayStart(Date.parse(now))).toISOString()).toBe(start);
  });
});

describe('the loss of the day', () => {
  const NOW = Date.UTC(2026, 0, 14, 12);
  const account = { accountId: '1', accountName: '01', dayPL: -5, grossPL: 3 } as Account;
  const row = (of: object) =>
    ({
      tradeId: '9',
      accountName: '01',
      closeTime: '01142026080000',
      grossPL: -1.1,
      com: 0.2,
      ...of,
    }) as ClosedPosition;
  it.each([
    ['without closed positions, what the account reports', account, undefined, 5],
    ['the larger loss', account, [row({ grossPL: -10.1 }), row({ roll: 0.1 })], 11.5],
    ['open losses, not open profits', { ...account, grossPL: -7 }, [row({})], 8.3],
    [
      'rows of other accounts and days do not count',
      account,
      [row({ accountName: '02' }), row({ closeTime: '01132026210000' })],
      5,
    ],
    ['a row that does not tell whose it is', account, [row({ accountName: undefined, grossPL: -90 })], 5],
    ['a profit', { ...account, dayPL: 4 }, [], 0],
  ])('%s', (_name, of, closed, loss) => {
    expect(lossOfDay(of as Account, closed, NOW)).toBe(loss);
  });

  it('is unknown if no table has it', () => {
    const bare = { accountId: '1', accountName: '01', grossPL: 0 } as Account;
    expect(lossOfDay(bare, undefined, NOW)).toBeUndefined();
    expect(lossOfDay(bare, [row({ grossPL: undefined })], NOW)).toBeUndefined();
    expect(lossOfDay({ accountId: '1' } as Account, [], NOW)).toBeUndefined();
  });
});
