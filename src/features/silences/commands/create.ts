import { type RunContext, recordCommand } from '../../../cli/command.ts';
import { type Instant, section } from '../../../cli/flags.ts';
import { askForEach, durationFault, faultOf, MOST_CHOICES, tellCommand } from '../../../cli/wizard.ts';
import { parseDuration } from '../../../duration.ts';
import { SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import { type Alertmanager, openAlertmanager, requireRelease } from '../../alerts/api.ts';
import { findAlert } from '../../alerts/ids.ts';
import { warnOfNames } from '../../alerts/known-names.ts';
import { formatMatcher, type Matcher, matcher, matcherFrom } from '../../alerts/matcher.ts';
import { parseMatcherArguments } from '../../alerts/matcher-arguments.ts';
import type { PostableSilence } from '../../alerts/schema.ts';
import { alertQuery } from '../../alerts/selection.ts';
import { POSTED_RECORD, undoSilences } from '../columns.ts';
import { ensured, matchersOfLabels, unchangedSilence } from '../draft.ts';
import { ALL_ALERTS, ANNOTATION, AUTHOR, author, SilenceWriter } from '../writer.ts';

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
    comment: { type: 'string', short: 'c', value: 'text', help: 'The reason (required)' },
    ...AUTHOR,
    ...ANNOTATION,
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
  async run(given, ctx) {
    const alertmanager = openAlertmanager(ctx.target);
    const { drop, allAlerts, maxAlerts } = given;
    if (drop.length > 0 && given.fromAlert === undefined) throw new SvcError('usage', '--drop needs --from-alert');
    const input = ctx.interactive ? { ...given, ...(await wizard(given, alertmanager, ctx)) } : given;
    const matchers = parseMatcherArguments(input.matcher, ctx.notice);
    const comment = requireMatchersAndComment(matchers, input);
    // Questions take time.
    const times = window(input, ctx.interactive ? ctx.now() : ctx.startedAt);
    const annotations = Object.entries(input.annotation);
    if (annotations.length > 0) await requireRelease('0.32', '--annotation', alertmanager, ctx);
    const draft: PostableSilence = {
      matchers: [...(await labelMatchers(input.fromAlert, drop, alertmanager)), ...matchers],
      ...times,
      createdBy: input.author ?? author(ctx),
      comment,
      ...(annotations.length === 0 ? {} : { annotations: input.annotation }),
    };
    const found = input.ensure
      ? await ensured(draft, alertmanager, (silence) =>
          annotations.every(([name, text]) => silence.annotations?.[name] === text),
        )
      : { wanted: draft };
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

function requireMatchersAndComment(
  matchers: readonly Matcher[],
  { fromAlert, comment }: Pick<Asked, 'fromAlert' | 'comment'>,
): string {
  if (matchers.length === 0 && fromAlert === undefined) {
    throw new SvcError('missing_value', 'no matcher: a silence needs at least one', {
      hint: 'for example: svc silences create alertname=NodeDown -c "why"',
    });
  }
  if (comment !== undefined && comment.trim() !== '') return comment;
  throw new SvcError('missing_value', '--comment is required', { hint: 'pass -c "why"' });
}

async function labelMatchers(
  fingerprint: string | undefined,
  drop: readonly string[],
  alertmanager: Alertmanager,
): Promise<readonly Matcher[]> {
  if (fingerprint === undefined) return [];
  return matchersOfLabels((await findAlert(alertmanager, fingerprint)).labels, drop);
}

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

interface Asked extends WindowOptions {
  readonly matcher: readonly string[];
  readonly fromAlert: string | undefined;
  readonly comment: string | undefined;
}

async function wizard(
  { matcher, fromAlert, comment, for: duration, until }: Asked,
  alertmanager: Alertmanager,
  ctx: RunContext,
): Promise<Pick<Asked, 'matcher' | 'comment' | 'for'>> {
  const lacksMatchers = matcher.length === 0 && fromAlert === undefined;
  const lacksComment = comment === undefined || comment.trim() === '';
  if (!lacksMatchers && !lacksComment) return { matcher, comment, for: duration };
  const matchers = lacksMatchers ? await askForMatchers(alertmanager, ctx) : [];
  const length =
    lacksMatchers && duration === undefined && until === undefined
      ? await ctx.prompter.text({ question: 'Duration:', default: '1h', check: durationFault })
      : undefined;
  const why = lacksComment
    ? await ctx.prompter.text({
        question: 'Comment:',
        check: (text) => (text.trim() === '' ? 'a comment is required' : undefined),
      })
    : undefined;
  tellCommand(ctx, [
    ...matchers,
    ...(length === undefined ? [] : ['--for', length]),
    ...(why === undefined ? [] : ['--comment', why]),
  ]);
  return {
    matcher: [...matcher, ...matchers],
    comment: why ?? comment,
    for: length === undefined ? duration : parseDuration(length),
  };
}

async function askForMatchers(alertmanager: Alertmanager, ctx: RunContext): Promise<string[]> {
  const counts = new Map<string, number>();
  for await (const { labels } of alertmanager.alerts(alertQuery(['active']))) {
    const name = labels['alertname'];
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const most = [...counts].sort(([, a], [, b]) => b - a).slice(0, MOST_CHOICES);
  const choices = most.map(([value, count]) => ({ value, name: `${value} (${count} active)` }));
  const other = { value: '', name: 'other matchers…' };
  const name = most.length === 0 ? '' : await ctx.prompter.select('Mute which alerts?', [...choices, other]);
  const parse = (texts: readonly string[]) => parseMatcherArguments(texts);
  const first =
    name === ''
      ? await ctx.prompter.text({
          question: 'Matcher (such as team=db) or alert name:',
          check: (text) => faultOf(() => parse([text])),
        })
      : formatMatcher(matcher('alertname', '=', name));
  const question = 'Another matcher, such as instance=web-1:9100 (Enter for none):';
  return parse(await askForEach({ question, parse }, ctx, [first])).map(formatMatcher);
}
