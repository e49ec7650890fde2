/** A receiver from its first delivery to its last. It releases everything, however it ends. */
import { setTimeout as delay } from 'node:timers/promises';
import { AsyncQueue } from '../../../async-queue.ts';
import type { ErrorCode, SvcError } from '../../../errors.ts';
import type { LockContext } from '../../../store/lock.ts';
import { isAccepted, isRedirect } from '../delivery.ts';
import { DISABLING_FAILURES } from '../subscriptions/subscription.ts';
import { History } from './history.ts';
import { DeliveryProcessor, isoTime, type ProcessorOptions, StrangerLimit } from './processor.ts';
import type { DeliveryRow, ReceiverRow, Tally } from './rows.ts';
import { type IncomingDelivery, type Receiver, type ReceiverOptions, type Refusal, startReceiver } from './server.ts';

export interface SessionOptions extends ReceiverOptions, Omit<ProcessorOptions, 'history' | 'strangers'> {
  /** Where the last deliveries are written. */
  readonly history: { readonly path: string; readonly context: LockContext } | undefined;
  readonly count: number | undefined;
  readonly failOnInvalid: boolean;
  readonly waitMs: number | undefined;
  readonly signal: AbortSignal;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Shows a person a warning at once. Undefined: warnings are rows. */
  readonly notice: ((text: string) => void) | undefined;
}

/** How long current requests may take at the end. */
const DRAIN_MS = 2_000;
const LAST_RESPONSES_MS = 200;
/** Beyond this many unread rows, deliveries are refused, and the service sends them again. */
const MOST_ROWS = 10_000;
/** How often the requests that have no row are counted in one. */
const OMISSIONS_MS = 1_000;
const MISDIRECTED =
  'warning: a client sent TLS or HTTP/2 to this port, which is for HTTP/1.1: use http://, or put a tunnel or proxy in front';
/** Remote text is among the keys of warnings. */
const MOST_WARNINGS = 100;

export class ReceiverSession {
  readonly rows = new AsyncQueue<ReceiverRow>();
  readonly #options: SessionOptions;
  readonly #processor: DeliveryProcessor;
  readonly #monitor: DeliveryMonitor;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #warned = new Set<string>();
  readonly #history: History | undefined;
  readonly #strangers = new StrangerLimit();
  #omitted = 0;
  #omissionTimer: NodeJS.Timeout | undefined;
  readonly #ended = new AbortController();
  #receiver: Receiver | undefined;
  #closing: Promise<void> | undefined;
  /** Why it ended; undefined: successfully. */
  code: ErrorCode | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    const warn = (key: string, text: string): void => this.#warn(key, text);
    const { history } = options;
    this.#history =
      history && new History(history.path, history.context, (text) => warn('history', `warning: ${text}`));
    this.#processor = new DeliveryProcessor({ ...options, history: this.#history, strangers: this.#strangers });
    this.#monitor = new DeliveryMonitor(warn);
  }

  get tally(): Readonly<Tally> {
    return this.#monitor.tally;
  }

  /** Resolves to the port once it listens. */
  async start(): Promise<number> {
    const { recording, signal } = this.#options;
    try {
      this.#receiver = await startReceiver(this.#options, {
        delivered: (delivery) => this.#track(this.#handle(delivery)),
        refused: (refusal) => this.#report(refusal),
        misdirected: () => this.#warn('misdirected', MISDIRECTED),
      });
    } catch (error) {
      recording?.discard();
      throw error;
    }
    recording?.onChange((failure) =>
      this.#say(
        failure === undefined
          ? 'the recording can be written again'
          : `ERROR: ${failure.message}: svc responds 500 to deliveries until it can be written, so that they are sent again`,
      ),
    );
    if (signal.aborted) this.#interrupt();
    else signal.addEventListener('abort', this.#interrupt, { once: true });
    return this.#receiver.port;
  }

  /** From now on the time of --wait counts. */
  startWait(): void {
    const { sleep, waitMs } = this.#options;
    if (waitMs === undefined) return;
    sleep(waitMs, this.#ended.signal).then(
      () => this.#end('still_pending'),
      () => {},
    );
  }

  async #handle(delivery: IncomingDelivery): Promise<void> {
    if (this.rows.size >= MOST_ROWS) {
      this.#warn(
        'output',
        'warning: nothing reads standard output: svc responds 503 to deliveries until something does',
      );
      delivery.respond(503, 'busy');
      return;
    }
    const outcome = await this.#processor.handle(delivery);
    if (outcome.omitted) this.#omit();
    else this.rows.push(outcome.row);
    this.#monitor.record(outcome.row);
    const { failOnInvalid, count } = this.#options;
    if (failOnInvalid && !outcome.row.valid) this.#end('signature_invalid');
    else if (count !== undefined && this.tally.accepted >= count) this.#end(undefined);
  }

  #track(handling: Promise<void>): void {
    this.#inFlight.add(handling);
    handling.then(
      () => this.#inFlight.delete(handling),
      (error: unknown) => {
        this.#inFlight.delete(handling);
        this.rows.end(error);
      },
    );
  }

  #report({ receivedMs, remote, method, path, reason, response, bytes }: Refusal): void {
    this.#monitor.tally.refused++;
    if (this.rows.size >= MOST_ROWS || !this.#strangers.admits()) {
      this.#omit();
      return;
    }
    const received_at = isoTime(receivedMs);
    this.rows.push({ type: 'refused', received_at, source: remote, method, path, reason, response, bytes });
  }

  /** Requests that have no row are counted in one row a second. */
  #omit(): void {
    this.#omitted++;
    this.#omissionTimer ??= setTimeout(() => this.#reportOmitted(), OMISSIONS_MS);
  }

  #reportOmitted(): void {
    clearTimeout(this.#omissionTimer);
    this.#omissionTimer = undefined;
    if (this.#omitted === 0 || this.rows.size >= MOST_ROWS) return;
    this.rows.push({ type: 'omitted', requests: this.#omitted });
    this.#omitted = 0;
  }

  /** Accepts nothing more, lets current deliveries finish, and releases everything. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { signal, forwarder, recording } = this.#options;
    this.#ended.abort();
    const began = performance.now();
    await this.#receiver?.drain(DRAIN_MS);
    // What is still being forwarded is finished even if its sender has gone.
    const settled = this.#settle();
    const left = DRAIN_MS - (performance.now() - began);
    if (left > 0) await Promise.race([settled, delay(left, undefined, { ref: false })]);
    await forwarder?.close();
    await settled;
    recording?.close();
    // What was broken off is still being answered.
    await this.#receiver?.drain(LAST_RESPONSES_MS);
    this.#receiver?.destroy();
    this.#reportOmitted();
    await this.#history?.write();
    signal.removeEventListener('abort', this.#interrupt);
  }

  async #settle(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  /** The first reason to end counts. */
  #end(code: ErrorCode | undefined): void {
    if (this.#ended.signal.aborted) return;
    this.code = code;
    this.close().then(
      () => this.rows.end(this.#options.recording?.failure),
      (error: unknown) => this.rows.end(error),
    );
  }

  /** Ctrl-C is how most sessions end: their output is complete, as after any other end. */
  readonly #interrupt = (): void => this.#end((this.#options.signal.reason as SvcError).code);

  #warn(key: string, text: string): void {
    if (this.#warned.has(key) || this.#warned.size >= MOST_WARNINGS) return;
    this.#warned.add(key);
    this.#say(text);
  }

  #say(text: string): void {
    if (this.#options.notice === undefined) this.rows.push({ type: 'warning', message: text });
    else this.#options.notice(text);
  }
}

const FIRST_WARNING = 3;
/** The service waits 5 s for a response (doc 2 §6). */
const SLOW_MS = 4_000;

/** Counts deliveries, and warns before the service disables the endpoint. */
class DeliveryMonitor {
  readonly tally: Tally = { deliveries: 0, valid: 0, duplicates: 0, invalid: 0, refused: 0, accepted: 0 };
  /** `key` identifies the reason: each is reported once. */
  readonly #warn: (key: string, text: string) => void;
  #invalidInARow = 0;
  #failedInARow = 0;

  constructor(warn: (key: string, text: string) => void) {
    this.#warn = warn;
  }

  record(row: DeliveryRow): void {
    this.tally.deliveries++;
    if (row.valid) this.#recordValid(row);
    else this.#recordInvalid(row);
  }

  #recordValid(row: DeliveryRow): void {
    const { tally } = this;
    tally.valid++;
    this.#invalidInARow = 0;
    if (row.duplicate) tally.duplicates++;
    const accepted = isAccepted(row.response);
    this.#failedInARow = accepted ? 0 : this.#failedInARow + 1;
    this.#warnOfResponse(row);
    if (accepted && !row.duplicate) tally.accepted++;
  }

  #warnOfResponse({ event_id, response, ms }: DeliveryRow): void {
    if (isRedirect(response)) {
      this.#warn('redirect', `warning: the target responded ${response}: the service follows no redirect either`);
    }
    if (ms >= SLOW_MS) {
      const event = event_id ?? 'a delivery';
      this.#warn('slow', `warning: ${event} took ${ms} ms to answer: after 5 s the service counts it as failed`);
    }
    if (this.#failedInARow === FIRST_WARNING) {
      this.#warn(
        'failing',
        `warning: ${FIRST_WARNING} deliveries in a row were not accepted; the service disables the endpoint after ${DISABLING_FAILURES} failed attempts`,
      );
    }
  }

  /** Anyone with the address can send these: only --fail-on-invalid lets them end the session. */
  #recordInvalid({ status }: DeliveryRow): void {
    this.tally.invalid++;
    if (++this.#invalidInARow === FIRST_WARNING) {
      const cause = CAUSES[status] ?? 'the lines name the reasons';
      this.#warn(
        `invalid ${status}`,
        `warning: ${FIRST_WARNING} deliveries in a row are invalid (${status}): ${cause}; the service disables the endpoint after ${DISABLING_FAILURES} failed attempts`,
      );
    }
  }
}

/** By the verdict on the last of several invalid deliveries. */
const CAUSES: Readonly<Partial<Record<DeliveryRow['status'], string>>> = {
  missing_signature: 'they are not from the service, or a proxy removed X-Service-Signature',
  signature_mismatch: 'is it the secret of another endpoint?',
  stale: 'check the clock of this machine, or use --tolerance',
  future: 'check the clock of this machine',
};
