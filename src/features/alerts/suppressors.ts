/** What suppresses an alert: silences, alerts and time intervals, not only their ids. */
import { SvcError } from '../../errors.ts';
import type { Alertmanager, GroupMuting } from './api.ts';
import type { Alert, Silence } from './schema.ts';
import { collect, filterAsync } from './selection.ts';

export interface SuppressedAlert extends Alert {
  /** Those of `status.silencedBy` that the server still has. */
  readonly silences: readonly Silence[];
  /** Those of `status.inhibitedBy` that still fire. */
  readonly inhibitors: readonly Alert[];
  /** The groups that a time interval mutes. Where there are others too, the alert is active. */
  readonly mutedGroups: readonly GroupMuting[];
}

export async function withSuppressors(
  alert: Alert,
  alertmanager: Pick<Alertmanager, 'alerts' | 'mutedAlerts' | 'silence'>,
): Promise<SuppressedAlert> {
  const { silencedBy, inhibitedBy, mutedBy } = alert.status;
  const [silences, inhibitors, mutedAlerts] = await Promise.all([
    readNamedSilences(silencedBy, alertmanager),
    inhibitedBy.length === 0
      ? []
      : collect(filterAsync(alertmanager.alerts(), (other) => inhibitedBy.includes(other.fingerprint))),
    mutedBy === undefined ? undefined : alertmanager.mutedAlerts(),
  ]);
  const groups = mutedAlerts?.get(alert.fingerprint) ?? [];
  return { ...alert, silences, inhibitors, mutedGroups: groups.filter((group) => group.mutedBy.length > 0) };
}

/** One after the other: the server limits concurrent requests. */
async function readNamedSilences(
  ids: readonly string[],
  alertmanager: Pick<Alertmanager, 'silence'>,
): Promise<readonly Silence[]> {
  const silences: Silence[] = [];
  for (const id of ids) {
    try {
      silences.push(await alertmanager.silence(id));
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'not_found') throw error;
    }
  }
  return silences;
}
