/** What a receiver tells of, one row for each: the objects of `webhooks listen -o ndjson`. */
import type { DeliveryFacts } from './checked-delivery.ts';
import type { RefusalReason } from './receiver-desk.ts';
import type { Verdict } from './signature.ts';

/** Once, when deliveries are taken. */
export interface ReadyRow {
  readonly type: 'ready';
  readonly port: number;
  readonly url: string;
  readonly verify: boolean;
  readonly forward: string | null;
  readonly record: string | null;
  /** The event types that are not left out; null for all. */
  readonly events: readonly string[] | null;
  readonly pid: number;
}

export interface ForwardedRow {
  readonly status: number | null;
  readonly ms: number;
  readonly error?: string;
}

export interface DeliveryRow extends DeliveryFacts {
  readonly type: 'delivery';
  readonly received_at: string;
  readonly verdict: Verdict | 'unchecked';
  /** It was accepted before: how often it came, this time included, and when first. */
  readonly duplicate: { readonly deliveries: number; readonly first_at: string } | null;
  readonly forward: ForwardedRow | null;
  readonly response: number;
  /** From its head to its answer. */
  readonly ms: number;
  readonly body?: string | undefined;
}

export interface RefusedRow {
  readonly type: 'refused';
  readonly received_at: string;
  readonly source: string;
  readonly method: string;
  readonly path: string;
  readonly reason: RefusalReason;
  readonly response: number | null;
  readonly bytes: number;
}

export interface WarningRow {
  readonly type: 'warning';
  readonly message: string;
}

/** What came so far. */
export interface Tally {
  deliveries: number;
  valid: number;
  duplicates: number;
  invalid: number;
  refused: number;
  /** Valid, no duplicates, and answered with a 2xx. */
  accepted: number;
  /** Valid, and left out by the filter of event types: not among the deliveries. */
  filtered: number;
}

/** The last, however it ended. */
export interface EndRow extends Readonly<Tally> {
  readonly type: 'end';
}

export type ReceiverRow = ReadyRow | DeliveryRow | RefusedRow | WarningRow | EndRow;

/** Rows that come when they come: pushed on one side, iterated on the other, in order and without a promise where none is needed. */
export class RowQueue<Row> implements AsyncIterableIterator<Row> {
  #rows: Row[] = [];
  #next = 0;
  #waiting: ((result: IteratorResult<Row>) => void) | undefined;
  #broken: ((reason: unknown) => void) | undefined;
  #end: { readonly failure: unknown } | undefined;

  get backlog(): number {
    return this.#rows.length - this.#next;
  }

  push(row: Row): void {
    if (this.#end !== undefined) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#rows.push(row);
    else waiting({ value: row, done: false });
  }

  /** What was pushed is still given out; then there is no more, or the failure. */
  end(failure?: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = { failure };
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) return;
    if (failure === undefined) waiting({ value: undefined, done: true });
    else this.#broken?.(failure);
  }

  next(): Promise<IteratorResult<Row>> {
    if (this.#next < this.#rows.length) {
      const value = this.#rows[this.#next++] as Row;
      if (this.#next === this.#rows.length) {
        this.#rows = [];
        this.#next = 0;
      }
      return Promise.resolve({ value, done: false });
    }
    if (this.#end !== undefined) {
      const { failure } = this.#end;
      return failure === undefined ? Promise.resolve({ value: undefined, done: true }) : Promise.reject(failure);
    }
    return new Promise((done, fail) => {
      this.#waiting = done;
      this.#broken = fail;
    });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
