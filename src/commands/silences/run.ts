import { basename } from 'node:path';
import { type RunContext, textCommand } from '../../cli/command.ts';
import { formatDuration } from '../../cli/duration.ts';
import type { EndSignal } from '../../context.ts';
import { SvcError } from '../../errors.ts';
import type { HeldSilence } from '../../services/alertmanager/held-silence.ts';
import { silenceGuard } from './create.ts';
import { author } from './list.ts';

export const silencesRun = textCommand({
  id: 'silences run',
  summary: 'Silence alerts while a command runs',
  description:
    "A short silence is made, extended for as long as the command lives, and expired when it ends, however it ends; the command's exit status is passed on. A signal goes on to the command, the silence is expired, and the status is 130 or 143. Without a silence the command is not run. Should svc itself be killed, the silence ends after its --ttl.",
  effect: 'write',
  service: 'alerts',
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
    'all-alerts': { type: 'boolean', help: 'Yes, even everything' },
  },
  examples: [
    { run: 'svc silences run service=checkout -c "deploy 214" -- ./deploy.sh', why: 'Mute while it is deployed' },
    { run: 'svc silences run instance=db-1:9100 --ttl 5m -- ssh db-1 sudo reboot', why: 'Mute while a node restarts' },
  ],
  output: { kind: 'text' },
  async run(input, ctx) {
    const { openAlertmanager } = await import('../../services/alertmanager/client.ts');
    const { parseMatcherArguments } = await import('../../services/alertmanager/matcher-argument.ts');
    const { approve } = await import('../../services/alertmanager/silencing.ts');
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
    await approve({ ...what, ...times }, alertmanager, silenceGuard(ctx, input.allAlerts));

    const { holdSilence, keepHeld } = await import('../../services/alertmanager/held-silence.ts');
    const { runChild, signalStatus } = await import('../../cli/child.ts');
    let told: EndSignal | undefined;
    // From here on a signal may not end this process before the silence is gone.
    const release = ctx.takeSignals((name) => {
      told ??= name;
    });
    const over = new AbortController();
    try {
      const making = await settle(holdSilence(what, ttl, alertmanager, ctx), ctx);
      told ??= making.signal;
      const held = making.result;
      if (held === undefined) {
        ctx.target.warn(`whether a silence was made is unknown; if so, it ends within ${formatDuration(ttl)}`);
        return { value: undefined, status: signalStatus(told ?? 'SIGINT') };
      }
      ctx.notice(`silence ${held.id} holds until the command ends`);
      let keeping: Promise<void> | undefined;
      let status: number | undefined;
      try {
        if (told === undefined) {
          keeping = keepHeld(held, grace, alertmanager, ctx, over.signal);
          const child = await runChild(input.command, ctx.env, ctx);
          told = child.forwarded;
          status = child.status;
        }
      } finally {
        over.abort();
        const ending = await settle(endAfter(keeping, held, ctx), ctx);
        told ??= ending.signal;
        if (ending.result === undefined) await alertmanager.close();
      }
      return { value: undefined, status: told === undefined ? status : signalStatus(told) };
    } finally {
      release();
    }
  },
});

const DEFAULT_GRACE = 2 * 60_000;
const IMPATIENCE_MS = 3000;

/** An extension that is under way could make an expired silence anew: it has to come to its end first. */
async function endAfter(
  keeping: Promise<void> | undefined,
  held: HeldSilence,
  ctx: Pick<RunContext, 'target'>,
): Promise<true> {
  await keeping;
  try {
    await held.release();
  } catch (error) {
    const reason = error instanceof SvcError ? error.message : String(error);
    const end = new Date(held.end).toISOString();
    ctx.target.warn(
      `warning: silence ${held.id} could not be expired: ${reason}; it ends by itself at ${end}, or now: svc silences expire ${held.id}`,
    );
  }
  return true;
}

/** Waits for what is under way with the server; once a signal has come, only a little longer. */
async function settle<T>(
  work: Promise<T>,
  ctx: Pick<RunContext, 'takeSignals' | 'sleep'>,
): Promise<{ readonly result?: T; readonly signal?: EndSignal | undefined }> {
  let signal: EndSignal | undefined;
  const done = new AbortController();
  let release = (): void => {};
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
    const result = await Promise.race([work, tooLate]);
    return result === undefined ? { signal } : { result, signal };
  } finally {
    done.abort();
    release();
  }
}
