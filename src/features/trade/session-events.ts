/** The engine of `trade session`: each command is planned, sent once and followed by events with its id. */
import { AsyncQueue } from '../../async-queue.ts';
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { type Confirmed, Plan } from '../../http/endpoint.ts';
import { journal } from '../../store/order-journal.ts';
import { changeOf, objectOf } from './batch-file.ts';
import { isUnknown, rowOf } from './change-report.ts';
import { type FillReport, FillWatch } from './fills.ts';
import { findLost, type LostRequest } from './lost-request.ts';
import { type Awaited, fillsOf } from './order-state.ts';
import type { Outcome, Placed, PlannedRequest } from './placing.ts';
import { type Change, type ChangeInput, confirmAll, sendAll } from './planned-requests.ts';
import { readingOf } from './session-reads.ts';
import type { Outage } from './session-types.ts';
import type { Settlement } from './settlement.ts';
import { TableCache } from './table-cache.ts';
import type { TradeEvent, TradeEventName } from './trade-event.ts';
import { openTradingSession, type TradingSession } from './trading-session.ts';
import { WarmTables } from './warm-tables.ts';

interface Unfinished {
  readonly id: string | null;
  readonly order_ids: readonly string[];
}

interface SessionOptions extends ChangeInput {
  readonly drain: number;
  /** Milliseconds between heartbeats; undefined for none. */
  readonly heartbeat: number | undefined;
}

/** Pushes may be lost: after this time the tables are read. */
const FIRST_WAIT_MS = 5_000;
/** The longest that a timer can wait. */
const LONGEST_MS = 24 * 24 * 60 * 60 * 1000;

/** Ends with `ended`, also on a signal. */
export async function* tradeEvents(input: SessionOptions, ctx: RunContext): AsyncGenerator<TradeEvent, void, void> {
  const open = await openTradingSession(ctx, { ...input, reconnect: true, forOrder: true });
  const engine = new Engine(open, input, ctx);
  try {
    await open.session.connect();
    void engine.run();
    yield* engine.events;
    ctx.signal.throwIfAborted();
  } finally {
    engine.stop();
    await open.session.close();
  }
}

class Engine {
  readonly events = new AsyncQueue<TradeEvent>();
  readonly #open: TradingSession;
  readonly #input: SessionOptions;
  readonly #ctx: RunContext;
  readonly #watch: FillWatch;
  readonly #warm: WarmTables;
  readonly #over = new AbortController();
  readonly #ids = new Set<string>();
  /** What was found to belong to lost requests. */
  readonly #found = new Set<string>();
  /** Outcomes that were reported as unknown and not settled. */
  #unknown = 0;
  /** Commands whose responses have not all come. */
  readonly #running = new Set<Promise<void>>();
  /** Market orders and closes, until their fills are reported, and searches for lost requests. */
  readonly #followed = new Set<Promise<void>>();
  /** Accepted orders whose end has not been seen. */
  readonly #unfinished = new Set<Unfinished>();

  constructor(open: TradingSession, input: SessionOptions, ctx: RunContext) {
    this.#open = open;
    this.#input = input;
    this.#ctx = ctx;
    const signal = AbortSignal.any([ctx.signal, this.#over.signal]);
    this.#watch = new FillWatch({ signal, sleep: ctx.sleep, notice: ctx.notice });
    this.#warm = new WarmTables(open, this.#watch, ctx);
  }

  stop(): void {
    this.#over.abort();
  }

  async run(): Promise<void> {
    const { session, unlimited } = this.#open;
    const back = session.divertOutages((outage) => this.#outage(outage));
    try {
      await this.#watch.follow(session, unlimited);
      this.#say('ready', null);
      void this.#beat();
      await Promise.race([this.#read(), aborted(this.#ctx.signal)]);
      await this.#drain();
      this.#say('ended', null, { open: [...this.#unfinished] });
      this.events.end(this.#unknownOutcome());
    } catch (error) {
      this.events.end(error);
    } finally {
      back();
    }
  }

  #unknownOutcome(): SvcError | undefined {
    if (this.#unknown === 0) return undefined;
    const commands = this.#unknown === 1 ? 'one command' : `${this.#unknown} commands`;
    const hint = 'check before you repeat it: svc trade journal settle';
    return new SvcError('outcome_unknown', `the outcome of ${commands} is unknown`, { hint, sent: 'maybe' });
  }

  #say(event: TradeEventName, id: string | null, fields: Readonly<Record<string, unknown>> = {}): void {
    if (event === 'unknown') this.#unknown += 1;
    this.events.push({ event, id, at: new Date(this.#ctx.now()).toISOString(), ...fields });
  }

  #outage(outage: Outage): void {
    const { session } = this.#open;
    if (outage.kind === 'recovered') this.#say('recovered', null);
    else this.#say('unreachable', null, { code: outage.error.code, reason: session.hide(outage.reason) });
  }

  /** Shows a reader that svc runs, and what it waits for. */
  async #beat(): Promise<void> {
    const { heartbeat } = this.#input;
    const signal = AbortSignal.any([this.#ctx.signal, this.#over.signal]);
    while (heartbeat !== undefined && !signal.aborted) {
      await this.#ctx.sleep(heartbeat, signal).catch(() => {});
      if (signal.aborted) return;
      const reachable = this.#open.session.outage === undefined;
      this.#say('heartbeat', null, { reachable, in_flight: this.#running.size, open: this.#unfinished.size });
    }
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    let line = 0;
    for await (const chunk of this.#ctx.inputChunks('-')) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const json of lines) this.#take(json, ++line);
    }
    this.#take(rest + decoder.decode(), ++line);
  }

  #take(json: string, line: number): void {
    if (json.trim() === '' || this.#ctx.signal.aborted) return;
    let id: string | null = null;
    let fields: Readonly<Record<string, unknown>>;
    try {
      ({ id, fields } = this.#idOf(json));
    } catch (error) {
      this.#refuse(null, line, error);
      return;
    }
    const own = id;
    const task = this.#perform(own, fields, line)
      .catch((error: unknown) => this.#refuse(own, line, error))
      .finally(() => this.#running.delete(task));
    this.#running.add(task);
  }

  #idOf(json: string): { readonly id: string | null; readonly fields: Readonly<Record<string, unknown>> } {
    const { id = null, ...fields } = objectOf(json);
    if (id === null) return { id, fields };
    if (typeof id !== 'string') throw new SvcError('invalid_value', '"id" must be a string');
    if (this.#ids.has(id)) throw new SvcError('invalid_value', `the id ${JSON.stringify(id)} was used before`);
    this.#ids.add(id);
    return { id, fields };
  }

  /** Only for commands that were not sent, or that the gateway refused. */
  #refuse(id: string | null, line: number, error: unknown): void {
    if (!(error instanceof SvcError)) {
      this.events.end(error);
      return;
    }
    const isSent = isUnknown(error) || error.sent === 'maybe';
    this.#say(isSent ? 'unknown' : 'refused', id, {
      line,
      code: error.code,
      server_code: error.more?.['server_code'] ?? null,
      journal_id: error.more?.['journal_id'] ?? null,
      message: this.#open.session.hide(error.message),
    });
  }

  async #perform(id: string | null, fields: Readonly<Record<string, unknown>>, line: number): Promise<void> {
    const read = await readingOf(fields, this.#input.account, this.#ctx);
    if (read !== undefined) {
      this.#say('result', id, { ...(await read(this.#open)) });
      return;
    }
    const change = await changeOf(fields, { line, account: this.#input.account, set: new Map() }, this.#ctx);
    const { outage } = this.#open.session;
    // Sent after the outage, it would be executed at a price that the caller has not seen.
    if (outage !== undefined) {
      throw new SvcError('connection_lost', 'the gateway is unreachable; nothing was sent', { sent: 'no' });
    }
    const outcomes = await this.#send(change);
    if (outcomes.length === 0) throw new SvcError('not_found', change.nothing ?? 'there is nothing to do');
    for (const outcome of outcomes) this.#report(id, outcome, line);
  }

  async #send(change: Change): Promise<readonly Outcome[]> {
    // Of its own: what an earlier command read is out of date.
    const cache = new TableCache(this.#ctx, this.#input, this.#open, this.#warm);
    const planned = await change.plan(cache);
    const confirmed = planned.length === 0 ? undefined : await confirmAll(planned, cache, this.#ctx);
    if (confirmed === undefined || confirmed instanceof Plan) return [];
    return sendAll(
      planned,
      { goesOn: (error) => change.goesOn(error) && !isUnknown(error) },
      this.#sending(cache, confirmed),
      this.#ctx,
    );
  }

  #sending(cache: TableCache, confirmed: Confirmed) {
    return { cache, confirmed, options: this.#input, watch: this.#watch, searchesLater: true };
  }

  #report(id: string | null, outcome: Outcome, line: number): void {
    const { planned, placed, error } = outcome;
    if (error !== undefined) {
      this.#refuse(id, line, error);
      if (placed?.lost !== undefined) this.#inBackground(this.#settle(id, planned, { ...placed, lost: placed.lost }));
      return;
    }
    if (placed === undefined) {
      this.#say('refused', id, { line, code: 'not_sent', message: rowOf(outcome).message });
      return;
    }
    this.#say('accepted', id, { command: planned.request.command, order_ids: placed.orderIds });
    this.#await(id, planned, placed);
  }

  #await(id: string | null, planned: PlannedRequest, placed: Placed): void {
    const { orderIds: order_ids } = placed;
    const awaited = planned.awaits?.(placed);
    if (awaited === undefined) return;
    const order = { id, order_ids };
    this.#unfinished.add(order);
    const isEntry = 'orderId' in awaited && awaited.rate !== undefined;
    if (isEntry) this.#say('open', id, { order_ids });
    const followed = this.#follow(order, awaited, isEntry ? LONGEST_MS : FIRST_WAIT_MS);
    // Draining does not wait for entry orders.
    if (isEntry) followed.catch((failure: unknown) => this.events.end(failure));
    else this.#inBackground(followed);
  }

  /** Draining waits for it. */
  #inBackground(work: Promise<void>): void {
    const followed = work
      .catch((failure: unknown) => this.events.end(failure))
      .finally(() => this.#followed.delete(followed));
    this.#followed.add(followed);
  }

  /** Finds out what became of a request whose response was lost. */
  async #settle(id: string | null, planned: PlannedRequest, placed: Placed & { lost: LostRequest }): Promise<void> {
    const { request, before } = planned;
    const { journalId, lost } = placed;
    const shared = { journal: this.#warm.journal, found: this.#found };
    const options = { ...this.#input, open: this.#open, watch: this.#watch, before, shared };
    let settled: Settlement;
    try {
      ({ settled } = await findLost({ path: request.endpoint.path, form: request.form }, lost, options, this.#ctx));
    } catch (error) {
      // The outcome stays unknown, as it was reported.
      if (error instanceof SvcError) return;
      throw error;
    }
    const { outcome, evidence, orderIds: order_ids = [], tradeIds: trade_ids = [] } = settled;
    if (outcome === 'unknown' || this.#over.signal.aborted) return;
    this.#unknown -= 1;
    const at = new Date(this.#ctx.now()).toISOString();
    await journal(this.#ctx.paths, this.#ctx, { id: journalId, at, outcome, message: evidence, order_ids, trade_ids });
    const trades = fillsOf(trade_ids, this.#watch.tables);
    this.#say('settled', id, { outcome, journal_id: journalId, order_ids, trades, message: evidence });
    if (outcome === 'open') this.#await(id, planned, { ...placed, orderIds: order_ids });
  }

  async #follow(order: Unfinished, awaited: Awaited, ms: number): Promise<void> {
    const { id, order_ids } = order;
    const report = await this.#wait(awaited, ms);
    if (report === undefined) return;
    const { status, reason, trades, closedTrades } = report;
    if (status === 'pending') {
      if (ms === FIRST_WAIT_MS) this.#say('open', id, { order_ids, reason });
      return this.#follow(order, awaited, LONGEST_MS);
    }
    this.#unfinished.delete(order);
    const fields = { order_ids, trades, closed_trades: closedTrades, reason };
    if (status === 'rejected') this.#say('refused', id, { code: 'refused', server_code: null, ...fields });
    else if (status === 'unknown') this.#say('unknown', id, fields);
    else if (status === 'partial') this.#say('partly_filled', id, fields);
    else this.#say('orderId' in awaited ? 'filled' : 'closed', id, fields);
  }

  /** Undefined if the session ends first. */
  async #wait(awaited: Awaited, ms: number): Promise<FillReport | undefined> {
    try {
      return await this.#watch.wait(awaited, ms);
    } catch (error) {
      if (this.#over.signal.aborted || this.#ctx.signal.aborted) return undefined;
      throw error;
    }
  }

  /** Every command that was read gets its response; only fills are limited in time. A signal ends both. */
  async #drain(): Promise<void> {
    await Promise.allSettled(this.#running);
    const over = new AbortController();
    const late = this.#ctx.sleep(this.#input.drain, over.signal).catch(() => {});
    // A request that was found may then be followed.
    const done = async (): Promise<void> => {
      while (this.#followed.size > 0 && !over.signal.aborted) await Promise.allSettled(this.#followed);
    };
    await Promise.race([done(), late]);
    over.abort();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
