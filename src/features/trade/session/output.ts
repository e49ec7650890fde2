/** The events of a session on their way to its caller, who may read them slowly or not at all. */
import { AsyncQueue } from '../../../async-queue.ts';
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { EventFields, TradeEvent, TradeEventName } from './trade-event.ts';

interface Unread {
  readonly event: TradeEvent;
  readonly bytes: number;
}

/** Above this, the caller counts as not reading. A pipe and the writer have some more. */
const BEHIND_BYTES = 1024 * 1024;
/** Above this, no more commands are read. */
const FULL_BYTES = 16 * BEHIND_BYTES;
/** An estimate for events of our own, and for one row of a result. */
const EVENT_BYTES = 512;

export class SessionOutput {
  readonly #queue = new AsyncQueue<Unread>(({ bytes }) => bytes, BEHIND_BYTES);
  readonly #now: RunContext['now'];
  /** Outcomes that were reported as unknown and not settled. */
  #unknown = 0;

  constructor({ now }: Pick<RunContext, 'now'>) {
    this.#now = now;
  }

  /** To be read once. */
  async *events(): AsyncGenerator<TradeEvent, void, void> {
    for await (const { event } of this.#queue) yield event;
  }

  /** `at`: milliseconds since 1970. */
  say<N extends TradeEventName>(
    name: N,
    id: string | null,
    fields: EventFields<N>,
    { at = this.#now(), bytes = EVENT_BYTES } = {},
  ): void {
    if (name === 'unknown') this.#unknown += 1;
    if (name === 'settled') this.#unknown -= 1;
    this.#queue.push({ event: { event: name, id, at: new Date(at).toISOString(), ...fields }, bytes });
  }

  /** The size of a result of so many rows. */
  static sizeOf(value: unknown): number {
    return EVENT_BYTES * (1 + (Array.isArray(value) ? value.length : 0));
  }

  /** The caller does not read. */
  get isBehind(): boolean {
    return this.#queue.size > BEHIND_BYTES;
  }

  /** Settles once the caller has caught up; undefined if it is not behind. */
  caughtUp(): Promise<void> | undefined {
    return this.#queue.drained();
  }

  /** As `caughtUp`, for commands: those that protect are still read for a while. */
  acceptsMore(): Promise<void> | undefined {
    return this.#queue.size > FULL_BYTES ? this.#queue.drained() : undefined;
  }

  /** Fails with `outcome_unknown` if an outcome is not known, or else with the failure. */
  end(failure?: SvcError): void {
    this.#queue.end(this.#unknownOutcome() ?? failure);
  }

  fail(failure: unknown): void {
    this.#queue.end(failure);
  }

  #unknownOutcome(): SvcError | undefined {
    if (this.#unknown === 0) return undefined;
    const commands = this.#unknown === 1 ? 'one command' : `${this.#unknown} commands`;
    const hint = 'check before you repeat it: svc trade journal settle';
    return new SvcError('outcome_unknown', `the outcome of ${commands} is unknown`, { hint, sent: 'maybe' });
  }
}
