/** The alerts of an emulated server: how they merge, what suppresses them, and their groups. */
import { Refusal } from '../http.ts';
import type { PostedAlert } from './bodies.ts';
import { canonicalText, fingerprintOf, type LabelSet } from './labels.ts';
import { groupLabelsOf, INHIBITION, RESOLVE_TIMEOUT_MS, receiversOf } from './routing.ts';
import { iso, type Silences } from './silences.ts';

interface Alert {
  readonly labels: LabelSet;
  readonly annotations: LabelSet;
  readonly generatorURL: string;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly updatedAt: number;
  readonly fingerprint: string;
  /** Sent without an end: it ends if it is not repeated. */
  readonly timesOut: boolean;
}

export interface AlertQuery {
  readonly active: boolean;
  readonly silenced: boolean;
  readonly inhibited: boolean;
  readonly match: (labels: LabelSet) => boolean;
  readonly receiver: (name: string) => boolean;
}

interface Status {
  readonly inhibitedBy: readonly string[];
  readonly silencedBy: readonly string[];
  readonly state: 'active' | 'suppressed';
}

export class Alerts {
  private readonly now: () => number;
  private readonly silences: Silences;
  private readonly stored = new Map<string, Alert>();

  constructor(now: () => number, silences: Silences) {
    this.now = now;
    this.silences = silences;
  }

  /** Stores the valid ones, then refuses the request if others are invalid. */
  post(posted: readonly PostedAlert[]): void {
    const now = this.now();
    const complaints: string[] = [];
    for (const { annotations, generatorURL, ...one } of posted) {
      const startsAt = one.startsAt ?? one.endsAt ?? now;
      const endsAt = one.endsAt ?? now + RESOLVE_TIMEOUT_MS;
      const labels = Object.fromEntries(Object.entries(one.labels).filter(([, value]) => value !== ''));
      const complaint = invalid(labels, annotations, startsAt, endsAt);
      if (complaint !== undefined) complaints.push(complaint);
      else {
        const times = { startsAt, endsAt, updatedAt: now, timesOut: one.endsAt === undefined };
        this.put({ labels, annotations, generatorURL, fingerprint: fingerprintOf(labels), ...times });
      }
    }
    if (complaints.length > 0) throw new Refusal(400, complaints.join('; '));
  }

  private put(alert: Alert): void {
    const old = this.stored.get(alert.fingerprint);
    const overlaps = (time: number): boolean => old !== undefined && time > old.startsAt && time < old.endsAt;
    const merges = old !== undefined && (overlaps(alert.endsAt) || overlaps(alert.startsAt));
    this.stored.set(alert.fingerprint, merges ? this.merge(old, alert) : alert);
  }

  /** A later end is preserved, unless it was only a timeout or the new alert is a resolution. */
  private merge(old: Alert, next: Alert): Alert {
    const startsAt = Math.min(old.startsAt, next.startsAt);
    const keepsEnd = this.resolved(next) ? this.resolved(old) : !old.timesOut;
    const endsAt = keepsEnd && old.endsAt > next.endsAt ? old.endsAt : next.endsAt;
    return { ...next, startsAt, endsAt };
  }

  private resolved(alert: Alert): boolean {
    return alert.endsAt <= this.now();
  }

  private status({ labels }: Alert): Status {
    const silencedBy = this.silences.muting(labels);
    const inhibitedBy = this.inhibiting(labels);
    const suppressed = silencedBy.length + inhibitedBy.length > 0;
    return { inhibitedBy, silencedBy, state: suppressed ? 'suppressed' : 'active' };
  }

  /** At most one: the server also stops at the first. */
  private inhibiting(labels: LabelSet): string[] {
    const { source, target, equal } = INHIBITION;
    if (!target(labels)) return [];
    for (const other of this.stored.values()) {
      if (this.resolved(other) || !source(other.labels)) continue;
      if (equal.every((name) => other.labels[name] === labels[name])) return [other.fingerprint];
    }
    return [];
  }

  private *shown(query: AlertQuery): Generator<{ readonly alert: Alert; readonly status: Status }> {
    for (const alert of this.stored.values()) {
      if (this.resolved(alert) || !query.match(alert.labels)) continue;
      const status = this.status(alert);
      const isHidden =
        (!query.active && status.state === 'active') ||
        (!query.silenced && status.silencedBy.length > 0) ||
        (!query.inhibited && status.inhibitedBy.length > 0);
      if (!isHidden) yield { alert, status };
    }
  }

  list(query: AlertQuery): readonly object[] {
    const answers: [fingerprint: string, answer: object][] = [];
    for (const { alert, status } of this.shown(query)) {
      const receivers = receiversOf(alert.labels);
      if (receivers.some(query.receiver)) answers.push([alert.fingerprint, alertAnswer(alert, status, receivers)]);
    }
    return answers.sort(byKey).map(([, answer]) => answer);
  }

  /** An alert of several routes is in several groups, and each names all requested receivers. */
  groups(query: AlertQuery): object[] {
    const groups = new Map<string, { labels: LabelSet; receiver: string; members: [key: string, answer: object][] }>();
    for (const { alert, status } of this.shown(query)) {
      const receivers = receiversOf(alert.labels).filter(query.receiver).sort();
      const labels = groupLabelsOf(alert.labels);
      for (const receiver of receivers) {
        const key = `${canonicalText(labels)} ${receiver}`;
        const group = groups.get(key) ?? { labels, receiver, members: [] };
        group.members.push([canonicalText(alert.labels), alertAnswer(alert, status, receivers)]);
        groups.set(key, group);
      }
    }
    return [...groups].sort(byKey).map(([, { labels, receiver, members }]) => ({
      alerts: members.sort(byKey).map(([, answer]) => answer),
      labels,
      receiver: { name: receiver },
    }));
  }
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function invalid(labels: LabelSet, annotations: LabelSet, startsAt: number, endsAt: number): string | undefined {
  const badName = (set: LabelSet) => Object.keys(set).find((name) => !/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name));
  if (endsAt < startsAt) return 'start time must be before end time';
  const label = badName(labels);
  if (label !== undefined) return `invalid label set: invalid name ${JSON.stringify(label)}`;
  if (Object.keys(labels).length === 0) return 'at least one label pair required';
  const annotation = badName(annotations);
  return annotation === undefined ? undefined : `invalid annotations: invalid name ${JSON.stringify(annotation)}`;
}

function alertAnswer({ timesOut: _, generatorURL, ...alert }: Alert, status: Status, receivers: readonly string[]) {
  return {
    ...alert,
    startsAt: iso(alert.startsAt),
    endsAt: iso(alert.endsAt),
    updatedAt: iso(alert.updatedAt),
    generatorURL: generatorURL === '' ? undefined : generatorURL,
    receivers: receivers.map((name) => ({ name })),
    status,
  };
}
