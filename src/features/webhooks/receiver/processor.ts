/** Processes a delivery: verifies, de-duplicates, forwards and records it, and only then responds. */
import { hash } from 'node:crypto';
import { HEADER_PREFIX, headerValues, readEvent, signatureHeaders } from '../delivery.ts';
import { type SigningSecret, type Verification, verifySignature } from '../signature.ts';
import { findHints } from '../signature-hints.ts';
import { type Forwarded, statusOf, type Targets } from './forwarder.ts';
import { type RecordingWriter, recordingLine } from './recording-writer.ts';
import type { Endpoint, IncomingDelivery } from './requests.ts';
import type { DeliveryRow } from './rows.ts';
import { eventKey, type SeenEvents } from './seen-events.ts';
import type { Spool } from './spool.ts';

export interface ProcessorOptions {
  readonly respond: number;
  readonly onInvalid: number;
  /** Responds 202 before forwarding. */
  readonly early: boolean;
  /** Event types; deliveries of others are only answered, recorded and counted. Empty for all. */
  readonly events: ReadonlySet<string>;
  readonly toleranceS: number | undefined;
  /** Undefined: nothing is verified. */
  readonly secrets: readonly SigningSecret[] | undefined;
  readonly endpoints?: ReadonlyMap<string, Endpoint> | undefined;
  readonly forwardDuplicates: boolean;
  readonly showBody: boolean;
  readonly showInvalid: boolean;
  readonly digests: boolean;
  readonly seen: SeenEvents | undefined;
  readonly targets: Targets | undefined;
  /** --filter: of the parsed event. Undefined for all. */
  readonly matches: ((event: unknown) => boolean) | undefined;
  readonly recording: RecordingWriter | undefined;
  /** Takes what is to be forwarded. */
  readonly spool?: Spool | undefined;
  /** `key` identifies the reason: each is reported once. */
  readonly warn: (key: string, text: string) => void;
}

export interface Outcome {
  readonly row: DeliveryRow;
  /** The final status, which an early response does not show. */
  readonly status: number;
  readonly filtered: Filtered;
  readonly location: string | undefined;
}

type Filtered = '--event' | '--filter' | undefined;

interface Verified {
  readonly delivery: IncomingDelivery;
  readonly endpoint: Endpoint | undefined;
  readonly secrets: readonly SigningSecret[] | undefined;
  readonly verification: Verification | undefined;
  readonly valid: boolean;
  readonly id: string | null;
  readonly type: string | null;
  readonly filtered: Filtered;
  readonly notes: string[];
}

interface Plan {
  /** The response; undefined: the target decides. */
  readonly status?: number | undefined;
  readonly duplicate?: DeliveryRow['duplicate'];
  /** For a new event, which is remembered once it is accepted. */
  readonly key?: string;
}

const MOST_SEARCHES = 10;
const MOST_SEARCHED_BYTES = 2 ** 20;

export class DeliveryProcessor {
  readonly #options: ProcessorOptions;
  readonly #inFlight = new Map<string, Promise<Outcome>>();
  #searches = 0;

  constructor(options: ProcessorOptions) {
    this.#options = options;
  }

  async handle(delivery: IncomingDelivery): Promise<Outcome> {
    const { seen, respond, onInvalid, forwardDuplicates } = this.#options;
    const verified = this.#verify(delivery);
    if (!verified.valid) return await this.#process(verified, { status: onInvalid });
    if (verified.filtered !== undefined) return await this.#process(verified, { status: respond });
    if (seen === undefined || verified.id === null) return await this.#process(verified, {});

    // Each endpoint gets each event.
    const key = eventKey(verified.endpoint === undefined ? verified.id : `${verified.endpoint.id} ${verified.id}`);
    const duplicate = duplicateOf(seen, key, delivery);
    if (duplicate !== null) {
      return await this.#process(verified, { duplicate, status: forwardDuplicates ? undefined : respond });
    }
    const first = this.#inFlight.get(key);
    if (first !== undefined) {
      // The same event is in progress: it is forwarded once, and this delivery has the same outcome.
      const { status } = await first;
      if (!isSuccess(status)) return await this.#process(verified, { status });
      return await this.#process(verified, { status: respond, duplicate: duplicateOf(seen, key, delivery) });
    }
    const outcome = this.#process(verified, { key });
    this.#inFlight.set(key, outcome);
    try {
      return await outcome;
    } finally {
      this.#inFlight.delete(key);
    }
  }

  /** Nothing is parsed in an invalid delivery (doc 2 §6 rule 3). */
  #verify(delivery: IncomingDelivery): Verified {
    const { events, matches, warn } = this.#options;
    const endpoint = this.#options.endpoints?.get(delivery.path.split('?', 1)[0] ?? '');
    const { secrets = this.#options.secrets } = endpoint ?? {};
    const verification = verifyDelivery(delivery, { secrets, toleranceS: this.#options.toleranceS });
    const valid = verification === undefined || verification.verdict === 'valid';
    const notes: string[] = [...(verification?.notes ?? [])];
    const event = valid ? readEvent(delivery.body) : undefined;
    const id = event?.id ?? null;
    const type = event?.type ?? null;
    if (valid && event === undefined) notes.push('body_is_no_event');
    else if (valid && id === null) notes.push('event_without_id');
    // Only timestamp and body are signed (doc 2 §6): anyone in between can change a header.
    for (const value of type === null ? [] : headerValues(delivery.headers, `${HEADER_PREFIX}Event`)) {
      if (value === type) continue;
      notes.push('unsigned_header_mismatch');
      warn(
        `header ${type} ${value}`,
        `warning: X-Service-Event says ${value}, the signed body says ${type}: svc uses the body`,
      );
    }
    let filtered: Filtered;
    if (valid && events.size > 0 && !events.has(type ?? '')) filtered = '--event';
    else if (valid && matches?.(event?.value ?? null) === false) filtered = '--filter';
    return { delivery, endpoint, secrets, verification, valid, id, type, filtered, notes };
  }

  /** Forwards, records, responds: in this order, so that the service sends again what was not accepted or not recorded. */
  async #process(verified: Verified, { status: decided, duplicate = null, key }: Plan): Promise<Outcome> {
    const { seen, targets, recording, early, respond } = this.#options;
    const { delivery, valid, filtered } = verified;
    const forwarder = targets?.of(verified.type);
    let forwarded: Forwarded | null = null;
    let response: number | undefined;
    let spooled: number | undefined;
    if (decided === undefined && forwarder !== undefined && this.#options.spool !== undefined) {
      spooled = await this.#spool(this.#options.spool, verified, key ?? null);
    } else if (decided === undefined && forwarder !== undefined) {
      if (early) response = sendResponse(verified, 202);
      forwarded = await forwarder.forward(delivery.headers, delivery.body);
    }
    let status = decided ?? spooled ?? (forwarded === null ? respond : statusOf(forwarded));
    if (recording !== undefined) {
      const line = lineOf(verified, { duplicate, forwarded, response: response ?? status });
      if (!(await recording.add(line)) && valid) status = 500;
    }
    // Not earlier: a forged or failed event would hide the real one. The spool remembers what it has stored.
    if (key !== undefined && isSuccess(status) && spooled === undefined) seen?.add(key, delivery.receivedMs);
    response ??= sendResponse(verified, status);
    const row = this.#row(verified, { duplicate, forwarded, response });
    return { row, status, filtered, location: forwarded?.location };
  }

  /** The response: a success once the event is on disk. Otherwise the service sends it again. */
  async #spool(spool: Spool, verified: Verified, key: string | null): Promise<number> {
    const { delivery, secrets, verification, id, type, notes } = verified;
    const { headers, body, path, receivedMs } = delivery;
    const event = {
      key,
      received_at: isoTime(receivedMs),
      event_id: id,
      event_type: type,
      path,
      headers,
      body_b64: body.toString('base64'),
    };
    const added = await spool.add(event, secrets?.[verification?.secretIndex ?? -1]);
    if (added === 'stored') {
      notes.push('spooled');
      return this.#options.respond;
    }
    const why = added === 'full' ? 'the spool is full (--spool-limit)' : 'the spool cannot be written';
    const status = added === 'full' ? 503 : 500;
    this.#options.warn(
      `spool ${added}`,
      `ERROR: ${why}: svc responds ${status} to events until that changes, so that they are sent again`,
    );
    return status;
  }

  #row(
    { delivery, endpoint, secrets, verification, valid, id, type, notes }: Verified,
    { duplicate, forwarded, response }: Done,
  ): DeliveryRow {
    const { toleranceS, showBody, showInvalid, digests } = this.#options;
    const { body } = delivery;
    const shown = valid ? showBody : showInvalid;
    return {
      type: 'delivery',
      received_at: isoTime(delivery.receivedMs),
      source: delivery.remote,
      status: verification?.verdict ?? 'unchecked',
      valid,
      signature_ok: verification?.signatureOk ?? false,
      timestamp: verification?.timestamp ?? null,
      age_s: verification?.ageS ?? null,
      tolerance_s: toleranceS ?? null,
      event_id: id,
      event_type: type,
      endpoint_id: endpoint?.id,
      secret_index: verification?.secretIndex ?? null,
      body_bytes: body.length,
      body_sha256: digests ? hash('sha256', body) : undefined,
      hints: valid ? [] : this.#hints(delivery, verification, secrets),
      notes,
      duplicate,
      forward: forwardRow(forwarded),
      response,
      ms: Math.round(performance.now() - delivery.startedMs),
      body: shown ? body.toString('utf8') : undefined,
    };
  }

  /** Why the signature does not match. Only for the first few, because each search takes time. */
  #hints(
    { headers, body }: IncomingDelivery,
    verification: Verification | undefined,
    secrets: readonly SigningSecret[] | undefined,
  ): readonly string[] {
    const verdict = verification?.verdict;
    if (secrets === undefined || (verdict !== 'signature_mismatch' && verdict !== 'malformed_signature')) return [];
    if (body.length > MOST_SEARCHED_BYTES || ++this.#searches > MOST_SEARCHES) return [];
    const deliveryId = headerValues(headers, `${HEADER_PREFIX}Delivery`)[0];
    return findHints({ headers: signatureHeaders(headers), body, secrets, deliveryId });
  }
}

/** Verifies the exact bytes, at the time of the last of them. Undefined: nothing is verified. */
export function verifyDelivery(
  { headers, body, receivedMs }: IncomingDelivery,
  { secrets, toleranceS }: Pick<ProcessorOptions, 'secrets' | 'toleranceS'>,
): Verification | undefined {
  if (secrets === undefined) return undefined;
  return verifySignature(signatureHeaders(headers), body, secrets, { nowS: receivedMs / 1000, toleranceS });
}

function duplicateOf(seen: SeenEvents, key: string, { receivedMs }: IncomingDelivery): DeliveryRow['duplicate'] {
  const event = seen.recordDuplicate(key, receivedMs);
  return event === undefined ? null : { deliveries: event.deliveries, first_at: isoTime(event.firstMs) };
}

function sendResponse({ delivery, valid, verification, notes }: Verified, status: number): number {
  const text = valid || status < 300 ? '' : (verification?.verdict ?? '');
  if (!delivery.respond(status, text)) notes.push('sender_gone');
  return status;
}

interface Done {
  readonly duplicate: DeliveryRow['duplicate'];
  readonly forwarded: Forwarded | null;
  readonly response: number;
}

function lineOf({ delivery, verification, id, type }: Verified, { duplicate, forwarded, response }: Done): string {
  return recordingLine({
    v: 1,
    received_at: isoTime(delivery.receivedMs),
    remote: delivery.remote,
    method: 'POST',
    path: delivery.path,
    headers: delivery.headers,
    body_b64: delivery.body.toString('base64'),
    status: verification?.verdict ?? 'unchecked',
    event_id: id,
    event_type: type,
    duplicate: duplicate !== null,
    forward: forwardRow(forwarded),
    response,
  });
}

function forwardRow(forwarded: Forwarded | null): DeliveryRow['forward'] {
  if (forwarded === null) return null;
  const { target, status, ms, error } = forwarded;
  return { ...(target === undefined ? {} : { target }), status, ms, ...(error === undefined ? {} : { error }) };
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
