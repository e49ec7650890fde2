/**
 * What was pushed of orders and positions, and what of it belongs to one order (doc 3 §2, identifier rules). An order's row has a trade
 * id before anything is filled: only a position makes it real. Its status may stay "executing" for ever.
 */
import type { ModelName } from './models.ts';
import type { Side } from './order-rules.ts';
import type { PushedRecord, RowPush } from './push.ts';
import { shownTime, tableTime } from './table-time.ts';

/** What is waited for. */
export interface AwaitedOrder {
  readonly orderId: string;
  readonly accountId: string;
  readonly symbol: string;
  readonly side: Side;
  /** In thousands, as the tables count. */
  readonly amountK: number;
  /** The account holds both sides of a symbol: it closes nothing of its own accord. */
  readonly hedges?: boolean | undefined;
  /** Of an entry order. */
  readonly rate?: number | undefined;
  /** Milliseconds since 1970, by the gateway's clock. */
  readonly sentAt?: number | undefined;
}

/** What closes trades and opens none, by one order or several, which its answer may not name. */
export interface AwaitedClosing {
  readonly orderIds: readonly string[];
  /** Undefined where it could not be looked at what is open: then whatever is closed of the account and the symbol. */
  readonly tradeIds: readonly string[] | undefined;
  readonly accountId: string | undefined;
  /** Undefined for any. */
  readonly symbol: string | undefined;
  /** All together, in thousands; undefined where the orders' rows have to tell. */
  readonly amountK: number | undefined;
  /** Milliseconds since 1970: what was closed before is not of it. */
  readonly sentAt: number;
}

export type Awaited = AwaitedOrder | AwaitedClosing;

/** A part of an order that was filled; null is what the gateway did not tell. */
export interface Fill {
  readonly tradeId: string;
  readonly amountK: number | null;
  readonly rate: number | null;
  /** RFC 3339 in UTC. */
  readonly time: string | null;
}

export interface Fills {
  readonly trades: readonly Fill[];
  /** Closed by it: their rate and time are those of the closing. */
  readonly closedTrades: readonly Fill[];
}

export interface OrderState extends Fills {
  readonly filled: boolean;
  /** Something of it was filled. */
  readonly touched: boolean;
  /** It stands no more. */
  readonly over: boolean;
  /** It was seen in the table: without that its end says nothing. */
  readonly seen: boolean;
  /** The number of its last status. */
  readonly status: number | undefined;
}

const EXECUTED = 9;
const TINY = 1e-9;

interface KnownOrder {
  record: PushedRecord;
  /** In the order in which they were told. */
  readonly tradeIds: Set<string>;
  /** The largest: what is left of it is told with each part. */
  amountK: number;
  over: boolean;
}

export class OrderLedger {
  readonly #orders = new Map<string, KnownOrder>();
  /** By trade id: the row as it was first told. */
  readonly #opened = new Map<string, PushedRecord>();
  readonly #closed: PushedRecord[] = [];
  /** By closing: how many of its rows a look has told, and no push yet. */
  readonly #early = new Map<string, number>();
  /** Of the last look at the whole table. */
  #standing: ReadonlySet<string> | undefined;

  /** Rows of the three tables; others are left out. */
  take({ model, action, key, record }: RowPush): void {
    if (key === undefined) return;
    if (model === 'Order') this.#order(key, record, action === 'D');
    else if (model === 'OpenPosition' && action !== 'D') this.#opened.set(key, { ...record, ...this.#opened.get(key) });
    else if (model === 'ClosedPosition' && action === 'I') this.#closing(record);
  }

  /** A look at a whole table, after pushes were missed. */
  snapshot(model: ModelName, rows: readonly PushedRecord[]): void {
    const field = model === 'Order' ? 'orderId' : 'tradeId';
    if (model === 'ClosedPosition') {
      this.#lookAtClosed(rows);
      return;
    }
    for (const record of rows) this.take({ kind: 'row', model, action: 'U', key: idOf(record[field]), record });
    if (model !== 'Order') return;
    this.#standing = new Set(rows.map((row) => idOf(row['orderId'])));
    for (const [id, order] of this.#orders) if (!this.#standing.has(id)) order.over = true;
  }

  /** What was opened by these trades. */
  fillsOf(tradeIds: readonly string[]): readonly Fill[] {
    return tradeIds.flatMap((id) => {
      const row = this.#opened.get(id);
      const closed = this.#closed.filter(({ tradeId }) => idOf(tradeId) === id);
      return row === undefined ? closed.map((one) => fill(one, 'open', 'openTime')) : [fill(row, 'open', 'time')];
    });
  }

  /** Only looks from now on say whether an order stands. */
  forgetLook(): void {
    this.#standing = undefined;
  }

  state(awaited: Awaited): OrderState {
    return 'orderIds' in awaited ? this.#closingState(awaited) : this.#openingState(awaited);
  }

  #closingState({ orderIds, tradeIds, accountId, symbol, amountK, sentAt }: AwaitedClosing): OrderState {
    const orders = orderIds.map((id) => this.#orders.get(id));
    const known = orders.filter((order) => order !== undefined);
    const own = new Set([...(tradeIds ?? []), ...known.flatMap((order) => [...order.tradeIds])]);
    // The table's times have no milliseconds; and the order's is of the same clock.
    const times = known.flatMap(({ record }) => timeOf(record, 'time') ?? []);
    const began = Math.floor(Math.min(...(times.length === 0 ? [sentAt] : times)) / 1000) * 1000;
    const isMeant = (row: PushedRecord): boolean =>
      own.has(idOf(row['tradeId'])) ||
      orderIds.includes(idOf(row['orderId'])) ||
      (tradeIds === undefined &&
        (accountId === undefined || idOf(row['accountId'] ?? accountId) === accountId) &&
        (symbol === undefined || row['currency'] === symbol));
    const closed = this.#closed.filter((row) => isMeant(row) && (timeOf(row, 'closeTime') ?? began) >= began);
    const told = known.length === orderIds.length && orderIds.length > 0;
    const wanted = amountK ?? (told ? known.reduce((sum, order) => sum + order.amountK, 0) : Number.POSITIVE_INFINITY);
    const sum = total(closed);
    const isGone = (id: string, index: number): boolean => orders[index]?.over ?? this.#standing?.has(id) === false;
    return {
      trades: [],
      closedTrades: closed.map((row) => fill(row, 'close', 'closeTime')),
      filled: sum >= wanted - TINY,
      touched: sum > 0,
      over: orderIds.length > 0 && orderIds.every(isGone),
      seen: known.length > 0 || sum > 0,
      // That of one says nothing of the others.
      status: orders.length === 1 ? (number(orders[0]?.record['status']) ?? undefined) : undefined,
    };
  }

  #openingState(awaited: AwaitedOrder): OrderState {
    const { orderId, amountK } = awaited;
    const order = this.#orders.get(orderId);
    const isOurs = (row: PushedRecord, tradeId: string): boolean =>
      idOf(row['orderId']) === orderId || order?.tradeIds.has(tradeId) === true;
    const closed = this.#closed.filter((row) => isOurs(row, idOf(row['tradeId'])) || this.#isOffset(row, awaited));
    const closedIds = new Set(closed.map((row) => idOf(row['tradeId'])));
    const opened = [...this.#opened].filter(([id, row]) => isOurs(row, id) && number(row['amountK']) !== null);
    // A trade may be opened and stopped out before anybody sees it open.
    const atOnce = closed.filter((row) => isOurs(row, idOf(row['tradeId'])) && !this.#opened.has(idOf(row['tradeId'])));
    let trades = [
      ...opened.map(([, row]) => fill(row, 'open', 'time')),
      ...atOnce.map((row) => fill(row, 'open', 'openTime')),
    ];
    const closedTrades = closed.map((row) => fill(row, 'close', 'closeTime'));
    const over = order?.over === true || (order === undefined && this.#standing?.has(orderId) === false);
    const wanted = order !== undefined && order.amountK > 0 ? order.amountK : amountK;
    const offsets = closed.filter((row) => !isOurs(row, idOf(row['tradeId'])));
    let sum = total(offsets) + trades.reduce((all, one) => all + (one.amountK ?? 0), 0);
    if (over && sum === 0 && order?.record['status'] === EXECUTED && order.tradeIds.size > 0 && closedIds.size === 0) {
      trades = [...order.tradeIds].map((tradeId) => executedFill(tradeId, order, awaited.side));
      sum = wanted;
    }
    return {
      trades,
      closedTrades,
      filled: sum >= wanted - TINY,
      touched: sum > 0,
      over,
      seen: order !== undefined,
      status: number(order?.record['status']) ?? undefined,
    };
  }

  #closing(record: PushedRecord): void {
    const closing = closingOf(record);
    const early = this.#early.get(closing) ?? 0;
    if (early > 0) this.#early.set(closing, early - 1);
    else this.#closed.push(record);
  }

  /** One closing may have several rows, of parts; a push may come before the look that tells of it, or after. */
  #lookAtClosed(rows: readonly PushedRecord[]): void {
    const known = new Map<string, number>();
    const add = (counts: Map<string, number>, closing: string, more: number): void => {
      counts.set(closing, (counts.get(closing) ?? 0) + more);
    };
    for (const row of this.#closed) add(known, closingOf(row), 1);
    for (const row of rows) {
      const closing = closingOf(row);
      if ((known.get(closing) ?? 0) > 0) add(known, closing, -1);
      else {
        this.#closed.push(row);
        add(this.#early, closing, 1);
      }
    }
  }

  #order(id: string, record: PushedRecord, over: boolean): void {
    const known = this.#orders.get(id) ?? { record: {}, tradeIds: new Set<string>(), amountK: 0, over: false };
    this.#orders.set(id, known);
    known.record = { ...known.record, ...record };
    known.over ||= over;
    known.amountK = Math.max(known.amountK, number(record['amountK']) ?? 0);
    const tradeId = idOf(record['tradeId']);
    if (/^[1-9]\d*$/.test(tradeId)) known.tradeIds.add(tradeId);
  }

  /** Without hedging an order closes what is open on the other side, and no row says which order that was. */
  #isOffset(row: PushedRecord, { accountId, symbol, side, hedges, orderId }: AwaitedOrder): boolean {
    const record = this.#orders.get(orderId)?.record;
    const began = timeOf(record ?? {}, 'time');
    const ended = timeOf(row, 'closeTime');
    return (
      hedges === false &&
      record !== undefined &&
      idOf(row['accountId'] ?? accountId) === accountId &&
      row['currency'] === symbol &&
      row['isBuy'] === (side === 'sell') &&
      // The table's times have no milliseconds.
      (began === undefined || ended === undefined || ended >= Math.floor(began / 1000) * 1000)
    );
  }
}

/** Empty for what is none: an object may have a `toString` of its own, which is no function. */
function idOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function closingOf(row: PushedRecord): string {
  return `${idOf(row['tradeId'])} ${timeOf(row, 'closeTime')}`;
}

function timeOf(row: PushedRecord, field: 'time' | 'closeTime'): number | undefined {
  const time = row[field];
  return tableTime(typeof time === 'string' ? time : undefined);
}

function fill(row: PushedRecord, rate: 'open' | 'close', time: 'time' | 'openTime' | 'closeTime'): Fill {
  const at = row[time];
  return {
    tradeId: idOf(row['tradeId']),
    amountK: number(row['amountK']),
    rate: number(row[rate]),
    time: (typeof at === 'string' ? shownTime(at) : undefined) || null,
  };
}

/** Executed, and no position was told of: its rate is in the order's row, or 0 there. */
function executedFill(tradeId: string, { record, amountK, tradeIds }: KnownOrder, side: Side): Fill {
  const rate = number(record[side]);
  return { tradeId, amountK: tradeIds.size === 1 ? amountK : null, rate: rate === 0 ? null : rate, time: null };
}

function total(rows: readonly PushedRecord[]): number {
  return rows.reduce((sum, row) => sum + (number(row['amountK']) ?? 0), 0);
}

function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
