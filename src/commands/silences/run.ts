import { basename } from 'node:path';
import { type RunContext, textCommand } from '../../cli/command.ts';
import { formatDuration } from '../../cli/duration.ts';
import type { EndSignal } from '../../context.ts';
import { SvcError } from '../../errors.ts';
import { author, silenceGuard } from '../../inputs/silencing.ts';
import type { Alertmanager } from '../../services/alertmanager/client.ts';
import type { HeldSilence, holdSilence } from '../../services/alertmanager/held-silence.ts';

export const silencesRun = textCommand({
  id: 'silences run',
  summary: 'Silence alerts while a command runs',
  description:
    "A short silence is made, extended for as long as the command lives, and expired when it ends, however it ends; the command's exit status is passed on. A signal goes on to the command, the silence is expired, and the status is 130 or 143. Without a silence the command is not run. Should svc itself be killed, the silence ends after its --ttl.",
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

    return {
      value: undefined,
      status: await runUnder(what, { ttl, grace, command: input.command }, alertmanager, ctx),
    };
  },
});

const DEFAULT_GRACE = 2 * 60_000;

interface Plan {
  readonly ttl: number;
  readonly grace: number;
  readonly command: readonly string[];
}

/** Returns the exit status. From the first request on, no signal ends this process before the silence is gone. */
async function runUnder(
  what: Parameters<typeof holdSilence>[0],
  { ttl, grace, command }: Plan,
  alertmanager: Alertmanager,
  ctx: RunContext,
): Promise<number> {
  const { holdSilence, keepHeld } = await import('../../services/alertmanager/held-silence.ts');
  const { runChild, signalStatus } = await import('../../cli/child.ts');
  const { settle } = await import('../../cli/settle.ts');
  let told: EndSignal | undefined;
  const release = ctx.takeSignals((name) => {
    told ??= name;
  });
  try {
    const { result: held, signal } = await settle(holdSilence(what, ttl, alertmanager, ctx), ctx);
    told ??= signal;
    if (held === undefined) {
      await alertmanager.close();
      ctx.target.warn(`warning: a silence may have been made; it ends by itself within ${formatDuration(ttl)}`);
      return signalStatus(told ?? null);
    }
    ctx.notice(`silence ${held.id} holds until the command ends`);
    const over = new AbortController();
    let keeping = Promise.resolve();
    let status = 0;
    try {
      if (told === undefined) {
        keeping = keepHeld(held, grace, alertmanager, ctx, over.signal);
        const child = await runChild(command, ctx.env, ctx);
        told = child.forwarded;
        status = child.status;
      }
    } finally {
      over.abort();
      const ended = await settle(endHeld(held, keeping), ctx);
      told ??= ended.signal;
      if (ended.result === undefined) await alertmanager.close();
      const left = ended.result === undefined ? 'was not waited for' : ended.result.failure;
      if (left !== undefined) ctx.target.warn(leftBehind(held, left));
    }
    return told === undefined ? status : signalStatus(told);
  } finally {
    release();
  }
}

/** An extension that is under way could make an expired silence anew: it has to come to its end first. */
async function endHeld(held: HeldSilence, keeping: Promise<void>): Promise<{ readonly failure: string | undefined }> {
  await keeping;
  try {
    await held.release();
    return { failure: undefined };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

/** The command's own status counts more than what became of the silence, which ends all the same. */
function leftBehind({ id, end }: HeldSilence, why: string): string {
  const until = new Date(end).toISOString();
  return `warning: silence ${id} may still be there (${why}); it ends by itself at ${until}, or now: svc silences expire ${id}`;
}
