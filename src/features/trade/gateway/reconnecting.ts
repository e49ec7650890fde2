/** When a lost session reconnects, and what it reports meanwhile. */
import { SvcError } from '../../../errors.ts';

/** Whether the gateway can be reached. A second `unreachable` has another reason. */
export type Outage =
  | { readonly kind: 'unreachable'; readonly at: number; readonly reason: string; readonly error: SvcError }
  /** It can be reached, and pushes nothing although the market is open. */
  | { readonly kind: 'stale'; readonly at: number; readonly reason: string }
  | { readonly kind: 'recovered'; readonly at: number };

/** How often a token that worked before may be refused. */
export const MOST_REFUSALS = 6;

/** Only after a connection that lasted this long is the next one made at once. */
const STEADY_MS = 5_000;
/** While the gateway accepts connections, however short, the delay does not exceed two seconds. */
const MOST_ACCEPTED = 2;

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** The gateway often refuses a valid token while the earlier session still exists. */
const FIRST_AFTER_REFUSAL_MS = 20_000;
const LONGEST_AFTER_REFUSAL_MS = 300_000;

/** The delays before attempts to connect. */
export class Backoff {
  /** That count against the next one. */
  #attempts = 0;
  #refusals = 0;

  /** The gateway accepted a connection. */
  connected(): void {
    this.#attempts = Math.min(this.#attempts, MOST_ACCEPTED);
    this.#refusals = 0;
  }

  lost(lastedMs: number): void {
    if (lastedMs > STEADY_MS) this.#attempts = 0;
  }

  /** The gateway refused the token. Returns how often it did since it accepted one. */
  refused(): number {
    this.#refusals += 1;
    return this.#refusals;
  }

  /** Before the next attempt. */
  nextDelay(random: number): number {
    const delay = reconnectDelay(this.#attempts, this.#refusals, random);
    this.#attempts += 1;
    return delay;
  }
}

/** Zero at first, then doubling, with 20 % jitter. `random` is within [0, 1). */
export function reconnectDelay(attempt: number, refusals: number, random: number): number {
  if (attempt === 0) return 0;
  const base =
    refusals > 0
      ? Math.min(LONGEST_AFTER_REFUSAL_MS, FIRST_AFTER_REFUSAL_MS * 2 ** (refusals - 1))
      : Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1));
  return base * (0.8 + 0.4 * random);
}

/** Whether another attempt to connect may help. */
export function mayRecover({ code, retryable }: SvcError, isFirst: boolean): boolean {
  // A server that is not a gateway is most often a wrong address.
  if (isFirst) return retryable && code !== 'bad_answer';
  return retryable || code === 'unauthorized';
}

export function refusedOften({ message }: SvcError): SvcError {
  return new SvcError('unauthorized', `${message} (${MOST_REFUSALS} times, although it was accepted before)`, {
    hint: 'the token may have been revoked, or the gateway blocks this machine for some minutes: svc doctor trade',
  });
}

/** Reports outages of the gateway. */
export class OutageReporter {
  /** Why it cannot be reached, or that it can be and pushes nothing. */
  #trouble: SvcError | 'silent' | undefined;
  readonly #report: (event: Outage) => void;

  constructor(report: (event: Outage) => void) {
    this.#report = report;
  }

  /** Why it cannot be reached now. */
  get error(): SvcError | undefined {
    return this.#trouble === 'silent' ? undefined : this.#trouble;
  }

  /** One event per outage, and another one for a failure of another kind. */
  begin(error: SvcError, reason: string, at: number): void {
    if (this.error?.exit === error.exit) return;
    this.#trouble = error;
    this.#report({ kind: 'unreachable', at, reason, error });
  }

  end(at: number): void {
    this.#trouble = undefined;
    this.#report({ kind: 'recovered', at });
  }

  /** Pushes stopped. False if that was reported, or if there is no connection. */
  silent(at: number, reason: string): boolean {
    if (this.#trouble !== undefined) return false;
    this.#trouble = 'silent';
    this.#report({ kind: 'stale', at, reason });
    return true;
  }

  pushed(at: number): void {
    if (this.#trouble === 'silent') this.end(at);
  }
}
