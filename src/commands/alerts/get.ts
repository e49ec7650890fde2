import { recordCommand } from '../../cli/command.ts';
import type { RecordOutput } from '../../output/types.ts';
import type { Alert } from '../../services/alertmanager/schema.ts';
import { labelCells, severityCell, stateCell } from './list.ts';

const ALERT_RECORD: RecordOutput<Alert> = {
  kind: 'record',
  columns: [
    { name: 'fingerprint', cell: ({ fingerprint }) => fingerprint },
    { name: 'state', cell: stateCell },
    { name: 'severity', cell: severityCell },
    { name: 'labels', cell: ({ labels }) => labelCells(labels) },
    { name: 'annotations', cell: ({ annotations }) => labelCells(annotations ?? {}) },
    { name: 'receivers', cell: ({ receivers }) => receivers.map(({ name }) => name) },
    { name: 'silenced-by', cell: ({ status }) => status.silencedBy },
    { name: 'inhibited-by', cell: ({ status }) => status.inhibitedBy },
    { name: 'since', cell: ({ startsAt }) => ({ time: startsAt }) },
    { name: 'updated', cell: ({ updatedAt }) => ({ time: updatedAt }) },
    { name: 'ends', cell: ({ endsAt }) => ({ time: endsAt }) },
    { name: 'generator', cell: ({ generatorURL }) => generatorURL },
  ],
  id: ({ fingerprint }) => fingerprint,
};

export const alertsGet = recordCommand({
  id: 'alerts get',
  aliases: ['show'],
  summary: 'Show one alert',
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
  async run({ fingerprint }, ctx) {
    const { openAlertmanager } = await import('../../services/alertmanager/client.ts');
    const { findAlert } = await import('../../services/alertmanager/fingerprint.ts');
    return { value: await findAlert(openAlertmanager(ctx.target), fingerprint) };
  },
});
