import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findAccount, hedges, hedgingText, marginCallText } from '../../../src/features/trade/accounts.ts';
import type { Account } from '../../../src/features/trade/schema.ts';
import { tableRows } from './rows.ts';

const account = (accountId: string, accountName: string): Account => ({ accountId, accountName });
const HEDGING = account('654061', '00654061');
const NETTING = account('654062', '00654062');
const find = (accounts: readonly Account[], wanted?: string) => findAccount(tableRows(accounts), wanted);

describe('an account', () => {
  it('is found by its id or its name, without removing or adding zeros', () => {
    for (const wanted of ['654062', '00654062']) expect(find([HEDGING, NETTING], wanted)).toBe(NETTING);
    for (const wanted of ['0654061', '000654061', '65406', '654061 ', '']) {
      expect(() => find([HEDGING, NETTING], wanted)).toThrow(expect.objectContaining({ code: 'not_found', exit: 5 }));
    }
  });

  it('is found by its id, even if that is the name of another one', () => {
    const other = account('1', '654061');
    expect(find([other, HEDGING], '654061')).toBe(HEDGING);
    expect(find([other], '654061')).toBe(other);
    const accounts = fc.uniqueArray(fc.record({ accountId: fc.string(), accountName: fc.string() }), {
      selector: ({ accountId }) => accountId,
      minLength: 1,
    });
    fc.assert(
      fc.property(accounts, (all) => {
        for (const one of all) expect(find(all, one.accountId)).toBe(one);
      }),
    );
  });

  it('need not be named if there is only one', () => {
    expect(find([HEDGING])).toBe(HEDGING);
    expect(() => find([])).toThrow(expect.objectContaining({ code: 'not_found' }));
    const hint = 'accounts: 654061 (00654061), 654062 (00654062)';
    expect(() => find([HEDGING, NETTING])).toThrow(expect.objectContaining({ code: 'missing_value', exit: 2, hint }));
  });

  it('hedges only if it says so', () => {
    const hedging = ['Y', 'N', '0', undefined].map((letter) => hedges({ accountId: '1', hedging: letter }));
    expect(hedging).toEqual([true, false, false, undefined]);
  });

  it('shows its state as text, and an unknown state unchanged', () => {
    expect(['N', 'W', 'A', 'Y', 'Q', 'X', undefined].map(marginCallText)).toEqual([
      'none',
      'warning: no new positions',
      'equity alert: no new positions',
      'margin call: liquidated',
      'equity stop: liquidated',
      'X',
      undefined,
    ]);
    expect(['Y', 'N', '0', 'D', 'F', 'constructor'].map(hedgingText)).toEqual([
      'hedging',
      'no hedging',
      'netting',
      'day netting',
      'first in, first out',
      'constructor',
    ]);
  });
});
