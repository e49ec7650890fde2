/** The triage as a pure function: an event makes the next state and effects for the session. */
import { alertTitle } from '../columns.ts';
import type { Alert } from '../schema.ts';
import { isSuppressed, type Severities, worstFirst } from '../selection.ts';
import type { SuppressedAlert } from '../suppressors.ts';
import { type CommandLine, expiring, type Link, linksOf, matchersText } from './command-lines.ts';
import { enterDuration, lineOf, pressInLine, type Typing, textOf } from './typing.ts';

/** A command line that runs or has run. It fills the screen until the user has seen the outcome. */
export interface Action {
  readonly kind: 'action';
  readonly line: CommandLine;
  /** What it printed so far. */
  readonly output: readonly string[];
  /** It waits for a yes or a no. */
  readonly question?: string | undefined;
  /** The exit status; undefined while it runs. */
  readonly status?: number | undefined;
}

export type Effect =
  | { readonly kind: 'quit' }
  | { readonly kind: 'run'; readonly line: CommandLine }
  | { readonly kind: 'answer'; readonly yes: boolean }
  | { readonly kind: 'open'; readonly link: Link }
  | { readonly kind: 'preview'; readonly text: string; readonly alerts: readonly Alert[] }
  | { readonly kind: 'detail'; readonly alert: Alert };

export interface TriageState {
  /** In every state, worst first. */
  readonly alerts: readonly Alert[];
  readonly now: number;
  /** When the alerts were read. */
  readonly readAt?: number | undefined;
  /** Why they could not be read since. */
  readonly trouble?: string | undefined;
  readonly view: 'list' | 'alert';
  /** The selected alert, and where in the list it is, or was before it was resolved. */
  readonly selected?: Alert | undefined;
  readonly position: number;
  /** The fingerprints of the alerts that the next action in the list is about. */
  readonly marked: ReadonlySet<string>;
  /** Lines above those of the alert, the keys or the outcome that are shown. */
  readonly scroll: number;
  readonly detail?: SuppressedAlert | undefined;
  /** The listed alerts have this text. */
  readonly filter?: string | undefined;
  readonly severities: Severities;
  /** The server's name, for the heading. */
  readonly server: string;
  /** What every command line ends with, so that it reaches the same server. */
  readonly serverOptions: readonly string[];
  readonly overlay?: { readonly kind: 'help' } | Typing | Action | undefined;
  /** What the latest key did, or why it did nothing. */
  readonly message?: string | undefined;
  /** What the session has to do after this event. */
  readonly effects: readonly Effect[];
}

export type TriageEvent =
  | { readonly kind: 'read'; readonly alerts: readonly Alert[]; readonly at: number }
  | { readonly kind: 'trouble'; readonly reason: string; readonly at: number }
  | { readonly kind: 'tick'; readonly at: number }
  /** `page`: the lines that scroll; `hidden`: how many of them are out of sight. */
  | { readonly kind: 'key'; readonly key: string; readonly page: number; readonly hidden: number }
  | { readonly kind: 'detail'; readonly detail: SuppressedAlert }
  /** `text`: the matchers as they were typed. */
  | {
      readonly kind: 'previewed';
      readonly text: string;
      readonly matchers: readonly string[];
      readonly preview: readonly string[];
    }
  | { readonly kind: 'fault'; readonly reason: string }
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'output'; readonly text: string }
  | { readonly kind: 'question'; readonly text: string }
  | { readonly kind: 'ended'; readonly status: number };

export function initialState(given: Pick<TriageState, 'now' | 'severities' | 'server' | 'serverOptions'>): TriageState {
  return { alerts: [], view: 'list', position: 0, marked: new Set(), scroll: 0, effects: [], ...given };
}

/** The alerts with the text of the filter in their labels or annotations, in any case. */
export function listedAlerts({ alerts, filter }: Pick<TriageState, 'alerts' | 'filter'>): readonly Alert[] {
  if (filter === undefined) return alerts;
  const wanted = filter.toLowerCase();
  return alerts.filter((alert) =>
    [alertTitle(alert), ...Object.values(alert.annotations)].some((text) => text.toLowerCase().includes(wanted)),
  );
}

export function markedAlerts({ alerts, marked }: Pick<TriageState, 'alerts' | 'marked'>): readonly Alert[] {
  return alerts.filter(({ fingerprint }) => marked.has(fingerprint));
}

export function reduce(before: TriageState, event: TriageEvent): TriageState {
  const state: TriageState = { ...before, effects: [] };
  const { overlay } = state;
  switch (event.kind) {
    case 'read': {
      const { at } = event;
      const alerts = worstFirst(event.alerts, state.severities);
      return selectAgain({ ...state, alerts, readAt: at, now: at, trouble: undefined });
    }
    case 'trouble':
      return { ...state, trouble: event.reason, now: event.at };
    case 'tick':
      return { ...state, now: event.at };
    case 'key':
      return press({ ...state, message: undefined }, event);
    case 'detail':
      return event.detail.fingerprint === state.selected?.fingerprint ? { ...state, detail: event.detail } : state;
    case 'previewed': {
      // The user may have typed on, or given up.
      if (overlay?.kind !== 'typing' || overlay.field !== 'matchers' || textOf(overlay.line) !== event.text)
        return state;
      return { ...state, overlay: enterDuration(overlay, event) };
    }
    case 'fault':
      return overlay?.kind === 'typing' ? { ...state, overlay: { ...overlay, fault: event.reason } } : state;
    case 'message':
      return { ...state, message: event.text };
    case 'output':
      return changeAction(state, (action) => ({ ...action, output: [...action.output, event.text] }));
    case 'question':
      return changeAction(state, (action) => ({ ...action, question: event.text }));
    case 'ended': {
      const marked = event.status === 0 && state.view === 'list' ? new Set<string>() : state.marked;
      const end = (action: Action): Action => ({ ...action, question: undefined, status: event.status });
      return changeAction({ ...state, marked }, end);
    }
  }
}

function changeAction(state: TriageState, change: (action: Action) => Action): TriageState {
  return state.overlay?.kind === 'action' ? { ...state, message: undefined, overlay: change(state.overlay) } : state;
}

/**
 * In the list, the next alert is selected after one that is resolved or was just muted, so that
 * work continues there. An alert that is shown alone stays selected.
 */
function selectAgain(state: TriageState): TriageState {
  const alerts = listedAlerts(state);
  const before = state.selected;
  const found = alerts.findIndex(({ fingerprint }) => fingerprint === before?.fingerprint);
  const selected = alerts[found];
  if (state.view === 'alert') {
    if (selected === undefined) return state;
    return { ...state, selected, position: found, effects: [{ kind: 'detail', alert: selected }] };
  }
  const isMutedNow = selected !== undefined && isSuppressed(selected) && before !== undefined && !isSuppressed(before);
  if (selected !== undefined && !isMutedNow) return { ...state, selected, position: found };
  return selectAt(state, state.position);
}

function selectAt(state: TriageState, wanted: number): TriageState {
  const alerts = listedAlerts(state);
  const position = Math.max(0, Math.min(wanted, alerts.length - 1));
  return { ...state, position, selected: alerts[position] };
}

type Pressed = Extract<TriageEvent, { kind: 'key' }>;

function press(state: TriageState, event: Pressed): TriageState {
  const { overlay } = state;
  if (overlay === undefined) return state.view === 'list' ? pressInList(state, event) : pressInAlert(state, event);
  if (overlay.kind === 'help') return leaves(event.key) ? { ...state, overlay: undefined } : scroll(state, event);
  if (overlay.kind === 'action') return pressInAction(state, overlay, event);
  const next = pressInLine(overlay, event.key);
  switch (next.kind) {
    case 'typing':
      return { ...state, overlay: next };
    case 'cancel':
      return { ...state, overlay: undefined };
    case 'filter':
      return selectAgain({ ...state, overlay: undefined, view: 'list', filter: next.text || undefined });
    case 'preview':
      return { ...state, effects: [next] };
    case 'run':
      return run(state, next.line);
  }
}

function leaves(key: string): boolean {
  return key === 'q' || key === 'escape';
}

function run(state: TriageState, given: CommandLine): TriageState {
  const line = [...given, ...state.serverOptions];
  return { ...state, scroll: 0, overlay: { kind: 'action', line, output: [] }, effects: [{ kind: 'run', line }] };
}

function pressInAction(state: TriageState, action: Action, event: Pressed): TriageState {
  const { key } = event;
  if (action.question !== undefined) {
    const yes = key === 'y' || key === 'Y';
    if (!yes && !leaves(key) && key !== 'n' && key !== 'N' && key !== 'enter') return scroll(state, event);
    return { ...state, overlay: { ...action, question: undefined }, effects: [{ kind: 'answer', yes }] };
  }
  if (action.status === undefined) return { ...state, message: 'the command is still running' };
  return leaves(key) || key === 'enter' ? { ...state, overlay: undefined, scroll: 0 } : scroll(state, event);
}

const STEPS: Readonly<Record<string, (page: number) => number>> = {
  up: () => -1,
  k: () => -1,
  down: () => 1,
  j: () => 1,
  'page-up': (page) => -page,
  'page-down': (page) => page,
  ' ': (page) => page,
  home: () => Number.NEGATIVE_INFINITY,
  end: () => Number.POSITIVE_INFINITY,
};

function scroll(state: TriageState, { key, page, hidden }: Pressed): TriageState {
  const step = STEPS[key]?.(page) ?? 0;
  return { ...state, scroll: Math.max(0, Math.min(state.scroll + step, hidden)) };
}

function pressInList(state: TriageState, { key, page }: Pressed): TriageState {
  const { selected } = state;
  if (key === '*') return toggleMarks(state, listedAlerts(state));
  if (key === ' ') return selectAt(toggleMarks(state, selected === undefined ? [] : [selected]), state.position + 1);
  const step = STEPS[key];
  if (step !== undefined) return selectAt(state, state.position + step(page));
  if (key === 'escape' && state.marked.size > 0) return { ...state, marked: new Set() };
  if (key === 'escape' && state.filter !== undefined) return selectAgain({ ...state, filter: undefined });
  if (leaves(key)) return { ...state, effects: [{ kind: 'quit' }] };
  if (key !== 'enter' || selected === undefined) return act(state, key);
  return { ...state, view: 'alert', scroll: 0, detail: undefined, effects: [{ kind: 'detail', alert: selected }] };
}

/** Removes the marks if all have one. */
function toggleMarks(state: TriageState, alerts: readonly Alert[]): TriageState {
  const marked = new Set(state.marked);
  const isRemoved = alerts.every(({ fingerprint }) => marked.has(fingerprint));
  for (const { fingerprint } of alerts) {
    if (isRemoved) marked.delete(fingerprint);
    else marked.add(fingerprint);
  }
  return { ...state, marked };
}

function pressInAlert(state: TriageState, event: Pressed): TriageState {
  const { key } = event;
  if (leaves(key)) return selectAgain({ ...state, view: 'list', scroll: 0, detail: undefined });
  return STEPS[key] === undefined ? act(state, key) : scroll(state, event);
}

/** The keys of both views. */
function act(state: TriageState, key: string): TriageState {
  const { selected, filter } = state;
  const type = (typing: Omit<Typing, 'kind'>): TriageState => ({ ...state, overlay: { kind: 'typing', ...typing } });
  if (key === '?') return { ...state, scroll: 0, overlay: { kind: 'help' } };
  if (key === '/') return type({ field: 'filter', line: lineOf(filter ?? '') });
  if (!['a', 's', 'e', 'o'].includes(key)) return state;
  const [first = selected, ...others] = state.view === 'list' ? markedAlerts(state) : [];
  if (first === undefined) return { ...state, message: 'no alert is selected' };
  if (key === 'o') return open(state, selected ?? first);
  const alerts = [first, ...others] as const;
  if (key === 'a') return type({ field: 'acknowledge', alerts, line: lineOf('') });
  if (key === 'e') return expire(state, alerts);
  const matchers = matchersText(alerts);
  if (matchers === '') return { ...state, message: 'the marked alerts have no label in common' };
  return type({ field: 'matchers', alerts, line: lineOf(matchers) });
}

function open(state: TriageState, alert: Alert): TriageState {
  const [link] = linksOf(alert);
  if (link === undefined) return { ...state, message: 'the alert has no link' };
  return { ...state, effects: [{ kind: 'open', link }] };
}

function expire(state: TriageState, alerts: readonly Alert[]): TriageState {
  const line = expiring(alerts);
  const none = alerts.length === 1 ? 'no silence mutes the alert' : 'no silence mutes the marked alerts';
  return line === undefined ? { ...state, message: none } : run(state, line);
}
