/** Looks on while deliveries come: says what the service will make of them before it is too late, and knows when enough have come. */
import type { DeliveryRow, Tally } from './receiver-rows.ts';

export interface WatchOptions {
  /** Ends after so many accepted events. */
  readonly count: number | undefined;
  /** Ends after an accepted event of one of these types or ids. */
  readonly untilEvents: ReadonlySet<string>;
  /** Ends with the first invalid delivery. */
  readonly failOnInvalid: boolean;
  /** Does not end however many are invalid. */
  readonly keepGoing: boolean;
  /** What invalid deliveries are answered. */
  readonly onInvalid: number;
}

export interface WatchHandlers {
  /** Said once, however often the reason for it comes up: `key` tells reasons apart. */
  warn(key: string, text: string): void;
  /** Enough: `invalid` where it did not go well. */
  enough(invalid: boolean): void;
}

/** Of the service (doc 2 §3): so many failed attempts in a row, retries included, disable the endpoint. */
const DISABLES = 20;
const FIRST_WARNING = 3;
const LAST_STRAW = 10;
/** The service waits 5 s for an answer (doc 2 §6). */
const SLOW_MS = 4_000;
/** The first retry comes after about a minute; what comes earlier was sent twice at once. */
const RETRY_MS = 30_000;
const MOST_ATTEMPTS_KEPT = 10_000;

export class DeliveryWatch {
  readonly tally: Tally = { deliveries: 0, valid: 0, duplicates: 0, invalid: 0, refused: 0, accepted: 0, filtered: 0 };
  readonly #options: WatchOptions;
  readonly #handlers: WatchHandlers;
  #invalidInARow = 0;
  #failedInARow = 0;
  /** By event id: what the first attempt was signed with, and when it came. */
  readonly #attempts = new Map<string, { readonly timestamp: number; readonly ms: number }>();

  constructor(options: WatchOptions, handlers: WatchHandlers) {
    this.#options = options;
    this.#handlers = handlers;
  }

  /** `location`: where the target would have redirected it to. */
  see(row: DeliveryRow, receivedMs: number, location: string | undefined): void {
    this.tally.deliveries++;
    if (row.valid) this.#seeValid(row, receivedMs, location);
    else this.#seeInvalid(row);
  }

  /** The sender counts it as delivered and never sends it again, so it must not go unseen. */
  leaveOut(type: string | null, response: number): void {
    this.tally.filtered++;
    const final = isSuccess(response) ? ', so the service does not send it again' : '';
    this.#handlers.warn(
      `filtered ${type}`,
      `left out by --event: ${type ?? 'a delivery without an event type'} (answered ${response}${final})`,
    );
  }

  #seeValid(row: DeliveryRow, receivedMs: number, location: string | undefined): void {
    const { count, untilEvents } = this.#options;
    const { tally } = this;
    tally.valid++;
    this.#invalidInARow = 0;
    if (row.duplicate !== null) tally.duplicates++;
    const accepted = isSuccess(row.response) && (row.forward === null || isSuccess(row.forward.status ?? 0));
    this.#failedInARow = accepted ? 0 : this.#failedInARow + 1;
    this.#warnOfAnswer(row, location);
    // Without a retry there is nothing to compare with: the first attempt of nearly all events is the only one.
    if (row.event_id !== null && (!accepted || row.duplicate !== null || this.#attempts.size > 0)) {
      this.#compareAttempts(row.event_id, row.timestamp, receivedMs, accepted);
    }
    if (!accepted || row.duplicate !== null) return;
    tally.accepted++;
    const reached = count !== undefined && tally.accepted >= count;
    const there = [row.event_type, row.event_id].some((one) => one !== null && untilEvents.has(one));
    if (reached || there) this.#handlers.enough(false);
  }

  #warnOfAnswer({ event_id, response, forward, ms }: DeliveryRow, location: string | undefined): void {
    const { warn } = this.#handlers;
    const event = event_id ?? 'a delivery';
    if (response >= 300 && response < 400) {
      warn(
        `redirect ${location}`,
        `warning: <- ${response}${location === undefined ? '' : ` to ${location}`}: redirects are not followed; the service treats this as failure`,
      );
    }
    if (isSuccess(response) && forward !== null && !isSuccess(forward.status ?? 0)) {
      warn(
        'lost',
        `warning: ${event} was answered ${response} before the target failed: the service does not send it again (svc webhooks replay does, of a recording)`,
      );
    }
    if (ms >= SLOW_MS) {
      warn('slow', `warning: ${event} took ${ms} ms to answer: the service waits 5 s, and then takes it for failed`);
    }
    if (this.#failedInARow === FIRST_WARNING) {
      warn(
        'failing',
        `warning: ${FIRST_WARNING} deliveries in a row were not accepted; the service disables the endpoint after ${DISABLES} failed attempts`,
      );
    }
  }

  #compareAttempts(id: string, timestamp: number | null, ms: number, accepted: boolean): void {
    const first = this.#attempts.get(id);
    if (first === undefined) {
      if (accepted || timestamp === null) return;
      if (this.#attempts.size >= MOST_ATTEMPTS_KEPT) this.#attempts.clear();
      this.#attempts.set(id, { timestamp, ms });
      return;
    }
    if (first.timestamp === timestamp && ms - first.ms >= RETRY_MS) {
      this.#handlers.warn(
        'same timestamp',
        `warning: ${id} was retried with the same timestamp: use --tolerance 3600s, or later retries are refused as stale`,
      );
    }
    if (accepted) this.#attempts.delete(id);
  }

  #seeInvalid({ verdict, signature_ok, age_s }: DeliveryRow): void {
    const { failOnInvalid, keepGoing, onInvalid } = this.#options;
    const { warn, enough } = this.#handlers;
    this.tally.invalid++;
    const row = ++this.#invalidInARow;
    // A sender that is told 2xx counts no failure.
    const harmless = onInvalid < 300;
    if (verdict === 'stale' && signature_ok) {
      warn(
        'stale',
        `warning: a delivery has the right signature, but a timestamp ${age_s} s old: if it is a retry that kept its timestamp, use --tolerance 3600s`,
      );
    }
    if (row === FIRST_WARNING) {
      const consequence = harmless
        ? ''
        : `; the service disables the endpoint after ${DISABLES} failed attempts. Is it the secret of another endpoint?`;
      warn('mismatches', `warning: ${FIRST_WARNING} deliveries in a row fail verification${consequence}`);
    }
    if (row === LAST_STRAW && !keepGoing && !harmless) {
      warn('ended', `ended: ${LAST_STRAW} deliveries in a row fail verification (--keep-going goes on all the same)`);
      enough(true);
    }
    if (failOnInvalid) enough(true);
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

export function isSlow({ ms }: Pick<DeliveryRow, 'ms'>): boolean {
  return ms >= SLOW_MS;
}
