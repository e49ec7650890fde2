import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeAlerts } from '../../../src/sandbox/alerts/bodies.ts';
import { parseMatcher } from '../../../src/sandbox/alerts/matcher.ts';
import { parseQuery, Refused } from '../../../src/sandbox/alerts/requests.ts';
import { formatServerTime, parseServerTime } from '../../../src/sandbox/alerts/times.ts';

describe('bodies', () => {
  test('labels are read as they were sent, whatever follows the first JSON value', () => {
    const text = fc.string({ unit: 'binary' });
    const set = fc.dictionary(text, text);
    fc.assert(
      fc.property(
        fc.array(fc.record({ labels: set, annotations: set, extra: fc.jsonValue() })),
        text,
        (alerts, rest) => {
          const read = decodeAlerts(` ${JSON.stringify(alerts, null, 2)}${rest}`);
          expect(read.map(({ labels, annotations }) => ({ labels, annotations }))).toEqual(
            alerts.map(({ labels, annotations }) => ({ labels: { ...labels }, annotations: { ...annotations } })),
          );
        },
      ),
    );
  });

  test('every other body is refused', () => {
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
        expect(() => decodeAlerts(body)).toThrow(Refused);
      }),
    );
  });
});

describe('times', () => {
  test('what is written reads back', () => {
    const date = fc.date({ min: new Date('0100-01-01'), max: new Date('9998-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(date, fc.integer({ min: -1439, max: 1439 }), (at, offset) => {
        const time = { ms: at.getTime(), offset };
        expect(parseServerTime(formatServerTime(time))).toEqual(time);
      }),
    );
  });

  test('every text is a time or none', () => {
    const part = fc.constantFrom(
      '2027',
      '-02',
      '-29',
      '-31',
      'T12',
      ':00',
      ':60',
      '.5',
      'Z',
      '+02:00',
      ' ',
      'é',
      '0',
      '"',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 9 }), (parts) => {
        const result = parseServerTime(parts.join(''));
        if (result !== undefined) expect(result.ms).not.toBeNaN();
      }),
      { numRuns: 2000 },
    );
  });
});

describe('matchers', () => {
  test('a quoted value is read as it was', () => {
    // What is not UTF-8 became this character.
    const value = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\ufffd'));
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

describe('queries', () => {
  test('what URLSearchParams writes is read alike', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text)), (pairs) => {
        const query = parseQuery(new URLSearchParams(pairs).toString());
        for (const [name] of pairs) {
          expect(query.getAll(name)).toEqual(pairs.filter(([other]) => other === name).map(([, value]) => value));
        }
      }),
    );
  });
});
