import { recordCommand } from '../../../cli/command.ts';
import type { RecordOutput } from '../../../output/types.ts';
import { alertCandidates } from '../candidates.ts';
import { labelCells, severityCell, stateCell, timeCell } from '../columns.ts';
import type { Alert, Silence } from '../schema.ts';
import type { SuppressedAlert } from '../suppression.ts';

const ALERT_RECORD: RecordOutput<SuppressedAlert> = {
  kind: 'record',
  columns: [
    { name: 'fingerprint', cell: ({ fingerprint }) => fingerprint },
    { name: 'state', cell: stateCell },
    { name: 'severity', cell: severityCell },
    { name: 'labels', cell: ({ labels }) => labelCells(labels) },
    { name: 'annotations', cell: ({ annotations }) => labelCells(annotations ?? {}) },
    { name: 'receivers', cell: ({ receivers }) => receivers.map(({ name }) => name) },
    { name: 'silenced-by', cell: ({ status, silences }) => status.silencedBy.map((id) => silenceText(id, silences)) },
    {
      name: 'inhibited-by',
      cell: ({ status, inhibitors }) => status.inhibitedBy.map((id) => alertText(id, inhibitors)),
    },
    {
      name: 'muted-by',
      cell: ({ mutedGroups }) => mutedGroups.map(({ receiver, mutedBy }) => `${mutedBy.join(', ')} (${receiver})`),
    },
    { name: 'since', cell: ({ startsAt }) => ({ time: startsAt }) },
    { name: 'updated', cell: ({ updatedAt }) => timeCell(updatedAt) },
    { name: 'ends', cell: ({ endsAt }) => timeCell(endsAt) },
    { name: 'generator', cell: ({ generatorURL }) => generatorURL },
  ],
  id: ({ fingerprint }) => fingerprint,
};

function silenceText(id: string, silences: readonly Silence[]): string {
  const silence = silences.find((known) => known.id === id);
  return silence === undefined ? id : `${id} until ${silence.endsAt} by ${silence.createdBy}: ${silence.comment}`;
}

function alertText(fingerprint: string, alerts: readonly Alert[]): string {
  const alert = alerts.find((known) => known.fingerprint === fingerprint);
  if (alert === undefined) return fingerprint;
  const { alertname, ...others } = alert.labels;
  return [fingerprint, alertname, ...labelCells(others)].filter((text) => text !== undefined).join(' ');
}

export const alertsGet = recordCommand({
  id: 'alerts get',
  aliases: ['show'],
  summary: 'Show one alert and what suppresses it: silences, alerts, time intervals',
  description:
    'An alert is muted if a time interval mutes it for each of its receivers (Alertmanager 0.28 or newer).\nIn JSON the alert has three more fields: silences and inhibitors (the silences and alerts that its status names, as the service has them) and mutedGroups (the receiver and mutedBy of each group that a time interval mutes).',
  effect: 'read',
  service: 'alerts',
  args: {
    fingerprint: {
      help: 'Its fingerprint, or enough of the beginning to tell it from others',
      required: true,
      complete: 'fingerprints',
    },
  },
  examples: [{ run: 'svc alerts get 1a58c20e', why: 'By the beginning of its fingerprint' }],
  output: ALERT_RECORD,
  offers: alertCandidates,
  async run({ fingerprint }, ctx) {
    const { openAlertmanager } = await import('../client.ts');
    const { findAlert } = await import('../fingerprint.ts');
    const { withSuppressors } = await import('../suppression.ts');
    const alertmanager = openAlertmanager(ctx.target);
    return { value: await withSuppressors(await findAlert(alertmanager, fingerprint), alertmanager) };
  },
});
