import { recordCommand } from '../../../cli/command.ts';
import { type Instant, section } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import { openAlertmanager } from '../../alerts/api.ts';
import { findAlert } from '../../alerts/ids.ts';
import { warnOfNames } from '../../alerts/known-names.ts';
import { matcherFrom } from '../../alerts/matcher.ts';
import { parseMatcherArguments } from '../../alerts/matcher-arguments.ts';
import type { PostableSilence } from '../../alerts/schema.ts';
import { POSTED_RECORD, undoSilences } from '../columns.ts';
import { ensured, matchersOfLabels, unchangedSilence } from '../draft.ts';
import { ALL_ALERTS, AUTHOR, author, refuseBlank, SilenceWriter } from '../writer.ts';

const HOUR = 3_600_000;

export const silencesCreate = recordCommand({
  id: 'silences create',
  suggestFor: ['mute', 'silence'],
  summary: 'Create a silence',
  description:
    'All matchers must match. svc reports how many alerts the silence mutes now, and at a terminal asks if these are more than half of the active alerts. A silence that could mute everything needs --all-alerts. One longer than alerts.maxSilence (24h) needs confirmation.',
  effect: 'write',
  service: 'alerts',
  clusters: {},
  args: {
    matcher: {
      help: 'name=value, name!=value, name=~regex, name!~regex, or an alert name',
      repeat: true,
      complete: 'matchers',
      promptUnless: ['from-alert'],
    },
  },
  flags: {
    ...section('Time options', {
      for: {
        type: 'duration',
        aliases: ['duration'],
        short: 'd',
        positive: true,
        help: 'How long it lasts (default 1h)',
      },
      until: { type: 'time', aliases: ['end'], bare: 'forward', help: 'When it ends' },
      from: { type: 'time', aliases: ['start'], bare: 'forward', help: 'When it starts (default now)' },
    }),
    comment: { type: 'string', short: 'c', value: 'text', required: true, check: refuseBlank, help: 'The reason' },
    ...AUTHOR,
    'from-alert': {
      type: 'string',
      value: 'fingerprint',
      help: 'Add the labels of this alert as matchers',
    },
    drop: { type: 'string', value: 'label', repeat: true, help: 'With --from-alert: omit a label' },
    ensure: { type: 'boolean', help: 'Reuse or extend an equal silence' },
    'max-alerts': { type: 'integer', min: 0, help: 'Fail if more alerts than this match' },
    ...ALL_ALERTS,
  },
  examples: [
    {
      run: 'svc silences create NodeDown instance=web-1:9100 -c "disk swap, CHG-1042"',
      why: 'Mute one node for an hour',
    },
    {
      run: 'svc silences create --from-alert 1a58c20e --drop instance -c "all of its kind"',
      why: 'Mute alerts like this one on any instance',
    },
    { run: 'svc silences create team=db --for 1h -c "nightly backup" --ensure', why: 'From cron, without duplicates' },
  ],
  output: POSTED_RECORD,
  async run(input, ctx) {
    const { drop, fromAlert, comment, allAlerts, maxAlerts } = input;
    if (drop.length > 0 && fromAlert === undefined) throw new SvcError('usage', '--drop needs --from-alert');
    const matchers = parseMatcherArguments(input.matcher, ctx.notice);
    if (matchers.length === 0 && fromAlert === undefined) {
      throw new SvcError('missing_value', 'no matcher: a silence needs at least one', {
        hint: 'for example: svc silences create alertname=NodeDown -c "why"',
      });
    }
    const times = window(input, ctx.startedAt);
    const alertmanager = openAlertmanager(ctx.target);
    const own =
      fromAlert === undefined ? [] : matchersOfLabels((await findAlert(alertmanager, fromAlert)).labels, drop);
    const draft: PostableSilence = {
      matchers: [...own, ...matchers],
      ...times,
      createdBy: input.author ?? author(ctx),
      comment,
    };
    const found = input.ensure ? await ensured(draft, alertmanager) : { wanted: draft };
    if (found.present !== undefined) return { value: unchangedSilence(found.present) };
    const writer = new SilenceWriter(alertmanager, ctx, { allAlerts, maxAlerts });
    const checked = await writer.check(found.wanted);
    if (checked.alerts?.length === 0) {
      const all = found.wanted.matchers.map(matcherFrom);
      await warnOfNames({ matchers: all, filter: { filter: [] } }, alertmanager, ctx);
    }
    await writer.ask([checked]);
    const posted = await writer.post(checked);
    if (posted instanceof Plan) return { value: posted };
    const value = input.ensure ? { ...posted, unchanged: false } : posted;
    return { value, ...undoSilences([value]) };
  },
});

interface WindowOptions {
  readonly for: number | undefined;
  readonly until: Instant | undefined;
  readonly from: Instant | undefined;
}

/** Both times are always sent: servers differ in what an empty start means. */
function window({ for: duration, until, from }: WindowOptions, now: number): { startsAt: string; endsAt: string } {
  if (duration !== undefined && until !== undefined)
    throw new SvcError('usage', '--for and --until cannot be used together');
  const start = from?.ms ?? now;
  return {
    startsAt: new Date(start).toISOString(),
    endsAt: until?.iso ?? new Date(start + (duration ?? HOUR)).toISOString(),
  };
}
