/** A delivery's signature (doc 2 §6): bytes in, verdict out. Nothing is parsed before that. */
import { createHash, createHmac, type Hmac, timingSafeEqual } from 'node:crypto';
import { SvcError } from '../../errors.ts';
import { Secret } from '../../http/redact.ts';

export type Verdict =
  | 'valid'
  | 'signature_mismatch'
  | 'malformed_signature'
  | 'unsupported_algorithm'
  | 'missing_signature'
  | 'missing_timestamp'
  | 'malformed_timestamp'
  | 'stale'
  | 'future'
  | 'duplicate_header'
  | 'truncated_input';

/** The permitted difference between a timestamp and the clock in either direction, by default. */
export const TOLERANCE_S = 300;

/** The values of the two relevant headers, one per occurrence. */
export interface SignedHeaders {
  readonly timestamps: readonly string[];
  readonly signatures: readonly string[];
}

interface Clock {
  /** Unix seconds; a fraction is dropped, as the service's own timestamps have none. */
  readonly nowS: number;
  /** Undefined: the age is not checked. */
  readonly toleranceS: number | undefined;
}

/** For a signature that may have any age. */
export const ANY_AGE: Clock = { nowS: 0, toleranceS: undefined };

/** Remarks that do not make a delivery invalid. */
type Note = 'noncanonical_hex_case' | 'tolerance_not_checked';

export interface Verification {
  readonly verdict: Verdict;
  /** Whether the signature matches body and timestamp, whatever its age. */
  readonly signatureOk: boolean;
  /** Unix seconds, if the header has the right form. */
  readonly timestamp: number | null;
  /** Whole seconds, negative for the future. */
  readonly ageS: number | null;
  /** The index of the secret that it was signed with. */
  readonly secretIndex: number | null;
  readonly notes: readonly Note[];
}

/** `sha256=<hex>` of the body with this timestamp, exactly as in the header. */
export function signatureOf(key: string | Uint8Array, timestamp: string, body: Uint8Array): string {
  return `sha256=${createHmac('sha256', key).update(`${timestamp}.`).update(body).digest('hex')}`;
}

/** Verifies a body that is in memory. */
export function verifySignature(
  headers: SignedHeaders,
  body: Uint8Array,
  secrets: readonly SigningSecret[],
  clock: Clock,
  truncated = false,
): Verification {
  const check = startCheck(headers, secrets);
  for (const mac of check.macs) mac.update(body);
  return finishCheck(check, clock, truncated);
}

/** The check of a body that is read in chunks: each goes to every HMAC. */
export interface SignatureCheck {
  readonly shape: Shape | Refusal;
  /** One for each secret; none if the headers alone decide. */
  readonly macs: readonly Hmac[];
}

export function startCheck(headers: SignedHeaders, secrets: readonly SigningSecret[]): SignatureCheck {
  const shape = readShape(headers);
  const macs: Hmac[] = [];
  if ('verdict' in shape) return { shape, macs };
  for (const { key } of secrets) macs.push(createHmac('sha256', key.reveal()).update(`${shape.timestamp}.`));
  return { shape, macs };
}

/**
 * The verdict once all chunks are there. The first that applies: duplicate header, missing,
 * malformed or unsupported, truncated, mismatch, stale or future, valid.
 */
export function finishCheck({ shape, macs }: SignatureCheck, clock: Clock, truncated = false): Verification {
  if ('verdict' in shape) return { ...shape, signatureOk: false, ageS: null, secretIndex: null, notes: [] };
  const { toleranceS } = clock;
  const timestamp = Number(shape.timestamp);
  const ageS = Math.floor(clock.nowS) - timestamp;
  // Every secret is tried, and each comparison takes constant time.
  let found = -1;
  for (const [index, mac] of macs.entries()) {
    if (timingSafeEqual(mac.digest(), shape.digest) && found === -1) found = index;
  }
  if (truncated || found === -1) {
    const verdict = truncated ? 'truncated_input' : 'signature_mismatch';
    return { verdict, signatureOk: false, timestamp, ageS, secretIndex: null, notes: [] };
  }
  const notes: Note[] = shape.upperCase ? ['noncanonical_hex_case'] : [];
  if (toleranceS === undefined) notes.push('tolerance_not_checked');
  const isLate = toleranceS !== undefined && Math.abs(ageS) > toleranceS;
  const lateVerdict = ageS > 0 ? 'stale' : 'future';
  const verdict = isLate ? lateVerdict : 'valid';
  return { verdict, signatureOk: true, timestamp, ageS, secretIndex: found, notes };
}

interface Shape {
  /** The header's own text: it is what was signed. */
  readonly timestamp: string;
  readonly digest: Buffer;
  readonly upperCase: boolean;
}

interface Refusal {
  readonly verdict: Verdict;
  readonly timestamp: number | null;
}

/** Canonical decimal digits only: another spelling would move the `.` within the signed text. */
const TIMESTAMP = /^(?:0|[1-9][0-9]{0,14})$/;
const SCHEME = 'sha256=';
const ANY_CASE = /^sha256=[0-9a-fA-F]{64}$/;
/** A label in the form of ours, and a digest in hexadecimal or base64. */
const OTHER_ALGORITHM = /^(?!sha256=)[a-z][a-z0-9_-]*=[^,=\s]+=*$/;

function readShape({ timestamps, signatures }: SignedHeaders): Shape | Refusal {
  const refuse = (verdict: Verdict, timestamp: number | null = null): Refusal => ({ verdict, timestamp });
  if (timestamps.length > 1 || signatures.length > 1) return refuse('duplicate_header');
  const timestamp = trimmed(timestamps[0]);
  const signature = trimmed(signatures[0]);
  const known = TIMESTAMP.test(timestamp) ? Number(timestamp) : null;
  if (signature === '') return refuse('missing_signature', known);
  if (timestamp === '') return refuse('missing_timestamp');
  if (known === null) return refuse('malformed_timestamp');
  if (ANY_CASE.test(signature)) {
    const hex = signature.slice(SCHEME.length);
    return { timestamp, digest: Buffer.from(hex, 'hex'), upperCase: /[A-F]/.test(hex) };
  }
  return refuse(OTHER_ALGORITHM.test(signature) ? 'unsupported_algorithm' : 'malformed_signature', known);
}

/** Spaces around a value are not part of it. The lookbehind searches a long run of them once. */
export function trimmed(value = ''): string {
  return /^[ \t]|[ \t]$/.test(value) ? value.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, '') : value;
}

/** A usable signing secret, and where it is from (`--secret-file key.txt`), for messages. */
export interface SigningSecret {
  /** The complete text is the key, including `whsec_`. */
  readonly key: Secret;
  readonly source: string;
}

/** The prefix of every secret of the service (doc 2 §2). Alone it is not a secret. */
export const SECRET_PREFIX = 'whsec_';

/** In HMAC, K and K‖NUL sign alike: no control characters. White space is for `trimmed` hints. */
const CONTROL = /[\x00-\x08\x0e-\x1f\x7f-\x9f]/;

/** Throws `empty_secret` and `bad_secret` (exit 2), whose messages never contain the secret. */
export function signingSecret(text: string, source: string): SigningSecret {
  const advice = { hint: 'nothing was checked or sent' };
  if (text === '') throw new SvcError('empty_secret', `${source}: the secret is empty`, advice);
  if (CONTROL.test(text))
    throw new SvcError('bad_secret', `${source}: the secret contains a control character`, advice);
  if (text === SECRET_PREFIX) {
    throw new SvcError('bad_secret', `${source}: the secret is only the prefix ${SECRET_PREFIX}`, advice);
  }
  return { key: new Secret(text), source };
}

export function withoutPrefix(text: string): string {
  return text.startsWith(SECRET_PREFIX) ? text.slice(SECRET_PREFIX.length) : text;
}

/** The first 8 hexadecimal digits of the SHA-256 of the text: enough to tell secrets apart. */
export function fingerprint({ key }: SigningSecret): string {
  return createHash('sha256').update(key.reveal()).digest('hex').slice(0, 8);
}
