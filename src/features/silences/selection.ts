/** The options that select silences: by state, author, comment and end, and by what they mute. */

import type { RunContext } from '../../cli/command.ts';
import type { Flags, Input } from '../../cli/flags.ts';
import { MOST_CHOICES, tellCommand } from '../../cli/wizard.ts';
import { SvcError } from '../../errors.ts';
import type { Alertmanager } from '../alerts/api.ts';
import { findAlert, isFingerprintPrefix } from '../alerts/ids.ts';
import { formatMatcher, matcherFrom } from '../alerts/matcher.ts';
import { parseMatcherArguments } from '../alerts/matcher-argument.ts';
import { labelTest } from '../alerts/matching.ts';
import type { Silence } from '../alerts/schema.ts';
import { FILTERS, filterAsync } from '../alerts/selection.ts';
import { author } from './writer.ts';

export const SELECTION_FLAGS = {
  'created-by': {
    type: 'string',
    group: FILTERS,
    value: 'author',
    help: 'Only of this author (me, or ~regex)',
  },
  comment: {
    type: 'string',
    group: FILTERS,
    value: 'text',
    help: 'Comment has this text (or ~regex)',
  },
  'for-alert': {
    type: 'string',
    group: FILTERS,
    value: 'fingerprint|matcher',
    repeat: true,
    complete: 'fingerprints',
    help: 'Only silences that mute this alert',
  },
  matching: { type: 'pairs', group: FILTERS, help: 'Only silences that match these labels' },
  unused: { type: 'boolean', group: FILTERS, help: 'Only active silences that mute no alert now' },
} as const satisfies Flags;

export const STATE_FLAGS = {
  state: {
    type: 'choice',
    group: FILTERS,
    repeat: true,
    choices: ['active', 'pending', 'expired'],
    help: 'In this state (default active, pending)',
  },
  expired: { type: 'boolean', group: FILTERS, help: 'Same as --state expired' },
  all: { type: 'boolean', group: FILTERS, short: 'a', help: 'Silences in every state' },
  within: {
    type: 'duration',
    group: FILTERS,
    positive: true,
    help: 'Ends (or ended) within this time',
  },
} as const satisfies Flags;

export type SilenceSelection = Input<Record<never, never>, typeof SELECTION_FLAGS> & {
  /** Undefined for every state. */
  readonly states: ReadonlySet<string> | undefined;
  /** Milliseconds. */
  readonly within: number | undefined;
};

export const CURRENT = ['active', 'pending'];

export async function selectedSilences(
  selection: SilenceSelection,
  filter: readonly string[],
  alertmanager: Alertmanager,
  ctx: Pick<RunContext, 'now' | 'settings' | 'identity'>,
): Promise<AsyncIterable<Silence>> {
  const now = ctx.now();
  const { states, within, createdBy, comment, matching, forAlert, unused } = selection;
  const byAuthor = textTest(
    createdBy === 'me' ? author(ctx) : createdBy,
    'created-by',
    (text, wanted) => text === wanted,
  );
  const byComment = textTest(comment, 'comment', (text, wanted) => text.includes(wanted));
  const muting = forAlert.length === 0 ? undefined : await silencesOf(forAlert, alertmanager);
  const used = unused ? await countsBySilence(alertmanager) : undefined;
  const silences = filterAsync(
    alertmanager.silences(filter),
    (silence) =>
      (states === undefined || states.has(silence.status.state)) &&
      (within === undefined || endsWithin(silence, within, now)) &&
      byAuthor(silence.createdBy) &&
      byComment(silence.comment) &&
      (muting === undefined || muting.has(silence.id)) &&
      (used === undefined || (silence.status.state === 'active' && !used.has(silence.id))),
  );
  return Object.keys(matching).length === 0 ? silences : matchingLabels(silences, matching);
}

async function* matchingLabels(silences: AsyncIterable<Silence>, labels: SilenceSelection['matching']) {
  for await (const silence of silences) {
    const matches = await labelTest(silence.matchers.map(matcherFrom));
    if (matches(labels)) yield silence;
  }
}

/** How many alerts each silence mutes now, by its id. Unused silences are left out. */
export async function countsBySilence(
  alertmanager: Pick<Alertmanager, 'alerts'>,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for await (const { status } of alertmanager.alerts()) {
    for (const id of new Set(status.silencedBy)) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

async function silencesOf(wanted: readonly string[], alertmanager: Alertmanager): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (const text of wanted) {
    if (isFingerprintPrefix(text)) {
      for (const id of (await findAlert(alertmanager, text)).status.silencedBy) ids.add(id);
      continue;
    }
    const filter = parseMatcherArguments([text]).map(formatMatcher);
    for await (const { status } of alertmanager.alerts({ filter })) for (const id of status.silencedBy) ids.add(id);
  }
  return ids;
}

function endsWithin({ status, endsAt }: Silence, ms: number, now: number): boolean {
  const end = Date.parse(endsAt);
  return status.state === 'expired' ? end >= now - ms : end <= now + ms;
}

function textTest(
  wanted: string | undefined,
  option: string,
  plain: (text: string, wanted: string) => boolean,
): (text: string) => boolean {
  if (wanted === undefined) return () => true;
  if (!wanted.startsWith('~')) return (text) => plain(text, wanted);
  try {
    const pattern = new RegExp(wanted.slice(1), 'u');
    return (text) => pattern.test(text);
  } catch (error) {
    throw new SvcError('invalid_value', `--${option}: ${(error as Error).message}`);
  }
}

export function selectionOf(
  options: Input<Record<never, never>, typeof SELECTION_FLAGS & typeof STATE_FLAGS>,
): SilenceSelection {
  const { state, expired, all } = options;
  if (expired && state.some((one) => one !== 'expired')) {
    throw new SvcError('usage', '--expired and --state cannot be used together');
  }
  if (all && (expired || state.length > 0)) {
    throw new SvcError('usage', `--all and --${expired ? 'expired' : 'state'} cannot be used together`);
  }
  const states = expired ? ['expired'] : state.length > 0 ? state : CURRENT;
  return { ...options, states: all ? undefined : new Set(states) };
}

export function silenceFilter(matcher: readonly string[], ctx: Pick<RunContext, 'notice'>): readonly string[] {
  return parseMatcherArguments(matcher, ctx.notice).map(formatMatcher);
}

export async function chooseSome(
  choices: readonly { readonly value: string; readonly name: string }[],
  noun: string,
  ctx: RunContext,
): Promise<readonly string[]> {
  const shown = choices.slice(0, MOST_CHOICES);
  if (choices.length > shown.length) ctx.notice(`the first ${shown.length} of ${choices.length} ${noun}:`);
  const chosen = await ctx.prompter.checkbox(`Which ${noun}?`, shown);
  tellCommand(ctx, chosen);
  return chosen;
}
