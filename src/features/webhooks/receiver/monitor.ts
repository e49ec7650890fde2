/** Counts deliveries, warns before the service disables the endpoint, and decides when to end. */

import { RETRY_MINUTES } from '../subscriptions/subscription.ts';
import { isSuccess, type Outcome } from './processor.ts';
import { type DeliveryRow, SLOW_MS, type Tally } from './rows.ts';

export interface MonitorOptions {
  readonly count: number | undefined;
  readonly untilEvents: ReadonlySet<string>;
  readonly failOnInvalid: boolean;
  readonly keepGoing: boolean;
  readonly onInvalid: number;
}

/** Whether to continue, or to end with success or failure. */
type Decision = 'continue' | 'done' | 'failed';

/** Of the service (doc 2 §3): this many failed attempts in a row, including retries, disable the endpoint. */
const DISABLES = 20;
const FIRST_WARNING = 3;
const LAST_STRAW = 10;

export class DeliveryMonitor {
  readonly tally: Tally = { deliveries: 0, valid: 0, duplicates: 0, invalid: 0, refused: 0, accepted: 0, filtered: 0 };
  readonly #options: MonitorOptions;
  /** `key` identifies the reason: each is reported once. */
  readonly #warn: (key: string, text: string) => void;
  #invalidInARow = 0;
  #failedInARow = 0;

  constructor(options: MonitorOptions, warn: (key: string, text: string) => void) {
    this.#options = options;
    this.#warn = warn;
  }

  record({ row, filtered, location }: Outcome): Decision {
    if (filtered !== undefined) {
      this.#recordFiltered(row, filtered);
      return 'continue';
    }
    this.tally.deliveries++;
    return row.valid ? this.#recordValid(row, location) : this.#recordInvalid(row);
  }

  /** The sender counts it as delivered and never sends it again, so it must not go unseen. */
  #recordFiltered({ event_type: type, response }: DeliveryRow, option: string): void {
    this.tally.filtered++;
    const final = isSuccess(response) ? ', so the service does not send it again' : '';
    this.#warn(
      `filtered ${option} ${type}`,
      `filtered out by ${option}: ${type ?? 'a delivery without an event type'} (answered ${response}${final})`,
    );
  }

  #recordValid(row: DeliveryRow, location: string | undefined): Decision {
    const { count, untilEvents } = this.#options;
    const { tally } = this;
    tally.valid++;
    this.#invalidInARow = 0;
    if (row.duplicate !== null) tally.duplicates++;
    const accepted = isSuccess(row.response) && (row.forward === null || isSuccess(row.forward.status ?? 0));
    this.#failedInARow = accepted ? 0 : this.#failedInARow + 1;
    this.#countTarget(row);
    this.#warnOfResponse(row, location);
    if (!accepted || row.duplicate !== null) return 'continue';
    tally.accepted++;
    const reached = count !== undefined && tally.accepted >= count;
    const awaited = [row.event_type, row.event_id].some((one) => one !== null && untilEvents.has(one));
    return reached || awaited ? 'done' : 'continue';
  }

  /** A target that fails does not disable the endpoint while others accept events, so it is easily overlooked. */
  #countTarget({ event_id, response, forward }: DeliveryRow): void {
    if (forward?.target === undefined) return;
    const { target, status, error } = forward;
    const { [target]: count = { accepted: 0, failed: 0 }, ...others } = this.tally.targets ?? {};
    this.tally.targets = { ...others, [target]: count };
    if (isSuccess(status ?? 0)) {
      count.accepted++;
      return;
    }
    count.failed++;
    if (isSuccess(response)) return;
    const minutes = RETRY_MINUTES.join(', ');
    this.#warn(
      `retry ${target}`,
      `warning: ${target} did not accept ${event_id ?? 'a delivery'} (${error ?? status}): the service sends it again, about ${minutes} minutes after each failed attempt`,
    );
  }

  #warnOfResponse({ event_id, response, forward, ms }: DeliveryRow, location: string | undefined): void {
    const event = event_id ?? 'a delivery';
    if (response >= 300 && response < 400) {
      this.#warn(
        `redirect ${location}`,
        `warning: the target responded ${response}${location === undefined ? '' : ` to ${location}`}: redirects are not followed; the service treats this as failure`,
      );
    }
    if (isSuccess(response) && forward !== null && !isSuccess(forward.status ?? 0)) {
      this.#warn(
        'lost',
        `warning: ${event} was answered ${response} before the target failed, so the service does not send it again (svc webhooks replay can, from a recording)`,
      );
    }
    if (ms >= SLOW_MS) {
      this.#warn('slow', `warning: ${event} took ${ms} ms to answer: after 5 s the service counts it as failed`);
    }
    if (this.#failedInARow === FIRST_WARNING) {
      this.#warn(
        'failing',
        `warning: ${FIRST_WARNING} deliveries in a row were not accepted; the service disables the endpoint after ${DISABLES} failed attempts`,
      );
    }
  }

  #recordInvalid({ status, signature_ok, age_s }: DeliveryRow): Decision {
    const { failOnInvalid, keepGoing, onInvalid } = this.#options;
    this.tally.invalid++;
    const row = ++this.#invalidInARow;
    // A sender that gets a 2xx counts no failure.
    const harmless = onInvalid < 300;
    if (status === 'stale' && signature_ok) {
      this.#warn(
        'stale',
        `warning: a delivery has the right signature, but a timestamp ${age_s} s old: if it is a retry that kept its timestamp, use --tolerance 3600s`,
      );
    }
    if (row === FIRST_WARNING) {
      const consequence = harmless
        ? ''
        : `; the service disables the endpoint after ${DISABLES} failed attempts. Is it the secret of another endpoint?`;
      this.#warn('mismatches', `warning: ${FIRST_WARNING} deliveries in a row failed verification${consequence}`);
    }
    if (row === LAST_STRAW && !keepGoing && !harmless) {
      this.#warn(
        'ended',
        `stopped: ${LAST_STRAW} deliveries in a row failed verification (--keep-going continues anyway)`,
      );
      return 'failed';
    }
    return failOnInvalid ? 'failed' : 'continue';
  }
}
