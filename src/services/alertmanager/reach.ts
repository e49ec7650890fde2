/** How much a silence would mute, by the server's own matching, and whether that is too much to do without asking. */
import type { Alertmanager } from './client.ts';
import { formatMatcher, type Matcher } from './matcher.ts';
import { hasEquality, isPositive } from './matcher-warnings.ts';

export interface Reach {
  /** Alerts that match now, in every state. */
  readonly alerts: number;
  /** Those of them that are active. */
  readonly active: number;
  /** All active alerts of the server; counted only where `active` is more than a few. */
  readonly activeInAll: number | undefined;
}

/** A silence of so few alerts is never half of more than ten. */
const FEW = 5;
/** Half of ten alerts is no sign of a mistake. */
const SMALL_SERVER = 10;
/** More alerts than this are asked about, whatever their share. */
const MANY = 20;

/**
 * Counts by `GET /alerts?filter=`: the server matches exactly as it will match the silence, and refuses what is not RE2.
 */
export async function measureReach(alertmanager: Alertmanager, matchers: readonly Matcher[]): Promise<Reach> {
  let alerts = 0;
  let active = 0;
  for await (const { status } of alertmanager.alerts({ filter: matchers.map(formatMatcher) })) {
    alerts++;
    if (status.silencedBy.length === 0 && status.inhibitedBy.length === 0) active++;
  }
  if (active <= FEW) return { alerts, active, activeInAll: undefined };
  let activeInAll = 0;
  for await (const _ of alertmanager.alerts({ active: true, silenced: false, inhibited: false, unprocessed: false }))
    activeInAll++;
  return { alerts, active, activeInAll };
}

export interface Judgement {
  /** `broad` wants a confirmation; `everything` wants `--all-alerts`, which no `--yes` stands for. */
  readonly verdict: 'narrow' | 'broad' | 'everything';
  readonly why: string;
}

/** The judgement that needs no server: only negative matchers, or ones that match anything, mute what nobody has thought of. */
export function judgeMatchers(matchers: readonly Matcher[]): Judgement {
  if (!matchers.some(isPositive)) return { verdict: 'everything', why: 'no matcher names anything that must be there' };
  if (!matchers.some(hasEquality)) return { verdict: 'broad', why: 'no matcher is an equality' };
  return { verdict: 'narrow', why: '' };
}

export function judgeReach({ alerts, active, activeInAll }: Reach, matchers: readonly Matcher[]): Judgement {
  if (activeInAll !== undefined && activeInAll > SMALL_SERVER && active > activeInAll / 2) {
    return { verdict: 'everything', why: `it mutes ${active} of all ${activeInAll} active alerts` };
  }
  if (alerts > MANY) return { verdict: 'broad', why: `it mutes ${alerts} alerts` };
  return judgeMatchers(matchers);
}
