/** How the rows of a receiver are shown. */
import type { Cell, ListOutput } from '../output/types.ts';
import { isPrivate } from '../services/recordings/receiver-address.ts';
import type { DeliveryRow, ReadyRow, ReceiverRow, RefusedRow } from '../services/recordings/receiver-rows.ts';
import { isSlow, type Tally } from '../services/recordings/receiver-watch.ts';

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
  live: liveCells,
  linesPerSecond: 200,
};

function messageOf(row: ReceiverRow): Cell {
  if (row.type === 'ready') return row.url;
  if (row.type === 'warning') return row.message;
  return row.type === 'refused' ? row.reason : row.notes;
}

/** A person is told that it is ready, and warned, on standard error. */
function liveCells(row: ReceiverRow): readonly Cell[] {
  if (row.type === 'delivery') return row.valid ? validCells(row) : invalidCells(row);
  return row.type === 'refused' ? refusedCells(row) : [];
}

function validCells(row: DeliveryRow): Cell[] {
  const { duplicate, notes, body } = row;
  const cells: Cell[] = [
    wallTime(row.received_at),
    row.event_id ?? '-',
    row.event_type ?? '-',
    row.verdict === 'valid' ? 'valid' : { text: row.verdict, tone: 'warn' },
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

function invalidCells({ received_at, verdict, source, body_bytes, response, notes, body }: DeliveryRow): Cell[] {
  return [
    wallTime(received_at),
    '-',
    '-',
    { text: `INVALID ${verdict}`, tone: 'bad' },
    `from ${source}`,
    `${body_bytes} B`,
    { text: `-> ${response}`, tone: 'bad' },
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

/** What a person is told first. `secrets`: how many there are to verify with. */
export function introduction({ url, forward, record }: ReadyRow, secrets: number | undefined): string[] {
  const verify = secrets === undefined ? 'OFF' : `on (${secrets} ${secrets === 1 ? 'secret' : 'secrets'})`;
  const parts = [`listening on ${url}`, `verify: ${verify}`];
  if (forward !== null) parts.push(`forward: ${forward}`);
  if (record !== null) parts.push(`record: ${record}`);
  const lines = [parts.join('  ')];
  if (!isPrivate(new URL(url))) lines.push('warning: other machines reach this address');
  if (secrets === undefined) lines.push('warning: nothing is verified: whoever reaches this address can send events');
  if (record !== null) lines.push('warning: recordings hold transcripts, which are personal data');
  return lines;
}

/** And last: `14 deliveries: 12 valid (1 duplicate), 2 invalid`. */
export function summary({ deliveries, valid, duplicates, invalid, refused }: Tally): string {
  const repeated = duplicates === 0 ? '' : ` (${duplicates} ${duplicates === 1 ? 'duplicate' : 'duplicates'})`;
  const parts = [`${valid} valid${repeated}`, `${invalid} invalid`];
  if (refused > 0) parts.push(`${refused} other ${refused === 1 ? 'request' : 'requests'} refused`);
  return `${deliveries} ${deliveries === 1 ? 'delivery' : 'deliveries'}: ${parts.join(', ')}`;
}
