/** The options that select silences: by state, author, comment and end, and by what they mute. */

import type { RunContext } from '../../cli/command.ts';
import { type Arguments, type Flags, type Input, type Instant, section } from '../../cli/flags.ts';
import { MOST_CHOICES, tellCommand } from '../../cli/wizard.ts';
import { SvcError } from '../../errors.ts';
import type { Confirmed } from '../../http/endpoint.ts';
import { shellWord } from '../../output/escape.ts';
import type { Alertmanager } from '../alerts/api.ts';
import {
  type FoundSilence,
  findAlert,
  findSilences,
  isFingerprintPrefix,
  refuseSeveralFingerprints,
} from '../alerts/ids.ts';
import { formatMatcher, matcherFrom } from '../alerts/matcher.ts';
import { parseLabels, parseMatcherArguments } from '../alerts/matcher-arguments.ts';
import { escapeRegex } from '../alerts/matcher-readings.ts';
import { labelTest } from '../alerts/matching.ts';
import type { Silence } from '../alerts/schema.ts';
import { collect, FILTERS, filterAsync } from '../alerts/selection.ts';
import { matcherTexts } from './columns.ts';
import { author } from './writer.ts';

export const SELECTION_FLAGS = section(FILTERS, {
  author: { type: 'string', aliases: ['created-by'], value: 'name', help: 'Only of this author (me, or ~regex)' },
  comment: { type: 'string', value: 'text', help: 'Comment has this text (or ~regex)' },
  'for-alert': {
    type: 'string',
    value: 'alert',
    repeat: true,
    help: 'Mutes this alert (id or matcher)',
  },
  matching: {
    type: 'string',
    value: 'name=value',
    repeat: true,
    help: 'Only silences that match this label',
  },
  unused: { type: 'boolean', help: 'Only active silences that mute no alert now' },
});

export const UNUSED_FOR = {
  for: { type: 'duration', group: FILTERS, positive: true, help: 'With --unused: unchanged for this long' },
} as const satisfies Flags;

/** For the details of each command that takes them. */
export const UNUSED_DETAILS =
  'Alertmanager has no history: a silence that muted an alert an hour ago and mutes none now is unused. --for D leaves out silences that began or were changed within D.';

/** Which silences a command changes: by id, or by options that select active and pending ones. */
export const TARGET_IDS = {
  id: { help: 'Ids, or their unambiguous beginnings (- for standard input)', repeat: true },
} as const satisfies Arguments;

export const TARGET_FLAGS = {
  ...SELECTION_FLAGS,
  all: { type: 'boolean', group: FILTERS, help: 'All active and pending silences' },
} as const satisfies Flags;

/** The same, for commands that prompt for the ids before they run. */
export const PROMPTED_IDS = {
  id: { ...TARGET_IDS.id, complete: 'silences', promptUnless: Object.keys(TARGET_FLAGS) },
} as const satisfies Arguments;

export const STATE_FLAGS = {
  ...section(FILTERS, {
    state: {
      type: 'choice',
      repeat: true,
      choices: ['active', 'pending', 'expired'],
      help: 'In this state (default active, pending)',
    },
    expired: { type: 'boolean', help: 'Same as --state expired' },
    all: { type: 'boolean', short: 'a', help: 'Silences in every state' },
    within: { type: 'duration', positive: true, help: 'Ends (or ended) within this time' },
    'created-since': { type: 'time', bare: 'back', help: 'Created since this time' },
  }),
  ...UNUSED_FOR,
} as const satisfies Flags;

export type SilenceSelection = Input<Record<never, never>, typeof SELECTION_FLAGS> & {
  /** Undefined for every state. */
  readonly states: ReadonlySet<string> | undefined;
  /** Milliseconds. */
  readonly within: number | undefined;
  readonly createdSince?: Instant | undefined;
  /** Milliseconds. */
  readonly unusedFor: number | undefined;
};

export const CURRENT = ['active', 'pending'];

export async function selectedSilences(
  selection: SilenceSelection,
  filter: readonly string[],
  alertmanager: Alertmanager,
  ctx: Pick<RunContext, 'startedAt' | 'settings' | 'identity' | 'notice' | 'omittedRows'>,
): Promise<AsyncIterable<Silence>> {
  const now = ctx.startedAt;
  const { states, within, comment, forAlert, unused, createdSince, unusedFor } = selection;
  if (unusedFor !== undefined && !unused) throw new SvcError('usage', '--for needs --unused');
  const labels = parseLabels(selection.matching);
  const byAuthor = authorTest(selection.author, ctx);
  const byComment = textTest(comment, 'comment', (text, wanted) => text.includes(wanted));
  const muting = forAlert.length === 0 ? undefined : await silencesOf(forAlert, alertmanager, ctx);
  const used = unused ? await countsBySilence(alertmanager) : undefined;
  // A silence that one of these alerts names is not unused.
  if (unused && ctx.omittedRows() > 0)
    throw new SvcError('not_known', 'it is not known which silences are unused: some alerts could not be read');
  const silences = filterAsync(
    alertmanager.silences(filter),
    (silence) =>
      (states === undefined || states.has(silence.status.state)) &&
      (within === undefined || endsWithin(silence, within, now)) &&
      (createdSince === undefined || latestCreation(silence) >= createdSince.ms) &&
      (unusedFor === undefined || changedLast(silence) <= now - unusedFor) &&
      byAuthor(silence.createdBy) &&
      byComment(silence.comment) &&
      (muting === undefined || muting.has(silence.id)) &&
      (used === undefined || (silence.status.state === 'active' && !used.has(silence.id))),
  );
  return selection.matching.length === 0 ? silences : matchingLabels(silences, labels);
}

async function* matchingLabels(silences: AsyncIterable<Silence>, labels: Readonly<Record<string, string>>) {
  for await (const silence of silences) {
    const matches = await labelTest(silence.matchers.map(matcherFrom));
    if (silence.matchers.length > 0 && matches(labels)) yield silence;
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

async function silencesOf(
  wanted: readonly string[],
  alertmanager: Alertmanager,
  ctx: Pick<RunContext, 'notice'>,
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (const text of wanted) {
    refuseSeveralFingerprints(text);
    if (isFingerprintPrefix(text)) {
      for (const id of (await findAlert(alertmanager, text)).status.silencedBy) ids.add(id);
      continue;
    }
    const filter = parseMatcherArguments([text], ctx.notice).map(formatMatcher);
    for await (const { status } of alertmanager.alerts({ filter })) for (const id of status.silencedBy) ids.add(id);
  }
  return ids;
}

function endsWithin({ status, endsAt }: Silence, ms: number, now: number): boolean {
  const end = Date.parse(endsAt);
  return status.state === 'expired' ? end >= now - ms : end <= now + ms;
}

/** The server does not say when a silence was created: at the earlier of these, or before. */
function latestCreation({ startsAt, updatedAt }: Silence): number {
  return Math.min(...timesOf([startsAt, updatedAt]));
}

function changedLast({ startsAt, updatedAt }: Silence): number {
  return Math.max(...timesOf([startsAt, updatedAt]));
}

/** Some servers do not say when a silence was updated. */
function timesOf(texts: readonly (string | null | undefined)[]): number[] {
  return texts.map((text) => Date.parse(text ?? '')).filter((ms) => !Number.isNaN(ms));
}

function authorTest(wanted: string | undefined, ctx: Pick<RunContext, 'settings' | 'identity'>) {
  // `Doe, Jane` is one author; `me,ann` would select nobody.
  if (wanted !== undefined && /^[^\s,;~]+(?:[,;][^\s,;]+)+$/.test(wanted)) {
    const names = wanted.split(/[,;]/).map((name) => (name === 'me' ? author(ctx) : name));
    const spell = (texts: readonly string[]) => shellWord(`~^(${texts.map(escapeRegex).join('|')})$`);
    throw new SvcError('invalid_value', '--author: several authors need a regular expression', {
      hint: `write --author ${spell(names)}; for the literal text, write --author ${spell([wanted])}`,
    });
  }
  return textTest(wanted === 'me' ? author(ctx) : wanted, 'author', (text, name) => text === name);
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
  const given = expired ? ['expired'] : state;
  const states = all ? undefined : new Set(given.length > 0 ? given : CURRENT);
  return { ...options, states, unusedFor: options.for };
}

/** What `silences list` says if there are none. */
export function noneText({ states, unused }: SilenceSelection): string {
  if (unused) return 'no unused silences match';
  if (states === undefined) return 'no silences match';
  const none = `no ${[...states].join(' or ')} silences match`;
  return states.has('expired') ? none : `${none}; use -a to include expired ones`;
}

export function silenceFilter(matcher: readonly string[], ctx: Pick<RunContext, 'notice'>): readonly string[] {
  return parseMatcherArguments(matcher, ctx.notice).map(formatMatcher);
}

export const NONE_MATCH = 'no silences match; nothing was sent';

/** What was selected by options, or the ids that were named. */
export type Chosen = { readonly selected: readonly Silence[] } | { readonly ids: readonly string[] };

type Targets = Input<typeof TARGET_IDS, typeof TARGET_FLAGS> & Partial<Pick<SilenceSelection, 'unusedFor'>>;

export async function chosenSilences(input: Targets, alertmanager: Alertmanager, ctx: RunContext): Promise<Chosen> {
  const { id, all, unused, comment, forAlert, matching, unusedFor } = input;
  const texts = [input.author, comment, ...matching, ...forAlert];
  if (!all && !unused && unusedFor === undefined && texts.every((text) => text === undefined)) {
    return { ids: id.length === 0 ? await missingIds(alertmanager, ctx) : await typedIds(id, ctx) };
  }
  if (id.length > 0) throw new SvcError('usage', 'ids cannot be used with options that select silences');
  const selection = { ...input, states: new Set(CURRENT), within: undefined, unusedFor };
  return { selected: await collect(await selectedSilences(selection, [], alertmanager, ctx)) };
}

/** The same, with each silence that was named. */
export async function foundSilences(
  input: Targets,
  alertmanager: Alertmanager,
  ctx: RunContext,
): Promise<readonly FoundSilence[]> {
  const chosen = await chosenSilences(input, alertmanager, ctx);
  if ('ids' in chosen) return chosen.ids.length === 0 ? [] : findSilences(alertmanager, chosen.ids);
  const { selected } = chosen;
  ctx.notice(chosenText(selected.length));
  return selected.map((silence) => ({ typed: silence.id, silence }));
}

export function chosenText(count: number): string {
  return `${count} ${count === 1 ? 'silence' : 'silences'} chosen`;
}

const MOST_SHOWN = 20;

/** Whether the user sees the silences and a question about them. */
export function asks({ interactive, yes, dryRun }: RunContext): boolean {
  return interactive && !yes && !dryRun;
}

/** Shows the silences at a terminal, and asks before they are changed. */
export async function confirmSilences(
  verb: 'Expire' | 'Extend',
  found: readonly { readonly silence?: Silence | undefined }[],
  ctx: RunContext,
): Promise<Confirmed | undefined> {
  if (found.length === 0) return undefined;
  if (asks(ctx)) {
    for (const { silence } of found.slice(0, MOST_SHOWN))
      if (silence !== undefined) ctx.notice(describeSilence(silence));
    if (found.length > MOST_SHOWN) ctx.notice(`and ${found.length - MOST_SHOWN} more`);
  }
  return ctx.confirm(`${verb} ${found.length === 1 ? 'this silence' : `these ${found.length} silences`}?`);
}

/** The ids as typed, or from standard input for `-`. */
export async function typedIds(ids: readonly string[], ctx: Pick<RunContext, 'readInput'>): Promise<readonly string[]> {
  if (!ids.includes('-')) return ids;
  const text = Buffer.from(await ctx.readInput('-')).toString('utf8');
  return [...ids.filter((id) => id !== '-'), ...text.split(/\s+/).filter((id) => id !== '')];
}

/** Chosen from a list at a terminal. */
async function missingIds(alertmanager: Alertmanager, ctx: RunContext): Promise<readonly string[]> {
  if (!ctx.interactive) {
    throw new SvcError('missing_value', "missing required argument 'id'", {
      hint: 'pass <id> (svc silences list shows them), or options such as --author',
    });
  }
  const current = (await collect(alertmanager.silences())).filter(({ status }) => CURRENT.includes(status.state));
  if (current.length === 0) throw new SvcError('not_found', 'no silence is active or pending');
  const choices = current.map((silence) => ({
    value: silence.id,
    name: describeSilence({ ...silence, id: silence.id.slice(0, 8) }),
  }));
  return chooseSome(choices, 'silences', ctx);
}

function describeSilence(silence: Silence): string {
  const { id, status, createdBy, comment } = silence;
  return `${id}  ${status.state}  ${matcherTexts(silence).join(' ')}  (${createdBy}: ${comment})`;
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
