/** Waits until an order is filled, or over. What is pushed is kept from before it is sent: it may beat the answer. */
import { SvcError } from '../../errors.ts';
import { openTrading, type Trading } from './client.ts';
import { orderCandidates } from './order-candidates.ts';
import {
  type Awaited,
  type AwaitedOrder,
  type Fill,
  type Fills,
  OrderLedger,
  type OrderState,
} from './order-ledger.ts';
import { orderStateText } from './order-text.ts';
import { type PushedRecord, readPush } from './push.ts';
import type { ClosedPosition, OpenPosition } from './schema.ts';
import { SEEN_MODELS, SeenTables } from './seen-tables.ts';
import type { Session } from './session-types.ts';

/** The tables are pushed one by one: a position may come after its order's end. */
const GRACE_MS = 250;
const CANCELED = 3;

export type FillStatus = 'filled' | 'partial' | 'rejected' | 'pending' | 'unknown';

export interface FillReport extends Fills {
  readonly status: FillStatus;
  /** Why it is not known, or no more waited for. */
  readonly reason: string | null;
}

export interface FillWatch {
  /** Once it is accepted; several may be waited for at once. Rejects where the command is interrupted. */
  wait(order: Awaited, ms: number): Promise<FillReport>;
  /**
   * Subscribes, and keeps what is pushed from now on: to be awaited before an order is sent. Reads the session's events. Goes on with
   * another session, once the first is gone: what was missed is looked at. Where it rejects it may be called again.
   */
  follow(session: Session, trading: Trading): Promise<void>;
  /** Reads the three tables again. What a cap on calls hides is left unread, as `tables` says. */
  refresh(): Promise<void>;
  /** Whatever was read and pushed since. */
  readonly tables: SeenTables;
  /** Once something was pushed, or the connection was lost. */
  changed(): Promise<void>;
}

export interface WatchContext {
  readonly signal: AbortSignal;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  notice(text: string): void;
}

/** Of what it follows. */
export function watchFills(context: WatchContext): FillWatch {
  return new Watch(context);
}

class Watch implements FillWatch {
  readonly tables = new SeenTables();
  readonly #ledger = new OrderLedger();
  readonly #context: WatchContext;
  readonly #sleepers = new Set<() => void>();
  #session: Session | undefined;
  #trading!: Trading;
  /** All tables of the session are subscribed. */
  #isReady = false;
  /** Something may have been pushed between two sessions. */
  #misses = false;
  #ended: SvcError | undefined;

  constructor(context: WatchContext) {
    this.#context = context;
  }

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

  changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#sleepers.add(resolve);
    });
  }

  refresh(): Promise<void> {
    return this.#read(this.#trading);
  }

  async #read(trading: Trading): Promise<void> {
    await this.tables.read(trading, (model, rows) => this.#ledger.snapshot(model, rows));
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#sleepers) wake();
    this.#sleepers.clear();
  }

  async wait(order: Awaited, ms: number): Promise<FillReport> {
    const { signal, sleep } = this.#context;
    const done = new AbortController();
    const ending = AbortSignal.any([signal, done.signal]);
    const alarm = (after: number): { rang: boolean } => {
      const clock = { rang: false };
      sleep(after, ending).then(
        () => {
          clock.rang = true;
          this.#wake();
        },
        () => this.#wake(),
      );
      return clock;
    };
    this.#ledger.forgetLook();
    const limit = alarm(ms);
    let grace: { readonly rang: boolean } | undefined;
    try {
      for (;;) {
        const changed = this.changed();
        const state = this.#ledger.state(order);
        if (state.filled) return report(state, 'filled');
        if (state.over) grace ??= alarm(GRACE_MS);
        if (grace?.rang) return await this.#over(order, state);
        signal.throwIfAborted();
        if (this.#ended !== undefined) return report(state, 'unknown', this.#ended.message);
        if (limit.rang) return await this.#finalState(order);
        await changed;
      }
    } finally {
      done.abort();
    }
  }

  /** The wait is over, and pushes may have been lost: the tables say what became of it. */
  async #finalState(order: Awaited): Promise<FillReport> {
    try {
      await this.refresh();
    } catch (error) {
      this.#context.signal.throwIfAborted();
      if (!(error instanceof SvcError)) throw error;
      const reason = `what became of it could not be looked at: ${error.message}`;
      return report(this.#ledger.state(order), 'pending', reason);
    }
    const state = this.#ledger.state(order);
    if (state.filled) return report(state, 'filled');
    const [unread] = this.tables.unread.values();
    if (unread !== undefined) {
      return report(state, 'pending', `what became of it could not be looked at: ${unread.message}`);
    }
    if (!state.over) return report(state, 'pending', state.seen ? null : 'nothing was told of it since');
    const trades = 'orderId' in order ? this.#tradesOf(order) : [];
    if (trades.length > 0) return report({ ...state, trades }, 'filled');
    if (!state.seen) return report(state, 'pending', 'neither it nor a position of it is in the tables');
    return report(state, outcomeOf(state), lastState(state));
  }

  /** No push tied a position to the order: what fits it exactly, and opened since, is its own. */
  #tradesOf({ sentAt, side, rate, ...order }: AwaitedOrder): readonly Fill[] {
    if (sentAt === undefined) return [];
    const isUntied = ({ orderId }: OpenPosition | ClosedPosition): boolean => orderId === undefined;
    const positions = this.tables.rows('OpenPosition').filter(isUntied);
    const closed = this.tables.rows('ClosedPosition').filter(isUntied);
    const lost = { ...order, side, rate };
    const ids = orderCandidates(lost, sentAt, { orders: [], positions, closed }).map(({ id }) => id);
    return this.#ledger.fillsOf(ids);
  }

  /** Nothing more is pushed of it. Only of one that was canceled that says that nothing more was filled. */
  async #over(order: Awaited, state: OrderState): Promise<FillReport> {
    if (!state.seen || state.status === CANCELED) return report(state, outcomeOf(state), lastState(state));
    try {
      for (const model of ['OpenPosition', 'ClosedPosition'] as const) {
        this.#ledger.snapshot(model, (await this.#trading.model(model)) as readonly PushedRecord[]);
      }
    } catch (error) {
      this.#context.signal.throwIfAborted();
      if (!(error instanceof SvcError)) throw error;
      const reason = `it ended, and what was filled of it could not be looked at: ${error.message}`;
      return report(state, state.touched ? 'partial' : 'unknown', reason);
    }
    const now = this.#ledger.state(order);
    return now.filled ? report(now, 'filled') : report(now, outcomeOf(now), lastState(now));
  }

  async #listen(session: Session): Promise<void> {
    let ended: SvcError | undefined;
    try {
      for await (const event of session.events()) {
        if (event.kind === 'closed') ended = event.error;
        if (event.kind !== 'push') continue;
        const push = readPush(event.name, event.payload);
        if (push?.kind !== 'row') continue;
        this.#ledger.take(push);
        this.tables.take(push);
        this.#wake();
      }
      ended ??= new SvcError('connection_lost', 'the connection was ended');
    } catch (error) {
      ended ??= error instanceof SvcError ? error : new SvcError('internal', 'the pushes failed', { cause: error });
    }
    // One that was replaced ends for itself.
    if (session === this.#session) this.#ended = ended;
    this.#wake();
  }

  /** What was pushed meanwhile is missing: the tables tell what is there now. */
  async #resume(trading: Trading): Promise<void> {
    await subscribe(trading);
    await this.#read(trading);
    for (const { message } of this.tables.unread.values()) {
      this.#context.notice(`after the connection was lost: ${message}`);
    }
  }
}

async function subscribe(trading: Trading): Promise<void> {
  for (const model of SEEN_MODELS) await trading.subscribeModel(model);
}

/** Of an order that is over and not filled whole. */
function outcomeOf({ touched, seen }: OrderState): FillStatus {
  if (touched) return 'partial';
  return seen ? 'rejected' : 'unknown';
}

function lastState({ status, seen }: OrderState): string | null {
  if (!seen) return 'it stands no more, and nobody saw what became of it';
  const words = orderStateText(status);
  return words === undefined ? null : `its last state was "${words}"`;
}

function report({ trades, closedTrades }: OrderState, status: FillStatus, reason: string | null = null): FillReport {
  return { status, trades, closedTrades, reason };
}
