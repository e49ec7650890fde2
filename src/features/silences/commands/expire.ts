import { bulk, bulkAnswer } from '../../../cli/bulk.ts';
import { listCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { type Confirmed, Plan } from '../../../http/endpoint.ts';
import type { Tone } from '../../../output/types.ts';
import { type Alertmanager, ifPossible, isUuid, openAlertmanager } from '../../alerts/api.ts';
import { pickSilence } from '../../alerts/ids.ts';
import type { Silence } from '../../alerts/schema.ts';
import { collect } from '../../alerts/selection.ts';
import { chosenSilences, confirmSilences, NONE_MATCH, TARGET_FLAGS, TARGET_IDS } from '../selection.ts';
import { SILENCES_AT_ONCE } from '../writer.ts';

interface Expired {
  readonly id: string;
  readonly result: 'expired' | 'already-expired' | 'not-found' | 'error';
  readonly message: string | null;
}

const TONES: Readonly<Record<Expired['result'], Tone>> = {
  expired: 'good',
  'already-expired': 'dim',
  'not-found': 'bad',
  error: 'bad',
};

export const silencesExpire = listCommand({
  id: 'silences expire',
  aliases: ['delete', 'rm'],
  suggestFor: ['unmute', 'unsilence'],
  summary: 'Expire silences',
  description:
    'The muted alerts notify again. If one silence cannot be expired, svc continues with the others. Without ids, options select active and pending silences that meet all of them.',
  effect: 'destroy',
  service: 'alerts',
  clusters: {},
  args: TARGET_IDS,
  flags: TARGET_FLAGS,
  exits: ['partly_done'],
  examples: [
    { run: 'svc silences expire 2f1a 77c0', why: 'Expire two silences by prefixes of their ids' },
    { run: 'svc silences expire --unused --yes', why: 'From cron: expire what mutes nothing' },
    {
      run: 'svc silences list --within 1h -q | svc silences expire - --yes',
      why: 'Expire the silences that another command prints',
    },
  ],
  output: {
    kind: 'list',
    columns: [
      { name: 'id', cell: ({ id }: Expired) => id },
      { name: 'result', cell: ({ result }: Expired) => ({ text: result, tone: TONES[result] }) },
      { name: 'message', cell: ({ message }: Expired) => message, shrinks: true },
    ],
    id: ({ id }) => id,
    empty: NONE_MATCH,
  },
  async run(input, ctx) {
    const alertmanager = openAlertmanager(ctx.target);
    const chosen = await chosenSilences(input, alertmanager, ctx);
    const targets = 'ids' in chosen ? await readTargets(chosen.ids, alertmanager) : chosen.selected.map(toTarget);
    const open = targets.filter(({ error, silence }) => error === undefined && silence?.status.state !== 'expired');
    const confirmed = await confirmSilences('Expire', open, ctx);
    const outcome = await bulk(targets, SILENCES_AT_ONCE, (target) => expireOne(target, alertmanager, confirmed));
    const answer = bulkAnswer(outcome, ({ id }, { code, message }): Expired => {
      return { id, result: code === 'not_found' ? 'not-found' : 'error', message };
    });
    return answer.value instanceof Plan ? answer : { ...answer, undo: undoLines(answer.value, open) };
  },
});

const MOST_UNDO_LINES = 5;

/** Make the silences that were active again, until the end that each had. */
function undoLines(rows: readonly Expired[], targets: readonly ExpireTarget[]): readonly (readonly string[])[] {
  const lines: (readonly string[])[] = [];
  for (const { id, result } of rows) {
    const silence = targets.find((target) => target.id === id)?.silence;
    if (result !== 'expired' || silence?.status.state !== 'active') continue;
    lines.push(['silences', 'extend', id, '--until', silence.endsAt]);
  }
  return lines.length > MOST_UNDO_LINES ? [] : lines;
}

interface ExpireTarget {
  readonly id: string;
  /** Undefined if it could not be read. */
  readonly silence?: Silence | undefined;
  /** Why no silence was found. */
  readonly error?: SvcError;
}

function toTarget(silence: Silence): ExpireTarget {
  return { id: silence.id, silence };
}

/** Full ids are expired even if the server cannot show the silences. */
async function readTargets(ids: readonly string[], alertmanager: Alertmanager): Promise<readonly ExpireTarget[]> {
  const typed = [...new Set(ids.map((id) => (isUuid(id) ? id.toLowerCase() : id)))];
  const [first = '', ...others] = typed;
  const read = async () =>
    others.length === 0 && isUuid(first) ? [await alertmanager.silence(first)] : collect(alertmanager.silences());
  const silences = typed.every(isUuid) ? ((await ifPossible(read)) ?? []) : await read();
  return [...new Map(typed.map((id) => resolve(id, silences)).map((target) => [target.id, target])).values()];
}

function resolve(typed: string, silences: readonly Silence[]): ExpireTarget {
  if (isUuid(typed)) return { id: typed, silence: silences.find(({ id }) => id === typed) };
  try {
    return toTarget(pickSilence(silences, typed));
  } catch (error) {
    if (error instanceof SvcError) return { id: typed, error };
    throw error;
  }
}

async function expireOne(
  { id, silence, error }: ExpireTarget,
  alertmanager: Alertmanager,
  confirmed: Confirmed | undefined,
): Promise<Expired | Plan> {
  if (silence?.status.state === 'expired') {
    return { id, result: 'already-expired', message: `it ended at ${silence.endsAt}` };
  }
  if (error !== undefined || confirmed === undefined) throw error;
  const plan = await alertmanager.deleteSilence(id, confirmed);
  return plan ?? { id, result: 'expired', message: null };
}
