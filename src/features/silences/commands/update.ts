import { recordCommand } from '../../../cli/command.ts';
import type { Instant } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { openAlertmanager } from '../../alerts/api.ts';
import { findSilence } from '../../alerts/ids.ts';
import { parseMatcherArguments } from '../../alerts/matcher-argument.ts';
import { POSTED_RECORD, postedCandidates } from '../columns.ts';
import { applyChanges } from '../draft.ts';
import { ALL_ALERTS, SilenceWriter } from '../writer.ts';

export const silencesUpdate = recordCommand({
  id: 'silences update',
  summary: 'Change a silence',
  description:
    'Changes only what you name. The server keeps the id if only the end, author or comment change. If the start or the matchers change, it ends the silence and makes a new one: the output says which. A change that mutes more, or for longer, is checked like a new silence.',
  effect: 'write',
  service: 'alerts',
  args: {
    id: { help: 'Its id, or enough of the beginning to tell it from others', required: true, complete: 'silences' },
  },
  flags: {
    for: { type: 'duration', short: 'd', positive: true, help: 'How much longer, from now' },
    until: { type: 'time', bare: 'forward', help: 'When it ends' },
    extend: { type: 'duration', positive: true, help: 'How much later than it would end now' },
    from: { type: 'time', bare: 'forward', help: 'When it starts' },
    comment: { type: 'string', short: 'c', value: 'text', help: 'A new comment' },
    author: { type: 'string', value: 'name', help: 'A new author' },
    matcher: {
      type: 'string',
      short: 'm',
      repeat: true,
      value: 'matcher',
      help: 'New matchers, in place of all old ones',
    },
    ...ALL_ALERTS,
  },
  examples: [
    { run: 'svc silences update 2f1a --extend 2h', why: 'Two hours more' },
    {
      run: 'svc silences update 2f1a --matcher alertname=NodeDown --matcher instance=~"web-[12]:9100"',
      why: 'Other matchers',
    },
    { run: 'svc silences update 2f1a --until 2026-12-01T06:00:00Z --dry-run', why: 'See the request first' },
  ],
  output: POSTED_RECORD,
  offers: postedCandidates,
  async run(input, ctx) {
    const matchers = parseMatcherArguments(input.matcher, ctx.notice);
    const ending = [input.for, input.until, input.extend].filter((value) => value !== undefined);
    if (ending.length > 1) throw new SvcError('usage', '--for, --until and --extend each say when it ends: give one');
    if (
      ending.length === 0 &&
      matchers.length === 0 &&
      [input.from, input.comment, input.author].every((value) => value === undefined)
    ) {
      throw new SvcError('usage', 'nothing is to change', { hint: 'see svc silences update --help' });
    }
    if (input.comment !== undefined && input.comment.trim() === '')
      throw new SvcError('invalid_value', '--comment: is empty');
    const alertmanager = openAlertmanager(ctx.target);
    const silence = await findSilence(alertmanager, input.id);
    const draft = applyChanges(silence, {
      matchers: matchers.length === 0 ? undefined : matchers,
      startsAt: input.from?.iso,
      endsAt: newEnd(input, silence.endsAt, ctx.now()),
      createdBy: input.author,
      comment: input.comment,
    });
    const writer = new SilenceWriter(alertmanager, ctx, input);
    const checked = await writer.checkUpdate(silence, draft);
    await writer.ask([checked]);
    return { value: await writer.post(checked) };
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
