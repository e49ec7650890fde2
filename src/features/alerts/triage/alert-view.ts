/** One alert as lines: its labels and annotations, what suppresses it, and its links. */
import { showTime } from '../../../output/cells.ts';
import { escapeText } from '../../../output/escape.ts';
import { wrap } from '../../../output/terminal.ts';
import type { ScreenLine } from '../../../output/types.ts';
import { alertTitle } from '../columns.ts';
import type { Alert, Silence } from '../schema.ts';
import { effectiveState } from '../selection.ts';
import type { SuppressedAlert } from '../suppressors.ts';
import { linksOf } from './command-lines.ts';
import type { TriageState } from './model.ts';

/** An empty heading is a line of its own. */
interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

export function alertLines({ selected, alerts, detail, now }: TriageState, columns: number): readonly ScreenLine[] {
  if (selected === undefined) return [];
  const isResolved = !alerts.some(({ fingerprint }) => fingerprint === selected.fingerprint);
  const since = showTime(selected.startsAt, { time: 'relative', now });
  const state = isResolved ? 'resolved: the server no longer has it' : effectiveState(selected);
  const sections: readonly Section[] = [
    { title: 'State', lines: [`${state}, since ${selected.startsAt} (${since})`] },
    { title: 'Receivers', lines: [selected.receivers.map(({ name }) => name).join(', ')] },
    { title: 'Fingerprint', lines: [selected.fingerprint] },
    ...suppressors(selected, detail, now),
    { title: 'Links', lines: linksOf(selected).map(({ name, url }, index) => `${index + 1} ${name}  ${url}`) },
    { title: 'Annotations', lines: sorted(selected.annotations) },
    { title: 'Labels', lines: sorted(selected.labels) },
  ];
  const title = wrapped(selected.labels['alertname'] ?? 'an alert without a name', columns, '');
  return [
    ...title.map((text): ScreenLine => [{ text, tone: 'strong' }]),
    ...sections
      .filter(({ lines }) => lines.length > 0)
      .flatMap((section): readonly ScreenLine[] => [
        [{ text: section.title, tone: 'dim' }],
        ...section.lines.flatMap((line) => wrapped(line, columns, '  ')).map((text) => [{ text }]),
      ]),
  ];
}

function wrapped(text: string, columns: number, indent: string): readonly string[] {
  const width = Math.max(2, columns - indent.length);
  return text.split('\n').flatMap((line) => wrap(escapeText(line), width).map((part) => indent + part));
}

function sorted(texts: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(texts)
    .sort()
    .map((name) => `${name}: ${texts[name]}`);
}

function suppressors(alert: Alert, detail: SuppressedAlert | undefined, now: number): readonly Section[] {
  const { silencedBy, inhibitedBy, mutedBy = [] } = alert.status;
  const silence = (id: string): string => silenceText(id, detail?.silences ?? [], now);
  const inhibitor = (id: string): string => {
    const other = detail?.inhibitors.find(({ fingerprint }) => fingerprint === id);
    return other === undefined ? id : `${id.slice(0, 8)} ${alertTitle(other)}`;
  };
  const groups = detail?.mutedGroups ?? [];
  return [
    { title: 'Silenced by', lines: silencedBy.map(silence) },
    { title: 'Inhibited by', lines: inhibitedBy.map(inhibitor) },
    {
      title: 'Muted by',
      lines:
        groups.length > 0
          ? groups.map(({ receiver, mutedBy }) => `${mutedBy.join(', ')} (receiver ${receiver})`)
          : mutedBy,
    },
  ];
}

function silenceText(id: string, silences: readonly Silence[], now: number): string {
  const silence = silences.find((known) => known.id === id);
  if (silence === undefined) return id;
  const { endsAt, createdBy, comment } = silence;
  return `${id} ends ${showTime(endsAt, { time: 'relative', now })}, by ${createdBy}: ${comment}`;
}
