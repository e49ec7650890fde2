/** Who keeps an alert from notifying: the silences and the other alerts that its status names. */
import { SvcError } from '../../errors.ts';
import type { Alertmanager } from './client.ts';
import type { Alert, Silence } from './schema.ts';

export interface SuppressedAlert extends Alert {
  /** Those of `status.silencedBy` that the server still has. */
  readonly silences: readonly Silence[];
  /** Those of `status.inhibitedBy` that still fire. */
  readonly inhibitors: readonly Alert[];
}

/** Asks nothing more where the status names nobody. */
export async function withSuppressors(
  alert: Alert,
  alertmanager: Pick<Alertmanager, 'alerts' | 'silence'>,
): Promise<SuppressedAlert> {
  const { silencedBy, inhibitedBy } = alert.status;
  const [silences, inhibitors] = await Promise.all([
    readNamedSilences(silencedBy, alertmanager),
    readNamedAlerts(new Set(inhibitedBy), alertmanager),
  ]);
  return { ...alert, silences, inhibitors };
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
