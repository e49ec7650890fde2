import { listCommand } from '../../cli/command.ts';
import { formatDuration } from '../../cli/duration.ts';
import { SvcError } from '../../errors.ts';
import { OUTCOME_LIST } from '../../views/silences.ts';

export const silencesKeepalive = listCommand({
  id: 'silences keepalive',
  summary: 'Extend acknowledgements while their alerts fire, once; for cron',
  description:
    'Looks at active silences whose comment begins with --prefix, as svc silences ack makes them, and extends those that are about to end although an alert that they mute still fires. Prints what it did; where nothing is due it prints nothing and sends nothing. Two runs at the same time do no harm.',
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
    if (prefix.trim() === '')
      throw new SvcError('invalid_value', '--prefix: is empty, and every silence would be kept');
    const { openAlertmanager } = await import('../../services/alertmanager/client.ts');
    const { dueAcknowledgements } = await import('../../services/alertmanager/acknowledgement.ts');
    const { postSilence, serverTime } = await import('../../services/alertmanager/silencing.ts');
    const outcomes = await import('../../services/alertmanager/silence-outcome.ts');
    const { bulk, bulkAnswer } = await import('../../cli/bulk.ts');
    const alertmanager = openAlertmanager(ctx.target);
    const now = (): number => serverTime(alertmanager, ctx.now());
    const due = await dueAcknowledgements(alertmanager, { prefix, withinMs: ifWithin, now });
    const done = await bulk(due, 4, async (silence) => {
      const draft = outcomes.extended(silence, { by, max });
      if (draft === undefined) return outcomes.atMaxOutcome(silence);
      return outcomes.doneOutcome('extended', silence, await postSilence(draft, undefined, alertmanager, ctx));
    });
    return bulkAnswer(done, ({ id }, failure) => outcomes.failedOutcome(id, failure));
  },
});
