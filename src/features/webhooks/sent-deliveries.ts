/** How deliveries that were sent are shown, one or many. */
import type { Cell, Column, ListOutput, RecordOutput } from '../../output/types.ts';
import type { SentDelivery } from './sending.ts';

const COLUMNS: readonly Column<SentDelivery>[] = [
  { name: 'n', cell: ({ n }) => n, align: 'right' },
  { name: 'event-id', cell: (row) => row.event_id },
  { name: 'event-type', cell: (row) => row.event_type, wide: true },
  { name: 'status', cell: statusCell },
  { name: 'ms', cell: ({ ms }) => ms, align: 'right' },
  { name: 'answer', cell: answerCell, flex: true },
];

const id = (row: SentDelivery): string => row.event_id ?? '';

export const SENT_LIST: ListOutput<SentDelivery> = {
  kind: 'list',
  columns: COLUMNS,
  id,
  empty: 'nothing was sent',
  live: (row) => [String(row.n).padStart(3), ...cells(row)],
};

export const SENT_ONE: RecordOutput<SentDelivery> = { kind: 'record', columns: COLUMNS, id, line };

function line(row: SentDelivery): Cell {
  const { event_id, status, delivered, error, ms } = row;
  const parts = [event_id ?? '-', status ?? error?.code, `${ms} ms`, answerCell(row)];
  return { text: parts.filter((part) => part !== '').join('  '), tone: delivered ? 'good' : 'bad' };
}

function cells(row: SentDelivery): readonly Cell[] {
  return [row.event_id ?? '-', statusCell(row), `${row.ms} ms`, answerCell(row)];
}

function statusCell({ status, delivered, error }: SentDelivery): Cell {
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
