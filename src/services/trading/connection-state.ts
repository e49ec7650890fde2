/** How it is with the connection, in a line for a person. */

export interface Gap {
  readonly from: number;
  readonly to: number;
}

export class ConnectionState {
  #since: number;
  #gaps = 0;
  #last: Gap | undefined;
  /** Why the rows may not be those of now. */
  trouble: string | undefined;

  constructor(now: number) {
    this.#since = now;
  }

  gap(gap: Gap): void {
    this.#gaps++;
    this.#last = gap;
    this.#since = gap.to;
  }

  /** `websocket for 2m 10s; 1 gap, the last of 3s at 16:02:11Z` */
  words(transport: string | undefined, now: number): string {
    const connection =
      transport === undefined ? 'no connection: connecting again' : `${transport} for ${age(now - this.#since)}`;
    if (this.#last === undefined) return `${connection}; no gaps`;
    const { from, to } = this.#last;
    const gaps = this.#gaps === 1 ? '1 gap' : `${this.#gaps} gaps, the last`;
    return `${connection}; ${gaps} of ${age(to - from)} at ${new Date(from).toISOString().slice(11, 19)}Z`;
  }
}

function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours > 0) return `${hours}h ${minutes % 60}m`;
  return minutes > 0 ? `${minutes}m ${seconds % 60}s` : `${seconds}s`;
}
