import { listCommand, type RunContext } from '../../cli/command.ts';
import type { Flags, Input } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
import { type AnyOutput, type ListOutput, RawJson } from '../../output/types.ts';
import { silenceCandidates } from '../../services/alertmanager/candidates.ts';
import { formatMatcher } from '../../services/alertmanager/matcher.ts';
import type { Silence } from '../../services/alertmanager/schema.ts';
import type { SilenceSelection } from '../../services/alertmanager/silence-selection.ts';
import { COUNTED_COLUMNS, type CountedSilence, SILENCE_COLUMNS } from '../../views/silences.ts';
import { kept } from '../alerts/list.ts';

/** What tells silences apart by more than their ids, for all commands that take many of them. */
export const SELECTION_FLAGS = {
  'created-by': {
    type: 'string',
    value: 'author',
    help: 'Only of this author; me for yourself, ~regex for a pattern',
  },
  comment: { type: 'string', value: 'text', help: 'Only with this text in the comment; ~regex for a pattern' },
  'for-alert': {
    type: 'string',
    value: 'fingerprint|matcher',
    repeat: true,
    complete: 'fingerprints',
    help: 'Only those that mute this alert now, as the server says',
  },
  matching: { type: 'pairs', help: 'Only those that would mute an alert with these labels' },
  unused: { type: 'boolean', help: 'Only active ones that mute no alert now' },
} as const satisfies Flags;

/** Which states a list has: active and pending ones unless told otherwise. */
export const STATE_FLAGS = {
  state: {
    type: 'choice',
    repeat: true,
    choices: ['active', 'pending', 'expired'],
    help: 'Only silences in this state (default active, pending)',
  },
  expired: { type: 'boolean', help: 'Only expired ones, as --state expired' },
  all: { type: 'boolean', short: 'a', help: 'Silences in every state' },
  within: {
    type: 'duration',
    positive: true,
    help: 'Only those that end within this time, or with --expired ended within it',
  },
} as const satisfies Flags;

const SILENCE_LIST: ListOutput<Silence> = {
  kind: 'list',
  columns: SILENCE_COLUMNS,
  id: ({ id }) => id,
  empty: 'no such silences (expired ones are listed with -a)',
};
const COUNTED_LIST: ListOutput<CountedSilence> = { ...SILENCE_LIST, columns: COUNTED_COLUMNS, id: ({ id }) => id };

export const silencesList = listCommand({
  id: 'silences list',
  aliases: ['ls', 'query'],
  summary: 'List silences, active and pending ones unless told otherwise',
  description:
    'Matchers are compared with those of the silences as text: instance="web-1" does not find a silence of instance=~"web.*", --for-alert and --matching do. --with-counts adds the field alertCount to each silence.',
  effect: 'read',
  service: 'alerts',
  args: { matcher: { help: 'Only silences that have all of these very matchers', repeat: true } },
  flags: {
    ...STATE_FLAGS,
    ...SELECTION_FLAGS,
    'with-counts': { type: 'boolean', help: 'Count the alerts that each mutes now' },
    limit: { type: 'integer', value: 'n', min: 0, help: 'At most so many' },
  },
  examples: [
    { run: 'svc silences list', why: 'What is muted now' },
    { run: 'svc silences list --created-by me --within 3d', why: 'Mine, about to end' },
    { run: 'svc silences list --for-alert 1a58c20e', why: 'What mutes this alert' },
    { run: 'svc silences list --matching alertname=NodeDown --matching team=db', why: 'What would mute such an alert' },
    { run: 'svc silences list --expired --within 2h --comment "~CHG-[0-9]+"', why: 'Ended lately, by change number' },
  ],
  output: SILENCE_LIST,
  outputOf: ({ withCounts }): AnyOutput => (withCounts ? COUNTED_LIST : SILENCE_LIST),
  offers: silenceCandidates,
  async run(input, ctx) {
    const { openAlertmanager } = await import('../../services/alertmanager/client.ts');
    const { countsBySilence, selectsByState, silenceTest } = await import(
      '../../services/alertmanager/silence-selection.ts'
    );
    const selection = { ...selectionOf(input, ctx), ...statesOf(input) };
    const filter = await silenceFilter(input.matcher, ctx);
    const alertmanager = openAlertmanager(ctx.target);
    if (ctx.wants.rawJson && selection.states === undefined && selectsByState(selection) && !input.withCounts) {
      return { value: new RawJson(await alertmanager.silencesRaw(filter)) };
    }
    const wanted = await silenceTest(selection, alertmanager, ctx.now());
    const silences = kept(alertmanager.silences(filter), wanted);
    if (!input.withCounts) return { value: silences };
    return { value: counted(silences, await countsBySilence(alertmanager)), as: COUNTED_LIST };
  },
});

async function* counted(
  silences: AsyncIterable<Silence>,
  counts: ReadonlyMap<string, number>,
): AsyncGenerator<CountedSilence> {
  for await (const silence of silences) yield { ...silence, alertCount: counts.get(silence.id) ?? 0 };
}

/** The part of a selection that `SELECTION_FLAGS` say. */
export function selectionOf(
  { createdBy, comment, forAlert, matching, unused }: Input<Record<never, never>, typeof SELECTION_FLAGS>,
  ctx: Pick<RunContext, 'settings' | 'identity'>,
): Omit<SilenceSelection, 'states' | 'within'> {
  return { createdBy: createdBy === 'me' ? author(ctx) : createdBy, comment, forAlert, matching, unused };
}

/** The part that `STATE_FLAGS` say. */
export function statesOf({
  state,
  expired,
  all,
  within,
}: Input<Record<never, never>, typeof STATE_FLAGS>): Pick<SilenceSelection, 'states' | 'within'> {
  if (expired && state.some((one) => one !== 'expired')) {
    throw new SvcError('usage', '--expired and --state name different states', {
      hint: 'use --state alone: --state expired --state active',
    });
  }
  if (all && (expired || state.length > 0)) {
    throw new SvcError('usage', `--all and --${expired ? 'expired' : 'state'} contradict each other`);
  }
  if (all) return { states: undefined, within };
  return { states: new Set(expired ? ['expired'] : state.length > 0 ? state : ['active', 'pending']), within };
}

/** What the server filters silences by. */
export async function silenceFilter(
  matcher: readonly string[],
  ctx: Pick<RunContext, 'notice'>,
): Promise<readonly string[]> {
  const { parseMatcherArguments } = await import('../../services/alertmanager/matcher-argument.ts');
  const { matchers, notices } = parseMatcherArguments(matcher);
  for (const notice of notices) ctx.notice(notice);
  return matchers.map(formatMatcher);
}

/** The author that new silences get, and that `--created-by me` looks for. */
export function author(ctx: {
  readonly settings: { get(key: string): string | undefined };
  readonly identity: string;
}): string {
  return ctx.settings.get('alerts.author') ?? ctx.identity;
}
