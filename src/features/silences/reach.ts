/** How much a silence would mute now, by the server's own matching. */
import { alertQuery, keepsAlert } from '../alerts/alert-state.ts';
import type { Alertmanager } from '../alerts/client.ts';
import { formatMatcher, type Matcher } from '../alerts/matcher.ts';
import type { Alert } from '../alerts/schema.ts';

export interface Reach {
  /** Alerts that match now, in every state. */
  readonly alerts: number;
  /** The fingerprints of those that are active. */
  readonly active: ReadonlySet<string>;
}

export function reachOf(alerts: readonly Alert[]): Reach {
  return { alerts: alerts.length, active: new Set(alerts.filter(isActive).map(({ fingerprint }) => fingerprint)) };
}

/** Counts by `GET /alerts?filter=`: the server matches exactly as it will match the silence, and refuses what is not RE2. */
export async function measureReach(
  alertmanager: Pick<Alertmanager, 'alerts'>,
  matchers: readonly Matcher[],
): Promise<Reach> {
  let alerts = 0;
  const active = new Set<string>();
  for await (const alert of alertmanager.alerts({ filter: matchers.map(formatMatcher) })) {
    alerts++;
    if (isActive(alert)) active.add(alert.fingerprint);
  }
  return { alerts, active };
}

export async function countActive(alertmanager: Pick<Alertmanager, 'alerts'>): Promise<number> {
  let count = 0;
  for await (const alert of alertmanager.alerts(alertQuery([]))) if (isActive(alert)) count++;
  return count;
}

function isActive(alert: Alert): boolean {
  return keepsAlert(alert, []);
}
