/** The options that select silences: by state, author, comment and end, and by what they mute. */
import type { RunContext } from '../../cli/command.ts';
import { type Arguments, type Flags, type Input, section } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
import type { Confirmed } from '../../http/endpoint.ts';
import type { Alertmanager } from '../alerts/api.ts';
import { findAlert, isFingerprintPrefix, refuseSeveralFingerprints } from '../alerts/ids.ts';
import { formatMatcher } from '../alerts/matcher.ts';
import { parseArgument, parseMatcherArguments } from '../alerts/matcher-arguments.ts';
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
  unused: { type: 'boolean', help: 'Only active silences that mute no alert now' },
});

/** Which silences a command changes: by id, or by options that select active and pending ones. */
export const TARGET_FLAGS = {
  ...SELECTION_FLAGS,
  all: { type: 'boolean', group: FILTERS, help: 'All active and pending silences' },
} as const satisfies Flags;

export const TARGET_IDS = {
  id: {
    help: 'Ids, or their unambiguous beginnings (- for standard input)',
    repeat: true,
    complete: 'silences',
    promptUnless: Object.keys(TARGET_FLAGS),
  },
} as const satisfies Arguments;

export const STATE_FLAGS = section(FILTERS, {
  state: {
    type: 'choice',
    repeat: true,
    choices: ['active', 'pending', 'expired'],
    help: 'In this state (default active, pending)',
  },
  expired: { type: 'boolean', help: 'Same as --state expired' },
  all: { type: 'boolean', short: 'a', help: 'Silences in every state' },
  within: { type: 'duration', positive: true, help: 'Ends (or ended) within this time' },
});

type SelectionInput = Input<Record<never, never>, typeof SELECTION_FLAGS>;

export type SilenceSelection = SelectionInput & {
  /** Undefined for every state. */
  readonly states: ReadonlySet<string> | undefined;
  /** Milliseconds. */
  readonly within: number | undefined;
};

export const CURRENT: ReadonlySet<string> = new Set(['active', 'pending']);

type SelectionContext = Pick<RunContext, 'startedAt' | 'settings' | 'identity' | 'notice' | 'omitted'>;

export async function selectedSilences(
  { states, within, author, comment, forAlert, unused }: SilenceSelection,
  matcher: readonly string[],
  alertmanager: Alertmanager,
  ctx: SelectionContext,
): Promise<AsyncIterable<Silence>> {
  // As text, so that several values of one label find a silence that has them all.
  const filter = matcher.flatMap((text, index) => parseArgument(text, index === 0, ctx.notice)).map(formatMatcher);
  const byAuthor = authorTest(author, ctx);
  const byComment = textTest(comment, 'comment', (text, wanted) => text.includes(wanted));
  const muting = forAlert.length === 0 ? undefined : await silencesOf(forAlert, alertmanager, ctx);
  const used = unused ? await usedSilences(alertmanager, ctx) : undefined;
  return filterAsync(
    alertmanager.silences(filter),
    (silence) =>
      (states === undefined || states.has(silence.status.state)) &&
      (within === undefined || endsWithin(silence, within, ctx.startedAt)) &&
      byAuthor(silence.createdBy) &&
      byComment(silence.comment) &&
      (muting === undefined || muting.has(silence.id)) &&
      (used === undefined || (silence.status.state === 'active' && !used.has(silence.id))),
  );
}

/** The ids of the silences that mute an alert now. */
async function usedSilences(alertmanager: Alertmanager, ctx: SelectionContext): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const { status } of alertmanager.alerts()) for (const id of status.silencedBy) ids.add(id);
  // A silence that an omitted alert names is not unused.
  if (ctx.omitted.rows > 0)
    throw new SvcError('not_known', 'it is not known which silences are unused: some alerts could not be read');
  return ids;
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

function authorTest(wanted: string | undefined, ctx: Pick<RunContext, 'settings' | 'identity'>) {
  // `Doe, Jane` is one author; `me,ann` would select nobody.
  if (wanted !== undefined && /^[^\s,;~]+(?:[,;][^\s,;]+)+$/.test(wanted)) {
    throw new SvcError('invalid_value', '--author: several authors need a regular expression', {
      hint: "such as --author '~^(ann|bob)$'",
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
  if (wanted === '~')
    throw new SvcError('invalid_value', `--${option} is empty`, { hint: 'check the variable that it comes from' });
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
  return { ...options, states };
}

/** What `silences list` says if there are none. */
export function noneText({ states, unused }: SilenceSelection): string {
  if (unused) return 'no unused silences match';
  if (states === undefined) return 'no silences match';
  const none = `no ${[...states].join(' or ')} silences match`;
  return states.has('expired') ? none : `${none}; use -a to include expired ones`;
}

export const NONE_MATCH = 'no silences match; nothing was sent';

/** What was selected by options, or the ids that were named. */
export type Chosen = { readonly selected: readonly Silence[] } | { readonly ids: readonly string[] };

type Targets = Input<typeof TARGET_IDS, typeof TARGET_FLAGS>;

export async function chosenSilences(input: Targets, alertmanager: Alertmanager, ctx: RunContext): Promise<Chosen> {
  const { id, all, unused, author, comment, forAlert } = input;
  if (!all && !unused && author === undefined && comment === undefined && forAlert.length === 0) {
    if (id.length > 0) return { ids: await typedIds(id, ctx) };
    throw new SvcError('missing_value', '<id> is required', {
      hint: 'pass <id> (svc silences list shows them), or options such as --author',
    });
  }
  if (id.length > 0) throw new SvcError('usage', 'ids cannot be used with options that select silences');
  const selection = { ...input, states: CURRENT, within: undefined };
  const selected = await collect(await selectedSilences(selection, [], alertmanager, ctx));
  ctx.notice(`${selected.length} ${selected.length === 1 ? 'silence' : 'silences'} chosen`);
  return { selected };
}

const MOST_SHOWN = 20;

/** Shows the silences at a terminal, and asks before they are changed. */
export async function confirmSilences(
  verb: 'Expire' | 'Extend',
  found: readonly { readonly silence?: Silence | undefined }[],
  ctx: RunContext,
): Promise<Confirmed | undefined> {
  if (found.length === 0) return undefined;
  if (ctx.interactive && !ctx.yes && !ctx.dryRun) {
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

function describeSilence(silence: Silence): string {
  const { id, status, createdBy, comment } = silence;
  return `${id}  ${status.state}  ${matcherTexts(silence).join(' ')}  (${createdBy}: ${comment})`;
}
