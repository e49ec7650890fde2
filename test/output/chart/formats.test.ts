/** What every format and every shaping option makes of a chart's value. */
import { describe, expect, test } from 'vitest';
import { checkOutputOptions } from '../../../src/output/render.ts';
import type { ChartOutput, OutputOptions } from '../../../src/output/types.ts';
import { options, rendering } from '../rendering.ts';
import { FROM, picture, series } from './pictures.ts';

interface Price {
  readonly at: string;
  readonly store: string;
  readonly price: number | null;
}
interface History {
  readonly product: number;
  readonly prices: readonly Price[];
}

const HISTORY: History = {
  product: 7,
  prices: [
    { at: '2026-01-15T00:00:00Z', store: 'Lidl', price: 10.123456789 },
    { at: '2026-01-16T00:00:00Z', store: 'Lidl', price: null },
    { at: '2026-01-17T00:00:00Z', store: '=Aldi', price: 9 },
  ],
};

const OUTPUT: ChartOutput<History, Price> = {
  kind: 'chart',
  chart: ({ prices, product }) =>
    picture({
      title: `Product ${product}`,
      series: [series({ at: prices.map(({ at }) => Date.parse(at)), values: prices.map(({ price }) => price) })],
      from: FROM,
    }),
  *rows({ prices }) {
    yield* prices;
  },
  list: {
    kind: 'list',
    columns: [
      { name: 'at', cell: ({ at }) => ({ time: at }) },
      { name: 'store', cell: ({ store }) => store },
      { name: 'price', cell: ({ price }) => price, align: 'right', wide: true },
    ],
    id: ({ at }) => at,
  },
};

const text = async (changes: Partial<OutputOptions>): Promise<string> =>
  (await rendering(HISTORY, OUTPUT, changes)).text;

describe('a chart', () => {
  test('is drawn with -o table and wide, in a pipe and at a terminal', async () => {
    const drawn = await text({});
    expect(drawn).toMatch(/^Product 7\n/);
    expect(drawn).toMatch(/[\u2801-\u28ff]/);
    expect(await text({ format: 'wide' })).toBe(drawn);
    expect(await text({ width: 80 })).toBe(drawn);
    expect(await rendering(HISTORY, OUTPUT)).toMatchObject({ dropped: [], shared: [], cut: 0 });
  });

  test('is rows with all digits in csv, tsv and ndjson, with empty fields for unknown values', async () => {
    expect(await text({ format: 'csv' })).toBe(
      "at,store,price\n2026-01-15T00:00:00Z,Lidl,10.123456789\n2026-01-16T00:00:00Z,Lidl,\n2026-01-17T00:00:00Z,'=Aldi,9\n",
    );
    expect(await text({ format: 'tsv', columns: ['price'], headers: false, sort: ['-price'] })).toBe(
      '10.123456789\n9\n\n',
    );
    expect(await text({ format: 'ndjson', limit: 1 })).toBe(`${JSON.stringify(HISTORY.prices[0])}\n`);
    expect(await text({ format: 'id' })).toBe('2026-01-15T00:00:00Z\n2026-01-16T00:00:00Z\n2026-01-17T00:00:00Z\n');
  });

  test('is the value itself in json and yaml', async () => {
    expect(JSON.parse(await text({ format: 'json' }))).toEqual(HISTORY);
    expect(await text({ format: 'yaml' })).toMatch(/^product: 7\nprices:\n/);
  });

  test('--query applies to the value, --fields to the rows', async () => {
    expect(await text({ query: 'prices[0].store' })).toBe('Lidl\n');
    expect(await text({ query: 'product', format: 'csv' })).toBe('7\n');
    expect(await text({ fields: ['store', 'price'], format: 'json', limit: 1 })).toBe(
      '[\n  {\n    "store": "Lidl",\n    "price": 10.123456789\n  }\n]\n',
    );
    expect(await text({ fields: ['price'], sort: ['price'] })).toBe(
      'price\n9\n10.123456789\n\n'.replace('price', 'PRICE'),
    );
    await expect(text({ fields: ['nowhere'] })).rejects.toThrow('there is no field "nowhere"');
  });

  test('refuses options that do not apply in advance', async () => {
    const refused: readonly (readonly [Partial<OutputOptions>, RegExp])[] = [
      [{ columns: ['store'] }, /--columns does not apply: a chart is drawn/],
      [{ sort: ['store'], format: 'json' }, /--sort does not apply: one value is printed/],
      [{ sort: ['store'], query: '@', format: 'csv' }, /--sort does not apply/],
      [{ columns: ['nowhere'], format: 'csv' }, /there is no column "nowhere"/],
      [{ query: '@', format: 'id' }, /-q and -o id print only ids/],
    ];
    for (const [changes, message] of refused)
      await expect(checkOutputOptions(OUTPUT, options(changes))).rejects.toThrow(message);
    const accepted = options({ format: 'csv', columns: ['store'], sort: ['-price'] });
    await expect(checkOutputOptions(OUTPUT, accepted)).resolves.toBeUndefined();
  });
});
