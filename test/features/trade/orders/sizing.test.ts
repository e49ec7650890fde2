import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { costsText, previewOrder } from '../../../../src/features/trade/orders/preview.ts';
import { parseDistance, type Side } from '../../../../src/features/trade/orders/rules.ts';
import { parseRisk, sizeOf } from '../../../../src/features/trade/orders/sizing.ts';
import type { Account, Offer } from '../../../../src/features/trade/schema.ts';

const ACCOUNT = { accountId: '1', equity: 50_000, usableMargin: 49_000 } as Account;
const OFFER = {
  currency: 'EUR/USD',
  instrumentType: 1,
  pip: 0.0001,
  pipCost: 0.1,
  instrBaseUnitSize: 1,
  mmr: 38.61,
  buy: 1.16013,
  sell: 1.16,
  rollB: -0.65,
  rollS: 0.325,
} as Offer;

function size(
  risk: string,
  stop: string,
  {
    side = 'buy',
    ...of
  }: { readonly side?: Side; readonly offer?: Partial<Offer>; readonly account?: Partial<Account> } = {},
) {
  const offer = { ...OFFER, ...of.offer };
  const terms = { risk: parseRisk(risk), side, stop: parseDistance(stop, '--stop') };
  const rate = side === 'buy' ? offer.buy : offer.sell;
  return sizeOf({ ...terms, rate }, { ...ACCOUNT, ...of.account }, offer);
}

describe('the amount of a risk', () => {
  it('is the largest whole number of units that loses no more', () => {
    const money = fc.integer({ min: 100_000, max: 1_000_000_00 });
    const tenths = fc.integer({ min: 1, max: 9_999 });
    const value = fc.integer({ min: 1, max: 99_999 });
    fc.assert(
      fc.property(money, tenths, value, fc.integer({ min: 1, max: 50 }), (cents, away, cost, instrBaseUnitSize) => {
        const offer = { pipCost: cost / 100_000, instrBaseUnitSize };
        const risk = (cents / 100).toFixed(2);
        // Money, pips and the value of a pip as integers.
        const lost = (amount: number) => BigInt(amount) * BigInt(away) * BigInt(cost);
        const most = BigInt(cents) * 10_000n;
        if (lost(instrBaseUnitSize) > most) {
          expect(() => size(risk, `${away / 10}pips`, { offer })).toThrow('is too little');
          return;
        }
        const { amount } = size(risk, `${away / 10}pips`, { offer });
        expect(amount % instrBaseUnitSize).toBe(0);
        expect(lost(amount) <= most).toBe(true);
        expect(lost(amount + instrBaseUnitSize) > most).toBe(true);
      }),
    );
  });

  it('has no binary remainders', () => {
    // 0.3 / (3 x 0.1) is 0.9999999999999999 in floating point.
    expect(size('0.3', '3pips').amount).toBe(1);
    expect(size('0.7', '7pips').amount).toBe(1);
  });

  it('is of the equity or of money, with a stop in pips or as a price', () => {
    expect(size('1%', '40pips')).toEqual({
      amount: 125,
      risk: 500,
      risk_percent: 1,
      equity: 50_000,
      stop_pips: 40,
      pip_value_of_one: 0.1,
      loss: 500,
      arithmetic: '500.00 (1% of equity 50000.00) / (40 pips x 0.1 for 1,000 EUR) = 125, rounded down',
    });
    expect(size('100', '1.15613')).toMatchObject({ amount: 25, stop_pips: 40, risk_percent: null, loss: 100 });
    expect(size('100', '1.164', { side: 'sell' })).toMatchObject({ amount: 25, stop_pips: 40 });
    expect(size('100', '7pips', { offer: { instrBaseUnitSize: 10 } })).toMatchObject({
      amount: 140,
      loss: 98,
      arithmetic: '100.00 / (7 pips x 0.1 for 1,000 EUR) = 140, rounded down to a multiple of 10',
    });
  });

  it('does not need the margin, which the preview compares', () => {
    expect(size('100', '40pips', { account: { usableMargin: undefined } }).amount).toBe(25);
  });

  it('is refused if it cannot be computed', () => {
    const refused = (...given: Parameters<typeof size>) => {
      expect(() => size(...given)).toThrow(expect.objectContaining({ exit: 2 }));
      return expect(() => size(...given));
    };
    refused('1%', '1.17').toThrow('--stop: 1.17 must be below the rate 1.16013 for a buy');
    refused('1%', '1.15', { side: 'sell' }).toThrow('must be above the rate 1.16 for a sell');
    refused('1%', '40pips', { account: { equity: undefined } }).toThrow('the equity of account 1 is unknown');
    refused('1%', '40pips', { account: { equity: -3 } }).toThrow('the equity of account 1 is -3');
    const unknownPip = 'does not say what a pip of EUR/USD is worth';
    refused('1%', '40pips', { offer: { pipCost: undefined } }).toThrow(unknownPip);
    refused('1%', '40pips', { offer: { instrBaseUnitSize: undefined } }).toThrow(unknownPip);
    refused('1%', '1.15', { offer: { buy: undefined } }).toThrow('the rate of EUR/USD is unknown');
    refused('3.99', '40pips').toThrow(
      '3.99 is too little: 40 pips x 0.1 for 1,000 EUR lose 4 with the smallest amount',
    );
  });

  it('is not read from other texts', () => {
    for (const text of ['0', '0%', '-1%', '101%', '1 %%', '1e3', 'all', '1,000', '%']) {
      const error = expect.objectContaining({ exit: 2, code: 'invalid_value' });
      expect(() => parseRisk(text), text).toThrow(error);
    }
  });
});

describe('what an order costs', () => {
  const preview = (side: Side, account: Account, offer: Offer) =>
    previewOrder({ terms: { side, amount: 3, tif: 'GTC' }, account, offer }, 0);

  it('comes from the offer and the account, exactly', () => {
    const costs = preview('buy', { ...ACCOUNT, usableMargin: 200.1 }, OFFER);
    expect(costs).toMatchObject({
      pip_value: 0.3,
      spread: 1.3,
      margin_needed: 115.83,
      margin_left: 84.27,
    });
    expect(costsText(preview('buy', ACCOUNT, { currency: 'EUR/USD' } as Offer))).toBe('');
    expect(costsText(costs)).toBe('margin 115.83 of 200.10 usable, a pip is worth 0.30, spread 1.3 pips');
    expect(costsText(preview('buy', { ...ACCOUNT, usableMargin: undefined }, OFFER))).toBe(
      'margin 115.83, a pip is worth 0.30, spread 1.3 pips',
    );
  });
});
