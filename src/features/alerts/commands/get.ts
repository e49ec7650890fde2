import { openPage } from '../../../cli/browser.ts';
import { recordCommand } from '../../../cli/command.ts';
import { timeCell } from '../../../output/cells.ts';
import type { RecordOutput } from '../../../output/types.ts';
import { openAlertmanager } from '../api.ts';
import { alertTitle, labelCells, runbookOf, severityCell, stateCell } from '../columns.ts';
import { findAlert } from '../ids.ts';
import type { Alert, Silence } from '../schema.ts';
import { type SuppressedAlert, withSuppressors } from '../suppressors.ts';

const ALERT_RECORD: RecordOutput<SuppressedAlert> = {
  kind: 'record',
  columns: [
    { name: 'fingerprint', cell: ({ fingerprint }) => fingerprint },
    { name: 'state', cell: stateCell },
    { name: 'severity', cell: severityCell },
    { name: 'labels', cell: ({ labels }) => labelCells(labels) },
    { name: 'annotations', cell: ({ annotations }) => labelCells(annotations) },
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
  return alert === undefined ? fingerprint : `${fingerprint} ${alertTitle(alert)}`;
}

export const alertsGet = recordCommand({
  id: 'alerts get',
  summary: 'Show one alert and what suppresses it',
  description:
    'Shows the silences, alerts and time intervals that suppress the alert. It is muted if a time interval mutes it for each of its receivers (Alertmanager 0.28 or newer).',
  details:
    'The JSON has three additional fields: silences and inhibitors (the silences and alerts that the status names) and mutedGroups (the receiver and mutedBy of each muted group).',
  effect: 'read',
  service: 'alerts',
  args: {
    fingerprint: { help: 'The fingerprint, or an unambiguous prefix of it', required: true, complete: 'fingerprints' },
  },
  flags: {
    web: {
      type: 'optional-value',
      choices: ['generator', 'runbook'],
      group: 'Browser options',
      help: 'Open the page of its rule (default) or runbook in a browser',
    },
  },
  examples: [
    { run: 'svc alerts get 1a58c20e', why: 'Show an alert by a prefix of its fingerprint' },
    { run: 'svc alerts get 1a58c20e --web=runbook', why: 'Open its runbook in a browser' },
  ],
  output: ALERT_RECORD,
  outputOf: ({ web }) => (web === undefined ? ALERT_RECORD : { kind: 'text' }),
  async run({ fingerprint, web }, ctx) {
    const alertmanager = openAlertmanager(ctx.target);
    const alert = await findAlert(alertmanager, fingerprint);
    const of = `alert ${alert.fingerprint}`;
    if (web === 'runbook') return openPage(runbookOf(alert), { page: 'runbook', of }, ctx);
    if (web !== undefined) return openPage(alert.generatorURL, { page: 'generator', of }, ctx);
    return { value: await withSuppressors(alert, alertmanager) };
  },
});
