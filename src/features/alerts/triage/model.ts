/** The state of the triage and its rows, its events, and the effects for the session. */
import { alertTitle, ownValue } from '../columns.ts';
import type { Alert } from '../schema.ts';
import type { Severities } from '../selection.ts';
import type { SuppressedAlert } from '../suppressors.ts';
import type { CommandLine, Link } from './command-lines.ts';
import type { Typing, TypingAnswer } from './typing.ts';

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
  | { readonly kind: 'filter'; readonly text: string }
  | { readonly kind: 'preview'; readonly text: string }
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
  /** Lines above those of the alert, the keys or the outcome that are shown. */
  readonly scroll: number;
  readonly detail?: SuppressedAlert | undefined;
  readonly filter?: Filter | undefined;
  readonly groupBy?: string | undefined;
  /** The ranks; the usual ones by default. */
  readonly severities?: Severities | undefined;
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
  | { readonly kind: 'filtered'; readonly filter: Filter }
  | TypingAnswer
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'output'; readonly text: string }
  | { readonly kind: 'question'; readonly text: string }
  | { readonly kind: 'ended'; readonly status: number };

export function initialState(
  given: Pick<TriageState, 'now' | 'groupBy' | 'severities' | 'server' | 'serverOptions'>,
): TriageState {
  return { alerts: [], view: 'list', position: 0, scroll: 0, effects: [], ...given };
}

/** What the user filters by. The text is as it was typed. */
export interface Filter {
  readonly text: string;
  readonly accepts: (alert: Alert) => boolean;
}

export type Row =
  | { readonly kind: 'alert'; readonly alert: Alert }
  | { readonly kind: 'group'; readonly value: string; readonly alerts: number };

/** Alerts whose labels or annotations contain the text, in any case. */
export function textFilter(text: string): Filter {
  const wanted = text.toLowerCase();
  const accepts = (alert: Alert): boolean =>
    [alertTitle(alert), ...Object.values(alert.annotations)].some((one) => one.toLowerCase().includes(wanted));
  return { text, accepts };
}

interface Listed {
  /** Worst first. */
  readonly alerts: readonly Alert[];
  readonly filter: Filter | undefined;
  readonly groupBy: string | undefined;
}

/** The group with the worst alert comes first. */
export function rowsOf({ alerts, filter, groupBy }: Listed): readonly Row[] {
  const chosen = filter === undefined ? alerts : alerts.filter(filter.accepts);
  if (groupBy === undefined) return chosen.map((alert) => ({ kind: 'alert', alert }));
  const groups = new Map<string, Alert[]>();
  for (const alert of chosen) {
    const value = ownValue(alert.labels, groupBy) ?? '';
    const group = groups.get(value);
    if (group === undefined) groups.set(value, [alert]);
    else group.push(alert);
  }
  return [...groups].flatMap(([value, group]): Row[] => [
    { kind: 'group', value, alerts: group.length },
    ...group.map((alert): Row => ({ kind: 'alert', alert })),
  ]);
}

/** Without the headers of groups. */
export function alertsOf(rows: readonly Row[]): readonly Alert[] {
  return rows.flatMap((row) => (row.kind === 'alert' ? [row.alert] : []));
}
