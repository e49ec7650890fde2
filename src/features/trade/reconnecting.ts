/** When a lost session is connected again, and what is reported meanwhile. */
import { SvcError } from '../../errors.ts';
import type { Outage } from './session-types.ts';

/** How often a token that worked is tried again after it is refused. */
export const MOST_REFUSALS = 6;

/** A connection that held so long was a good one: one that is always lost at once must not be made again at once for ever. */
export const STEADY_MS = 30_000;

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** Often the gateway refuses a good token only because the earlier session still lives there. */
const FIRST_AFTER_REFUSAL_MS = 20_000;
const LONGEST_AFTER_REFUSAL_MS = 300_000;

/** At once the first time, then doubling, within 20 % by chance so that many do not come together. `random` is within [0, 1). */
export function reconnectDelay(attempt: number, refusals: number, random: number): number {
  if (attempt === 0) return 0;
  const base =
    refusals > 0
      ? Math.min(LONGEST_AFTER_REFUSAL_MS, FIRST_AFTER_REFUSAL_MS * 2 ** (refusals - 1))
      : Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1));
  return base * (0.8 + 0.4 * random);
}

/** Whether connecting again may help. Often a good token is refused only because the earlier session still lives there. */
export function isPassing(error: SvcError): boolean {
  return error.retryable || error.code === 'unauthorized';
}

/** Whether a first connection may be made later. What answers, but not as a gateway, is most often a wrong address. */
export function mayBeGateway(error: SvcError): boolean {
  return error.retryable && error.code !== 'bad_answer';
}

export function refusedOften({ message }: SvcError): SvcError {
  return new SvcError('unauthorized', `${message}; that was ${MOST_REFUSALS} times, although it was accepted before`, {
    hint: 'it may have been revoked meanwhile, or the gateway keeps this machine out for some minutes: svc trade status',
  });
}

/** Reports when the gateway can no longer be reached, and when it can again. */
export class OutageReporter {
  /** Why it cannot be reached now. */
  error: SvcError | undefined;
  #divert: ((event: Outage) => void) | undefined;
  readonly #report: (event: Outage) => void;

  constructor(report: (event: Outage) => void) {
    this.#report = report;
  }

  /** `listener` gets the events in place of `report`, until the returned function is called. */
  divertTo(listener: (event: Outage) => void): () => void {
    this.#divert = listener;
    return () => {
      this.#divert = undefined;
    };
  }

  /** One event for an outage, and another one where connecting fails for a reason of another kind. */
  begin(error: SvcError, reason: string, at: number): void {
    if (this.error?.exit === error.exit) return;
    this.error = error;
    (this.#divert ?? this.#report)({ kind: 'unreachable', at, reason, error });
  }

  end(at: number): void {
    this.error = undefined;
    (this.#divert ?? this.#report)({ kind: 'recovered', at });
  }
}
