/** The rows of the list: worst first, filtered, and grouped by a label. */
import { alertTitle, ownValue } from '../columns.ts';
import type { Alert } from '../schema.ts';

/** What the user filters by. The text is as it was typed. */
export interface Filter {
  readonly text: string;
  readonly accepts: (alert: Alert) => boolean;
}

export type Row =
  | { readonly kind: 'alert'; readonly alert: Alert }
  | { readonly kind: 'group'; readonly value: string; readonly alerts: number };

/** Alerts whose labels or annotations contain the text, in any case. */
export function textFilter(text: string): Filter {
  const wanted = text.toLowerCase();
  const accepts = (alert: Alert): boolean =>
    [alertTitle(alert), ...Object.values(alert.annotations)].some((one) => one.toLowerCase().includes(wanted));
  return { text, accepts };
}

interface Listed {
  /** Worst first. */
  readonly alerts: readonly Alert[];
  readonly filter: Filter | undefined;
  readonly groupBy: string | undefined;
}

/** The group with the worst alert comes first. */
export function rowsOf({ alerts, filter, groupBy }: Listed): readonly Row[] {
  const chosen = filter === undefined ? alerts : alerts.filter(filter.accepts);
  if (groupBy === undefined) return chosen.map((alert) => ({ kind: 'alert', alert }));
  const groups = new Map<string, Alert[]>();
  for (const alert of chosen) {
    const value = ownValue(alert.labels, groupBy) ?? '';
    const group = groups.get(value);
    if (group === undefined) groups.set(value, [alert]);
    else group.push(alert);
  }
  return [...groups].flatMap(([value, group]): Row[] => [
    { kind: 'group', value, alerts: group.length },
    ...group.map((alert): Row => ({ kind: 'alert', alert })),
  ]);
}

/** Without the headers of groups. */
export function alertsOf(rows: readonly Row[]): readonly Alert[] {
  return rows.flatMap((row) => (row.kind === 'alert' ? [row.alert] : []));
}
