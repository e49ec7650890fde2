/** The screen of the triage: a state and a size in, lines out. */
import { ERROR_KINDS } from '../../../errors.ts';
import { showTime } from '../../../output/cells.ts';
import { escapeText } from '../../../output/escape.ts';
import { displayWidth, wrap } from '../../../output/terminal.ts';
import type { ScreenLine, Tone } from '../../../output/types.ts';
import { isSuppressed } from '../selection.ts';
import { alertLines } from './alert-view.ts';
import { spelled } from './command-lines.ts';
import { listLines, type Visible } from './list-view.ts';
import { type Action, alertsOf, rowsOf, type TriageState } from './model.ts';
import { lineSoFar, QUESTIONS, type Typing } from './typing.ts';

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
  const { alerts, filter, groupBy, readAt, now, trouble, server } = state;
  const shown = alertsOf(rowsOf({ alerts, filter, groupBy: undefined }));
  const suppressed = shown.filter(isSuppressed).length;
  const count = `${shown.length}${filter === undefined ? '' : ` of ${alerts.length}`}`;
  const title = [
    `${count} ${alerts.length === 1 ? 'alert' : 'alerts'}, ${suppressed} suppressed`,
    ...(filter === undefined ? [] : [`filter: ${filter.text}`]),
    ...(groupBy === undefined ? [] : [`by ${groupBy}`]),
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
  list: 'Enter show  a ack  s silence  e expire  o open  / find  g group  ? keys  q quit',
  alert: 'a ack  s silence  e expire  o, 1-9 open link  ? keys  q back',
};

function footer(state: TriageState, columns: number): readonly ScreenLine[] {
  const { overlay, message } = state;
  const said = message === undefined ? [] : lines(message, columns, 'warn');
  const asked = overlay?.kind === 'action' ? verdictLines(overlay, columns) : [];
  return [...asked, ...said, [{ text: overlay === undefined ? HINTS[state.view] : overlayHint(overlay), tone: 'dim' }]];
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
  const whole = displayWidth(`${question}${before}${cursor}${after}`) <= width;
  if (whole)
    return [[{ text: question, tone: 'strong' }, { text: before }, { text: cursor, tone: 'good' }, { text: after }]];
  return [
    [{ text: question, tone: 'strong' }],
    ...wrap(`${before}${cursor}${after}`, width).map((text): ScreenLine => [{ text }]),
  ];
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
  'o                      open its runbook, or its graph; 1 to 9 open other links',
  '/                      filter by text or by matchers; Esc removes the filter',
  'g                      group by a label',
  '?                      show the keys',
  'q, Esc                 go back, or quit',
  'Ctrl-C                 quit',
];
