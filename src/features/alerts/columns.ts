/** How alerts are shown: the cells, columns and outputs that the commands about them share. */
import type { Cell, Column, ColumnFamily, ListOutput, Tone } from '../../output/types.ts';
import { formatMatcher, matcherFrom } from './matcher.ts';
import type { Alert, Receiver, Silence } from './schema.ts';
import { effectiveState } from './selection.ts';

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

/** What a table without rows says. */
export const EMPTY = { empty: 'no such alerts (suppressed ones are listed with -a)' };
export const ALERT_LIST: ListOutput<Alert> = {
  kind: 'list',
  columns: ALERT_COLUMNS,
  families: ALERT_FAMILIES,
  id: ({ fingerprint }) => fingerprint,
  ...EMPTY,
};

/** Ids are short of meaning: a note says whose they are. */
interface Named {
  readonly value: string;
  readonly note?: string;
}

export function alertCandidates({ fingerprint, labels, receivers }: Alert): {
  readonly fingerprints: readonly Named[];
  readonly receivers: readonly Named[];
} {
  const { alertname, ...others } = labels;
  const shown = Object.entries(others).map(([name, value]) => `${name}=${value}`);
  return {
    fingerprints: [{ value: fingerprint, note: [alertname ?? '', ...shown].join(' ').trim() }],
    receivers: receivers.map((receiver) => receiverCandidate(receiver)),
  };
}

export function silenceCandidates({ id, matchers, comment }: Pick<Silence, 'id' | 'matchers' | 'comment'>): {
  readonly silences: readonly Named[];
} {
  const note = [...matchers.map((wire) => formatMatcher(matcherFrom(wire))), comment].join(' ');
  return { silences: [{ value: id, note }] };
}

export function receiverCandidate({ name }: Receiver): Named {
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
