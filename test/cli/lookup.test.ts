import { describe, expect, it } from 'vitest';
import { didYouMean, suggest } from '../../src/cli/lookup.ts';

const NAMES = ['list', 'get', 'groups', 'create', 'receivers', 'status'];

describe('suggest', () => {
  it.each([
    ['lsit', 'list'],
    ['statsu', 'status'],
    ['recievers', 'receivers'],
    ['stat', 'status'],
    ['GET', 'get'],
    ['group', 'groups'],
  ])('%s: suggests %s', (typed, meant) => {
    expect(suggest(typed, NAMES)).toBe(meant);
  });

  it('suggests nothing for a word that resembles none', () => {
    expect(suggest('frobnicate', NAMES)).toBeUndefined();
    expect(suggest('x'.repeat(100_000), NAMES)).toBeUndefined();
    expect(didYouMean('frobnicate', ['a', 'b'])).toEqual({ hint: 'one of: a, b' });
  });

  it.each([
    ['oat', 'health'],
    ['upgrade', 'trade'],
    ['sh', 'zsh'],
    ['grup', 'groups'],
  ])('does not take %s for %s: more than a third differs', (typed, other) => {
    expect(suggest(typed, [other])).toBeUndefined();
  });
});
