/** What becomes of the requests of a session: accepted orders are followed until they end, lost requests until they are found. */
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { openTrade } from '../client.ts';
import type { TradingSession } from '../gateway/trading-session.ts';
import type { FillReport, FillWatch } from '../orders/fills.ts';
import { findLost, type LostRequest } from '../orders/lost-request.ts';
import { filledReport, keepReport } from '../orders/once.ts';
import type { Outcome, Placed, PlannedRequest } from '../orders/placing.ts';
import type { ChangeInput } from '../orders/planned-requests.ts';
import { checkedAbsence, recordSettled } from '../orders/settled-entries.ts';
import type { Settlement } from '../orders/settlement.ts';
import { type Awaited, fillsOf } from '../orders/state.ts';
import type { WarmTables } from '../orders/warm-tables.ts';
import type { SessionOutput } from './output.ts';

interface Unfinished {
  readonly id: string | null;
  readonly order_ids: readonly string[];
}

interface Followed extends Unfinished {
  readonly awaited: Awaited;
  /** It waits at the gateway until its price comes, or it is canceled. */
  readonly isEntry: boolean;
}

/** A batch has no events. */
export type Reports = Pick<SessionOutput, 'say' | 'fail'>;

export interface Following {
  readonly open: TradingSession;
  readonly input: ChangeInput;
  readonly watch: FillWatch;
  readonly warm: WarmTables;
  readonly output: Reports;
  /** Aborted when the session ends. */
  readonly signal: AbortSignal;
}

/** Pushes may be lost: after this time the tables are read. */
const FIRST_WAIT_MS = 5_000;
/** The longest that a timer can wait. */
const LONGEST_MS = 24 * 24 * 60 * 60 * 1000;

export class SessionOrders {
  readonly #of: Following;
  readonly #ctx: RunContext;
  /** What was found to belong to lost requests. */
  readonly #found = new Set<string>();
  /** Market orders and closes, until their fills are reported, and searches for lost requests. */
  readonly #followed = new Set<Promise<void>>();
  /** Accepted orders whose end has not been seen. */
  readonly #unfinished = new Set<Followed>();

  constructor(of: Following, ctx: RunContext) {
    this.#of = of;
    this.#ctx = ctx;
  }

  get unfinished(): readonly Unfinished[] {
    return [...this.#unfinished].map(({ id, order_ids }) => ({ id, order_ids }));
  }

  /** After its acceptance. */
  follow(id: string | null, { planned, report }: Outcome, placed: Placed): void {
    const { output } = this.#of;
    const { orderIds: order_ids } = placed;
    // What an earlier order with the same key became.
    if (report !== undefined) {
      this.#sayEnd({ id, order_ids, isEntry: planned.request.endpoint !== openTrade }, report, 'filled');
    }
    const awaited = planned.awaits?.(placed);
    if (awaited === undefined) return;
    const isEntry = 'orderId' in awaited && awaited.rate !== undefined;
    const order = { id, order_ids, awaited, isEntry };
    this.#unfinished.add(order);
    if (isEntry) output.say('open', id, { order_ids });
    const followed = this.#follow(order, isEntry ? LONGEST_MS : FIRST_WAIT_MS).then((report) =>
      report === undefined ? undefined : keepReport({ planned, placed, report }, this.#ctx),
    );
    // Draining does not wait for entry orders.
    if (isEntry) followed.catch((failure: unknown) => output.fail(failure));
    else this.#inBackground(followed);
  }

  /** Finds out what became of a request whose response was lost; undefined if it could not be searched for. */
  search(
    id: string | null,
    planned: PlannedRequest,
    placed: Placed & { lost: LostRequest },
  ): Promise<Settlement | undefined> {
    const { searched } = this.#of.warm;
    const { journalId } = placed;
    searched.add(journalId);
    const search = this.#settle(id, planned, placed).finally(() => searched.delete(journalId));
    this.#inBackground(search);
    return search;
  }

  /** Resolves once nothing is followed but entry orders, or after the time. */
  async drain(ms: number): Promise<void> {
    const over = new AbortController();
    const late = this.#ctx.sleep(ms, over.signal).catch(() => {});
    // A request that was found may then be followed.
    const done = async (): Promise<void> => {
      while (this.#followed.size > 0 && !over.signal.aborted) await Promise.allSettled(this.#followed);
    };
    await Promise.race([done(), late]);
    over.abort();
  }

  #inBackground(work: Promise<unknown>): void {
    const followed: Promise<void> = work
      .then(() => {})
      .catch((failure: unknown) => this.#of.output.fail(failure))
      .finally(() => this.#followed.delete(followed));
    this.#followed.add(followed);
  }

  async #settle(
    id: string | null,
    planned: PlannedRequest,
    placed: Placed & { lost: LostRequest },
  ): Promise<Settlement | undefined> {
    const { input, open, watch, warm, output, signal } = this.#of;
    const { request, before } = planned;
    const { journalId, lost } = placed;
    const shared = { journal: warm.journal, found: this.#found };
    const options = { ...input, open, watch, before, shared };
    let settled: Settlement;
    try {
      const { path } = request.endpoint;
      const found = await findLost({ path, form: request.form }, lost, options, this.#ctx);
      const { sentAt, clockSkewMs: clock_skew } = lost;
      const sent = { path, order_ids: [], at: new Date(sentAt - clock_skew).toISOString(), clock_skew };
      // The search has waited until the request can no longer arrive.
      const times = { readFrom: Infinity, readTo: this.#ctx.now(), clockSkewMs: open.session.clockSkewMs };
      settled = checkedAbsence(found.settled, sent, times, watch.tables);
    } catch (error) {
      // The outcome stays unknown, as it was reported.
      if (error instanceof SvcError) return undefined;
      throw error;
    }
    const { outcome, evidence, orderIds: order_ids = [], tradeIds = [] } = settled;
    if (signal.aborted) return undefined;
    if (outcome === 'unknown') return settled;
    const trades = fillsOf(tradeIds, watch.tables);
    const report = outcome === 'filled' ? filledReport(trades) : undefined;
    if (!(await recordSettled(journalId, settled, this.#ctx, { report, entries: warm.journal }))) return undefined;
    output.say('settled', id, { outcome, journal_id: journalId, order_ids, trades, message: evidence });
    if (outcome === 'open') this.follow(id, { planned }, { ...placed, orderIds: order_ids });
    return settled;
  }

  async #follow(order: Followed, ms: number): Promise<FillReport | undefined> {
    const { output } = this.#of;
    const { id, order_ids, awaited } = order;
    const report = await this.#wait(awaited, ms);
    if (report === undefined) return;
    const { status, reason } = report;
    if (status === 'pending') {
      if (ms === FIRST_WAIT_MS) output.say('open', id, { order_ids, reason });
      return this.#follow(order, LONGEST_MS);
    }
    this.#unfinished.delete(order);
    this.#sayEnd(order, report, 'orderId' in awaited ? 'filled' : 'closed');
    return report;
  }

  #sayEnd(
    { id, order_ids, isEntry }: Unfinished & { readonly isEntry: boolean },
    report: FillReport,
    whole: 'filled' | 'closed',
  ): void {
    const { output } = this.#of;
    const { status, reason, trades, closedTrades } = report;
    const fields = { order_ids, trades, closed_trades: closedTrades, reason };
    if (status === 'rejected' && isEntry) output.say('closed', id, fields);
    else if (status === 'rejected') output.say('refused', id, { code: 'refused', server_code: null, ...fields });
    else if (status === 'unknown') output.say('unknown', id, fields);
    else if (status === 'partial') output.say('partly_filled', id, fields);
    else output.say(whole, id, fields);
  }

  /** Undefined if the session ends first. */
  async #wait(awaited: Awaited, ms: number): Promise<FillReport | undefined> {
    const { watch, signal } = this.#of;
    try {
      return await watch.wait(awaited, ms);
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }
}
