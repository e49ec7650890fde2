/** Which silences are meant: by state, author, comment and end, and by what they really mute. */

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
import { filterAsync } from '../alerts/selection.ts';
import { author } from './writer.ts';

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

/** Which states a list has: active and pending by default. */
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

export type SilenceSelection = Input<Record<never, never>, typeof SELECTION_FLAGS> & {
  /** Undefined for every state. */
  readonly states: ReadonlySet<string> | undefined;
  /** Ends within so many milliseconds, or ended within them. */
  readonly within: number | undefined;
};

/** The states of silences that have not ended. */
export const CURRENT = ['active', 'pending'];

/** Whether the state alone decides, so that the server's answer needs no reading. */
export function selectsByState({ within, createdBy, comment, matching, forAlert, unused }: SilenceSelection): boolean {
  const texts = [within, createdBy, comment].every((one) => one === undefined);
  return texts && Object.keys(matching).length === 0 && forAlert.length === 0 && !unused;
}

/** The silences that are selected, of those that the server has, or that have all of the matchers `filter` as text. */
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

/** Those that would mute an alert with these labels. */
async function* matchingLabels(silences: AsyncIterable<Silence>, labels: SilenceSelection['matching']) {
  for await (const silence of silences) {
    const matches = await labelTest(silence.matchers.map(matcherFrom));
    if (matches(labels)) yield silence;
  }
}

/** How many alerts each silence mutes now, by its id. Those that mute none are not in it. */
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

/** What the options of both kinds say together. */
export function selectionOf(
  options: Input<Record<never, never>, typeof SELECTION_FLAGS & typeof STATE_FLAGS>,
): SilenceSelection {
  const { state, expired, all } = options;
  if (expired && state.some((one) => one !== 'expired')) {
    throw new SvcError('usage', '--expired and --state name different states', {
      hint: 'use --state alone: --state expired --state active',
    });
  }
  if (all && (expired || state.length > 0)) {
    throw new SvcError('usage', `--all and --${expired ? 'expired' : 'state'} contradict each other`);
  }
  const states = expired ? ['expired'] : state.length > 0 ? state : CURRENT;
  return { ...options, states: all ? undefined : new Set(states) };
}

/** What the server filters silences by. */
export function silenceFilter(matcher: readonly string[], ctx: Pick<RunContext, 'notice'>): readonly string[] {
  return parseMatcherArguments(matcher, ctx.notice).map(formatMatcher);
}

/** The values that a person at a terminal chooses. */
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
