import { basename } from 'node:path';
import { runChild, signalStatus } from '../../../cli/child.ts';
import { type RunContext, textCommand } from '../../../cli/command.ts';
import type { EndSignal } from '../../../context.ts';
import { formatDuration } from '../../../duration.ts';
import { SvcError } from '../../../errors.ts';
import { answered, Plan } from '../../../http/endpoint.ts';
import { shellWord } from '../../../output/escape.ts';
import { childEnvironment } from '../../../store/setting-keys.ts';
import { type Alertmanager, openAlertmanager } from '../../alerts/api.ts';
import { parseMatcherArguments } from '../../alerts/matcher-arguments.ts';
import type { PostableSilence } from '../../alerts/schema.ts';
import { applyChanges } from '../draft.ts';
import { ALL_ALERTS, AUTHOR, author, SilenceWriter, serverTime } from '../writer.ts';

export const silencesRun = textCommand({
  id: 'silences run',
  summary: 'Silence alerts while a command runs',
  description:
    'Creates a short silence, extends it while the command runs, and expires it when the command ends. The exit status is that of the command; a signal is passed on to it (130 or 143). If the silence cannot be created, the command does not run. If svc itself is killed, the silence ends after --ttl.',
  effect: 'write',
  service: 'alerts',
  streams: () => true,
  args: {
    matcher: { help: 'Matchers, as for svc silences create', repeat: true, required: true, complete: 'matchers' },
    command: { help: 'The command and its arguments', repeat: true, required: true, afterDashes: true },
  },
  flags: {
    comment: { type: 'string', short: 'c', value: 'text', help: 'The reason (default: while <command> runs)' },
    ...AUTHOR,
    ttl: { type: 'duration', positive: true, default: '15m', help: 'How long the silence lasts without an extension' },
    ...ALL_ALERTS,
  },
  examples: [
    {
      run: 'svc silences run service=checkout -c "deploy 214" -- ./deploy.sh',
      why: 'Mute a service during a deployment',
    },
    {
      run: 'svc silences run instance=db-1:9100 --ttl 5m -- ssh db-1 sudo reboot',
      why: 'Mute a node while it restarts',
    },
  ],
  output: { kind: 'text' },
  async run(input, ctx) {
    const { command } = input;
    const covering = {
      matchers: parseMatcherArguments(input.matcher, ctx.notice),
      createdBy: input.author ?? author(ctx),
      // Without the arguments, which may contain a secret.
      comment: input.comment ?? `while ${basename(command[0] ?? '')} runs`,
    };
    const alertmanager = openAlertmanager(ctx.target);
    const writer = new SilenceWriter(alertmanager, ctx, input);
    const lease = new SilenceLease(covering, input.ttl, alertmanager, ctx);
    await writer.ask([await writer.check(lease.draft())]);
    const signals = deferSignals(ctx);
    try {
      const acquired = await signals.wait(lease.acquire());
      if (acquired instanceof Plan) return { value: acquired };
      if (acquired === 'too-late') {
        ctx.target.log.warn(`warning: a silence may have been created; it ends within ${formatDuration(input.ttl)}`);
        return { value: undefined, status: signalStatus(signals.first()) };
      }
      const status = await runCovered(lease, command, signals, ctx);
      return { value: undefined, status: signals.first() === null ? status : signalStatus(signals.first()) };
    } finally {
      signals.release();
      await alertmanager.close();
    }
  },
});

/** After a signal the command does not start. The silence is expired in any case. */
async function runCovered(
  lease: SilenceLease,
  command: readonly string[],
  signals: DeferredSignals,
  ctx: RunContext,
): Promise<number> {
  ctx.notice(`silence ${lease.id} is active until the command ends`);
  const over = new AbortController();
  let renewing = Promise.resolve();
  try {
    if (signals.first() !== null) return 0;
    renewing = lease.renew(over.signal);
    const { status, forwarded } = await runChild(command, childEnvironment(ctx.env), ctx);
    return forwarded === undefined ? status : signalStatus(forwarded);
  } finally {
    over.abort();
    // An extension under way could make the silence active for longer.
    const ended = await signals.wait(renewing.then(() => lease.release()).then(() => undefined, reasonOf));
    if (ended !== undefined) {
      const why = ended === 'too-late' ? 'svc did not wait for the response' : ended;
      ctx.target.log.warn(leftBehind(lease, why));
    }
  }
}

function leftBehind({ id, end }: SilenceLease, why: string): string {
  const until = new Date(end).toISOString();
  return `warning: silence ${id} may still be active (${why}); it ends at ${until}. To expire it now: svc silences expire ${shellWord(id)}`;
}

interface DeferredSignals {
  /** The first signal, which may come at any time. */
  readonly first: () => EndSignal | null;
  /** After a signal, only a little longer. */
  readonly wait: <T>(work: Promise<T>) => Promise<T | 'too-late'>;
  readonly release: () => void;
}

const IMPATIENCE_MS = 3000;

/** From now on no signal ends svc before the silence is expired. */
function deferSignals(ctx: Pick<RunContext, 'takeSignals' | 'sleep'>): DeferredSignals {
  let first: EndSignal | null = null;
  const done = new AbortController();
  let giveUp: (answer: 'too-late') => void = () => {};
  const tooLate = new Promise<'too-late'>((resolve) => {
    giveUp = resolve;
  });
  const release = ctx.takeSignals((name) => {
    first ??= name;
    ctx.sleep(IMPATIENCE_MS, done.signal).then(
      () => giveUp('too-late'),
      () => {},
    );
  });
  return {
    first: () => first,
    wait(work) {
      work.catch(() => {}); // the race reports it, unless that is over
      return Promise.race([work, tooLate]);
    },
    release() {
      done.abort();
      release();
    },
  };
}

const MOST_TRIES = 6;
/** A timer takes 24 days at most. */
const LONGEST_SLEEP = 3_600_000;
const SHORTEST_SLEEP = 200;
/** A silence is extended when less than this is left, or less than a third of its length. */
const GRACE_MS = 120_000;

/** If this process dies, the silence ends soon. */
class SilenceLease {
  readonly #ttl: number;
  readonly #covering: Pick<PostableSilence, 'matchers' | 'createdBy' | 'comment'>;
  readonly #alertmanager: Alertmanager;
  readonly #ctx: Pick<RunContext, 'now' | 'sleep' | 'notice'>;
  /** Once it is acquired. */
  id = '';
  /** Milliseconds of the server's clock. */
  end = 0;

  constructor(
    covering: Pick<PostableSilence, 'matchers' | 'createdBy' | 'comment'>,
    ttl: number,
    alertmanager: Alertmanager,
    ctx: Pick<RunContext, 'now' | 'sleep' | 'notice'>,
  ) {
    this.#ttl = ttl;
    this.#covering = covering;
    this.#alertmanager = alertmanager;
    this.#ctx = ctx;
  }

  draft(): PostableSilence {
    const start = this.#now();
    const times = { startsAt: new Date(start).toISOString(), endsAt: new Date(start + this.#ttl).toISOString() };
    return { ...this.#covering, ...times };
  }

  async acquire(): Promise<Plan | undefined> {
    const draft = this.draft();
    const answer = await this.#alertmanager.postSilence(draft);
    if (answer instanceof Plan) return answer;
    this.id = answer.silenceID;
    this.end = Date.parse(draft.endsAt);
    return undefined;
  }

  /** Extends the silence before it ends, until `over`. After a failure it tries again. */
  async renew(over: AbortSignal): Promise<void> {
    const { notice } = this.#ctx;
    let failed = false;
    while (await this.#isDue(failed, over)) {
      try {
        if (!(await this.#extend())) {
          notice(`warning: silence ${this.id} has expired; the command continues without it`);
          return;
        }
        if (failed) notice(`silence ${this.id} is extended again`);
        failed = false;
      } catch (error) {
        if (!failed) notice(`warning: silence ${this.id} could not be extended: ${reasonOf(error)}; trying again`);
        failed = true;
      }
    }
  }

  /** Sleeps until the silence has to be extended. False once `over`. */
  async #isDue(failed: boolean, over: AbortSignal): Promise<boolean> {
    const graceMs = Math.min(GRACE_MS, this.#ttl / 3);
    const due = failed ? this.#now() + graceMs / 4 : this.end - graceMs;
    do {
      const ms = Math.min(Math.max(due - this.#now(), SHORTEST_SLEEP), LONGEST_SLEEP);
      await this.#ctx.sleep(ms, over).catch(() => {});
    } while (!over.aborted && this.#now() < due);
    return !over.aborted;
  }

  /** False if the silence has expired: someone ended it, or the server was away for too long. */
  async #extend(): Promise<boolean> {
    const before = await this.#alertmanager.silence(this.id);
    if (before.status.state === 'expired') return false;
    const end = Math.max(Date.parse(before.endsAt), this.#now() + this.#ttl);
    const draft = applyChanges(before, { endsAt: new Date(end).toISOString() });
    this.id = answered(await this.#alertmanager.postSilence(draft)).silenceID;
    this.end = end;
    return true;
  }

  /** This write may be repeated: it expires our own silence, and an expired one stays expired. */
  async release(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#alertmanager.withdrawSilence(this.id);
      } catch (error) {
        if (!(error instanceof SvcError)) throw error;
        if (error.code === 'not_found' || (await this.#isExpired())) return;
        if (!(error.retryable || error.code === 'outcome_unknown') || attempt === MOST_TRIES) throw error;
        await this.#ctx.sleep(250 * 2 ** attempt);
      }
    }
  }

  /** False also if the silence cannot be read. */
  async #isExpired(): Promise<boolean> {
    const silence = await this.#alertmanager.silence(this.id).catch(() => undefined);
    return silence?.status.state === 'expired';
  }

  #now(): number {
    return serverTime(this.#alertmanager, this.#ctx.now());
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
