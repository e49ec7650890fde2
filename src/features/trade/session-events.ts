/** The engine of `trade session`: each command is planned, sent once and followed by events with its id. */
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { type Confirmed, Plan } from '../../http/endpoint.ts';
import { processName } from '../../store/lock.ts';
import type { RecentEntries } from '../../store/order-journal.ts';
import { changeOf, isChange, isProtective, objectOf } from './batch-file.ts';
import { isUnknown, rowOf } from './change-report.ts';
import { FillWatch } from './fills.ts';
import type { KeyClaim, Outcome } from './placing.ts';
import { type Change, type ChangeInput, claimed, confirmAll, sendAll } from './planned-requests.ts';
import { SessionOrders } from './session-orders.ts';
import { SessionOutput } from './session-output.ts';
import { SessionPushes } from './session-pushes.ts';
import { readingOf } from './session-reads.ts';
import type { Outage } from './session-types.ts';
import { TableCache } from './table-cache.ts';
import type { TradeEvent } from './trade-event.ts';
import { openTradingSession, type TradingSession } from './trading-session.ts';
import { WarmTables } from './warm-tables.ts';

interface SessionOptions extends ChangeInput {
  readonly drain: number;
  /** Milliseconds between heartbeats; undefined for none. */
  readonly heartbeat: number | undefined;
}

/** Rows of what ended are remembered at least this long. */
const FORGET_MS = 300_000;
/** Of commands in flight: more are not read until one is done. */
const MOST_RUNNING = 10_000;

/** Ends with `ended`, also on a signal. */
export async function* tradeEvents(input: SessionOptions, outer: RunContext): AsyncGenerator<TradeEvent, void, void> {
  const ctx = { ...outer, processName: processName(outer.pid) };
  const options = { ...input, reconnect: true, forOrder: true, waitsForReader: true };
  const open = await openTradingSession(ctx, options);
  const engine = new Engine(open, input, ctx);
  try {
    await open.session.connect();
    void engine.run();
    yield* engine.output.events();
    ctx.signal.throwIfAborted();
  } finally {
    engine.stop();
    await open.session.close();
    await engine.journal.flush(ctx, ctx.notice, true);
  }
}

class Engine {
  readonly output: SessionOutput;
  readonly #open: TradingSession;
  readonly #input: SessionOptions;
  readonly #ctx: RunContext;
  readonly #watch: FillWatch;
  readonly #warm: WarmTables;
  readonly #orders: SessionOrders;
  readonly #pushes: SessionPushes;
  readonly #over = new AbortController();
  /** The command is interrupted, or the session over. */
  readonly #signal: AbortSignal;
  readonly #ids = new Set<string>();
  #isChecking = false;
  #forgotAt: number;
  #lost: SvcError | undefined;
  /** Commands whose responses have not all come. */
  readonly #running = new Set<Promise<void>>();

  constructor(open: TradingSession, input: SessionOptions, ctx: RunContext) {
    this.#open = open;
    this.#input = input;
    this.#forgotAt = ctx.now();
    this.#ctx = ctx;
    this.output = new SessionOutput(ctx);
    const signal = AbortSignal.any([ctx.signal, this.#over.signal]);
    this.#signal = signal;
    const pushes = new SessionPushes(open, this.output, ctx);
    this.#pushes = pushes;
    this.#watch = new FillWatch({
      signal,
      sleep: ctx.sleep,
      notice: ctx.notice,
      seen: (event, push) => {
        if (event.kind === 'closed') this.#leave(event.error);
        this.#forget();
        return pushes.seen(event, push);
      },
    });
    this.#warm = new WarmTables(open, this.#watch, ctx);
    const { output } = this;
    this.#orders = new SessionOrders({ open, input, watch: this.#watch, warm: this.#warm, output, signal }, ctx);
  }

  get journal(): RecentEntries {
    return this.#warm.journal;
  }

  stop(): void {
    this.#over.abort();
  }

  /** The connection is lost for good. */
  #leave(error: SvcError): void {
    this.#lost = error;
    this.#over.abort();
  }

  async run(): Promise<void> {
    const { session, unlimited } = this.#open;
    const back = session.divertOutages((outage) => this.#outage(outage));
    try {
      await this.#watch.follow(session, unlimited);
      this.output.say('ready', null, {});
      void this.#beat();
      await Promise.race([this.#read(), aborted(this.#signal)]);
      // Every command that was read gets its response; only fills and an outage are limited in time. A signal ends all of it.
      await this.#responses();
      await this.#orders.drain(this.#input.drain);
      this.output.say('ended', null, { open: this.#orders.unfinished });
      this.output.end(this.#lost ?? session.outage);
    } catch (error) {
      this.output.fail(error);
    } finally {
      back();
    }
  }

  /** In an outage that lasts, commands that wait for the connection are refused. */
  async #responses(): Promise<void> {
    const { session } = this.#open;
    const done = new AbortController();
    const lasting = async (): Promise<void> => {
      for (let before = session.outage; ; before = session.outage) {
        await this.#ctx.sleep(this.#input.drain, done.signal);
        if (before !== undefined && session.outage === before) return;
      }
    };
    const responses = Promise.allSettled(this.#running);
    await Promise.race([responses, lasting()]).catch(() => {});
    done.abort();
    if (this.#running.size === 0) return;
    // Orders that are followed count as open.
    this.#over.abort();
    await session.close();
    await responses;
  }

  #outage(outage: Outage): void {
    const { session } = this.#open;
    if (outage.kind === 'recovered') this.output.say('recovered', null, {});
    else this.output.say('unreachable', null, { code: outage.error.code, reason: session.hide(outage.reason) });
  }

  /** Shows a reader that svc runs, and what it waits for. */
  async #beat(): Promise<void> {
    const { heartbeat } = this.#input;
    const signal = this.#signal;
    while (heartbeat !== undefined && !signal.aborted) {
      await this.#ctx.sleep(heartbeat, signal).catch(() => {});
      if (signal.aborted) return;
      const reachable = this.#open.session.outage === undefined;
      const open = this.#orders.unfinished.length;
      // Nobody would see it now.
      if (!this.output.isBehind) this.output.say('heartbeat', null, { reachable, in_flight: this.#running.size, open });
    }
  }

  #forget(): void {
    const now = this.#ctx.now();
    // Either way: the clock may be set back.
    if (Math.abs(now - this.#forgotAt) < FORGET_MS) return;
    this.#forgotAt = now;
    this.#watch.tables.forgetEnded();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    let line = 0;
    for await (const chunk of this.#ctx.inputChunks('-')) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const json of lines) {
        this.#take(json, ++line);
        const full = this.output.acceptsMore();
        if (full !== undefined) await full;
        const [oldest] = this.#running.size < MOST_RUNNING ? [] : this.#running;
        if (oldest !== undefined) await oldest;
      }
    }
    this.#take(rest + decoder.decode(), ++line);
  }

  #take(json: string, line: number): void {
    if (json.trim() === '' || this.#signal.aborted) return;
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
      this.output.fail(error);
      return;
    }
    if (error.code === 'unauthorized') void this.#checkToken();
    const isSent = isUnknown(error) || error.sent === 'maybe';
    const { server_code = null, journal_id } = error.more ?? {};
    this.output.say(isSent ? 'unknown' : 'refused', id, {
      line,
      code: error.code,
      server_code,
      journal_id: journal_id === undefined ? null : String(journal_id),
      message: this.#open.session.hide(error.message),
    });
  }

  /** The gateway refused a request although the session is connected: if it refuses others, too, this is an outage. */
  async #checkToken(): Promise<void> {
    const { session, unlimited } = this.#open;
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

  async #perform(id: string | null, fields: Readonly<Record<string, unknown>>, line: number): Promise<void> {
    const { command } = fields;
    if (this.output.isBehind && !isProtective(command) && command !== 'unsubscribe') {
      throw new SvcError('output_unread', 'the events of this session are not read; nothing was sent', { sent: 'no' });
    }
    const read = isChange(command)
      ? undefined
      : ((await this.#pushes.commandOf(fields, id)) ?? (await readingOf(fields, this.#input.account, this.#ctx)));
    if (read !== undefined) {
      const result = await read(this.#open);
      this.output.say('result', id, { ...result }, { bytes: SessionOutput.sizeOf(result.value) });
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
    // No event waits for what follows.
    await this.#ctx.sleep(0);
    await this.journal.flush(this.#ctx, this.#ctx.notice);
    this.#warm.renew();
  }

  async #send(change: Change): Promise<readonly Outcome[]> {
    // Of its own: what an earlier command read is out of date.
    const cache = new TableCache(this.#ctx, this.#input, this.#open, this.#warm);
    const send = async (claim?: KeyClaim): Promise<readonly Outcome[]> => {
      const planned = claimed(await change.plan(cache), claim);
      const confirmed = planned.length === 0 ? undefined : await confirmAll(planned, cache, this.#ctx);
      if (confirmed === undefined || confirmed instanceof Plan) return [];
      const goesOn = (error: SvcError): boolean => change.goesOn(error) && !isUnknown(error);
      return sendAll(planned, { goesOn }, this.#sending(cache, confirmed), this.#ctx);
    };
    if (change.once === undefined) return send();
    const { sendOnce } = await import('./once.ts');
    const result = await sendOnce(change.once, { cache, follows: true }, this.#ctx, send);
    return 'sent' in result ? result.sent : [result.earlier];
  }

  #sending(cache: TableCache, confirmed: Confirmed) {
    return { cache, confirmed, options: this.#input, watch: this.#watch, searchesLater: true };
  }

  #report(id: string | null, outcome: Outcome, line: number): void {
    const { planned, placed, error } = outcome;
    if (error !== undefined) {
      this.#refuse(id, line, error);
      if (placed?.lost !== undefined) this.#orders.search(id, planned, { ...placed, lost: placed.lost });
      return;
    }
    if (placed === undefined) {
      this.output.say('refused', id, { line, code: 'not_sent', message: rowOf(outcome).message });
      return;
    }
    this.output.say('accepted', id, { command: planned.request.command, order_ids: placed.orderIds });
    this.#orders.follow(id, outcome, placed);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
