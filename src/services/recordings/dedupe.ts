/** The events that were accepted already: delivery is at least once, and receivers de-duplicate on the event id (doc 2 §1). */
import { createHash } from 'node:crypto';

/** What is known of an event that was accepted before. */
export interface SeenEvent {
  /** When it was accepted, in milliseconds since 1970. */
  readonly firstMs: number;
  /** How often it came, this time included. */
  readonly deliveries: number;
}

interface Kept {
  readonly firstMs: number;
  readonly slot: number;
  deliveries: number;
}

const MOST_EVENTS = 100_000;
const KEPT_MS = 24 * 60 * 60 * 1000;
/** The ids of the service are short. A long one is kept as its digest, so that the memory has a bound whatever comes. */
const LONG_ID = 128;

/** Remembers the last 100,000 events for a day. */
export class SeenEvents {
  readonly #kept = new Map<string, Kept>();
  /** The keys in the order they were added, in a ring: the next to be added takes the place of the oldest. */
  readonly #ring: (string | undefined)[] = [];
  readonly #most: number;
  #next = 0;

  constructor(most = MOST_EVENTS) {
    this.#most = most;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** Counts one more delivery of an event that was accepted before. Undefined for one that was not. */
  again(id: string, nowMs: number): SeenEvent | undefined {
    const kept = this.#kept.get(keyOf(id));
    if (kept === undefined || nowMs - kept.firstMs >= KEPT_MS) return undefined;
    kept.deliveries++;
    return kept;
  }

  /** To be called only once an event was verified and accepted: else a forged one, or one that failed, would hide the true one. */
  add(id: string, nowMs: number): void {
    const key = keyOf(id);
    const slot = this.#next;
    this.#next = (slot + 1) % this.#most;
    const oldest = this.#ring[slot];
    if (oldest !== undefined && this.#kept.get(oldest)?.slot === slot) this.#kept.delete(oldest);
    this.#ring[slot] = key;
    this.#kept.set(key, { firstMs: nowMs, slot, deliveries: 1 });
  }
}

function keyOf(id: string): string {
  return id.length <= LONG_ID ? id : createHash('sha256').update(id).digest('base64');
}
