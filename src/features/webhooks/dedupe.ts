/** The events that were accepted already: delivery is at least once, and receivers de-duplicate on the event id (doc 2 §1). */
import { hash } from 'node:crypto';

/** What is known of an event that was accepted before. */
export interface SeenEvent {
  /** When it was accepted, in milliseconds since 1970. */
  readonly firstMs: number;
  /** How often it came, this time included. */
  readonly deliveries: number;
}

export const MOST_EVENTS = 100_000;
export const KEPT_MS = 24 * 60 * 60 * 1000;
const WORDS = 4;
const EMPTY = -1;

/** 128 bits of the SHA-256 of an id: two ids that share them would be one event, and no two ever will. */
export type EventKey = Uint32Array;

/**
 * Remembers the last 100,000 events for a day. Numbers in arrays that never grow: a map of strings, of which each is old when it is
 * thrown out, leaves the garbage collector a hundred MiB behind.
 */
export class SeenEvents {
  /** The ring of the last events: the next to be added takes the place of the oldest. */
  readonly #keys: Uint32Array;
  readonly #firstMs: Float64Array;
  readonly #deliveries: Uint32Array;
  readonly #most: number;
  #added = 0;
  /** Places in the ring, hashed by the first word of their digests, with linear probing. */
  readonly #table: Int32Array;
  readonly #mask: number;

  constructor(most = MOST_EVENTS) {
    this.#most = most;
    this.#keys = new Uint32Array(most * WORDS);
    this.#firstMs = new Float64Array(most);
    this.#deliveries = new Uint32Array(most);
    // At most half full, so that probing ends soon.
    this.#mask = 2 ** Math.ceil(Math.log2(most * 2)) - 1;
    this.#table = new Int32Array(this.#mask + 1).fill(EMPTY);
  }

  /** Counts one more delivery of an event that was accepted before. Undefined for one that was not. */
  again(key: EventKey, nowMs: number): SeenEvent | undefined {
    const place = this.#placeOf(key);
    if (place === EMPTY) return undefined;
    const firstMs = this.#firstMs[place] ?? 0;
    if (nowMs - firstMs >= KEPT_MS) return undefined;
    const deliveries = (this.#deliveries[place] ?? 0) + 1;
    this.#deliveries[place] = deliveries;
    return { firstMs, deliveries };
  }

  /** To be called only once an event was verified and accepted: else a forged one, or one that failed, would hide the true one. */
  add(key: EventKey, nowMs: number): void {
    const before = this.#placeOf(key);
    if (before !== EMPTY) this.#forget(before);
    const place = this.#added++ % this.#most;
    if (this.#added > this.#most) this.#forget(place);
    this.#keys.set(key, place * WORDS);
    this.#firstMs[place] = nowMs;
    this.#deliveries[place] = 1;
    let at = this.#home(place);
    while (this.#table[at] !== EMPTY) at = (at + 1) & this.#mask;
    this.#table[at] = place;
  }

  #placeOf(key: EventKey): number {
    for (let at = (key[0] ?? 0) & this.#mask; ; at = (at + 1) & this.#mask) {
      const place = this.#table[at] ?? EMPTY;
      if (place === EMPTY || this.#holds(place, key)) return place;
    }
  }

  #holds(place: number, key: EventKey): boolean {
    for (let word = 0; word < WORDS; word++) {
      if (this.#keys[place * WORDS + word] !== key[word]) return false;
    }
    return true;
  }

  #home(place: number): number {
    return (this.#keys[place * WORDS] ?? 0) & this.#mask;
  }

  /** Takes a place out of the table, if it is there, and moves up those behind it that would not be found over the gap. */
  #forget(place: number): void {
    let gap = this.#home(place);
    while (this.#table[gap] !== place) {
      if (this.#table[gap] === EMPTY) return;
      gap = (gap + 1) & this.#mask;
    }
    for (let at = (gap + 1) & this.#mask; ; at = (at + 1) & this.#mask) {
      const other = this.#table[at] ?? EMPTY;
      if (other === EMPTY) break;
      if (((at - this.#home(other)) & this.#mask) < ((at - gap) & this.#mask)) continue;
      this.#table[gap] = other;
      gap = at;
    }
    this.#table[gap] = EMPTY;
  }
}

/** To be made once for an event: it costs as much as all the rest. */
export function eventKey(id: string): EventKey {
  const bytes = hash('sha256', id, 'buffer');
  return Uint32Array.of(bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8), bytes.readUInt32LE(12));
}
