/** The tables of orders and positions: what was read, and what was pushed since. A snapshot may be older than a push. */
import { SvcError } from '../../../errors.ts';
import type { Trading } from '../client.ts';
import type { PushedRecord, RowPush } from '../gateway/push.ts';
import { opensNothing } from '../order-text.ts';
import type { ClosedPosition, ModelRows, OpenPosition, Order } from '../schema.ts';
import { tableTime } from './table-time.ts';

export const SEEN_MODELS = ['Order', 'OpenPosition', 'ClosedPosition'] as const;
export type SeenModel = (typeof SEEN_MODELS)[number];

const IDS = ['orderId', 'tradeId', 'accountId'];
const NUMBERS = ['amountK', 'open', 'close', 'buy', 'sell', 'status'];
const TEXTS = ['time', 'openTime', 'closeTime'];

export interface SeenOrder {
  /** Everything known about it, including its end. */
  row: Order;
  /** In the order of their pushes. */
  readonly tradeIds: Set<string>;
  /** The largest: each fill leaves less in the row. */
  amountK: number;
  isOver: boolean;
}

/** What was seen before some moment. */
export type SeenBefore = Pick<ReadonlySet<string>, 'has'>;

export class SeenTables {
  readonly #open = { Order: new Map<string, Order>(), OpenPosition: new Map<string, OpenPosition>() };
  readonly #every = { Order: new Map<string, Order>(), OpenPosition: new Map<string, OpenPosition>() };
  readonly #orders = new Map<string, SeenOrder>();
  readonly #opened = new Map<string, OpenPosition>();
  readonly #closed = new Set<ClosedPosition>();
  /** The rows of closed positions by `orderKey` and `tradeKey`, and the trades that each order opened. */
  readonly #closedOf = new Map<string, Set<ClosedPosition>>();
  readonly #openedOf = new Map<string, Set<string>>();
  /** By trade: the order that opened it. */
  readonly #openedBy = new Map<string, string>();
  /** By id of an order or a trade: when it was first seen, as a number that grows. */
  readonly #firstSeen = new Map<string, number>();
  #seen = 0;
  readonly #closeTimes = new WeakMap<ClosedPosition, number | undefined>();
  /** What ended before the last call of `forgetEnded`, and since. */
  #ended: Ended[] = [];
  #endedSince: Ended[] = [];
  /** Closes that were forgotten, while a snapshot may still show them. */
  #forgotten = new Set<string>();
  /** By close: how many of its rows a snapshot has shown, and no push yet. */
  readonly #unpushed = new Map<string, number>();
  /** The orders of the last snapshot. */
  #listed: ReadonlySet<string> | undefined;
  #snapshotsForgotten = 0;
  /** Of each read in progress: the ids of what was pushed meanwhile. */
  readonly #pushed = new Set<Set<string>>();
  /** Why tables could not be read. */
  readonly unread = new Map<SeenModel, SvcError>();

  take({ model, action, key, record }: RowPush): void {
    if (key === undefined) return;
    for (const ids of this.#pushed) ids.add(key);
    if (model === 'Order' || model === 'OpenPosition') this.#take(model, record, action === 'D');
    else if (model === 'ClosedPosition' && action === 'I') this.#takeClosed(rowOf(record));
  }

  /** `pushed`: the ids of what was pushed since the table was asked for, and is newer. */
  snapshot(model: SeenModel, rows: readonly PushedRecord[], pushed: ReadonlySet<string> = new Set()): void {
    if (model === 'ClosedPosition') {
      this.#readClosed(rows.map((row) => rowOf<ClosedPosition>(row)));
      return;
    }
    const open = this.#open[model];
    const before = [...open.keys()].filter((id) => !pushed.has(id));
    for (const id of before) open.delete(id);
    for (const row of rows) if (!pushed.has(idOf(model, row))) this.#take(model, row, false);
    for (const id of before) if (!open.has(id)) this.#endedSince.push({ model, id });
    if (model !== 'Order') return;
    this.#listed = new Set(open.keys());
    for (const [id, order] of this.#orders) if (!this.#listed.has(id)) order.isOver = true;
  }

  /** As it was read. What is pushed meanwhile is newer than the response. */
  async readTable<N extends SeenModel>(model: N, trading: Pick<Trading, 'model'>): Promise<readonly ModelRows[N][]> {
    const pushed = new Set<string>();
    this.#pushed.add(pushed);
    try {
      const forgotten = this.#snapshotsForgotten;
      const rows = await trading.model(model);
      this.snapshot(model, rows as readonly PushedRecord[], pushed);
      if (forgotten !== this.#snapshotsForgotten) this.#listed = undefined;
      return rows;
    } finally {
      this.#pushed.delete(pushed);
    }
  }

  /** Reads all tables. Those that a rate limit hides stay unread. */
  async read(trading: Pick<Trading, 'model'>): Promise<void> {
    for (const model of SEEN_MODELS) {
      try {
        await this.readTable(model, trading);
        this.unread.delete(model);
      } catch (error) {
        // A rate limit does not make the connection a bad one.
        if (!(error instanceof SvcError) || (error.retryable && error.code !== 'limited')) throw error;
        this.unread.set(model, error);
      }
    }
  }

  /** The current rows, as far as they are known. */
  rows<N extends SeenModel>(name: N): readonly ModelRows[N][] {
    const rows = name === 'ClosedPosition' ? this.#closed : this.#open[name as 'Order'].values();
    return [...rows] as unknown as readonly ModelRows[N][];
  }

  /** All rows ever seen, with their largest amounts: an order's row shows what is left to fill. */
  everyRow<N extends SeenModel>(name: N): readonly ModelRows[N][] {
    const rows = name === 'ClosedPosition' ? this.#closed : this.#every[name as 'Order'].values();
    return [...rows] as unknown as readonly ModelRows[N][];
  }

  /** The ids of all orders and trades seen so far. */
  seenBefore(): SeenBefore {
    const now = this.#seen;
    return { has: (id) => (this.#firstSeen.get(id) ?? now) < now };
  }

  /** Of these orders and trades, in the order of their arrival. */
  closedOf(orderIds: readonly string[], tradeIds: Iterable<string>): readonly ClosedPosition[] {
    const keys = [...orderIds.map(orderKey), ...[...tradeIds].map(tradeKey)];
    const sets = keys.flatMap((key) => this.#closedOf.get(key) ?? []);
    const rows = new Set(sets.flatMap((set) => [...set]));
    return sets.length < 2 ? [...rows] : [...this.#closed].filter((row) => rows.has(row));
  }

  /** As they were first seen. */
  openedOf(orderId: string, tradeIds: Iterable<string>): readonly OpenPosition[] {
    const ids = [...new Set([...(this.#openedOf.get(orderId) ?? []), ...tradeIds])];
    const rows = ids.flatMap((id) => this.#opened.get(id) ?? []);
    return rows.sort((one, other) => this.#seenAt(one.tradeId) - this.#seenAt(other.tradeId));
  }

  #seenAt(id: string): number {
    return this.#firstSeen.get(id) ?? 0;
  }

  /** Milliseconds since 1970. */
  closeTimeOf(row: ClosedPosition): number | undefined {
    if (!this.#closeTimes.has(row)) this.#closeTimes.set(row, tableTime(row.closeTime));
    return this.#closeTimes.get(row);
  }

  /**
   * Forgets what ended before the last call, so that the memory of a long session stays the same. To be called rarely: an outcome that
   * is still searched for, or pushed late, must find its rows.
   */
  forgetEnded(): void {
    for (const { model, id, row } of this.#ended) {
      if (row !== undefined) this.#forgetClosed(row);
      else if (!this.#open[model].has(id)) this.#forget(model, id);
    }
    this.#ended = this.#endedSince;
    this.#endedSince = [];
  }

  #forget(model: 'Order' | 'OpenPosition', id: string): void {
    this.#every[model].delete(id);
    this.#forgetId(id);
    if (model === 'Order') {
      for (const tradeId of this.#orders.get(id)?.tradeIds ?? []) this.#openedBy.delete(tradeId);
      this.#orders.delete(id);
      return;
    }
    const { orderId } = this.#opened.get(id) ?? {};
    this.#opened.delete(id);
    if (orderId !== undefined) remove(this.#openedOf, orderId, id);
  }

  #forgetClosed(row: ClosedPosition): void {
    this.#closed.delete(row);
    this.#unpushed.delete(closeOf(row));
    this.#forgotten.add(closeOf(row));
    for (const key of keysOf(row)) remove(this.#closedOf, key, row);
    this.#forgetId(row.tradeId);
  }

  #forgetId(id: string): void {
    const { Order: orders, OpenPosition: positions } = this.#every;
    if (!orders.has(id) && !positions.has(id) && !this.#closedOf.has(tradeKey(id))) this.#firstSeen.delete(id);
  }

  order(id: string): SeenOrder | undefined {
    return this.#orders.get(id);
  }

  /** The order that opened a trade, if a row of the order has named the trade. */
  readonly openedBy = (tradeId: string): string | undefined => this.#openedBy.get(tradeId);

  /** It ended, or the last snapshot lacks it. */
  isGone(id: string): boolean {
    return this.#orders.get(id)?.isOver ?? this.#listed?.has(id) === false;
  }

  /** From now on only snapshots that are asked for later say whether an order is open. */
  forgetSnapshot(): void {
    this.#listed = undefined;
    this.#snapshotsForgotten += 1;
  }

  /** Positions by trade id, as they were first seen. */
  get opened(): ReadonlyMap<string, OpenPosition> {
    return this.#opened;
  }

  #take(model: 'Order' | 'OpenPosition', record: PushedRecord, isEnd: boolean): void {
    const row = rowOf<Order & OpenPosition>(record);
    const id = model === 'Order' ? row.orderId : row.tradeId;
    if (isEnd) this.#endedSince.push({ model, id });
    else this.#note(id);
    if (model === 'Order') this.#takeOrder(row, isEnd);
    else if (!isEnd) this.#takeOpened(row);
    const [open, every] = [this.#open[model] as Map<string, Order>, this.#every[model] as Map<string, Order>];
    if (isEnd) {
      open.delete(id);
      return;
    }
    const merged = { ...open.get(id), ...row };
    open.set(id, merged);
    const amountK = Math.max(merged.amountK ?? 0, every.get(id)?.amountK ?? 0);
    every.set(id, merged.amountK === undefined ? merged : { ...merged, amountK });
  }

  #note(id: string): void {
    if (!this.#firstSeen.has(id)) this.#firstSeen.set(id, this.#seen++);
  }

  #takeOpened(row: OpenPosition): void {
    const { tradeId } = row;
    const opened = { ...row, ...this.#opened.get(tradeId) };
    this.#opened.set(tradeId, opened);
    if (opened.orderId !== undefined) add(this.#openedOf, opened.orderId, tradeId);
  }

  #takeOrder(row: Order, isEnd: boolean): void {
    const known = this.#orders.get(row.orderId) ?? { row, tradeIds: new Set<string>(), amountK: 0, isOver: false };
    this.#orders.set(row.orderId, known);
    known.row = { ...known.row, ...row };
    known.isOver ||= isEnd;
    known.amountK = Math.max(known.amountK, row.amountK ?? 0);
    const { tradeId = '' } = row;
    if (!/^[1-9]\d*$/.test(tradeId)) return;
    known.tradeIds.add(tradeId);
    // A stop, a limit or a close names the trade that it ends.
    if (!opensNothing(known.row)) this.#openedBy.set(tradeId, row.orderId);
  }

  #takeClosed(row: ClosedPosition): void {
    const unpushed = this.#unpushed.get(closeOf(row)) ?? 0;
    if (unpushed > 0) this.#unpushed.set(closeOf(row), unpushed - 1);
    else this.#addClosed(row);
  }

  #addClosed(row: ClosedPosition): void {
    this.#note(row.tradeId);
    this.#closed.add(row);
    this.#endedSince.push({ model: 'OpenPosition', id: row.tradeId, row });
    for (const key of keysOf(row)) add(this.#closedOf, key, row);
  }

  /** One close may have several rows, of parts; each may be pushed before the snapshot that shows it, or after. */
  #readClosed(rows: readonly ClosedPosition[]): void {
    const known = new Map<string, number>();
    const count = (counts: Map<string, number>, close: string, more: number): void => {
      counts.set(close, (counts.get(close) ?? 0) + more);
    };
    for (const row of this.#closed) count(known, closeOf(row), 1);
    const forgotten = this.#forgotten;
    this.#forgotten = new Set(rows.map(closeOf).filter((close) => forgotten.has(close)));
    for (const row of rows) {
      const close = closeOf(row);
      if (forgotten.has(close)) continue;
      if ((known.get(close) ?? 0) > 0) count(known, close, -1);
      else {
        this.#addClosed(row);
        count(this.#unpushed, close, 1);
      }
    }
  }
}

/** An order or an open position that is gone, or the row of a closed one. */
interface Ended {
  readonly model: 'Order' | 'OpenPosition';
  readonly id: string;
  readonly row?: ClosedPosition;
}

const orderKey = (id: string): string => `order ${id}`;
const tradeKey = (id: string): string => `trade ${id}`;

function keysOf({ orderId, tradeId }: ClosedPosition): readonly string[] {
  return [tradeKey(tradeId), ...(orderId === undefined ? [] : [orderKey(orderId)])];
}

function add<T>(sets: Map<string, Set<T>>, key: string, value: T): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([value]));
  else set.add(value);
}

function remove<T>(sets: Map<string, Set<T>>, key: string, value: T): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}

function closeOf({ tradeId, closeTime }: ClosedPosition): string {
  return `${tradeId} ${tableTime(closeTime)}`;
}

function idOf(model: SeenModel, record: PushedRecord): string {
  return String(record[model === 'Order' ? 'orderId' : 'tradeId']);
}

/** A push is not validated: ids may be numbers, and an id that is neither a number nor a string matches nothing. */
function rowOf<Row>(record: PushedRecord): Row {
  const row: Record<string, unknown> = { ...record };
  for (const name of IDS) {
    const id = row[name];
    if (id !== undefined) row[name] = typeof id === 'string' || typeof id === 'number' ? String(id) : '';
  }
  for (const name of NUMBERS) if (!Number.isFinite(row[name])) delete row[name];
  for (const name of TEXTS) if (typeof row[name] !== 'string') delete row[name];
  return row as Row;
}
