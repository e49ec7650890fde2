import { basename } from 'node:path';
import { type RunContext, textCommand } from '../../../cli/command.ts';
import { formatDuration } from '../../../cli/duration.ts';
import type { EndSignal } from '../../../context.ts';
import { ERROR_KINDS, SvcError } from '../../../errors.ts';
import { shellWord } from '../../../http/as-curl.ts';
import { Plan } from '../../../http/endpoint.ts';
import type { Alertmanager } from '../../alerts/api.ts';
import type { acquireSilence, SilenceLease } from '../lease.ts';
import { ALL_ALERTS, author, silenceGuard } from '../silencing-flags.ts';

export const silencesRun = textCommand({
  id: 'silences run',
  summary: 'Silence alerts while a command runs',
  description:
    'Creates a short silence, extends it while the command runs, and expires it when the command ends, however it ends. The exit status is that of the command. A signal is passed on to the command, and the exit status is then 130 or 143. If no silence can be created, the command does not run, unless the alert manager is unavailable and --if-unavailable is run. If svc itself is killed, the silence ends after its --ttl.',
  effect: 'write',
  service: 'alerts',
  streams: () => true,
  args: {
    matcher: { help: 'As for svc silences create', repeat: true, required: true },
    command: { help: 'The command and its arguments', repeat: true, required: true, afterDashes: true },
  },
  flags: {
    comment: { type: 'string', short: 'c', value: 'text', help: 'Why (default: while <command> runs)' },
    author: { type: 'string', value: 'name', help: 'Who (default: setting alerts.author, or user@host)' },
    ttl: { type: 'duration', positive: true, default: '15m', help: 'How long it lasts if nobody extends it' },
    grace: {
      type: 'duration',
      positive: true,
      help: 'Extend it when less than this is left (default 2m, or a third of --ttl)',
    },
    'if-unavailable': {
      type: 'choice',
      choices: ['run', 'fail'],
      default: 'fail',
      help: 'If the alert manager is unavailable: run the command without a silence, or fail',
    },
    'pass-env': {
      type: 'string',
      repeat: true,
      value: 'name',
      help: 'Leave this SVC_*_TOKEN, SVC_*_PASSWORD or SVC_WEBHOOK_SECRET in the environment of the command',
    },
    ...ALL_ALERTS,
  },
  examples: [
    { run: 'svc silences run service=checkout -c "deploy 214" -- ./deploy.sh', why: 'Mute while it is deployed' },
    { run: 'svc silences run instance=db-1:9100 --ttl 5m -- ssh db-1 sudo reboot', why: 'Mute while a node restarts' },
  ],
  output: { kind: 'text' },
  async run(input, ctx) {
    const { openAlertmanager } = await import('../../alerts/api.ts');
    const { parseMatcherArguments } = await import('../../alerts/matcher-argument.ts');
    const { approve } = await import('../silencing.ts');
    const { ttl } = input;
    const grace = input.grace ?? Math.min(DEFAULT_GRACE, ttl / 3);
    if (grace >= ttl) {
      throw new SvcError('usage', `--grace ${formatDuration(grace)} is not shorter than --ttl ${formatDuration(ttl)}`);
    }
    const { matchers, notices } = parseMatcherArguments(input.matcher);
    for (const notice of notices) ctx.notice(notice);
    const what = {
      matchers: matchers.map((matcher) => ({ ...matcher })),
      createdBy: input.author ?? author(ctx),
      // Not the arguments: everybody reads comments, and a command line may hold a secret.
      comment: input.comment ?? `while ${basename(input.command[0] ?? '')} runs`,
    };
    const now = ctx.now();
    const times = { startsAt: new Date(now).toISOString(), endsAt: new Date(now + ttl).toISOString() };
    const alertmanager = openAlertmanager(ctx.target);
    const guard = silenceGuard(ctx, input.allAlerts);
    const tolerant = input.ifUnavailable === 'run';
    const failure = await approve({ ...what, ...times }, alertmanager, guard).then(
      () => undefined,
      (error: unknown) => tolerated(error, tolerant),
    );
    const options = { ttl, grace, tolerant, failure, command: input.command, passEnv: input.passEnv };
    const ended = await runUnder(what, options, alertmanager, ctx);
    return ended instanceof Plan ? { value: ended } : { value: undefined, status: ended };
  },
});

/** The failure, where the command is to run without a silence. Throws any other. */
function tolerated(error: unknown, tolerant: boolean): SvcError {
  const unavailable = error instanceof SvcError && (error.exit === UNAVAILABLE || error.code === 'outcome_unknown');
  if (!tolerant || !unavailable) throw error;
  return error;
}

/** The exit status of what cannot be reached, or fails. */
const UNAVAILABLE = ERROR_KINDS.server_error.exit;
const DEFAULT_GRACE = 2 * 60_000;

interface Cover {
  readonly ttl: number;
  readonly grace: number;
  /** Whether to run the command even if the alert manager is unavailable. */
  readonly tolerant: boolean;
  /** Why no silence can be created. */
  readonly failure: SvcError | undefined;
  readonly command: readonly string[];
  /** Credentials that the command gets. */
  readonly passEnv: readonly string[];
}

type Held =
  | { readonly lease: SilenceLease | Plan; readonly failure?: undefined }
  | { readonly lease?: undefined; readonly failure: SvcError };

/** Returns the exit status. From the first request on, no signal ends this process before the silence is gone. */
async function runUnder(
  what: Parameters<typeof acquireSilence>[0],
  { ttl, grace, tolerant, failure, command, passEnv }: Cover,
  alertmanager: Alertmanager,
  ctx: RunContext,
): Promise<number | Plan> {
  const { acquireSilence, renewSilence } = await import('../lease.ts');
  const { childEnvironment, runChild, signalStatus } = await import('../../../cli/child.ts');
  const env = childEnvironment(ctx.env, passEnv);
  const hold = async (): Promise<Held> => {
    if (failure !== undefined) return { failure };
    return acquireSilence(what, ttl, alertmanager, ctx).then(
      (lease) => ({ lease }),
      (error: unknown) => ({ failure: tolerated(error, tolerant) }),
    );
  };
  const maybeCreated = `a silence may have been created; it ends by itself within ${formatDuration(ttl)}`;
  let received: EndSignal | undefined;
  const release = ctx.takeSignals((name) => {
    received ??= name;
  });
  try {
    const { result, signal } = await settle(hold(), ctx);
    received ??= signal;
    if (result === undefined) {
      await alertmanager.close();
      ctx.target.log.warn(`warning: ${maybeCreated}`);
      return signalStatus(received ?? null);
    }
    const { lease } = result;
    if (lease instanceof Plan) return lease;
    if (lease === undefined) {
      const { code, message } = result.failure;
      if (code === 'outcome_unknown') ctx.target.log.warn(`warning: ${maybeCreated}`);
      if (received !== undefined) return signalStatus(received);
      ctx.target.log.warn(`warning: the command runs without a silence: ${message}`);
      const child = await runChild(command, env, ctx);
      return child.forwarded === undefined ? child.status : signalStatus(child.forwarded);
    }
    ctx.notice(`silence ${lease.id} is active until the command ends`);
    const over = new AbortController();
    let keeping = Promise.resolve();
    let status = 0;
    try {
      if (received === undefined) {
        keeping = renewSilence(lease, grace, alertmanager, ctx, over.signal);
        const child = await runChild(command, env, ctx);
        received = child.forwarded;
        status = child.status;
      }
    } finally {
      over.abort();
      const ended = await settle(endLease(lease, keeping), ctx);
      received ??= ended.signal;
      if (ended.result === undefined) await alertmanager.close();
      const left = ended.result === undefined ? 'was not waited for' : ended.result.failure;
      if (left !== undefined) ctx.target.log.warn(leftBehind(lease, left));
    }
    return received === undefined ? status : signalStatus(received);
  } finally {
    release();
  }
}

/** An extension that is under way could make an expired silence anew: it has to come to its end first. */
async function endLease(
  lease: SilenceLease,
  keeping: Promise<void>,
): Promise<{ readonly failure: string | undefined }> {
  await keeping;
  try {
    await lease.release();
    return { failure: undefined };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

/** The command's own status counts more than what became of the silence, which ends all the same. */
function leftBehind({ id, end }: SilenceLease, why: string): string {
  const until = new Date(end).toISOString();
  return `warning: silence ${id} may still be there (${why}); it ends by itself at ${until}, or now: svc silences expire ${shellWord(id)}`;
}

const IMPATIENCE_MS = 3000;

/**
 * Waits for work that should not be broken off half-way, such as a write whose answer is under way. A signal does not end it at
 * once; but then it has only a little longer, and there is no result where that is not enough.
 */
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
  work.catch(() => {}); // told by the race, unless that is over
  try {
    return { result: await Promise.race([work, tooLate]), signal };
  } finally {
    done.abort();
    release();
  }
}
