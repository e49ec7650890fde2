/** A table as it is now: one snapshot, and since then the changes that are pushed, which may tell only what is new in a row. */

export interface RowChange<Row> {
  readonly event: 'added' | 'changed' | 'resolved';
  readonly row: Row;
}

type TableRecord = Readonly<Record<string, unknown>>;

export class LiveTable<Row extends object> {
  readonly #read: (record: TableRecord) => Row | undefined;
  readonly #records = new Map<string, TableRecord>();
  /** Of the records, in the order they came. */
  readonly #rows = new Map<string, Row>();
  #told: ReadonlyMap<string, Row> = new Map();

  /** `read` makes a row of a merged record; undefined for one that cannot be a row, which then changes nothing. */
  constructor(read: (record: TableRecord) => Row | undefined) {
    this.#read = read;
  }

  /** What a snapshot shows is all there is. */
  replace(records: Iterable<readonly [key: string, record: TableRecord]>): void {
    this.#records.clear();
    this.#rows.clear();
    for (const [key, record] of records) this.set(key, record);
  }

  /** An insert or an update: the last word on each field that it has. False where that is no row. */
  set(key: string, { action: _action, ...fields }: TableRecord): boolean {
    const merged = { ...this.#records.get(key), ...fields };
    const row = this.#read(merged);
    if (row === undefined) return false;
    this.#records.set(key, merged);
    this.#rows.set(key, row);
    return true;
  }

  delete(key: string): void {
    this.#records.delete(key);
    this.#rows.delete(key);
  }

  /** The rows that are wanted, and what has become of them since the look before, however often it changed meanwhile. */
  look(isWanted: (row: Row) => boolean = () => true): {
    readonly rows: readonly Row[];
    readonly changes: readonly RowChange<Row>[];
  } {
    const seen = new Map([...this.#rows].filter(([, row]) => isWanted(row)));
    const changes: RowChange<Row>[] = [];
    for (const [key, row] of seen) {
      const before = this.#told.get(key);
      if (before === undefined) changes.push({ event: 'added', row });
      else if (before !== row && !isSame(before, row)) changes.push({ event: 'changed', row });
    }
    for (const [key, row] of this.#told) if (!seen.has(key)) changes.push({ event: 'resolved', row });
    this.#told = seen;
    return { rows: [...seen.values()], changes };
  }
}

function isSame(one: object, other: object): boolean {
  const names = Object.keys(one);
  const fields = other as TableRecord;
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => {
      const value = (one as TableRecord)[name];
      return Object.is(value, fields[name]) || (typeof value === 'object' && isSameJson(value, fields[name]));
    })
  );
}

function isSameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
