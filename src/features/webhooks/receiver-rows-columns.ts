/** How the rows of a receiver are shown. */
import type { Cell, ListOutput } from '../../output/types.ts';
import { summary } from './receiver-notices.ts';
import type { DeliveryRow, ReceiverRow, RefusedRow } from './receiver-rows.ts';
import { isSlow } from './receiver-watch.ts';

/** A sentence for the name of a hint. */
export type HintWords = (name: string) => string;

export function receiverList(hintWords: HintWords): ListOutput<ReceiverRow> {
  return { ...RECEIVER_LIST, live: (row) => liveCells(row, hintWords) };
}

export const RECEIVER_LIST: ListOutput<ReceiverRow> = {
  kind: 'list',
  columns: [
    { name: 'type', cell: ({ type }) => type },
    { name: 'received', cell: (row) => ('received_at' in row ? row.received_at : undefined) },
    { name: 'event-id', cell: (row) => (row.type === 'delivery' ? row.event_id : undefined) },
    { name: 'event-type', cell: (row) => (row.type === 'delivery' ? row.event_type : undefined) },
    { name: 'verdict', cell: (row) => (row.type === 'delivery' ? row.verdict : undefined) },
    { name: 'age-s', cell: (row) => (row.type === 'delivery' ? row.age_s : undefined) },
    { name: 'duplicate', cell: (row) => (row.type === 'delivery' ? row.duplicate !== null : undefined) },
    { name: 'source', cell: (row) => ('source' in row ? row.source : undefined) },
    { name: 'bytes', cell: (row) => (row.type === 'delivery' ? row.body_bytes : undefined) },
    { name: 'forwarded', cell: (row) => (row.type === 'delivery' ? row.forward?.status : undefined) },
    { name: 'response', cell: (row) => ('response' in row ? row.response : undefined) },
    { name: 'ms', cell: (row) => (row.type === 'delivery' ? row.ms : undefined) },
    { name: 'message', cell: messageOf },
  ],
  id: (row) => (row.type === 'delivery' ? (row.event_id ?? undefined) : undefined),
  live: (row) => liveCells(row, (name) => name),
  linesPerSecond: 200,
};

function messageOf(row: ReceiverRow): Cell {
  if (row.type === 'ready') return row.url;
  if (row.type === 'warning') return row.message;
  if (row.type === 'end') return summary(row);
  return row.type === 'refused' ? row.reason : row.notes;
}

/** A person is told that it is ready, and warned, on standard error. */
function liveCells(row: ReceiverRow, hintWords: HintWords): readonly Cell[] {
  if (row.type === 'delivery') return row.valid ? validCells(row) : invalidCells(row, hintWords);
  return row.type === 'refused' ? refusedCells(row) : [];
}

function validCells(row: DeliveryRow): Cell[] {
  const { duplicate, notes, body } = row;
  const cells: Cell[] = [
    wallTime(row.received_at),
    row.event_id ?? '-',
    row.event_type ?? '-',
    { text: row.verdict, tone: row.verdict === 'valid' ? 'good' : 'warn' },
  ];
  if (row.age_s !== null) cells.push(`age ${row.age_s} s`);
  if (duplicate !== null) {
    const { deliveries, first_at } = duplicate;
    cells.push({ text: `duplicate (delivery ${deliveries}, first ${wallTime(first_at)})`, tone: 'dim' });
  }
  cells.push(answerCell(row));
  if (isSlow(row)) cells.push({ text: 'slow', tone: 'warn' });
  if (notes.length > 0) cells.push({ text: notes.join(' '), tone: 'warn' });
  if (body !== undefined) cells.push(body);
  return cells;
}

function invalidCells(row: DeliveryRow, hintWords: HintWords): Cell[] {
  const { received_at, verdict, source, body_bytes, response, hints, notes, body } = row;
  return [
    wallTime(received_at),
    '-',
    '-',
    { text: `INVALID ${verdict}`, tone: 'bad' },
    `from ${source}`,
    `${body_bytes} B`,
    { text: `-> ${response}`, tone: 'bad' },
    ...hints.map(hintWords),
    ...notes,
    body,
  ];
}

function refusedCells({ received_at, reason, source, method, path, bytes, response }: RefusedRow): Cell[] {
  return [
    wallTime(received_at),
    '-',
    '-',
    { text: `REFUSED ${reason}`, tone: 'bad' },
    `from ${source}`,
    `${method} ${path}`,
    bytes > 0 ? `${bytes} B` : undefined,
    response === null ? undefined : { text: `-> ${response}`, tone: 'bad' },
  ];
}

function answerCell({ forward, response, ms }: DeliveryRow): Cell {
  const failed = forward !== null && (forward.status === null || forward.status >= 300);
  const early = forward !== null && forward.status !== response && forward.error === undefined;
  const parts = [
    `-> ${response}`,
    ...(early ? [`(target ${forward.status})`] : []),
    ...(forward?.error === undefined ? [] : [forward.error]),
    ...(forward === null ? [] : [`${ms} ms`]),
  ];
  const text = parts.join(' ');
  return failed || response >= 300 ? { text, tone: 'bad' } : text;
}

/** As the clock on the wall shows it: the lines are read while they come. */
function wallTime(iso: string): string {
  return new Date(iso).toTimeString().slice(0, 8);
}
