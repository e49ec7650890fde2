/** Connects the state to the keys, the server and the command lines that act. */
import { AsyncQueue } from '../../../async-queue.ts';
import type { RunContext } from '../../../cli/command.ts';
import { poll } from '../../../cli/poll.ts';
import { faultOf } from '../../../cli/wizard.ts';
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
import { textFilter } from './rows.ts';
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
        this.#state = reduce(this.#state, event);
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
      case 'filter':
        return this.#filter(effect.text);
      case 'preview':
        return this.#preview(effect.text);
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
      case 'quit':
    }
  }

  /** Matchers have an operator; anything else is text. */
  async #filter(text: string): Promise<void> {
    const given = /[=~]/.test(text) ? await this.#matching(text) : textFilter(text);
    if (given === undefined) return;
    const accepts = 'accepts' in given ? given.accepts : given.matches;
    this.#events.push({ kind: 'filtered', filter: { text, accepts } });
  }

  async #preview(text: string): Promise<void> {
    const given = await this.#matching(text);
    if (given === undefined) return;
    const muted = this.#state.alerts.filter(given.matches);
    const active = muted.filter((alert) => keepsAlert(alert, [])).length;
    const named = muted.slice(0, MOST_PREVIEWED).map((alert) => `  ${alertTitle(alert)}`);
    const more = muted.length - named.length;
    const counted = `matches ${muted.length} ${muted.length === 1 ? 'alert' : 'alerts'} now (${active} active)`;
    const preview = [counted, ...named, ...(more === 0 ? [] : [`  and ${more} more`])];
    this.#events.push({ kind: 'previewed', matchers: given.matchers, preview });
  }

  /** Undefined, with a fault on the screen, where the text cannot be used. */
  async #matching(text: string) {
    const parse = () => parseMatcherArguments([text.startsWith('{') ? text : `{${text}}`]);
    const fault = (reason: string): void => this.#events.push({ kind: 'fault', reason });
    const wrong = faultOf(parse);
    if (wrong !== undefined) {
      fault(wrong);
      return undefined;
    }
    try {
      const test = await labelTest(parse());
      const matches = ({ labels }: { readonly labels: Readonly<Record<string, string>> }): boolean => test(labels);
      return { matchers: parse().map(formatMatcher), matches };
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      fault(error.message);
      return undefined;
    }
  }
}
