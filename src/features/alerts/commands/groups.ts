import { listCommand } from '../../../cli/command.ts';
import { timeCell } from '../../../output/cells.ts';
import type { ListOutput } from '../../../output/types.ts';
import { openAlertmanager } from '../api.ts';
import { labelCells } from '../columns.ts';
import { warnOfNames } from '../known-names.ts';
import type { Alert, AlertGroup } from '../schema.ts';
import {
  alertFilter,
  alertQuery,
  collect,
  ifNone,
  inServerOrder,
  isActive,
  keepsAlert,
  noneText,
  SELECTION_FLAGS,
  severitiesOf,
  wantedStates,
  worstGroupsFirst,
} from '../selection.ts';

function oldest({ alerts }: AlertGroup): string | undefined {
  return alerts.map(({ startsAt }) => startsAt).sort((a, b) => Date.parse(a) - Date.parse(b))[0];
}

const GROUP_LIST: ListOutput<AlertGroup> = {
  kind: 'list',
  columns: [
    { name: 'receiver', cell: ({ receiver }) => receiver.name },
    { name: 'group', cell: ({ labels }) => labelCells(labels), shrinks: true, below: true },
    { name: 'active', cell: ({ alerts }) => alerts.filter(isActive).length, align: 'right' },
    { name: 'suppressed', cell: ({ alerts }) => alerts.filter((alert) => !isActive(alert)).length, align: 'right' },
    { name: 'oldest', cell: (group) => timeCell(oldest(group)) },
    {
      name: 'alertnames',
      cell: ({ alerts }) => [...new Set(alerts.map(({ labels }) => labels['alertname'] ?? ''))],
      wide: true,
    },
    {
      name: 'muted-by',
      cell: ({ alerts }) => [...new Set(alerts.flatMap(({ status }) => status.mutedBy ?? []))],
      wide: true,
    },
    { name: 'fingerprints', cell: ({ alerts }) => alerts.map(({ fingerprint }) => fingerprint), wide: true },
  ],
  id: ({ receiver, labels }) => [receiver.name, ...labelCells(labels)].join(' '),
};

export const alertsGroups = listCommand({
  id: 'alerts groups',
  summary: 'List alerts as the server groups them for receivers',
  description:
    'An alert appears in every group whose route matches it. Groups are sorted by their worst alert; see svc help output.',
  effect: 'read',
  service: 'alerts',
  clusters: { merge: (rows: readonly AlertGroup[], settings) => worstGroupsFirst(rows, severitiesOf(settings)) },
  args: { matcher: { help: 'Only alerts that match all of these', repeat: true } },
  flags: { ...SELECTION_FLAGS, limit: { type: 'integer', min: 0, help: 'Maximum number of groups' } },
  examples: [
    { run: 'svc alerts groups', why: 'List groups with active alerts' },
    {
      run: 'svc alerts groups -a --receiver "team-.*" severity=critical',
      why: 'Groups of some receivers, in every state',
    },
  ],
  output: GROUP_LIST,
  async run(input, ctx) {
    const wanted = wantedStates(input);
    const given = alertFilter(input, ctx);
    const alertmanager = openAlertmanager(ctx.target);
    const groups = alertmanager.groups({ ...alertQuery(wanted), ...given.filter });
    const selected = withAlerts(groups, (alert) => keepsAlert(alert, wanted));
    const found = ifNone(selected, () => warnOfNames(given, alertmanager, ctx));
    if (inServerOrder(ctx.wants, input)) return { value: found };
    const value = worstGroupsFirst(await collect(found), severitiesOf(ctx.settings));
    return { value, as: { ...GROUP_LIST, empty: noneText(wanted, 'groups with alerts') } };
  },
});

async function* withAlerts(
  groups: AsyncIterable<AlertGroup>,
  keeps: (alert: Alert) => boolean,
): AsyncGenerator<AlertGroup> {
  for await (const group of groups) {
    const alerts = group.alerts.filter(keeps);
    if (alerts.length > 0) yield { ...group, alerts };
  }
}
