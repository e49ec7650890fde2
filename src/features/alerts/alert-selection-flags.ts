/** The options that choose alerts among those of the server. */
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import type { AlertFilter, AlertState, WantedStates } from './alert-state.ts';
import type { Alertmanager } from './client.ts';
import { formatMatcher, type Matcher } from './matcher.ts';

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

export interface GivenFilter {
  /** What the server filters by: one `filter` for each matcher, and the receiver. */
  readonly filter: AlertFilter & { readonly filter: readonly string[] };
  readonly matchers: readonly Matcher[];
}

export async function alertFilter(
  { matcher, receiver }: { readonly matcher: readonly string[]; readonly receiver: string | undefined },
  ctx: Pick<RunContext, 'notice'>,
): Promise<GivenFilter> {
  if (matcher.length === 0) return { filter: { filter: [], receiver }, matchers: [] };
  const { parseMatcherArguments } = await import('./matcher-argument.ts');
  const { matchers, notices } = parseMatcherArguments(matcher);
  for (const notice of notices) ctx.notice(notice);
  return { filter: { filter: matchers.map(formatMatcher), receiver }, matchers };
}

/** For matchers that match nothing: what names in them are probably mistyped. */
export async function mistypedNames(matchers: readonly Matcher[], alertmanager: Alertmanager): Promise<string[]> {
  if (matchers.length === 0) return [];
  const { readKnownNames, suggestionText, suggestNames } = await import('./known-names.ts');
  return suggestNames(matchers, await readKnownNames(alertmanager)).map(suggestionText);
}

/** Warns of them. The result is complete without the warning, so a failure to read the known names is ignored. */
export async function warnOfNames(
  matchers: readonly Matcher[],
  alertmanager: Alertmanager,
  ctx: Pick<RunContext, 'notice'>,
): Promise<void> {
  const { ifPossible } = await import('./known-names.ts');
  await ifPossible(async () => {
    for (const text of await mistypedNames(matchers, alertmanager)) ctx.notice(`warning: ${text}`);
  });
}

export async function* ifNone<T>(items: AsyncIterable<T>, step: () => Promise<void>): AsyncGenerator<T, void, void> {
  let isNone = true;
  for await (const item of items) {
    isNone = false;
    yield item;
  }
  if (isNone) await step();
}

/** Refuses label names that no alert, silence or configuration of the service has. `option`: what named them. */
export async function refuseUnknownLabels(
  names: readonly string[],
  option: string,
  alertmanager: Alertmanager,
): Promise<void> {
  if (names.length === 0) return;
  const { readKnownNames, unknownLabel } = await import('./known-names.ts');
  const { labels } = await readKnownNames(alertmanager);
  const unknown = names.find((name) => !labels.has(name));
  if (unknown !== undefined) throw unknownLabel(option, unknown, labels);
}
