/** A receiver from its first delivery to its last. It releases everything, however it ends. */

import { setTimeout } from 'node:timers/promises';
import { AsyncQueue } from '../../../async-queue.ts';
import type { ErrorCode, SvcError } from '../../../errors.ts';
import { DeliveryMonitor, type MonitorOptions } from './monitor.ts';
import { DeliveryProcessor, isoTime, type ProcessorOptions } from './processor.ts';
import type { IncomingDelivery, Refusal } from './requests.ts';
import type { ReceiverRow, Tally } from './rows.ts';
import type { SeenFile } from './seen-events.ts';
import { type Receiver, type ReceiverOptions, startReceiver } from './server.ts';

export interface SessionOptions extends ReceiverOptions, Omit<ProcessorOptions, 'warn'>, MonitorOptions {
  readonly seenFile: SeenFile | undefined;
  readonly waitMs: number | undefined;
  readonly signal: AbortSignal;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Shows a person a warning at once. Undefined: warnings are rows. */
  readonly notice: ((text: string) => void) | undefined;
}

/** How long current requests may take at the end. */
const DRAIN_MS = 2_000;
const LAST_RESPONSES_MS = 200;
/** Beyond this many rows that were not read, deliveries are refused, and the service sends them again. */
const MOST_ROWS = 10_000;
/** Remote text is among the keys of warnings. */
const MOST_WARNINGS = 100;

export class ReceiverSession {
  readonly rows = new AsyncQueue<ReceiverRow>();
  readonly #options: SessionOptions;
  readonly #processor: DeliveryProcessor;
  readonly #monitor: DeliveryMonitor;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #warned = new Set<string>();
  readonly #ended = new AbortController();
  #receiver: Receiver | undefined;
  #closing: Promise<void> | undefined;
  #code: ErrorCode | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    const warn = (key: string, text: string): void => this.#warn(key, text);
    this.#processor = new DeliveryProcessor({ ...options, warn });
    this.#monitor = new DeliveryMonitor(options, warn);
  }

  get tally(): Readonly<Tally> {
    return this.#monitor.tally;
  }

  /** Why it ended; undefined: successfully. */
  get code(): ErrorCode | undefined {
    return this.#code;
  }

  /** Resolves to the port once it listens. */
  async start(): Promise<number> {
    const { seenFile, recording, signal, spool } = this.#options;
    try {
      this.#receiver = await startReceiver(this.#options, {
        delivered: (delivery) => this.#track(this.#handle(delivery)),
        refused: (refusal) => this.#report(refusal),
      });
    } catch (error) {
      recording?.discard();
      seenFile?.close();
      await spool?.close();
      throw error;
    }
    if (spool !== undefined) {
      this.#monitor.tally.spool = spool.tally;
      spool.start((row) => this.rows.push(row));
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
    if (outcome.filtered === undefined) this.rows.push(outcome.row);
    const decision = this.#monitor.record(outcome);
    if (decision !== 'continue') this.#end(decision === 'failed' ? 'signature_invalid' : undefined);
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
    if (this.rows.size >= MOST_ROWS) return;
    const received_at = isoTime(receivedMs);
    this.rows.push({ type: 'refused', received_at, source: remote, method, path, reason, response, bytes });
  }

  /** Accepts nothing more, lets current deliveries finish, and releases everything. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { signal, targets, recording, seenFile, spool } = this.#options;
    this.#ended.abort();
    const began = performance.now();
    await this.#receiver?.drain(DRAIN_MS);
    // Some were answered before they were forwarded.
    const settled = this.#settled();
    const left = DRAIN_MS - (performance.now() - began);
    if (left > 0) await Promise.race([settled, setTimeout(left, undefined, { ref: false })]);
    // Its requests are not broken off: without an answer, they would be repeated.
    await spool?.close();
    await targets?.close();
    await settled;
    recording?.close();
    // What was broken off is still being answered.
    await this.#receiver?.drain(LAST_RESPONSES_MS);
    this.#receiver?.destroy();
    seenFile?.close();
    signal.removeEventListener('abort', this.#interrupt);
  }

  async #settled(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  /** The first reason to end counts. */
  #end(code: ErrorCode | undefined): void {
    if (this.#ended.signal.aborted) return;
    this.#code = code;
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
