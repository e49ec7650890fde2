/** Columns that several of the webhook commands share. */
import { timeCell } from '../../output/cells.ts';
import type { Cell, Column, ListOutput, RecordOutput, Tone } from '../../output/types.ts';
import type { SentDelivery } from './sending/sending.ts';
import type { ShownSecret } from './stored-secrets.ts';
import { DISABLING_FAILURES, MANY_FAILURES, type ShownSubscription } from './subscriptions/subscription.ts';

const STATE_TONES: Readonly<Record<string, Tone>> = { active: 'good', disabled: 'bad' };

export function statusCell({ status_text: text }: Pick<ShownSubscription, 'status_text'>): Cell {
  return { text, tone: STATE_TONES[text] ?? 'warn' };
}

function failsCell({ consecutive_failures: fails }: ShownSubscription): Cell {
  if (fails === undefined) return undefined;
  const text = `${fails}/${DISABLING_FAILURES}`;
  return fails >= MANY_FAILURES ? { text, tone: 'warn' } : text;
}

export function eventsCell({ events }: Pick<ShownSubscription, 'events'>): Cell {
  return events?.length === 0 ? { text: 'none: nothing is delivered', tone: 'warn' } : events;
}

export const SUBSCRIPTION_COLUMNS: readonly Column<ShownSubscription>[] = [
  { name: 'id', cell: ({ id }) => id },
  { name: 'status', cell: statusCell },
  { name: 'fails', cell: failsCell, align: 'right' },
  { name: 'url', cell: ({ url }) => url, shrinks: true },
  { name: 'events', cell: eventsCell, shrinks: true },
  { name: 'last-activity', cell: (one) => timeCell(one.updated_at) },
  { name: 'created', cell: (one) => timeCell(one.created_at), wide: true },
];

export const SECRET_COLUMNS: readonly Column<ShownSecret>[] = [
  { name: 'endpoint', cell: (secret) => secret.endpoint_id },
  { name: 'fingerprint', cell: ({ fingerprint }) => fingerprint ?? undefined },
  { name: 'stored', cell: ({ stored_at }) => timeCell(stored_at) },
  { name: 'service', cell: (secret) => secret.base_url ?? undefined, shrinks: true },
];

export const SECRET_RECORD: RecordOutput<ShownSecret> = {
  kind: 'record',
  columns: SECRET_COLUMNS,
  id: (secret) => secret.endpoint_id,
};

const sentId = (row: SentDelivery): string => row.event_id ?? '';

const SENT_COLUMNS: readonly Column<SentDelivery>[] = [
  { name: 'n', cell: ({ n }) => n, align: 'right' },
  { name: 'event-id', cell: (row) => row.event_id },
  { name: 'event-type', cell: (row) => row.event_type, wide: true },
  { name: 'status', cell: sentStatusCell },
  { name: 'ms', cell: ({ ms }) => ms, align: 'right' },
  { name: 'answer', cell: answerCell, shrinks: true },
];

export const SENT_LIST: ListOutput<SentDelivery> = {
  kind: 'list',
  columns: SENT_COLUMNS,
  id: sentId,
  empty: 'nothing was sent',
  live: (row) => [String(row.n).padStart(3), row.event_id ?? '-', sentStatusCell(row), `${row.ms} ms`, answerCell(row)],
};

export const SENT_ONE: RecordOutput<SentDelivery> = {
  kind: 'record',
  columns: SENT_COLUMNS,
  id: sentId,
  line: sentLine,
};

function sentLine(row: SentDelivery): Cell {
  const { event_id, status, delivered, error, ms } = row;
  const parts = [event_id ?? '-', status ?? error?.code, `${ms} ms`, answerCell(row)];
  return { text: parts.filter((part) => part !== '').join('  '), tone: delivered ? 'good' : 'bad' };
}

function sentStatusCell({ status, delivered, error }: SentDelivery): Cell {
  return { text: String(status ?? error?.code ?? ''), tone: delivered ? 'good' : 'bad' };
}

const SHOWN = 80;

/** Its start, on one line. */
function answerCell({ answer, location, error }: SentDelivery): string {
  if (error !== null) return error.message;
  const text = [...answer.replace(/\s+/g, ' ').trim()];
  const start = text.length > SHOWN ? `${text.slice(0, SHOWN).join('')}…` : text.join('');
  return location === null ? start : `to ${location} ${start}`.trimEnd();
}
