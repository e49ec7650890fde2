import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { explainCatalog } from '../../../src/features/catalog/api.ts';
import { numberOf } from '../../../src/features/catalog/statistics.ts';

const ENDPOINT = { method: 'GET', path: '/products', effect: 'read' } as const;
const explain = (status: number, text: string) =>
  explainCatalog({ status, contentType: 'application/json', text, headers: {} }, ENDPOINT);

describe('a failure of the catalog', () => {
  const fault = fc.oneof(
    fc.record({ loc: fc.array(fc.oneof(fc.string(), fc.nat())), msg: fc.string({ maxLength: 5000 }) }),
    fc.jsonValue(),
  );
  const body = fc.oneof(
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc.array(fault).map((detail) => JSON.stringify({ detail })),
    fc.string(),
  );

  test('is reported briefly, whatever its body', () => {
    fc.assert(
      fc.property(fc.constantFrom(400, 401, 404, 405, 422, 500, 503), body, (status, text) => {
        const error = explain(status, text);
        if (error === undefined) expect([500, 503]).toContain(status);
        else expect(error.message.length).toBeLessThan(2000);
      }),
      { numRuns: 500 },
    );
  });

  test('of an unknown path is not taken for a missing product', () => {
    for (const detail of ['__proto__', 'constructor', 'toString']) {
      expect(explain(404, JSON.stringify({ detail })), detail).toMatchObject({ code: 'wrong_path' });
    }
  });

  test('of a parameter without a text is still reported', () => {
    const detail = [{ loc: ['query', JSON.parse('{"toString":1}')], msg: 'Field required' }];
    expect(explain(422, JSON.stringify({ detail }))?.message).toBe(
      'the catalog refused the request: query: Field required',
    );
  });

  test('names each invalid parameter, up to a limit', () => {
    const detail = Array.from({ length: 100 }, (_, n) => ({ loc: ['query', `p${n}`], msg: 'Field required' }));
    const message = explain(422, JSON.stringify({ detail }))?.message ?? '';
    expect(message).toMatch(/^the catalog refused the request: query\.p0: Field required; query\.p1: Field required; /);
    expect(message).not.toContain('p99');
  });
});

describe('a number of the catalog', () => {
  test('may be a text', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(numberOf(value)).toBe(value);
        expect(numberOf(String(value))).toBe(Object.is(value, -0) ? 0 : value);
      }),
    );
  });

  test('is not read from other texts', () => {
    const others = [null, undefined, '', ' ', 'cheap', '1,5', '0x10', 'Infinity', '1e999', '12 RUB'];
    expect(others.map(numberOf)).toEqual(others.map(() => null));
    expect(['84.99', ' +.5 ', '-1e-3', '7.'].map(numberOf)).toEqual([84.99, 0.5, -0.001, 7]);
  });
});
