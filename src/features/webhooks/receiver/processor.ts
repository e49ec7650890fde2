/** Processes a delivery: verifies, de-duplicates, forwards, records, and only then responds. */
import { hash } from 'node:crypto';
import { HEADER_PREFIX, headerValues, isAccepted, type ReadEvent, readEvent, signatureHeaders } from '../delivery.ts';
import { type SigningSecret, type Verification, verifySignature } from '../signature.ts';
import { type Forwarded, type Forwarder, statusOf } from './forwarder.ts';
import type { History } from './history.ts';
import { type HandledDelivery, type RecordingWriter, recordingLine } from './recording-writer.ts';
import type { DeliveryRow } from './rows.ts';
import type { IncomingDelivery } from './server.ts';

export interface ProcessorOptions {
  readonly toleranceS: number | undefined;
  readonly secrets: readonly SigningSecret[];
  readonly showBody: boolean;
  readonly digests: boolean;
  readonly forwarder: Forwarder | undefined;
  readonly recording: RecordingWriter | undefined;
  readonly history: History | undefined;
  readonly strangers: StrangerLimit;
}

export interface Outcome {
  readonly row: DeliveryRow;
  /** One of too many without a valid signature. */
  readonly omitted: boolean;
}

interface Verified {
  readonly delivery: IncomingDelivery;
  readonly verification: Verification;
  readonly valid: boolean;
  readonly id: string | null;
  readonly type: string | null;
  /** One of too many without a valid signature: it is only answered and counted. */
  readonly omitted: boolean;
  readonly notes: string[];
}

interface Plan {
  /** The response; undefined: the target decides. */
  readonly status?: number;
  readonly duplicate?: boolean;
  /** For a new event, which is remembered once it is accepted. */
  readonly key?: string;
}

const ACCEPTED = 204;
const UNVERIFIED = 401;
const NOT_RECORDED = 500;

/** Of invalid deliveries in one run: anyone can send them. */
const MOST_RECORDED_BYTES = 16 * 2 ** 20;

const AT_ONCE = 20;
const LATER_MS = 1_000;

/**
 * Admits the first requests without a valid signature, then one a second: anyone who finds the
 * address can send them, and they must not flood the terminal or fill a recording.
 */
export class StrangerLimit {
  #left = AT_ONCE;
  #updatedMs = performance.now();

  admits(): boolean {
    const nowMs = performance.now();
    this.#left = Math.min(AT_ONCE, this.#left + (nowMs - this.#updatedMs) / LATER_MS);
    this.#updatedMs = nowMs;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}

export class DeliveryProcessor {
  readonly #options: ProcessorOptions;
  readonly #seen = new SeenEvents();
  readonly #inFlight = new Map<string, Promise<Outcome>>();
  #recordedBytes = 0;

  constructor(options: ProcessorOptions) {
    this.#options = options;
  }

  async handle(delivery: IncomingDelivery): Promise<Outcome> {
    const verified = this.#verify(delivery);
    const { valid, id } = verified;
    if (!valid) return await this.#process(verified, { status: UNVERIFIED });
    if (id === null) return await this.#process(verified, {});

    const key = hash('sha256', id, 'base64');
    if (this.#seen.has(key, delivery.receivedMs))
      return await this.#process(verified, { duplicate: true, status: ACCEPTED });
    const first = this.#inFlight.get(key);
    if (first !== undefined) return await this.#follow(first, verified);
    const outcome = this.#process(verified, { key });
    this.#inFlight.set(key, outcome);
    try {
      return await outcome;
    } finally {
      this.#inFlight.delete(key);
    }
  }

  /** The event is already in progress: it is forwarded once, and both have the same outcome. */
  async #follow(first: Promise<Outcome>, verified: Verified): Promise<Outcome> {
    const { response } = (await first).row;
    if (!isAccepted(response)) return await this.#process(verified, { status: response });
    return await this.#process(verified, { status: ACCEPTED, duplicate: true });
  }

  /** Nothing is parsed in an invalid delivery (doc 2 §6 rule 3). */
  #verify(delivery: IncomingDelivery): Verified {
    const { secrets, toleranceS, strangers } = this.#options;
    const verification = verifyDelivery(delivery, secrets, toleranceS);
    const valid = verification.verdict === 'valid';
    const event = valid ? readEvent(delivery.body) : undefined;
    const { id = null, type = null } = event ?? {};
    const notes = [...verification.notes, ...(valid ? observe(delivery, event) : [])];
    // No stranger can send the right signature, and a wrong clock must not lose deliveries.
    const omitted = !verification.signatureOk && !strangers.admits();
    return { delivery, verification, valid, id, type, omitted, notes };
  }

  /** Forwards, records, responds: so the service repeats what was not accepted or recorded. */
  async #process(verified: Verified, { status, duplicate = false, key }: Plan): Promise<Outcome> {
    const { recording, history } = this.#options;
    const { delivery, valid, omitted } = verified;
    const forwarder = status === undefined ? this.#options.forwarder : undefined;
    const forwarded = forwarder === undefined ? null : await forwarder.forward(delivery.headers, delivery.body);
    let response = status ?? (forwarded === null ? ACCEPTED : statusOf(forwarded));
    if (recording !== undefined && this.#isRecorded(verified)) {
      const handled = toRecord(verified, { duplicate, forwarded, response });
      const written = await recording.add(recordingLine(handled));
      if (!written && valid) response = NOT_RECORDED;
    }
    // Not earlier: a forged or failed event would hide the real one.
    if (key !== undefined && isAccepted(response)) this.#seen.add(key, delivery.receivedMs);
    const text = valid ? '' : verified.verification.verdict;
    if (!delivery.respond(response, text)) verified.notes.push('sender_gone');
    if (history !== undefined && !duplicate && valid) {
      history.add(toRecord(verified, { duplicate, forwarded, response }));
    }
    return { row: this.#row(verified, { duplicate, forwarded, response }), omitted };
  }

  #isRecorded({ verification, omitted, delivery }: Verified): boolean {
    if (verification.signatureOk) return true;
    if (omitted) return false;
    this.#recordedBytes += delivery.body.length;
    return this.#recordedBytes <= MOST_RECORDED_BYTES;
  }

  #row(verified: Verified, { duplicate, forwarded, response }: Done): DeliveryRow {
    const { delivery, verification, valid, id, type, notes } = verified;
    const { toleranceS, showBody, digests } = this.#options;
    const { body } = delivery;
    return {
      type: 'delivery',
      received_at: isoTime(delivery.receivedMs),
      source: delivery.remote,
      status: verification.verdict,
      valid,
      signature_ok: verification.signatureOk,
      timestamp: verification.timestamp,
      age_s: verification.ageS,
      tolerance_s: toleranceS ?? null,
      event_id: id,
      event_type: type,
      secret_index: verification.secretIndex,
      body_bytes: body.length,
      body_sha256: digests ? hash('sha256', body) : undefined,
      notes,
      duplicate,
      forward: forwardRow(forwarded),
      response,
      ms: Math.round(performance.now() - delivery.startedMs),
      body: valid && showBody ? body.toString('utf8') : undefined,
    };
  }
}

/** What is odd about a valid delivery. */
function observe({ headers }: IncomingDelivery, event: ReadEvent | undefined): string[] {
  if (event === undefined) return ['body_is_no_event'];
  const { id, type } = event;
  const notes = id === undefined ? ['event_without_id'] : [];
  // Only timestamp and body are signed (doc 2 §6): anyone in between can change a header.
  const types = headerValues(headers, `${HEADER_PREFIX}Event`);
  if (type !== undefined && types.some((one) => one !== type)) notes.push('unsigned_header_mismatch');
  return notes;
}

const MOST_EVENTS = 20_000;
const REMEMBERED_MS = 24 * 60 * 60 * 1000;

/** Accepted events, to de-duplicate by id (doc 2 §1). Remembers the last 20,000, for a day. */
class SeenEvents {
  #older = new Map<string, number>();
  /** When each was accepted, in milliseconds since 1970. */
  #recent = new Map<string, number>();

  has(key: string, nowMs: number): boolean {
    const firstMs = this.#recent.get(key) ?? this.#older.get(key);
    return firstMs !== undefined && nowMs - firstMs < REMEMBERED_MS;
  }

  add(key: string, nowMs: number): void {
    if (this.#recent.size >= MOST_EVENTS) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, nowMs);
  }
}

/** Verifies the exact bytes, at the time of the last of them. */
export function verifyDelivery(
  { headers, body, receivedMs }: IncomingDelivery,
  secrets: readonly SigningSecret[],
  toleranceS: number | undefined,
): Verification {
  return verifySignature(signatureHeaders(headers), body, secrets, { nowS: receivedMs / 1000, toleranceS });
}

interface Done {
  readonly duplicate: boolean;
  readonly forwarded: Forwarded | null;
  readonly response: number;
}

function toRecord(
  { delivery, verification, id, type }: Verified,
  { duplicate, forwarded, response }: Done,
): HandledDelivery {
  return {
    received_at: isoTime(delivery.receivedMs),
    remote: delivery.remote,
    method: 'POST',
    path: delivery.path,
    headers: delivery.headers,
    body: delivery.body,
    status: verification.verdict,
    event_id: id,
    event_type: type,
    duplicate,
    forward: forwardRow(forwarded),
    response,
  };
}

function forwardRow(forwarded: Forwarded | null): DeliveryRow['forward'] {
  if (forwarded === null) return null;
  const { status, ms, error, body } = forwarded;
  return {
    status,
    ms,
    ...(error === undefined ? {} : { error }),
    ...(body === undefined ? {} : { body }),
  };
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
