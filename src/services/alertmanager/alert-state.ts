/**
 * `--state` and the service's own words for it. The service has one `suppressed` and drops an alert that is silenced and
 * inhibited as soon as either is not wanted; so it is asked for whatever may hold a wanted alert, and the rest is told
 * apart here by `silencedBy` and `inhibitedBy`.
 */
import type { Alert } from './schema.ts';

export const ALERT_STATES = ['active', 'silenced', 'inhibited', 'suppressed', 'unprocessed'] as const;
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
  const suppressed = states.some((state) => state === 'silenced' || state === 'inhibited' || state === 'suppressed');
  return {
    active: states.includes('active'),
    silenced: suppressed,
    inhibited: suppressed,
    unprocessed: states.includes('unprocessed'),
  };
}

/** The same for `GET /alerts/groups`, which has no `unprocessed`. */
export function groupQuery(wanted: WantedStates): Omit<StateQuery, 'unprocessed'> {
  if (wanted === 'all') return {};
  const { active = false, silenced = false, inhibited = false } = alertQuery(wanted);
  // Newer servers show the alerts of a group that a time interval mutes as suppressed, but choose them as active ones.
  return { active: active || wanted.includes('suppressed'), silenced, inhibited };
}

/** Whether the server's answer to `alertQuery` holds exactly the alerts that `keepsAlert` keeps. */
export function serverSelects(wanted: WantedStates): boolean {
  if (wanted === 'all') return true;
  const states = orActive(wanted);
  const either = states.includes('silenced') || states.includes('inhibited');
  return !states.includes('unprocessed') && (!either || states.includes('suppressed'));
}

export function keepsAlert({ status }: Pick<Alert, 'status'>, wanted: WantedStates): boolean {
  if (wanted === 'all') return true;
  const silenced = status.silencedBy.length > 0;
  const inhibited = status.inhibitedBy.length > 0;
  return orActive(wanted).some((state) => {
    switch (state) {
      case 'silenced':
        return silenced;
      case 'inhibited':
        return inhibited;
      case 'suppressed':
        return silenced || inhibited || status.state === 'suppressed';
      default:
        return !silenced && !inhibited && status.state === state;
    }
  });
}

/** The state as a person wants it: `silenced`, `inhibited` or both, or the service's own word. */
export function effectiveState({ status }: Pick<Alert, 'status'>): string {
  const reasons: string[] = [];
  if (status.silencedBy.length > 0) reasons.push('silenced');
  if (status.inhibitedBy.length > 0) reasons.push('inhibited');
  return reasons.length > 0 ? reasons.join(',') : status.state;
}

function orActive(states: readonly AlertState[]): readonly AlertState[] {
  return states.length === 0 ? ['active'] : states;
}
