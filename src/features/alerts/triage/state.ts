/** The triage as a pure function: an event makes the next state and effects for the session. */
import type { Alert } from '../schema.ts';
import { isSuppressed, worstFirst } from '../selection.ts';
import { type CommandLine, expiring, linksOf, matchersText } from './command-lines.ts';
import { type Action, alertsOf, type Effect, rowsOf, type TriageEvent, type TriageState } from './model.ts';
import { lineOf, type Typing, typed } from './typing.ts';

export function reduce(before: TriageState, event: TriageEvent): TriageState {
  const state: TriageState = { ...before, effects: [] };
  const { overlay } = state;
  switch (event.kind) {
    case 'read': {
      const { at } = event;
      return reselected({
        ...state,
        alerts: worstFirst(event.alerts, state.severities),
        readAt: at,
        now: at,
        trouble: undefined,
      });
    }
    case 'trouble':
      return { ...state, trouble: event.reason, now: event.at };
    case 'tick':
      return { ...state, now: event.at };
    case 'key':
      return pressed({ ...state, message: undefined }, event);
    case 'detail':
      return event.detail.fingerprint === state.selected?.fingerprint ? { ...state, detail: event.detail } : state;
    case 'filtered': {
      const filter = event.filter.text === '' ? undefined : event.filter;
      const isOpen = overlay?.kind === 'typing' && overlay.field === 'filter';
      return isOpen ? reselected({ ...state, filter, overlay: undefined, view: 'list' }) : state;
    }
    case 'previewed':
    case 'fault':
      return overlay?.kind === 'typing' ? { ...state, overlay: typed(overlay, event) } : state;
    case 'message':
      return { ...state, message: event.text };
    case 'output':
      return changed(state, (action) => ({ ...action, output: [...action.output, event.text] }));
    case 'question':
      return changed(state, (action) => ({ ...action, question: event.text }));
    case 'ended':
      return changed({ ...state, message: undefined }, (action) => {
        return { ...action, question: undefined, status: event.status };
      });
  }
}

function changed(state: TriageState, change: (action: Action) => Action): TriageState {
  return state.overlay?.kind === 'action' ? { ...state, overlay: change(state.overlay) } : state;
}

/**
 * In the list, the next alert is selected after one that is resolved or was just muted, so that
 * work continues there. An alert that is shown alone stays selected.
 */
function reselected(state: TriageState): TriageState {
  const alerts = alertsOf(rowsOf(pick(state)));
  const before = state.selected;
  const found = alerts.findIndex(({ fingerprint }) => fingerprint === before?.fingerprint);
  const selected = alerts[found];
  const isMutedNow = selected !== undefined && isSuppressed(selected) && before !== undefined && !isSuppressed(before);
  if (selected !== undefined && (state.view === 'alert' || !isMutedNow)) {
    const effects: Effect[] = state.view === 'alert' ? [{ kind: 'detail', alert: selected }] : [];
    return { ...state, selected, position: found, effects };
  }
  return state.view === 'alert' ? state : at(state, alerts, state.position);
}

function pick({ alerts, filter, groupBy }: TriageState) {
  return { alerts, filter, groupBy };
}

function at(state: TriageState, alerts: readonly Alert[], wanted: number): TriageState {
  const position = Math.max(0, Math.min(wanted, alerts.length - 1));
  return { ...state, position, selected: alerts[position] };
}

type Pressed = Extract<TriageEvent, { kind: 'key' }>;

function pressed(state: TriageState, event: Pressed): TriageState {
  const { overlay } = state;
  if (overlay === undefined) return state.view === 'list' ? inList(state, event) : inAlert(state, event);
  if (overlay.kind === 'help') return leaves(event.key) ? { ...state, overlay: undefined } : scrolled(state, event);
  if (overlay.kind === 'action') return inAction(state, overlay, event);
  const next = typed(overlay, { kind: 'key', key: event.key });
  if (next === undefined) return { ...state, overlay: undefined };
  if (next.done === undefined) return { ...state, overlay: next };
  const { done } = next;
  if (done.kind === 'run') return running(state, done.line);
  if (done.kind !== 'group') return { ...state, overlay, effects: [done] };
  const { label } = done;
  if (label !== '' && !state.alerts.some(({ labels }) => Object.hasOwn(labels, label))) {
    return { ...state, overlay: { ...overlay, fault: `no alert has the label ${label}` } };
  }
  return reselected({ ...state, overlay: undefined, groupBy: label === '' ? undefined : label });
}

function leaves(key: string): boolean {
  return key === 'q' || key === 'escape';
}

function running(state: TriageState, given: CommandLine): TriageState {
  const line = [...given, ...state.serverOptions];
  return { ...state, scroll: 0, overlay: { kind: 'action', line, output: [] }, effects: [{ kind: 'run', line }] };
}

function inAction(state: TriageState, action: Action, event: Pressed): TriageState {
  const { key } = event;
  if (action.question !== undefined) {
    const yes = key === 'y' || key === 'Y';
    if (!yes && !leaves(key) && key !== 'n' && key !== 'N' && key !== 'enter') return scrolled(state, event);
    return { ...state, overlay: { ...action, question: undefined }, effects: [{ kind: 'answer', yes }] };
  }
  if (action.status === undefined) return { ...state, message: 'the command is still running' };
  return leaves(key) || key === 'enter' ? { ...state, overlay: undefined, scroll: 0 } : scrolled(state, event);
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

function scrolled(state: TriageState, { key, page, hidden }: Pressed): TriageState {
  const step = STEPS[key]?.(page) ?? 0;
  return { ...state, scroll: Math.max(0, Math.min(state.scroll + step, hidden)) };
}

function inList(state: TriageState, event: Pressed): TriageState {
  const { key, page } = event;
  const step = STEPS[key];
  if (step !== undefined) return at(state, alertsOf(rowsOf(pick(state))), state.position + step(page));
  if (key === 'escape' && state.filter !== undefined) return reselected({ ...state, filter: undefined });
  if (leaves(key)) return { ...state, effects: [{ kind: 'quit' }] };
  const { selected } = state;
  if (key === 'enter' && selected !== undefined) {
    const effects: Effect[] = [{ kind: 'detail', alert: selected }];
    return { ...state, view: 'alert', scroll: 0, detail: undefined, effects };
  }
  return acted(state, key);
}

function inAlert(state: TriageState, event: Pressed): TriageState {
  const { key } = event;
  if (leaves(key)) return reselected({ ...state, view: 'list', scroll: 0, detail: undefined });
  if (/^[1-9]$/.test(key)) return opened(state, Number(key) - 1);
  return STEPS[key] === undefined ? acted(state, key) : scrolled(state, event);
}

function opened(state: TriageState, index: number): TriageState {
  const link = state.selected === undefined ? undefined : linksOf(state.selected)[index];
  if (link === undefined) return { ...state, message: 'the alert has no such link' };
  return { ...state, effects: [{ kind: 'open', link }] };
}

/** The keys of both views. */
function acted(state: TriageState, key: string): TriageState {
  const { selected, filter, groupBy } = state;
  const type = (typing: Omit<Typing, 'kind'>): TriageState => ({ ...state, overlay: { kind: 'typing', ...typing } });
  if (key === '?') return { ...state, scroll: 0, overlay: { kind: 'help' } };
  if (key === '/') return type({ field: 'filter', line: lineOf(filter?.text ?? '') });
  if (key === 'g') return type({ field: 'group', line: lineOf(groupBy ?? '') });
  if (!['a', 's', 'e', 'o'].includes(key)) return state;
  if (selected === undefined) return { ...state, message: 'no alert is selected' };
  if (key === 'a') return type({ field: 'acknowledge', alert: selected, line: lineOf('') });
  if (key === 's') return type({ field: 'matchers', alert: selected, line: lineOf(matchersText(selected)) });
  if (key === 'o') return opened(state, 0);
  const line = expiring(selected);
  if (line !== undefined) return running(state, line);
  const why = isSuppressed(selected) ? 'the alert is suppressed, but not by a silence' : 'no silence mutes the alert';
  return { ...state, message: why };
}
