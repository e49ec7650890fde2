import { recordCommand } from '../../../cli/command.ts';
import type { Instant } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import { openAlertmanager, requireRelease } from '../../alerts/api.ts';
import { findSilence } from '../../alerts/ids.ts';
import { parseMatcherArguments } from '../../alerts/matcher-argument.ts';
import { POSTED_RECORD, postedCandidates, undoSilences } from '../columns.ts';
import { applyChanges } from '../draft.ts';
import { ALL_ALERTS, ANNOTATION, SilenceWriter } from '../writer.ts';

export const silencesUpdate = recordCommand({
  id: 'silences update',
  summary: 'Change a silence',
  description:
    'Changes only what you specify. If the start or the matchers change, the server expires the silence and creates a new one with another id. A change that mutes more, or for longer, is checked like a new silence.',
  effect: 'write',
  service: 'alerts',
  args: {
    id: { help: 'The id, or its unambiguous beginning', required: true, complete: 'silences' },
  },
  flags: {
    for: { type: 'duration', formerly: ['duration'], short: 'd', positive: true, help: 'End it this long after now' },
    until: { type: 'time', formerly: ['end'], bare: 'forward', help: 'When it ends' },
    extend: { type: 'duration', positive: true, help: 'Move the end by this much' },
    from: { type: 'time', formerly: ['start'], bare: 'forward', help: 'When it starts' },
    comment: { type: 'string', short: 'c', value: 'text', help: 'New comment' },
    author: { type: 'string', value: 'name', help: 'New author' },
    matcher: {
      type: 'string',
      short: 'm',
      repeat: true,
      value: 'matcher',
      complete: 'matchers',
      help: 'New matchers (replace all old ones)',
    },
    ...ANNOTATION,
    ...ALL_ALERTS,
  },
  examples: [
    { run: 'svc silences update 2f1a --extend 2h', why: 'Extend it by two hours' },
    {
      run: 'svc silences update 2f1a --matcher alertname=NodeDown --matcher instance=~"web-[12]:9100"',
      why: 'Replace the matchers',
    },
    {
      run: 'svc silences update 2f1a --until 2026-12-01T06:00:00Z --dry-run',
      why: 'Show the request without sending it',
    },
  ],
  output: POSTED_RECORD,
  offers: postedCandidates,
  async run(input, ctx) {
    const matchers = parseMatcherArguments(input.matcher, ctx.notice);
    const ending = [input.for, input.until, input.extend].filter((value) => value !== undefined);
    if (ending.length > 1) throw new SvcError('usage', 'only one of --for, --until and --extend can be used');
    const annotations = Object.keys(input.annotation);
    if (
      ending.length === 0 &&
      matchers.length === 0 &&
      annotations.length === 0 &&
      [input.from, input.comment, input.author].every((value) => value === undefined)
    ) {
      throw new SvcError('usage', 'no change is specified', { hint: 'see svc silences update --help' });
    }
    if (input.comment !== undefined && input.comment.trim() === '')
      throw new SvcError('invalid_value', '--comment: is empty');
    const alertmanager = openAlertmanager(ctx.target);
    if (annotations.length > 0) await requireRelease('0.32', '--annotation', alertmanager, ctx);
    const silence = await findSilence(alertmanager, input.id);
    const draft = applyChanges(silence, {
      matchers: matchers.length === 0 ? undefined : matchers,
      startsAt: input.from?.iso,
      endsAt: newEnd(input, silence.endsAt, ctx.now()),
      createdBy: input.author,
      comment: input.comment,
      annotations: annotations.length === 0 ? undefined : { ...silence.annotations, ...input.annotation },
    });
    const writer = new SilenceWriter(alertmanager, ctx, input);
    const checked = await writer.checkUpdate(silence, draft);
    await writer.ask([checked]);
    const value = await writer.post(checked);
    return value instanceof Plan ? { value } : { value, ...undoSilences([value]) };
  },
});

interface Ending {
  readonly for: number | undefined;
  readonly until: Instant | undefined;
  readonly extend: number | undefined;
}

function newEnd({ for: duration, until, extend }: Ending, endsAt: string, now: number): string | undefined {
  if (duration !== undefined) return new Date(now + duration).toISOString();
  if (extend !== undefined) return new Date(Date.parse(endsAt) + extend).toISOString();
  return until?.iso;
}
