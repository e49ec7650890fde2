/**
 * Which alerts a time interval mutes (Alertmanager 0.28 and later). `GET /alerts` calls such an alert active; only
 * `GET /alerts/groups` names the intervals, by route.
 */
import { SvcError } from '../../errors.ts';
import type { Alert, AlertFilter, AlertGroup, Status } from './schema.ts';

/** What it reads from. */
interface Source {
  groups(filter: AlertFilter): AsyncIterable<AlertGroup>;
  status(): Promise<Status>;
}

/** One group that an alert is in. */
export interface MutedGroup {
  readonly receiver: string;
  /** The names of the intervals; empty where the group notifies its receiver. */
  readonly mutedBy: readonly string[];
}

/** By fingerprint. Only alerts that are muted in at least one of their groups. */
export type Mutings = ReadonlyMap<string, readonly MutedGroup[]>;

const NONE: Mutings = new Map();

export async function readMutings(alertmanager: Source, filter: AlertFilter = {}): Promise<Mutings> {
  if (!(await hasIntervals(alertmanager))) return NONE;
  const all = new Map<string, MutedGroup[]>();
  for await (const { receiver, alerts } of alertmanager.groups(filter)) {
    for (const { fingerprint, status } of alerts) {
      const group = { receiver: receiver.name, mutedBy: status.mutedBy ?? [] };
      const others = all.get(fingerprint);
      if (others === undefined) all.set(fingerprint, [group]);
      else others.push(group);
    }
  }
  for (const [fingerprint, groups] of all) {
    if (groups.every(({ mutedBy }) => mutedBy.length === 0)) all.delete(fingerprint);
  }
  return all;
}

/** The configuration is short, and groups can be as long as the list of alerts. A compatible server may have no status. */
async function hasIntervals(alertmanager: Pick<Source, 'status'>): Promise<boolean> {
  try {
    const { config } = await alertmanager.status();
    return /\b(?:mute|active)_time_intervals\b/.test(config.original);
  } catch (error) {
    if (!(error instanceof SvcError) || error.code === 'interrupted' || error.code === 'terminated') throw error;
    return false;
  }
}

/** An alert that is muted in each of its groups notifies no receiver, and is suppressed. */
export function withMuting(alert: Alert, mutings: Mutings): Alert {
  const groups = mutings.get(alert.fingerprint);
  if (groups === undefined || groups.some(({ mutedBy }) => mutedBy.length === 0)) return alert;
  const mutedBy = [...new Set(groups.flatMap((group) => group.mutedBy))];
  return { ...alert, status: { ...alert.status, state: 'suppressed', mutedBy } };
}

/** The alerts with what `read` finds out about them. Servers before 0.28 have no such field and are not asked. */
export async function* withMutings(
  alerts: AsyncIterable<Alert>,
  read: () => Promise<Mutings>,
): AsyncGenerator<Alert, void, void> {
  let mutings: Mutings | undefined;
  for await (const alert of alerts) {
    if (mutings === undefined && alert.status.mutedBy !== undefined) mutings = await read();
    yield mutings === undefined ? alert : withMuting(alert, mutings);
  }
}
