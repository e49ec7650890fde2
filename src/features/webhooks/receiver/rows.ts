/** The rows of `webhooks listen`: the objects of its NDJSON, and how a person sees them. */
import { isLoopback } from '../../../http/address.ts';
import type { Cell, ListOutput } from '../../../output/types.ts';
import type { Verdict } from '../signature.ts';
import type { DeliveryFacts } from '../verification.ts';
import type { Refusal } from './server.ts';

export interface ReadyRow {
  readonly type: 'ready';
  readonly port: number;
  readonly url: string;
  readonly forward: string | null;
  readonly record: string | null;
  /** The file of the last deliveries; null with --no-history. */
  readonly history: string | null;
  readonly tunnel?: TunnelFacts | undefined;
  readonly pid: number;
}

/** The public address of this run, and its subscription. */
export interface TunnelFacts {
  readonly url: string;
  readonly endpoint_id: string;
}

/** The response of a target, or why there is none. */
export interface ForwardedRow {
  readonly status: number | null;
  readonly ms: number;
  readonly error?: string;
  /** The beginning of a response that is not a 2xx. */
  readonly body?: string;
}

export interface DeliveryRow extends DeliveryFacts {
  readonly type: 'delivery';
  readonly received_at: string;
  readonly status: Verdict;
  /** Whether the event was accepted before. */
  readonly duplicate: boolean;
  readonly forward: ForwardedRow | null;
  readonly response: number;
  /** From its headers to its response. */
  readonly ms: number;
  readonly body?: string | undefined;
}

interface RefusedRow extends Omit<Refusal, 'receivedMs' | 'remote'> {
  readonly type: 'refused';
  readonly received_at: string;
  readonly source: string;
}

/** Requests without a valid signature, or refused, that are too many to have rows of their own. */
interface OmittedRow {
  readonly type: 'omitted';
  readonly requests: number;
}

interface WarningRow {
  readonly type: 'warning';
  readonly message: string;
}

export interface Tally {
  deliveries: number;
  valid: number;
  duplicates: number;
  invalid: number;
  refused: number;
  /** Valid, no duplicates, and answered with a 2xx. */
  accepted: number;
}

interface EndRow extends Readonly<Tally> {
  readonly type: 'end';
}

export type ReceiverRow = ReadyRow | DeliveryRow | RefusedRow | OmittedRow | WarningRow | EndRow;

export const RECEIVER_LIST: ListOutput<ReceiverRow> = {
  kind: 'list',
  columns: [
    { name: 'type', cell: ({ type }) => type },
    { name: 'received', cell: (row) => ('received_at' in row ? row.received_at : undefined) },
    { name: 'event-id', cell: (row) => ('event_id' in row ? row.event_id : undefined) },
    { name: 'event-type', cell: (row) => ('event_type' in row ? row.event_type : undefined) },
    { name: 'status', cell: (row) => ('status' in row ? row.status : undefined) },
    { name: 'age-s', cell: (row) => (row.type === 'delivery' ? row.age_s : undefined) },
    { name: 'duplicate', cell: (row) => (row.type === 'delivery' ? row.duplicate : undefined) },
    { name: 'source', cell: (row) => ('source' in row ? row.source : undefined) },
    { name: 'bytes', cell: (row) => (row.type === 'delivery' ? row.body_bytes : undefined) },
    { name: 'forwarded', cell: (row) => (row.type === 'delivery' ? row.forward?.status : undefined) },
    { name: 'response', cell: (row) => ('response' in row ? row.response : undefined) },
    { name: 'ms', cell: (row) => (row.type === 'delivery' ? row.ms : undefined) },
    { name: 'message', cell: messageOf },
  ],
  id: (row) => (row.type === 'delivery' ? (row.event_id ?? undefined) : undefined),
  live: liveCells,
};

function messageOf(row: ReceiverRow): Cell {
  if (row.type === 'ready') return row.url;
  if (row.type === 'warning') return row.message;
  if (row.type === 'end') return summary(row);
  if (row.type === 'omitted') return describeOmission(row);
  return row.type === 'refused' ? row.reason : row.notes;
}

/** Notices on standard error say that it is ready, and warn. */
function liveCells(row: ReceiverRow): readonly Cell[] {
  if (row.type === 'delivery') return row.valid ? validCells(row) : invalidCells(row);
  if (row.type === 'omitted') return [{ text: describeOmission(row), tone: 'dim' }];
  return row.type === 'refused' ? refusedCells(row) : [];
}

function describeOmission({ requests }: OmittedRow): string {
  return `… ${requests} more ${requests === 1 ? 'request' : 'requests'} without a valid signature`;
}

function validCells(row: DeliveryRow): Cell[] {
  const { duplicate, notes, body } = row;
  const cells: Cell[] = [
    formatLocalTime(row.received_at),
    row.event_id ?? '-',
    row.event_type ?? '-',
    { text: row.status, tone: 'good' },
  ];
  if (row.age_s !== null) cells.push(`age ${row.age_s} s`);
  if (duplicate) cells.push({ text: 'duplicate', tone: 'dim' });
  cells.push(answerCell(row));
  if (notes.length > 0) cells.push({ text: notes.join(' '), tone: 'warn' });
  if (body !== undefined) cells.push(body);
  if (row.forward?.body !== undefined) cells.push(...splitResponse(row.forward.body));
  return cells;
}

function invalidCells(row: DeliveryRow): Cell[] {
  const { received_at, status, source, body_bytes, response, notes } = row;
  return [
    formatLocalTime(received_at),
    '-',
    '-',
    { text: `INVALID ${status}`, tone: 'bad' },
    `from ${source}`,
    `${body_bytes} B`,
    { text: `-> ${response}`, tone: 'bad' },
    ...notes,
  ];
}

function refusedCells({ received_at, reason, source, method, path, bytes, response }: RefusedRow): Cell[] {
  return [
    formatLocalTime(received_at),
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
  const parts = [
    `-> ${response}`,
    ...(forward?.error === undefined ? [] : [forward.error]),
    ...(forward === null ? [] : [`${ms} ms`]),
  ];
  const text = parts.join(' ');
  return failed || response >= 300 ? { text, tone: 'bad' } : text;
}

/** The first lines of a response, each on a line of its own. */
function splitResponse(body: string): Cell[] {
  const lines = body.split(/\r?\n/).filter((line) => line.trim() !== '');
  const shown = lines.slice(0, MOST_LINES).map((line) => line.replaceAll('\t', '  ').trimEnd());
  if (lines.length > MOST_LINES) shown.push('…');
  return shown.map((line): Cell => ({ text: line, tone: 'dim', below: true }));
}

const MOST_LINES = 5;

/** Local time: the lines are read as they appear. */
function formatLocalTime(iso: string): string {
  return new Date(iso).toTimeString().slice(0, 8);
}

/** `14 deliveries: 12 valid (1 duplicate), 2 invalid` */
export function summary({ deliveries, valid, duplicates, invalid, refused }: Tally): string {
  const repeated = duplicates === 0 ? '' : ` (${duplicates} ${duplicates === 1 ? 'duplicate' : 'duplicates'})`;
  const parts = [`${valid} valid${repeated}`, `${invalid} invalid`];
  if (refused > 0) parts.push(`${refused} other ${refused === 1 ? 'request' : 'requests'} refused`);
  return `${deliveries} ${deliveries === 1 ? 'delivery' : 'deliveries'}: ${parts.join(', ')}`;
}

/** The first notices on standard error. `secrets`: how many secrets verify. */
export function introduction({ url, forward, record, history }: ReadyRow, secrets: number): string[] {
  const parts = [`listening on ${url}`, `verify: on (${secrets} ${secrets === 1 ? 'secret' : 'secrets'})`];
  if (forward !== null) parts.push(`forward: ${forward}`);
  if (record !== null) parts.push(`record: ${record}`);
  if (history !== null) parts.push(`history: ${history}`);
  const lines = [parts.join('  ')];
  if (!isLoopback(new URL(url))) lines.push('warning: other machines can reach this address');
  if (record !== null) lines.push('warning: recordings contain transcripts, which are personal data');
  return lines;
}
