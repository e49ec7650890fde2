import { listCommand } from '../../../cli/command.ts';
import type { Instant } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import { type Alertmanager, openAlertmanager } from '../../alerts/api.ts';
import { findSilences } from '../../alerts/ids.ts';
import type { Silence } from '../../alerts/schema.ts';
import { OUTCOME_LIST, undoSilences } from '../columns.ts';
import { applyChanges, ensured } from '../draft.ts';
import { chosenSilences, confirmSilences, NONE_MATCH, TARGET_FLAGS, TARGET_IDS } from '../selection.ts';
import { ALL_ALERTS, changeEach, type SilenceStep, SilenceWriter } from '../writer.ts';

export const silencesExtend = listCommand({
  id: 'silences extend',
  summary: 'Extend silences, or create expired ones again',
  description:
    '--for adds to the end of a silence; --until sets it, unless it already ends later. An expired silence is created again from now on, with a new id. Each is checked like a new silence, and one that fails does not stop the others. Without ids, options select active and pending silences; --all asks first.',
  details:
    'In JSON, id is the silence in force now, and previous_id the one that it replaces. The result is extended, created (again, after it expired), unchanged (it already lasts that long), not-found or error. For an expired silence, an equal one that is active is extended instead, so that the same line can run again from cron.',
  effect: 'write',
  service: 'alerts',
  clusters: {},
  args: TARGET_IDS,
  flags: {
    for: {
      type: 'duration',
      aliases: ['duration'],
      short: 'd',
      positive: true,
      promptUnless: ['until'],
      help: 'How much longer it lasts',
    },
    until: { type: 'time', aliases: ['end'], bare: 'forward', help: 'When it ends' },
    ...ALL_ALERTS,
    ...TARGET_FLAGS,
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc silences extend 2f1a --for 2h', why: 'Add two hours, or mute again for two hours' },
    { run: 'svc silences extend --comment CHG-1042 --for 2h', why: 'Extend every silence of one change' },
    {
      run: 'svc silences list --within 1h -q | svc silences extend - --for 1h',
      why: 'Extend the silences that another command prints',
    },
  ],
  output: { ...OUTCOME_LIST, empty: NONE_MATCH },
  async run(input, ctx) {
    const alertmanager = openAlertmanager(ctx.target);
    const now = ctx.startedAt;
    const endAfter = newEnd(input, now);
    const chosen = await chosenSilences(input, alertmanager, ctx);
    const found =
      'ids' in chosen
        ? await findSilences(alertmanager, chosen.ids)
        : chosen.selected.map((silence) => ({ typed: silence.id, silence }));
    if (input.all) await confirmSilences('Extend', found, ctx);
    const writer = new SilenceWriter(alertmanager, ctx, input);
    const answer = await changeEach(
      found,
      async (silence) => {
        if (silence.status.state === 'expired') return createAgain(silence, now, endAfter(now), alertmanager, writer);
        const end = Date.parse(silence.endsAt);
        const later = endAfter(end);
        if (later <= end) return unchanged(silence);
        const draft = applyChanges(silence, { endsAt: new Date(later).toISOString() });
        return { result: 'extended', ...(await writer.checkUpdate(silence, draft)) };
      },
      writer,
    );
    const { value } = answer;
    const created = value instanceof Plan ? [] : value.filter(({ result }) => result === 'created');
    return { ...answer, ...undoSilences(created.map(({ id }) => ({ id }))) };
  },
});

interface Ending {
  readonly for: number | undefined;
  readonly until: Instant | undefined;
}

/** The new end, in milliseconds, of what ends at the given time. */
function newEnd({ for: duration, until }: Ending, now: number): (end: number) => number {
  if (until === undefined) {
    if (duration !== undefined) return (end) => end + duration;
    throw new SvcError('missing_value', '--for or --until is required', { hint: 'pass --for 1h, or --until 18:00' });
  }
  if (duration !== undefined) throw new SvcError('usage', '--for and --until cannot be used together');
  if (until.ms > now) return () => until.ms;
  throw new SvcError('invalid_value', `--until: ${until.iso} is in the past`, {
    hint: 'to expire silences now: svc silences expire <id>',
  });
}

/** An equal silence may exist from an earlier run: another would mute the same alerts twice. */
async function createAgain(
  silence: Silence,
  start: number,
  end: number,
  alertmanager: Alertmanager,
  writer: SilenceWriter,
): Promise<SilenceStep> {
  const times = { startsAt: new Date(start).toISOString(), endsAt: new Date(end).toISOString() };
  const { id: _, ...draft } = applyChanges(silence, times);
  const isEqual = ({ createdBy, comment }: Silence) => createdBy === draft.createdBy && comment === draft.comment;
  const found = await ensured(draft, alertmanager, isEqual);
  if (found.present !== undefined) return { ...unchanged(found.present), previous_id: silence.id };
  const { wanted } = found;
  return { result: wanted.id === undefined ? 'created' : 'extended', ...(await writer.check(wanted)) };
}

function unchanged({ id, matchers, endsAt, comment }: Silence) {
  const message = 'it already lasts until then';
  return { id, previous_id: null, result: 'unchanged', matchers, endsAt, comment, message } as const;
}
