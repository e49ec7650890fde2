import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SvcError } from '../../../src/errors.ts';
import { findAccount, hedges, hedgingText, marginCallText } from '../../../src/features/trade/accounts.ts';
import type { Account } from '../../../src/features/trade/schema.ts';
import { tableRows } from './rows.ts';

const account = (accountId: string, accountName: string): Account => ({ accountId, accountName });
const HEDGING = account('654061', '00654061');
const NETTING = account('654062', '00654062');

function failed(work: () => unknown): SvcError {
  try {
    work();
  } catch (error) {
    return error as SvcError;
  }
  throw new Error('it did not fail');
}

describe('findAccount', () => {
  it('finds it by its id or its name', () => {
    for (const wanted of ['654062', '00654062'])
      expect(findAccount(tableRows([HEDGING, NETTING]), wanted)).toBe(NETTING);
  });

  it('neither removes nor adds zeros', () => {
    for (const wanted of ['0654061', '000654061', '65406', '654061 ', '']) {
      expect(failed(() => findAccount(tableRows([HEDGING, NETTING]), wanted))).toMatchObject({
        code: 'not_found',
        exit: 5,
      });
    }
  });

  it('prefers an id to a name that looks like it', () => {
    const other = account('1', '654061');
    expect(findAccount(tableRows([other, HEDGING]), '654061')).toBe(HEDGING);
    expect(findAccount(tableRows([other]), '654061')).toBe(other);
  });

  it('uses the only one if none is named, and requires a choice of several', () => {
    expect(findAccount(tableRows([HEDGING]), undefined)).toBe(HEDGING);
    expect(failed(() => findAccount(tableRows([]), undefined))).toMatchObject({ code: 'not_found' });
    const error = failed(() => findAccount(tableRows([HEDGING, NETTING]), undefined));
    expect(error).toMatchObject({ code: 'missing_value', exit: 2 });
    expect(error.hint).toBe('accounts: 654061 (00654061), 654062 (00654062)');
  });

  it('finds every account by its id, whatever the names are', () => {
    const accounts = fc.uniqueArray(fc.record({ accountId: fc.string(), accountName: fc.string() }), {
      selector: ({ accountId }) => accountId,
      minLength: 1,
    });
    fc.assert(
      fc.property(accounts, (all) => {
        for (const one of all) expect(findAccount(tableRows(all), one.accountId)).toBe(one);
      }),
    );
  });
});

it('shows letters as words, and unknown ones unchanged', () => {
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

it('hedges only if the account says so', () => {
  const hedging = ['Y', 'N', '0', undefined].map((letter) => hedges({ accountId: '1', hedging: letter }));
  expect(hedging).toEqual([true, false, false, undefined]);
});
