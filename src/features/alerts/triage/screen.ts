/** The screen of the triage: a state and a size in, lines out. */
import { ERROR_KINDS } from '../../../errors.ts';
import { showTime } from '../../../output/cells.ts';
import { escapeText } from '../../../output/escape.ts';
import type { TableColumn } from '../../../output/fit.ts';
import { GAP, type TableLine } from '../../../output/lines.ts';
import { cellsOf, fitRows, secondLine } from '../../../output/table.ts';
import { displayWidth, wrap } from '../../../output/terminal.ts';
import type { Column, Frame, ScreenLine, Tone } from '../../../output/types.ts';
import { alertTitle, labelCells, OWN_COLUMN, severityCell, summaryOf } from '../columns.ts';
import type { Alert, Silence } from '../schema.ts';
import { effectiveState, isSuppressed } from '../selection.ts';
import type { SuppressedAlert } from '../suppressors.ts';
import { linksOf, spelled } from './command-lines.ts';
import { type Action, listedAlerts, markedAlerts, type TriageState } from './state.ts';
import { lineSoFar, QUESTIONS, type Typing } from './typing.ts';

interface Visible {
  readonly lines: readonly ScreenLine[];
  /** How many lines scroll, and how many of them are out of sight. */
  readonly page: number;
  readonly hidden: number;
}

/** Between headings and footer, the middle takes what is left and scrolls. */
export function screen(state: TriageState, { columns, rows }: Parameters<Frame>[0]): Visible {
  const { overlay } = state;
  const typing = overlay?.kind === 'typing' ? overlay : undefined;
  const top = headings(state, columns);
  // What is typed stays in sight, however small the terminal is.
  const bottom = (
    typing === undefined ? footer(state, columns) : typingLines(typing, state.serverOptions, columns)
  ).slice(-rows);
  const height = Math.max(1, rows - top.length - bottom.length);
  const middle = middleLines(state, columns, height);
  const blank: ScreenLine[] = Array.from({ length: Math.max(0, height - middle.lines.length) }, () => []);
  const above = [...top, ...middle.lines.slice(0, height), ...blank].slice(0, rows - bottom.length);
  return { ...middle, lines: [...above, ...bottom] };
}

function middleLines(state: TriageState, columns: number, height: number): Visible {
  const { overlay, view, scroll } = state;
  if (overlay?.kind === 'help') return scrolling(KEYS.map(plain), scroll, height);
  if (overlay?.kind === 'action') return scrolling(actionLines(overlay, columns), scroll, height);
  if (view === 'alert') return scrolling(alertLines(state, columns), scroll, height);
  return listLines(state, columns, height);
}

function scrolling(lines: readonly ScreenLine[], scroll: number, height: number): Visible {
  const hidden = Math.max(0, lines.length - height);
  const from = Math.min(scroll, hidden);
  return { lines: lines.slice(from, from + height), page: height, hidden };
}

function plain(text: string): ScreenLine {
  return [{ text }];
}

function lines(text: string, columns: number, tone?: Tone): readonly ScreenLine[] {
  return wrap(escapeText(text), Math.max(2, columns)).map((part) => [{ text: part, tone }]);
}

const MOST_REASON_LINES = 2;

function headings(state: TriageState, columns: number): readonly ScreenLine[] {
  const { alerts, filter, readAt, now, trouble, server } = state;
  const shown = listedAlerts(state);
  const suppressed = shown.filter(isSuppressed).length;
  const marked = markedAlerts(state).length;
  const count = `${shown.length}${filter === undefined ? '' : ` of ${alerts.length}`}`;
  const title = [
    `${count} ${alerts.length === 1 ? 'alert' : 'alerts'}, ${suppressed} suppressed`,
    ...(marked === 0 ? [] : [`${marked} marked`]),
    ...(filter === undefined ? [] : [`filter: ${filter}`]),
  ].join('; ');
  const age = readAt === undefined ? 'never' : showTime(new Date(readAt).toISOString(), { time: 'relative', now });
  const heading: ScreenLine = [
    { text: escapeText(title), tone: 'strong' },
    { text: `; ${escapeText(server)} read ${age}`, tone: trouble === undefined ? 'dim' : 'bad' },
  ];
  if (trouble === undefined) return [heading];
  return [heading, ...lines(`cannot read the alerts: ${trouble}`, columns, 'bad').slice(0, MOST_REASON_LINES)];
}

/** The most useful first, because a narrow terminal has no space for all. */
const ACTIONS = ['a ack', 's silence', 'e expire'];
const HINTS = { list: ['Enter show', 'Space mark', ...ACTIONS, '/ find', 'o open'], alert: [...ACTIONS, 'o open'] };
const LAST_HINTS = { list: '? keys  q quit', alert: '? keys  q back' };

function hintLine(view: TriageState['view'], columns: number): string {
  const shown = [...HINTS[view]];
  const joined = (): string => [...shown, LAST_HINTS[view]].join('  ');
  while (shown.length > 0 && displayWidth(joined()) > columns) shown.pop();
  return joined();
}

function footer(state: TriageState, columns: number): readonly ScreenLine[] {
  const { overlay, message } = state;
  const verdict = overlay?.kind === 'action' ? verdictLines(overlay, columns) : [];
  const answer = message === undefined ? [] : lines(message, columns, 'warn');
  return [
    ...verdict,
    ...answer,
    [{ text: overlay === undefined ? hintLine(state.view, columns) : overlayHint(overlay), tone: 'dim' }],
  ];
}

function overlayHint(overlay: NonNullable<TriageState['overlay']>): string {
  if (overlay.kind !== 'action') return 'q back';
  if (overlay.question !== undefined) return 'y yes  n no';
  return overlay.status === undefined ? 'running…' : 'Enter or q back';
}

function typingLines(typing: Typing, options: readonly string[], columns: number): readonly ScreenLine[] {
  const { field, line, preview = [], fault, alerts = [] } = typing;
  const names = new Set(alerts.map(({ labels }) => labels['alertname'] ?? ''));
  const command = lineSoFar(typing);
  return [
    ...(names.size === 0 ? [] : lines([...names].join(', '), columns, 'strong').slice(0, 1)),
    ...preview.flatMap((text) => lines(text, columns)),
    ...(command === undefined ? [] : lines(`$ ${spelled([...command, ...options])}`, columns, 'dim')),
    ...(fault === undefined ? [] : lines(fault, columns, 'bad')),
    ...lines(`${QUESTIONS[field]} ${line.before}_${line.after}`, columns, 'strong'),
    [{ text: 'Enter accept  Esc cancel', tone: 'dim' }],
  ];
}

const COLUMNS: readonly Column<Alert>[] = [
  { name: 'severity', cell: severityCell, vital: true },
  { name: 'alert', cell: ({ labels }) => labels['alertname'], shrinks: true, vital: true },
  { name: 'labels', cell: ({ labels }) => labelCells(labels, OWN_COLUMN), shrinks: true, shared: true, below: true },
  { name: 'summary', cell: summaryOf, shrinks: true, below: true },
  { name: 'since', cell: ({ startsAt }) => ({ time: startsAt }) },
  { name: 'state', cell: (alert) => (isSuppressed(alert) ? effectiveState(alert) : undefined), vital: true },
];
const LIST = { format: 'table', columns: undefined, fields: undefined, query: undefined, headers: true } as const;
/** Before each alert: whether it is selected, and whether it is marked. */
const MARKS = '   ';

/** As many alerts as fit around the selected one, on one or two lines each. */
function listLines(state: TriageState, columns: number, height: number): Visible {
  const alerts = listedAlerts(state);
  if (alerts.length === 0) return { lines: [[], plain(emptyText(state))], page: 1, hidden: 0 };
  const width = Math.max(1, columns - MARKS.length);
  const subject = { columns: COLUMNS as readonly Column<unknown>[], named: true };
  const { shown, below } = fitRows(subject, alerts, { ...LIST, width, time: 'relative', now: state.now });
  const page = Math.max(1, Math.floor((height - 1) / (below.length === 0 ? 1 : 2)));
  const top = Math.max(0, Math.min(state.position - Math.floor(page / 2), alerts.length - page));
  const titles = shown.map(({ title }) => title);
  const lines: ScreenLine[] = [[{ text: MARKS }, ...besideEachOther(titles, shown, 'dim')]];
  for (const [index, alert] of alerts.slice(top, top + page).entries()) {
    const isSelected = alert.fingerprint === state.selected?.fingerprint;
    const marks = `${isSelected ? '>' : ' '}${state.marked.has(alert.fingerprint) ? '*' : ' '} `;
    const unselected: Tone | undefined = isSuppressed(alert) ? 'dim' : undefined;
    const tone: Tone | undefined = isSelected ? 'strong' : unselected;
    lines.push([{ text: marks, tone }, ...besideEachOther(cellsOf(shown, top + index), shown, tone)]);
    const second = secondLine(cellsOf(below, top + index), width);
    if (below.length > 0) lines.push([{ text: MARKS }, ...second.map(({ text }) => ({ text, tone }))]);
  }
  return { lines, page, hidden: Math.max(0, alerts.length - page) };
}

function emptyText({ readAt, filter, trouble }: TriageState): string {
  if (readAt === undefined) return trouble === undefined ? '  reading alerts…' : '  no alerts were read yet';
  return filter === undefined ? '  no alerts' : '  no alerts match the filter; Esc removes it';
}

/** A cell without a tone of its own has that of its row. */
function besideEachOther(cells: TableLine, columns: readonly TableColumn[], tone: Tone | undefined): ScreenLine {
  return cells.map((cell, index) => {
    const blanks = index === cells.length - 1 ? '' : ' '.repeat((columns[index]?.width ?? 0) - cell.width) + GAP;
    return { text: cell.text + blanks, tone: tone === 'dim' ? tone : (cell.tone ?? tone) };
  });
}

/** One without lines is left out. */
interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

/** Its labels and annotations, what suppresses it, and its links. */
function alertLines({ selected, alerts, detail, now }: TriageState, columns: number): readonly ScreenLine[] {
  if (selected === undefined) return [];
  const isResolved = !alerts.some(({ fingerprint }) => fingerprint === selected.fingerprint);
  const since = showTime(selected.startsAt, { time: 'relative', now });
  const state = isResolved ? 'resolved: the server no longer has it' : effectiveState(selected);
  const sections: readonly Section[] = [
    { title: 'State', lines: [`${state}, since ${selected.startsAt} (${since})`] },
    { title: 'Receivers', lines: [selected.receivers.map(({ name }) => name).join(', ')] },
    { title: 'Fingerprint', lines: [selected.fingerprint] },
    ...suppressors(selected, detail, now),
    { title: 'Links', lines: linksOf(selected).map(({ name, url }) => `${name}  ${url}`) },
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

function actionLines({ line, output }: Action, columns: number): readonly ScreenLine[] {
  return [...lines(`$ ${spelled(line)}`, columns, 'strong'), ...output.flatMap((text) => lines(text, columns))];
}

/** Below what scrolls: a question is never out of sight. */
function verdictLines({ question, status }: Action, columns: number): readonly ScreenLine[] {
  return [
    ...(question === undefined ? [] : lines(`${question} (y/N)`, columns, 'warn')),
    ...(status === undefined ? [] : lines(outcomeText(status), columns, status === 0 ? 'good' : 'bad')),
  ];
}

/** What an exit status says of an action. */
export function outcomeText(status: number): string {
  if (status === 0) return 'done';
  if (status === ERROR_KINDS.outcome_unknown.exit) {
    return 'outcome unknown: the request was sent, and may have taken effect. It was not sent again; check first.';
  }
  if (status === ERROR_KINDS.partly_done.exit) return 'partly done (exit status 10)';
  if (status === ERROR_KINDS.declined.exit) return 'nothing was sent (exit status 2)';
  if (status === ERROR_KINDS.interrupted.exit || status === ERROR_KINDS.terminated.exit) return 'interrupted';
  return `failed (exit status ${status})`;
}

const KEYS = [
  'Up, Down, j, k         move',
  'PgUp, PgDn, Home, End  move by pages, to the first, to the last',
  'Enter                  show the alert: what mutes it, labels, links',
  'Space                  mark it, or remove the mark',
  '*                      mark all that are listed, or remove their marks',
  'a                      acknowledge the marked, or the selected: svc silences ack',
  's                      silence them: svc silences create, with a preview',
  'e                      expire the silences that mute them: svc silences expire',
  'o                      open its runbook, or its graph',
  '/                      filter by text; Esc removes the marks, then the filter',
  '?                      show the keys',
  'q, Esc                 go back, or quit',
  'Ctrl-C, Ctrl-Z         quit, suspend',
];
