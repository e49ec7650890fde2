import { listCommand } from '../../../cli/command.ts';
import type { FoundSilence } from '../../alerts/ids.ts';
import { OUTCOME_LIST, SILENCE_IDS } from '../columns.ts';
import type { CheckedSilence } from '../silencing.ts';
import { ALL_ALERTS, silenceGuard } from '../silencing-flags.ts';

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
    const { openAlertmanager } = await import('../../alerts/api.ts');
    const { findSilences } = await import('../../alerts/ids.ts');
    const { recreated } = await import('../draft.ts');
    const { askAbout, checkSilence, postSilence } = await import('../silencing.ts');
    const outcomes = await import('../silence-outcome.ts');
    const { bulk, bulkAnswer } = await import('../../../cli/bulk.ts');
    const alertmanager = openAlertmanager(ctx.target);
    const guard = silenceGuard(ctx, input.allAlerts);
    const found = await findSilences(alertmanager, input.id);
    const now = ctx.now();
    // What has to be asked or refused for all of them is so before the first is sent.
    const items: { found: FoundSilence; checked?: CheckedSilence | undefined }[] = [];
    for (const one of found) {
      const again = one.silence?.status.state === 'expired' ? recreated(one.silence, now, input.for) : undefined;
      items.push({ found: one, checked: again && (await checkSilence(again, alertmanager, guard)) });
    }
    await askAbout(
      items.flatMap(({ checked }) => checked ?? []),
      alertmanager,
      guard,
    );
    const done = await bulk(items, 4, async ({ found: { silence, error }, checked }) => {
      if (silence === undefined) throw error;
      const draft = recreated(silence, now, input.for);
      const posted = await postSilence(checked ?? { draft, impact: undefined }, alertmanager, guard);
      return outcomes.postedOutcome('recreated', silence, posted);
    });
    return bulkAnswer(done, (item, failure) => outcomes.failedOutcome(item.found.typed, failure));
  },
});
