/** The order of alerts: unsuppressed before suppressed, then by severity, then the newest first. */
import type { Settings } from '../../store/settings.ts';
import type { Alert, AlertGroup } from './schema.ts';
import { effectiveState } from './selection.ts';

/** The worst first. */
export type Severities = readonly string[];

export const DEFAULT_SEVERITIES: Severities = ['critical', 'error', 'warning', 'info', 'none'];

export function severitiesOf(settings: Settings): Severities {
  return settings.get('alerts.severities')?.split(',') ?? DEFAULT_SEVERITIES;
}

/** 0 for the worst; undefined for a severity that is not ranked. */
export function severityRank({ labels }: Alert, severities: Severities): number | undefined {
  const rank = severities.indexOf(labels['severity'] ?? '');
  return rank < 0 ? undefined : rank;
}

export function isSuppressed(alert: Alert): boolean {
  return alert.status.state === 'suppressed' || effectiveState(alert) !== alert.status.state;
}

export function worstFirst(alerts: readonly Alert[], severities = DEFAULT_SEVERITIES): readonly Alert[] {
  return sorted(alerts.map((alert) => ({ item: alert, ...urgency(alert, severities) })));
}

/** By the worst alert of each; the alerts of each in the same order. */
export function worstGroupsFirst(groups: readonly AlertGroup[], severities: Severities): readonly AlertGroup[] {
  const keyed = groups.map((group) => {
    const alerts = [...worstFirst(group.alerts, severities)];
    return { item: { ...group, alerts }, ...(alerts[0] === undefined ? NO_URGENCY : urgency(alerts[0], severities)) };
  });
  return sorted(keyed);
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
  return { rank: rank + suppressed, since: Date.parse(alert.startsAt), id: alert.fingerprint };
}

function sorted<T>(keyed: (Urgency & { readonly item: T })[]): readonly T[] {
  const byId = (a: Urgency, b: Urgency) => (a.id < b.id ? -1 : Number(a.id > b.id));
  // Infinity minus Infinity is not a number, and no difference.
  keyed.sort((a, b) => a.rank - b.rank || b.since - a.since || byId(a, b));
  return keyed.map(({ item }) => item);
}
