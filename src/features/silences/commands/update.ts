import { recordCommand } from '../../../cli/command.ts';
import type { Instant } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { requireRelease } from '../../alerts/api.ts';
import { parseMatcherArguments } from '../../alerts/matcher.ts';
import type { Silence } from '../../alerts/schema.ts';
import { OUTCOME_LIST, POSTED_RECORD, postedCandidates } from '../columns.ts';
import { applyChanges, type SilenceChanges } from '../draft.ts';
import { foundSilences, NONE_MATCH, PROMPTED_IDS, TARGET_FLAGS } from '../selection.ts';
import { WAIT, waiting } from '../waiting.ts';
import { ALL_ALERTS, ANNOTATION, changeEach, expiredError, SilenceWriter } from '../writer.ts';

const CHANGED_LIST = { ...OUTCOME_LIST, empty: NONE_MATCH };

export const silencesUpdate = recordCommand({
  id: 'silences update',
  summary: 'Change silences',
  description:
    'Without ids, options select active and pending silences that meet all of them. If the start or the matchers change, the server expires the silence and creates one with another id. A change that mutes more, or for longer, is checked like a new silence.',
  details:
    'With ids, --comment is the new comment. Without ids, --comment selects silences, and --new-comment changes them. Several silences are reported as by svc silences extend, with the result updated; if one cannot be changed, svc continues with the others.',
  effect: 'write',
  service: 'alerts',
  args: PROMPTED_IDS,
  flags: {
    for: { type: 'duration', formerly: ['duration'], short: 'd', positive: true, help: 'End it this long after now' },
    until: { type: 'time', formerly: ['end'], bare: 'forward', help: 'When it ends' },
    extend: { type: 'duration', positive: true, help: 'Move the end by this much' },
    from: { type: 'time', formerly: ['start'], bare: 'forward', help: 'When it starts' },
    'new-comment': { type: 'string', value: 'text', help: 'New comment' },
    author: { type: 'string', value: 'name', help: 'New author' },
    matcher: {
      type: 'string',
      short: 'm',
      repeat: true,
      complete: 'matchers',
      help: 'New matchers of one silence (replace all)',
    },
    ...ANNOTATION,
    ...ALL_ALERTS,
    ...TARGET_FLAGS,
    comment: { ...TARGET_FLAGS.comment, short: 'c', help: 'With ids: the new comment; else select' },
    ...WAIT,
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc silences update 2f1a --extend 2h', why: 'Extend it by two hours' },
    { run: 'svc silences update 2f1a -m NodeDown -m instance=~"web-[12]:9100"', why: 'Replace the matchers' },
    {
      run: 'svc silences update --comment CHG-1042 --for 2h --new-comment "CHG-1042, extended"',
      why: 'Change every silence of one change',
    },
  ],
  output: POSTED_RECORD,
  offers: postedCandidates,
  outputOf: (input) => (isSingle(input) ? POSTED_RECORD : CHANGED_LIST),
  run: waiting(async (input, ctx, alertmanager) => {
    const matchers = parseMatcherArguments(input.matcher, ctx.notice);
    const ending = [input.for, input.until, input.extend].filter((value) => value !== undefined);
    if (ending.length > 1) throw new SvcError('usage', 'only one of --for, --until and --extend can be used');
    const { comment, targets } = commentAndTargets(input);
    const annotations = Object.keys(input.annotation);
    if (
      ending.length === 0 &&
      matchers.length === 0 &&
      annotations.length === 0 &&
      [input.from, comment, input.author].every((value) => value === undefined)
    ) {
      const hint =
        input.comment === undefined ? 'see svc silences update --help' : 'without ids, --comment only selects';
      throw new SvcError('usage', 'no change is specified', { hint });
    }
    if (matchers.length > 0 && !isSingle(input)) {
      throw new SvcError('usage', '--matcher changes one silence only', { hint: 'name the silence by its id' });
    }
    if (annotations.length > 0) await requireRelease('0.32', '--annotation', alertmanager, ctx);
    const writer = new SilenceWriter(alertmanager, ctx, input);
    const check = (silence: Silence) => {
      const changes: SilenceChanges = {
        matchers: matchers.length === 0 ? undefined : matchers,
        startsAt: input.from?.iso,
        endsAt: newEnd(input, silence.endsAt, ctx.now()),
        createdBy: input.author,
        comment,
        annotations: annotations.length === 0 ? undefined : { ...silence.annotations, ...input.annotation },
      };
      return writer.checkUpdate(silence, applyChanges(silence, changes));
    };
    const found = await foundSilences(targets, alertmanager, ctx);
    if (!isSingle(input)) {
      const each = (silence: Silence) => expiredError(silence) ?? check(silence);
      return { ...(await changeEach(found, 'updated', each, writer)), as: CHANGED_LIST };
    }
    const [named] = found;
    if (named?.silence === undefined) throw named?.error;
    const checked = await check(named.silence);
    await writer.ask([checked]);
    return { value: await writer.post(checked) };
  }),
});

/** One silence, named by its id: its record is printed. */
function isSingle({ id }: { readonly id: readonly string[] }): boolean {
  return id.length === 1 && id[0] !== '-';
}

interface Comments {
  readonly id: readonly string[];
  readonly comment: string | undefined;
  readonly newComment: string | undefined;
}

/** Without ids, `--comment` selects silences, as in the other commands. */
function commentAndTargets<T extends Comments>(input: T) {
  const { newComment } = input;
  const isNamed = input.id.length > 0;
  if (isNamed && input.comment !== undefined && newComment !== undefined) {
    throw new SvcError('usage', 'with ids, --comment and --new-comment cannot be used together');
  }
  const comment = newComment ?? (isNamed ? input.comment : undefined);
  if (comment !== undefined && comment.trim() === '') {
    throw new SvcError('invalid_value', `--${newComment === undefined ? '' : 'new-'}comment: is empty`);
  }
  return { comment, targets: isNamed ? { ...input, comment: undefined } : input };
}

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
