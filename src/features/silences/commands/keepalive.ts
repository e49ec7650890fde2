import { listCommand } from '../../../cli/command.ts';
import { formatDuration } from '../../../cli/duration.ts';
import { SvcError } from '../../../errors.ts';
import { OUTCOME_LIST } from '../columns.ts';
import { silenceGuard } from '../silencing-flags.ts';

export const silencesKeepalive = listCommand({
  id: 'silences keepalive',
  summary: 'Extend acknowledgements while their alerts fire (for cron)',
  description:
    'Extends active silences whose comment begins with --prefix if they are about to end and an alert that they mute still fires. It skips those without an equality matcher on alertname, which could mute alerts that were never acknowledged. Prints what it extended, and what it skipped and why. If nothing is due, it prints and sends nothing. Two runs at the same time do no harm.',
  effect: 'write',
  service: 'alerts',
  flags: {
    prefix: { type: 'string', value: 'text', default: 'ACK!', help: 'How the comment of an acknowledgement begins' },
    'if-within': { type: 'duration', positive: true, default: '6m', help: 'Only those that end within this time' },
    by: { type: 'duration', positive: true, default: '15m', help: 'How much later than they would end now' },
    max: { type: 'duration', positive: true, default: '8h', help: 'How long each may last in all, from its start' },
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc silences keepalive', why: 'Every five minutes, from cron' },
    { run: "svc silences keepalive --prefix 'ACK!' --by 30m --max 2d --dry-run", why: 'What would be sent' },
  ],
  output: { ...OUTCOME_LIST, empty: 'nothing is due' },
  async run({ prefix, ifWithin, by, max }, ctx) {
    if (by <= ifWithin) {
      throw new SvcError(
        'usage',
        `--by ${formatDuration(by)} is not longer than --if-within ${formatDuration(ifWithin)}`,
        {
          hint: 'else every run would extend them again',
        },
      );
    }
    if (prefix.trim() === '') throw new SvcError('invalid_value', '--prefix: is empty, and would extend every silence');
    const { openAlertmanager } = await import('../../alerts/api.ts');
    const { dueAcknowledgements } = await import('../acknowledgement.ts');
    const { askAbout, postSilence, serverTime } = await import('../silencing.ts');
    const outcomes = await import('../silence-outcome.ts');
    const { bulk, bulkAnswer } = await import('../../../cli/bulk.ts');
    const alertmanager = openAlertmanager(ctx.target);
    const now = (): number => serverTime(alertmanager, ctx.now());
    const due = await dueAcknowledgements(alertmanager, { prefix, withinMs: ifWithin, now });
    const items = due.map(({ silence, skipped }) => {
      const draft = skipped === undefined ? outcomes.extended(silence, { by, max }) : undefined;
      return { silence, skipped, checked: draft && { draft, impact: undefined } };
    });
    const guard = { ...silenceGuard(ctx, false), now };
    await askAbout(
      items.flatMap(({ checked }) => checked ?? []),
      alertmanager,
      guard,
    );
    const done = await bulk(items, 4, async ({ silence, skipped, checked }) => {
      if (skipped !== undefined) return outcomes.unsentOutcome('skipped', silence, skipped);
      if (checked === undefined) return outcomes.unsentOutcome('at-max', silence, 'it lasts as long as --max allows');
      return outcomes.postedOutcome('extended', silence, await postSilence(checked, alertmanager, guard));
    });
    return bulkAnswer(done, ({ silence: { id } }, failure) => outcomes.failedOutcome(id, failure));
  },
});
