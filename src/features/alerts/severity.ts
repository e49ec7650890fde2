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
  return effectiveState(alert) !== alert.status.state || alert.status.state === 'suppressed';
}

export function worstFirst(alerts: readonly Alert[], severities = DEFAULT_SEVERITIES): readonly Alert[] {
  return sortedByKey(alerts, (alert) => urgency(alert, severities));
}

/** By the worst alert of each; the alerts of each in the same order. */
export function worstGroupsFirst(groups: readonly AlertGroup[], severities: Severities): readonly AlertGroup[] {
  const sorted = groups.map((group) => ({ ...group, alerts: [...worstFirst(group.alerts, severities)] }));
  return sortedByKey(sorted, ({ alerts: [worst] }) => (worst === undefined ? [] : urgency(worst, severities)));
}

type Key = readonly (number | string)[];

function urgency(alert: Alert, severities: Severities): Key {
  const rank = severityRank(alert, severities) ?? severities.length;
  return [Number(isSuppressed(alert)), rank, -Date.parse(alert.startsAt), alert.fingerprint];
}

function sortedByKey<T>(items: readonly T[], keyOf: (item: T) => Key): readonly T[] {
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  return keyed.sort((a, b) => compareKeys(a.key, b.key)).map(({ item }) => item);
}

function compareKeys(a: Key, b: Key): number {
  const index = a.findIndex((one, at) => one !== (b[at] ?? 0));
  return index < 0 ? 0 : (a[index] ?? 0) < (b[index] ?? 0) ? -1 : 1;
}
