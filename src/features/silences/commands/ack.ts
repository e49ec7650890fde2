import { listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import { openAlertmanager } from '../../alerts/api.ts';
import { alertTitle, ownValue } from '../../alerts/columns.ts';
import { checkFingerprints, pickAlerts } from '../../alerts/ids.ts';
import { unknownLabel } from '../../alerts/known-names.ts';
import { formatMatcher, type Matcher, matcher } from '../../alerts/matcher.ts';
import { labelTest } from '../../alerts/matching.ts';
import type { Alert, Silence } from '../../alerts/schema.ts';
import { collect, keepsAlert } from '../../alerts/selection.ts';
import { POSTED_LIST, undoSilences } from '../columns.ts';
import { ensured, matchersOfLabels, type PostedSilence, unchangedSilence } from '../draft.ts';
import { chooseSome } from '../selection.ts';
import { ALL_ALERTS, AUTHOR, author, type CheckedSilence, SilenceWriter } from '../writer.ts';

export const silencesAck = listCommand({
  id: 'silences ack',
  summary: 'Acknowledge alerts (mute them for 15 minutes)',
  description:
    'Creates one silence for each alert, with all of its labels, or with --by one for each group of alerts. The comment begins with ACK!, which other tools recognize. svc refuses to mute an alert that you did not name. Acknowledging an alert again extends its silence.',
  effect: 'write',
  service: 'alerts',
  clusters: {},
  args: {
    fingerprint: { help: 'Fingerprints, or their unambiguous beginnings', repeat: true },
  },
  flags: {
    for: { type: 'duration', short: 'd', positive: true, default: '15m', help: 'How long it lasts' },
    comment: { type: 'string', short: 'c', value: 'text', help: 'The reason, after ACK!' },
    ...AUTHOR,
    by: { type: 'string', value: 'labels', repeat: true, help: 'One silence per group, such as alertname,cluster' },
    ...ALL_ALERTS,
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc silences ack 1a58c20e', why: 'Acknowledge one alert for 15 minutes' },
    { run: 'svc silences ack 1a58 77c0 --for 1h -c "CHG-1042"', why: 'Acknowledge two alerts, with one silence each' },
    { run: 'svc silences ack 1a58 77c0 --by alertname,cluster', why: 'One silence for each alert name and cluster' },
  ],
  output: { ...POSTED_LIST, empty: 'no alert was chosen; nothing was sent' },
  async run(input, ctx) {
    const alertmanager = openAlertmanager(ctx.target);
    const { fingerprint: typed } = input;
    if (typed.length === 0 && !ctx.interactive) {
      throw new SvcError('missing_value', '<fingerprint> is missing', { hint: 'svc alerts list shows them' });
    }
    const by = labelNames(input.by);
    checkFingerprints(typed); // before anything is sent
    const firing = await collect(alertmanager.alerts());
    const chosen = typed.length === 0 ? await chooseAlerts(firing, ctx) : pickAlerts(firing, typed);
    const now = ctx.now();
    const common = {
      startsAt: new Date(now).toISOString(),
      endsAt: new Date(now + input.for).toISOString(),
      createdBy: input.author ?? author(ctx),
      comment: ackComment(input.comment ?? 'acknowledged with svc'),
    };
    const present: PostedSilence[] = [];
    const checked: CheckedSilence[] = [];
    for (const { matchers, alerts } of await acknowledge(chosen, by, firing)) {
      const found = await ensured({ matchers: [...matchers], ...common }, alertmanager, isAcknowledgement);
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
  const active = firing.filter((alert) => keepsAlert(alert, ['active']));
  if (active.length === 0) throw new SvcError('not_found', 'no alert is active');
  active.sort((a, b) => Date.parse(b.startsAt) - Date.parse(a.startsAt));
  const choices = active.map((alert) => ({ value: alert.fingerprint, name: alertTitle(alert) }));
  const chosen = await chooseSome(choices, 'alerts', ctx);
  return active.filter(({ fingerprint }) => chosen.includes(fingerprint));
}

const ACK_PREFIX = 'ACK!';

function ackComment(text: string): string {
  return text.startsWith(ACK_PREFIX) ? text : `${ACK_PREFIX} ${text}`;
}

function isAcknowledgement({ comment }: Pick<Silence, 'comment'>): boolean {
  return comment.startsWith(ACK_PREFIX);
}

/** A silence to create, and the alerts that it mutes. */
interface Acknowledged {
  readonly matchers: readonly Matcher[];
  readonly alerts: readonly Alert[];
}

/** One silence for each alert, or for each group with the same values of the labels `by`. */
async function acknowledge(
  chosen: readonly Alert[],
  by: readonly string[],
  firing: readonly Alert[],
): Promise<readonly Acknowledged[]> {
  const unnamed = chosen.find(({ labels }) => !labels['alertname']);
  if (unnamed !== undefined) {
    throw new SvcError('guarded', `alert ${named(unnamed)} has no alertname`, { hint: 'use svc silences create' });
  }
  // The labels of other alerts must not decide whether these can be acknowledged.
  const names = [...new Set(chosen.flatMap(({ labels }) => Object.keys(labels)))];
  for (const name of by) if (!names.includes(name)) throw unknownLabel('--by', name, names);
  // For the server, a missing label is an empty one.
  const sets = chosen.map(({ labels }) =>
    by.length === 0 ? matchersOfLabels(labels) : by.map((name) => matcher(name, '=', ownValue(labels, name) ?? '')),
  );
  const groups = new Map(sets.map((matchers) => [matchers.map(formatMatcher).join(), matchers]));
  const acknowledged: Acknowledged[] = [];
  for (const matchers of groups.values()) {
    const matches = await labelTest(matchers);
    acknowledged.push({ matchers, alerts: firing.filter(({ labels }) => matches(labels)) });
  }
  refuseOthers(acknowledged, chosen, by);
  return acknowledged;
}

const MOST_NAMED = 3;

function refuseOthers(acknowledged: readonly Acknowledged[], chosen: readonly Alert[], by: readonly string[]): void {
  const others = new Set(acknowledged.flatMap(({ alerts }) => alerts).filter((alert) => !chosen.includes(alert)));
  if (others.size === 0) return;
  const first = [...others].slice(0, MOST_NAMED).map(named).join(', ');
  const more = others.size > MOST_NAMED ? ` and ${others.size - MOST_NAMED} more` : '';
  throw new SvcError('guarded', `this would also mute ${first}${more}; nothing was sent`, {
    hint:
      by.length === 0
        ? 'acknowledge these alerts too: each has all labels of an alert that you named'
        : 'acknowledge these alerts too, or give --by more labels',
  });
}

function named(alert: Alert): string {
  return `${alertTitle(alert)} (${alert.fingerprint.slice(0, 8)})`;
}
