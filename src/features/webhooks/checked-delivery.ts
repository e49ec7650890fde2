/** One delivery and the verdict on it, as `webhooks verify` prints it. */
import { createHash, hash } from 'node:crypto';
import { type Delivery, headerValues, type RawHeader } from './delivery.ts';
import type { StreamedBody } from './delivery-input.ts';
import { readEvent } from './event.ts';
import type { SigningSecret } from './secret.ts';
import { SignatureCheck, type SignedHeaders, type Verdict, type Verification } from './signature.ts';

/** What a check finds out, wherever the delivery came from. */
export interface DeliveryFacts {
  /** The file, and the line or entry of it; or the address it came from, which of a tunnel is its own. */
  readonly source: string;
  readonly valid: boolean;
  /** Whether the signature belongs to body and timestamp, whatever its age. */
  readonly signature_ok: boolean;
  /** Unix seconds. */
  readonly timestamp: number | null;
  readonly age_s: number | null;
  /** Null: the age was not checked. */
  readonly tolerance_s: number | null;
  /** Of a body whose signature is good, as the type is. */
  readonly event_id: string | null;
  readonly event_type: string | null;
  readonly secret_index: number | null;
  readonly body_bytes: number;
  /** Undefined where nobody asked for it: it costs a fifth of the check. */
  readonly body_sha256: string | undefined;
  readonly hints: readonly string[];
  readonly notes: readonly string[];
}

export interface CheckedDelivery extends DeliveryFacts {
  readonly verdict: Verdict;
  /** What the age is measured against. */
  readonly clock: CheckClock;
  /** What the unsigned header says, where the signed body contradicts it. */
  readonly unsigned_event_type: string | undefined;
  /** The signature by each secret, where it was asked for. */
  readonly expected: readonly string[] | undefined;
}

/** `received_at`: of the recording, or of the option; `startedDateTime`: of the HAR. */
export type CheckClock = 'now' | 'received_at' | 'startedDateTime';

export interface CheckOptions {
  readonly secrets: readonly SigningSecret[];
  readonly prefix: string;
  /** Undefined: the age is not checked. */
  readonly toleranceS: number | undefined;
  /** Headers that were given apart: they replace those of the same names. */
  readonly given: readonly RawHeader[];
  /** The time to check against, whatever was recorded. */
  readonly at: { readonly seconds: number; readonly clock: CheckClock } | undefined;
  /** Milliseconds since 1970. */
  now(): number;
  readonly hints: boolean;
  readonly digests: boolean;
  readonly expected: boolean;
}

/** Up to this size a body is kept: its event is read, and on a mismatch the reason is searched for. */
const MOST_KEPT = 16 << 20;
/** The same where it is not known how many bytes come: a gigabyte through a pipe is to need no more memory than one in a file. */
const MOST_KEPT_OF_UNKNOWN = 8 << 20;
/** A wrong secret fails every delivery of a recording: after so many without a reason none is searched for any more. */
const MOST_FRUITLESS = 100;

const NONE: readonly string[] = [];

export class DeliveryChecker {
  readonly #options: CheckOptions;
  readonly #names: Names;
  readonly #replaced: ReadonlySet<string>;
  #fruitless = 0;
  /** Loaded with the first mismatch. */
  #search: typeof import('./signature-hints.ts') | undefined;

  constructor(options: CheckOptions) {
    this.#options = options;
    this.#names = new Names(options.prefix);
    this.#replaced = new Set(options.given.map(([name]) => name.toLowerCase()));
  }

  /** Without hints: `explain` finds them for the few that need them. */
  check(delivery: Delivery): CheckedDelivery {
    const known = this.#names.in(this.#headersOf(delivery.headers));
    const { clock, nowS } = this.#clock(delivery);
    const { body } = delivery;
    const { secrets, toleranceS, digests, expected } = this.#options;
    const check = new SignatureCheck(known, secrets);
    check.update(body);
    const found = check.finish({ nowS, toleranceS }, delivery.truncated === true);
    const digest = digests ? hash('sha256', body) : undefined;
    const signatures = expected ? check.expected() : undefined;
    return this.#row(delivery, { found, known, clock, length: body.length, digest, signatures, body });
  }

  /** A body of any size. Its headers are those given apart. */
  async checkPieces({
    source,
    pieces,
    size,
  }: StreamedBody): Promise<{ readonly row: CheckedDelivery; readonly body?: Buffer }> {
    const { secrets, given, digests, toleranceS, expected } = this.#options;
    const known = this.#names.in(given);
    const check = new SignatureCheck(known, secrets);
    const hashing = digests ? createHash('sha256') : undefined;
    const most = size === undefined ? MOST_KEPT_OF_UNKNOWN : MOST_KEPT;
    let buffered: Buffer[] | undefined = (size ?? 0) > most ? undefined : [];
    let length = 0;
    for await (const piece of pieces) {
      check.update(piece);
      hashing?.update(piece);
      length += piece.length;
      if (length > most) buffered = undefined;
      buffered?.push(Buffer.from(piece));
    }
    const body = buffered === undefined ? undefined : Buffer.concat(buffered);
    const { clock, nowS } = this.#clock({});
    const found = check.finish({ nowS, toleranceS });
    const digest = hashing?.digest('hex');
    const signatures = expected ? check.expected() : undefined;
    const row = this.#row({ source, notes: NONE }, { found, known, clock, length, digest, signatures, body });
    return body === undefined ? { row } : { row, body };
  }

  /** The same row with the hints that were found. */
  async explain(
    row: CheckedDelivery,
    delivery: Pick<Delivery, 'headers' | 'body' | 'original'>,
  ): Promise<CheckedDelivery> {
    const { hints: wanted, secrets, prefix } = this.#options;
    const worth = wanted && EXPLAINABLE.has(row.verdict) && this.#fruitless < MOST_FRUITLESS;
    if (!worth || delivery.body.length > MOST_KEPT) return row;
    this.#search ??= await import('./signature-hints.ts');
    const headers = this.#headersOf(delivery.headers);
    const hints = this.#search.findHints({
      headers: this.#names.in(headers),
      body: delivery.body,
      secrets,
      deliveryId: headerValues(headers, `${prefix}delivery`)[0],
      original: delivery.original,
    });
    this.#fruitless = hints.length === 0 ? this.#fruitless + 1 : 0;
    return hints.length === 0 ? row : { ...row, hints };
  }

  /** A sentence for the name of a hint that was found here. */
  describeHint(name: string): string {
    return this.#search?.describeHint(name) ?? name;
  }

  #headersOf(headers: readonly RawHeader[]): readonly RawHeader[] {
    if (this.#replaced.size === 0) return headers;
    return [...headers.filter(([name]) => !this.#replaced.has(name.toLowerCase())), ...this.#options.given];
  }

  #clock({ receivedS, clock }: Pick<Delivery, 'receivedS' | 'clock'>): { clock: CheckClock; nowS: number } {
    const { at, now } = this.#options;
    if (at !== undefined) return { clock: at.clock, nowS: at.seconds };
    if (receivedS !== undefined) return { clock: clock ?? 'received_at', nowS: receivedS };
    return { clock: 'now', nowS: now() / 1000 };
  }

  #row({ source, notes: before }: Pick<Delivery, 'source' | 'notes'>, of: Judged): CheckedDelivery {
    const { verdict, signatureOk, timestamp, ageS, secretIndex, notes: remarks } = of.found;
    let notes = remarks.length === 0 ? before : [...before, ...remarks];
    let id: string | null = null;
    let type: string | null = null;
    let unsigned: string | undefined;
    // A body is read only once its signature is good (doc 2 §6 rule 3); of the headers only the timestamp is signed.
    if (signatureOk && of.body === undefined) notes = [...notes, 'event_not_read'];
    else if (signatureOk && of.body !== undefined) {
      const event = readEvent(of.body);
      id = event?.id ?? null;
      type = event?.type ?? null;
      if (type !== null) unsigned = of.known.events.find((value) => value.trim() !== type);
      if (unsigned !== undefined) notes = [...notes, 'unsigned_header_mismatch'];
    }
    return {
      source,
      verdict,
      valid: verdict === 'valid',
      signature_ok: signatureOk,
      timestamp,
      age_s: ageS,
      tolerance_s: this.#options.toleranceS ?? null,
      event_id: id,
      event_type: type,
      secret_index: secretIndex,
      body_bytes: of.length,
      body_sha256: of.digest,
      hints: NONE,
      notes,
      clock: of.clock,
      unsigned_event_type: unsigned,
      expected: of.signatures,
    };
  }
}

interface Judged {
  readonly found: Verification;
  readonly known: KnownHeaders;
  readonly clock: CheckClock;
  readonly length: number;
  readonly digest: string | undefined;
  readonly signatures: readonly string[] | undefined;
  /** Undefined where it was too large to be kept. */
  readonly body: Uint8Array | undefined;
}

interface KnownHeaders extends SignedHeaders {
  readonly events: readonly string[];
}

/** The names of the headers that matter. A recording has them in the same case a hundred thousand times. */
class Names {
  readonly #timestamp: string;
  readonly #signature: string;
  readonly #event: string;
  readonly #all: readonly string[];

  constructor(prefix: string) {
    this.#timestamp = `${prefix}Timestamp`;
    this.#signature = `${prefix}Signature`;
    this.#event = `${prefix}Event`;
    this.#all = [this.#timestamp, this.#signature, this.#event];
  }

  in(headers: readonly RawHeader[]): KnownHeaders {
    const timestamps: string[] = [];
    const signatures: string[] = [];
    const events: string[] = [];
    for (const [name, value] of headers) {
      const known = this.#spelling(name);
      if (known === this.#timestamp) timestamps.push(value);
      else if (known === this.#signature) signatures.push(value);
      else if (known === this.#event) events.push(value);
    }
    return { timestamps, signatures, events };
  }

  #spelling(name: string): string | undefined {
    for (const known of this.#all) {
      if (name === known) return known;
      if (name.length === known.length && name.toLowerCase() === known.toLowerCase()) return known;
    }
    return undefined;
  }
}

const EXPLAINABLE: ReadonlySet<Verdict> = new Set<Verdict>([
  'signature_mismatch',
  'malformed_signature',
  'unsupported_algorithm',
  'malformed_timestamp',
]);
