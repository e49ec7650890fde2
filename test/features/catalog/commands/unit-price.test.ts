/** `--per`: prices by the kilogram or the liter. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Source } from '../../../../src/features/catalog/schema.ts';
import { seriesOf } from '../../../../src/features/catalog/series.ts';
import { pricesPer } from '../../../../src/features/catalog/unit-price.ts';
import { misbehaving } from './misbehaving.ts';
import { at, CHIZHIK, FIXPRICE, lasting, type Place, seen, shop } from './shop.ts';

const catalog = await misbehaving();

const packed = (place: Place, fields: Readonly<Record<string, unknown>>): Place => ({
  ...place,
  fields: { ...place.fields, ...fields },
});
const LITER = packed(FIXPRICE, { price: 100, package_quantity: 0.93, package_unit: 'LTR' });
const LOOSE = packed(CHIZHIK, { price: 85, discount_price: null, loyal_price: null, unit: 'LTR' });
const UNSIZED = packed(CHIZHIK, { source_id: 'r:9', settlement: { id: 9, name: 'Tula' }, package_quantity: null });

describe('svc catalog compare --per', () => {
  const rows = (stdout: string) =>
    JSON.parse(stdout).map((one: Record<string, unknown>) => [one['parser_name'], one['effective_price'], one['unit']]);

  test('compares by the unit, whatever the unit of the offers', async () => {
    catalog.replies(shop({ places: [LITER, LOOSE] }));
    const { code, stdout, stderr } = await catalog.run(['compare', 'p1', '--per', 'l', '-o', 'json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(rows(stdout)).toEqual([
      ['chizhik', 85, 'l'],
      ['fixprice', 107.53, 'l'],
    ]);
    expect((await catalog.run(['compare', 'p1', '--per', 'l'])).stdout).toContain('RUB/l');
  });

  test('leaves out and counts offers that cannot be converted', async () => {
    catalog.replies(shop({ places: [LITER, { ...UNSIZED, source_id: 'r:9' }] }));
    const { code, stdout, stderr } = await catalog.run(['compare', 'p1', '--per', 'l', '-o', 'json']);
    expect(code).toBe(0);
    expect(rows(stdout)).toEqual([['fixprice', 107.53, 'l']]);
    expect(stderr).toContain('1 of 2 offers are left out: their size by l is not known');
  });
});

describe('svc catalog movers --per', () => {
  const fields = { price: 100, discount_price: 93, package_unit: 'LTR' };
  const OLD = packed(FIXPRICE, { ...fields, package_quantity: 1, observed_at: at(20) });
  const NEW = packed(FIXPRICE, { ...fields, package_quantity: 0.93 });
  const places = [
    { ...OLD, source_id: 'old', past: [lasting(40, 20, 100)] },
    { ...NEW, past: [lasting(19, 0, 100)] },
    { ...UNSIZED, source_id: 'r:9' },
  ];
  test('divides each price by the size that the package had', async () => {
    catalog.replies(shop({ places }));
    const line = ['movers', 'p1', '--per', 'l', '--since', '30d', '-o', 'json'];
    const { code, stdout, stderr } = await catalog.run(line);
    // The package of 0.93 l costs what that of 1 l did.
    const last = { from: 100, to: 107.53, change: 7.53, change_percent: 7.53, unit: 'RUB/l' };
    expect({ code, last: JSON.parse(stdout).at(-1) }).toMatchObject({ code: 0, last });
    expect(stderr).toContain('1 of 2 offers are left out: their size by l is not known');
  });
});

describe('svc catalog check --per', () => {
  test('checks the price of the unit', async () => {
    catalog.replies(shop({ places: [LITER] }));
    const { code, stdout } = await catalog.run(['check', 'p1', '--per', 'l', '--above', '105']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('107.53 RUB/l') });
    expect((await catalog.run(['check', 'p1', '--above', '105'])).code).toBe(1);
  });

  test.each([
    [['--per', 'kg', '--below', '5'], 11, '1 of 1 offers are left out: their size by kg is not known'],
    [['--per', 'l', '--below', '5', '--field', 'available_count'], 2, '--per applies to prices'],
    [['--per', 'ounce', '--below', '5'], 2, 'unknown unit "ounce"'],
  ])('%j exits %i', async (argv, status, message) => {
    catalog.replies(shop({ places: [LITER] }));
    const { code, stderr } = await catalog.run(['check', 'p1', ...argv]);
    expect(code).toBe(status);
    expect(stderr).toContain(message);
  });
});

test('svc catalog history --per divides each price by the size of its own time', async () => {
  const fields = { ...FIXPRICE.fields, package_unit: 'LTR' };
  const before = {
    ...FIXPRICE,
    source_id: 'old',
    fields: { ...fields, package_quantity: 1, observed_at: at(5) },
    past: [seen(5, 100)],
  };
  const after = { ...FIXPRICE, fields: { ...fields, package_quantity: 0.8, observed_at: at(1) }, past: [seen(1, 100)] };
  catalog.replies(shop({ places: [before, after] }));
  const line = ['history', 'p1', '--per', 'l', '--since', '-6d', '--interval', '1d', '-o', 'json'];
  const { code, stdout, stderr } = await catalog.run(line);
  expect(code, stderr).toBe(0);
  const [{ values, unit, statistics }] = JSON.parse(stdout);
  expect(unit).toBe('l');
  expect(values.filter((value: number | null) => value !== null)).toEqual([100, 125]);
  expect(statistics.change_percent).toBe(25);
});

test('a price by a unit equals that of a second implementation', () => {
  const GRAMS: Readonly<Record<string, number>> = { KGM: 1000, GRM: 1 };
  const source = fc.record({
    parser_name: fc.constant('fixprice'),
    source_id: fc.constant('s'),
    price: fc.option(fc.double({ min: 0.01, max: 9999, noNaN: true })),
    unit: fc.constantFrom('KGM', 'GRM', 'PCE', 'LTR', 'XYZ', null),
    package_quantity: fc.option(fc.double({ min: 0.01, max: 50, noNaN: true })),
    package_unit: fc.constantFrom('KGM', 'GRM', 'LTR', 'kgm', null),
  });
  fc.assert(
    fc.property(source, (one) => {
      const { series } = pricesPer(seriesOf([one as Source], []), { per: 'kg', field: undefined });
      const inPackages =
        (one.package_quantity ?? Number.NaN) * (GRAMS[one.package_unit?.toUpperCase() ?? ''] ?? Number.NaN);
      const grams = GRAMS[one.unit ?? ''] ?? (one.unit === 'PCE' ? inPackages : Number.NaN);
      const price = series[0]?.offer?.price;
      const isLeftOut = Number.isNaN(grams);
      expect(series).toHaveLength(isLeftOut ? 0 : 1);
      if (isLeftOut) return;
      if (one.price === null) expect(price).toBeNull();
      else expect(Math.abs(Number(price) - (one.price / grams) * 1000)).toBeLessThanOrEqual(0.00501);
    }),
  );
});
