/** The screen of the triage: a state and a size in, lines out. */
import { ERROR_KINDS } from '../../../errors.ts';
import { cellTone, showTime } from '../../../output/cells.ts';
import { escapeText } from '../../../output/escape.ts';
import { displayWidth, shorten, wrap } from '../../../output/terminal.ts';
import type { ScreenLine, Tone } from '../../../output/types.ts';
import { alertTitle, labelCells, OWN_COLUMN, ownValue, severityCell, summaryOf } from '../columns.ts';
import type { Alert, Silence } from '../schema.ts';
import { effectiveState, isSuppressed } from '../selection.ts';
import type { SuppressedAlert } from '../suppressors.ts';
import { linksOf, spelled } from './command-lines.ts';
import { type Action, listedAlerts, type TriageState } from './state.ts';
import { lineSoFar, QUESTIONS, type Typing } from './typing.ts';

interface Visible {
  readonly lines: readonly ScreenLine[];
  /** How many lines scroll, and how many of them are out of sight. */
  readonly page: number;
  readonly hidden: number;
}

interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Between headings and footer, the middle takes what is left and scrolls. */
export function screen(state: TriageState, { columns, rows }: Size): Visible {
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
  const count = `${shown.length}${filter === undefined ? '' : ` of ${alerts.length}`}`;
  const title = [
    `${count} ${alerts.length === 1 ? 'alert' : 'alerts'}, ${suppressed} suppressed`,
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

const HINTS = {
  list: 'Enter show  a ack  s silence  e expire  o open  / find  ? keys  q quit',
  alert: 'a ack  s silence  e expire  o open  ? keys  q back',
};

function footer(state: TriageState, columns: number): readonly ScreenLine[] {
  const { overlay, message } = state;
  const verdict = overlay?.kind === 'action' ? verdictLines(overlay, columns) : [];
  const answer = message === undefined ? [] : lines(message, columns, 'warn');
  return [
    ...verdict,
    ...answer,
    [{ text: overlay === undefined ? HINTS[state.view] : overlayHint(overlay), tone: 'dim' }],
  ];
}

function overlayHint(overlay: NonNullable<TriageState['overlay']>): string {
  if (overlay.kind !== 'action') return 'q back';
  if (overlay.question !== undefined) return 'y yes  n no';
  return overlay.status === undefined ? 'running…' : 'Enter or q back';
}

function typingLines(typing: Typing, options: readonly string[], columns: number): readonly ScreenLine[] {
  const { field, line, preview = [], fault } = typing;
  const command = lineSoFar(typing);
  const question = `${QUESTIONS[field]} `;
  return [
    ...(typing.alert === undefined ? [] : lines(typing.alert.labels['alertname'] ?? '', columns, 'strong').slice(0, 1)),
    ...preview.flatMap((text) => lines(text, columns)),
    ...(command === undefined ? [] : lines(`$ ${spelled([...command, ...options])}`, columns, 'dim')),
    ...(fault === undefined ? [] : lines(fault, columns, 'bad')),
    ...cursorLines(question, escapeText(line.before), escapeText(line.after), columns),
    [{ text: 'Enter accept  Esc cancel', tone: 'dim' }],
  ];
}

/** The question and the line, wrapped so that all of it is in sight. */
function cursorLines(question: string, before: string, after: string, columns: number): readonly ScreenLine[] {
  const width = Math.max(2, columns);
  const cursor = '_';
  if (displayWidth(`${question}${before}${cursor}${after}`) <= width)
    return [[{ text: question, tone: 'strong' }, { text: before }, { text: cursor, tone: 'good' }, { text: after }]];
  return [
    [{ text: question, tone: 'strong' }],
    ...wrap(`${before}${cursor}${after}`, width).map((text): ScreenLine => [{ text }]),
  ];
}

const TITLES = { severity: 'SEVERITY', name: 'ALERT', since: 'SINCE', state: 'STATE', about: 'LABELS AND SUMMARY' };
type Cells = Readonly<Record<keyof typeof TITLES, string>>;
const WIDEST: Readonly<Partial<Record<keyof Cells, number>>> = { severity: 10, name: 28 };

/** As many alerts as fit around the selected one. */
function listLines(state: TriageState, columns: number, height: number): Visible {
  const alerts = listedAlerts(state);
  const page = Math.max(1, height - 1);
  const top = Math.max(0, Math.min(state.position - Math.floor(page / 2), alerts.length - page));
  const shown = alerts.slice(top, top + page);
  const shared = sharedLabels(alerts);
  const rows = shown.map((alert) => ({ alert, cells: cellsOf(alert, shared, state.now) }));
  const widths = widthsOf([TITLES, ...rows.map(({ cells }) => cells)]);
  const title: ScreenLine = [{ text: `  ${joined(TITLES, widths)}`, tone: 'dim' }];
  const body = rows.map(({ alert, cells }) =>
    alertLine(alert, cells, widths, alert.fingerprint === state.selected?.fingerprint),
  );
  const empty = alerts.length === 0 ? [[{ text: emptyText(state) }]] : [];
  const lines = [title, ...empty, ...body].map((line) => fitting(line, columns));
  return { lines, page, hidden: alerts.length - shown.length };
}

function emptyText({ readAt, filter, trouble }: TriageState): string {
  if (readAt === undefined) return trouble === undefined ? '  reading alerts…' : '  no alerts were read yet';
  return filter === undefined ? '  no alerts' : '  no alerts match the filter; Esc removes it';
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
  'a                      acknowledge it: svc silences ack',
  's                      silence it: svc silences create, with a preview',
  'e                      expire the silences that mute it: svc silences expire',
  'o                      open its runbook, or its graph',
  '/                      filter by text; Esc removes the filter',
  '?                      show the keys',
  'q, Esc                 go back, or quit',
  'Ctrl-C                 quit',
];
