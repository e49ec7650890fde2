/** Connects the state to the keys, the server and the command lines that act. */
import { AsyncQueue } from '../../../async-queue.ts';
import type { RunContext } from '../../../cli/command.ts';
import { poll } from '../../../cli/poll.ts';
import { SvcError } from '../../../errors.ts';
import { USUAL_COLUMNS } from '../../../output/full-screen.ts';
import type { Frame } from '../../../output/types.ts';
import { type Alertmanager, ifPossible } from '../api.ts';
import { alertTitle } from '../columns.ts';
import { formatMatcher } from '../matcher.ts';
import { parseMatcherArguments } from '../matcher-argument.ts';
import { labelTest } from '../matching.ts';
import type { AlertFilter } from '../schema.ts';
import { collect, keepsAlert } from '../selection.ts';
import { withSuppressors } from '../suppressors.ts';
import { ActionRunner } from './actions.ts';
import { spelled } from './command-lines.ts';
import { keyOf } from './keys.ts';
import { type Filter, textFilter } from './rows.ts';
import { outcomeText, screen } from './screen.ts';
import { type Effect, initialState, reduce, type TriageEvent, type TriageState } from './state.ts';

export interface SessionOptions {
  readonly filter: AlertFilter;
  readonly groupBy: string | undefined;
  readonly intervalMs: number;
}

const TICK_MS = 1000;
const MOST_PREVIEWED = 3;

export class TriageSession {
  readonly #alertmanager: Alertmanager;
  readonly #ctx: RunContext;
  readonly #options: SessionOptions;
  readonly #events = new AsyncQueue<TriageEvent>();
  readonly #actions: ActionRunner;
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  #state: TriageState;
  /** Of the latest frame: what scrolls. */
  #visible = { page: 1, hidden: 0 };
  #columns = USUAL_COLUMNS;
  /** Reads again at once. */
  #refresh = (): void => {};

  constructor(alertmanager: Alertmanager, ctx: RunContext, options: SessionOptions) {
    this.#alertmanager = alertmanager;
    this.#ctx = ctx;
    this.#options = options;
    this.#actions = new ActionRunner(ctx, (event) => this.#events.push(event));
    this.#signal = AbortSignal.any([ctx.signal, this.#over.signal]);
    this.#state = initialState({
      now: ctx.now(),
      groupBy: options.groupBy,
      server: ctx.target.baseUrl.host,
      serverOptions: ctx.serverOptions,
    });
  }

  async *frames(): AsyncGenerator<Frame, void, void> {
    const forget = this.#ctx.stdin.onKey?.((sequence) => {
      const key = keyOf(sequence);
      if (key !== undefined) this.#events.push({ kind: 'key', key, ...this.#visible });
    });
    const fail = (error: unknown): void => this.#events.end(this.#over.signal.aborted ? undefined : error);
    this.#poll().catch(fail);
    this.#tick().catch(fail);
    try {
      for await (const event of this.#events) {
        await this.#apply(event);
        if (this.#state.effects.some(({ kind }) => kind === 'quit')) return;
        for (const effect of this.#state.effects) this.#perform(effect).catch(fail);
        yield this.#frame(this.#state);
      }
    } finally {
      forget?.();
      this.#over.abort();
      await this.#actions.settled();
    }
  }

  /** After the screen is gone: what was run, and what became of it. */
  report(): void {
    for (const { line, status, output } of this.#actions.done) {
      this.#ctx.notice(`${spelled(line)}: ${outcomeText(status)}`);
      if (status !== 0) for (const text of output) this.#ctx.notice(`  ${text}`);
    }
  }

  /** What a typed line means is known before the next key is taken. */
  async #apply(event: TriageEvent): Promise<void> {
    this.#state = reduce(this.#state, event);
    for (const effect of this.#state.effects) {
      if (effect.kind === 'filter') this.#state = reduce(this.#state, await this.#filtered(effect.text));
      if (effect.kind === 'preview') this.#state = reduce(this.#state, await this.#previewed(effect.text));
    }
  }

  #frame(state: TriageState): Frame {
    return (size) => {
      const { lines, page, hidden } = screen(state, size);
      this.#visible = { page, hidden };
      this.#columns = size.columns;
      return lines;
    };
  }

  async #poll(): Promise<void> {
    const { filter, intervalMs } = this.#options;
    const { now } = this.#ctx;
    const context = { now, signal: this.#signal, notice: () => {}, sleep: (ms: number) => this.#pause(ms) };
    const read = () => collect(this.#alertmanager.alerts(filter));
    for await (const { at, value, trouble, outage } of poll(read, { intervalMs }, context)) {
      if (value !== undefined) this.#events.push({ kind: 'read', alerts: value, at });
      else this.#events.push({ kind: 'trouble', reason: trouble?.message ?? outage?.reason ?? '', at });
    }
  }

  async #pause(ms: number): Promise<void> {
    const woken = new AbortController();
    this.#refresh = () => woken.abort();
    await this.#ctx.sleep(ms, AbortSignal.any([this.#signal, woken.signal])).catch(() => this.#signal.throwIfAborted());
  }

  /** The ages on the screen grow. */
  async #tick(): Promise<void> {
    for (;;) {
      await this.#ctx.sleep(TICK_MS, this.#signal);
      this.#events.push({ kind: 'tick', at: this.#ctx.now() });
    }
  }

  async #perform(effect: Effect): Promise<void> {
    switch (effect.kind) {
      case 'run':
        await this.#actions.run(effect.line, this.#columns);
        return this.#refresh();
      case 'answer':
        return this.#actions.answer(effect.yes);
      case 'detail': {
        const detail = await ifPossible(() => withSuppressors(effect.alert, this.#alertmanager));
        if (detail !== undefined) this.#events.push({ kind: 'detail', detail });
        return;
      }
      case 'open': {
        const { name, url } = effect.link;
        const reason = await this.#ctx.openBrowser(new URL(url));
        const text = reason === undefined ? `opened ${name}: ${url}` : `cannot open a browser (${reason}): ${url}`;
        this.#events.push({ kind: 'message', text });
        return;
      }
      default:
    }
  }

  /** Matchers have an operator; anything else is text. */
  async #filtered(text: string): Promise<TriageEvent> {
    if (!/[=~]/.test(text)) return { kind: 'filtered', filter: textFilter(text) };
    const given = await matching(text);
    return given.kind === 'fault' ? given : { kind: 'filtered', filter: { text, accepts: given.accepts } };
  }

  async #previewed(text: string): Promise<TriageEvent> {
    const given = await matching(text);
    if (given.kind === 'fault') return given;
    const muted = this.#state.alerts.filter(given.accepts);
    const active = muted.filter((alert) => keepsAlert(alert, [])).length;
    const named = muted.slice(0, MOST_PREVIEWED).map((alert) => `  ${alertTitle(alert)}`);
    const more = muted.length - named.length;
    const counted = `matches ${muted.length} ${muted.length === 1 ? 'alert' : 'alerts'} now (${active} active)`;
    const preview = [counted, ...named, ...(more === 0 ? [] : [`  and ${more} more`])];
    return { kind: 'previewed', matchers: given.matchers, preview };
  }
}

interface Matching {
  readonly kind: 'matching';
  /** In their canonical spelling. */
  readonly matchers: readonly string[];
  readonly accepts: Filter['accepts'];
}

/** Matchers separated by commas, or why they cannot be used. */
async function matching(text: string): Promise<Matching | Extract<TriageEvent, { kind: 'fault' }>> {
  try {
    const matchers = parseMatcherArguments([text.startsWith('{') ? text : `{${text}}`]);
    const test = await labelTest(matchers);
    return { kind: 'matching', matchers: matchers.map(formatMatcher), accepts: ({ labels }) => test(labels) };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { kind: 'fault', reason: error.hint === undefined ? error.message : `${error.message} (${error.hint})` };
  }
}
