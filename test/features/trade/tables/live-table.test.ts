/** Merging snapshots and pushes: in any sequence, the last value of each field counts. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareRows, LiveTable } from '../../../../src/features/trade/tables/live-table.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Step {
  readonly does: 'I' | 'U' | 'D' | 'snapshot';
  readonly key: string;
  readonly fields: Fields;
}

const keys = fc.constantFrom('1', '2', '3', '__proto__');
const fields = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'toString'),
  fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
);
const steps = fc.array(fc.record<Step>({ does: fc.constantFrom('I', 'U', 'U', 'D', 'snapshot'), key: keys, fields }));

/** The slow and obvious way. */
function model(sequence: readonly Step[]): Map<string, Fields> {
  let rows = new Map<string, Fields>();
  for (const { does, key, fields } of sequence) {
    if (does === 'I' || does === 'U') rows.set(key, { ...rows.get(key), ...fields, id: key });
    else if (does === 'D') rows.delete(key);
    else if (does === 'snapshot') rows = new Map([[key, { ...fields, id: key }]]);
  }
  return rows;
}

const open = (): LiveTable<Fields> => new LiveTable<Fields>('id', (record) => record);
const snapshotOf = (...rows: Fields[]) => ({ rows, isComplete: true });

describe('a live table', () => {
  it('has the last value of each field', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        const table = open();
        for (const { does, key, fields } of sequence) {
          if (does === 'snapshot') table.snapshot(snapshotOf({ ...fields, id: key }));
          else if (does === 'D') table.delete(key);
          else table.set(key, { ...fields, id: key });
        }
        expect([...table.rows]).toEqual([...model(sequence)]);
      }),
    );
  });

  it('keeps a row after an invalid push', () => {
    const table = new LiveTable<Fields>('id', (record) => (record['a'] === 'bad' ? undefined : record));
    expect(table.set('1', { a: 1 })).toBe(true);
    expect(table.set('1', { a: 'bad' })).toBe(false);
    expect([...table.rows.values()]).toEqual([{ a: 1 }]);
  });

  it('keeps what is pushed while it is read', async () => {
    const table = open();
    for (const id of ['1', '2', '3']) table.set(id, { id, a: 1 });
    const taken = await table.read(async () => {
      table.set('1', { a: 2 });
      table.delete('2');
      table.set('4', { id: '4' });
      return snapshotOf({ id: '1', a: 1 }, { id: '2', a: 1 }, { id: '5' });
    });
    expect(taken).toEqual({ rows: [{ id: '5' }], isComplete: true });
    expect([...table.rows.values()]).toEqual([{ id: '1', a: 2 }, { id: '4' }, { id: '5' }]);
  });

  it('keeps a row that an incomplete snapshot does not list', () => {
    const table = open();
    for (const id of ['1', '2']) table.set(id, { id, a: 1 });
    table.snapshot({ rows: [{ id: '1' }], isComplete: false });
    expect([...table.rows.values()]).toEqual([{ id: '2', a: 1 }, { id: '1' }]);
  });
});

describe('the changes of rows', () => {
  it('lead from the earlier rows to the later ones', () => {
    const tables = fc.dictionary(keys, fields).map((rows) => new Map(Object.entries(rows)));
    fc.assert(
      fc.property(tables, tables, (before, after) => {
        const changes = compareRows(before, after);
        const rows = new Set<Fields>(before.values());
        for (const { event, row } of changes) if (event === 'resolved') rows.delete(row);
        for (const { event, row } of changes) if (event === 'added') rows.add(row);
        expect(rows.size).toBe(after.size);
        expect(compareRows(after, new Map([...after].map(([id, row]) => [id, { ...row }])))).toEqual([]);
      }),
    );
  });

  it('name a row once', () => {
    const before = new Map([
      ['1', { a: 1 }],
      ['2', { a: 1 }],
      ['3', { a: 1 }],
    ]);
    const after = new Map([
      ['1', { a: 1 }],
      ['2', { a: 2 }],
      ['4', { a: 1 }],
    ]);
    expect(compareRows(before, after)).toEqual([
      { event: 'changed', row: { a: 2 } },
      { event: 'added', row: { a: 1 } },
      { event: 'resolved', row: { a: 1 } },
    ]);
  });
});
