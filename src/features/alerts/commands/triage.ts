import { AsyncQueue } from '../../../async-queue.ts';
import { noBrowserReason } from '../../../cli/browser.ts';
import { type RunContext, textCommand } from '../../../cli/command.ts';
import { poll } from '../../../cli/poll.ts';
import { faultText } from '../../../cli/wizard.ts';
import type { OutStream, Prompter } from '../../../context.ts';
import { SvcError } from '../../../errors.ts';
import { USUAL_COLUMNS } from '../../../output/full-screen.ts';
import { isDumb } from '../../../output/terminal.ts';
import type { Frame } from '../../../output/types.ts';
import { type Alertmanager, ifPossible, openAlertmanager } from '../api.ts';
import { alertTitle } from '../columns.ts';
import { formatMatcher } from '../matcher.ts';
import { parseMatcherArguments } from '../matcher-arguments.ts';
import type { AlertFilter } from '../schema.ts';
import { alertFilter, collect, keepsAlert, SELECTION_FLAGS, severitiesOf } from '../selection.ts';
import { withSuppressors } from '../suppressors.ts';
import { type CommandLine, spelled } from '../triage/command-lines.ts';
import { outcomeText, screen } from '../triage/screen.ts';
import { type Effect, initialState, reduce, type TriageEvent, type TriageState } from '../triage/state.ts';
import { keyOf } from '../triage/typing.ts';

const SHORTEST_MS = 1000;

export const alertsTriage = textCommand({
  id: 'alerts triage',
  summary: 'Work through alerts on a live full screen',
  description:
    'Lists alerts in every state, worst first. Space marks alerts. Keys acknowledge, silence or expire the marked or the selected ones; each runs the command line that it shows, with the checks and questions of that command. ? shows the keys, q quits.',
  details:
    'Unsuppressed alerts come first, then by severity, then the newest. Up, Down, j, k, PgUp, PgDn, Home and End move. Space marks an alert or removes its mark, * does so for all that are listed. In the list, a, s and e act on all that are marked, with one command, or on the selected alert if none is. A success removes the marks. Enter shows an alert: what mutes it, its links, annotations and labels; there, a, s and e act on this one. a runs svc silences ack; s runs svc silences create, with the labels that the alerts share as matchers, which you can edit, and a preview of what they mute; e runs svc silences expire for the silences that mute them. o opens the runbook or the graph of the selected alert. / filters by text; marked alerts stay marked when they are not listed. Esc removes the marks, then the filter. Ctrl-Z suspends svc. A command whose outcome is unknown is shown as such and is not sent again. When the screen closes, svc prints the command lines that it ran, their outcomes and what they printed, such as how to undo them. While the server is unreachable, the screen shows the reason and the age of the alerts.',
  effect: 'read',
  service: 'alerts',
  streams: () => true,
  args: { matcher: { help: 'Only alerts that match all of these', repeat: true } },
  flags: {
    receiver: SELECTION_FLAGS.receiver,
    interval: { type: 'duration', positive: true, default: '5s', help: 'How often to read the alerts' },
  },
  examples: [
    { run: 'svc alerts triage', why: 'See all alerts, worst first' },
    { run: 'svc alerts triage team=db', why: 'The alerts of one team' },
  ],
  output: { kind: 'text' },
  async run({ matcher, receiver, interval }, ctx) {
    checkTerminal(ctx);
    if (interval < SHORTEST_MS) throw new SvcError('invalid_value', '--interval: at least 1s');
    const { filter } = alertFilter({ matcher, receiver }, ctx);
    const alertmanager = openAlertmanager(ctx.target);
    const session = new TriageSession(alertmanager, ctx, { filter, intervalMs: interval });
    return {
      value: session.frames(),
      as: { kind: 'screen' },
      async end() {
        session.report();
        await alertmanager.close();
      },
    };
  },
});

function checkTerminal({ interactive, wants, env }: RunContext): void {
  const instead = { hint: 'svc alerts list --watch follows alerts anywhere' };
  if (!interactive || !wants.terminal) throw new SvcError('usage', 'a full screen needs a terminal', instead);
  if (isDumb(env)) throw new SvcError('usage', 'a full screen needs a terminal that is not dumb (TERM)', instead);
  if (!wants.table) throw new SvcError('usage', 'a full screen has no output format', instead);
}

export interface SessionOptions {
  readonly filter: AlertFilter;
  readonly intervalMs: number;
}

const TICK_MS = 1000;

export class TriageSession {
  readonly #alertmanager: Alertmanager;
  readonly #ctx: RunContext;
  readonly #options: SessionOptions;
  readonly #events = new AsyncQueue<TriageEvent>();
  readonly #actions: ActionRunner;
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  readonly #fail = (error: unknown): void => this.#events.end(this.#over.signal.aborted ? undefined : error);
  #state: TriageState;
  #isOver = false;
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
      severities: severitiesOf(ctx.settings),
      server: ctx.target.baseUrl.host,
      serverOptions: ctx.serverOptions,
    });
  }

  async *frames(): AsyncGenerator<Frame, void, void> {
    const forget = this.#ctx.stdin.onKey?.((sequence) => {
      const key = keyOf(sequence);
      if (key !== undefined) this.#events.push({ kind: 'key', key, ...this.#visible });
    });
    this.#poll().catch(this.#fail);
    this.#tick().catch(this.#fail);
    try {
      for await (const event of this.#events) {
        this.#take(event);
        if (this.#isOver) return;
        yield this.#frame(this.#state);
      }
    } finally {
      forget?.();
      this.#over.abort();
      await this.#actions.settled();
    }
  }

  /** After the screen is gone: what was run, what became of it, and how to undo it. */
  report(): void {
    for (const { line, status, output } of this.#actions.done) {
      this.#ctx.notice(`${spelled(line)}: ${outcomeText(status)}`);
      for (const text of output) this.#ctx.notice(text);
    }
  }

  #take(event: TriageEvent): void {
    this.#state = reduce(this.#state, event);
    for (const effect of this.#state.effects) {
      if (effect.kind === 'quit') this.#isOver = true;
      this.#perform(effect).catch(this.#fail);
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
      case 'preview':
        return this.#events.push(await previewMatches(effect, this.#alertmanager));
      case 'detail': {
        const detail = await ifPossible(() => withSuppressors(effect.alert, this.#alertmanager));
        if (detail !== undefined) this.#events.push({ kind: 'detail', detail });
        return;
      }
      case 'open': {
        const { name, url } = effect.link;
        const reason = noBrowserReason(this.#ctx) ?? (await this.#ctx.openBrowser(new URL(url)));
        const text = reason === undefined ? `opened ${name}: ${url}` : `no browser was opened (${reason}): ${url}`;
        this.#events.push({ kind: 'message', text });
        return;
      }
      default:
    }
  }
}

const MOST_NAMED = 3;

/** The server counts: the list may have fewer alerts than a silence would mute. */
async function previewMatches(
  { text, alerts }: Extract<Effect, { kind: 'preview' }>,
  alertmanager: Pick<Alertmanager, 'alerts'>,
): Promise<TriageEvent> {
  try {
    const matchers = parseMatcherArguments([text.startsWith('{') ? text : `{${text}}`]).map(formatMatcher);
    const muted = await collect(alertmanager.alerts({ filter: matchers }));
    const active = muted.filter((alert) => keepsAlert(alert, ['active'])).length;
    const named = muted.slice(0, MOST_NAMED).map((alert) => `  ${alertTitle(alert)}`);
    const more = muted.length - named.length;
    const counted = `mutes ${muted.length} ${muted.length === 1 ? 'alert' : 'alerts'} now (${active} active)`;
    const ids = new Set(muted.map(({ fingerprint }) => fingerprint));
    const chosen = alerts.filter(({ fingerprint }) => ids.has(fingerprint)).length;
    const ofMarked = alerts.length > 1 ? `, with ${chosen} of the ${alerts.length} marked` : '';
    const preview = [counted + ofMarked, ...named, ...(more === 0 ? [] : [`  and ${more} more`])];
    return { kind: 'previewed', text, matchers, preview };
  } catch (error) {
    if (!(error instanceof SvcError) || error.isInterruption) throw error;
    return { kind: 'fault', reason: faultText(error) };
  }
}

/** Lines that the screen can take over: no color, and nothing that moves the cursor. */
const PLAIN = ['--output', 'table', '--color', 'never'];

class ActionRunner {
  readonly #ctx: RunContext;
  readonly #tell: (event: TriageEvent) => void;
  readonly done: { readonly line: CommandLine; readonly output: readonly string[]; readonly status: number }[] = [];
  #answer: ((yes: boolean) => void) | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(ctx: RunContext, tell: (event: TriageEvent) => void) {
    this.#ctx = ctx;
    this.#tell = tell;
  }

  /** One at a time: the reducer shows no other while one runs. */
  run(line: CommandLine, columns: number): Promise<void> {
    this.#running = this.#run(line, columns);
    return this.#running;
  }

  answer(yes: boolean): void {
    this.#answer?.(yes);
    this.#answer = undefined;
  }

  /** An interruption ends the action too; its outcome is known before the screen is left. */
  async settled(): Promise<void> {
    this.answer(false);
    await this.#running.catch(() => {});
  }

  async #run(line: CommandLine, columns: number): Promise<void> {
    const output: string[] = [];
    const stream = lineStream(columns, (text) => {
      output.push(text);
      this.#tell({ kind: 'output', text });
    });
    const status = await this.#ctx.runLine([...line, ...PLAIN], {
      stdout: stream,
      stderr: stream,
      prompter: this.#prompter(),
      env: { TERM: 'dumb' },
    });
    this.done.push({ line, output, status });
    this.#tell({ kind: 'ended', status });
  }

  /** The lines that run here leave nothing out, so that all they ask is yes or no. */
  #prompter(): Prompter {
    const refuse = (): Promise<never> =>
      Promise.reject(new SvcError('usage', 'this question cannot be asked here; run the command in a shell'));
    return {
      confirm: (question) =>
        new Promise((resolve) => {
          this.#answer = resolve;
          this.#tell({ kind: 'question', text: question });
        }),
      text: refuse,
      secret: refuse,
      select: refuse,
      checkbox: refuse,
      search: refuse,
    };
  }
}

/** Gives each complete line. */
function lineStream(columns: number, give: (line: string) => void): OutStream {
  let rest = '';
  return {
    isTTY: true,
    columns,
    colorDepth: 0,
    closed: false,
    async write(chunk) {
      const lines = (rest + (typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString())).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) give(line);
    },
  };
}
