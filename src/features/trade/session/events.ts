/** `trade session`: each line of input is carried out and followed by events with its id. */
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import type { Outage } from '../gateway/session-types.ts';
import { openTradingSession, type TradingSession } from '../gateway/trading-session.ts';
import { isUnknown, rowOf } from '../orders/change-report.ts';
import type { Outcome } from '../orders/placing.ts';
import type { ChangeInput } from '../orders/planned-requests.ts';
import { commandLine, isProtective, objectOf } from './command-lines.ts';
import { TradingEngine } from './engine.ts';
import { SessionOutput } from './output.ts';
import { SessionPushes } from './pushes.ts';
import { plannedResult, type Result, readResult } from './reads.ts';
import type { TradeEvent } from './trade-event.ts';

interface SessionOptions extends ChangeInput {
  readonly drain: number;
  /** Milliseconds between heartbeats; undefined for none. */
  readonly heartbeat: number | undefined;
}

/** Of commands in flight: more are not read until one is done. */
const MOST_RUNNING = 10_000;
/** So many of the latest ids are remembered, to refuse one that is used again. */
const MOST_IDS = 100_000;

/** Ends with `ended`, also on a signal. */
export async function* tradeEvents(input: SessionOptions, ctx: RunContext): AsyncGenerator<TradeEvent, void, void> {
  const options = { ...input, reconnect: true, forOrder: true, waitsForReader: true };
  const open = await openTradingSession(ctx, options);
  const lines = new CommandLines(open, input, ctx);
  try {
    await open.session.connect();
    void lines.run();
    yield* lines.output.events();
    ctx.signal.throwIfAborted();
  } finally {
    lines.stop();
    await open.session.close();
    await lines.engine.flush();
  }
}

class CommandLines {
  readonly output: SessionOutput;
  readonly engine: TradingEngine;
  readonly #open: TradingSession;
  readonly #input: SessionOptions;
  readonly #ctx: RunContext;
  readonly #pushes: SessionPushes;
  readonly #over = new AbortController();
  /** The command is interrupted, or the session over. */
  readonly #signal: AbortSignal;
  readonly #ids = new Set<string>();
  #lost: SvcError | undefined;
  /** Commands whose responses have not all come. */
  readonly #running = new Set<Promise<void>>();

  constructor(open: TradingSession, input: SessionOptions, ctx: RunContext) {
    this.#open = open;
    this.#input = input;
    this.#ctx = ctx;
    this.output = new SessionOutput(ctx);
    const signal = AbortSignal.any([ctx.signal, this.#over.signal]);
    this.#signal = signal;
    const pushes = new SessionPushes(open, this.output);
    this.#pushes = pushes;
    const seen: typeof pushes.seen = (event, push) => {
      if (event.kind === 'closed') this.#leave(event.error);
      return pushes.seen(event, push);
    };
    this.engine = new TradingEngine({ open, input, isSession: true, reports: this.output, signal, seen }, ctx);
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
    const { session } = this.#open;
    const back = session.divertOutages((outage) => this.#outage(outage));
    try {
      await this.engine.start();
      this.output.say('ready', null, {});
      void this.#beat();
      await Promise.race([this.#read(), aborted(this.#signal)]);
      // Every command that was read gets its response; only fills and an outage are limited in time. A signal ends all of it.
      await this.#responses();
      await this.engine.orders.drain(this.#input.drain);
      this.output.say('ended', null, { open: this.engine.orders.unfinished });
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
    const responses = Promise.allSettled(this.#running);
    const lasting = this.engine.lastingOutage(this.#input.drain, done.signal);
    await Promise.race([responses, lasting]).catch(() => {});
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
      const open = this.engine.orders.unfinished.length;
      // Nobody would see it now.
      if (!this.output.isBehind) this.output.say('heartbeat', null, { reachable, in_flight: this.#running.size, open });
    }
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
    const [oldest] = this.#ids.size > MOST_IDS ? this.#ids : [];
    if (oldest !== undefined) this.#ids.delete(oldest);
    return { id, fields };
  }

  /** Only for commands that were not sent, or that the gateway refused. */
  #refuse(id: string | null, line: number, error: unknown): void {
    if (!(error instanceof SvcError)) {
      this.output.fail(error);
      return;
    }
    if (error.code === 'unauthorized') void this.engine.checkToken();
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

  async #perform(id: string | null, fields: Readonly<Record<string, unknown>>, line: number): Promise<void> {
    const { command } = fields;
    if (this.output.isBehind && !isProtective(command) && command !== 'unsubscribe') {
      throw new SvcError('output_unread', 'the events of this session are not read; nothing was sent', { sent: 'no' });
    }
    const subscribe = this.#pushes.commandOf(fields, id);
    if (subscribe !== undefined) {
      this.#sayResult(id, await subscribe());
      return;
    }
    const parsed = await commandLine(fields, this.#input.account, this.#ctx);
    const { name, change } = parsed;
    if (change === undefined) {
      this.#sayResult(id, await readResult(parsed, this.#open, this.#ctx));
      return;
    }
    const { outage } = this.#open.session;
    // Sent after the outage, it would be executed at a price that the caller has not seen.
    if (outage !== undefined) {
      // No delay of our own is between the return of the gateway and what protects.
      if (isProtective(command)) this.#open.session.hurry();
      throw new SvcError('connection_lost', 'the gateway is unreachable; nothing was sent', { sent: 'no' });
    }
    const sent = await this.engine.send(change);
    if (sent instanceof Plan) {
      this.#sayResult(id, plannedResult(name, sent, this.#ctx));
      return;
    }
    const { outcomes } = sent;
    if (outcomes.length === 0) throw new SvcError('not_found', change.nothing ?? 'there is nothing to do');
    for (const outcome of outcomes) this.#report(id, outcome, line);
    // No event waits for what follows.
    await this.#ctx.sleep(0);
    await this.engine.prepareNext();
  }

  #sayResult(id: string | null, result: Result): void {
    this.output.say('result', id, { ...result }, { bytes: SessionOutput.sizeOf(result.value) });
  }

  #report(id: string | null, outcome: Outcome, line: number): void {
    const { planned, placed, error } = outcome;
    if (error !== undefined) {
      this.#refuse(id, line, error);
      if (placed?.lost !== undefined) void this.engine.orders.search(id, planned, { ...placed, lost: placed.lost });
      return;
    }
    if (placed === undefined) {
      this.output.say('refused', id, { line, code: 'not_sent', message: rowOf(outcome).message });
      return;
    }
    this.output.say('accepted', id, { command: planned.request.command, order_ids: placed.orderIds });
    this.engine.orders.follow(id, outcome, placed);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
