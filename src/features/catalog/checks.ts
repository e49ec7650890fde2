/** What svc doctor asks the catalog. */
import type { ServiceReply } from '../../cli/findings.ts';
import type { Target } from '../../http/target.ts';
import { openCatalog } from './api.ts';

export async function checkCatalog(target: Target): Promise<ServiceReply> {
  const client = openCatalog(target);
  try {
    return { detail: `: ${(await client.health()).status}`, clockSkewMs: client.clockSkewMs };
  } finally {
    await client.close();
  }
}
