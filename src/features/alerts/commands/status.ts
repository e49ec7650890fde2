import { type RunContext, recordCommand } from '../../../cli/command.ts';
import { poll } from '../../../cli/poll.ts';
import { formatDuration } from '../../../duration.ts';
import { SvcError } from '../../../errors.ts';
import { timeCell } from '../../../output/cells.ts';
import type { RecordOutput } from '../../../output/types.ts';
import { type Alertmanager, openAlertmanager, originalConfig } from '../api.ts';
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
  streams: ({ waitReady }) => waitReady !== undefined,
  flags: {
    config: { type: 'boolean', help: "Print the server's configuration file instead" },
    'wait-ready': { type: 'duration', help: 'How long to wait until the cluster is ready; exit 9 on timeout' },
  },
  exits: ['still_pending', 'partly_done'],
  examples: [
    { run: 'svc alerts status', why: 'Show the version and the peers' },
    { run: 'svc alerts status --wait-ready 1m', why: 'After a restart: wait until it is ready' },
    { run: 'svc alerts status --config > alertmanager.yml', why: 'Save the running configuration' },
  ],
  output: STATUS,
  async run({ config, waitReady }, ctx) {
    const read = (alertmanager: Alertmanager) =>
      waitReady === undefined ? alertmanager.status() : settled(alertmanager, waitReady, ctx);
    if (!config && ctx.target.others?.length) return statusOfMembers(read, ctx);
    const status = await read(openAlertmanager(ctx.target));
    const code = waitReady !== undefined && isSettling(status) ? 'still_pending' : undefined;
    return config ? { value: originalConfig(status), as: { kind: 'text' }, code } : { value: status, code };
  },
});

async function statusOfMembers(read: (alertmanager: Alertmanager) => Promise<Status>, ctx: RunContext) {
  const { gossipFaults, memberAnswer, membersOf, onMembers } = await import('../on-members.ts');
  const outcomes = await onMembers(membersOf(ctx.target), (member) => read(openAlertmanager(member)));
  const found = outcomes.flatMap((one) =>
    one.error === undefined ? [{ host: one.item.host, status: one.result }] : [],
  );
  for (const fault of gossipFaults(found)) ctx.warn(fault);
  const { columns, id } = STATUS;
  const answer = memberAnswer(outcomes, (status) => [status], { kind: 'list', columns, id }, ctx);
  const isPending = outcomes.some(({ error }) => error?.code === 'still_pending');
  return isPending ? { ...answer, code: 'still_pending' as const } : answer;
}

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
