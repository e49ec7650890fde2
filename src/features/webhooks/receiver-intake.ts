/** What becomes of a delivery that was received: verdict, event, duplicates, forwarding, recording, and only then the answer. */
import { hash } from 'node:crypto';
import { type EventKey, eventKey, type SeenEvents } from './dedupe.ts';
import { HEADER_PREFIX, headerValues, type RawHeader } from './delivery.ts';
import { readEvent } from './event.ts';
import { type Forwarded, type Forwarder, statusOf } from './forwarding.ts';
import type { Arrival, Refusal } from './receiver-desk.ts';
import type { DeliveryRow, ReceiverRow } from './receiver-rows.ts';
import type { DeliveryWatch } from './receiver-watch.ts';
import { type RecordingWriter, recordingLine } from './recording-writer.ts';
import type { SigningSecret } from './secret.ts';
import { findHints } from './signature-hints.ts';

export interface IntakeOptions {
  /** What a valid delivery is answered where no target says otherwise. */
  readonly respond: number;
  /** What an invalid one is. */
  readonly onInvalid: number;
  /** Answers 202 before the target is asked. */
  readonly early: boolean;
  /** Types of events; others are answered, recorded and counted, and nothing else. Empty for all. */
  readonly events: ReadonlySet<string>;
  readonly toleranceS: number | undefined;
  /** Undefined where nothing is verified. */
  readonly secrets: readonly SigningSecret[] | undefined;
  readonly forwardDuplicates: boolean;
  readonly showBody: boolean;
  readonly showInvalid: boolean;
  /** Whether the digest of each body is wanted. */
  readonly digests: boolean;
}

export interface IntakeParts {
  readonly seen: SeenEvents | undefined;
  readonly forwarder: Forwarder | undefined;
  readonly recording: RecordingWriter | undefined;
  readonly watch: DeliveryWatch;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Takes the next row, and says whether there is room for another. */
  report(row: ReceiverRow): void;
  hasRoom(): boolean;
  warn(key: string, text: string): void;
}

/** A delivery on its way through. */
interface Passage {
  readonly arrival: Arrival;
  readonly valid: boolean;
  readonly id: string | null;
  readonly type: string | null;
  /** Undefined where repeats of it are not looked for. */
  readonly key: EventKey | undefined;
  readonly notes: string[];
  /** The filter of event types leaves it out. */
  readonly quiet: boolean;
  duplicate: DeliveryRow['duplicate'];
  forwarded: Forwarded | null;
  /** What it was answered before it was through. */
  answered: number | undefined;
}

export class Intake {
  readonly #options: IntakeOptions;
  readonly #parts: IntakeParts;
  readonly #times = new Times();
  #searches = 0;
  /** Events that are being forwarded, and who else sent the same one meanwhile. */
  readonly #underWay = new Map<string, Passage[]>();

  constructor(options: IntakeOptions, parts: IntakeParts) {
    this.#options = options;
    this.#parts = parts;
  }

  take(arrival: Arrival): void {
    const { hasRoom, warn } = this.#parts;
    if (!hasRoom()) {
      warn('output', 'warning: standard output is not read: deliveries are answered 503 until it is');
      arrival.answer(503, 'busy');
      return;
    }
    const passage = this.#judge(arrival);
    if (!passage.valid) this.#settle(passage, this.#options.onInvalid);
    else if (passage.quiet) this.#settle(passage, this.#options.respond);
    else this.#accept(passage);
  }

  refuse({ receivedMs, remote, method, path, reason, response, bytes }: Refusal): void {
    const { watch, report, hasRoom } = this.#parts;
    watch.tally.refused++;
    const received_at = this.#times.iso(receivedMs);
    if (hasRoom()) report({ type: 'refused', received_at, source: remote, method, path, reason, response, bytes });
  }

  /** Nothing is parsed of what is not valid. */
  #judge(arrival: Arrival): Passage {
    const { verification, body, headers } = arrival;
    const valid = verification === undefined || verification.verdict === 'valid';
    const notes: string[] = verification === undefined ? [] : [...verification.notes];
    const event = valid ? readEvent(body) : undefined;
    const id = event?.id ?? null;
    const type = event?.type ?? null;
    if (valid && event === undefined) notes.push('body_is_no_event');
    else if (valid && id === null) notes.push('event_without_id');
    const { events } = this.#options;
    const quiet = valid && events.size > 0 && !events.has(type ?? '');
    if (type !== null) this.#compareHeader(headers, type, notes);
    const key = id === null || quiet || this.#parts.seen === undefined ? undefined : eventKey(id);
    return { arrival, valid, id, type, key, notes, quiet, duplicate: null, forwarded: null, answered: undefined };
  }

  /** Only timestamp and body are signed (doc 2 §6): anybody on the way can change a header, and so can a proxy by mistake. */
  #compareHeader(headers: readonly string[], type: string, notes: string[]): void {
    for (let index = 0; index < headers.length; index += 2) {
      const name = headers[index] ?? '';
      const value = headers[index + 1];
      if (name.length !== EVENT_HEADER.length || value === type || name.toLowerCase() !== EVENT_HEADER) continue;
      notes.push('unsigned_header_mismatch');
      this.#parts.warn(
        `header ${type} ${value}`,
        `warning: X-Service-Event says ${value}, the signed body says ${type}: the body counts`,
      );
    }
  }

  #accept(passage: Passage): void {
    const { seen, forwarder } = this.#parts;
    const { respond, forwardDuplicates } = this.#options;
    const { id, key, arrival } = passage;
    if (id !== null && key !== undefined) {
      const before = seen?.again(key, arrival.receivedMs);
      if (before !== undefined) {
        passage.duplicate = { deliveries: before.deliveries, first_at: this.#times.iso(before.firstMs) };
        if (!forwardDuplicates) {
          this.#settle(passage, respond);
          return;
        }
      } else {
        const first = this.#underWay.get(id);
        if (first !== undefined) {
          first.push(passage);
          return;
        }
        this.#underWay.set(id, []);
      }
    }
    if (forwarder === undefined) {
      this.#settle(passage, respond);
      return;
    }
    if (this.#options.early) this.#answer(passage, 202);
    forwarder.forward(arrival.headers, arrival.body, (forwarded) => {
      passage.forwarded = forwarded;
      this.#settle(passage, statusOf(forwarded));
    });
  }

  /** Records it, where that is wanted: what could not be recorded was not received, and the service is to send it again. */
  #settle(passage: Passage, status: number): void {
    const { recording } = this.#parts;
    if (recording === undefined) this.#finish(passage, status);
    else {
      recording.add(this.#line(passage, status), (ok) => {
        this.#finish(passage, ok || !passage.valid ? status : 500);
      });
    }
  }

  #finish(passage: Passage, status: number): void {
    const { seen, report, watch } = this.#parts;
    const { id, key, valid, arrival } = passage;
    const others = id === null || key === undefined ? undefined : this.#underWay.get(id);
    // Of an event that was under way only the first passes here before it is over; others come by way of it.
    const first = others !== undefined && passage.duplicate === null;
    const accepted = valid && status >= 200 && status < 300;
    if (first && id !== null && key !== undefined) {
      this.#underWay.delete(id);
      if (accepted) seen?.add(key, arrival.receivedMs);
    }
    this.#answer(passage, status);
    if (passage.quiet) watch.leaveOut(passage.type, passage.answered ?? status);
    else {
      const row = this.#row(passage);
      report(row);
      watch.see(row, arrival.receivedMs, passage.forwarded?.location);
    }
    if (first) for (const other of others) this.#follow(other, accepted, status);
  }

  /** The same event came while the first was under way: it has the same outcome, and is forwarded once. */
  #follow(passage: Passage, accepted: boolean, status: number): void {
    const { seen } = this.#parts;
    const { key, arrival } = passage;
    const before = accepted && key !== undefined ? seen?.again(key, arrival.receivedMs) : undefined;
    if (before !== undefined) {
      passage.duplicate = { deliveries: before.deliveries, first_at: this.#times.iso(before.firstMs) };
    }
    this.#settle(passage, accepted ? this.#options.respond : status);
  }

  #answer(passage: Passage, status: number): void {
    if (passage.answered !== undefined) return;
    passage.answered = status;
    const { verification } = passage.arrival;
    const text = passage.valid || status < 300 ? '' : (verification?.verdict ?? '');
    passage.arrival.answer(status, text, (sent) => {
      if (!sent) passage.notes.push('sender_gone');
    });
  }

  #row({ arrival, valid, id, type, notes, duplicate, forwarded, answered = 0 }: Passage): DeliveryRow {
    const { toleranceS, showBody, showInvalid, digests } = this.#options;
    const { verification, body } = arrival;
    const shown = valid ? showBody : showInvalid;
    return {
      type: 'delivery',
      received_at: this.#times.iso(arrival.receivedMs),
      source: arrival.remote,
      verdict: verification?.verdict ?? 'unchecked',
      valid,
      signature_ok: verification?.signatureOk ?? false,
      timestamp: verification?.timestamp ?? null,
      age_s: verification?.ageS ?? null,
      tolerance_s: toleranceS ?? null,
      event_id: id,
      event_type: type,
      secret_index: verification?.secretIndex ?? null,
      body_bytes: body.length,
      body_sha256: digests ? hash('sha256', body) : undefined,
      hints: valid ? NONE : this.#hints(arrival),
      notes,
      duplicate,
      forward: forwarded === null ? null : forwardRow(forwarded),
      response: answered,
      ms: Math.round(performance.now() - arrival.beganMs),
      body: shown ? body.toString('utf8') : undefined,
    };
  }

  /** Why it does not match, of the first few: nobody is to make the receiver search without end. */
  #hints({ verification, headers, body }: Arrival): readonly string[] {
    const { secrets } = this.#options;
    const verdict = verification?.verdict;
    const searched = verdict === 'signature_mismatch' || verdict === 'malformed_signature';
    if (secrets === undefined || !searched || body.length > MOST_SEARCHED || ++this.#searches > MOST_SEARCHES)
      return NONE;
    const pairs = pairsOf(headers);
    return findHints({
      headers: {
        timestamps: headerValues(pairs, `${HEADER_PREFIX}Timestamp`),
        signatures: headerValues(pairs, `${HEADER_PREFIX}Signature`),
      },
      body,
      secrets,
      deliveryId: headerValues(pairs, `${HEADER_PREFIX}Delivery`)[0],
    });
  }

  #line({ arrival, id, type, duplicate, forwarded, answered }: Passage, status: number): string {
    return recordingLine({
      v: 1,
      received_at: this.#times.iso(arrival.receivedMs),
      remote: arrival.remote,
      method: 'POST',
      path: arrival.path,
      headers: pairsOf(arrival.headers),
      body_b64: arrival.body.toString('base64'),
      verdict: arrival.verification?.verdict ?? 'unchecked',
      event_id: id,
      event_type: type,
      duplicate: duplicate !== null,
      forward: forwarded === null ? null : forwardRow(forwarded),
      response: answered ?? status,
    });
  }
}

const EVENT_HEADER = 'x-service-event';
const NONE: readonly string[] = [];
const MOST_SEARCHES = 10;
const MOST_SEARCHED = 2 ** 20;

/** Names and values in turn as pairs. */
function pairsOf(headers: readonly string[]): RawHeader[] {
  const pairs: RawHeader[] = [];
  for (let index = 0; index < headers.length; index += 2) pairs.push([headers[index] ?? '', headers[index + 1] ?? '']);
  return pairs;
}

function forwardRow({ status, ms, error }: Forwarded): NonNullable<DeliveryRow['forward']> {
  return error === undefined ? { status, ms } : { status, ms, error };
}

/** RFC 3339 in UTC: many deliveries come within a second, which is written once. */
class Times {
  #second = Number.NaN;
  #text = '';

  iso(ms: number): string {
    const second = Math.floor(ms / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = new Date(second * 1000).toISOString().slice(0, 20);
    }
    return `${this.#text}${String(ms - second * 1000).padStart(3, '0')}Z`;
  }
}
