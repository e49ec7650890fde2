import { listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import { silenceCandidates } from '../../alerts/columns.ts';
import type { Alert } from '../../alerts/schema.ts';
import { POSTED_LIST } from '../columns.ts';
import type { CheckedSilence, PostedSilence } from '../silencing.ts';
import { ALL_ALERTS, author, postSilences, silenceGuard } from '../silencing-flags.ts';

export const silencesAck = listCommand({
  id: 'silences ack',
  summary: 'Acknowledge alerts: mute them for a short time',
  description:
    'Creates one silence for each alert, with all of its labels, or with --by one for each group of alerts that share these labels. The comment begins with ACK!, by which svc silences keepalive and other tools recognise it. If a silence would also mute a firing alert that you did not name, the command is refused and names that alert. Acknowledging again extends the silence that is there.',
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
    by: {
      type: 'string',
      value: 'labels',
      repeat: true,
      help: 'One silence for each group with the same values of these labels, such as alertname,cluster',
    },
    ...ALL_ALERTS,
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc silences ack 1a58c20e', why: 'Acknowledge one alert for a quarter of an hour' },
    { run: 'svc silences ack 1a58 77c0 --for 1h -c "CHG-1042"', why: 'Acknowledge two alerts, with one silence each' },
    {
      run: 'svc silences ack 1a58 77c0 --by alertname,cluster',
      why: 'One silence for each alert name and cluster',
    },
  ],
  output: { ...POSTED_LIST, empty: 'no alert was chosen, and nothing was sent' },
  offers: (posted) => silenceCandidates({ ...posted, id: posted.silenceID }),
  async run(input, ctx) {
    const { fingerprint: typed } = input;
    if (typed.length === 0 && !ctx.interactive) {
      throw new SvcError('missing_value', '<fingerprint> is missing', { hint: 'svc alerts list shows them' });
    }
    const by = labelNames(input.by);
    const { openAlertmanager } = await import('../../alerts/api.ts');
    const { collectAlerts } = await import('../../alerts/selection.ts');
    const { checkFingerprints, pickAlerts } = await import('../../alerts/ids.ts');
    const acknowledgement = await import('../acknowledgement.ts');
    const { ensured } = await import('../covering-silence.ts');
    const { impactOf } = await import('../silencing.ts');
    const { askAbout } = await import('../silencing.ts');
    checkFingerprints(typed); // before anything is sent
    const alertmanager = openAlertmanager(ctx.target);
    const firing = await collectAlerts(alertmanager.alerts());
    const alerts = typed.length === 0 ? await chooseAlerts(firing, ctx) : pickAlerts(firing, typed);
    const now = ctx.now();
    const common = {
      startsAt: new Date(now).toISOString(),
      endsAt: new Date(now + input.for).toISOString(),
      createdBy: input.author ?? author(ctx),
      comment: acknowledgement.ackComment(input.comment ?? 'acknowledged with svc'),
    };
    const present: PostedSilence[] = [];
    const checked: CheckedSilence[] = [];
    for (const { matchers, alerts: muted } of acknowledgement.acknowledge(alerts, by, firing)) {
      const draft = { matchers: matchers.map((one) => ({ ...one })), ...common };
      const found = await ensured(draft, alertmanager, (silence) => acknowledgement.isAcknowledgement(silence));
      if (found.wanted === undefined) present.push(found.present);
      else checked.push({ draft: found.wanted, impact: impactOf(muted) });
    }
    await askAbout(checked, alertmanager, silenceGuard(ctx, input.allAlerts));
    const sent = await postSilences(checked, alertmanager, ctx);
    if (sent instanceof Plan) return { value: sent };
    const { value, code } = sent;
    return { value: [...present, ...value.map((posted) => ({ ...posted, unchanged: false }))], code };
  },
});

function labelNames(texts: readonly string[]): readonly string[] {
  const names = [...new Set(texts.flatMap((text) => text.split(',')).map((name) => name.trim()))];
  if (names.includes('')) throw new SvcError('invalid_value', '--by: a label name is empty');
  if (names.length > 0 && !names.includes('alertname')) {
    throw new SvcError('usage', '--by must include alertname', {
      hint: `write --by ${['alertname', ...names].join()}`,
    });
  }
  return names;
}

async function chooseAlerts(firing: readonly Alert[], ctx: RunContext): Promise<readonly Alert[]> {
  const { keepsAlert } = await import('../../alerts/selection.ts');
  const { alertTitle } = await import('../acknowledgement.ts');
  const { MOST_CHOICES, tellCommand } = await import('../../../cli/wizard.ts');
  const active = firing.filter((alert) => keepsAlert(alert, []));
  if (active.length === 0) throw new SvcError('not_found', 'no alert is active: there is nothing to acknowledge');
  active.sort((a, b) => Date.parse(b.startsAt) - Date.parse(a.startsAt));
  const shown = active.slice(0, MOST_CHOICES);
  if (active.length > shown.length) ctx.notice(`the latest ${shown.length} of ${active.length} active alerts:`);
  const chosen = await ctx.prompter.checkbox(
    'Which alerts?',
    shown.map((alert) => ({ value: alert.fingerprint, name: alertTitle(alert) })),
  );
  tellCommand(ctx, chosen);
  return shown.filter(({ fingerprint }) => chosen.includes(fingerprint));
}
