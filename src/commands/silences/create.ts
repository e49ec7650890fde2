import { type RunContext, recordCommand } from '../../cli/command.ts';
import { parseDuration } from '../../cli/duration.ts';
import type { Instant } from '../../cli/flags.ts';
import { parseTime } from '../../cli/time.ts';
import { SvcError } from '../../errors.ts';
import type { ListOutput, RecordOutput } from '../../output/types.ts';
import type { Alertmanager } from '../../services/alertmanager/client.ts';
import type { Reach } from '../../services/alertmanager/reach.ts';
import type { PostableSilence } from '../../services/alertmanager/schema.ts';
import type { Guard, PostedSilence } from '../../services/alertmanager/silencing.ts';
import { author, matcherTexts } from './list.ts';

export const POSTED_RECORD: RecordOutput<PostedSilence> = {
  kind: 'record',
  columns: [
    { name: 'id', cell: ({ silenceID }) => silenceID },
    {
      name: 'before',
      cell: ({ silenceID, previousID }) =>
        previousID === undefined
          ? undefined
          : previousID === silenceID
            ? 'the same id'
            : `${previousID}, now expired and replaced`,
    },
    { name: 'matchers', cell: matcherTexts },
    { name: 'starts', cell: ({ startsAt }) => ({ time: startsAt }) },
    { name: 'ends', cell: ({ endsAt }) => ({ time: endsAt }) },
    { name: 'created-by', cell: ({ createdBy }) => createdBy },
    { name: 'comment', cell: ({ comment }) => comment },
    {
      name: 'mutes',
      cell: ({ matched }) => (matched === null ? undefined : `${matched.alerts} now, ${matched.active} of them active`),
    },
  ],
  id: ({ silenceID }) => silenceID,
};

const POSTED_LIST: ListOutput<PostedSilence> = {
  ...POSTED_RECORD,
  kind: 'list',
  columns: POSTED_RECORD.columns.map((column) => (column.name === 'id' ? column : { ...column, flex: true as const })),
};

const HOUR = 3_600_000;

export const silencesCreate = recordCommand({
  id: 'silences create',
  aliases: ['add'],
  summary: 'Mute the alerts that match, for a time',
  description:
    'All matchers must match. The server counts first what the silence would mute, and you are asked when it is a lot. A silence without a positive matcher, or of more than half of the active alerts, needs --all-alerts.',
  effect: 'write',
  service: 'alerts',
  args: { matcher: { help: 'name=value, name!=value, name=~regex, name!~regex, or an alert name', repeat: true } },
  flags: {
    for: { type: 'duration', short: 'd', positive: true, help: 'How long, from its start (default 1h)' },
    until: { type: 'time', bare: 'forward', help: 'When it ends' },
    from: { type: 'time', bare: 'forward', help: 'When it starts (default now)' },
    comment: { type: 'string', short: 'c', value: 'text', help: 'Why, for those who wonder; required' },
    author: { type: 'string', value: 'name', help: 'Who (default: setting alerts.author, or user@host)' },
    file: {
      type: 'string',
      short: 'f',
      value: 'file',
      complete: 'files',
      help: 'Silences as JSON, one or an array, - for standard input; one with an id is an update',
    },
    'all-alerts': { type: 'boolean', help: 'Yes, even everything' },
  },
  examples: [
    { run: 'svc silences create NodeDown instance=web-1:9100 -c "disk swap, CHG-1042"', why: 'One hour, one node' },
    {
      run: 'svc silences create team=db severity!=critical --until 2026-12-01T06:00:00Z -c "migration" --dry-run',
      why: 'See the request first',
    },
    { run: 'svc silences create -f silences.json', why: 'From a file' },
  ],
  output: POSTED_RECORD,
  async run(input, ctx) {
    const { openAlertmanager } = await import('../../services/alertmanager/client.ts');
    const { approve, postSilence } = await import('../../services/alertmanager/silencing.ts');
    const guard = silenceGuard(ctx, input.allAlerts);
    if (input.file !== undefined) {
      const { matcher, for: duration, until, from, comment } = input;
      if (matcher.length > 0 || [duration, until, from, comment].some((value) => value !== undefined)) {
        throw new SvcError('usage', '--file says all of a silence: no matcher, time or comment goes with it');
      }
      return createFromFile(input.file, input.author ?? author(ctx), openAlertmanager(ctx.target), guard, ctx);
    }
    const { parseMatcherArguments } = await import('../../services/alertmanager/matcher-argument.ts');
    const { matchers, notices } = parseMatcherArguments(input.matcher);
    for (const notice of notices) ctx.notice(notice);
    if (matchers.length === 0) {
      throw new SvcError('missing_value', 'no matcher: a silence needs at least one', {
        hint: 'for example: svc silences create alertname=NodeDown -c "why"',
      });
    }
    if (input.comment === undefined || input.comment.trim() === '') {
      throw new SvcError('missing_value', '--comment is required: others will want to know why', {
        hint: 'pass -c "why"',
      });
    }
    const draft: PostableSilence = {
      matchers: matchers.map((matcher) => ({ ...matcher })),
      ...window(input, ctx.now()),
      createdBy: input.author ?? author(ctx),
      comment: input.comment,
    };
    const alertmanager = openAlertmanager(ctx.target);
    const reach = await approve(draft, alertmanager, guard);
    return { value: await postSilence(draft, reach, alertmanager, guard) };
  },
});

export function silenceGuard(ctx: RunContext, allAlerts: boolean): Guard {
  const longest = ctx.settings.get('alerts.maxSilence');
  return {
    dryRun: ctx.dryRun,
    allAlerts,
    longest: longest === undefined ? undefined : { ms: parseDuration(longest), text: longest },
    now: ctx.now,
    confirm: ctx.confirm,
    notice: ctx.notice,
  };
}

interface WindowOptions {
  readonly for: number | undefined;
  readonly until: Instant | undefined;
  readonly from: Instant | undefined;
}

/** Both times are always sent: an empty start means different things to different servers. */
function window({ for: duration, until, from }: WindowOptions, now: number): { startsAt: string; endsAt: string } {
  if (duration !== undefined && until !== undefined)
    throw new SvcError('usage', '--for and --until both say when it ends');
  const start = from?.ms ?? now;
  return {
    startsAt: new Date(start).toISOString(),
    endsAt: until?.iso ?? new Date(start + (duration ?? HOUR)).toISOString(),
  };
}

/** Everything is checked before the first silence is sent. */
async function createFromFile(
  path: string,
  createdBy: string,
  alertmanager: Alertmanager,
  guard: Guard,
  ctx: RunContext,
) {
  const { parseSilenceFile } = await import('../../services/alertmanager/silence-file.ts');
  const { approve, approveUpdate, postSilence } = await import('../../services/alertmanager/silencing.ts');
  const { applyChanges } = await import('../../services/alertmanager/silence-draft.ts');
  const { bulk } = await import('../../cli/bulk.ts');
  const now = ctx.now();
  const { silences, single } = await parseSilenceFile(await ctx.readInput(path), {
    source: path,
    createdBy,
    startsAt: new Date(now).toISOString(),
    instant: (text) => parseTime(text, { now, bare: 'forward' }).iso,
  });
  const approved: { draft: PostableSilence; reach: Reach | undefined }[] = [];
  for (const silence of silences) {
    if (silence.id === undefined) {
      approved.push({ draft: silence, reach: await approve(silence, alertmanager, guard) });
      continue;
    }
    const before = await alertmanager.silence(silence.id);
    const draft = applyChanges(before, silence);
    approved.push({ draft, reach: await approveUpdate(before, draft, alertmanager, guard) });
  }
  const [first, ...more] = approved;
  if (first !== undefined && more.length === 0) {
    const posted = await postSilence(first.draft, first.reach, alertmanager, guard);
    return single ? { value: posted } : { value: [posted], as: POSTED_LIST };
  }
  const { outcomes, code } = await bulk(approved, 4, ({ draft, reach }) =>
    postSilence(draft, reach, alertmanager, guard),
  );
  for (const { item, error } of outcomes) {
    if (error !== undefined) ctx.notice(`${matcherTexts(item.draft).join(' ')}: ${error.message}`);
  }
  const posted = outcomes.flatMap((outcome) => (outcome.error === undefined ? [outcome.result] : []));
  return { value: posted, as: POSTED_LIST, code };
}
