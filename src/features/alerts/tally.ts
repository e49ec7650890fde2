/** Alerts counted by the values of their labels. To the service a label that is missing and an empty one are the same. */

import type { Column, ListOutput } from '../../output/types.ts';
import { EMPTY, labelCells } from './columns.ts';
import type { Alert } from './schema.ts';
import { keepsAlert } from './selection.ts';

/** One combination of values. */
export interface AlertTally {
  readonly labels: Readonly<Record<string, string>>;
  readonly alerts: number;
  readonly active: number;
  readonly suppressed: number;
  /** The start of the one that fires longest. */
  readonly oldest: string;
}

export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

/** Most alerts first. */
export async function tallyAlerts(alerts: AsyncIterable<Alert>, names: readonly string[]): Promise<AlertTally[]> {
  const tallies = new Map<string, { -readonly [K in keyof AlertTally]: AlertTally[K] }>();
  for await (const alert of alerts) {
    const { labels: own, startsAt } = alert;
    const values = names.map((name) => labelOf(own, name));
    const key = JSON.stringify(values);
    let tally = tallies.get(key);
    if (tally === undefined) {
      const labels = Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
      tally = { labels, alerts: 0, active: 0, suppressed: 0, oldest: startsAt };
      tallies.set(key, tally);
    }
    tally.alerts++;
    if (keepsAlert(alert, ['active'])) tally.active++;
    if (keepsAlert(alert, ['suppressed'])) tally.suppressed++;
    if (Date.parse(startsAt) < Date.parse(tally.oldest)) tally.oldest = startsAt;
  }
  const inOrder = [...tallies].sort(([keyA, a], [keyB, b]) => b.alerts - a.alerts || compare(keyA, keyB));
  return inOrder.map(([, tally]) => tally);
}

/** Most frequent first. */
export async function countValues(alerts: AsyncIterable<Alert>, name: string): Promise<ValueCount[]> {
  const counts = new Map<string, number>();
  for await (const { labels } of alerts) {
    const value = labelOf(labels, name);
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const values = [...counts].map(([value, count]) => ({ value, count }));
  return values.sort((a, b) => b.count - a.count || compare(a.value, b.value));
}

/** A label may be called `constructor`, and where it is missing that is no label. */
function labelOf(labels: Alert['labels'], name: string): string {
  return Object.hasOwn(labels, name) ? (labels[name] ?? '') : '';
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** One row for each combination of the labels' values. */
export function tallyOutput(names: readonly string[]): ListOutput<AlertTally> {
  return {
    kind: 'list',
    columns: [
      ...names.map((name): Column<AlertTally> => ({ name, cell: ({ labels }) => labels[name], flex: true })),
      { name: 'alerts', cell: ({ alerts }) => alerts, align: 'right' },
      { name: 'active', cell: ({ active }) => active, align: 'right' },
      { name: 'suppressed', cell: ({ suppressed }) => suppressed, align: 'right' },
      { name: 'oldest', cell: ({ oldest }) => ({ time: oldest }) },
    ],
    id: ({ labels }) => labelCells(labels).join(' '),
    ...EMPTY,
  };
}

export function countOutput(name: string): ListOutput<ValueCount> {
  return {
    kind: 'list',
    columns: [
      { name, cell: ({ value }) => value, flex: true },
      { name: 'count', cell: ({ count }) => count, align: 'right' },
    ],
    id: ({ value }) => value,
    ...EMPTY,
  };
}
