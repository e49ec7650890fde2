import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeAlerts } from '../../../src/sandbox/alerts/bodies.ts';
import { parseMatcher } from '../../../src/sandbox/alerts/labels.ts';
import { Refusal } from '../../../src/sandbox/http.ts';

describe('bodies', () => {
  it('reads labels as they were sent', () => {
    const text = fc.string({ unit: 'binary' }).filter((one) => one !== '__proto__');
    const set = fc.dictionary(text, text);
    fc.assert(
      fc.property(fc.array(fc.record({ labels: set, annotations: set, extra: fc.jsonValue() })), (alerts) => {
        const read = decodeAlerts(` ${JSON.stringify(alerts, null, 2)}`);
        expect(read.map(({ labels, annotations }) => ({ labels, annotations }))).toEqual(
          alerts.map(({ labels, annotations }) => ({ labels: { ...labels }, annotations: { ...annotations } })),
        );
      }),
    );
  });

  it('refuses every other body', () => {
    const part = fc.constantFrom(
      ...'{}[]:,"0 -.eE+',
      '1',
      'true',
      'nul',
      'null',
      '"a"',
      '\\u00',
      '\\n',
      '\n',
      '\u0001',
      'é',
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 10 }), (parts) => {
        const body = `{"labels":${parts.join('')}}`;
        expect(() => decodeAlerts(body)).toThrow(Refusal);
      }),
    );
  });
});

describe('matchers', () => {
  it('reads a quoted value unchanged', () => {
    const value = fc.string({ unit: 'binary' });
    const operator = fc.constantFrom('=', '!=', '=~', '!~');
    fc.assert(
      fc.property(value, operator, (wanted, sign) => {
        const quoted = wanted.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n');
        const isRegex = sign.endsWith('~');
        expect(parseMatcher(` a:b ${sign} "${quoted}" `)).toEqual({
          name: 'a:b',
          value: wanted,
          isRegex,
          isEqual: sign[0] === '=',
        });
      }),
    );
  });
});
