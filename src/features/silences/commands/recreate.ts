import { listCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { shellWord } from '../../../http/as-curl.ts';
import { openAlertmanager } from '../../alerts/api.ts';
import { findSilences } from '../../alerts/ids.ts';
import type { PostableSilence, Silence } from '../../alerts/schema.ts';
import { OUTCOME_LIST } from '../columns.ts';
import { applyChanges } from '../draft.ts';
import { ALL_ALERTS, changeEach, SILENCE_IDS, SilenceWriter } from '../writer.ts';

export const silencesRecreate = listCommand({
  id: 'silences recreate',
  summary: 'Create expired silences again',
  description:
    'With the same matchers, author and comment, from now and for as long as before. A silence that was ended early lasts as long as it did. In JSON, id is the expired silence and silenceID the new one.',
  effect: 'write',
  service: 'alerts',
  args: SILENCE_IDS,
  flags: {
    for: { type: 'duration', short: 'd', positive: true, help: 'How long, from now' },
    ...ALL_ALERTS,
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc silences recreate 2f1a', why: 'As it was' },
    { run: 'svc silences recreate 2f1a --for 30m', why: 'For half an hour' },
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

/** From now: as long as it lasted, or for `lengthMs`. */
function recreated(silence: Silence, now: number, lengthMs: number | undefined): PostableSilence | SvcError {
  const { id, status } = silence;
  if (status.state !== 'expired') {
    return new SvcError('guarded', `silence ${id} is ${status.state}: there is nothing to make again`, {
      hint: `let it end later: svc silences extend ${shellWord(id)} --by 1h`,
    });
  }
  const length = lengthMs ?? Date.parse(silence.endsAt) - Date.parse(silence.startsAt);
  if (length <= 0) {
    return new SvcError('guarded', `silence ${id} was ended before it began, and lasted no time`, {
      hint: 'say how long with --for',
    });
  }
  const times = { startsAt: new Date(now).toISOString(), endsAt: new Date(now + length).toISOString() };
  return { ...applyChanges(silence, times), id: undefined };
}
