/** The price really paid: the lowest of price, discount and loyalty price, over time. */
import { beforeAll, expect, test } from 'vitest';
import { market } from './market.ts';
import { misbehaving } from './misbehaving.ts';

const catalog = await misbehaving();
beforeAll(() => {
  catalog.replies(
    market([
      {
        product: 'milk',
        store: 'fixprice',
        place: 'Moscow',
        prices: [
          { ago: 3, price: 100, discount_price: 90 },
          { ago: 2, price: 100, loyal_price: 80 },
          { ago: 1, price: 70, discount_price: null },
        ],
      },
    ]),
  );
});

const WINDOW = ['--since', '2026-01-11', '--until', '2026-01-15', '--interval', '1d', '--tz', 'UTC'];

test('svc catalog history --field lowest names the price of each day', async () => {
  const { stdout, stderr } = await catalog.run(['history', 'milk', '--field', 'lowest', ...WINDOW, '-o', 'json']);
  expect(stderr).toBe('from 2026-01-11T00:00:00Z to 2026-01-15T00:00:00Z\n');
  const [one] = JSON.parse(stdout);
  expect(one).toMatchObject({
    values: [null, 90, 80, 70],
    fields: [null, 'discount_price', 'loyal_price', 'price'],
    meta: { field: 'lowest' },
    statistics: { first: 90, last: 70, min: 70 },
  });
  const csv = 'history milk --field lowest -o csv --columns field,value --no-headers'.split(' ');
  expect((await catalog.run([...csv, ...WINDOW])).stdout).toBe(',\ndiscount_price,90\nloyal_price,80\nprice,70\n');
});

test('svc catalog check --field lowest measures the change of the lowest price', async () => {
  const argv = ['check', 'milk', '--change', '-20%', '--since', '3d', '--field', 'lowest', '-o', 'json'];
  const { code, stdout } = await catalog.run(argv);
  expect(code).toBe(0);
  const [one] = JSON.parse(stdout).sources;
  expect(one).toMatchObject({ field: 'price', value: 70, first: 90 });
  expect(one.change_percent).toBeCloseTo(-22.2222, 3);
});

test('svc catalog check names no field of a lowest price that is not known', async () => {
  catalog.replies(market([{ product: 'milk', store: 'fixprice', place: 'Moscow', prices: [{ ago: 3, price: null }] }]));
  const read = async (...field: string[]) => {
    const argv = ['check', 'milk', '--change', '5%', '--since', '3d', ...field, '-o', 'json'];
    const { code, stdout } = await catalog.run(argv);
    return [code, JSON.parse(stdout).sources[0]];
  };
  expect(await read('--field', 'lowest')).toMatchObject([11, { field: null, value: null, first: null }]);
  expect(await read()).toMatchObject([11, { field: 'price', value: null, change_percent: null }]);
});
