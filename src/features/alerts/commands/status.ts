import { type RunContext, recordCommand } from '../../../cli/command.ts';
import { timeCell } from '../../../output/cells.ts';
import type { RecordOutput } from '../../../output/types.ts';
import { openAlertmanager, originalConfig } from '../api.ts';
import { gossipFaults, memberAnswer, membersOf, onMembers } from '../on-members.ts';
import type { Status } from '../schema.ts';

const isSettling = ({ cluster }: Status): boolean => cluster?.status === 'settling';

const STATUS: RecordOutput<Status> = {
  kind: 'record',
  columns: [
    { name: 'version', cell: ({ versionInfo }) => versionInfo?.version },
    // doc 1 calls it uptime; it is the time the server started
    { name: 'started', cell: ({ uptime }) => timeCell(uptime) },
    {
      name: 'cluster',
      cell: (status) => ({ text: status.cluster?.status ?? '', tone: isSettling(status) ? 'warn' : 'good' }),
    },
    { name: 'name', cell: ({ cluster }) => cluster?.name },
    {
      name: 'peers',
      cell: ({ cluster }) => cluster?.peers?.map(({ name, address }) => [name, address].filter(Boolean).join(' ')),
    },
    { name: 'revision', cell: ({ versionInfo }) => versionInfo?.revision },
    { name: 'branch', cell: ({ versionInfo }) => versionInfo?.branch },
    { name: 'built', cell: ({ versionInfo }) => versionInfo?.buildDate },
    { name: 'built-by', cell: ({ versionInfo }) => versionInfo?.buildUser },
    { name: 'go', cell: ({ versionInfo }) => versionInfo?.goVersion },
  ],
  id: ({ versionInfo }) => versionInfo?.version ?? undefined,
};

export const alertsStatus = recordCommand({
  id: 'alerts status',
  suggestFor: ['cluster'],
  summary: 'Show the version, start time and cluster of Alertmanager',
  description:
    'With alerts.urls, shows each member of the HA cluster, and warns about members that do not know each other.',
  effect: 'read',
  service: 'alerts',
  flags: {
    config: { type: 'boolean', help: "Print the server's configuration file instead" },
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc alerts status', why: 'Show the version and the peers' },
    { run: 'svc alerts status --config > alertmanager.yml', why: 'Save the running configuration' },
  ],
  output: STATUS,
  async run({ config }, ctx) {
    if (!config && ctx.target.others?.length) return statusOfMembers(ctx);
    const status = await openAlertmanager(ctx.target).status();
    return config ? { value: originalConfig(status), as: { kind: 'text' } } : { value: status };
  },
});

async function statusOfMembers(ctx: RunContext) {
  const outcomes = await onMembers(membersOf(ctx.target), (member) => openAlertmanager(member).status());
  const found = outcomes.flatMap((one) =>
    one.error === undefined ? [{ host: one.item.host, status: one.result }] : [],
  );
  for (const fault of gossipFaults(found)) ctx.warn(fault);
  const { columns, id } = STATUS;
  return memberAnswer(outcomes, (status) => [status], { kind: 'list', columns, id }, ctx);
}
