import { recordCommand } from '../../../cli/command.ts';
import type { Instant } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { openAlertmanager } from '../../alerts/api.ts';
import { findSilences } from '../../alerts/ids.ts';
import { parseMatcherArguments } from '../../alerts/matcher-arguments.ts';
import type { Silence } from '../../alerts/schema.ts';
import { OUTCOME_LIST, POSTED_RECORD } from '../columns.ts';
import { applyChanges } from '../draft.ts';
import { NONE_MATCH, TARGET_IDS, typedIds } from '../selection.ts';
import { ALL_ALERTS, changeEach, expiredError, refuseBlank, type SilenceStep, SilenceWriter } from '../writer.ts';

const CHANGED_LIST = { ...OUTCOME_LIST, empty: NONE_MATCH };

export const silencesUpdate = recordCommand({
  id: 'silences update',
  suggestFor: ['edit'],
  summary: 'Change the comment, author or matchers of silences',
  description:
    'If the matchers change, the server expires the silence and creates one with another id. Matchers that mute more are checked like a new silence. To move the end, use svc silences extend.',
  details:
    'Several silences are reported as by svc silences extend, with the result updated; if one cannot be changed, svc continues with the others.',
  effect: 'write',
  service: 'alerts',
  args: { id: { ...TARGET_IDS.id, required: true } },
  flags: {
    comment: { type: 'string', short: 'c', value: 'text', check: refuseBlank, help: 'New comment' },
    author: { type: 'string', value: 'name', help: 'New author' },
    matcher: {
      type: 'string',
      short: 'm',
      repeat: true,
      help: 'New matchers of one silence (replace all)',
    },
    // The options of `amtool silence update`.
    duration: { type: 'duration', short: 'd', positive: true, hidden: true, help: 'How long it lasts, from its start' },
    start: { type: 'time', bare: 'forward', hidden: true, help: 'New start' },
    end: { type: 'time', bare: 'forward', hidden: true, help: 'New end' },
    ...ALL_ALERTS,
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc silences update 2f1a -c "CHG-1042, approved"', why: 'Change the comment' },
    { run: 'svc silences update 2f1a -m NodeDown -m instance=~"web-[12]:9100"', why: 'Replace the matchers' },
  ],
  output: POSTED_RECORD,
  outputOf: (input) => (isSingle(input) ? POSTED_RECORD : CHANGED_LIST),
  async run(input, ctx) {
    const alertmanager = openAlertmanager(ctx.target);
    const { comment, author } = input;
    const matchers = parseMatcherArguments(input.matcher, ctx.notice);
    const times = [input.duration, input.start, input.end].filter((time) => time !== undefined);
    const fields = [comment, author].filter((field) => field !== undefined);
    if ([...fields, ...times, ...matchers].length === 0) {
      throw new SvcError('usage', 'no change is specified', { hint: 'see svc silences update --help' });
    }
    if (matchers.length > 0 && !isSingle(input)) {
      throw new SvcError('usage', '--matcher changes one silence only', { hint: 'name the silence by its id' });
    }
    const writer = new SilenceWriter(alertmanager, ctx, input);
    const check = (silence: Silence) => {
      const changes = {
        matchers: matchers.length === 0 ? undefined : matchers,
        createdBy: author,
        comment,
        ...changedTimes(silence, input),
      };
      return writer.checkUpdate(silence, applyChanges(silence, changes));
    };
    const found = await findSilences(alertmanager, await typedIds(input.id, ctx));
    if (!isSingle(input)) {
      const each = async (silence: Silence): Promise<SilenceStep> =>
        expiredError(silence) ?? { result: 'updated', ...(await check(silence)) };
      return { ...(await changeEach(found, each, writer)), as: CHANGED_LIST };
    }
    const [named] = found;
    if (named?.silence === undefined) throw named?.error;
    const checked = await check(named.silence);
    await writer.ask([checked]);
    return { value: await writer.post(checked) };
  },
});

interface NewTimes {
  readonly duration: number | undefined;
  readonly start: Instant | undefined;
  readonly end: Instant | undefined;
}

/** As in amtool, the duration begins at the start of the silence. */
function changedTimes({ startsAt }: Silence, { duration, start, end }: NewTimes) {
  if (duration !== undefined && end !== undefined)
    throw new SvcError('usage', '--duration and --end cannot be used together');
  const begins = Date.parse(start?.iso ?? startsAt);
  const endsAt = duration === undefined ? end?.iso : new Date(begins + duration).toISOString();
  return { startsAt: start?.iso, endsAt };
}

/** One silence, named by its id: its record is printed. */
function isSingle({ id }: { readonly id: readonly string[] }): boolean {
  return id.length === 1 && id[0] !== '-';
}
