import { type RunContext, recordCommand } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { author, silenceGuard } from '../../inputs/silencing.ts';
import { silenceCandidates } from '../../services/alertmanager/candidates.ts';
import type { Alertmanager } from '../../services/alertmanager/client.ts';
import type { Alert } from '../../services/alertmanager/schema.ts';
import { POSTED_RECORD } from '../../views/silences.ts';

export const silencesAck = recordCommand({
  id: 'silences ack',
  summary: 'Acknowledge alerts: mute them for a short time',
  description:
    'Makes one silence of the labels that the alerts have in common; its comment begins with ACK!, by which svc silences keepalive and other tools know it. You are asked when it would mute more other alerts than you named. Acknowledging again extends the silence that is there.',
  effect: 'write',
  service: 'alerts',
  args: {
    fingerprint: {
      help: 'Fingerprints, or enough of the beginning of each; at a terminal you can choose',
      repeat: true,
      complete: 'fingerprints',
    },
  },
  flags: {
    for: { type: 'duration', short: 'd', positive: true, default: '15m', help: 'How long' },
    comment: { type: 'string', short: 'c', value: 'text', help: 'Why; ACK! is put before it' },
    author: { type: 'string', value: 'name', help: 'Who (default: setting alerts.author, or user@host)' },
    drop: { type: 'string', value: 'label', repeat: true, help: 'Leave this label out' },
    'all-alerts': { type: 'boolean', help: 'Yes, even everything' },
  },
  examples: [
    { run: 'svc silences ack 1a58c20e', why: 'I am at it' },
    { run: 'svc silences ack 1a58 77c0 --for 1h -c "CHG-1042"', why: 'What both have in common' },
  ],
  output: POSTED_RECORD,
  offers: (posted) => silenceCandidates({ ...posted, id: posted.silenceID }),
  async run(input, ctx) {
    if (input.fingerprint.length === 0 && !ctx.interactive) {
      throw new SvcError('missing_value', '<fingerprint> is missing', { hint: 'svc alerts list shows them' });
    }
    const { openAlertmanager } = await import('../../services/alertmanager/client.ts');
    const { findAlerts } = await import('../../services/alertmanager/fingerprint.ts');
    const { matchersOfAlerts } = await import('../../services/alertmanager/alert-matchers.ts');
    const { ackComment, isAcknowledgement } = await import('../../services/alertmanager/acknowledgement.ts');
    const { ensureSilence } = await import('../../services/alertmanager/covering-silence.ts');
    const alertmanager = openAlertmanager(ctx.target);
    const alerts =
      input.fingerprint.length === 0
        ? await chooseAlerts(alertmanager, ctx)
        : await findAlerts(alertmanager, input.fingerprint);
    const now = ctx.now();
    const draft = {
      matchers: matchersOfAlerts(alerts, input.drop),
      startsAt: new Date(now).toISOString(),
      endsAt: new Date(now + input.for).toISOString(),
      createdBy: input.author ?? author(ctx),
      comment: ackComment(input.comment ?? 'acknowledged with svc'),
    };
    const guard = { ...silenceGuard(ctx, input.allAlerts), named: alerts.length };
    return { value: await ensureSilence(draft, alertmanager, guard, (silence) => isAcknowledgement(silence)) };
  },
});

async function chooseAlerts(alertmanager: Alertmanager, ctx: RunContext): Promise<readonly Alert[]> {
  const { alertQuery } = await import('../../services/alertmanager/alert-state.ts');
  const { alertTitle } = await import('../../services/alertmanager/alert-title.ts');
  const { MOST_CHOICES, tellCommand } = await import('../../cli/wizard.ts');
  const firing: Alert[] = [];
  for await (const alert of alertmanager.alerts(alertQuery(['active']))) firing.push(alert);
  if (firing.length === 0) throw new SvcError('not_found', 'no alert is active: there is nothing to acknowledge');
  firing.sort((a, b) => Date.parse(b.startsAt) - Date.parse(a.startsAt));
  const shown = firing.slice(0, MOST_CHOICES);
  if (firing.length > shown.length) ctx.notice(`the latest ${shown.length} of ${firing.length} active alerts:`);
  const chosen = await ctx.prompter.checkbox(
    'Which alerts?',
    shown.map((alert) => ({ value: alert.fingerprint, name: alertTitle(alert) })),
  );
  tellCommand(ctx, chosen);
  return shown.filter(({ fingerprint }) => chosen.includes(fingerprint));
}
