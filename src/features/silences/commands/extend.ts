import { listCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { shellWord } from '../../../http/as-curl.ts';
import type { FoundSilence } from '../../alerts/ids.ts';
import type { Silence } from '../../alerts/schema.ts';
import { OUTCOME_LIST, SILENCE_IDS } from '../columns.ts';
import type { CheckedSilence } from '../silencing.ts';
import { ALL_ALERTS, silenceGuard } from '../silencing-flags.ts';

export const silencesExtend = listCommand({
  id: 'silences extend',
  summary: 'Extend silences',
  description:
    'Each is tried whatever happens to the others, and checked like a new silence. In JSON, id is the silence that was named, silenceID the one in force now, and result extended, at-max (it lasts as long as --max allows), not-found or error.',
  effect: 'write',
  service: 'alerts',
  args: SILENCE_IDS,
  flags: {
    by: { type: 'duration', positive: true, required: true, help: 'How much later than they would end now' },
    max: { type: 'duration', positive: true, help: 'How long each may last in all, from its start' },
    ...ALL_ALERTS,
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc silences extend 2f1a --by 2h', why: 'Two hours more' },
    { run: 'svc silences extend 2f1a 77c0 --by 1h --max 1d', why: 'An hour more, but no longer than a day in all' },
  ],
  output: OUTCOME_LIST,
  async run({ id, by, max, allAlerts }, ctx) {
    const { openAlertmanager } = await import('../../alerts/api.ts');
    const { findSilences } = await import('../../alerts/ids.ts');
    const { askAbout, checkUpdate, postSilence } = await import('../silencing.ts');
    const outcomes = await import('../silence-outcome.ts');
    const { bulk, bulkAnswer } = await import('../../../cli/bulk.ts');
    const alertmanager = openAlertmanager(ctx.target);
    const guard = silenceGuard(ctx, allAlerts);
    const found = await findSilences(alertmanager, id);
    // What has to be refused or asked is so before the first is sent. An expired one fails alone.
    const items: { found: FoundSilence; checked?: CheckedSilence | undefined }[] = [];
    for (const one of found) {
      const current = one.silence?.status.state === 'expired' ? undefined : one.silence;
      const draft = current && outcomes.extended(current, { by, max });
      items.push({ found: one, checked: draft && (await checkUpdate(current, draft, alertmanager, guard)) });
    }
    await askAbout(
      items.flatMap(({ checked }) => checked ?? []),
      alertmanager,
      guard,
    );
    const done = await bulk(items, 4, async ({ found: { silence, error }, checked }) => {
      if (silence === undefined) throw error;
      if (silence.status.state === 'expired') throw expired(silence);
      if (checked === undefined) return outcomes.unsentOutcome('at-max', silence, 'it lasts as long as --max allows');
      return outcomes.postedOutcome('extended', silence, await postSilence(checked, alertmanager, guard));
    });
    return bulkAnswer(done, ({ found: { typed } }, failure) => outcomes.failedOutcome(typed, failure));
  },
});

function expired({ id }: Silence): SvcError {
  return new SvcError('guarded', `silence ${id} is expired`, {
    hint: `make it again: svc silences recreate ${shellWord(id)}`,
  });
}
