/** What commands that write silences share. */
import type { RunContext } from '../../cli/command.ts';
import { parseDuration } from '../../cli/duration.ts';
import type { Flags } from '../../cli/flags.ts';
import type { ErrorCode } from '../../errors.ts';
import { Plan } from '../../http/endpoint.ts';
import type { Alertmanager } from '../alerts/api.ts';
import { formatMatcher, matcherFrom } from '../alerts/matcher.ts';
import type { CheckedSilence, Guard, PostedSilence } from './silencing.ts';

/** The author that new silences get, and that `--created-by me` looks for. */
export function author(ctx: {
  readonly settings: { get(key: string): string | undefined };
  readonly identity: string;
}): string {
  return ctx.settings.get('alerts.author') ?? ctx.identity;
}

export function silenceGuard(ctx: RunContext, allAlerts: boolean): Guard {
  const longest = ctx.settings.get('alerts.maxSilence') ?? '24h';
  return {
    dryRun: ctx.dryRun,
    asks: ctx.interactive && !ctx.yes && !ctx.dryRun,
    allAlerts,
    longest: { ms: parseDuration(longest), text: longest },
    now: ctx.now,
    confirm: ctx.confirm,
    notice: ctx.notice,
  };
}

/** Of every command that writes silences. */
export const ALL_ALERTS = {
  'all-alerts': { type: 'boolean', help: 'Allow silences that no matcher limits to a definite value' },
} as const satisfies Flags;

/** Sends silences that were asked about. One that fails is reported and does not stop the others. */
export async function postSilences(
  checked: readonly CheckedSilence[],
  alertmanager: Alertmanager,
  ctx: Pick<RunContext, 'notice'>,
): Promise<{ readonly value: readonly PostedSilence[]; readonly code: ErrorCode | undefined } | Plan> {
  const { bulk } = await import('../../cli/bulk.ts');
  const { postSilence } = await import('./silencing.ts');
  const posted = await bulk(checked, 4, (one) => postSilence(one, alertmanager, ctx));
  if (posted instanceof Plan) return posted;
  const { outcomes, code } = posted;
  const [only, ...others] = outcomes;
  if (only?.error !== undefined && others.length === 0) throw only.error;
  for (const { item, error } of outcomes) {
    if (error === undefined) continue;
    const matchers = item.draft.matchers.map((wire) => formatMatcher(matcherFrom(wire)));
    ctx.notice(`${matchers.join(' ')}: ${error.message}`);
  }
  return { value: outcomes.flatMap((outcome) => (outcome.error === undefined ? [outcome.result] : [])), code };
}
