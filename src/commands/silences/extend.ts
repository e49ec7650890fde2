import { listCommand } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { silenceGuard } from '../../inputs/silencing.ts';
import type { Silence } from '../../services/alertmanager/schema.ts';
import { OUTCOME_LIST } from '../../views/silences.ts';

export const silencesExtend = listCommand({
  id: 'silences extend',
  summary: 'Let silences end later',
  description:
    'Each is tried whatever happens to the others. In JSON, id is the silence that was named, silenceID the one in force now, and result extended, at-max (it lasts as long as --max allows), not-found or error.',
  effect: 'write',
  service: 'alerts',
  args: {
    id: {
      help: 'Ids, or enough of the beginning to tell each from others',
      repeat: true,
      required: true,
      complete: 'silences',
    },
  },
  flags: {
    by: { type: 'duration', positive: true, required: true, help: 'How much later than they would end now' },
    max: { type: 'duration', positive: true, help: 'How long each may last in all, from its start' },
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc silences extend 2f1a --by 2h', why: 'Two hours more' },
    { run: 'svc silences extend 2f1a 77c0 --by 1h --max 1d', why: 'An hour more, but no longer than a day in all' },
  ],
  output: OUTCOME_LIST,
  async run({ id, by, max }, ctx) {
    const { openAlertmanager } = await import('../../services/alertmanager/client.ts');
    const { findSilences } = await import('../../services/alertmanager/silence.ts');
    const { approveUpdate, postSilence } = await import('../../services/alertmanager/silencing.ts');
    const outcomes = await import('../../services/alertmanager/silence-outcome.ts');
    const { bulk, bulkAnswer } = await import('../../cli/bulk.ts');
    const alertmanager = openAlertmanager(ctx.target);
    const guard = silenceGuard(ctx, false);
    const found = await findSilences(alertmanager, id);
    const items = found.map(({ typed, silence, error }) => {
      return { typed, silence, error, draft: silence && outcomes.extended(silence, { by, max }) };
    });
    // What has to be asked is asked before the first is sent. An expired one fails alone.
    for (const { silence, draft } of items) {
      if (silence === undefined || draft === undefined || silence.status.state === 'expired') continue;
      await approveUpdate(silence, draft, alertmanager, guard);
    }
    const done = await bulk(items, 4, async ({ silence, error, draft }) => {
      if (silence === undefined) throw error;
      if (silence.status.state === 'expired') throw expired(silence);
      if (draft === undefined) return outcomes.atMaxOutcome(silence);
      return outcomes.doneOutcome('extended', silence, await postSilence(draft, undefined, alertmanager, guard));
    });
    return bulkAnswer(done, ({ typed }, failure) => outcomes.failedOutcome(typed, failure));
  },
});

function expired({ id }: Silence): SvcError {
  return new SvcError('guarded', `silence ${id} is expired`, { hint: `make it again: svc silences recreate ${id}` });
}
