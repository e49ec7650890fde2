/** How alerts are shown: the cells, columns and outputs that the commands about them share. */
import type { Candidates } from '../../cli/flags.ts';
import type { Cell, Column, ListOutput, Tone } from '../../output/types.ts';
import type { Alert, Receiver } from './schema.ts';
import { effectiveState } from './selection.ts';

const SEVERITY_TONES: Readonly<Record<string, Tone>> = { critical: 'bad', page: 'bad', error: 'bad', warning: 'warn' };

/** Those that have a column of their own are not repeated among the labels. */
export const OWN_COLUMN = new Set(['alertname', 'severity']);

/** Undefined where it is missing: a label may be called `constructor`. */
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
    cell: ({ annotations }) => annotations['summary'] ?? annotations['description'] ?? annotations['message'],
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

/** What a table without rows says. */
export const EMPTY = { empty: 'no such alerts (suppressed ones are listed with -a)' };
export const ALERT_LIST: ListOutput<Alert> = {
  kind: 'list',
  columns: ALERT_COLUMNS,
  families: {
    label: (name) => ({ name: `label:${name}`, cell: ({ labels }) => ownValue(labels, name), flex: true }),
    annotation: (name) => ({
      name: `annotation:${name}`,
      cell: ({ annotations }) => ownValue(annotations, name),
      flex: true,
    }),
  },
  id: ({ fingerprint }) => fingerprint,
  ...EMPTY,
};

/** One line that tells an alert from others. */
export function alertTitle({ labels }: Pick<Alert, 'labels'>): string {
  return [labels['alertname'] ?? '', ...labelCells(labels, new Set(['alertname']))].join(' ').trim();
}

export function alertCandidates(alert: Alert): Candidates {
  return {
    fingerprints: [{ value: alert.fingerprint, note: alertTitle(alert) }],
    receivers: alert.receivers.map(receiverCandidate),
  };
}

export function receiverCandidate({ name }: Receiver): { readonly value: string } {
  return { value: receiverPattern(name) };
}

/** C0, C1 and what else is not seen; RE2 reads their escape as the character itself. */
const UNSEEN = /[\x00-\x1f\x7f-\x9f\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;

/**
 * The regular expression that matches this name alone, for `--receiver`. A dot matches itself as well, and stays: nearly every
 * name would be unreadable otherwise.
 */
export function receiverPattern(name: string): string {
  return name
    .replace(/[\\+*?()|[\]{}^$]/g, '\\$&')
    .replace(UNSEEN, (character) => `\\x{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
