/** How subscriptions are shown: the columns that the commands about them share. */
import type { Cell, Column, ListOutput, Tone } from '../../output/types.ts';
import { DISABLING_FAILURES, eventsOf, MANY_FAILURES, type ShownSubscription } from './subscription.ts';

const STATE_TONES: Readonly<Record<string, Tone>> = { active: 'good', disabled: 'bad' };

export function statusCell({ status_text: text }: Pick<ShownSubscription, 'status_text'>): Cell {
  return { text, tone: STATE_TONES[text] ?? 'warn' };
}

function failsCell({ consecutive_failures: fails }: ShownSubscription): Cell {
  if (fails === undefined) return undefined;
  const text = `${fails}/${DISABLING_FAILURES}`;
  return fails >= MANY_FAILURES ? { text, tone: 'warn' } : text;
}

export function eventsCell(subscription: Pick<ShownSubscription, 'events'>): Cell {
  const events = eventsOf(subscription);
  return events.length === 0 ? { text: 'none: nothing is delivered', tone: 'warn' } : events;
}

function timeCell(time: string | null | undefined): Cell {
  return time === undefined || time === null || time === '' ? undefined : { time };
}

export const SUBSCRIPTION_COLUMNS: readonly Column<ShownSubscription>[] = [
  { name: 'id', cell: ({ id }) => id },
  { name: 'status', cell: statusCell },
  { name: 'fails', cell: failsCell, align: 'right' },
  { name: 'url', cell: ({ url }) => url, flex: true },
  { name: 'events', cell: eventsCell, flex: true },
  { name: 'last-activity', cell: (one) => timeCell(one.updated_at) },
  { name: 'created', cell: (one) => timeCell(one.created_at), wide: true },
];

/** What became of each of several subscriptions. */
export interface DeletionRow {
  readonly id: string;
  readonly result: 'deleted' | 'already-gone' | 'not-found' | 'error';
  readonly url: string | null;
  readonly message: string | null;
}

const RESULT_TONES: Readonly<Record<DeletionRow['result'], Tone>> = {
  deleted: 'good',
  'already-gone': 'dim',
  'not-found': 'bad',
  error: 'bad',
};

export const DELETION_LIST: ListOutput<DeletionRow> = {
  kind: 'list',
  columns: [
    { name: 'id', cell: ({ id }) => id },
    { name: 'result', cell: ({ result }) => ({ text: result, tone: RESULT_TONES[result] }) },
    { name: 'url', cell: ({ url }) => url, flex: true },
    { name: 'message', cell: ({ message }) => message, flex: true },
  ],
  id: ({ id }) => id,
  empty: 'no such subscriptions: nothing was sent',
};
