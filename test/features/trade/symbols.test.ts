import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findOffer, findSymbol, foldedSymbol, instrumentText } from '../../../src/features/trade/symbols.ts';
import { tableRows } from './rows.ts';

const SYMBOLS = ['EUR/USD', 'USD/JPY', 'XAU/USD', 'US30', 'Copper'];

describe('findSymbol', () => {
  it.each([
    ['EUR/USD', 'EUR/USD'],
    ['eurusd', 'EUR/USD'],
    ['eur-usd', 'EUR/USD'],
    ['Eur_Usd', 'EUR/USD'],
    ['us30', 'US30'],
    ['COPPER', 'Copper'],
  ])('%s is %s', (wanted, symbol) => expect(findSymbol(SYMBOLS, wanted)).toBe(symbol));

  it.each(['USD/EUR', 'EURUS', '', 'constructor', '*'])('%s is none', (wanted) => {
    expect(() => findSymbol(SYMBOLS, wanted)).toThrow(expect.objectContaining({ code: 'not_found', exit: 5 }));
  });

  it.each([
    ['EURUDS', 'EUR/USD'],
    ['eur/usdd', 'EUR/USD'],
    ['us3', 'US30'],
  ])('asks whether %s was to be %s', (wanted, similar) => {
    expect(() => findSymbol(SYMBOLS, wanted)).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(`^did you mean ${similar}\\? svc trade symbols list`) }),
    );
  });

  it.each(['AUD/USD', 'E', 'x'.repeat(1e6)])('suggests no other symbol for %.9s', (wanted) => {
    expect(() => findSymbol(SYMBOLS, wanted)).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/^svc trade symbols list/) }),
    );
  });

  it('does not guess between two similar symbols, but finds an exact match', () => {
    const both = ['EUR/USD', 'EURUSD'];
    for (const symbol of both) expect(findSymbol(both, symbol)).toBe(symbol);
    expect(() => findSymbol(both, 'eurusd')).toThrow(
      expect.objectContaining({ hint: 'it could be EUR/USD or EURUSD' }),
    );
  });

  it('finds every symbol by its own name', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1 }), (symbols) => {
        for (const symbol of symbols) expect(findSymbol(symbols, symbol)).toBe(symbol);
      }),
    );
  });
});

it('folding twice is folding once', () => {
  fc.assert(fc.property(fc.string(), (text) => foldedSymbol(foldedSymbol(text)) === foldedSymbol(text)));
});

it('findOffer finds the offer of the symbol', () => {
  const offers = tableRows([
    { offerId: '1', currency: 'EUR/USD' },
    { offerId: '1013', currency: 'US30' },
  ]);
  expect(findOffer(offers, 'us30')).toBe(offers[1]);
  expect(() => findOffer(offers, 'DE30')).toThrow(expect.objectContaining({ code: 'not_found' }));
});

it('shows kinds of instruments as words, and unknown ones unchanged', () => {
  expect([1, 2, 5, 99, undefined].map(instrumentText)).toEqual(['forex', 'index', 'bullion', '99', undefined]);
});
