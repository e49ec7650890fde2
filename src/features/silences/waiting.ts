/** `--wait`: a silence counts as written only when the other members of the HA cluster show it. */
import type { Answer, RunContext } from '../../cli/command.ts';
import type { Flags } from '../../cli/flags.ts';
import { poll } from '../../cli/poll.ts';
import { formatDuration } from '../../cli/time.ts';
import { SvcError } from '../../errors.ts';
import { type Alertmanager, openAlertmanager } from '../alerts/api.ts';

export const WAIT = {
  wait: { type: 'duration', positive: true, help: 'Wait until the other members show it' },
} as const satisfies Flags;

interface Waiting {
  readonly wait: number | undefined;
}

const INTERVAL_MS = 500;

/** Opens the Alertmanager, runs the command, and waits for what it wrote. */
export function waiting<I extends Waiting, A extends Answer<unknown>>(
  run: (input: I, ctx: RunContext, alertmanager: Alertmanager) => Promise<A>,
): (input: I, ctx: RunContext) => Promise<A> {
  return async (input, ctx) => {
    const alertmanager = openAlertmanager(ctx.target);
    const { wait: waitMs } = input;
    if (waitMs !== undefined && !alertmanager.hasMembers) {
      throw new SvcError('usage', '--wait needs a profile with alerts.urls, the members of an HA cluster');
    }
    const answer = await run(input, ctx, alertmanager);
    if (waitMs === undefined || ctx.dryRun) return answer;
    let missing: readonly string[] = [];
    const read = () => alertmanager.membersWithout();
    const { now, sleep, signal } = ctx;
    // A member that is away is named at the end.
    const quiet = { now, sleep, signal, notice: () => {} };
    for await (const { value } of poll(read, { intervalMs: INTERVAL_MS, waitMs }, quiet)) {
      missing = value ?? missing;
      if (value?.length === 0) return answer;
    }
    ctx.warn(`not visible on ${missing.join(', ')} after ${formatDuration(waitMs)}`);
    return { ...answer, code: answer.code ?? ('still_pending' as const) };
  };
}
