import { basename } from 'node:path';
import { runChild, signalStatus } from '../../../cli/child.ts';
import { type RunContext, textCommand } from '../../../cli/command.ts';
import type { EndSignal } from '../../../context.ts';
import { formatDuration } from '../../../duration.ts';
import { Plan } from '../../../http/endpoint.ts';
import { shellWord } from '../../../output/escape.ts';
import { childEnvironment } from '../../../store/setting-keys.ts';
import { openAlertmanager } from '../../alerts/api.ts';
import { parseMatcherArguments } from '../../alerts/matcher-arguments.ts';
import { reasonOf, SilenceLease } from '../lease.ts';
import { ALL_ALERTS, AUTHOR, author, SilenceWriter } from '../writer.ts';

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
