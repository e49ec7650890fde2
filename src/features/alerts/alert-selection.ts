/** Which of the alerts that the server answers with are meant. */
import { keepsAlert, type WantedStates } from './alert-state.ts';
import type { Alert } from './schema.ts';

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

/** All of them, for what cannot be told before the last. */
export async function collectAlerts(alerts: AsyncIterable<Alert>): Promise<readonly Alert[]> {
  const all: Alert[] = [];
  for await (const alert of alerts) all.push(alert);
  return all;
}
