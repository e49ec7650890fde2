/** How alerts are shown: the cells, columns and outputs that the commands about them share. */
import type { Cell, Column, ColumnFamily, ListOutput, Tone } from '../../output/types.ts';
import { effectiveState } from './alert-state.ts';
import type { AlertTally, ValueCount } from './alert-tally.ts';
import type { Alert } from './schema.ts';

const SEVERITY_TONES: Readonly<Record<string, Tone>> = { critical: 'bad', page: 'bad', error: 'bad', warning: 'warn' };

/** Those that have a column of their own are not repeated among the labels. */
export const OWN_COLUMN = new Set(['alertname', 'severity']);

/** A label may be called `constructor`, and where it is missing that is none. */
function own(texts: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}

const labelFamily = (name: string): Column<Alert> => ({
  name: `label:${name}`,
  cell: ({ labels }) => own(labels, name),
  flex: true,
});
const annotationFamily: ColumnFamily<Alert> = (name) => ({
  name: `annotation:${name}`,
  cell: ({ annotations }) => own(annotations, name),
  flex: true,
});
const ALERT_FAMILIES = { label: labelFamily, annotation: annotationFamily };

export function stateCell(alert: Alert): Cell {
  const text = effectiveState(alert);
  return { text, tone: text === 'active' ? 'strong' : 'dim' };
}

export function severityCell({ labels }: Alert): Cell {
  const severity = labels['severity'];
  const tone = SEVERITY_TONES[severity ?? ''];
  return severity === undefined || tone === undefined ? severity : { text: severity, tone };
}

export function timeCell(time: string | undefined): Cell {
  return time === undefined ? undefined : { time };
}

/** `name=value` for each label, in the order of their names. */
export function labelCells(
  labels: Readonly<Record<string, string>>,
  without: ReadonlySet<string> = new Set(),
): string[] {
  const names = Object.keys(labels).filter((name) => !without.has(name));
  return names.sort().map((name) => `${name}=${labels[name]}`);
}

const ALERT_COLUMNS: readonly Column<Alert>[] = [
  { name: 'state', cell: stateCell },
  { name: 'severity', cell: severityCell },
  { name: 'alertname', cell: ({ labels }) => labels['alertname'] },
  { name: 'labels', cell: ({ labels }) => labelCells(labels, OWN_COLUMN), flex: true, shared: true },
  {
    name: 'summary',
    cell: ({ annotations }) => annotations?.['summary'] ?? annotations?.['description'] ?? annotations?.['message'],
    flex: true,
  },
  { name: 'since', cell: ({ startsAt }) => ({ time: startsAt }) },
  { name: 'id', cell: ({ fingerprint }) => fingerprint.slice(0, 8) },
  { name: 'receivers', cell: ({ receivers }) => receivers.map(({ name }) => name), wide: true },
  { name: 'silenced-by', cell: ({ status }) => status.silencedBy, wide: true },
  { name: 'inhibited-by', cell: ({ status }) => status.inhibitedBy, wide: true },
  { name: 'muted-by', cell: ({ status }) => status.mutedBy, wide: true },
  { name: 'ends', cell: ({ endsAt }) => timeCell(endsAt), wide: true },
  { name: 'updated', cell: ({ updatedAt }) => timeCell(updatedAt), wide: true },
  { name: 'generator', cell: ({ generatorURL }) => generatorURL, wide: true },
  { name: 'fingerprint', cell: ({ fingerprint }) => fingerprint, wide: true },
];

const EMPTY = { empty: 'no such alerts (suppressed ones are listed with -a)' };
export const ALERT_LIST: ListOutput<Alert> = {
  kind: 'list',
  columns: ALERT_COLUMNS,
  families: ALERT_FAMILIES,
  id: ({ fingerprint }) => fingerprint,
  ...EMPTY,
};

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
