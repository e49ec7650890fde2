/** What keeps an alert from notifying: silences, other alerts and time intervals. */
import { SvcError } from '../../errors.ts';
import type { Alertmanager } from './client.ts';
import { type MutedGroup, readMutings } from './muting.ts';
import type { Alert, Silence } from './schema.ts';

export interface SuppressedAlert extends Alert {
  /** Those of `status.silencedBy` that the server still has. */
  readonly silences: readonly Silence[];
  /** Those of `status.inhibitedBy` that still fire. */
  readonly inhibitors: readonly Alert[];
  /** The groups that a time interval mutes. Where there are others too, the alert is active. */
  readonly mutedGroups: readonly MutedGroup[];
}

/** Asks nothing more where the status names nothing, and the server knows of no muting. */
export async function withSuppressors(
  alert: Alert,
  alertmanager: Pick<Alertmanager, 'alerts' | 'groups' | 'silence' | 'status'>,
): Promise<SuppressedAlert> {
  const { silencedBy, inhibitedBy, mutedBy } = alert.status;
  const [silences, inhibitors, mutings] = await Promise.all([
    readNamedSilences(silencedBy, alertmanager),
    readNamedAlerts(new Set(inhibitedBy), alertmanager),
    mutedBy === undefined ? undefined : readMutings(alertmanager),
  ]);
  const groups = mutings?.get(alert.fingerprint) ?? [];
  return { ...alert, silences, inhibitors, mutedGroups: groups.filter((group) => group.mutedBy.length > 0) };
}

/** One after the other: an alert has few, and the server's limit of requests is shared by all its clients. */
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

async function readNamedAlerts(
  fingerprints: ReadonlySet<string>,
  alertmanager: Pick<Alertmanager, 'alerts'>,
): Promise<readonly Alert[]> {
  const found: Alert[] = [];
  if (fingerprints.size === 0) return found;
  for await (const alert of alertmanager.alerts()) if (fingerprints.has(alert.fingerprint)) found.push(alert);
  return found;
}
