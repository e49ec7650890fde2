/**
 * `--state` and the service's own words for it. The service has one `suppressed` and drops an alert that is silenced and
 * inhibited as soon as either is not wanted; so it is asked for whatever may hold a wanted alert, and the rest is told
 * apart here by `silencedBy`, `inhibitedBy` and `mutedBy`. To `GET /alerts` an alert that a time interval mutes is active.
 */
import type { Alert } from './schema.ts';

export const ALERT_STATES = ['active', 'silenced', 'inhibited', 'muted', 'suppressed', 'unprocessed'] as const;
export type AlertState = (typeof ALERT_STATES)[number];

/** None stands for `active`. */
export type WantedStates = readonly AlertState[] | 'all';

/** The booleans of `GET /alerts` (doc 1 §4); for `all` none, for each is true by default. */
export interface StateQuery {
  readonly active?: boolean;
  readonly silenced?: boolean;
  readonly inhibited?: boolean;
  readonly unprocessed?: boolean;
}

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

/** The same for `GET /alerts/groups`, which has no `unprocessed`. */
export function groupQuery(wanted: WantedStates): Omit<StateQuery, 'unprocessed'> {
  if (wanted === 'all') return {};
  const { active = false, silenced = false, inhibited = false } = alertQuery(wanted);
  return { active, silenced, inhibited };
}

/** Whether the server answers `alertQuery` with exactly the alerts that `keepsAlert` keeps, where no time interval mutes any. */
export function serverSelects(wanted: WantedStates): boolean {
  return wanted === 'all' || orActive(wanted).every((state) => state === 'active');
}

export function keepsAlert({ status }: Pick<Alert, 'status'>, wanted: WantedStates): boolean {
  if (wanted === 'all') return true;
  const silenced = status.silencedBy.length > 0;
  const inhibited = status.inhibitedBy.length > 0;
  const muted = isMuted(status);
  return orActive(wanted).some((state) => {
    switch (state) {
      case 'silenced':
        return silenced;
      case 'inhibited':
        return inhibited;
      case 'muted':
        return muted;
      case 'suppressed':
        return silenced || inhibited || muted || status.state === 'suppressed';
      default:
        return !silenced && !inhibited && !muted && status.state === state;
    }
  });
}

/** Why an alert is suppressed, `silenced,muted`, or the service's own state. */
export function effectiveState({ status }: Pick<Alert, 'status'>): string {
  const reasons: string[] = [];
  if (status.silencedBy.length > 0) reasons.push('silenced');
  if (status.inhibitedBy.length > 0) reasons.push('inhibited');
  if (isMuted(status)) reasons.push('muted');
  return reasons.length > 0 ? reasons.join(',') : status.state;
}

function isMuted({ mutedBy }: Alert['status']): boolean {
  return mutedBy !== undefined && mutedBy.length > 0;
}

function orActive(states: readonly AlertState[]): readonly AlertState[] {
  return states.length === 0 ? ['active'] : states;
}

export interface AlertFilter {
  /** Matchers in their canonical spelling; all have to match. */
  readonly filter?: readonly string[] | undefined;
  /** A regular expression for the whole name of a receiver. */
  readonly receiver?: string | undefined;
}
