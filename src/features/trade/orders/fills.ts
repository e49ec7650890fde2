/** Waits for an order to fill or end. Collects pushes beforehand: they may precede the response. */
import type { RunContext } from '../../../cli/command.ts';
import { type ErrorCode, SvcError } from '../../../errors.ts';
import { shellWord } from '../../../output/escape.ts';
import { openTrading, type Trading } from '../client.ts';
import { readPush } from '../gateway/push.ts';
import type { Session } from '../gateway/session.ts';
import type { TradingSession } from '../gateway/trading-session.ts';
import { EXECUTED, orderStateText } from '../order-text.ts';
import { SEEN_MODELS, SeenTables } from '../tables/seen-tables.ts';
import { type Awaited, type Fill, type Fills, type OrderState, orderState } from './state.ts';

/** The tables are pushed one by one: a position may come after the end of its order. */
const GRACE_MS = 250;
const OVER = 'over';

export type FillStatus = 'filled' | 'partly_filled' | 'rejected' | 'pending' | 'unknown';

export interface FillReport extends Fills {
  readonly status: FillStatus;
  /** Why the status is unknown, or why the wait ended. */
  readonly reason: string | null;
}

export class FillWatch {
  /** Everything that was read and pushed so far. */
  readonly #tables = new SeenTables();
  readonly #waitMs: number;
  readonly #context: Pick<RunContext, 'signal' | 'sleep' | 'notice'>;
  readonly #sleepers = new Set<() => void>();
  #session: Session | undefined;
  #trading!: Trading;
  /** All tables of the session are subscribed. */
  #isReady = false;
  /** Something may have been pushed between two sessions. */
  #misses = false;
  /** Why no more pushes come. */
  #ended: string | undefined;

  /** `waitMs`: how long an order is waited for. */
  constructor(waitMs: number, context: Pick<RunContext, 'signal' | 'sleep' | 'notice'>) {
    this.#waitMs = waitMs;
    this.#context = context;
    context.signal.addEventListener('abort', () => this.#wake());
  }

  /**
   * Subscribes and collects pushes; await it before an order is sent. Reads the session's events.
   * Goes on with another session once one is gone, reading what was missed. May be retried.
   */
  async follow({ session, trading }: Pick<TradingSession, 'session' | 'trading'>): Promise<void> {
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

  /** Reads the three tables again. Those that a rate limit hides stay unread. */
  refresh(): Promise<void> {
    return this.#read(this.#trading);
  }

  async #read(trading: Trading): Promise<void> {
    await this.#tables.read(trading);
    this.#wake();
  }

  /** Resolves once a row is pushed, a table is read, or the connection is lost. */
  #changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#sleepers.add(resolve);
    });
  }

  #wake(): void {
    for (const wake of this.#sleepers) wake();
    this.#sleepers.clear();
  }

  /** For accepted orders; several may be awaited at once. Rejects if the command is interrupted. */
  async wait(order: Awaited): Promise<FillReport> {
    const done = new AbortController();
    this.#tables.forgetSnapshot();
    try {
      return await this.#follow(order, done.signal);
    } finally {
      // A reason of our own: an exception would be made for each order.
      done.abort(OVER);
    }
  }

  async #follow(order: Awaited, done: AbortSignal): Promise<FillReport> {
    const limit = this.#alarm(this.#waitMs, done);
    let grace: { readonly rang: boolean } | undefined;
    let isRead = false;
    for (;;) {
      const changed = this.#changed();
      const state = orderState(order, this.#tables);
      if (state.filled) return report(state, 'filled');
      if (state.over) grace ??= this.#alarm(GRACE_MS, done);
      if (grace?.rang && !isRead) {
        const over = await this.#over(order, state);
        if (over !== undefined) return over;
        isRead = true;
      }
      this.#context.signal.throwIfAborted();
      if (this.#ended !== undefined) return report(state, 'unknown', this.#ended);
      if (limit.rang) return this.#finalState(order);
      await changed;
    }
  }

  #alarm(ms: number, done: AbortSignal): { readonly rang: boolean } {
    const clock = { rang: false };
    this.#context.sleep(ms, done).then(
      () => {
        clock.rang = true;
        this.#wake();
      },
      () => {},
    );
    return clock;
  }

  /** The wait is over and pushes may have been lost: read the tables. */
  async #finalState(order: Awaited): Promise<FillReport> {
    try {
      await this.refresh();
    } catch (error) {
      this.#context.signal.throwIfAborted();
      if (!(error instanceof SvcError)) throw error;
      const reason = `its state could not be read: ${error.message}`;
      return report(orderState(order, this.#tables), 'pending', reason);
    }
    const state = orderState(order, this.#tables);
    if (state.filled) return report(state, 'filled');
    const [unread] = this.#tables.unread.values();
    if (unread !== undefined) {
      return report(state, 'pending', `its state could not be read: ${unread.message}`);
    }
    if (!state.over) return report(state, 'pending', state.seen ? null : 'no push has mentioned it since');
    if (!state.seen) return report(state, 'pending', 'the tables show neither it nor a position of it');
    return report(state, endOf(state), lastState(state));
  }

  /** A position may be pushed after the end. Undefined if pushes of fills are still to come. */
  async #over(order: Awaited, state: OrderState): Promise<FillReport | undefined> {
    try {
      for (const model of ['OpenPosition', 'ClosedPosition'] as const) {
        await this.#tables.readTable(model, this.#trading);
      }
    } catch (error) {
      this.#context.signal.throwIfAborted();
      if (!(error instanceof SvcError)) throw error;
      const reason = `it ended, and its fills could not be read: ${error.message}`;
      return report(state, state.touched ? 'partly_filled' : 'unknown', reason);
    }
    const now = orderState(order, this.#tables);
    if (now.filled) return report(now, 'filled');
    // The gateway executed all of it, and the push that links a trade to it is late.
    if ('orderId' in order && now.status === EXECUTED) return undefined;
    return report(now, endOf(now), lastState(now));
  }

  async #listen(session: Session): Promise<void> {
    let ended: string | undefined;
    try {
      for await (const event of session.events()) {
        if (event.kind === 'closed') ended = event.error.message;
        const push = event.kind === 'push' ? readPush(event.name, event.payload) : undefined;
        if (push?.kind !== 'row') continue;
        this.#tables.take(push);
        this.#wake();
      }
      ended ??= 'the connection was closed';
    } catch (error) {
      ended ??= error instanceof SvcError ? error.message : 'the pushes failed';
    }
    // The end of a replaced session does not matter.
    if (session === this.#session) this.#ended = ended;
    this.#wake();
  }

  /** Pushes were missed: the tables show the current state. */
  async #resume(trading: Trading): Promise<void> {
    this.#tables.hasGap = true;
    await subscribe(trading);
    await this.#read(trading);
    for (const { message } of this.#tables.unread.values()) {
      this.#context.notice(`after the reconnect: ${message}`);
    }
  }
}

async function subscribe(trading: Trading): Promise<void> {
  for (const model of SEEN_MODELS) await trading.subscribeModel(model);
}

/** For an order that ended without being filled completely. */
function endOf({ touched, seen, unlinked, status }: OrderState): FillStatus {
  if (unlinked) return 'unknown';
  if (touched) return 'partly_filled';
  return seen && status !== EXECUTED ? 'rejected' : 'unknown';
}

function lastState({ status, seen, unlinked, trades, closed_trades }: OrderState): string | null {
  if (!seen) return 'it is no longer open, and its end was not seen';
  const unknown = [...trades, ...closed_trades].find(({ amount_k }) => amount_k === null);
  if (unknown !== undefined) return `the gateway does not say the amount of trade ${unknown.trade_id}`;
  if (unlinked) return 'it ended, and other positions of its symbol may be its';
  const state = orderStateText(status);
  return state === undefined ? null : `its last state was "${state}"`;
}

function report({ trades, closed_trades }: OrderState, status: FillStatus, reason: string | null = null): FillReport {
  return { status, trades, closed_trades, reason };
}

/** By fill status: the code of the exit status. */
export const FILL_CODES: Readonly<Record<FillStatus, ErrorCode | undefined>> = {
  filled: undefined,
  partly_filled: 'partly_done',
  rejected: 'refused',
  pending: 'still_pending',
  unknown: 'outcome_unknown',
};

/** `orderId` is null if the response named no order, or several. */
export function fillFooter(
  which: string,
  orderId: string | null,
  { status, reason }: Pick<FillReport, 'status' | 'reason'>,
): string | undefined {
  const check = 'check svc trade orders and svc trade positions';
  switch (status) {
    case 'filled':
      return undefined;
    case 'partly_filled':
    case 'rejected':
      return reason === null ? undefined : `${which}: ${reason}`;
    case 'pending':
      if (reason !== null) return `${which} was accepted, but ${reason}; it may be open or filled; ${check}`;
      return orderId === null
        ? `${which} is not complete yet; ${check}`
        : `${which} is still open: svc trade orders get ${shellWord(orderId)}, svc trade positions`;
    case 'unknown':
      return `${which} was accepted and may be open or filled: ${reason}; ${check}`;
  }
}

/** `170162801 5K @ 1.21818`. */
export function fillText({ trade_id, amount_k, rate }: Fill): string {
  return `${trade_id} ${amount_k ?? '?'}K @ ${rate ?? '?'}`;
}

/** `orders 1, 2`, and `request` where the response names none. */
export function ordersText(ids: readonly string[]): string {
  return ids.length === 0 ? 'request' : `order${ids.length > 1 ? 's' : ''} ${ids.join(', ')}`;
}

/** A failure while accepted orders are waited for: says that they were accepted. */
export function acceptedBut(error: unknown, ids: readonly string[]): unknown {
  if (!(error instanceof SvcError)) return error;
  const list = ids.length === 1 ? `orders get ${shellWord(ids[0] ?? '')}` : 'orders';
  return new SvcError(error.code, `${error.message}: ${ordersText(ids)} accepted, and now open or filled`, {
    hint: `svc trade ${list}, svc trade positions`,
    more: { order_id: ids.length === 0 ? undefined : ids.join(' ') },
    cause: error,
  });
}
