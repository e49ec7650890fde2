/** The list of alerts as lines: as many as fit around the selected one. */
import { cellTone, showTime } from '../../../output/cells.ts';
import { escapeText } from '../../../output/escape.ts';
import { displayWidth, shorten } from '../../../output/terminal.ts';
import type { ScreenLine, Tone } from '../../../output/types.ts';
import { labelCells, OWN_COLUMN, ownValue, severityCell, summaryOf } from '../columns.ts';
import type { Alert } from '../schema.ts';
import { effectiveState, isSuppressed } from '../selection.ts';
import { alertsOf, type Row, rowsOf, type TriageState } from './model.ts';

export interface Visible {
  readonly lines: readonly ScreenLine[];
  /** How many lines scroll, and how many of them are out of sight. */
  readonly page: number;
  readonly hidden: number;
}

const TITLES = { severity: 'SEVERITY', name: 'ALERT', since: 'SINCE', state: 'STATE', about: 'LABELS AND SUMMARY' };
type Cells = Readonly<Record<keyof typeof TITLES, string>>;
const WIDEST: Readonly<Partial<Record<keyof Cells, number>>> = { severity: 10, name: 28 };

export function listLines(state: TriageState, columns: number, height: number): Visible {
  const rows = rowsOf({ alerts: state.alerts, filter: state.filter, groupBy: state.groupBy });
  const page = Math.max(1, height - 1);
  const at = rows.findIndex((row) => row.kind === 'alert' && row.alert.fingerprint === state.selected?.fingerprint);
  const top = Math.max(0, Math.min(at - Math.floor(page / 2), rows.length - page));
  const shown = rows.slice(top, top + page);
  const shared = sharedLabels(alertsOf(rows));
  const cells = new Map(alertsOf(shown).map((alert) => [alert, cellsOf(alert, shared, state.now)]));
  const widths = widthsOf([TITLES, ...cells.values()]);
  const lineOf = (row: Row): ScreenLine => {
    if (row.kind === 'group') return [{ text: groupTitle(row, state.groupBy ?? ''), tone: 'strong' }];
    const isSelected = row.alert.fingerprint === state.selected?.fingerprint;
    return alertLine(row.alert, cells.get(row.alert) ?? TITLES, widths, isSelected);
  };
  const empty = rows.length === 0 ? [[{ text: emptyText(state) }]] : [];
  const title: ScreenLine = [{ text: `  ${joined(TITLES, widths)}`, tone: 'dim' }];
  const lines = [title, ...empty, ...shown.map(lineOf)].map((line) => fitting(line, columns));
  return { lines, page, hidden: rows.length - shown.length };
}

function emptyText({ readAt, filter, trouble }: TriageState): string {
  if (readAt === undefined) return trouble === undefined ? '  reading alerts…' : '  no alerts were read yet';
  return filter === undefined ? '  no alerts' : '  no alerts match the filter; Esc removes it';
}

function groupTitle({ value, alerts }: Extract<Row, { kind: 'group' }>, label: string): string {
  return escapeText(`${label}=${value === '' ? '""' : value} (${alerts})`);
}

/** Labels that all alerts have with the same value tell none from another. */
function sharedLabels(alerts: readonly Alert[]): ReadonlySet<string> {
  const [first, ...others] = alerts;
  if (first === undefined || others.length === 0) return OWN_COLUMN;
  const names = Object.keys(first.labels);
  const shared = names.filter((name) => others.every(({ labels }) => ownValue(labels, name) === first.labels[name]));
  return new Set([...OWN_COLUMN, ...shared]);
}

function cellsOf(alert: Alert, shared: ReadonlySet<string>, now: number): Cells {
  const { labels, startsAt } = alert;
  return {
    severity: escapeText(labels['severity'] ?? ''),
    name: escapeText(labels['alertname'] ?? ''),
    since: escapeText(showTime(startsAt, { time: 'relative', now })),
    state: isSuppressed(alert) ? escapeText(effectiveState(alert)) : '',
    about: escapeText([...labelCells(labels, shared), summaryOf(alert) ?? ''].join(' ').trim()),
  };
}

type Widths = Readonly<Record<keyof Cells, number>>;

function widthsOf(rows: readonly Cells[]): Widths {
  const widthOf = (name: keyof Cells): number =>
    Math.min(WIDEST[name] ?? Number.POSITIVE_INFINITY, Math.max(...rows.map((cells) => displayWidth(cells[name]))));
  const isAnySuppressed = rows.slice(1).some(({ state }) => state !== '');
  return {
    severity: widthOf('severity'),
    name: widthOf('name'),
    since: widthOf('since'),
    state: isAnySuppressed ? widthOf('state') : 0,
    about: 0,
  };
}

function padded(text: string, width: number): string {
  const fitted = shorten(text, width);
  return fitted + ' '.repeat(width - displayWidth(fitted));
}

function joined(cells: Cells, widths: Widths, without: readonly string[] = []): string {
  const names = (Object.keys(TITLES) as (keyof Cells)[]).filter((name) => !without.includes(name));
  const used = names.filter((name) => name === 'about' || widths[name] > 0);
  return used.map((name) => (name === 'about' ? cells.about : padded(cells[name], widths[name]))).join('  ');
}

function alertLine(alert: Alert, cells: Cells, widths: Widths, isSelected: boolean): ScreenLine {
  const unselected: Tone | undefined = isSuppressed(alert) ? 'dim' : undefined;
  const rest = isSelected ? 'strong' : unselected;
  return [
    { text: isSelected ? '> ' : '  ', tone: rest },
    { text: padded(cells.severity, widths.severity), tone: isSuppressed(alert) ? rest : cellTone(severityCell(alert)) },
    { text: `  ${joined(cells, widths, ['severity'])}`, tone: rest },
  ];
}

/** Trailing blanks would only be sent for nothing. */
function fitting(line: ScreenLine, columns: number): ScreenLine {
  const last = line.at(-1);
  if (last === undefined) return line;
  const before = line.slice(0, -1).reduce((sum, { text }) => sum + displayWidth(text), 0);
  return [...line.slice(0, -1), { ...last, text: shorten(last.text.trimEnd(), Math.max(1, columns - before)) }];
}
