import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import { matchersOfLabels } from '../../../src/features/silences/draft.ts';

const names: fc.Arbitrary<string> = fc.constantFrom('alertname', 'team', 'host', '__proto__', 'constructor', 'a', 'Z');
const labels = fc.dictionary(names, fc.constantFrom('x', 'y', ''), { noNullPrototype: true });

describe('the matchers of labels', () => {
  it('are one equality for each remaining label', () => {
    fc.assert(
      fc.property(labels, fc.array(names, { maxLength: 2 }), (set, drop) => {
        const expected = Object.keys(set).filter((name) => !drop.includes(name));
        if (expected.length === 0 || drop.some((name) => !Object.hasOwn(set, name))) {
          expect(() => matchersOfLabels(set, drop)).toThrow(SvcError);
          return;
        }
        const matchers = matchersOfLabels(set, drop);
        expect(matchers.map(({ name }) => name).sort()).toEqual(expected.sort());
        for (const { name, value, isRegex, isEqual } of matchers) {
          expect([value, isRegex, isEqual]).toEqual([set[name], false, true]);
        }
      }),
    );
  });

  it('the name of the alert comes first, the others by name', () => {
    const matchers = matchersOfLabels({ zone: '1', alertname: 'A', Zone: '2', a: '3' });
    expect(matchers.map(({ name }) => name)).toEqual(['alertname', 'Zone', 'a', 'zone']);
  });

  it.each([
    ['instnace', '--drop: unknown label instnace: did you mean instance?'],
    ['rack', '--drop: unknown label rack'],
  ])('--drop of an unknown label %s is invalid', (drop, message) => {
    const act = () => matchersOfLabels({ alertname: 'A', instance: 'b' }, [drop]);
    expect(act).toThrow(
      expect.objectContaining({ code: 'invalid_value', message, hint: 'svc alerts list -a -o json shows the labels' }),
    );
  });
});
