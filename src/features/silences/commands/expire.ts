import { bulk, bulkAnswer } from '../../../cli/bulk.ts';
import { listCommand, type RunContext } from '../../../cli/command.ts';
import { spellPair } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { type Confirmed, Plan } from '../../../http/endpoint.ts';
import type { Tone } from '../../../output/types.ts';
import { type Alertmanager, ifPossible, isUuid, openAlertmanager } from '../../alerts/api.ts';
import { pickSilence } from '../../alerts/ids.ts';
import { matcherFrom } from '../../alerts/matcher.ts';
import { isWide } from '../../alerts/matching.ts';
import type { Silence } from '../../alerts/schema.ts';

import { collect } from '../../alerts/selection.ts';
import { matcherTexts } from '../columns.ts';
import {
  asks,
  chosenSilences,
  chosenText,
  confirmSilences,
  NONE_MATCH,
  TARGET_FLAGS,
  TARGET_IDS,
  UNUSED_DETAILS,
  UNUSED_FOR,
} from '../selection.ts';
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
  details: UNUSED_DETAILS,
  effect: 'destroy',
  service: 'alerts',
  clusters: {},
  args: TARGET_IDS,
  flags: {
    ...TARGET_FLAGS,
    ...UNUSED_FOR,
    'ignore-missing': { type: 'boolean', help: 'Do not fail if a silence does not exist' },
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc silences expire 2f1a 77c0', why: 'Expire two silences by prefixes of their ids' },
    { run: 'svc silences expire --unused --for 7d --yes', why: 'From cron: expire what mutes nothing' },
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
    const chosen = await chosenSilences({ ...input, unusedFor: input.for }, alertmanager, ctx);
    const byOptions = 'selected' in chosen;
    const targets = byOptions ? chosen.selected.map(targetOf) : await named(chosen.ids, alertmanager, ctx);
    const confirmed = await approve(targets, byOptions, ctx);
    const known = ctx.dryRun ? targets : await withStates(targets, alertmanager);
    const outcome = await bulk(known, SILENCES_AT_ONCE, (target) =>
      expireOne(target, alertmanager, input.ignoreMissing, confirmed),
    );
    const answer = bulkAnswer(outcome, ({ id }, { code, message }): Expired => {
      return { id, result: code === 'not_found' ? 'not-found' : 'error', message };
    });
    const { value } = answer;
    return value instanceof Plan ? answer : { ...answer, undo: await undoing(value, known) };
  },
});

const MOST_UNDO_LINES = 5;

/** Extends the silences to their former ends. Recreates pending ones, which would start at once. */
async function undoing(rows: readonly Expired[], targets: readonly ExpireTarget[]): Promise<readonly UndoLine[]> {
  const silences = new Map(targets.map(({ id, silence }) => [id, silence]));
  const extended = new Map<string, { readonly ids: string[]; readonly options: UndoLine }>();
  const created: UndoLine[] = [];
  for (const { id, result } of rows) {
    const silence = silences.get(id);
    if (result !== 'expired' || silence === undefined) continue;
    const allAlerts = (await isWide(silence.matchers.map(matcherFrom))) ? ['--all-alerts'] : [];
    if (silence.status.state === 'pending') created.push([...creationOf(silence), ...allAlerts]);
    if (silence.status.state !== 'active') continue;
    const options = ['--until', silence.endsAt, ...allAlerts];
    const same = extended.get(options.join());
    if (same === undefined) extended.set(options.join(), { ids: [id], options });
    else same.ids.push(id);
  }
  const extending = [...extended.values()].map(({ ids, options }) => ['silences', 'extend', ...ids, ...options]);
  const lines = [...extending, ...created];
  return lines.length > MOST_UNDO_LINES ? [] : lines;
}

type UndoLine = readonly string[];

function creationOf(silence: Silence): UndoLine {
  const { startsAt, endsAt, createdBy, comment, annotations } = silence;
  const pairs = Object.entries(annotations ?? {}).flatMap(([name, text]) => ['--annotation', spellPair(name, text)]);
  const times = ['--from', startsAt, '--until', endsAt];
  const texts = [...(createdBy === '' ? [] : ['--author', createdBy]), '-c', comment || 'without a comment'];
  return ['silences', 'create', ...matcherTexts(silence), ...times, ...texts, ...pairs];
}

async function expireOne(
  { id, silence, error }: ExpireTarget,
  alertmanager: Alertmanager,
  ignoreMissing: boolean,
  confirmed: Confirmed | undefined,
): Promise<Expired | Plan> {
  if (silence?.status.state === 'expired') {
    return { id, result: 'already-expired', message: `it ended at ${silence.endsAt}` };
  }
  try {
    if (error !== undefined || confirmed === undefined) throw error;
    const plan = await alertmanager.deleteSilence(id, confirmed);
    if (plan !== undefined) return plan;
  } catch (failure) {
    if (!ignoreMissing || !(failure instanceof SvcError) || failure.code !== 'not_found') throw failure;
    return { id, result: 'not-found', message: null };
  }
  return { id, result: 'expired', message: null };
}

async function named(ids: readonly string[], alertmanager: Alertmanager, ctx: RunContext): Promise<ExpireTarget[]> {
  const typed = [...new Set(ids.map((id) => id.toLowerCase()))];
  // Full ids need no request, except to show the silences before the question.
  const silences = asks(ctx) || !typed.every(isUuid) ? await collect(alertmanager.silences()) : [];
  return [...new Map(typed.map((id) => resolve(id, silences)).map((target) => [target.id, target])).values()];
}

/** Undefined if none of them can be expired. */
function approve(
  targets: readonly ExpireTarget[],
  byOptions: boolean,
  ctx: RunContext,
): Promise<Confirmed | undefined> {
  const found = targets.filter(({ error, silence }) => error === undefined && silence?.status.state !== 'expired');
  if (byOptions && found.length > 0 && !asks(ctx)) ctx.notice(chosenText(found.length));
  return confirmSilences('Expire', found, ctx);
}

/** Finds those that already expired. A failure to read the states does not stop the command. */
async function withStates(
  targets: readonly ExpireTarget[],
  alertmanager: Alertmanager,
): Promise<readonly ExpireTarget[]> {
  const unread = targets.filter(({ silence, error }) => silence === undefined && error === undefined);
  const [first, ...others] = unread;
  if (first === undefined) return targets;
  const silences = await ifPossible(async () =>
    others.length === 0 ? [await alertmanager.silence(first.id)] : collect(alertmanager.silences()),
  );
  const byId = new Map(silences?.map((silence) => [silence.id, silence]));
  return targets.map((target) => ({ ...target, silence: target.silence ?? byId.get(target.id) }));
}

interface ExpireTarget {
  readonly id: string;
  /** Undefined if the silences were not read. */
  readonly silence?: Silence | undefined;
  readonly error?: SvcError;
}

function targetOf(silence: Silence): ExpireTarget {
  return { id: silence.id, silence };
}

function resolve(typed: string, silences: readonly Silence[]): ExpireTarget {
  if (isUuid(typed)) return { id: typed, silence: silences.find(({ id }) => id === typed) };
  try {
    return targetOf(pickSilence(silences, typed));
  } catch (error) {
    if (error instanceof SvcError) return { id: typed, error };
    throw error;
  }
}
