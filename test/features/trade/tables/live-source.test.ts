/** Merging pushes: in any sequence, the last value of each field counts. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LivePrices, LiveTable } from '../../../../src/features/trade/tables/live-source.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Step {
  readonly does: 'I' | 'U' | 'D' | 'snapshot' | 'look';
  readonly key: string;
  readonly fields: Fields;
}

const keys = fc.constantFrom('1', '2', '3', '__proto__');
const fields = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'toString'),
  fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
);
const steps = fc.array(
  fc.record<Step>({ does: fc.constantFrom('I', 'U', 'U', 'D', 'snapshot', 'look'), key: keys, fields }),
);

/** The slow and obvious way. */
function model(sequence: readonly Step[]): Map<string, Fields> {
  let rows = new Map<string, Fields>();
  for (const { does, key, fields } of sequence) {
    if (does === 'I' || does === 'U') rows.set(key, Object.assign({}, rows.get(key), fields));
    else if (does === 'D') rows.delete(key);
    else if (does === 'snapshot') rows = new Map([[key, fields]]);
  }
  return rows;
}

describe('a live table', () => {
  it('has the last value of each field, and reports exact changes', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        const table = new LiveTable<Fields>((record) => record);
        let before: readonly Fields[] = [];
        for (const [index, { does, key, fields }] of sequence.entries()) {
          if (does === 'I' || does === 'U') table.set(key, { ...fields, action: does });
          else if (does === 'D') table.delete(key);
          else if (does === 'snapshot') table.replace([[key, fields]]);
          if (does !== 'look') continue;
          const { rows, changes } = table.changes();
          expect(rows).toEqual([...model(sequence.slice(0, index + 1)).values()]);
          const gone = changes.filter(({ event }) => event === 'resolved').map(({ row }) => row);
          const added = changes.filter(({ event }) => event === 'added').map(({ row }) => row);
          expect(rows.length).toBe(before.length + added.length - gone.length);
          before = rows;
        }
        expect(table.changes().rows).toEqual([...model(sequence).values()]);
        expect(table.changes().changes).toEqual([]);
      }),
    );
  });

  it('reports a row once between two reads', () => {
    const table = new LiveTable<Fields>((record) => record);
    table.set('1', { a: 1 });
    table.set('1', { b: 2, action: 'U' });
    table.set('2', { a: 1 });
    table.delete('2');
    expect(table.changes().changes).toEqual([{ event: 'added', row: { a: 1, b: 2 } }]);
    table.set('1', { a: 5 });
    table.set('1', { a: 1 });
    expect(table.changes().changes).toEqual([]);
    table.set('1', { a: 3 });
    expect(table.changes().changes).toEqual([{ event: 'changed', row: { a: 3, b: 2 } }]);
    table.replace([['9', { a: 9 }]]);
    expect(table.changes().changes).toEqual([
      { event: 'added', row: { a: 9 } },
      { event: 'resolved', row: { a: 3, b: 2 } },
    ]);
  });

  it('keeps a row after an invalid push', () => {
    const table = new LiveTable<Fields>((record) => (record['a'] === 'bad' ? undefined : record));
    expect(table.set('1', { a: 1 })).toBe(true);
    expect(table.set('1', { a: 'bad' })).toBe(false);
    expect(table.changes().rows).toEqual([{ a: 1 }]);
  });

  it('leaves out unwanted rows, and reports when a row becomes unwanted', () => {
    const table = new LiveTable<Fields>((record) => record);
    table.set('1', { a: 1 });
    table.set('2', { a: 2 });
    const isOdd = ({ a }: Fields): boolean => Number(a) % 2 === 1;
    expect(table.changes(isOdd)).toEqual({ rows: [{ a: 1 }], changes: [{ event: 'added', row: { a: 1 } }] });
    table.set('1', { a: 4 });
    expect(table.changes(isOdd)).toEqual({ rows: [], changes: [{ event: 'resolved', row: { a: 1 } }] });
  });
});

describe('live prices', () => {
  const tick = (bid: number) =>
    ({ kind: 'price', symbol: 'X', at: 0, bid, ask: bid + 1, high: undefined, low: undefined, record: {} }) as const;

  it('keep the last forty prices between bid and ask', () => {
    const prices = new LivePrices();
    for (let bid = 0; bid < 50; bid++) prices.tick(tick(bid));
    expect(prices.mids('X')).toEqual(Array.from({ length: 40 }, (_, index) => index + 10.5));
  });

  it('start with the offer, and keep values that a tick lacks', () => {
    const prices = new LivePrices();
    const offer = { offerId: '1', currency: 'X', sell: 1, buy: 2, high: 9, low: 0.5, ratePrecision: 3, time: 'then' };
    prices.replace([offer, { ...offer, currency: 'Y' }], ['X']);
    prices.tick(tick(3));
    expect(prices.table.changes().rows).toEqual([
      { symbol: 'X', bid: 3, ask: 4, high: 9, low: 0.5, time: '1970-01-01T00:00:00.000Z' },
    ]);
    expect(prices.precision('X')).toBe(3);
  });
});
