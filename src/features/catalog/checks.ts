/** What svc doctor and svc sandbox status ask the catalog. */
import type { ServiceContents, ServiceReply } from '../../cli/findings.ts';
import type { Target } from '../../http/target.ts';
import { openCatalog } from './api.ts';
import { numberOf } from './statistics.ts';

export async function checkCatalog(target: Target): Promise<ServiceReply> {
  const client = openCatalog(target);
  try {
    return { detail: `: ${(await client.health()).status}`, clockSkewMs: client.clockSkewMs };
  } finally {
    await client.close();
  }
}

export async function catalogContents(target: Target): Promise<ServiceContents> {
  const client = openCatalog(target);
  try {
    await client.health();
    return { holds: { products: numberOf((await client.count()).products_count) ?? 0 } };
  } finally {
    await client.close();
  }
}
