/** What the settings and the person say about every silence that is made. */
import type { RunContext } from '../cli/command.ts';
import { parseDuration } from '../cli/duration.ts';
import type { Guard } from '../services/alertmanager/silencing.ts';

/** The author that new silences get, and that `--created-by me` looks for. */
export function author(ctx: {
  readonly settings: { get(key: string): string | undefined };
  readonly identity: string;
}): string {
  return ctx.settings.get('alerts.author') ?? ctx.identity;
}

export function silenceGuard(ctx: RunContext, allAlerts: boolean): Guard {
  const longest = ctx.settings.get('alerts.maxSilence');
  return {
    dryRun: ctx.dryRun,
    allAlerts,
    longest: longest === undefined ? undefined : { ms: parseDuration(longest), text: longest },
    now: ctx.now,
    confirm: ctx.confirm,
    notice: ctx.notice,
  };
}
