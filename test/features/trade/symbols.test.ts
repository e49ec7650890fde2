import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findOffer, findSymbol, foldedSymbol, instrumentText } from '../../../src/features/trade/symbols.ts';
import { tableRows } from './rows.ts';

const SYMBOLS = ['EUR/USD', 'USD/JPY', 'XAU/USD', 'US30', 'Copper'];

/** The symbol, or the hint of the error where none is found. */
function found(wanted: string): string {
  try {
    return findSymbol(SYMBOLS, wanted);
  } catch (error) {
    expect(error).toMatchObject({ code: 'not_found', exit: 5 });
    return (error as { readonly hint: string }).hint;
  }
}

describe('a symbol', () => {
  it('is found in any case, with or without its slash', () => {
    const names = ['EUR/USD', 'eurusd', 'eur-usd', 'Eur_Usd', 'us30', 'COPPER'];
    expect(names.map(found)).toEqual(['EUR/USD', 'EUR/USD', 'EUR/USD', 'EUR/USD', 'US30', 'Copper']);
  });

  it('is suggested for a name that is nearly the same', () => {
    expect(found('EURUDS')).toMatch(/^did you mean EUR\/USD\? svc trade symbols list/);
    expect(found('eur/usdd')).toMatch(/^did you mean EUR\/USD\?/);
    expect(found('us3')).toMatch(/^did you mean US30\?/);
    for (const wanted of ['AUD/USD', 'USD/EUR', '', 'constructor', '*', 'x'.repeat(1e6)]) {
      expect(found(wanted)).toMatch(/^svc trade symbols list/);
    }
  });

  it('is not guessed if two match, unless one matches exactly', () => {
    const both = ['EUR/USD', 'EURUSD'];
    for (const symbol of both) expect(findSymbol(both, symbol)).toBe(symbol);
    expect(() => findSymbol(both, 'eurusd')).toThrow(
      expect.objectContaining({ hint: 'it could be EUR/USD or EURUSD' }),
    );
  });

  it('is found by its own name, whatever others there are', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1 }), (symbols) => {
        for (const symbol of symbols) {
          expect(findSymbol(symbols, symbol)).toBe(symbol);
          expect(foldedSymbol(foldedSymbol(symbol))).toBe(foldedSymbol(symbol));
        }
      }),
    );
  });

  it('leads to its offer', () => {
    const offers = tableRows([
      { offerId: '1', currency: 'EUR/USD' },
      { offerId: '1013', currency: 'US30' },
    ]);
    expect(findOffer(offers, 'us30')).toBe(offers[1]);
    expect(() => findOffer(offers, 'DE30')).toThrow(expect.objectContaining({ code: 'not_found' }));
  });

  it('shows its kind of instrument as text, and an unknown kind unchanged', () => {
    expect([1, 2, 5, 99, undefined].map(instrumentText)).toEqual(['forex', 'index', 'bullion', '99', undefined]);
  });
});
