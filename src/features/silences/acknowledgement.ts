/** Acknowledgements: silences whose comment says that somebody is at work on an alert, as karma and kthxbye write them. */
import { SvcError } from '../../errors.ts';
import type { Alertmanager } from '../alerts/api.ts';
import { unknownLabel } from '../alerts/known-names.ts';
import { formatMatchers, type Matcher, matcher, matcherFrom, matchesLabels } from '../alerts/matcher.ts';
import type { Alert, Silence } from '../alerts/schema.ts';

export const ACK_PREFIX = 'ACK!';

export function ackComment(text: string): string {
  return text.startsWith(ACK_PREFIX) ? text : `${ACK_PREFIX} ${text}`;
}

export function isAcknowledgement({ comment }: Pick<Silence, 'comment'>, prefix: string = ACK_PREFIX): boolean {
  return comment.startsWith(prefix);
}

/** One acknowledgement, and the firing alerts that it mutes. */
export interface Acknowledged {
  readonly matchers: readonly Matcher[];
  readonly alerts: readonly Alert[];
}

/**
 * One silence for each of the chosen alerts, with its full label set, or one for each group of those that have the same values
 * of the labels `by`. Throws where one would mute a firing alert that was not chosen, or would be without an alert name.
 */
export function acknowledge(
  chosen: readonly Alert[],
  by: readonly string[],
  firing: readonly Alert[],
): readonly Acknowledged[] {
  for (const alert of chosen) {
    if (!alert.labels['alertname']) {
      throw new SvcError('guarded', `alert ${named(alert)} has no alertname, and is not acknowledged without one`, {
        hint: 'svc silences create takes other labels',
      });
    }
  }
  const names = [...new Set(firing.flatMap(({ labels }) => Object.keys(labels)))];
  for (const name of by) if (!names.includes(name)) throw unknownLabel('--by', name, names);
  const spellings = chosen.map(({ labels }) => matchersOf(labels, by));
  const groups = [...new Map(spellings.map((matchers) => [formatMatchers(matchers), matchers])).values()];
  const acknowledged = groups.map((matchers): Acknowledged => {
    return { matchers, alerts: firing.filter(({ labels }) => matchesLabels(matchers, labels)) };
  });
  refuseOthers(acknowledged, chosen, by);
  return acknowledged;
}

/** A label that the alert lacks is an empty one to the server. */
function matchersOf(labels: Alert['labels'], by: readonly string[]): readonly Matcher[] {
  if (by.length === 0) return matchersOfLabels(labels);
  return by.map((name) => matcher(name, '=', Object.hasOwn(labels, name) ? (labels[name] ?? '') : ''));
}

const MOST_NAMED = 3;

function refuseOthers(acknowledged: readonly Acknowledged[], chosen: readonly Alert[], by: readonly string[]): void {
  const others = new Set(acknowledged.flatMap(({ alerts }) => alerts).filter((alert) => !chosen.includes(alert)));
  if (others.size === 0) return;
  const first = [...others].slice(0, MOST_NAMED).map(named).join(', ');
  const more = others.size > MOST_NAMED ? ` and ${others.size - MOST_NAMED} more` : '';
  throw new SvcError('guarded', `this would also mute ${first}${more}; nothing was sent`, {
    hint:
      by.length === 0
        ? 'acknowledge these alerts too: each has all labels of one that you named'
        : 'acknowledge these alerts too, or give --by more labels',
  });
}

function named(alert: Alert): string {
  return `${alertTitle(alert)} (${alert.fingerprint.slice(0, 8)})`;
}

export interface KeepaliveRules {
  /** What their comments begin with. */
  readonly prefix: string;
  /** Only those that end sooner. */
  readonly withinMs: number;
  /** The server's clock; asked after its first answer. */
  readonly now: () => number;
}

/** An acknowledgement that is about to end; `skipped` says why it is not to be extended. */
export interface DueAcknowledgement {
  readonly silence: Silence;
  readonly skipped: string | undefined;
}

export async function dueAcknowledgements(
  alertmanager: Pick<Alertmanager, 'silences' | 'alerts'>,
  { prefix, withinMs, now }: KeepaliveRules,
): Promise<readonly DueAcknowledgement[]> {
  const acknowledged: Silence[] = [];
  for await (const silence of alertmanager.silences()) {
    if (silence.status.state === 'active' && isAcknowledgement(silence, prefix)) acknowledged.push(silence);
  }
  const latest = now() + withinMs;
  const due = acknowledged.filter(({ endsAt }) => Date.parse(endsAt) <= latest);
  if (due.length === 0) return [];
  const used = new Set<string>();
  // The list has alerts that fire, and no resolved ones.
  for await (const { status } of alertmanager.alerts({ active: false, silenced: true, inhibited: true })) {
    for (const id of status.silencedBy) used.add(id);
  }
  return due.map((silence) => {
    if (!silence.matchers.some((wire) => requiresAlertName(matcherFrom(wire)))) {
      return { silence, skipped: 'it has no equality matcher on alertname' };
    }
    return { silence, skipped: used.has(silence.id) ? undefined : 'no alert that it mutes fires' };
  });
}

function requiresAlertName({ name, value, isRegex, isEqual }: Matcher): boolean {
  return name === 'alertname' && isEqual && !isRegex && value !== '';
}

type Labels = Readonly<Record<string, string>>;

/** One equality for each label, without those of `drop`; the name of the alert first. Throws where nothing is left. */
export function matchersOfLabels(labels: Labels, drop: readonly string[] = []): Matcher[] {
  for (const name of drop) if (!Object.hasOwn(labels, name)) throw unknownLabel('--drop', name, Object.keys(labels));
  const left = Object.entries(labels).filter(([name]) => !drop.includes(name));
  if (left.length === 0) {
    throw new SvcError('guarded', `--drop leaves no label of ${Object.keys(labels).join(', ')}`, {
      hint: 'leave at least one that says which alerts are meant',
    });
  }
  return left.sort(byName).map(([name, value]) => matcher(name, '=', value));
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  if (a === 'alertname' || b === 'alertname') return a === 'alertname' ? -1 : 1;
  return a < b ? -1 : 1;
}

/** One line that tells an alert from others. */
export function alertTitle({ labels }: Pick<Alert, 'labels'>): string {
  const others = Object.keys(labels).filter((name) => name !== 'alertname');
  return [labels['alertname'] ?? '', ...others.sort().map((name) => `${name}=${labels[name]}`)].join(' ').trim();
}
