/** The options that choose alerts among those of the server. */
import type { RunContext } from '../cli/command.ts';
import { SvcError } from '../errors.ts';
import type { AlertState, WantedStates } from '../services/alertmanager/alert-state.ts';
import { formatMatcher } from '../services/alertmanager/matcher.ts';

export function wantedStates({
  all,
  state,
}: {
  readonly all: boolean;
  readonly state: readonly AlertState[];
}): WantedStates {
  if (all && state.length > 0) throw new SvcError('usage', '--all and --state contradict each other');
  return all ? 'all' : state;
}

/** What the server filters by: one `filter` for each matcher, and the receiver. */
export async function alertFilter(
  { matcher, receiver }: { readonly matcher: readonly string[]; readonly receiver: string | undefined },
  ctx: Pick<RunContext, 'notice'>,
): Promise<{ readonly filter: readonly string[]; readonly receiver: string | undefined }> {
  const { parseMatcherArguments } = await import('../services/alertmanager/matcher-argument.ts');
  const { matchers, notices } = parseMatcherArguments(matcher);
  for (const notice of notices) ctx.notice(notice);
  return { filter: matchers.map(formatMatcher), receiver };
}
