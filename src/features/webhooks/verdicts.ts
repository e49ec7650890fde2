/** Verdicts on deliveries for people: a line each. */
import type { Cell, ListOutput, RecordOutput } from '../../output/types.ts';
import type { CheckedDelivery } from './checked-delivery.ts';

export interface VerdictView {
  readonly prefix: string;
  /** The fingerprints of the secrets, in the order in which they were given. */
  readonly secrets: readonly string[];
  /** More than one line: each says where it was read. */
  readonly several: boolean;
  readonly hintWords: (name: string) => string;
}

const COLUMNS: ListOutput<CheckedDelivery>['columns'] = [
  { name: 'source', cell: ({ source }) => source, flex: true },
  { name: 'verdict', cell: ({ verdict, valid }) => ({ text: verdict, tone: valid ? 'good' : 'bad' }) },
  { name: 'valid', cell: ({ valid }) => valid, wide: true },
  { name: 'signature-ok', cell: (row) => row.signature_ok, wide: true },
  { name: 'timestamp', cell: ({ timestamp }) => timestamp },
  { name: 'age-s', cell: (row) => row.age_s, align: 'right' },
  { name: 'tolerance-s', cell: (row) => row.tolerance_s, wide: true },
  { name: 'event-id', cell: (row) => row.event_id },
  { name: 'event-type', cell: (row) => row.event_type },
  { name: 'secret-index', cell: (row) => row.secret_index, wide: true },
  { name: 'body-bytes', cell: (row) => row.body_bytes, align: 'right' },
  { name: 'body-sha256', cell: (row) => row.body_sha256, wide: true },
  { name: 'hints', cell: ({ hints }) => hints },
  { name: 'notes', cell: ({ notes }) => notes },
  { name: 'clock', cell: ({ clock }) => clock, wide: true },
];

const id = ({ event_id: eventId, source }: CheckedDelivery): string => eventId ?? source;

/** `valid  evt_1  webhook.ping  age 1 s  82 B  secret 1f3a9c02`, `INVALID  signature_mismatch  body.json  why`. */
export function verdictList(view: VerdictView): ListOutput<CheckedDelivery> {
  return { kind: 'list', columns: COLUMNS, id, live: (row) => verdictLine(row, view) };
}

export const VERDICT_RECORD: RecordOutput<CheckedDelivery> = { kind: 'record', columns: COLUMNS, id };

export function verdictLine(row: CheckedDelivery, view: VerdictView): readonly Cell[] {
  if (!row.valid) {
    const head: readonly Cell[] = [{ text: 'INVALID', tone: 'bad' }, row.verdict, row.source, reason(row, view)];
    return [...head, ...(row.expected ?? []).map((signature) => `expected ${signature}`)];
  }
  const { secret_index: index } = row;
  const age = `age ${duration(row.age_s ?? 0)}${row.clock === 'now' ? '' : ' when received'}`;
  const secret = index === null ? '-' : view.secrets[index];
  // One cell: a recording has a hundred thousand of them.
  const facts = `${row.event_id ?? '-'}  ${row.event_type ?? '-'}  ${age}  ${row.body_bytes} B  secret ${secret}`;
  const cells: Cell[] = [VALID, facts];
  if (view.several) cells.push(row.source);
  for (const note of row.notes) cells.push({ text: noteWords(note, row, view), tone: 'warn' });
  for (const signature of row.expected ?? []) cells.push(`expected ${signature}`);
  return cells;
}

const VALID: Cell = { text: 'valid', tone: 'good' };

/** The repair that was found, or what the verdict means and what to do. */
export function reason(row: CheckedDelivery, { prefix, hintWords }: VerdictView): string {
  if (row.hints.length > 0) return row.hints.map(hintWords).join('; and ');
  const age = duration(Math.abs(row.age_s ?? 0));
  const limit = `limit ${row.tolerance_s} s`;
  switch (row.verdict) {
    case 'valid':
      return '';
    case 'signature_mismatch':
      return 'another secret signed this, or other bytes were signed';
    case 'malformed_signature':
      return `${prefix}Signature is not sha256= and 64 hexadecimal digits`;
    case 'unsupported_algorithm':
      return `${prefix}Signature is not of sha256, the only one the service uses`;
    case 'missing_signature':
      return `there is no ${prefix}Signature: pass --signature, --header or --headers-file`;
    case 'missing_timestamp':
      return `there is no ${prefix}Timestamp: pass --timestamp, --header or --headers-file`;
    case 'malformed_timestamp':
      return `${prefix}Timestamp is not a whole number of Unix seconds in plain digits`;
    case 'stale':
      return `signature OK, but the timestamp is ${age} old (${limit}); for archives use --received-at or --ignore-timestamp`;
    case 'future':
      return (row.timestamp ?? 0) > YEAR_5000
        ? `signature OK, but the timestamp is ${age} ahead (${limit}): is it in milliseconds?`
        : `signature OK, but the timestamp is ${age} ahead (${limit}): is a clock wrong?`;
    case 'duplicate_header':
      return `${prefix}Signature or ${prefix}Timestamp is there twice, and nobody knows which one counts`;
    case 'truncated_input':
      return `the input ends before the body does: ${row.body_bytes} B of it are there`;
  }
}

const YEAR_5000 = 95_617_584_000;

function noteWords(note: string, row: CheckedDelivery, { prefix }: VerdictView): string {
  switch (note) {
    case 'unsigned_header_mismatch':
      return `${prefix}Event says ${row.unsigned_event_type}, which is not signed; the signed body says ${row.event_type}`;
    case 'tolerance_not_checked':
      return 'age not checked';
    case 'noncanonical_hex_case':
      return 'signature in upper case';
    case 'bare_lf_head':
      return 'head with bare LF line ends';
    case 'har_text_body':
      return 'body from the text of a HAR';
    case 'text_body':
      return 'body from text in JSON';
    case 'curl_d_strips_newlines':
      return 'curl -d drops line ends of a file';
    case 'chunks_decoded_before':
      return 'chunked by its header, but not in this file';
    case 'bytes_after_body':
      return 'more bytes follow the body';
    case 'event_not_read':
      return 'too large to read the event';
    default:
      return note;
  }
}

/** `1 s`, `12 min`, `26 h`, `9 days`; negative ages are those of the future. */
function duration(seconds: number): string {
  const size = Math.abs(seconds);
  if (size < 600) return `${seconds} s`;
  if (size < 7200) return `${Math.trunc(seconds / 60)} min`;
  if (size < 259_200) return `${Math.trunc(seconds / 3600)} h`;
  return `${Math.trunc(seconds / 86_400)} days`;
}
