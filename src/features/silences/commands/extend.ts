import { listCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { shellWord } from '../../../http/as-curl.ts';
import { openAlertmanager } from '../../alerts/api.ts';
import { findSilences } from '../../alerts/ids.ts';
import { OUTCOME_LIST, unchanged } from '../columns.ts';
import { extended } from '../draft.ts';
import { ALL_ALERTS, changeEach, SILENCE_IDS, SilenceWriter } from '../writer.ts';

export const silencesExtend = listCommand({
  id: 'silences extend',
  summary: 'Extend silences',
  description:
    'Each extension is checked like a new silence. If one cannot be extended, svc continues with the others.',
  details:
    'In JSON, id is the silence that you named and silenceID the one in force now. The result is extended, at-max (it already lasts as long as --max allows), not-found or error.',
  effect: 'write',
  service: 'alerts',
  args: SILENCE_IDS,
  flags: {
    by: { type: 'duration', positive: true, required: true, help: 'How much to add' },
    max: { type: 'duration', positive: true, help: 'Maximum total duration of each silence' },
    ...ALL_ALERTS,
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc silences extend 2f1a --by 2h', why: 'Add two hours' },
    { run: 'svc silences extend 2f1a 77c0 --by 1h --max 1d', why: 'Add an hour, up to a total of one day' },
  ],
  output: OUTCOME_LIST,
  async run({ id, by, max, allAlerts }, ctx) {
    const alertmanager = openAlertmanager(ctx.target);
    const writer = new SilenceWriter(alertmanager, ctx, { allAlerts });
    const found = await findSilences(alertmanager, id);
    return changeEach(
      found,
      'extended',
      (silence) => {
        if (silence.status.state === 'expired') {
          return new SvcError('guarded', `silence ${silence.id} has expired`, {
            hint: `create it again: svc silences recreate ${shellWord(silence.id)}`,
          });
        }
        const draft = extended(silence, by, max);
        return draft === undefined
          ? unchanged('at-max', silence, 'it already lasts as long as --max allows')
          : writer.checkUpdate(silence, draft);
      },
      writer,
    );
  },
});
