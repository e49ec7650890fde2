/** The checks of svc doctor and svc sandbox status. */
import type { ServiceContents, ServiceReply } from '../../cli/findings.ts';
import type { Target } from '../../http/target.ts';
import { openAlertmanager } from './api.ts';
import { countItems } from './selection.ts';

export async function checkAlerts(target: Target): Promise<ServiceReply> {
  const client = openAlertmanager(target);
  try {
    const { version } = (await client.status()).versionInfo;
    return { detail: `: version ${version}`, clockSkewMs: client.clockSkewMs };
  } finally {
    await client.close();
  }
}

export async function alertsContents(target: Target): Promise<ServiceContents> {
  const client = openAlertmanager(target);
  try {
    const [{ versionInfo }, alerts, silences] = await Promise.all([
      client.status(),
      countItems(client.alerts()),
      countItems(client.silences()),
    ]);
    return { version: versionInfo.version, holds: { alerts, silences } };
  } finally {
    await client.close();
  }
}
