import { type RunContext, recordCommand } from '../../../cli/command.ts';
import { poll } from '../../../cli/poll.ts';
import { formatDuration } from '../../../cli/time.ts';
import { SvcError } from '../../../errors.ts';
import { type Alertmanager, openAlertmanager } from '../api.ts';
import type { Status } from '../schema.ts';

const isSettling = ({ cluster }: Status): boolean => cluster.status === 'settling';

export const alertsStatus = recordCommand({
  id: 'alerts status',
  suggestFor: ['cluster'],
  summary: 'Show the version, start time and cluster of Alertmanager',
  effect: 'read',
  service: 'alerts',
  streams: ({ waitReady }) => waitReady !== undefined,
  flags: {
    config: { type: 'boolean', help: "Print the server's configuration file instead" },
    'wait-ready': { type: 'duration', help: 'How long to wait until the cluster is ready; exit 9 on timeout' },
  },
  exits: ['still_pending'],
  examples: [
    { run: 'svc alerts status', why: 'Show the version and the peers' },
    { run: 'svc alerts status --wait-ready 1m', why: 'After a restart: wait until it is ready' },
    { run: 'svc alerts status --config > alertmanager.yml', why: 'Save the running configuration' },
  ],
  output: {
    kind: 'record',
    columns: [
      { name: 'version', cell: ({ versionInfo }: Status) => versionInfo.version },
      // doc 1 calls it uptime; it is the time the server started
      { name: 'started', cell: ({ uptime }) => ({ time: uptime }) },
      {
        name: 'cluster',
        cell: (status) => ({ text: status.cluster.status, tone: isSettling(status) ? 'warn' : 'good' }),
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
  async run({ config, waitReady }, ctx) {
    const alertmanager = openAlertmanager(ctx.target);
    const status = waitReady === undefined ? await alertmanager.status() : await settled(alertmanager, waitReady, ctx);
    const code = waitReady !== undefined && isSettling(status) ? 'still_pending' : undefined;
    return config ? { value: status.config.original, as: { kind: 'text' }, code } : { value: status, code };
  },
});

const POLL_INTERVAL_MS = 1000;

/** The first status of a cluster that is not settling, or the last one. */
async function settled(alertmanager: Pick<Alertmanager, 'status'>, waitMs: number, ctx: RunContext): Promise<Status> {
  let latest: Status | undefined;
  const responses = poll(() => alertmanager.status(), { intervalMs: POLL_INTERVAL_MS, waitMs }, ctx);
  try {
    for await (const { value, outage } of responses) {
      await ctx.reportOutage(outage);
      latest = value ?? latest;
      if (value !== undefined && !isSettling(value)) return value;
    }
  } catch (error) {
    if (!(error instanceof SvcError) || !error.retryable) throw error;
    throw new SvcError('still_pending', `not ready after ${formatDuration(waitMs)}: ${error.message}`, {
      hint: error.hint,
      httpStatus: error.httpStatus,
    });
  }
  if (latest === undefined) throw new SvcError('internal', 'the wait ended without a response or an error');
  return latest;
}
