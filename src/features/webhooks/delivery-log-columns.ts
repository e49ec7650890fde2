/** How the delivery log, its changes and test events are shown. */
import type { Cell, Column, ListOutput, RecordOutput, Tone } from '../../output/types.ts';
import type { DeliveryChange, ShownLogItem } from './delivery-log.ts';
import type { TestOutcome, TestResult } from './test-delivery.ts';

const STATE_TONES: Readonly<Record<string, Tone>> = { pending: 'warn', delivered: 'good', failed: 'bad' };

function stateCell({ status_text: text }: ShownLogItem): Cell {
  return { text, tone: STATE_TONES[text] ?? 'warn' };
}

function timeCell(time: string | null | undefined): Cell {
  return time === undefined || time === null || time === '' ? '-' : { time };
}

const COLUMNS: readonly Column<ShownLogItem>[] = [
  { name: 'event', cell: (item) => item.event_id },
  { name: 'type', cell: (item) => item.event_type, flex: true },
  { name: 'status', cell: stateCell },
  { name: 'attempts', cell: ({ attempts }) => attempts, align: 'right' },
  { name: 'last-error', cell: (item) => item.last_error || '-', flex: true },
  { name: 'created', cell: (item) => timeCell(item.created_at) },
  { name: 'delivered', cell: (item) => timeCell(item.delivered_at) },
  { name: 'id', cell: ({ id }) => id, wide: true },
];

export const LOG_LIST: ListOutput<ShownLogItem> = {
  kind: 'list',
  columns: COLUMNS,
  id: ({ id }) => id,
  empty: 'no such deliveries',
};

export const CHANGE_LIST: ListOutput<DeliveryChange> = {
  kind: 'list',
  columns: [{ name: 'change', cell: ({ change }) => change }, ...COLUMNS],
  id: ({ id }) => id,
  live: (item) => [
    item.event_id,
    item.event_type,
    stateCell(item),
    item.attempts === undefined ? undefined : `attempt ${item.attempts}`,
    item.last_error === '' ? undefined : item.last_error,
  ],
};

const OUTCOME_TONES: Readonly<Record<TestOutcome, Tone>> = {
  queued: 'strong',
  delivered: 'good',
  failed: 'bad',
  skipped: 'bad',
  pending: 'warn',
  'not-dispatched': 'warn',
};

export const TEST_RECORD: RecordOutput<TestResult> = {
  kind: 'record',
  columns: [
    { name: 'event', cell: (test) => test.event_id },
    { name: 'endpoint', cell: (test) => test.endpoint_id },
    { name: 'outcome', cell: ({ outcome }) => ({ text: outcome, tone: OUTCOME_TONES[outcome] }) },
    { name: 'what', cell: ({ text }) => text },
  ],
  id: (test) => test.event_id,
  line: ({ outcome, text }) => ({ text, tone: OUTCOME_TONES[outcome] }),
};
