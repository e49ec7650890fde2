import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import { matchersOfAlerts } from '../../../src/services/alertmanager/alert-matchers.ts';

const alert = (labels: Record<string, string>) => ({ labels, fingerprint: '0' });
const names: fc.Arbitrary<string> = fc.constantFrom('alertname', 'team', 'host', '__proto__', 'constructor', 'a', 'Z');
const labels = fc.dictionary(names, fc.constantFrom('x', 'y', ''), { noNullPrototype: true });

describe('the matchers of alerts', () => {
  test('hold for each of them, and leave nothing out that all have', () => {
    fc.assert(
      fc.property(fc.array(labels, { minLength: 1, maxLength: 4 }), fc.array(names, { maxLength: 2 }), (sets, drop) => {
        const [first = {}, ...others] = sets;
        const common = Object.keys(first).filter((name) =>
          others.every((one) => Object.hasOwn(one, name) && one[name] === first[name]),
        );
        const expected = common.filter((name) => !drop.includes(name));
        if (expected.length === 0) {
          expect(() => matchersOfAlerts(sets.map(alert), drop)).toThrow(SvcError);
          return;
        }
        const matchers = matchersOfAlerts(sets.map(alert), drop);
        expect(matchers.map(({ name }) => name).sort()).toEqual(expected.sort());
        for (const { name, value, isRegex, isEqual } of matchers) {
          expect([value, isRegex, isEqual]).toEqual([first[name], false, true]);
        }
      }),
    );
  });

  test('the name of the alert comes first, the others by name', () => {
    const matchers = matchersOfAlerts([alert({ zone: '1', alertname: 'A', Zone: '2', a: '3' })]);
    expect(matchers.map(({ name }) => name)).toEqual(['alertname', 'Zone', 'a', 'zone']);
  });

  test('a label that only some have is not common, even where it is empty', () => {
    expect(() => matchersOfAlerts([alert({ a: '' }), alert({ b: 'x' })])).toThrow('no label in common');
  });
});
