/** The options that choose silences among those of the server. */
import type { RunContext } from '../../cli/command.ts';
import type { Flags, Input } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
import { formatMatcher } from '../alerts/matcher.ts';
import type { SilenceSelection } from './silence-selection.ts';
import { author } from './silencing-flags.ts';

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
  const { parseMatcherArguments } = await import('../alerts/matcher-argument.ts');
  const { matchers, notices } = parseMatcherArguments(matcher);
  for (const notice of notices) ctx.notice(notice);
  return matchers.map(formatMatcher);
}
