/** A receiver at work, from its first delivery to its last: everything it holds is given back whichever way it ends. */
import type { ErrorCode, SvcError } from '../../errors.ts';
import { SeenEvents } from './dedupe.ts';
import type { Forwarder } from './forwarding.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import type { ReceiverOptions } from './receiver-desk.ts';
import { Intake, type IntakeOptions } from './receiver-intake.ts';
import { type ReceiverRow, RowQueue, type Tally } from './receiver-rows.ts';
import { DeliveryWatch, type WatchOptions } from './receiver-watch.ts';
import type { RecordingWriter } from './recording-writer.ts';
import type { SeenFile } from './seen-file.ts';

export interface SessionOptions extends ReceiverOptions, IntakeOptions, WatchOptions {
  readonly dedupe: boolean;
  /** What is known of events that came before it began. */
  readonly known: SeenFile | undefined;
  readonly forwarder: Forwarder | undefined;
  readonly recording: RecordingWriter | undefined;
  /** How long to go on. */
  readonly waitMs: number | undefined;
  readonly signal: AbortSignal;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** What a person is told at once. Without it warnings are rows. */
  readonly notice: ((text: string) => void) | undefined;
}

/** Requests that are under way when it ends have this long. */
const DRAIN_MS = 2_000;
const ANSWER_MS = 200;
/** Rows that nobody has taken yet: beyond that deliveries are refused, and the service sends them again. */
const MOST_ROWS = 10_000;
/** Remote text is among the keys of warnings. */
const MOST_WARNINGS = 100;

export class ReceiverSession {
  readonly rows = new RowQueue<ReceiverRow>();
  readonly #options: SessionOptions;
  readonly #watch: DeliveryWatch;
  readonly #warned = new Set<string>();
  readonly #over = new AbortController();
  #receiver: Receiver | undefined;
  #closing: Promise<void> | undefined;
  #code: ErrorCode | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#watch = new DeliveryWatch(options, {
      warn: (key, text) => this.#warn(key, text),
      enough: (invalid) => this.#end(invalid ? 'signature_invalid' : undefined),
    });
  }

  get tally(): Readonly<Tally> {
    return this.#watch.tally;
  }

  /** How it ended: undefined where it went well. */
  get code(): ErrorCode | undefined {
    return this.#code;
  }

  /** Resolves to the port once deliveries are taken. */
  async start(): Promise<number> {
    const { dedupe, known, forwarder, recording, now, signal, sleep, waitMs } = this.#options;
    const intake = new Intake(this.#options, {
      seen: dedupe ? (known ?? new SeenEvents()) : undefined,
      forwarder,
      recording,
      watch: this.#watch,
      now,
      report: (row) => this.rows.push(row),
      hasRoom: () => this.rows.backlog < MOST_ROWS,
      warn: (key, text) => this.#warn(key, text),
    });
    try {
      this.#receiver = await startReceiver(this.#options, {
        arrived: (arrival) => intake.take(arrival),
        refused: (refusal) => intake.refuse(refusal),
      });
    } catch (error) {
      recording?.discard();
      known?.close();
      throw error;
    }
    recording?.onChange((failure) =>
      this.#say(
        failure === undefined
          ? 'the recording can be written again'
          : `ERROR: ${failure.message}: deliveries are answered 500 until it can be, so that they are sent again`,
      ),
    );
    if (waitMs !== undefined) {
      sleep(waitMs, this.#over.signal).then(
        () => this.#end('still_pending'),
        () => {},
      );
    }
    if (signal.aborted) this.#interrupted();
    else signal.addEventListener('abort', this.#interrupted, { once: true });
    return this.#receiver.port;
  }

  /** Takes nothing more, lets what is under way end, and gives everything back. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { signal, forwarder, recording, known } = this.#options;
    this.#over.abort();
    const began = performance.now();
    await this.#receiver?.drain(DRAIN_MS);
    const left = DRAIN_MS - (performance.now() - began);
    // Those that were answered before they were forwarded.
    if (forwarder !== undefined && left > 0) await settledWithin(forwarder, left);
    await forwarder?.close();
    recording?.close();
    // What was broken off has its answer on the way.
    await this.#receiver?.drain(ANSWER_MS);
    this.#receiver?.destroy();
    known?.close();
    signal.removeEventListener('abort', this.#interrupted);
  }

  /** The first reason to end is the one that counts. */
  #end(code: ErrorCode | undefined): void {
    if (this.#over.signal.aborted) return;
    this.#code = code;
    this.close().then(
      () => this.rows.end(this.#options.recording?.failure),
      (error: unknown) => this.rows.end(error),
    );
  }

  /** The end that nearly all listeners come to: what they print is complete then, as after any other. */
  readonly #interrupted = (): void => this.#end((this.#options.signal.reason as SvcError).code);

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

function settledWithin(forwarder: Forwarder, ms: number): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    forwarder.settled().then(() => {
      clearTimeout(timer);
      done();
    }, done);
  });
}
