/** The options that select alerts, the query sent to the server, and the selection from its response. */
import type { RunContext } from '../../cli/command.ts';
import type { Flags } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
import { type Alertmanager, requireRelease } from './api.ts';
import { formatMatcher, type Matcher } from './matcher.ts';
import { parseMatcherArguments } from './matcher-argument.ts';
import type { Alert, AlertFilter, StateQuery } from './schema.ts';

export const ALERT_STATES = ['active', 'silenced', 'inhibited', 'muted', 'suppressed', 'unprocessed'] as const;
export type AlertState = (typeof ALERT_STATES)[number];

/** The help section of the options that select. */
export const FILTERS = 'Filter options';

export const RECEIVER_MATCHER_FLAG = {
  'receiver-matcher': {
    type: 'string',
    group: FILTERS,
    value: 'matcher',
    repeat: true,
    help: 'Match receiver labels (0.33+)',
  },
} as const satisfies Flags;

export const SELECTION_FLAGS = {
  state: {
    type: 'choice',
    group: FILTERS,
    repeat: true,
    choices: ['active', 'silenced', 'inhibited', 'muted', 'suppressed'],
    help: 'Only alerts in this state (default active)',
  },
  all: { type: 'boolean', group: FILTERS, short: 'a', help: 'Alerts in every state' },
  receiver: {
    type: 'string',
    group: FILTERS,
    short: 'r',
    value: 'regex',
    complete: 'receivers',
    help: 'Only alerts for matching receivers',
  },
  ...RECEIVER_MATCHER_FLAG,
} as const satisfies Flags;

export const AGE_FLAG = {
  'older-than': { type: 'duration', group: FILTERS, help: 'Only alerts older than this' },
} as const satisfies Flags;

/** In the server's spelling. */
export async function receiverMatchers(
  given: readonly string[],
  alertmanager: Pick<Alertmanager, 'status'>,
  ctx: Pick<RunContext, 'notice' | 'dryRun'>,
): Promise<readonly string[]> {
  const matchers = parseMatcherArguments(given, ctx.notice).map(formatMatcher);
  if (matchers.length > 0) await requireRelease('0.33', '--receiver-matcher', alertmanager, ctx);
  return matchers;
}

/** An empty list means `active`. */
export type WantedStates = readonly AlertState[] | 'all';

export interface AlertSelection {
  readonly wanted: WantedStates;
  /** Milliseconds since it started. */
  readonly olderThan?: number | undefined;
  readonly newerThan?: number | undefined;
}

export function selects(alert: Alert, { wanted, olderThan, newerThan }: AlertSelection, now: number): boolean {
  if (!keepsAlert(alert, wanted)) return false;
  if (olderThan === undefined && newerThan === undefined) return true;
  const age = now - Date.parse(alert.startsAt);
  return (olderThan === undefined || age > olderThan) && (newerThan === undefined || age <= newerThan);
}

/**
 * The service omits an alert that is silenced and inhibited unless both are requested, and calls a muted alert active. So svc requests
 * every state that may include a wanted alert, and `keepsAlert` selects from the response.
 */
export function alertQuery(wanted: WantedStates): StateQuery {
  if (wanted === 'all') return {};
  const states = orActive(wanted);
  const muted = states.includes('muted') || states.includes('suppressed');
  const suppressed = muted || states.includes('silenced') || states.includes('inhibited');
  return {
    active: muted || states.includes('active'),
    silenced: suppressed,
    inhibited: suppressed,
    unprocessed: states.includes('unprocessed'),
  };
}

/** Whether `alertQuery` returns exactly the wanted alerts, unless a time interval mutes some. */
export function serverSelects(wanted: WantedStates): boolean {
  return wanted === 'all' || orActive(wanted).every((state) => state === 'active');
}

export function keepsAlert(alert: Pick<Alert, 'status'>, wanted: WantedStates): boolean {
  if (wanted === 'all') return true;
  const reasons = suppressedBy(alert);
  if (reasons.length === 0) return orActive(wanted).some((state) => state === alert.status.state);
  return wanted.some((state) => state === 'suppressed' || reasons.includes(state));
}

/** Why an alert is suppressed, `silenced,muted`, or the service's own state. */
export function effectiveState(alert: Pick<Alert, 'status'>): string {
  return suppressedBy(alert).join() || alert.status.state;
}

function suppressedBy({ status }: Pick<Alert, 'status'>): AlertState[] {
  const reasons: AlertState[] = [];
  if (status.silencedBy.length > 0) reasons.push('silenced');
  if (status.inhibitedBy.length > 0) reasons.push('inhibited');
  if (status.mutedBy !== undefined && status.mutedBy.length > 0) reasons.push('muted');
  return reasons;
}

function orActive(states: readonly AlertState[]): readonly AlertState[] {
  return states.length === 0 ? ['active'] : states;
}

export function wantedStates(options: { readonly all: boolean; readonly state: readonly AlertState[] }): WantedStates {
  if (options.all && options.state.length > 0) throw new SvcError('usage', '--all and --state cannot be used together');
  return options.all ? 'all' : options.state;
}

export interface GivenFilter {
  /** What the server filters by: one `filter` for each matcher, and the receiver. */
  readonly filter: AlertFilter & { readonly filter: readonly string[] };
  readonly matchers: readonly Matcher[];
}

export function alertFilter(
  { matcher, receiver }: { readonly matcher: readonly string[]; readonly receiver: string | undefined },
  ctx: Pick<RunContext, 'notice'>,
): GivenFilter {
  const matchers = parseMatcherArguments(matcher, ctx.notice);
  return { filter: { filter: matchers.map(formatMatcher), receiver }, matchers };
}

/** These formats print each alert as it arrives: sorting would need the complete list. */
export function inServerOrder(
  { document, events, sorted }: RunContext['wants'],
  { limit }: { readonly limit: number | undefined },
): boolean {
  return (document || events) && !sorted && limit === undefined;
}

export async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export async function* filterAsync<T>(items: AsyncIterable<T>, predicate: (item: T) => boolean): AsyncGenerator<T> {
  for await (const item of items) if (predicate(item)) yield item;
}

export async function* ifNone<T>(items: AsyncIterable<T>, step: () => Promise<void>): AsyncGenerator<T, void, void> {
  let isNone = true;
  for await (const item of items) {
    isNone = false;
    yield item;
  }
  if (isNone) await step();
}
