/**
 * Takes verified events while their target is away, and forwards them in order. An event is answered once it is on disk, and it is forwarded until the target
 * answers. A request whose answer is on disk is never repeated. One without an answer is, with the same event and delivery ids.
 */
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { realTarget } from '../../../store/atomic-write.ts';
import { holdLock } from '../../../store/lock.ts';
import { ageOf, type RawHeader, resigned } from '../delivery.ts';
import { fingerprint, hmacKey, type SigningSecret, TOLERANCE_S } from '../signature.ts';
import type { Forwarded, Forwarder, Targets } from './forwarder.ts';
import type { SpoolRow, SpoolTally } from './rows.ts';
import type { SeenEvents } from './seen-events.ts';
import { type Added, SpoolFile } from './spool-file.ts';
import { appendRefused, type SpooledEvent, type Waiting } from './spool-lines.ts';

interface SpoolOptions {
  readonly path: string;
  /** Bytes of waiting events. */
  readonly limit: number;
  readonly targets: Targets;
  /** All that verify. A delivery that waited for too long is signed again with the one that verified it. */
  readonly secrets: readonly SigningSecret[];
}

type SpoolContext = Pick<RunContext, 'now' | 'sleep' | 'random' | 'pid' | 'signal' | 'notice'>;

/** The pause after a failure doubles from the first to the longest. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** The service itself sends a delivery six times (doc 2 §6): a target that refuses an event as often does not want it. */
const MOST_REFUSALS = 6;
/** Refusals that say nothing about the event. */
const TEMPORARY: readonly number[] = [408, 421, 425, 429];
/** A receiver with the usual tolerance would refuse an older signature. */
const RESIGN_AFTER_S = TOLERANCE_S - 60;
/** How long a target that answers may take the rest when svc ends. */
const DRAIN_MS = 2_000;

/** Creates the file if it does not exist. Throws `file_unusable`. */
export async function openSpool(options: SpoolOptions, ctx: SpoolContext): Promise<Spool> {
  const path = realTarget(options.path);
  let release: () => void;
  try {
    release = await holdLock(`${path}.lock`, ctx);
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'timeout') throw error;
    throw new SvcError('file_unusable', `--spool: another listener uses ${options.path}`, {
      hint: `name another file: a spool has one listener (its lock is ${path}.lock)`,
      cause: error,
    });
  }
  try {
    return new Spool(new SpoolFile(path, options.limit, ctx.now), options, ctx, release);
  } catch (error) {
    release();
    throw error;
  }
}

/** Why an event was not accepted. */
interface Failure {
  readonly why: string;
  /** By the target, because of the event itself. */
  readonly refused: boolean;
}

export class Spool {
  readonly tally: SpoolTally;
  readonly #file: SpoolFile;
  readonly #options: SpoolOptions;
  readonly #ctx: SpoolContext;
  readonly #release: () => void;
  readonly #secrets: Map<string, SigningSecret>;
  readonly #queues = new Map<Forwarder, Waiting[]>();
  readonly #sending = new Map<Forwarder, Promise<void>>();
  /** Ends pauses, and the queues of targets that fail. */
  readonly #ending = new AbortController();
  /** Nothing more is sent. */
  #stopped = false;
  #report: (row: SpoolRow) => void = () => {};
  readonly #warned = new Set<string>();

  constructor(file: SpoolFile, options: SpoolOptions, ctx: SpoolContext, release: () => void) {
    this.#file = file;
    this.#options = options;
    this.#ctx = ctx;
    this.#release = release;
    this.#secrets = new Map(options.secrets.map((secret) => [fingerprint(secret), secret]));
    this.tally = { delivered: 0, refused: 0, waiting: file.waiting.length };
    for (const text of file.notices) ctx.notice(`warning: --spool: ${text}`);
  }

  get path(): string {
    return this.#options.path;
  }

  get seen(): SeenEvents {
    return this.#file.seen;
  }

  /** Forwards what waits, and from now on what is added. */
  start(report: (row: SpoolRow) => void): void {
    this.#report = report;
    const homeless = this.#file.waiting.filter((waiting) => !this.#queue(waiting));
    if (homeless.length === 0) return;
    this.#ctx.notice(
      `warning: ${homeless.length} of the waiting events have no target now: they stay in ${this.#options.path} until --forward-to or --forward names one`,
    );
  }

  /** Resolves once the event is on disk, or cannot be. */
  async add(event: Omit<SpooledEvent, 'secret'>, secret: SigningSecret | undefined): Promise<Added> {
    const name = secret === undefined ? null : fingerprint(secret);
    // That of a tunnel is not known before.
    if (secret !== undefined && name !== null) this.#secrets.set(name, secret);
    const spooled = { ...event, secret: name };
    const { added, waiting } = await this.#file.add(spooled);
    if (waiting !== undefined) {
      this.tally.waiting++;
      this.#queue(waiting);
    }
    return added;
  }

  /** A target that answers gets a moment to take the rest. A request under way ends by itself: only its answer tells whether to repeat it. */
  async close(): Promise<void> {
    this.#ending.abort();
    const done = new AbortController();
    const timer = this.#ctx.sleep(DRAIN_MS, done.signal).then(
      () => {
        this.#stopped = true;
      },
      () => {},
    );
    await Promise.all(this.#sending.values());
    done.abort();
    await timer;
    this.#file.close();
    this.#release();
  }

  #queue(waiting: Waiting): boolean {
    const forwarder = this.#options.targets.of(waiting.type);
    if (forwarder === undefined) return false;
    const queue = this.#queues.get(forwarder) ?? [];
    this.#queues.set(forwarder, queue);
    queue.push(waiting);
    if (!this.#sending.has(forwarder) && !this.#ending.signal.aborted) {
      this.#sending.set(forwarder, this.#sendAll(forwarder, queue));
    }
    return true;
  }

  /** One event after the other, each until it is settled. Ends when none is left. */
  async #sendAll(forwarder: Forwarder, queue: Waiting[]): Promise<void> {
    let failures = 0;
    let refusals = 0;
    let away = false;
    for (let [waiting] = queue; waiting !== undefined; [waiting] = queue) {
      if (this.#stopped || (this.#ending.signal.aborted && failures > 0)) return;
      const failure = await this.#send(forwarder, waiting, refusals + 1 >= MOST_REFUSALS);
      if (failure === undefined) {
        queue.shift();
        if (away)
          this.#report({ type: 'recovered', at: this.#at(), target: forwarder.url.href, waiting: queue.length });
        [failures, refusals, away] = [0, 0, false];
        continue;
      }
      failures++;
      if (failure.refused) refusals++;
      else if (!away) {
        away = true;
        const { why } = failure;
        const about = { at: this.#at(), target: forwarder.url.href, error: why, waiting: queue.length };
        this.#report({ type: 'unreachable', ...about });
      }
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
      try {
        await this.#ctx.sleep(pause * (0.75 + this.#ctx.random() / 2), this.#ending.signal);
      } catch {
        return;
      }
    }
    // In the same turn as the last look at the queue: the next event starts it again.
    this.#sending.delete(forwarder);
  }

  /** Undefined once it is settled. `last`: one more refusal is the last. */
  async #send(forwarder: Forwarder, waiting: Waiting, last: boolean): Promise<Failure | undefined> {
    const repeated = waiting.tries > 0;
    let event: SpooledEvent;
    try {
      event = this.#file.read(waiting);
      this.#file.markSent(waiting);
    } catch (error) {
      return this.#unwritable(error);
    }
    const body = Buffer.from(event.body_b64, 'base64');
    const forwarded = await forwarder.forward(this.#headers(event, body), body);
    const { status } = forwarded;
    const accepted = status !== null && status >= 200 && status < 300;
    const refused = status !== null && status >= 400 && status < 500 && !TEMPORARY.includes(status);
    // Until its outcome is on disk, nothing else is sent to this target.
    for (;;) {
      try {
        if (accepted || (refused && last)) {
          if (!accepted) appendRefused(`${this.#file.path}.refused`, event, forwarded);
          this.#file.settle(waiting, status);
        } else if (status !== null || !forwarded.sent) this.#file.markFailed(waiting);
        break;
      } catch (error) {
        this.#unwritable(error);
        try {
          await this.#ctx.sleep(FIRST_PAUSE_MS, this.#ending.signal);
        } catch {
          return { why: 'spool_unwritable', refused: false };
        }
      }
    }
    if (!accepted && !(refused && last)) return { why: forwarded.error ?? `http_${status}`, refused };
    this.tally.waiting--;
    this.tally[accepted ? 'delivered' : 'refused']++;
    this.#report(this.#row(event, forwarded, forwarder, { accepted, repeated }));
    return undefined;
  }

  /** Signed again if the signature is too old for a receiver that checks its age. */
  #headers({ headers, secret: name, received_at }: SpooledEvent, body: Uint8Array): readonly RawHeader[] {
    const nowS = Math.floor(this.#ctx.now() / 1000);
    if (name === null || !(ageOf(headers, nowS) > RESIGN_AFTER_S)) return headers;
    const secret = this.#secrets.get(name);
    if (secret !== undefined) return resigned(headers, hmacKey(secret), String(nowS), body);
    this.#warn(
      name,
      `warning: the secret ${name} of an event of ${received_at} is not given now: its old signature stays, and receivers refuse that`,
    );
    return headers;
  }

  #row(
    { event_id, event_type, received_at }: SpooledEvent,
    { status, ms }: Forwarded,
    { url }: Forwarder,
    { accepted, repeated }: { readonly accepted: boolean; readonly repeated: boolean },
  ): SpoolRow {
    const target = url.href;
    const at = this.#at();
    return { type: 'forwarded', at, received_at, event_id, event_type, target, status, ms, accepted, repeated };
  }

  #unwritable(error: unknown): Failure {
    const why = error instanceof SvcError ? error.message : String(error);
    this.#warn('unwritable', `ERROR: ${why}: nothing is forwarded until it can be written`);
    return { why: 'spool_unwritable', refused: false };
  }

  #warn(key: string, text: string): void {
    if (this.#warned.has(key)) return;
    this.#warned.add(key);
    this.#ctx.notice(text);
  }

  #at(): string {
    return new Date(this.#ctx.now()).toISOString();
  }
}
