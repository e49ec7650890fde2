/** Recordings: what `webhooks listen --record` writes, and `verify`, `replay` and `show` read. One JSON object a line. */
import type { RawHeader } from './delivery.ts';

/** One delivery that was received. Version 1; fields may be added. */
export interface RecordedDelivery {
  readonly v: 1;
  /** RFC 3339 in UTC with milliseconds. */
  readonly received_at: string;
  readonly remote: string;
  readonly method: string;
  readonly path: string;
  /** As they came: order, case and repeats. */
  readonly headers: readonly RawHeader[];
  readonly body_b64: string;
  /** A verdict of `signature.ts`, or `unchecked`. */
  readonly verdict: string;
  readonly event_id: string | null;
  readonly event_type: string | null;
  /** The same event was received and accepted before. */
  readonly duplicate: boolean;
  /** What the target answered where it was forwarded: a status, or why there is none. */
  readonly forward: { readonly status: number | null; readonly ms: number; readonly error?: string } | null;
  /** What the sender was answered. */
  readonly response: number;
}
