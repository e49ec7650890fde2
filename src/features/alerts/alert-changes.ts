/** What happened to alerts between one look at all of them and the next. */
import type { Alert } from './schema.ts';

export interface AlertChange {
  /** `resolved` only where the server has it no more; one that is still there but not wanted any more has `changed`. */
  readonly event: 'added' | 'changed' | 'resolved';
  readonly row: Alert;
}

export interface AlertLook {
  /** The wanted ones. */
  readonly rows: readonly Alert[];
  readonly changes: readonly AlertChange[];
}

/** Remembers the wanted alerts of the latest look. */
export class AlertChanges {
  #known = new Map<string, { readonly alert: Alert; readonly digest: string }>();

  /** `alerts` are those in every state, so that a silenced one is not taken for a resolved one. */
  look(alerts: Iterable<Alert>, isWanted: (alert: Alert) => boolean): AlertLook {
    const before = this.#known;
    const now: typeof before = new Map();
    const changes: AlertChange[] = [];
    for (const alert of alerts) {
      const { fingerprint } = alert;
      const known = before.get(fingerprint);
      before.delete(fingerprint);
      const wanted = isWanted(alert);
      if (!wanted && known === undefined) continue;
      const digest = digestOf(alert);
      if (wanted) now.set(fingerprint, { alert, digest });
      if (known === undefined) changes.push({ event: 'added', row: alert });
      else if (!wanted || known.digest !== digest) changes.push({ event: 'changed', row: alert });
    }
    for (const { alert } of before.values()) changes.push({ event: 'resolved', row: alert });
    this.#known = now;
    return { rows: [...now.values()].map(({ alert }) => alert), changes };
  }
}

/** What makes an alert another one to a person. The source's every sign of life moves `endsAt` and `updatedAt`. */
function digestOf({ annotations, generatorURL, receivers, startsAt, status }: Alert): string {
  return JSON.stringify([annotations, generatorURL, receivers, startsAt, status]);
}
