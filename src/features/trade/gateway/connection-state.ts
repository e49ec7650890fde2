/** The state of the connection, in a line for a person. */
import type { Outage } from './session-types.ts';

export interface Gap {
  readonly from: number;
  readonly to: number;
}

/** The state of the connection, for a program. Times are in milliseconds since 1970. */
export interface ConnectionFacts {
  /** Until it is lost, not until svc ends it. */
  readonly isConnected: boolean;
  /** Since when it is connected, or not. */
  readonly since: number;
  readonly lastPushAt: number | undefined;
  readonly gaps: number;
}

export class ConnectionState {
  #since: number;
  #lostAt: number | undefined;
  #lastPushAt: number | undefined;
  #gaps = 0;
  #last: Gap | undefined;
  /** Why the gateway cannot be reached. */
  trouble: string | undefined;
  /** Why the rows may be outdated although the gateway can be reached. */
  stale: string | undefined;
  /** Not shown yet. */
  #outage: Outage | undefined;
  #transport: string | undefined;
  #isOver = false;

  constructor(now: number) {
    this.#since = now;
  }

  outage(outage: Outage): void {
    this.#outage = outage;
    this.#lostAt = outage.kind === 'unreachable' ? (this.#lostAt ?? outage.at) : undefined;
    this.trouble = outage.kind === 'unreachable' ? outage.reason : undefined;
    if (outage.kind === 'recovered') this.#since = outage.at;
  }

  /** Once. */
  takeOutage() {
    const outage = this.#outage;
    this.#outage = undefined;
    if (outage === undefined) return undefined;
    return outage.kind === 'recovered' ? { event: outage.kind } : { event: outage.kind, reason: outage.reason };
  }

  /** The feed has ended, and the connection with it. */
  end(): void {
    this.#isOver = true;
  }

  gap(gap: Gap): void {
    this.#gaps++;
    this.#last = gap;
    this.#since = gap.to;
  }

  pushed(at: number): void {
    this.#lastPushAt = at;
  }

  get facts(): ConnectionFacts {
    const [since, lastPushAt, gaps] = [this.#lostAt ?? this.#since, this.#lastPushAt, this.#gaps];
    return { isConnected: this.#lostAt === undefined, since, lastPushAt, gaps };
  }

  /** `websocket for 2m 10s; 1 gap, the last of 3s at 16:02:11Z` */
  text(transport: string | undefined, now: number): string {
    this.#transport = transport ?? (this.#isOver ? this.#transport : undefined);
    const isConnected = this.#transport !== undefined && this.trouble === undefined;
    const gap = this.#last;
    return [
      isConnected
        ? `${this.#transport} for ${age(now - this.#since)}`
        : `no connection${this.#isOver ? '' : ': reconnecting'}`,
      gap === undefined
        ? 'no gaps'
        : `${this.#gaps === 1 ? '1 gap' : `${this.#gaps} gaps, the last`} of ${age(gap.to - gap.from)} at ${new Date(gap.from).toISOString().slice(11, 19)}Z`,
      ...(this.stale === undefined ? [] : [this.stale]),
      ...(this.#isOver ? ['ended'] : []),
    ].join('; ');
  }
}

/** `2m 10s` */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours > 0) return `${hours}h ${minutes % 60}m`;
  return minutes > 0 ? `${minutes}m ${seconds % 60}s` : `${seconds}s`;
}
