import type { Change } from '../../../output/types.ts';

type Fields = Readonly<Record<PropertyKey, unknown>>;

export interface TableSnapshot<Row> {
  readonly rows: readonly Row[];
  /** False if rows are left out: one that is not listed may still be there. */
  readonly isComplete: boolean;
}

/** Rows by id, filled by snapshots and pushes. A push may have only the changed fields. */
export class LiveTable<Row extends object> {
  readonly #key: string;
  readonly #check: (fields: Fields) => Row | undefined;
  readonly #rows = new Map<string, Row>();
  /** Of each read in progress: the ids of what was pushed meanwhile. */
  readonly #pushed = new Set<Set<string>>();

  /** `key` is the field with the id. `check` is undefined for fields that are no row. */
  constructor(key: string, check: (fields: Fields) => Row | undefined) {
    this.#key = key;
    this.#check = check;
  }

  get rows(): ReadonlyMap<string, Row> {
    return this.#rows;
  }

  idOf(row: Row): string {
    return String((row as Fields)[this.#key]);
  }

  /** An insert or an update. False if the result is not a row: then nothing changes. */
  set(id: string, fields: object): boolean {
    const row = this.#check({ ...this.#rows.get(id), ...fields });
    if (row === undefined) return false;
    this.#rows.set(id, row);
    for (const ids of this.#pushed) ids.add(id);
    return true;
  }

  delete(id: string): void {
    this.#rows.delete(id);
    for (const ids of this.#pushed) ids.add(id);
  }

  /** Takes a snapshot; returns it without rows that were pushed meanwhile, which are newer. */
  async read(request: () => Promise<TableSnapshot<Row>>): Promise<TableSnapshot<Row>> {
    const newer = new Set<string>();
    this.#pushed.add(newer);
    try {
      return this.snapshot(await request(), newer);
    } finally {
      this.#pushed.delete(newer);
    }
  }

  /** Replaces the rows but those that are `newer`. Returns what it took. */
  snapshot({ rows, isComplete }: TableSnapshot<Row>, newer: ReadonlySet<string> = new Set()): TableSnapshot<Row> {
    const taken = rows.filter((row) => !newer.has(this.idOf(row)));
    const listed = new Set(taken.map((row) => this.idOf(row)));
    for (const id of [...this.#rows.keys()]) {
      if (listed.has(id) || (isComplete && !newer.has(id))) this.#rows.delete(id);
    }
    for (const row of taken) this.#rows.set(this.idOf(row), row);
    return { rows: taken, isComplete };
  }
}

/** How rows differ from earlier ones, by id. */
export function compareRows<Row extends object>(
  before: ReadonlyMap<string, Row>,
  after: ReadonlyMap<string, Row>,
): readonly Change<Row>[] {
  const changes: Change<Row>[] = [];
  for (const [id, row] of after) {
    const old = before.get(id);
    if (old === undefined) changes.push({ event: 'added', row });
    else if (old !== row && !isSame(old, row)) changes.push({ event: 'changed', row });
  }
  for (const [id, row] of before) if (!after.has(id)) changes.push({ event: 'resolved', row });
  return changes;
}

function isSame(one: object, other: object): boolean {
  const names = Object.keys(one);
  const [these, those] = [one as Fields, other as Fields];
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => {
      const value = these[name];
      return Object.is(value, those[name]) || (typeof value === 'object' && isSameJson(value, those[name]));
    })
  );
}

function isSameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
