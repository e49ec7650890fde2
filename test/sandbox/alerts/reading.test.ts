import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatServerTime, parseServerTime } from '../../../src/sandbox/alerts/date-time.ts';
import { goJson, goQuote, JsonError, type JsonNode, parseJson } from '../../../src/sandbox/alerts/go-json.ts';
import { parseMatcher } from '../../../src/sandbox/alerts/matcher.ts';
import { parseQuery } from '../../../src/sandbox/alerts/query.ts';

/** As `JSON.parse` gives it; numbers are not kept. */
function plain(node: JsonNode | undefined): unknown {
  switch (node?.kind) {
    case 'object':
      return Object.fromEntries(node.members.map(([name, value]) => [name, plain(value)]));
    case 'array':
      return node.items.map(plain);
    case 'string':
    case 'bool':
      return node.value;
    default:
      return null;
  }
}

describe('JSON', () => {
  const text = fc.string({ unit: 'binary' });
  const value = fc.jsonValue({ stringUnit: 'binary' });

  test('what JSON.parse reads is read alike', () => {
    fc.assert(
      fc.property(value, (wanted) => {
        const withoutNumbers = JSON.parse(JSON.stringify(wanted), (_, item) =>
          typeof item === 'number' ? null : item,
        );
        expect(plain(parseJson(`${JSON.stringify(wanted, null, 2)} rest`))).toEqual(withoutNumbers);
      }),
    );
  });

  test('what JSON.parse refuses is refused, except for what follows the value', () => {
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
        const body = `[${parts.join('')}]`;
        let refusal: unknown;
        try {
          parseJson(body);
        } catch (error) {
          refusal = error;
        }
        if (refusal !== undefined) expect(refusal).toBeInstanceOf(JsonError);
        let valid = true;
        try {
          JSON.parse(body);
        } catch {
          valid = false;
        }
        if (valid) expect(refusal).toBeUndefined();
        else if (refusal === undefined) expect(body.slice(1, -1)).toContain(']');
      }),
      { numRuns: 1000 },
    );
  });

  test('half a surrogate pair becomes U+FFFD, deep nesting is refused', () => {
    expect(parseJson('"\\ud800x"')).toEqual({ kind: 'string', value: '\ufffdx' });
    expect(() => parseJson('['.repeat(100_000))).toThrow('exceeded max depth');
  });

  test('what is written reads back, with nothing in it that a web page would take for markup', () => {
    fc.assert(
      fc.property(fc.array(text), fc.boolean(), (texts, html) => {
        const written = goJson(texts, html);
        expect(JSON.parse(written)).toEqual(texts);
        if (html) expect(written).not.toMatch(/[<>&\u2028\u2029]/);
        expect(written.replaceAll('\\\\', '')).not.toMatch(/\\[bf]/);
      }),
    );
  });

  test.each([
    ['a"b\\c', '"a\\"b\\\\c"'],
    ['\x00\x07\n\x7f', '"\\x00\\a\\n\\x7f"'],
    ['é\u00a0\u200b\u{e0001}', '"é\\u00a0\\u200b\\U000e0001"'],
  ])('%j is quoted as Go does', (given, quoted) => {
    expect(goQuote(given)).toBe(quoted);
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

  test('every text is a time or a complaint', () => {
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
        if (typeof result === 'string') expect(result).toMatch(/^parsing time "/);
        else expect(result.ms).not.toBeNaN();
      }),
      { numRuns: 2000 },
    );
  });
});

describe('matchers', () => {
  test('a quoted value is read as it was', () => {
    // What is not UTF-8 cannot be told from this character any more.
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
          expect(query.get(name)).toEqual(pairs.filter(([other]) => other === name).map(([, value]) => value));
        }
      }),
    );
  });
});
