/** Waits until an order is filled or ends. Collects pushes from before it is sent: they may arrive before the response. */
import { SvcError } from '../../../errors.ts';
import { openTrading, type Trading } from '../client.ts';
import { type Push, type RowPush, readPush } from '../gateway/push.ts';
import type { Session } from '../gateway/session.ts';
import type { SessionEvent } from '../gateway/session-types.ts';
import { orderStateText } from '../order-text.ts';
import type { ClosedPosition, OpenPosition } from '../schema.ts';
import { SEEN_MODELS, SeenTables } from '../tables/seen-tables.ts';
import { orderCandidates } from './candidates.ts';
import {
  type Awaited,
  type AwaitedOrder,
  type Fill,
  type Fills,
  fillsOf,
  type OrderState,
  orderState,
} from './state.ts';

/** The tables are pushed one by one: a position may come after the end of its order. */
const GRACE_MS = 250;
/** The first pause before tables that could not be read are read again, and the longest. */
const AGAIN_MS = 500;
const LONGEST_AGAIN_MS = 30_000;
const OVER = 'over';
const CANCELED = 3;
const EXECUTED = 9;

export type FillStatus = 'filled' | 'partial' | 'rejected' | 'pending' | 'unknown';

export interface FillReport extends Fills {
  readonly status: FillStatus;
  /** Why the status is unknown, or why the wait ended. */
  readonly reason: string | null;
}

export interface WatchContext {
  readonly signal: AbortSignal;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  notice(text: string): void;
  /** Of an order that ended, the tables are read until it is known what was filled. */
  readonly persists?: boolean;
  /** Given every event, with its push if that is valid JSON. The next event waits for what it returns. */
  seen?(event: SessionEvent, push: Push | undefined): Promise<void> | undefined;
}

export class FillWatch {
  /** Everything that was read and pushed so far. */
  readonly tables = new SeenTables();
  readonly #context: WatchContext;
  /** With what says whether a push is of interest. */
  readonly #sleepers = new Map<() => void, (push: RowPush) => boolean>();
  #session: Session | undefined;
  #trading!: Trading;
  /** All tables of the session are subscribed. */
  #isReady = false;
  /** Something may have been pushed between two sessions. */
  #misses = false;
  #ended: SvcError | undefined;

  constructor(context: WatchContext) {
    this.#context = context;
    context.signal.addEventListener('abort', () => this.#wake());
  }

  /**
   * Subscribes and collects pushes: to be awaited before an order is sent. Reads the session's events. Can go on with another session
   * once the first is gone, and reads what was missed. May be called again after it rejects.
   */
  async follow(session: Session, trading: Trading): Promise<void> {
    if (session !== this.#session) {
      this.#misses ||= this.#isReady;
      this.#isReady = false;
      this.#session = session;
      this.#trading = trading;
      this.#ended = undefined;
      session.onReconnect((again) => this.#resume(openTrading(again)));
      void this.#listen(session);
    }
    if (this.#isReady) return;
    if (this.#misses) await this.#resume(trading);
    else await subscribe(trading);
    this.#isReady = true;
  }

  /** Resolves once a row is pushed that `isOf` accepts, a table is read, or the connection is lost. */
  changed(isOf: (push: RowPush) => boolean = () => true): Promise<void> {
    return new Promise((resolve) => {
      this.#sleepers.set(resolve, isOf);
    });
  }

  /** Reads the three tables again. Those that a rate limit hides stay unread. */
  refresh(): Promise<void> {
    return this.#read(this.#trading);
  }

  async #read(trading: Trading): Promise<void> {
    await this.tables.read(trading);
    this.#wake();
  }

  /** Hundreds of orders may be waited for: a push wakes only those that it can change. */
  #wake(push?: RowPush): void {
    for (const [wake, isOf] of this.#sleepers) {
      if (push !== undefined && !isOf(push)) continue;
      this.#sleepers.delete(wake);
      wake();
    }
  }

  /** For an accepted order; several may be waited for at once. Rejects if the command is interrupted. */
  async wait(order: Awaited, ms: number): Promise<FillReport> {
    const { signal, sleep } = this.#context;
    const done = new AbortController();
    const alarm = (after: number): { rang: boolean } => {
      const clock = { rang: false };
      sleep(after, done.signal).then(
        () => {
          clock.rang = true;
          this.#wake();
        },
        () => {},
      );
      return clock;
    };
    this.tables.forgetSnapshot();
    const limit = alarm(ms);
    let grace: { readonly rang: boolean } | undefined;
    let again = AGAIN_MS;
    let isRead = false;
    try {
      for (;;) {
        const changed = this.changed((push) => mayChange(order, push, this.tables));
        const state = orderState(order, this.tables);
        if (state.filled) return report(state, 'filled');
        if (state.over) grace ??= alarm(GRACE_MS);
        if (grace?.rang && !isRead) {
          const over = await this.#over(order, state);
          if (over === 'unread') {
            grace = alarm(again);
            again = Math.min(again * 2, LONGEST_AGAIN_MS);
          } else if (over !== undefined) return over;
          else isRead = true;
        }
        signal.throwIfAborted();
        if (this.#ended !== undefined) return report(state, 'unknown', this.#ended.message);
        if (limit.rang) return await this.#finalState(order);
        await changed;
      }
    } finally {
      // A reason of our own: an exception would be made for each order.
      done.abort(OVER);
    }
  }

  /** The wait is over and pushes may have been lost: read the tables. */
  async #finalState(order: Awaited): Promise<FillReport> {
    try {
      await this.refresh();
    } catch (error) {
      this.#context.signal.throwIfAborted();
      if (!(error instanceof SvcError)) throw error;
      const reason = `its state could not be read: ${error.message}`;
      return report(orderState(order, this.tables), 'pending', reason);
    }
    const state = orderState(order, this.tables);
    if (state.filled) return report(state, 'filled');
    const [unread] = this.tables.unread.values();
    if (unread !== undefined) {
      return report(state, 'pending', `its state could not be read: ${unread.message}`);
    }
    if (!state.over) return report(state, 'pending', state.seen ? null : 'no push has mentioned it since');
    const whole = this.#whole(order, state);
    if (whole !== undefined) return whole;
    if (!state.seen) return report(state, 'pending', 'the tables show neither it nor a position of it');
    return report(state, outcomeOf(state), lastState(state));
  }

  /** Positions that no push has linked to an order: those that opened since and are exactly what is missing are its own. */
  #missing({ sentAt, side, rate, ...order }: AwaitedOrder, { trades }: Fills): readonly Fill[] {
    const amountK = order.amountK - trades.reduce((sum, fill) => sum + (fill.amountK ?? 0), 0);
    if (sentAt === undefined || !(amountK > 0)) return [];
    const { openedBy } = this.tables;
    const isUnlinked = ({ orderId, tradeId }: OpenPosition | ClosedPosition): boolean =>
      (orderId ?? openedBy(tradeId)) === undefined;
    const positions = this.tables.rows('OpenPosition').filter(isUnlinked);
    const closed = this.tables.rows('ClosedPosition').filter(isUnlinked);
    const lost = { ...order, amountK, side, rate };
    const found = orderCandidates(lost, sentAt, { orders: [], positions, closed, openedBy });
    const ids = found.flatMap(({ id, isTaken }) => (isTaken ? [] : [id]));
    return fillsOf(ids, this.tables);
  }

  #whole(order: Awaited, state: OrderState): FillReport | undefined {
    const missing = 'orderId' in order && state.status !== CANCELED ? this.#missing(order, state) : [];
    return missing.length === 0 ? undefined : report({ ...state, trades: [...state.trades, ...missing] }, 'filled');
  }

  /** Only for a canceled order does its end mean that nothing more was filled. Undefined if pushes of its fills are still to come. */
  async #over(order: Awaited, state: OrderState): Promise<FillReport | 'unread' | undefined> {
    if (state.status === CANCELED) return report(state, outcomeOf(state), lastState(state));
    try {
      for (const model of ['OpenPosition', 'ClosedPosition'] as const) {
        await this.tables.readTable(model, this.#trading);
      }
    } catch (error) {
      this.#context.signal.throwIfAborted();
      if (!(error instanceof SvcError)) throw error;
      if (this.#context.persists) return 'unread';
      const reason = `it ended, and its fills could not be read: ${error.message}`;
      return report(state, state.touched ? 'partial' : 'unknown', reason);
    }
    const now = orderState(order, this.tables);
    if (now.filled) return report(now, 'filled');
    // The gateway executed all of it, and the push that links a trade to it is late.
    if ('orderId' in order && now.status === EXECUTED) return undefined;
    return this.#whole(order, now) ?? report(now, outcomeOf(now), lastState(now));
  }

  async #listen(session: Session): Promise<void> {
    let ended: SvcError | undefined;
    try {
      for await (const event of session.events()) {
        if (event.kind === 'closed') ended = event.error;
        const push = event.kind === 'push' ? readPush(event.name, event.payload) : undefined;
        if (push?.kind === 'row') {
          this.tables.take(push);
          this.#wake(push);
        }
        const full = this.#context.seen?.(event, push);
        if (full !== undefined) await full;
      }
      ended ??= new SvcError('connection_lost', 'the connection was closed');
    } catch (error) {
      ended ??= error instanceof SvcError ? error : new SvcError('internal', 'the pushes failed', { cause: error });
    }
    // The end of a replaced session does not matter.
    if (session === this.#session) this.#ended = ended;
    this.#wake();
  }

  /** Pushes were missed: the tables show the current state. */
  async #resume(trading: Trading): Promise<void> {
    await subscribe(trading);
    await this.#read(trading);
    for (const { message } of this.tables.unread.values()) {
      this.#context.notice(`after the reconnect: ${message}`);
    }
  }
}

/** Whether a push can change the state of an order: see `orderState`. */
function mayChange(order: Awaited, { model, key = '', record }: RowPush, tables: SeenTables): boolean {
  const isClose = model === 'ClosedPosition';
  if ('orderIds' in order) return isClose || (model === 'Order' && order.orderIds.includes(key));
  if (model === 'Order') return order.orderId === key;
  // Without hedging it may have closed any position.
  if (isClose && order.hedges !== true) return true;
  if (!isClose && model !== 'OpenPosition') return false;
  const { orderId, tradeId } = record;
  return order.orderId === String(orderId) || tables.order(order.orderId)?.tradeIds.has(String(tradeId)) === true;
}

async function subscribe(trading: Trading): Promise<void> {
  for (const model of SEEN_MODELS) await trading.subscribeModel(model);
}

/** For an order that ended without being filled completely. */
function outcomeOf({ touched, seen }: OrderState): FillStatus {
  if (touched) return 'partial';
  return seen ? 'rejected' : 'unknown';
}

function lastState({ status, seen }: OrderState): string | null {
  if (!seen) return 'it is no longer open, and its end was not seen';
  const state = orderStateText(status);
  return state === undefined ? null : `its last state was "${state}"`;
}

function report({ trades, closedTrades }: OrderState, status: FillStatus, reason: string | null = null): FillReport {
  return { status, trades, closedTrades, reason };
}
