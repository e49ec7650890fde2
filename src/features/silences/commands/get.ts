import { recordCommand } from '../../../cli/command.ts';
import type { RecordOutput } from '../../../output/types.ts';
import { openAlertmanager } from '../../alerts/api.ts';
import { findSilence } from '../../alerts/ids.ts';
import type { Silence } from '../../alerts/schema.ts';
import { SILENCE_COLUMNS, silenceCandidates } from '../columns.ts';

/** One silence, with the fields of newer servers below those that every server has. */
const SILENCE_RECORD: RecordOutput<Silence> = {
  kind: 'record',
  columns: [
    { name: 'id', cell: ({ id }) => id },
    ...SILENCE_COLUMNS.filter(({ name }) => name !== 'id' && name !== 'silence'),
  ],
  id: ({ id }) => id,
};

export const silencesGet = recordCommand({
  id: 'silences get',
  aliases: ['show'],
  summary: 'Show one silence',
  effect: 'read',
  service: 'alerts',
  args: {
    id: { help: 'Its id, or enough of the beginning to tell it from others', required: true, complete: 'silences' },
  },
  examples: [{ run: 'svc silences get 2f1a', why: 'By the beginning of its id' }],
  output: SILENCE_RECORD,
  offers: silenceCandidates,
  async run({ id }, ctx) {
    return { value: await findSilence(openAlertmanager(ctx.target), id) };
  },
});
