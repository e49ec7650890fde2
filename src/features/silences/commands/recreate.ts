import { listCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { shellWord } from '../../../output/escape.ts';
import { openAlertmanager } from '../../alerts/api.ts';
import { findSilences } from '../../alerts/ids.ts';
import type { PostableSilence, Silence } from '../../alerts/schema.ts';
import { OUTCOME_LIST } from '../columns.ts';
import { applyChanges } from '../draft.ts';
import { ALL_ALERTS, changeEach, SilenceWriter } from '../writer.ts';

export const silencesRecreate = listCommand({
  id: 'silences recreate',
  summary: 'Create expired silences again',
  description: 'The new silence starts now and has the same matchers, author, comment and duration.',
  details: 'In JSON, id is the expired silence and silenceID the new one.',
  effect: 'write',
  service: 'alerts',
  args: { id: { help: 'Ids, or their unambiguous beginnings', repeat: true, required: true, complete: 'silences' } },
  flags: {
    for: { type: 'duration', short: 'd', positive: true, help: 'How long it lasts (default: as long as before)' },
    ...ALL_ALERTS,
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc silences recreate 2f1a', why: 'Create it again for as long as before' },
    { run: 'svc silences recreate 2f1a --for 30m', why: 'Create it again for half an hour' },
  ],
  output: OUTCOME_LIST,
  async run(input, ctx) {
    const alertmanager = openAlertmanager(ctx.target);
    const writer = new SilenceWriter(alertmanager, ctx, input);
    const found = await findSilences(alertmanager, input.id);
    const now = ctx.now();
    return changeEach(
      found,
      'recreated',
      (silence) => {
        const draft = recreated(silence, now, input.for);
        return draft instanceof SvcError ? draft : writer.check(draft);
      },
      writer,
    );
  },
});

function recreated(silence: Silence, now: number, lengthMs: number | undefined): PostableSilence | SvcError {
  const { id, status } = silence;
  if (status.state !== 'expired') {
    return new SvcError('guarded', `silence ${id} is ${status.state}, not expired`, {
      hint: `to extend it: svc silences extend ${shellWord(id)} --by 1h`,
    });
  }
  const length = lengthMs ?? Date.parse(silence.endsAt) - Date.parse(silence.startsAt);
  if (length <= 0) return new SvcError('guarded', `silence ${id} was expired before it began`, { hint: 'pass --for' });
  const times = { startsAt: new Date(now).toISOString(), endsAt: new Date(now + length).toISOString() };
  return { ...applyChanges(silence, times), id: undefined };
}
