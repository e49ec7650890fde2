import { type Answer, listCommand } from '../../../cli/command.ts';
import type { Instant } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import {
  type Cell,
  type ListOutput,
  RawBytes,
  type RecordOutput,
  RowBatches,
  type Rows,
} from '../../../output/types.ts';
import type { CheckedDelivery, CheckOptions } from '../checked-delivery.ts';
import { HEADER_PREFIX } from '../delivery.ts';
import { GIVEN_HEADER_FLAGS, givenHeaders } from '../given-headers.ts';
import { DELIVERY_FORMATS } from '../input-format.ts';
import { fingerprint, standardWebhooksSecret } from '../secret.ts';
import { requireSecrets, SECRET_FLAGS } from '../signing-secrets.ts';
import { parseTolerance, TOLERANCE_FLAG } from '../tolerance.ts';

interface VerdictView {
  readonly prefix: string;
  /** The fingerprints of the secrets, in the order in which they were given. */
  readonly secrets: readonly string[];
  /** More than one line: each says where it was read. */
  readonly several: boolean;
  readonly describeHint: (name: string) => string;
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
function verdictList(view: VerdictView): ListOutput<CheckedDelivery> {
  return { kind: 'list', columns: COLUMNS, id, live: (row) => verdictLine(row, view) };
}

const VERDICT_RECORD: RecordOutput<CheckedDelivery> = { kind: 'record', columns: COLUMNS, id };

export const webhooksVerify = listCommand({
  id: 'webhooks verify',
  summary: 'Check the signatures of deliveries, and say why one does not match',
  description:
    'Reads raw HTTP requests, HARs, curl lines, curl --trace, recordings, and requests in the JSON of API Gateway, ALB, webhook.site, ngrok, Postman, Insomnia or {headers, body}. Where the signature is given by an option, everything is a body unless --format says otherwise. Ends with 0 where all are valid, 1 where any is not, 2 where something could not be checked, is in no format that svc reads, or nothing was there. Ages are measured against the time of receipt in recordings and HARs, and against now elsewhere.\nA mismatch is searched for its cause in bodies of up to 16 MiB (8 MiB on standard input): a hint is told only where the repaired bytes, secret or header do match. One delivery is one object with -o json, several are an array.',
  effect: 'read',
  args: { file: { repeat: true, help: 'Files, folders, or - for standard input (the default)', complete: 'files' } },
  flags: {
    format: { type: 'choice', choices: DELIVERY_FORMATS, default: 'auto', help: 'What the inputs are' },
    ...GIVEN_HEADER_FLAGS,
    ...SECRET_FLAGS,
    'key-derivation': {
      type: 'choice',
      value: 'how',
      choices: ['raw', 'std'],
      default: 'raw',
      help: 'The key: the text of the secret, or what follows whsec_ base64-decoded (Standard Webhooks)',
    },
    tolerance: TOLERANCE_FLAG,
    'ignore-timestamp': { type: 'boolean', help: 'Same as --tolerance none' },
    now: { type: 'time', bare: 'back', unix: true, help: 'Check as if it were this time' },
    'received-at': {
      type: 'time',
      bare: 'back',
      unix: true,
      help: 'When they were received, whatever a recording says',
    },
    extract: { type: 'boolean', help: 'Print the exact body of one delivery if it is valid, and nothing if not' },
    'fail-fast': { type: 'boolean', help: 'Stop at the first that is not valid' },
    'show-expected': { type: 'boolean', help: 'Show the right signature too: within the tolerance it is a forgery' },
    hints: { type: 'boolean', default: true, help: 'Do not search for the cause of a mismatch' },
  },
  exits: ['signature_invalid'],
  examples: [
    {
      run: 'svc webhooks verify body.json --timestamp 1767225600 --signature sha256=517d… --secret-file key',
      why: 'A body, and its two headers from a log',
    },
    {
      run: 'svc webhooks verify request.http --secret-file old --secret-file new',
      why: 'A raw request, during a rotation',
    },
    {
      run: 'svc webhooks verify rec.ndjson --tolerance 1h -o ndjson',
      why: 'All deliveries of a recording, as lines of JSON',
    },
    { run: 'svc webhooks verify --extract request.http | jq .data', why: 'Go on with a body only if it is genuine' },
  ],
  output: verdictList({ prefix: HEADER_PREFIX, secrets: [], several: true, describeHint: (name) => name }),
  async run(input, ctx): Promise<Answer<Rows<CheckedDelivery>>> {
    const { DeliveryChecker, inputFiles, VerificationRun } = await import('../verification-run.ts');
    const named = requireSecrets(input, ctx);
    const secrets = input.keyDerivation === 'std' ? named.map(standardWebhooksSecret) : named;
    const given = await givenHeaders(input, ctx);
    const prefix = input.headerPrefix;
    const check = new DeliveryChecker({
      secrets,
      prefix,
      given,
      toleranceS: input.ignoreTimestamp ? undefined : parseTolerance(input.tolerance),
      at: clock(input),
      now: ctx.now,
      hints: input.hints,
      digests: ctx.wants.fields,
      expected: input.showExpected,
    });
    const signing = [`${prefix}timestamp`, `${prefix}signature`].map((name) => name.toLowerCase());
    const run = new VerificationRun(check, {
      format: input.format,
      signed: given.some(([name]) => signing.includes(name.toLowerCase())),
      refuseBodies: 'with a body alone pass --timestamp and --signature, or --headers-file',
      prefix,
      chunks: ctx.inputChunks,
      notice: ctx.notice,
    });
    const paths = inputFiles(input.file);
    const describeHint = (name: string): string => check.describeHint(name);
    const view = { prefix, secrets: named.map(fingerprint), describeHint };
    if (input.extract) return extracted(await run.only(paths), view);

    const batches = run.batches(paths, input.failFast);
    const taken = await batches.next();
    const [first, ...others] = taken.done ? [] : taken.value;
    if (taken.done || first === undefined) throw run.nothing();
    const several = paths.length > 1 || first.source !== (paths[0] === '-' ? 'stdin' : paths[0]);
    const whole: Pick<Answer<unknown>, 'footer' | 'code'> = {
      footer: () => {
        const summary = run.count > 1 ? run.summary() : undefined;
        if (run.failure === undefined) return summary;
        if (summary !== undefined && ctx.wants.table) ctx.notice(summary);
        throw run.failure;
      },
      code: () => (run.allValid ? undefined : 'signature_invalid'),
    };
    const begun = [taken.value];
    if (ctx.wants.document && others.length === 0) {
      const next = await batches.next();
      if (next.done) return { ...whole, value: first, as: VERDICT_RECORD };
      begun.push(next.value);
    }
    return { ...whole, value: new RowBatches(resumed(begun, batches)), as: verdictList({ ...view, several }) };
  },
});

/** What was taken to see how many there are, and all that follows. */
async function* resumed<Batch>(
  taken: readonly Batch[],
  rest: AsyncGenerator<Batch, void, void>,
): AsyncGenerator<Batch> {
  yield* taken;
  yield* rest;
}

function extracted(
  { row, body }: { readonly row: CheckedDelivery; readonly body: Uint8Array },
  view: Omit<VerdictView, 'several'>,
): Answer<never> {
  if (row.valid) return { value: new RawBytes(body), as: { kind: 'text' } };
  const why = reason(row, { ...view, several: false });
  throw new SvcError('signature_invalid', `${row.verdict}: ${row.source}: ${why}`, { hint: 'nothing was printed' });
}

interface Clocks {
  readonly now: Instant | undefined;
  readonly receivedAt: Instant | undefined;
}

function clock({ now, receivedAt }: Clocks): CheckOptions['at'] {
  if (now !== undefined && receivedAt !== undefined) {
    throw new SvcError('usage', '--now and --received-at both say what time to check against', { hint: 'give one' });
  }
  if (receivedAt !== undefined) return { seconds: receivedAt.ms / 1000, clock: 'received_at' };
  return now === undefined ? undefined : { seconds: now.ms / 1000, clock: 'now' };
}

function verdictLine(row: CheckedDelivery, view: VerdictView): readonly Cell[] {
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
  for (const note of row.notes) cells.push({ text: describeNote(note, row, view), tone: 'warn' });
  for (const signature of row.expected ?? []) cells.push(`expected ${signature}`);
  return cells;
}

const VALID: Cell = { text: 'valid', tone: 'good' };

/** The repair that was found, or what the verdict means and what to do. */
function reason(row: CheckedDelivery, { prefix, describeHint }: VerdictView): string {
  if (row.hints.length > 0) return row.hints.map(describeHint).join('; and ');
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

function describeNote(note: string, row: CheckedDelivery, { prefix }: VerdictView): string {
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
