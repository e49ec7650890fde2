/** Carries out the commands of `trade session` and `trade batch` over one connection. */
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { Plan } from '../../../http/endpoint.ts';
import { processName } from '../../../store/lock.ts';
import type { TradingSession } from '../gateway/trading-session.ts';
import { isUnknown } from '../orders/change-report.ts';
import { FillWatch, type WatchContext } from '../orders/fills.ts';
import {
  type Change,
  type ChangeInput,
  type SendingChange,
  type Sent,
  sendChange,
} from '../orders/planned-requests.ts';
import { TableCache } from '../orders/table-cache.ts';
import { WarmTables } from '../orders/warm-tables.ts';
import { type Reports, SessionOrders } from './orders.ts';

interface Parts {
  /** It reconnects. The caller closes it. */
  readonly open: TradingSession;
  readonly input: ChangeInput;
  /** Of `trade session`. */
  readonly isSession?: boolean;
  readonly reports: Reports;
  /** Aborted at the end. */
  readonly signal: AbortSignal;
  readonly seen?: WatchContext['seen'];
}

/** Rows of what ended are remembered at least this long. */
const FORGET_MS = 300_000;

export class TradingEngine {
  readonly orders: SessionOrders;
  readonly #parts: Parts;
  readonly #ctx: RunContext;
  readonly #watch: FillWatch;
  readonly #warm: WarmTables;
  #isChecking = false;
  #forgotAt: number;

  constructor(parts: Parts, outer: RunContext) {
    const ctx = { ...outer, processName: processName(outer.pid) };
    const { open, input, reports, signal, seen } = parts;
    this.#parts = parts;
    this.#ctx = ctx;
    this.#forgotAt = ctx.now();
    this.#watch = new FillWatch({
      signal,
      sleep: ctx.sleep,
      notice: ctx.notice,
      persists: true,
      seen: (event, push) => {
        this.#forget();
        return seen?.(event, push);
      },
    });
    this.#warm = new WarmTables(open, this.#watch, ctx);
    this.orders = new SessionOrders(
      { open, input, watch: this.#watch, warm: this.#warm, output: reports, signal },
      ctx,
    );
  }

  async start(): Promise<void> {
    const { session, unlimited } = this.#parts.open;
    await session.connect();
    await this.#watch.follow(session, unlimited);
  }

  /** Of its own for each command: what an earlier one read is out of date. */
  cache(): TableCache {
    const { input, open, isSession } = this.#parts;
    return new TableCache(this.#ctx, input, { open, warm: this.#warm, isSession });
  }

  /** Sends once. Nothing follows an unknown outcome, not even within the change. Lost requests are left to `orders.search`. */
  async send(change: Change, prepared: Partial<SendingChange> = {}): Promise<Plan | Sent> {
    const { goesOn = change.goesOn } = prepared;
    const sending = {
      cache: prepared.cache ?? this.cache(),
      options: this.#parts.input,
      watch: this.#watch,
      searchesLater: true,
      follows: true,
      ...prepared,
      goesOn: (error: SvcError) => goesOn(error) && !isUnknown(error),
    };
    return sendChange(change, sending, this.#ctx);
  }

  /** After a command: the next order need not wait for this. */
  async prepareNext(): Promise<void> {
    await this.#warm.journal.flush(this.#ctx, this.#ctx.notice);
    this.#warm.renew();
  }

  /** At the end: writes to the journal what was left for later. Never rejects. */
  flush(): Promise<void> {
    return this.#warm.journal.flush(this.#ctx, this.#ctx.notice, true);
  }

  /** The gateway refused a request although the session is connected: if it refuses others, too, this is an outage. */
  async checkToken(): Promise<void> {
    const { session, unlimited } = this.#parts.open;
    if (this.#isChecking || session.outage !== undefined) return;
    this.#isChecking = true;
    try {
      // Changes nothing: this table is subscribed already.
      await unlimited.subscribeModel('Order');
    } catch (error) {
      if (error instanceof SvcError && error.code === 'unauthorized') session.giveUp(error);
    } finally {
      this.#isChecking = false;
    }
  }

  /** Resolves once an outage has lasted this long. */
  async lastingOutage(ms: number, signal: AbortSignal): Promise<void> {
    const { session } = this.#parts.open;
    for (let before = session.outage; ; before = session.outage) {
      await this.#ctx.sleep(ms, signal);
      if (before !== undefined && session.outage === before) return;
    }
  }

  #forget(): void {
    const now = this.#ctx.now();
    // Either way: the clock may be set back.
    if (Math.abs(now - this.#forgotAt) < FORGET_MS) return;
    this.#forgotAt = now;
    this.#watch.tables.forgetEnded();
  }
}
