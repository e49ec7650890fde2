import { recordCommand } from '../../../cli/command.ts';
import { timeCell } from '../../../output/cells.ts';
import type { RecordOutput } from '../../../output/types.ts';
import { openAlertmanager } from '../../alerts/api.ts';
import { findSilence } from '../../alerts/ids.ts';
import type { Silence } from '../../alerts/schema.ts';
import { SILENCE_COLUMNS } from '../columns.ts';

const SILENCE_RECORD: RecordOutput<Silence> = {
  kind: 'record',
  columns: [
    { name: 'id', cell: ({ id }) => id },
    ...SILENCE_COLUMNS.slice(1, 3),
    { name: 'starts', cell: ({ startsAt }) => ({ time: startsAt }) },
    ...SILENCE_COLUMNS.slice(3, 6),
    { name: 'updated', cell: ({ updatedAt }) => timeCell(updatedAt) },
  ],
  id: ({ id }) => id,
};

export const silencesGet = recordCommand({
  id: 'silences get',
  summary: 'Show one silence',
  effect: 'read',
  service: 'alerts',
  args: { id: { help: 'The id, or its unambiguous beginning', required: true, complete: 'silences' } },
  examples: [{ run: 'svc silences get 2f1a', why: 'Show a silence by the beginning of its id' }],
  output: SILENCE_RECORD,
  async run({ id }, ctx) {
    return { value: await findSilence(openAlertmanager(ctx.target), id) };
  },
});
