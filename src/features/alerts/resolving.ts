/** Telling the server that alerts are over: which ones are meant, and what is sent for them. */
import { SvcError } from '../../errors.ts';
import { collectAlerts } from './alert-selection.ts';
import type { Alertmanager } from './client.ts';
import { isFingerprintPrefix, pickAlerts } from './fingerprint.ts';
import { formatMatcher } from './matcher.ts';
import { parseMatcherArguments } from './matcher-argument.ts';
import type { Alert, PostableAlert } from './schema.ts';

export interface Chosen {
  /** Each once. */
  readonly alerts: readonly Alert[];
  /** Matchers may choose what nobody thought of. */
  readonly byMatcher: boolean;
  /** What was taken for something that was not spelled out. */
  readonly notices: readonly string[];
}

/**
 * Fingerprints, or enough of the beginning of each, choose those alerts; matchers choose what matches all of them; the two are not
 * mixed. A first word such as `dead` can be a fingerprint's beginning and an alert's name: it is whichever there is, and refused where
 * there are both. All states are read: a silenced alert can be over, too.
 */
export async function chooseAlerts(
  args: readonly string[],
  alertmanager: Pick<Alertmanager, 'alerts'>,
): Promise<Chosen> {
  const [first = '', ...others] = args;
  if (args.some(isFingerprintPrefix) && !args.every(isFingerprintPrefix) && others.some(isFingerprintPrefix)) {
    throw new SvcError('usage', 'fingerprints and matchers cannot be mixed', {
      hint: 'resolve the alerts of the fingerprints and those of the matchers one after the other',
    });
  }
  if (!isFingerprintPrefix(first)) return byMatchers(args, alertmanager);
  if (others.length > 0 && !isFingerprintPrefix(others[0] ?? '')) {
    // Before matchers it would be a name: whoever means that can say so.
    throw new SvcError('usage', `${first} could be a fingerprint, and fingerprints and matchers cannot be mixed`, {
      hint: `write alertname=${first} if it is a name`,
    });
  }
  const all = await collectAlerts(alertmanager.alerts());
  if (others.length === 0 && all.some(({ labels }) => labels['alertname'] === first)) {
    const beginning = first.toLowerCase();
    if (!all.some(({ fingerprint }) => fingerprint.startsWith(beginning))) return byMatchers(args, alertmanager);
    throw new SvcError('invalid_value', `${first} is an alert's name and the beginning of a fingerprint`, {
      hint: `write alertname=${first}, or more of the fingerprint`,
    });
  }
  return { alerts: pickAlerts(all, args), byMatcher: false, notices: [] };
}

async function byMatchers(args: readonly string[], alertmanager: Pick<Alertmanager, 'alerts'>): Promise<Chosen> {
  const { matchers, notices } = parseMatcherArguments(args);
  const alerts = await collectAlerts(alertmanager.alerts({ filter: matchers.map(formatMatcher) }));
  return { alerts, byMatcher: true, notices };
}

/**
 * The end must lie in the past of the server's clock, or the alert goes on until then: of the two clocks the slower one counts.
 * `skewMs` is the server's clock minus ours.
 */
export function endOfAlerts(now: number, skewMs: number | undefined): string {
  return new Date(now + Math.min(0, skewMs ?? 0)).toISOString();
}

/** The same label set, by which the server knows the alert, and everything else that its source sent. */
export function resolvedAlert(
  { labels, annotations, generatorURL, startsAt }: Alert,
  endsAt: string,
  now: number,
): PostableAlert & { readonly startsAt: string; readonly endsAt: string } {
  return {
    labels,
    annotations,
    ...(generatorURL === undefined ? {} : { generatorURL }),
    ...endedWindow(startsAt, endsAt, now),
  };
}

/** The `Date` header, from which the end is reckoned, has whole seconds. */
const CLOCK_RESOLUTION = 1000;

/** The server refuses an end before the start. An alert that has only just started ends when it started. */
function endedWindow(startsAt: string, endsAt: string, now: number): { startsAt: string; endsAt: string } {
  const [start, end] = [Date.parse(startsAt), Date.parse(endsAt)];
  if (start <= end) return { startsAt, endsAt };
  const time = start <= now && start - end < CLOCK_RESOLUTION ? startsAt : endsAt;
  return { startsAt: time, endsAt: time };
}
