import { basename } from 'node:path';
import { runChild, signalStatus } from '../../../cli/child.ts';
import { type RunContext, textCommand } from '../../../cli/command.ts';
import type { EndSignal } from '../../../context.ts';
import { formatDuration } from '../../../duration.ts';
import { SvcError } from '../../../errors.ts';
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
    'if-unavailable': {
      type: 'choice',
      choices: ['run', 'fail'],
      default: 'fail',
      value: 'action',
      help: 'Run the command without a silence, or fail',
    },
    'pass-env': {
      type: 'string',
      repeat: true,
      value: 'name',
      help: 'Pass this credential variable (SVC_*) to the command',
    },
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
    const { ttl, command, passEnv } = input;
    const covering = {
      matchers: parseMatcherArguments(input.matcher, ctx.notice),
      createdBy: input.author ?? author(ctx),
      // Without the arguments, which may contain a secret.
      comment: input.comment ?? `while ${basename(command[0] ?? '')} runs`,
    };
    const alertmanager = openAlertmanager(ctx.target);
    const writer = new SilenceWriter(alertmanager, ctx, input);
    const tolerant = input.ifUnavailable === 'run';
    const lease = new SilenceLease(covering, ttl, alertmanager, ctx);
    const failure = await writer
      .check(lease.draft(ctx.now()))
      .then((checked) => writer.ask([checked]))
      .then(
        () => undefined,
        (error: unknown) => tolerated(error, tolerant),
      );
    const acquire = async (): Promise<SvcError | Plan | undefined> =>
      failure ?? lease.acquire().catch((error: unknown) => tolerated(error, tolerant));
    const ended = await runUnder(lease, acquire, { command, env: childEnvironment(ctx.env, passEnv) }, ctx);
    return ended instanceof Plan ? { value: ended } : { value: undefined, status: ended };
  },
});

/** Returns the failure if the command is to run without a silence. */
function tolerated(error: unknown, tolerant: boolean): SvcError {
  const unavailable = error instanceof SvcError && (error.isUnavailable || error.code === 'outcome_unknown');
  if (!tolerant || !unavailable) throw error;
  return error;
}

interface CoveredCommand {
  readonly command: readonly string[];
  readonly env: RunContext['env'];
}

/** The first signal; it may come at any time. */
interface Received {
  signal: EndSignal | undefined;
}

/** The exit status. After the first request no signal ends svc before the silence is expired. */
async function runUnder(
  lease: SilenceLease,
  acquire: () => Promise<SvcError | Plan | undefined>,
  covered: CoveredCommand,
  ctx: RunContext,
): Promise<number | Plan> {
  const { log } = ctx.target;
  const maybeCreated = `warning: a silence may have been created; it ends within ${formatDuration(lease.ttl)}`;
  const received: Received = { signal: undefined };
  const release = ctx.takeSignals((name) => {
    received.signal ??= name;
  });
  try {
    const { result, signal } = await settle(
      acquire().then((failure) => ({ failure })),
      ctx,
    );
    received.signal ??= signal;
    if (result === undefined) {
      await lease.abandon();
      log.warn(maybeCreated);
      return signalStatus(received.signal ?? null);
    }
    const { failure } = result;
    if (failure instanceof Plan) return failure;
    if (failure?.code === 'outcome_unknown') log.warn(maybeCreated);
    if (failure === undefined) return await runCovered(lease, covered, received, ctx);
    if (received.signal !== undefined) return signalStatus(received.signal);
    log.warn(`warning: the command runs without a silence: ${failure.message}`);
    const child = await runChild(covered.command, covered.env, ctx);
    return child.forwarded === undefined ? child.status : signalStatus(child.forwarded);
  } finally {
    release();
  }
}

/** After a signal the command does not start. */
async function runCovered(
  lease: SilenceLease,
  { command, env }: CoveredCommand,
  received: Received,
  ctx: RunContext,
): Promise<number> {
  ctx.notice(`silence ${lease.id} is active until the command ends`);
  const over = new AbortController();
  let renewing = Promise.resolve();
  let status = 0;
  try {
    if (received.signal === undefined) {
      renewing = lease.renew(over.signal);
      const child = await runChild(command, env, ctx);
      received.signal = child.forwarded;
      status = child.status;
    }
  } finally {
    over.abort();
    // An extension under way could create a silence again that has expired.
    const signal = await endLease(lease, renewing, ctx);
    received.signal ??= signal;
  }
  return received.signal === undefined ? status : signalStatus(received.signal);
}

/** Expires the silence; warns if it may still be active. Returns a signal that came meanwhile. */
async function endLease(lease: SilenceLease, renewing: Promise<void>, ctx: RunContext): Promise<EndSignal | undefined> {
  const ending = renewing.then(() => lease.release()).then(() => undefined, reasonOf);
  const { result, signal } = await settle(
    ending.then((reason) => ({ reason })),
    ctx,
  );
  if (result === undefined) await lease.abandon();
  const left = result === undefined ? 'svc did not wait for the response' : result.reason;
  if (left !== undefined) ctx.target.log.warn(leftBehind(lease, left));
  return signal;
}

function leftBehind({ id, end }: SilenceLease, why: string): string {
  const until = new Date(end).toISOString();
  return `warning: silence ${id} may still be active (${why}); it ends at ${until}. To expire it now: svc silences expire ${shellWord(id)}`;
}

const IMPATIENCE_MS = 3000;

/** After a signal it waits only a little longer. Undefined if that was not enough. */
async function settle<T extends object>(
  work: Promise<T>,
  ctx: Pick<RunContext, 'takeSignals' | 'sleep'>,
): Promise<{ readonly result: T | undefined; readonly signal: EndSignal | undefined }> {
  let signal: EndSignal | undefined;
  let release = (): void => {};
  const done = new AbortController();
  const tooLate = new Promise<undefined>((late) => {
    release = ctx.takeSignals((name) => {
      signal ??= name;
      ctx.sleep(IMPATIENCE_MS, done.signal).then(
        () => late(undefined),
        () => {},
      );
    });
  });
  work.catch(() => {}); // the race reports it, unless that is over
  try {
    return { result: await Promise.race([work, tooLate]), signal };
  } finally {
    done.abort();
    release();
  }
}
