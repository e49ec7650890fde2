/** The events and options of a session with the trading gateway. */
import { AsyncQueue } from '../../../async-queue.ts';
import type { SvcError } from '../../../errors.ts';
import type { Secret } from '../../../http/redact.ts';
import type { ServiceRules } from '../../../http/sender.ts';

export type Transport = 'auto' | 'polling' | 'websocket';

export type SessionEvent =
  | {
      readonly kind: 'push';
      /** A model's name, or a symbol for its price. */
      readonly name: string;
      /** JSON text as the gateway sent it, not parsed. */
      readonly payload: string;
      /** Milliseconds since 1970. */
      readonly at: number;
    }
  | Outage
  /** The first connection is made. */
  | { readonly kind: 'connected' }
  /** Another connection is made: pushes between the two times are missing. The subscriptions are restored after it. */
  | { readonly kind: 'gap'; readonly from: number; readonly to: number; readonly reason: string }
  /** The last event: the connection is lost for good. */
  | { readonly kind: 'closed'; readonly reason: string; readonly error: SvcError };

/** Whether the gateway can be reached. A second `unreachable` has another reason, such as a refused token. */
export type Outage =
  | { readonly kind: 'unreachable'; readonly at: number; readonly reason: string; readonly error: SvcError }
  /** It can be reached, and pushes nothing although the market is open. */
  | { readonly kind: 'stale'; readonly at: number; readonly reason: string }
  | { readonly kind: 'recovered'; readonly at: number };

export interface SessionOptions {
  /** The API token, read at each connect. */
  readonly token: () => Secret | Promise<Secret>;
  /** `auto` (the default): polling, and a websocket once `events` is read. */
  readonly transport?: Transport;
  /** Reconnects after a loss. Otherwise the loss is the last event. */
  readonly reconnect?: boolean;
  /** Keeps trying if the first connection fails. */
  readonly awaitGateway?: boolean;
  /** One line each, without secrets. */
  readonly onNotice: (text: string) => void;
  /** Waits until the pace allows one more connect. */
  readonly pace?: { wait(signal: AbortSignal): Promise<void> };
  /** Explains an HTTP status of 400 and above. */
  readonly explain?: ServiceRules['explain'];
}

/** Above this, the gateway is slowed down. */
const HIGH_WATER = 8 * 1024 * 1024;
/** The size of an event besides its text. */
const EVENT_BYTES = 128;

export function eventQueue(): AsyncQueue<SessionEvent> {
  return new AsyncQueue(
    (event) => (event.kind === 'push' ? event.name.length + event.payload.length + EVENT_BYTES : EVENT_BYTES),
    HIGH_WATER,
  );
}
