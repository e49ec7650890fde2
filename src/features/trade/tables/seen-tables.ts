/** The tables of orders and positions, and what became of the rows that have left them. */
import { SvcError } from '../../../errors.ts';
import type { Trading } from '../client.ts';
import type { PushedRecord, RowPush } from '../gateway/push.ts';
import { omittedOf } from '../models.ts';
import { EXECUTED, opensNothing } from '../order-text.ts';
import { type ClosedPosition, type ModelRows, numberOf, type OpenPosition, type Order } from '../schema.ts';
import { LiveTable, type TableSnapshot } from './live-table.ts';
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
  /** By trade: the amount of the row that named it as executed. */
  readonly executed: Map<string, number>;
  /** The largest of its rows. A row may have the whole amount, what is left of it, or that of one fill. */
  amountK: number;
  isOver: boolean;
}

type OpenRow = Order & OpenPosition;

export class SeenTables {
  /** The current rows. */
  readonly #open = { Order: openTable('orderId'), OpenPosition: openTable('tradeId') };
  readonly #orders = new Map<string, SeenOrder>();
  readonly #opened = new Map<string, OpenPosition>();
  readonly #closed = new Set<ClosedPosition>();
  /** By trade: the order that opened it. */
  readonly #openedBy = new Map<string, string>();
  /** By close: how many of its rows a snapshot has shown, and no push yet. */
  readonly #unpushed = new Map<string, number>();
  /** The orders of the last snapshot. */
  #listed: ReadonlySet<string> | undefined;
  #snapshotsForgotten = 0;
  /** Pushes were missed between two connections: a link of a position to its order may be among them. */
  hasGap = false;
  /** Why tables could not be read. */
  readonly unread = new Map<SeenModel, SvcError>();

  take({ model, action, key, record }: RowPush): void {
    if (key === undefined) return;
    if (model === 'ClosedPosition' && action === 'I') this.#takeClosed(rowOf(record));
    if (model !== 'Order' && model !== 'OpenPosition') return;
    const row = rowOf<OpenRow>(record);
    if (action === 'D') this.#open[model].delete(key);
    else this.#open[model].set(key, row);
    this.#note(model, row, action === 'D');
  }

  snapshot(model: SeenModel, records: readonly PushedRecord[]): void {
    if (model === 'ClosedPosition') this.#readClosed(records.map((record) => rowOf<ClosedPosition>(record)));
    else this.#noteSnapshot(model, this.#open[model].snapshot(snapshotOf(records)));
  }

  /** What is pushed while it is read is newer than the response. */
  async readTable(model: SeenModel, trading: Pick<Trading, 'model'>): Promise<void> {
    const forgotten = this.#snapshotsForgotten;
    if (model === 'ClosedPosition') this.snapshot(model, await trading.model(model));
    else this.#noteSnapshot(model, await this.#open[model].read(async () => snapshotOf(await trading.model(model))));
    if (forgotten !== this.#snapshotsForgotten) this.#listed = undefined;
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
    const rows = name === 'ClosedPosition' ? this.#closed : this.#open[name as 'Order'].rows.values();
    return [...rows] as unknown as readonly ModelRows[N][];
  }

  order(id: string): SeenOrder | undefined {
    return this.#orders.get(id);
  }

  /** The order that opened a trade, if a row of the order has named the trade. */
  openedBy(tradeId: string): string | undefined {
    return this.#openedBy.get(tradeId);
  }

  /** It ended, or the last snapshot lacks it. */
  isGone(id: string): boolean {
    return this.#orders.get(id)?.isOver ?? this.#listed?.has(id) === false;
  }

  /** From now on only snapshots that are asked for later say whether an order is open. */
  forgetSnapshot(): void {
    this.#listed = undefined;
    this.#snapshotsForgotten += 1;
  }

  /** Positions by trade id, as they were first seen, in the order of their arrival. */
  get opened(): ReadonlyMap<string, OpenPosition> {
    return this.#opened;
  }

  #noteSnapshot(model: 'Order' | 'OpenPosition', { rows, isComplete }: TableSnapshot<OpenRow>): void {
    for (const row of rows) this.#note(model, row, false);
    if (model !== 'Order' || !isComplete) return;
    this.#listed = new Set(this.#open.Order.rows.keys());
    for (const [id, order] of this.#orders) if (!this.#listed.has(id)) order.isOver = true;
  }

  #note(model: 'Order' | 'OpenPosition', row: OpenRow, isEnd: boolean): void {
    if (model === 'Order') this.#noteOrder(row, isEnd);
    else if (!isEnd) this.#opened.set(row.tradeId, { ...row, ...this.#opened.get(row.tradeId) });
  }

  #noteOrder(row: Order, isEnd: boolean): void {
    const known = this.#orders.get(row.orderId) ?? unseen(row);
    this.#orders.set(row.orderId, known);
    known.row = { ...known.row, ...row };
    known.isOver ||= isEnd;
    known.amountK = Math.max(known.amountK, row.amountK ?? 0);
    const { tradeId = '' } = row;
    if (!/^[1-9]\d*$/.test(tradeId)) return;
    known.tradeIds.add(tradeId);
    if (known.row.status === EXECUTED) known.executed.set(tradeId, known.row.amountK || known.amountK);
    // A stop, a limit or a close names the trade that it ends.
    if (!opensNothing(known.row)) this.#openedBy.set(tradeId, row.orderId);
  }

  #takeClosed(row: ClosedPosition): void {
    const unpushed = this.#unpushed.get(closeOf(row)) ?? 0;
    if (unpushed > 0) this.#unpushed.set(closeOf(row), unpushed - 1);
    else this.#closed.add(row);
  }

  /** One close may have several rows, of parts; each may be pushed before the snapshot that shows it, or after. */
  #readClosed(rows: readonly ClosedPosition[]): void {
    const known = new Map<string, number>();
    const count = (counts: Map<string, number>, close: string, more: number): void => {
      counts.set(close, (counts.get(close) ?? 0) + more);
    };
    for (const row of this.#closed) count(known, closeOf(row), 1);
    for (const row of rows) {
      const close = closeOf(row);
      if ((known.get(close) ?? 0) > 0) count(known, close, -1);
      else {
        this.#closed.add(row);
        count(this.#unpushed, close, 1);
      }
    }
  }
}

function unseen(row: Order): SeenOrder {
  return { row, tradeIds: new Set(), executed: new Map(), amountK: 0, isOver: false };
}

function closeOf({ tradeId, closeTime }: ClosedPosition): string {
  return `${tradeId} ${tableTime(closeTime)}`;
}

function openTable(key: string): LiveTable<OpenRow> {
  return new LiveTable<OpenRow>(key, (fields) => fields as unknown as OpenRow);
}

/** A row that is left out may be any: what is not listed may still be there. */
function snapshotOf(records: readonly PushedRecord[]): TableSnapshot<OpenRow> {
  return { rows: records.map((record) => rowOf<OpenRow>(record)), isComplete: omittedOf(records).length === 0 };
}

/** A push is not validated: ids may be numbers, and an id that is neither a number nor a string matches nothing. */
function rowOf<Row>(record: PushedRecord): Row {
  const row: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) if (value !== null && value !== undefined) row[name] = value;
  for (const name of IDS) if (row[name] !== undefined) row[name] = idText(row[name]);
  for (const name of NUMBERS) {
    row[name] = numberOf(row[name]);
    if (!Number.isFinite(row[name])) delete row[name];
  }
  for (const name of TEXTS) if (typeof row[name] !== 'string') delete row[name];
  return row as Row;
}

function idText(id: unknown): string {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
}
