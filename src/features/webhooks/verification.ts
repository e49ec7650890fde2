/** Verifies the deliveries of files, one after the other, and counts the verdicts. */
import { createHash, hash } from 'node:crypto';
import { SvcError } from '../../errors.ts';
import { type Input, type InputErrors, readDeliveries, type StreamedBody } from './captures/formats.ts';
import { type Delivery, HEADER_PREFIX, headerValues, type RawHeader, readEvent, signatureHeaders } from './delivery.ts';
import { finishCheck, type SignatureCheck, type SigningSecret, startCheck, type Verdict } from './signature.ts';

/** The result of a check, wherever the delivery came from. */
export interface DeliveryFacts {
  /** The file, and the line or entry in it; or the address of the sender or of its tunnel. */
  readonly source: string;
  readonly valid: boolean;
  /** Whether the signature belongs to body and timestamp, whatever its age. */
  readonly signature_ok: boolean;
  /** Unix seconds. */
  readonly timestamp: number | null;
  readonly age_s: number | null;
  /** Null: the age was not checked. */
  readonly tolerance_s: number | null;
  /** From a body with a valid signature, like the type. */
  readonly event_id: string | null;
  readonly event_type: string | null;
  readonly secret_index: number | null;
  readonly body_bytes: number;
  /** Undefined if it is not printed: it takes a fifth of the time of a check. */
  readonly body_sha256: string | undefined;
  readonly notes: readonly string[];
}

export interface CheckedDelivery extends DeliveryFacts {
  readonly status: Verdict;
  /** The repairs that make the signature match. */
  readonly hints: readonly string[];
  /** The hints in words. */
  readonly explanation: string | undefined;
  /** What the age is measured against. */
  readonly clock: CheckClock;
}

/** `received_at`: of the recording; `startedDateTime`: of the HAR. */
type CheckClock = 'now' | 'received_at' | 'startedDateTime';

/** What deliveries are checked against, and what was found so far. */
export interface Verification {
  readonly input: Input;
  /** What could not be read or checked. */
  readonly failures: InputErrors;
  readonly secrets: readonly SigningSecret[];
  /** Undefined: the age is not checked. */
  readonly toleranceS: number | undefined;
  /** Headers given separately: they replace those with the same names. */
  readonly given: readonly RawHeader[];
  /** The time to check against, whatever was recorded: Unix seconds. */
  readonly asOfS: number | undefined;
  /** Milliseconds since 1970. */
  now(): number;
  readonly digests: boolean;
  readonly counts: Map<Verdict, number>;
  /** Mismatches in a row whose cause was not found. */
  fruitless: number;
}

/** A body up to this size is buffered: its event is read, and the cause of a mismatch sought. */
const MAX_BUFFERED_BYTES = 8 << 20;
/** A wrong secret fails a whole recording: the search ends after this many hintless mismatches. */
const MOST_FRUITLESS = 100;

/** In non-empty batches. What cannot be checked is a failure. Throws if nothing was checked. */
export async function* checkFiles(
  paths: readonly string[],
  verification: Verification,
): AsyncGenerator<readonly CheckedDelivery[], void, void> {
  for (const path of paths) {
    try {
      for await (const found of readDeliveries(path, verification.input)) {
        const rows = await checkBatch(found, verification);
        if (rows.length > 0) yield rows;
      }
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'file_unusable') throw error;
      verification.failures.add(error);
    }
  }
  if (verification.counts.size === 0) throw explainNothing(verification);
}

/** Why there is no verdict. */
export function explainNothing({ failures }: Verification): SvcError {
  return (
    failures.failure('checked') ??
    new SvcError('missing_value', 'there is no delivery to check', {
      hint: 'an empty input does not count as valid; name a file that contains a delivery',
    })
  );
}

/** `3 checked: 2 valid, 1 stale` */
export function summarize(counts: ReadonlyMap<Verdict, number>): string {
  const parts = [...counts].sort(([a], [b]) => Number(b === 'valid') - Number(a === 'valid'));
  const total = parts.reduce((sum, [, count]) => sum + count, 0);
  return `${total} checked: ${parts.map(([verdict, count]) => `${count} ${verdict}`).join(', ')}`;
}

async function checkBatch(
  found: StreamedBody | Iterable<Delivery>,
  verification: Verification,
): Promise<readonly CheckedDelivery[]> {
  if ('pieces' in found) return [await checkStream(found, verification)];
  const rows: CheckedDelivery[] = [];
  for (const delivery of found) rows.push(await checkDelivery(delivery, verification));
  return rows;
}

/** The verdict on a delivery in memory. */
export async function checkDelivery(found: Delivery, verification: Verification): Promise<CheckedDelivery> {
  const { given, secrets, digests } = verification;
  const headers = given.length === 0 ? found.headers : replaceHeaders(found.headers, given);
  const { body } = found;
  const check = startCheck(signatureHeaders(headers), secrets);
  for (const mac of check.macs) mac.update(body);
  const digest = digests ? hash('sha256', body) : undefined;
  return toRow(check, { ...found, headers, body }, body.length, digest, verification);
}

function replaceHeaders(headers: readonly RawHeader[], given: readonly RawHeader[]): readonly RawHeader[] {
  const names = new Set(given.map(([name]) => name.toLowerCase()));
  return [...headers.filter(([name]) => !names.has(name.toLowerCase())), ...given];
}

/** A body of any size, with separately given headers. */
async function checkStream({ source, pieces }: StreamedBody, verification: Verification): Promise<CheckedDelivery> {
  const { secrets, given: headers, digests } = verification;
  const check = startCheck(signatureHeaders(headers), secrets);
  const hashing = digests ? createHash('sha256') : undefined;
  let buffered: Buffer[] | undefined = [];
  let length = 0;
  for await (const piece of pieces) {
    for (const mac of check.macs) mac.update(piece);
    hashing?.update(piece);
    length += piece.length;
    if (length > MAX_BUFFERED_BYTES) buffered = undefined;
    buffered?.push(Buffer.from(piece));
  }
  const body = buffered && Buffer.concat(buffered);
  return toRow(check, { source, headers, body, notes: [] }, length, hashing?.digest('hex'), verification);
}

async function toRow(
  check: SignatureCheck,
  delivery: CheckableDelivery,
  length: number,
  digest: string | undefined,
  verification: Verification,
): Promise<CheckedDelivery> {
  const { toleranceS, asOfS, counts } = verification;
  const { source, headers, body, receivedS } = delivery;
  const nowS = asOfS ?? receivedS ?? verification.now() / 1000;
  const isRecorded = asOfS === undefined && receivedS !== undefined;
  const found = finishCheck(check, { nowS, toleranceS }, delivery.truncated);
  counts.set(found.verdict, (counts.get(found.verdict) ?? 0) + 1);
  const notes: string[] = [...delivery.notes, ...found.notes];
  // Only a validly signed body is read (doc 2 §6 rule 3); no header but the timestamp is signed.
  if (found.signatureOk && body === undefined) notes.push('event_not_read');
  const event = found.signatureOk && body !== undefined ? readEvent(body) : undefined;
  const types = event?.type === undefined ? [] : headerValues(headers, `${HEADER_PREFIX}Event`);
  if (types.some((type) => type.trim() !== event?.type)) notes.push('unsigned_header_mismatch');
  return {
    source,
    status: found.verdict,
    valid: found.verdict === 'valid',
    signature_ok: found.signatureOk,
    timestamp: found.timestamp,
    age_s: found.ageS,
    tolerance_s: toleranceS ?? null,
    event_id: event?.id ?? null,
    event_type: event?.type ?? null,
    secret_index: found.secretIndex,
    body_bytes: length,
    body_sha256: digest,
    ...(EXPLAINABLE.has(found.verdict) ? await explainMismatch(delivery, verification) : NOT_EXPLAINED),
    notes,
    clock: isRecorded ? (delivery.clock ?? 'received_at') : 'now',
  };
}

/** The repairs that make the signature match. */
async function explainMismatch({ headers, body }: CheckableDelivery, verification: Verification): Promise<Explanation> {
  const { secrets, fruitless } = verification;
  if (fruitless >= MOST_FRUITLESS) return NOT_EXPLAINED;
  if (body === undefined || body.length > MAX_BUFFERED_BYTES) return NOT_EXPLAINED;
  const { describeHint, findHints } = await import('./signature-hints.ts');
  const [hint] = findHints({ headers: signatureHeaders(headers), body, secrets });
  verification.fruitless = hint === undefined ? fruitless + 1 : 0;
  return hint === undefined ? NOT_EXPLAINED : { hints: [hint], explanation: describeHint(hint) };
}

/** The body is undefined if it is too large to buffer. */
interface CheckableDelivery extends Omit<Delivery, 'body'> {
  readonly body: Uint8Array | undefined;
}

type Explanation = Pick<CheckedDelivery, 'hints' | 'explanation'>;

const NOT_EXPLAINED: Explanation = { hints: [], explanation: undefined };

const EXPLAINABLE: ReadonlySet<Verdict> = new Set<Verdict>([
  'signature_mismatch',
  'malformed_signature',
  'unsupported_algorithm',
  'malformed_timestamp',
]);
