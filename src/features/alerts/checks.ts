/** What svc doctor checks of the alerts service. */
import { fail, ok, type Result, type ServiceReply } from '../../cli/findings.ts';
import type { Target } from '../../http/target.ts';
import { ifPossible, openAlertmanager } from './api.ts';
import { gossipFaults, membersOf } from './on-members.ts';

const PEER_FIX = 'start each with --cluster.peer for another one, and open its port (9094) for TCP and UDP';

export async function checkAlerts(target: Target): Promise<ServiceReply> {
  const client = openAlertmanager(target);
  try {
    const version = (await client.status()).versionInfo?.version;
    return {
      detail: `: ${version ? `version ${version}` : 'it does not say its version'}`,
      clockSkewMs: client.clockSkewMs,
    };
  } finally {
    await client.close();
  }
}

/** Whether the members of the cluster that respond know each other. */
export async function checkMembers(target: Target): Promise<readonly Result[]> {
  const read = membersOf(target).map(async (member) => {
    const client = openAlertmanager(member);
    const status = await ifPossible(() => client.status()).finally(() => client.close());
    return status === undefined ? [] : [{ host: member.host, status }];
  });
  const found = (await Promise.all(read)).flat();
  const faults = gossipFaults(found);
  if (faults.length > 0) return faults.map((fault) => fail(fault, PEER_FIX));
  return found.length < 2 ? [] : [ok(`${found.length} members are peers of each other`)];
}
