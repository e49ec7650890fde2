/** What `trade session` prints: one object for each line of `-o ndjson`. */
export type TradeEventName =
  | 'ready'
  | 'accepted'
  | 'filled'
  | 'partly_filled'
  | 'open'
  | 'closed'
  | 'refused'
  | 'unknown'
  | 'settled'
  | 'result'
  | 'heartbeat'
  | 'unreachable'
  | 'recovered'
  | 'ended';

export interface TradeEvent {
  readonly event: TradeEventName;
  /** The caller's; null if the event belongs to no command. */
  readonly id: string | null;
  /** RFC 3339 in UTC. */
  readonly at: string;
  readonly [field: string]: unknown;
}
