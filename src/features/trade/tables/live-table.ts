/** A table: one snapshot, merged with pushed changes, which may have only the changed fields. */

export interface RowChange<Row> {
  readonly event: 'added' | 'changed' | 'resolved';
  readonly row: Row;
}

type TableRecord = Readonly<Record<string, unknown>>;

export class LiveTable<Row extends object> {
  readonly #read: (record: TableRecord) => Row | undefined;
  readonly #records = new Map<string, TableRecord>();
  readonly #rows = new Map<string, Row>();
  #reported: ReadonlyMap<string, Row> = new Map();

  /** `read` makes a row of a merged record; an undefined row changes nothing. */
  constructor(read: (record: TableRecord) => Row | undefined) {
    this.#read = read;
  }

  replace(records: Iterable<readonly [key: string, record: TableRecord]>): void {
    this.#records.clear();
    this.#rows.clear();
    for (const [key, record] of records) this.set(key, record);
  }

  /** An insert or an update. False if the result is not a row. */
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

  /** The matching rows, and how they differ from those of the call before. */
  changes(isWanted: (row: Row) => boolean = () => true): {
    readonly rows: readonly Row[];
    readonly changes: readonly RowChange<Row>[];
  } {
    const seen = new Map([...this.#rows].filter(([, row]) => isWanted(row)));
    const changes: RowChange<Row>[] = [];
    for (const [key, row] of seen) {
      const before = this.#reported.get(key);
      if (before === undefined) changes.push({ event: 'added', row });
      else if (before !== row && !isSame(before, row)) changes.push({ event: 'changed', row });
    }
    for (const [key, row] of this.#reported) if (!seen.has(key)) changes.push({ event: 'resolved', row });
    this.#reported = seen;
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
