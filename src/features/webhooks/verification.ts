/** Verifies all deliveries of an input, one after the other, and counts the verdicts. */
import { createHash, hash } from 'node:crypto';
import { SvcError } from '../../errors.ts';
import { readDeliveries } from './captures/formats.ts';
import { gather, type Input, InputErrors, type StreamedBody } from './captures/input.ts';
import {
  type Delivery,
  type DeliveryFilter,
  HEADER_PREFIX,
  headerValues,
  isExact,
  lostBytes,
  type RawHeader,
  REBUILT,
  readEvent,
  signatureHeaders,
} from './delivery.ts';
import {
  ANY_AGE,
  SignatureCheck,
  type SignedHeaders,
  type SigningSecret,
  type Verdict,
  verifySignature,
} from './signature.ts';

/** The result of a check, wherever the delivery came from. */
export interface DeliveryFacts {
  /** The file, and the line or entry in it; or the sender's address, which for a tunnel is the tunnel's. */
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
  readonly hints: readonly string[];
  readonly notes: readonly string[];
}

export interface CheckedDelivery extends DeliveryFacts {
  readonly status: Verdict;
  /** The hints in words. */
  readonly explanation: string | undefined;
  /** Whether these are the signed bytes. False: the file may have others, and a mismatch proves nothing. */
  readonly exact: boolean;
  /** What the age is measured against. */
  readonly clock: CheckClock;
  /** The unsigned header, if the signed body contradicts it. */
  readonly unsigned_event_type: string | undefined;
}

/** `received_at`: of the recording; `startedDateTime`: of the HAR. */
type CheckClock = 'now' | 'received_at' | 'startedDateTime';

export interface CheckOptions {
  readonly secrets: readonly SigningSecret[];
  /** Undefined: the age is not checked. */
  readonly toleranceS: number | undefined;
  /** Headers given separately: they replace those with the same names. */
  readonly given: readonly RawHeader[];
  /** The time to check against, whatever was recorded: Unix seconds. */
  readonly asOfS: number | undefined;
  /** Milliseconds since 1970. */
  now(): number;
  readonly filter: DeliveryFilter;
  readonly hints: boolean;
  readonly digests: boolean;
}

interface CheckedBody {
  readonly row: CheckedDelivery;
  readonly body: Uint8Array;
}

/** A streamed body up to this size is buffered: its event is read, and on a mismatch the cause is searched for. */
const MAX_BUFFERED_BYTES = 8 << 20;
/** A wrong secret fails every delivery of a recording: after this many mismatches without a hint, the search stops. */
const MOST_FRUITLESS = 100;

export class Verification {
  readonly #options: CheckOptions;
  readonly #input: Input;
  readonly #given: ReadonlySet<string>;
  readonly #counts = new Map<Verdict, number>();
  readonly #unusable: InputErrors;
  #fruitless = 0;

  constructor(options: CheckOptions, input: Omit<Input, 'unusable'>) {
    this.#options = options;
    this.#given = new Set(options.given.map(([name]) => name.toLowerCase()));
    this.#unusable = new InputErrors(input.notice);
    this.#input = { ...input, unusable: (error) => this.#unusable.add(error) };
  }

  /** In non-empty batches. Unreadable items are skipped, and reported by `failure`. */
  async *batches(paths: readonly string[]): AsyncGenerator<readonly CheckedDelivery[], void, void> {
    for (const path of paths) yield* this.#batchesOf(path);
  }

  async *#batchesOf(path: string): AsyncGenerator<readonly CheckedDelivery[], void, void> {
    try {
      for await (const found of readDeliveries(path, this.#input)) {
        const rows = 'pieces' in found ? [await this.#checkStream(found)] : await this.#checkAll(found);
        if (rows.length > 0) yield rows;
      }
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'file_unusable') throw error;
      this.#unusable.add(error);
    }
  }

  /** The verdict on a single delivery, and its body. */
  async only(paths: readonly string[]): Promise<CheckedBody> {
    const found: Delivery[] = [];
    for (const path of paths) {
      for await (const some of readDeliveries(path, this.#input)) {
        if ('pieces' in some) {
          const body = await gather(some.pieces, some.source, Number.POSITIVE_INFINITY);
          found.push({ source: some.source, headers: [], body, notes: [] });
        } else found.push(...[...some].filter((one) => this.#options.filter.takes(one)));
        if (found.length > 1) {
          throw new SvcError('usage', '--extract takes one delivery, and the input has more', {
            hint: 'nothing was printed',
          });
        }
      }
    }
    const [delivery] = found;
    if (delivery === undefined || this.failure !== undefined) throw this.nothing();
    const checked = await this.#check(delivery);
    if (checked === undefined) throw lostBytes(delivery.source);
    return checked;
  }

  get count(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  get allValid(): boolean {
    return this.count === (this.#counts.get('valid') ?? 0);
  }

  /** `3 checked: 2 valid, 1 stale` */
  summary(): string {
    const parts = [...this.#counts].sort(([a], [b]) => Number(b === 'valid') - Number(a === 'valid'));
    return `${this.count} checked: ${parts.map(([verdict, count]) => `${count} ${verdict}`).join(', ')}`;
  }

  /** Why not everything could be checked. */
  get failure(): SvcError | undefined {
    return this.#unusable.failure('checked');
  }

  nothing(): SvcError {
    return (
      this.failure ??
      new SvcError('missing_value', 'there is no delivery to check', {
        hint: 'an empty input does not count as valid; name a file that contains a delivery',
      })
    );
  }

  async #checkAll(deliveries: Iterable<Delivery>): Promise<readonly CheckedDelivery[]> {
    const rows: CheckedDelivery[] = [];
    for (const delivery of deliveries) {
      if (!this.#options.filter.takes(delivery)) continue;
      const checked = await this.#check(delivery);
      if (checked === undefined) {
        this.#unusable.add(lostBytes(delivery.source));
        continue;
      }
      rows.push(checked.row);
    }
    return rows;
  }

  /** The verdict on a delivery in memory; undefined if the signed bytes are lost. */
  async #check(found: Delivery): Promise<CheckedBody | undefined> {
    const others = found.headers.filter(([name]) => !this.#given.has(name.toLowerCase()));
    const headers = [...others, ...this.#options.given];
    const signed = signatureHeaders(headers);
    const body = await receivedBody(found, signed, this.#options.secrets);
    if (body === undefined) return undefined;
    const check = new SignatureCheck(signed, this.#options.secrets);
    check.update(body);
    const digest = this.#options.digests ? hash('sha256', body) : undefined;
    return { row: await this.#row(check, { ...found, headers, body }, body.length, digest), body };
  }

  /** A body of any size, with separately given headers. */
  async #checkStream({ source, pieces }: StreamedBody): Promise<CheckedDelivery> {
    const { secrets, given: headers, digests } = this.#options;
    const check = new SignatureCheck(signatureHeaders(headers), secrets);
    const hashing = digests ? createHash('sha256') : undefined;
    let buffered: Buffer[] | undefined = [];
    let length = 0;
    for await (const piece of pieces) {
      check.update(piece);
      hashing?.update(piece);
      length += piece.length;
      if (length > MAX_BUFFERED_BYTES) buffered = undefined;
      buffered?.push(Buffer.from(piece));
    }
    const body = buffered && Buffer.concat(buffered);
    return this.#row(check, { source, headers, body, notes: [] }, length, hashing?.digest('hex'));
  }

  async #row(
    check: SignatureCheck,
    delivery: CheckableDelivery,
    length: number,
    digest?: string,
  ): Promise<CheckedDelivery> {
    const { toleranceS } = this.#options;
    const { source, headers, body } = delivery;
    const { clock, nowS } = this.#clock(delivery);
    const found = check.finish({ nowS, toleranceS }, delivery.truncated);
    const notes: string[] = [...delivery.notes, ...found.notes];
    // A body is read only if its signature is valid (doc 2 §6 rule 3); of the headers only the timestamp is signed.
    if (found.signatureOk && body === undefined) notes.push('event_not_read');
    const event = found.signatureOk && body !== undefined ? readEvent(body) : undefined;
    const type = event?.type ?? null;
    const named = type === null ? [] : headerValues(headers, `${HEADER_PREFIX}Event`);
    const contradiction = named.find((value) => value.trim() !== type);
    if (contradiction !== undefined) notes.push('unsigned_header_mismatch');
    this.#counts.set(found.verdict, (this.#counts.get(found.verdict) ?? 0) + 1);
    return {
      source,
      status: found.verdict,
      valid: found.verdict === 'valid',
      signature_ok: found.signatureOk,
      timestamp: found.timestamp,
      age_s: found.ageS,
      tolerance_s: toleranceS ?? null,
      event_id: event?.id ?? null,
      event_type: type,
      secret_index: found.secretIndex,
      body_bytes: length,
      body_sha256: digest,
      ...(EXPLAINABLE.has(found.verdict) ? await this.#explain(delivery) : NOT_EXPLAINED),
      notes,
      exact: found.signatureOk || isExact(delivery),
      clock,
      unsigned_event_type: contradiction,
    };
  }

  /** The repairs that make the signature match. */
  async #explain({ headers, body }: CheckableDelivery): Promise<Explanation> {
    const { hints: wanted, secrets } = this.#options;
    if (!wanted || this.#fruitless >= MOST_FRUITLESS) return NOT_EXPLAINED;
    if (body === undefined || body.length > MAX_BUFFERED_BYTES) return NOT_EXPLAINED;
    const [deliveryId] = headerValues(headers, `${HEADER_PREFIX}Delivery`);
    const { describeHint, findHints } = await import('./signature-hints.ts');
    const hints = findHints({ headers: signatureHeaders(headers), body, secrets, deliveryId });
    this.#fruitless = hints.length === 0 ? this.#fruitless + 1 : 0;
    return hints.length === 0 ? NOT_EXPLAINED : { hints, explanation: hints.map(describeHint).join('; and ') };
  }

  #clock({ receivedS, clock }: CheckableDelivery): { clock: CheckClock; nowS: number } {
    const { asOfS, now } = this.#options;
    if (asOfS !== undefined) return { clock: 'now', nowS: asOfS };
    return receivedS === undefined
      ? { clock: 'now', nowS: now() / 1000 }
      : { clock: clock ?? 'received_at', nowS: receivedS };
  }
}

/** Of a body that was parsed, the layout of the JSON that is signed; undefined if none is, because the received bytes are lost. */
export async function receivedBody(
  { body, notes }: Pick<Delivery, 'body' | 'notes'>,
  headers: SignedHeaders,
  secrets: readonly SigningSecret[],
): Promise<Uint8Array | undefined> {
  if (!notes.includes(REBUILT)) return body;
  const { jsonLayouts } = await import('./signature-hints.ts');
  // With unusable headers no layout can match, and the verdict is about the headers.
  return [body, ...jsonLayouts(body)].find(
    (layout) => verifySignature(headers, layout, secrets, ANY_AGE).verdict !== 'signature_mismatch',
  );
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
