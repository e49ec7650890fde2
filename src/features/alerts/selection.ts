/** The options that choose alerts, what the server is asked for them, and what is then selected from its response. */

import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import type { Alertmanager } from './api.ts';
import { formatMatcher, type Matcher } from './matcher.ts';
import type { Alert, AlertFilter, StateQuery } from './schema.ts';

export interface AlertSelection {
  readonly wanted: WantedStates;
  /** Milliseconds since it started. */
  readonly olderThan?: number | undefined;
  readonly newerThan?: number | undefined;
}

export function selects(alert: Alert, { wanted, olderThan, newerThan }: AlertSelection, now: number): boolean {
  const age = now - Date.parse(alert.startsAt);
  return (
    keepsAlert(alert, wanted) &&
    (olderThan === undefined || age > olderThan) &&
    (newerThan === undefined || age <= newerThan)
  );
}

export async function collectAlerts(alerts: AsyncIterable<Alert>): Promise<readonly Alert[]> {
  const all: Alert[] = [];
  for await (const alert of alerts) all.push(alert);
  return all;
}

export const ALERT_STATES = ['active', 'silenced', 'inhibited', 'muted', 'suppressed', 'unprocessed'] as const;
export type AlertState = (typeof ALERT_STATES)[number];

/** An empty list means `active`. */
export type WantedStates = readonly AlertState[] | 'all';

/**
 * The service has one `suppressed`, and drops an alert that is silenced and inhibited as soon as either is not wanted. So svc asks
 * for every state that may include a wanted alert, and `keepsAlert` does the rest by `silencedBy`, `inhibitedBy` and `mutedBy`.
 * For `GET /alerts` an alert that a time interval mutes is active.
 */
export function alertQuery(wanted: WantedStates): StateQuery {
  if (wanted === 'all') return {};
  const states = orActive(wanted);
  const muted = states.includes('muted') || states.includes('suppressed');
  const suppressed = muted || states.includes('silenced') || states.includes('inhibited');
  return {
    active: muted || states.includes('active'),
    silenced: suppressed,
    inhibited: suppressed,
    unprocessed: states.includes('unprocessed'),
  };
}

/** The same for `GET /alerts/groups`, which has no `unprocessed`. */
export function groupQuery(wanted: WantedStates): Omit<StateQuery, 'unprocessed'> {
  if (wanted === 'all') return {};
  const { active = false, silenced = false, inhibited = false } = alertQuery(wanted);
  return { active, silenced, inhibited };
}

/** Whether the server answers `alertQuery` with exactly the alerts that `keepsAlert` keeps, where no time interval mutes any. */
export function serverSelects(wanted: WantedStates): boolean {
  return wanted === 'all' || orActive(wanted).every((state) => state === 'active');
}

export function keepsAlert({ status }: Pick<Alert, 'status'>, wanted: WantedStates): boolean {
  if (wanted === 'all') return true;
  const silenced = status.silencedBy.length > 0;
  const inhibited = status.inhibitedBy.length > 0;
  const muted = isMuted(status);
  return orActive(wanted).some((state) => {
    switch (state) {
      case 'silenced':
        return silenced;
      case 'inhibited':
        return inhibited;
      case 'muted':
        return muted;
      case 'suppressed':
        return silenced || inhibited || muted || status.state === 'suppressed';
      default:
        return !silenced && !inhibited && !muted && status.state === state;
    }
  });
}

/** Why an alert is suppressed, `silenced,muted`, or the service's own state. */
export function effectiveState({ status }: Pick<Alert, 'status'>): string {
  const reasons: string[] = [];
  if (status.silencedBy.length > 0) reasons.push('silenced');
  if (status.inhibitedBy.length > 0) reasons.push('inhibited');
  if (isMuted(status)) reasons.push('muted');
  return reasons.length > 0 ? reasons.join(',') : status.state;
}

function isMuted({ mutedBy }: Alert['status']): boolean {
  return mutedBy !== undefined && mutedBy.length > 0;
}

function orActive(states: readonly AlertState[]): readonly AlertState[] {
  return states.length === 0 ? ['active'] : states;
}

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

/** Those items that a test keeps, as they come. */
export async function* filterAsync<T>(items: AsyncIterable<T>, predicate: (item: T) => boolean): AsyncGenerator<T> {
  for await (const item of items) if (predicate(item)) yield item;
}
