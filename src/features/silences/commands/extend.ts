import { listCommand } from '../../../cli/command.ts';
import { OUTCOME_LIST, unchanged } from '../columns.ts';
import { extended } from '../draft.ts';
import { foundSilences, NONE_MATCH, PROMPTED_IDS, TARGET_FLAGS } from '../selection.ts';
import { WAIT, waiting } from '../waiting.ts';
import { ALL_ALERTS, changeEach, expiredError, SilenceWriter } from '../writer.ts';

export const silencesExtend = listCommand({
  id: 'silences extend',
  summary: 'Extend silences',
  description:
    'Each extension is checked like a new silence. If one cannot be extended, svc continues with the others. Without ids, options select active and pending silences that meet all of them.',
  details:
    'In JSON, id is the silence that you named and silenceID the one in force now. The result is extended, at-max (it already lasts as long as --max allows), not-found or error.',
  effect: 'write',
  service: 'alerts',
  clusters: {},
  args: PROMPTED_IDS,
  flags: {
    by: { type: 'duration', positive: true, required: true, help: 'How much to add' },
    max: { type: 'duration', positive: true, help: 'Maximum total duration of each silence' },
    ...ALL_ALERTS,
    ...TARGET_FLAGS,
    ...WAIT,
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc silences extend 2f1a --by 2h', why: 'Add two hours' },
    { run: 'svc silences extend 2f1a 77c0 --by 1h --max 1d', why: 'Add an hour, up to a total of one day' },
    { run: 'svc silences extend --comment CHG-1042 --by 2h', why: 'Extend every silence of one change' },
    {
      run: 'svc silences list --within 1h -q | svc silences extend - --by 1h',
      why: 'Extend the silences that another command prints',
    },
  ],
  output: { ...OUTCOME_LIST, empty: NONE_MATCH },
  run: waiting(async (input, ctx, alertmanager) => {
    const { by, max } = input;
    const writer = new SilenceWriter(alertmanager, ctx, input);
    const found = await foundSilences(input, alertmanager, ctx);
    return changeEach(
      found,
      'extended',
      (silence) => {
        const over = expiredError(silence);
        if (over !== undefined) return over;
        const draft = extended(silence, by, max);
        return draft === undefined
          ? unchanged('at-max', silence, 'it already lasts as long as --max allows')
          : writer.checkUpdate(silence, draft);
      },
      writer,
    );
  }),
});
