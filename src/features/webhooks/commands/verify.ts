import { type Answer, listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import {
  type Cell,
  type ListOutput,
  RawBytes,
  type RecordOutput,
  RowBatches,
  type Rows,
} from '../../../output/types.ts';
import { DELIVERY_FORMATS, gather, InputErrors, inputFiles, readDeliveries, sourceName } from '../captures/formats.ts';
import { type Delivery, HEADER_PREFIX, signatureHeaders } from '../delivery.ts';
import { GIVEN_HEADER_FLAGS, givenHeaders, parseTolerance, TOLERANCE_FLAG } from '../options.ts';
import { fingerprint, type Verdict } from '../signature.ts';
import { requireSecrets, SECRET_FLAGS } from '../signing-secrets.ts';
import {
  type CheckedDelivery,
  checkDelivery,
  checkFiles,
  explainNothing,
  summarize,
  type Verification,
} from '../verification.ts';

const COLUMNS: ListOutput<CheckedDelivery>['columns'] = [
  { name: 'source', cell: ({ source }) => source, shrinks: true },
  { name: 'status', cell: ({ status, valid }) => ({ text: status, tone: valid ? 'good' : 'bad' }) },
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

const VERDICTS: ListOutput<CheckedDelivery> = { kind: 'list', columns: COLUMNS, id };

const VERDICT_RECORD: RecordOutput<CheckedDelivery> = { kind: 'record', columns: COLUMNS, id };

export const webhooksVerify = listCommand({
  id: 'webhooks verify',
  summary: 'Verify the signatures of deliveries',
  description:
    'Reads a body with its headers, a raw request, a .http file, a HAR, a recording, and JSON, or a log of JSON lines, that has headers and a body. Exit 0 if all deliveries are valid, 1 if any is not, 2 if something could not be read. svc names the cause of a mismatch only if the repaired bytes, secret or header match.',
  details:
    'In JSON, headers may be an object, a list of pairs, of names and values in turn, or of {name, value}. svc skips lines of a log without a request, and refuses a request with two different signatures or bodies, or with a parsed body, whose signed bytes are lost. --headers-file finds the headers of the service in any text: lines, JSON, or as a program prints them. If an option gives the signature, the input is a body unless --format says otherwise.\nsvc measures ages against the time of receipt in recordings and HARs, and against now elsewhere. It searches for the cause of a mismatch in bodies of up to 8 MiB.\nWith -o json, one delivery is one object, several are an array: source, status, valid, signature_ok, timestamp, age_s, tolerance_s, event_id, event_type, secret_index, body_bytes, body_sha256, hints, explanation (the hints in words), notes, clock.',
  effect: 'read',
  args: { file: { repeat: true, help: 'Files, folders, or - for standard input (the default)', complete: 'files' } },
  flags: {
    format: {
      type: 'choice',
      choices: DELIVERY_FORMATS,
      default: 'auto',
      help: 'Format of the input',
    },
    ...GIVEN_HEADER_FLAGS,
    ...SECRET_FLAGS,
    tolerance: TOLERANCE_FLAG,
    now: { type: 'time', bare: 'back', unix: true, rare: true, help: 'Verify as of this time' },
    extract: { type: 'boolean', help: 'Print the exact body of one delivery, only if it is valid' },
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
    { run: 'svc webhooks verify rec.ndjson --tolerance 1h -o ndjson', why: 'A recording, as lines of JSON' },
    { run: 'svc webhooks verify --extract request.http | jq .data', why: 'Use a body only if it is genuine' },
  ],
  output: VERDICTS,
  async run(input, ctx): Promise<Answer<Rows<CheckedDelivery>>> {
    const secrets = await requireSecrets(input, ctx);
    const given = await givenHeaders(input, ctx);
    const { timestamps, signatures } = signatureHeaders(given);
    const failures = new InputErrors(ctx.notice);
    const counts = new Map<Verdict, number>();
    const verification: Verification = {
      input: {
        format: input.format,
        signed: timestamps.length + signatures.length > 0,
        refuseBodies: 'if this is the body, pass its headers: --headers-file FILE, or --timestamp T --signature S',
        chunks: ctx.inputChunks,
        notice: ctx.notice,
        unusable: (error) => failures.add(error),
      },
      failures,
      secrets,
      given,
      toleranceS: parseTolerance(input.tolerance),
      asOfS: input.now === undefined ? undefined : input.now.ms / 1000,
      now: ctx.now,
      digests: ctx.wants.fields,
      counts,
      fruitless: 0,
    };
    const paths = inputFiles(input.file);
    if (input.extract) return extractBody(paths, verification);

    const batches = checkFiles(paths, verification);
    // In a document, one delivery is an object, and several are a list.
    const begun = ctx.wants.document ? await readAhead(batches) : [];
    const [first, ...others] = begun.flat();
    const whole = {
      footer: () => finishReport(verification, ctx),
      code: () => (counts.size === 1 && counts.has('valid') ? undefined : 'signature_invalid'),
    } as const;
    if (first !== undefined && others.length === 0) return { ...whole, value: first, as: VERDICT_RECORD };
    const fingerprints = secrets.map(fingerprint);
    const live = (row: CheckedDelivery): readonly Cell[] => verdictLine(row, fingerprints, paths);
    return {
      ...whole,
      value: new RowBatches(begun.length === 0 ? batches : resumeBatches(begun, batches)),
      as: { ...VERDICTS, live },
    };
  },
});

type Batches = AsyncGenerator<readonly CheckedDelivery[], void, void>;

/** Batches up to the second delivery. */
async function readAhead(batches: Batches): Promise<(readonly CheckedDelivery[])[]> {
  const begun: (readonly CheckedDelivery[])[] = [];
  while (begun.flat().length < 2) {
    const next = await batches.next();
    if (next.done) break;
    begun.push(next.value);
  }
  return begun;
}

/** The rows that were read ahead, and all that follow. */
async function* resumeBatches(begun: readonly (readonly CheckedDelivery[])[], rest: Batches): Batches {
  yield* begun;
  yield* rest;
}

/** The summary of several deliveries. Throws the failure if not everything could be checked. */
function finishReport({ counts, failures }: Verification, ctx: RunContext): string | undefined {
  const isSingle = counts.size === 1 && counts.values().next().value === 1;
  const summary = isSingle ? undefined : summarize(counts);
  const failure = failures.failure('checked');
  if (failure === undefined) return summary;
  if (summary !== undefined && ctx.wants.table) ctx.notice(summary);
  throw failure;
}

/** The body of the only delivery, if it is valid. */
async function extractBody(paths: readonly string[], verification: Verification): Promise<Answer<never>> {
  const [delivery, ...others] = await readAll(paths, verification);
  if (others.length > 0) {
    throw new SvcError('usage', '--extract takes one delivery, and the input has more', {
      hint: 'nothing was printed',
    });
  }
  if (delivery === undefined || verification.failures.failure('checked')) throw explainNothing(verification);
  const row = await checkDelivery(delivery, verification);
  if (row.valid) return { value: new RawBytes(delivery.body), as: { kind: 'text' } };
  throw new SvcError('signature_invalid', `${row.status}: ${row.source}: ${explainVerdict(row)}`, {
    hint: 'nothing was printed',
  });
}

/** All deliveries, or the first two batches. */
async function readAll(paths: readonly string[], { input }: Verification): Promise<readonly Delivery[]> {
  const all: Delivery[] = [];
  for (const path of paths) {
    for await (const found of readDeliveries(path, input)) {
      if ('pieces' in found) {
        const body = await gather(found.pieces, found.source, Number.POSITIVE_INFINITY);
        all.push({ source: found.source, headers: [], body, notes: [] });
      } else all.push(...found);
      if (all.length > 1) return all;
    }
  }
  return all;
}

/** `valid  evt_1  webhook.ping  age 1 s  82 B  secret 1f3a9c02`, `INVALID  code  file  why`. */
function verdictLine(row: CheckedDelivery, secrets: readonly string[], paths: readonly string[]): readonly Cell[] {
  if (!row.valid) return [{ text: 'INVALID', tone: 'bad' }, row.status, row.source, explainVerdict(row)];
  const age = `age ${formatDuration(row.age_s ?? 0)}${row.clock === 'now' ? '' : ' when received'}`;
  // One cell: a recording has a hundred thousand of them.
  const facts = `${row.event_id ?? '-'}  ${row.event_type ?? '-'}  ${age}  ${row.body_bytes} B  secret ${secrets[row.secret_index ?? 0]}`;
  const cells: Cell[] = [VALID, facts];
  const isOnly = paths.length === 1 && row.source === sourceName(paths[0] ?? '');
  if (!isOnly) cells.push(row.source);
  for (const note of row.notes) cells.push({ text: note, tone: 'warn' });
  return cells;
}

const VALID: Cell = { text: 'valid', tone: 'good' };

/** The repair that was found, or what the verdict means and what to do. */
function explainVerdict(row: CheckedDelivery): string {
  return row.explanation ?? REASONS[row.status](row);
}

type Describe = (row: CheckedDelivery) => string;

const REASONS: Readonly<Record<Verdict, Describe>> = {
  valid: () => '',
  signature_mismatch: ({ notes, body_bytes }) => {
    if (body_bytes === 0) return `the body is empty: ${OTHERS}`;
    if (notes.includes('text_body'))
      return `${OTHERS}; this file has the body as text, which may not be the exact bytes: a mismatch proves nothing`;
    return `${OTHERS}: check the secret, and save the body before anything parses it`;
  },
  malformed_signature: () => `${HEADER_PREFIX}Signature is not sha256= and 64 hexadecimal digits`,
  unsupported_algorithm: () =>
    `${HEADER_PREFIX}Signature does not begin with sha256=, the only form that the service sends`,
  missing_signature: () => `${HEADER_PREFIX}Signature is missing: pass --signature, --header or --headers-file`,
  missing_timestamp: () => `${HEADER_PREFIX}Timestamp is missing: pass --timestamp, --header or --headers-file`,
  malformed_timestamp: () => `${HEADER_PREFIX}Timestamp is not a whole number of Unix seconds`,
  stale: (row) =>
    `signature OK, but the timestamp is ${formatDuration(row.age_s ?? 0)} old (limit ${row.tolerance_s} s); for archives use --now or --tolerance none`,
  future: (row) => {
    const question = (row.timestamp ?? 0) > YEAR_5000 ? 'is it in milliseconds?' : 'is a clock wrong?';
    return `signature OK, but the timestamp is ${formatDuration(-(row.age_s ?? 0))} ahead (limit ${row.tolerance_s} s): ${question}`;
  },
  duplicate_header: () =>
    `${HEADER_PREFIX}Signature or ${HEADER_PREFIX}Timestamp appears twice, so it is unclear which one counts`,
  truncated_input: (row) => `the input ends in the middle of the body, after ${row.body_bytes} B`,
};

const OTHERS = 'another secret signed this, or other bytes were signed';

const YEAR_5000 = 95_617_584_000;

/** `1 s`, `12 min`, `26 h`, `9 days`; negative ages are in the future. */
function formatDuration(seconds: number): string {
  const size = Math.abs(seconds);
  if (size < 600) return `${seconds} s`;
  if (size < 7200) return `${Math.trunc(seconds / 60)} min`;
  if (size < 259_200) return `${Math.trunc(seconds / 3600)} h`;
  return `${Math.trunc(seconds / 86_400)} days`;
}
