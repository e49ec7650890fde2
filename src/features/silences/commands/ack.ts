import { listCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import { openAlertmanager } from '../../alerts/api.ts';
import { alertTitle } from '../../alerts/columns.ts';
import { checkFingerprints, pickAlerts } from '../../alerts/ids.ts';
import type { Matcher } from '../../alerts/matcher.ts';
import { labelTest } from '../../alerts/matching.ts';
import type { Alert } from '../../alerts/schema.ts';
import { collect } from '../../alerts/selection.ts';
import { POSTED_LIST, undoSilences } from '../columns.ts';
import { ensured, matchersOfLabels, type PostedSilence, unchangedSilence } from '../draft.ts';
import { ALL_ALERTS, AUTHOR, author, type CheckedSilence, SilenceWriter } from '../writer.ts';

export const silencesAck = listCommand({
  id: 'silences ack',
  summary: 'Acknowledge alerts (mute them for 15 minutes)',
  description:
    'Creates one silence for each alert, with all of its labels. The comment begins with ACK!, which other tools recognize. svc refuses to mute an alert that you did not name. Acknowledging an alert again extends its silence.',
  effect: 'write',
  service: 'alerts',
  clusters: {},
  args: {
    fingerprint: {
      help: 'Fingerprints, or their unambiguous beginnings',
      repeat: true,
      required: true,
      complete: 'fingerprints',
    },
  },
  flags: {
    for: { type: 'duration', short: 'd', positive: true, default: '15m', help: 'How long it lasts' },
    comment: { type: 'string', short: 'c', value: 'text', help: 'The reason, after ACK!' },
    ...AUTHOR,
    ...ALL_ALERTS,
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc silences ack 1a58c20e', why: 'Acknowledge one alert for 15 minutes' },
    { run: 'svc silences ack 1a58 77c0 --for 1h -c "CHG-1042"', why: 'Acknowledge two alerts, with one silence each' },
  ],
  output: POSTED_LIST,
  async run(input, ctx) {
    checkFingerprints(input.fingerprint); // before anything is sent
    const alertmanager = openAlertmanager(ctx.target);
    const firing = await collect(alertmanager.alerts());
    const named = pickAlerts(firing, input.fingerprint);
    const covered = await coverAlerts(named, firing);
    const now = ctx.now();
    const text = input.comment ?? 'acknowledged with svc';
    const common = {
      startsAt: new Date(now).toISOString(),
      endsAt: new Date(now + input.for).toISOString(),
      createdBy: input.author ?? author(ctx),
      comment: text.startsWith(ACK_PREFIX) ? text : `${ACK_PREFIX} ${text}`,
    };
    const present: PostedSilence[] = [];
    const checked: CheckedSilence[] = [];
    for (const { matchers, alerts } of covered) {
      const found = await ensured({ matchers, ...common }, alertmanager, ({ comment }) =>
        comment.startsWith(ACK_PREFIX),
      );
      if (found.present === undefined) checked.push({ draft: found.wanted, alerts });
      else present.push(unchangedSilence(found.present));
    }
    const sent = await new SilenceWriter(alertmanager, ctx, input).postAll(checked);
    if (sent instanceof Plan) return { value: sent };
    const { value, code } = sent;
    const all = [...present, ...value.map((posted) => ({ ...posted, unchanged: false }))];
    return { value: all, code, ...undoSilences(all) };
  },
});

const ACK_PREFIX = 'ACK!';

/** The matchers of a silence for each alert, and the alerts that it mutes. */
async function coverAlerts(named: readonly Alert[], firing: readonly Alert[]) {
  const covered: { readonly matchers: Matcher[]; readonly alerts: readonly Alert[] }[] = [];
  for (const alert of named) {
    if (!alert.labels['alertname']) {
      throw new SvcError('guarded', `alert ${nameOf(alert)} has no alertname`, { hint: 'use svc silences create' });
    }
    const matchers = matchersOfLabels(alert.labels);
    const matches = await labelTest(matchers);
    covered.push({ matchers, alerts: firing.filter(({ labels }) => matches(labels)) });
  }
  const muted = covered.flatMap(({ alerts }) => alerts);
  refuseOthers(new Set(muted.filter((alert) => !named.includes(alert))));
  return covered;
}

const MOST_NAMED = 3;

function refuseOthers(others: ReadonlySet<Alert>): void {
  if (others.size === 0) return;
  const first = [...others].slice(0, MOST_NAMED).map(nameOf).join(', ');
  const more = others.size > MOST_NAMED ? ` and ${others.size - MOST_NAMED} more` : '';
  throw new SvcError('guarded', `this would also mute ${first}${more}; nothing was sent`, {
    hint: 'acknowledge these alerts too: each has all labels of an alert that you named',
  });
}

function nameOf(alert: Alert): string {
  return `${alertTitle(alert)} (${alert.fingerprint.slice(0, 8)})`;
}
