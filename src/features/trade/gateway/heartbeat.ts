/** The client's pings of Engine.IO 3: when the next is due, and when the connection counts as lost. */
import type { Opening } from './engine-packet.ts';

export interface HeartbeatOptions extends Pick<Opening, 'pingIntervalMs' | 'pingTimeoutMs'> {
  /** The wall clock, which also counts while the machine sleeps. */
  wall(): number;
  ping(): void;
  /** Responses are not read now, because the reader is slow. */
  isPaused(): boolean;
  lost(reason: string): void;
}

const LONGEST_TICK_MS = 1_000;
const SHORTEST_TICK_MS = 25;
/** Clock corrections are smaller than this. */
const SLEPT_MS = 5_000;

export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #tickMs: number;
  #at = performance.now();
  #wallAt: number;
  #nextPing: number;
  /** When the unanswered ping was sent. */
  #asked: number | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#wallAt = options.wall();
    this.#nextPing = this.#at + options.pingIntervalMs;
    this.#tickMs = Math.min(LONGEST_TICK_MS, Math.max(SHORTEST_TICK_MS, options.pingIntervalMs / 4));
    this.#timer = setInterval(this.#tick, this.#tickMs);
  }

  /** Anything came from the gateway. */
  heard(): void {
    this.#asked = undefined;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  readonly #tick = (): void => {
    const { pingIntervalMs, pingTimeoutMs, wall, ping, isPaused, lost } = this.#options;
    const now = performance.now();
    const wallNow = wall();
    const passed = now - this.#at;
    const slept = wallNow - this.#wallAt - passed;
    this.#at = now;
    this.#wallAt = wallNow;
    if (slept > pingIntervalMs + pingTimeoutMs) {
      lost(`this machine slept for ${Math.round(slept / 1000)} s`);
      return;
    }
    if (isPaused()) this.#asked = this.#asked === undefined ? undefined : now;
    // After a busy phase, timers run before the responses that arrived meanwhile are read.
    else if (this.#asked !== undefined && passed < 2 * this.#tickMs && now - this.#asked > pingTimeoutMs) {
      lost(`no response to the heartbeat within ${pingTimeoutMs / 1000} s`);
      return;
    }
    if (now < this.#nextPing && slept < SLEPT_MS) return;
    this.#asked ??= now;
    this.#nextPing = now + pingIntervalMs;
    ping();
  };
}
