/** The alerts of an emulated server: how they merge, what suppresses them, and in which groups they are. */
import type { PostedAlert } from './bodies.ts';
import { compareBytes, compareLabelSets, fingerprint, type LabelSet } from './fingerprint.ts';
import { Refused } from './requests.ts';
import { groupLabelsOf, INHIBITION, RESOLVE_TIMEOUT_MS, routesOf } from './routing.ts';
import type { Silences } from './silences.ts';
import { formatServerTime, type ServerTime, utc } from './times.ts';
import { type AlertsTrap, INTERVAL, MUTED_RECEIVER, sparse } from './traps.ts';

export interface Alert {
  readonly labels: LabelSet;
  readonly annotations: LabelSet;
  readonly generatorURL: string;
  readonly startsAt: ServerTime;
  readonly endsAt: ServerTime;
  readonly updatedAt: ServerTime;
  readonly fingerprint: string;
  /** No end was sent: it ends when it is not repeated. */
  readonly timesOut: boolean;
}

export interface AlertQuery {
  readonly active: boolean;
  readonly silenced: boolean;
  readonly inhibited: boolean;
  readonly match: (labels: LabelSet) => boolean;
  readonly receiver: (name: string) => boolean;
}

const YEAR_1_MS = -62_135_596_800_000;

interface Status {
  readonly inhibitedBy: readonly string[];
  readonly mutedBy?: readonly string[];
  readonly silencedBy: readonly string[];
  readonly state: 'active' | 'suppressed';
}

export class Alerts {
  private readonly now: () => number;
  private readonly silences: Silences;
  private readonly traps: ReadonlySet<AlertsTrap>;
  private readonly stored = new Map<string, Alert>();

  constructor(now: () => number, silences: Silences, traps: ReadonlySet<AlertsTrap>) {
    this.now = now;
    this.silences = silences;
    this.traps = traps;
  }

  /** Stores the valid ones, and then refuses the request where others are not valid. */
  post(posted: readonly PostedAlert[]): void {
    const now = this.now();
    const complaints: string[] = [];
    for (const one of posted) {
      const end = given(one.endsAt);
      const startsAt = given(one.startsAt) ?? end ?? utc(now);
      const endsAt = end ?? utc(now + RESOLVE_TIMEOUT_MS);
      const labels: Record<string, string> = Object.create(null);
      for (const [name, value] of Object.entries(one.labels)) if (value !== '') labels[name] = value;
      const complaint = invalid(labels, one.annotations, startsAt, endsAt);
      if (complaint !== undefined) complaints.push(complaint);
      else {
        const { annotations, generatorURL } = one;
        const timesOut = end === undefined;
        const key = fingerprint(labels);
        const times = { startsAt, endsAt, updatedAt: utc(now) };
        this.put({ labels, annotations, generatorURL, timesOut, fingerprint: key, ...times });
      }
    }
    if (complaints.length > 0) throw new Refused(400, complaints.join('; '));
  }

  private put(alert: Alert): void {
    const old = this.stored.get(alert.fingerprint);
    const overlaps = (time: ServerTime): boolean =>
      old !== undefined && time.ms > old.startsAt.ms && time.ms < old.endsAt.ms;
    const merges = old !== undefined && (overlaps(alert.endsAt) || overlaps(alert.startsAt));
    this.stored.set(alert.fingerprint, merges ? this.merge(old, alert) : alert);
  }

  /** The earliest start stays; a later end stays too, unless it was only a timeout or the new alert is a resolution. */
  private merge(old: Alert, next: Alert): Alert {
    const startsAt = old.startsAt.ms < next.startsAt.ms ? old.startsAt : next.startsAt;
    const keepsEnd = this.resolved(next) ? this.resolved(old) : !old.timesOut;
    const endsAt = keepsEnd && old.endsAt.ms > next.endsAt.ms ? old.endsAt : next.endsAt;
    return { ...next, startsAt, endsAt };
  }

  private resolved(alert: Alert): boolean {
    return alert.endsAt.ms <= this.now();
  }

  private status({ labels }: Alert): Status {
    const silencedBy = this.silences.muting(labels);
    const inhibitedBy = this.inhibiting(labels);
    const suppressed = silencedBy.length + inhibitedBy.length > 0;
    const mutedBy = this.traps.has('mute-interval') ? { mutedBy: [] } : {};
    return { inhibitedBy, ...mutedBy, silencedBy, state: suppressed ? 'suppressed' : 'active' };
  }

  /** Only a group has an interval: elsewhere the alert is active. */
  private statusIn(receiver: string, status: Status): Status {
    if (!this.traps.has('mute-interval') || receiver !== MUTED_RECEIVER) return status;
    return { ...status, mutedBy: [INTERVAL], state: 'suppressed' };
  }

  /** At most one: the server, too, stops at the first. */
  private inhibiting(labels: LabelSet): string[] {
    const { source, target, equal } = INHIBITION;
    if (!target(labels)) return [];
    for (const other of this.stored.values()) {
      if (this.resolved(other) || !source(other.labels)) continue;
      if (equal.every((name) => other.labels[name] === labels[name])) return [other.fingerprint];
    }
    return [];
  }

  private shown(query: AlertQuery): { readonly alert: Alert; readonly status: Status }[] {
    return [...this.stored.values()]
      .filter((alert) => !this.resolved(alert) && query.match(alert.labels))
      .map((alert) => ({ alert, status: this.status(alert) }))
      .filter(
        ({ status }) =>
          (query.active || status.state !== 'active') &&
          (query.silenced || status.silencedBy.length === 0) &&
          (query.inhibited || status.inhibitedBy.length === 0),
      );
  }

  list(query: AlertQuery): readonly object[] {
    const alerts = this.shown(query)
      .map(({ alert, status }) => ({
        alert,
        status,
        receivers: routesOf(alert.labels).map(({ receiver }) => receiver),
      }))
      .filter(({ receivers }) => receivers.some(query.receiver))
      .sort((a, b) => compareBytes(a.alert.fingerprint, b.alert.fingerprint))
      .map(({ alert, status, receivers }) => alertAnswer(alert, status, receivers));
    return this.traps.has('sparse-alerts') ? sparse(alerts) : alerts;
  }

  /** An alert of several routes is in several groups, and each names the receivers of all the routes asked for. */
  groups(query: AlertQuery): object[] {
    const groups = new Map<
      string,
      { labels: LabelSet; receiver: string; members: { alert: Alert; answer: object }[] }
    >();
    for (const { alert, status } of this.shown(query)) {
      const receivers = routesOf(alert.labels)
        .map(({ receiver }) => receiver)
        .filter(query.receiver)
        .sort(compareBytes);
      const labels = groupLabelsOf(alert.labels);
      for (const receiver of receivers) {
        const key = `${receiver} ${fingerprint(labels)}`;
        const group = groups.get(key) ?? { labels, receiver, members: [] };
        group.members.push({ alert, answer: alertAnswer(alert, this.statusIn(receiver, status), receivers) });
        groups.set(key, group);
      }
    }
    return [...groups.values()]
      .sort((a, b) => compareLabelSets(a.labels, b.labels) || compareBytes(a.receiver, b.receiver))
      .map(({ labels, receiver, members }) => ({
        alerts: members.sort((a, b) => compareAlerts(a.alert, b.alert)).map(({ answer }) => answer),
        labels: sorted(labels),
        receiver: { name: receiver },
      }));
  }
}

/** Go's zero time is no time. */
function given(time: ServerTime | undefined): ServerTime | undefined {
  return time?.ms === YEAR_1_MS ? undefined : time;
}

function invalid(
  labels: LabelSet,
  annotations: LabelSet,
  startsAt: ServerTime,
  endsAt: ServerTime,
): string | undefined {
  const badName = (set: LabelSet): string | undefined =>
    Object.keys(set)
      .sort(compareBytes)
      .find((name) => !/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name));
  if (endsAt.ms < startsAt.ms) return 'start time must be before end time';
  const label = badName(labels);
  if (label !== undefined) return `invalid label set: invalid name ${JSON.stringify(label)}`;
  if (Object.keys(labels).length === 0) return 'at least one label pair required';
  const annotation = badName(annotations);
  return annotation === undefined ? undefined : `invalid annotations: invalid name ${JSON.stringify(annotation)}`;
}

/** Within a group: by job, by instance, then by all labels. */
function compareAlerts(a: Alert, b: Alert): number {
  for (const name of ['job', 'instance']) {
    const left = a.labels[name];
    const right = b.labels[name];
    if (left === right) continue;
    if (left === undefined) return 1;
    if (right === undefined) return -1;
    return compareBytes(left, right);
  }
  return compareLabelSets(a.labels, b.labels);
}

function sorted(set: LabelSet): LabelSet {
  const copy: Record<string, string> = Object.create(null);
  for (const name of Object.keys(set).sort(compareBytes)) copy[name] = set[name] ?? '';
  return copy;
}

function alertAnswer(alert: Alert, status: Status, receivers: readonly string[]) {
  return {
    annotations: sorted(alert.annotations),
    endsAt: formatServerTime(alert.endsAt),
    fingerprint: alert.fingerprint,
    receivers: receivers.map((name) => ({ name })),
    startsAt: formatServerTime(alert.startsAt),
    status,
    updatedAt: formatServerTime(alert.updatedAt),
    ...(alert.generatorURL === '' ? {} : { generatorURL: alert.generatorURL }),
    labels: sorted(alert.labels),
  };
}
