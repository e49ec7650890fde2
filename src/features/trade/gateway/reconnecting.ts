/** When a lost session reconnects, and what it reports meanwhile. */
import { SvcError } from '../../../errors.ts';
import type { Authorizer } from '../../../http/target.ts';
import type { Outage } from './session-types.ts';

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
  /** That count against the next one. The first connection is one, until it is made. */
  #attempts = 1;
  #refusals = 0;
  #connectedAt: number | undefined;

  /** The gateway accepted a connection. */
  connected(): void {
    this.#attempts = this.#connectedAt === undefined ? 0 : Math.min(this.#attempts, MOST_ACCEPTED);
    this.#refusals = 0;
    this.#connectedAt = performance.now();
  }

  lost(): void {
    if (performance.now() - (this.#connectedAt ?? 0) > STEADY_MS) this.#attempts = 0;
  }

  tried(): void {
    this.#attempts += 1;
  }

  /** The gateway refused the token. Returns how often it did since it accepted one. */
  refused(): number {
    this.#refusals += 1;
    return this.#refusals;
  }

  delay(random: number): number {
    return reconnectDelay(this.#attempts, this.#refusals, random);
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

/** Whether reconnecting may help; for a refused token, see above. */
export function isPassing(error: SvcError): boolean {
  return error.retryable || error.code === 'unauthorized';
}

/** Whether to retry the first connection. A server that is not a gateway is most often a wrong address. */
export function mayBeGateway(error: SvcError): boolean {
  return error.retryable && error.code !== 'bad_answer';
}

export function refusedOften({ message }: SvcError): SvcError {
  return new SvcError('unauthorized', `${message} (${MOST_REFUSALS} times, although it was accepted before)`, {
    hint: 'the token may have been revoked, or the gateway blocks this machine for some minutes: svc doctor trade',
  });
}

/** Connects once more with a new token if there is one: that of a token command may have expired. */
export async function withRenewal<T>(authorizer: Authorizer | undefined, connect: () => Promise<T>): Promise<T> {
  try {
    return await connect();
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'unauthorized' || !(await authorizer?.refresh?.())) throw error;
    return connect();
  }
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

  /** Pushes stopped. One event until they come again. False if that is known, or if there is no connection. */
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

export function readTooSlowly(bytes: number): SvcError {
  return new SvcError('partly_done', `pushes were read too slowly: ${bytes / 1024 / 1024} MiB are unread`, {
    hint: 'subscribe to less, write to a file, or let the gateway wait: svc config set trade.transport polling',
  });
}
