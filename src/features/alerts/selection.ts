/** Options that select alerts, the query for the server, and the choice from its response. */
import type { RunContext } from '../../cli/command.ts';
import { type Flags, section } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
import { shellWord } from '../../output/escape.ts';
import type { Settings } from '../../store/settings.ts';
import { formatMatcher, type Matcher } from './matcher.ts';
import { parseMatcherArguments } from './matcher-arguments.ts';
import type { Alert, AlertFilter, AlertGroup, AlertQuery } from './schema.ts';

export const ALERT_STATES = ['active', 'silenced', 'inhibited', 'muted', 'suppressed', 'unprocessed'] as const;
export type AlertState = (typeof ALERT_STATES)[number];

export const FILTERS = 'Filter options';

export const SELECTION_FLAGS = section(FILTERS, {
  state: {
    type: 'choice',
    repeat: true,
    choices: ['active', 'silenced', 'inhibited', 'muted', 'suppressed'],
    help: 'Only alerts in this state (default active)',
  },
  all: { type: 'boolean', short: 'a', help: 'Alerts in every state' },
  receiver: {
    type: 'string',
    short: 'r',
    value: 'regex',
    help: 'Only alerts for matching receivers',
    check: refuseReceiverList,
  },
});

/** The names of several receivers would match none: a gate would be green. */
function refuseReceiverList(regex: string): void {
  const bare = regex.replace(/\\.|\[[^\]]*\]|\{\d*,\d*\}/gs, '');
  if (!/[,;\n]/.test(bare)) return;
  const names = regex.split(/\s*[,;\n]\s*/).filter((name) => name !== '');
  throw new SvcError('invalid_value', 'several names need a regular expression', {
    hint: `write ${shellWord(names.join('|'))}; for the literal text, write ${shellWord(regex.replace(/[,;\n]/g, '[$&]'))}`,
  });
}

export const AGE_FLAG = {
  'older-than': { type: 'duration', group: FILTERS, help: 'Only alerts older than this' },
} as const satisfies Flags;

/** At least one. */
export type WantedStates = readonly AlertState[] | 'all';

export interface AlertSelection {
  readonly wanted: WantedStates;
  /** Milliseconds since it started. */
  readonly olderThan: number | undefined;
}

export function selects(alert: Alert, { wanted, olderThan }: AlertSelection, now: number): boolean {
  if (!keepsAlert(alert, wanted)) return false;
  // An alert that does not say when it started must not be missing from a check of old ones.
  return olderThan === undefined || !(now - Date.parse(alert.startsAt) <= olderThan);
}

/**
 * The service omits an alert that is silenced and inhibited unless both are requested, and calls a
 * muted one active. So svc requests more states, and `keepsAlert` selects from the response.
 */
export function alertQuery(wanted: WantedStates): AlertQuery {
  if (wanted === 'all') return {};
  const muted = wanted.includes('muted') || wanted.includes('suppressed');
  const suppressed = muted || wanted.includes('silenced') || wanted.includes('inhibited');
  return {
    active: muted || wanted.includes('active'),
    silenced: suppressed,
    inhibited: suppressed,
    unprocessed: wanted.includes('unprocessed'),
  };
}

/** Whether `alertQuery` returns exactly the wanted alerts, unless a time interval mutes some. */
export function serverSelects(wanted: WantedStates): boolean {
  return wanted === 'all' || wanted.every((state) => state === 'active');
}

export function keepsAlert(alert: Pick<Alert, 'status'>, wanted: WantedStates): boolean {
  if (wanted === 'all') return true;
  const reasons = suppressedBy(alert);
  const { state } = alert.status;
  // An alert in a state that svc does not know must not be missing from a check.
  if (reasons.length === 0)
    return wanted.includes(state === 'suppressed' || state === 'unprocessed' ? state : 'active');
  return wanted.some((one) => one === 'suppressed' || reasons.includes(one));
}

export function isActive(alert: Alert): boolean {
  return keepsAlert(alert, ['active']);
}

/** Why an alert is suppressed, `silenced,muted`, or the service's own state. */
export function effectiveState(alert: Pick<Alert, 'status'>): string {
  return suppressedBy(alert).join() || alert.status.state;
}

function suppressedBy({ status }: Pick<Alert, 'status'>): AlertState[] {
  const reasons: AlertState[] = [];
  if (status.silencedBy.length > 0) reasons.push('silenced');
  if (status.inhibitedBy.length > 0) reasons.push('inhibited');
  if (status.mutedBy !== undefined && status.mutedBy.length > 0) reasons.push('muted');
  return reasons;
}

export function wantedStates(options: { readonly all: boolean; readonly state: readonly AlertState[] }): WantedStates {
  if (options.all && options.state.length > 0) throw new SvcError('usage', '--all and --state cannot be used together');
  if (options.all) return 'all';
  return options.state.length === 0 ? ['active'] : options.state;
}

/** What to say if there are none: `no silenced alerts match`. */
export function noneText(wanted: WantedStates, noun = 'alerts'): string {
  if (wanted === 'all') return `no ${noun} match`;
  const none = `no ${noun.replace(/alerts$/, `${wanted.join(' or ')} alerts`)} match`;
  return wanted.join() === 'active' ? `${none}; use -a to include silenced, inhibited and muted ones` : none;
}

export interface GivenFilter {
  /** What the server filters by: one `filter` for each matcher, and the receiver. */
  readonly filter: AlertFilter & { readonly filter: readonly string[] };
  readonly matchers: readonly Matcher[];
}

export function alertFilter(
  { matcher, receiver }: { readonly matcher: readonly string[]; readonly receiver: string | undefined },
  ctx: Pick<RunContext, 'notice'>,
): GivenFilter {
  const matchers = parseMatcherArguments(matcher, ctx.notice);
  return { filter: { filter: matchers.map(formatMatcher), receiver }, matchers };
}

/** These formats print each alert as it arrives: sorting would need the complete list. */
export function inServerOrder(
  { document, events, sorted }: RunContext['wants'],
  { limit }: { readonly limit: number | undefined },
): boolean {
  return (document || events) && !sorted && limit === undefined;
}

export async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export async function* filterAsync<T>(items: AsyncIterable<T>, predicate: (item: T) => boolean): AsyncGenerator<T> {
  for await (const item of items) if (predicate(item)) yield item;
}

export async function* ifNone<T>(items: AsyncIterable<T>, step: () => Promise<void>): AsyncGenerator<T, void, void> {
  let isNone = true;
  for await (const item of items) {
    isNone = false;
    yield item;
  }
  if (isNone) await step();
}

/** The worst first. */
export type Severities = readonly string[];

export function severitiesOf(settings: Settings): Severities {
  return settings.get('alerts.severities')?.split(',') ?? [];
}

/** 0 for the worst; undefined for a severity that is not ranked. */
export function severityRank({ labels }: Alert, severities: Severities): number | undefined {
  const rank = severities.indexOf(labels['severity'] ?? '');
  return rank < 0 ? undefined : rank;
}

export function isSuppressed(alert: Alert): boolean {
  return alert.status.state === 'suppressed' || effectiveState(alert) !== alert.status.state;
}

export function worstFirst(alerts: readonly Alert[], severities: Severities): readonly Alert[] {
  const keyed = alerts.map((alert) => ({ alert, ...urgency(alert, severities) }));
  return keyed.sort(compareUrgency).map(({ alert }) => alert);
}

/** By the worst alert of each; the alerts of each in the same order. */
export function worstGroupsFirst(groups: readonly AlertGroup[], severities: Severities): readonly AlertGroup[] {
  const keyed = groups.map((group) => {
    const alerts = [...worstFirst(group.alerts, severities)];
    return { group: { ...group, alerts }, ...(alerts[0] === undefined ? NO_URGENCY : urgency(alerts[0], severities)) };
  });
  return keyed.sort(compareUrgency).map(({ group }) => group);
}

interface Urgency {
  /** Suppressed alerts after all others. */
  readonly rank: number;
  readonly since: number;
  readonly id: string;
}

const NO_URGENCY: Urgency = { rank: Number.POSITIVE_INFINITY, since: 0, id: '' };

function urgency(alert: Alert, severities: Severities): Urgency {
  const rank = severityRank(alert, severities) ?? severities.length;
  const suppressed = isSuppressed(alert) ? severities.length + 1 : 0;
  return { rank: rank + suppressed, since: Date.parse(alert.startsAt) || 0, id: alert.fingerprint };
}

function compareUrgency(a: Urgency, b: Urgency): number {
  // Infinity minus Infinity is not a number, and no difference.
  return a.rank - b.rank || b.since - a.since || (a.id < b.id ? -1 : Number(a.id > b.id));
}
