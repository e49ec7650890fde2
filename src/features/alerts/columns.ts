/** Cells, columns and outputs that the alert commands share. */
import { timeCell } from '../../output/cells.ts';
import type { Cell, Column, ListOutput, Tone } from '../../output/types.ts';
import type { Alert } from './schema.ts';
import { effectiveState, type Severities, severityRank } from './selection.ts';

const SEVERITY_TONES: Readonly<Record<string, Tone>> = { critical: 'bad', page: 'bad', error: 'bad', warning: 'warn' };

/** Labels with a column of their own are left out of the labels column. */
export const OWN_COLUMN = new Set(['alertname', 'severity']);

/** Undefined for names such as `constructor`, unless there is such a label or annotation. */
export function ownValue(texts: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}

export function stateCell(alert: Alert): Cell {
  const text = effectiveState(alert);
  return { text, tone: text === 'active' ? 'strong' : 'dim' };
}

export function severityCell({ labels }: Alert): Cell {
  const severity = labels['severity'];
  const tone = SEVERITY_TONES[severity ?? ''];
  return severity === undefined || tone === undefined ? severity : { text: severity, tone };
}

/** `name=value` for each label, in the order of their names. */
export function labelCells(
  labels: Readonly<Record<string, string>>,
  without: ReadonlySet<string> = new Set(),
): string[] {
  const names = Object.keys(labels).filter((name) => !without.has(name));
  return names.sort().map((name) => `${name}=${labels[name]}`);
}

/** The address of the page that says what to do. */
export function runbookOf({ annotations }: Pick<Alert, 'annotations'>): string | undefined {
  return ownValue(annotations, 'runbook_url') ?? ownValue(annotations, 'runbook');
}

/** Most rules have a `summary`; others have only one of the other two. */
export function summaryOf({ annotations }: Pick<Alert, 'annotations'>): string | undefined {
  return annotations['summary'] ?? annotations['description'] ?? annotations['message'];
}

const ALERT_COLUMNS: readonly Column<Alert>[] = [
  { name: 'state', cell: stateCell, vital: true },
  { name: 'severity', cell: severityCell, vital: true },
  { name: 'alertname', cell: ({ labels }) => labels['alertname'] },
  { name: 'labels', cell: ({ labels }) => labelCells(labels, OWN_COLUMN), shrinks: true, shared: true, below: true },
  { name: 'summary', cell: summaryOf, shrinks: true, below: true },
  { name: 'since', cell: ({ startsAt }) => ({ time: startsAt }) },
  { name: 'id', cell: ({ fingerprint }) => fingerprint, brief: true },
  { name: 'receivers', cell: ({ receivers }) => receivers.map(({ name }) => name), wide: true },
  { name: 'silenced-by', cell: ({ status }) => status.silencedBy, wide: true, brief: true },
  { name: 'inhibited-by', cell: ({ status }) => status.inhibitedBy, wide: true },
  { name: 'muted-by', cell: ({ status }) => status.mutedBy, wide: true },
  { name: 'ends', cell: ({ endsAt }) => timeCell(endsAt), wide: true },
  { name: 'updated', cell: ({ updatedAt }) => timeCell(updatedAt), wide: true },
  { name: 'generator', cell: ({ generatorURL }) => generatorURL, wide: true },
  { name: 'fingerprint', cell: ({ fingerprint }) => fingerprint, wide: true },
];

export const ALERT_LIST: ListOutput<Alert> = {
  kind: 'list',
  columns: ALERT_COLUMNS,
  families: {
    label: (name) => ({ name: `label:${name}`, cell: ({ labels }) => ownValue(labels, name), shrinks: true }),
    annotation: (name) => ({
      name: `annotation:${name}`,
      cell: ({ annotations }) => ownValue(annotations, name),
      shrinks: true,
    }),
  },
  id: ({ fingerprint }) => fingerprint,
};

/** `--sort severity` sorts by rank. `empty` is printed if there are no alerts. */
export function alertList(severities: Severities, empty: string): ListOutput<Alert> {
  const order = (alert: Alert): number | undefined => severityRank(alert, severities);
  const columns = ALERT_COLUMNS.map((column) => (column.name === 'severity' ? { ...column, order } : column));
  return { ...ALERT_LIST, columns, empty };
}

/** The name and labels of an alert, on one line. */
export function alertTitle({ labels }: Pick<Alert, 'labels'>): string {
  return [labels['alertname'] ?? '', ...labelCells(labels, new Set(['alertname']))].join(' ').trim();
}
