import { recordCommand } from '../../cli/command.ts';
import type { Status } from '../../services/alertmanager/schema.ts';

export const alertsStatus = recordCommand({
  id: 'alerts status',
  summary: 'Show the version, uptime and cluster of the alert manager',
  effect: 'read',
  service: 'alerts',
  flags: { config: { type: 'boolean', help: "Print the server's configuration file instead" } },
  examples: [
    { run: 'svc alerts status', why: 'Is it up, since when, and whom does it know' },
    { run: 'svc alerts status --config > alertmanager.yml', why: 'The configuration it runs with' },
  ],
  output: {
    kind: 'record',
    columns: [
      { name: 'version', cell: ({ versionInfo }: Status) => versionInfo.version },
      // doc 1 calls it uptime; it is the time the server started
      { name: 'started', cell: ({ uptime }) => ({ time: uptime }) },
      {
        name: 'cluster',
        cell: ({ cluster }) => ({ text: cluster.status, tone: cluster.status === 'settling' ? 'warn' : 'good' }),
      },
      { name: 'name', cell: ({ cluster }) => cluster.name },
      { name: 'peers', cell: ({ cluster }) => cluster.peers?.map(({ name, address }) => `${name} ${address}`) },
      { name: 'revision', cell: ({ versionInfo }) => versionInfo.revision },
      { name: 'branch', cell: ({ versionInfo }) => versionInfo.branch },
      { name: 'built', cell: ({ versionInfo }) => versionInfo.buildDate },
      { name: 'built-by', cell: ({ versionInfo }) => versionInfo.buildUser },
      { name: 'go', cell: ({ versionInfo }) => versionInfo.goVersion },
    ],
    id: ({ versionInfo }) => versionInfo.version,
  },
  async run({ config }, ctx) {
    const { openAlertmanager } = await import('../../services/alertmanager/client.ts');
    const status = await openAlertmanager(ctx.target).status();
    return config ? { value: status.config.original, as: { kind: 'text' } } : { value: status };
  },
});
