import { describe, expect, test } from 'vitest';
import type { SvcError } from '../../../../src/errors.ts';
import { ageWarning, guardOrder, previewOrder } from '../../../../src/features/trade/orders/preview.ts';
import { parseDistance, parseRate } from '../../../../src/features/trade/orders/rules.ts';
import type { Account, Offer } from '../../../../src/features/trade/schema.ts';

const OFFER = {
  offerId: '1',
  currency: 'USD/JPY',
  instrumentType: 1,
  ratePrecision: 3,
  sell: 154.2,
  buy: 154.214,
  pip: 0.01,
  pipCost: 0.0648,
  instrBaseUnitSize: 1,
} as Offer;
const ACCOUNT = { accountId: '654061', accountName: '00654061', hedging: 'Y', mc: 'N' } as Account;
const WEDNESDAY = Date.UTC(2026, 0, 14, 12);
const TERMS = { side: 'sell', amount: 5, tif: 'GTC' } as const;
const preview = (terms = {}, offer: Partial<Offer> = {}, account: Partial<Account> = {}) =>
  previewOrder(
    {
      terms: { ...TERMS, ...terms },
      account: { ...ACCOUNT, ...account } as Account,
      offer: { ...OFFER, ...offer } as Offer,
    },
    WEDNESDAY,
  );

describe('a preview', () => {
  test('measures distances from the rate at which the side is filled', () => {
    const exits = { stop: parseDistance('40pips', '--stop'), limit: parseDistance('80pips', '--limit') };
    expect(preview(exits)).toMatchObject({
      rate: 154.2,
      stop: { rate: 154.6, pips: 40, money: 12.96 },
      limit: { rate: 153.4, pips: 80, money: 25.92 },
      warnings: [],
    });
    expect(preview({ ...exits, side: 'buy', rate: parseRate('150') })).toMatchObject({
      rate: 150,
      stop: { rate: 149.6 },
      limit: { rate: 150.8 },
    });
    expect(preview({ stop: parseDistance('154.7', '--stop') })).toMatchObject({
      stop: { rate: 154.7, pips: 50, money: 16.2 },
    });
  });

  test('leaves out what the tables do not say', () => {
    const bare = preview(
      { stop: parseDistance('40pips', '--stop') },
      { sell: undefined, buy: undefined, pipCost: undefined },
    );
    expect(bare).toMatchObject({ rate: null, bid: null, stop: { rate: null, pips: 40, money: null } });
    expect(bare.summary).toBe('Sell 5 USD/JPY (5,000 USD) at market, GTC, in account 654061 (00654061), stop 40 pips');
    const stop = parseDistance('150', '--stop');
    for (const unknown of [{ sell: undefined }, { pip: undefined }, { pip: 0 }])
      expect(preview({ stop }, unknown).stop).toMatchObject({ rate: 150, pips: null, money: null });
    // The older table counts by the single unit.
    expect(
      preview({ stop: parseDistance('40pips', '--stop') }, { instrBaseUnitSize: undefined }).stop?.money,
    ).toBeNull();
  });

  test('computes the spread, the pip value and the margin, as far as the tables say them', () => {
    const costs = (offer: Partial<Offer>, account: Partial<Account> = {}) => {
      const { spread, pip_value, margin_needed, margin_left } = preview({}, offer, account);
      return [spread, pip_value, margin_needed, margin_left];
    };
    expect(costs({ mmr: 3.3 }, { usableMargin: 100.1 })).toEqual([1.4, 0.324, 16.5, 83.6]);
    expect(costs({ mmr: 3.3, spread: 2 })).toEqual([2, 0.324, 16.5, null]);
    expect(costs({ mmr: 0 }, { usableMargin: 100 })).toEqual([1.4, 0.324, null, null]);
    expect(costs({ mmr: 3.3, instrBaseUnitSize: undefined })).toEqual([1.4, null, null, null]);
    for (const missing of [{ sell: undefined }, { buy: undefined }, { pip: 0 }, { pip: undefined }])
      expect(costs(missing)[0]).toBeNull();
  });

  test('says how the stop follows the price', () => {
    const stop = parseDistance('40pips', '--stop');
    const rate = parseRate('150');
    const entry = preview({ stop, rate, trail: 1 });
    expect(entry).toMatchObject({ trail: 1 });
    expect(entry.summary).toMatch(/stop entry at 150, GTC, .*, trailing stop 150.4 \(40 pips/);
    expect(preview({ stop })).toMatchObject({ trail: null });
  });

  test('calls an entry at a price worse than the current one a stop entry', () => {
    const kinds = (['buy', 'sell'] as const).map((side) =>
      ['154', '155'].map((rate) => preview({ side, rate: parseRate(rate) }).order),
    );
    expect(kinds).toEqual([
      ['limit entry', 'stop entry'],
      ['stop entry', 'limit entry'],
    ]);
    expect(preview({ side: 'buy', rate: parseRate('154.214') }).order).toBe('limit entry');
    expect(preview({ side: 'sell', rate: parseRate('154.2') }).order).toBe('limit entry');
  });

  test('distinguishes thousands of forex from contracts', () => {
    expect(preview({ amount: 1500 }).notional).toBe('1,500,000 USD');
    expect(preview({ amount: 1 }, { instrumentType: 2, currency: 'US30' }).notional).toBe('1 contract');
    expect(preview({ amount: 2 }, { instrumentType: 2, currency: 'US30' }).notional).toBe('2 contracts');
  });
});

test('a price of five minutes ago or older has a warning', () => {
  const now = Date.UTC(2026, 0, 17, 12);
  const warning = (age: number) => ageWarning({ ...OFFER, time: new Date(now - age).toISOString() }, now);
  // An age below 0 comes from clocks that differ.
  expect([30_000, 299_000, -3_600_000].map(warning)).toEqual([undefined, undefined, undefined]);
  expect(warning(900_000)).toBe(
    'the last price of USD/JPY came 15m ago: its market may be closed, see svc trade hours',
  );
  expect(warning(49 * 3_600_000)).toContain('came 2d1h ago');
  expect(ageWarning({ ...OFFER, time: undefined }, now)).toBeUndefined();
});

describe('guards', () => {
  const guard = (offer: Partial<Offer>, account: Partial<Account> = {}, terms = {}) =>
    guardOrder({
      terms: { ...TERMS, ...terms },
      account: { ...ACCOUNT, ...account } as Account,
      offer: { ...OFFER, ...offer } as Offer,
    });
  const refusal = (...given: Parameters<typeof guard>): unknown => {
    try {
      return guard(...given);
    } catch (error) {
      expect(error).toMatchObject({ code: 'guarded', exit: 3 });
      const { message, hint } = error as SvcError;
      return hint === undefined ? message : `${message} (${hint})`;
    }
  };

  test('refuse an account that cannot open positions', () => {
    const states = ['W', 'A', 'Y', 'Q'].map((mc) => refusal({}, { mc }));
    expect(states).toEqual(
      [
        'warning: no new positions',
        'equity alert: no new positions',
        'margin call: liquidated',
        'equity stop: liquidated',
      ].map((state) => `account 654061 cannot open positions now: ${state}; nothing was sent`),
    );
  });

  test('refuse what the offer does not allow', () => {
    const shown = 'svc trade offers shows what can be traded';
    expect(refusal({ sellTradable: false })).toBe(
      `the gateway reports that USD/JPY cannot be sold now; nothing was sent (${shown})`,
    );
    expect(refusal({ buyTradable: false }, {}, { side: 'buy' })).toContain('USD/JPY cannot be bought now');
    const refusals = [{ minQuantity: 10 }, { maxQuantity: 4 }, { maxQuantity: 1 }, { instrBaseUnitSize: 2 }].map(
      (offer) => refusal(offer),
    );
    expect(refusals).toEqual([
      '5 is too small: the minimum of USD/JPY is 10; nothing was sent',
      '5 is too large: the maximum of USD/JPY is 4; nothing was sent',
      '5 is too large: the maximum of USD/JPY is 1; nothing was sent',
      '5 is not a multiple of 2, the trading step of USD/JPY; nothing was sent',
    ]);
    expect(refusal({ sell: undefined }, {}, { limit: parseDistance('153', '--limit') })).toBe(
      'the offer of USD/JPY has no sell price to check --limit against; nothing was sent (pass --limit in pips)',
    );
    expect(refusal({}, {}, { stop: parseDistance('154.1', '--stop') })).toContain(
      '--stop: 154.1 must be above the rate 154.2 for a sell',
    );
  });

  test('refuse nothing for what is unknown, or for an entry that may wait for its market', () => {
    guard({});
    guard({ buyTradable: false, maxQuantity: 0, minQuantity: 5 });
    guard({ maxQuantity: 5, instrBaseUnitSize: 5 });
    guard({}, { mc: undefined });
    guard({ sellTradable: false }, {}, { rate: parseRate('150'), stop: parseDistance('154.1', '--stop') });
  });
});
