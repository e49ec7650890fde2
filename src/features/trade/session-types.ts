/** A session with the trading gateway: requests, and what the gateway pushes, over one connection id. */

import type { SvcError } from '../../errors.ts';
import type { Client } from '../../http/client.ts';
import type { CallValues, Endpoint } from '../../http/endpoint.ts';
import type { Secret } from '../../http/redact.ts';
import type { ServiceRules } from '../../http/sender.ts';

export type Transport = 'auto' | 'polling' | 'websocket';

export type SessionEvent =
  | {
      readonly kind: 'push';
      /** A model's name, or a symbol for its price. */
      readonly name: string;
      /** JSON text as the gateway sent it, not looked at. */
      readonly payload: string;
      /** Milliseconds since 1970. */
      readonly at: number;
    }
  | Outage
  /** The connection was lost and is there again: what was pushed between the two times is missing. Subscriptions are restored after it. */
  | { readonly kind: 'gap'; readonly from: number; readonly to: number; readonly reason: string }
  /** The last event: the connection is lost for good. */
  | { readonly kind: 'closed'; readonly reason: string; readonly error: SvcError };

/** Whether the gateway can be reached. A second `unreachable` has another reason: the token is refused now, say. */
export type Outage =
  | { readonly kind: 'unreachable'; readonly at: number; readonly reason: string; readonly error: SvcError }
  | { readonly kind: 'recovered'; readonly at: number };

export interface SessionOptions {
  /** The API token. Asked for at each connect. */
  readonly token: () => Secret | Promise<Secret>;
  /** `auto`, unless told: polling, and a websocket once `events` is read. */
  readonly transport?: Transport;
  /** Connects again whenever the connection is lost. Otherwise the loss is the last event. */
  readonly reconnect?: boolean;
  /** Keeps trying where the first connection cannot be made. */
  readonly awaitGateway?: boolean;
  /** What the person should know: waiting, reconnecting. One line each, free of secrets. */
  readonly onNotice: (text: string) => void;
  /** Waits until one more connect is within the pace that the host bears. */
  readonly pace?: { wait(signal: AbortSignal): Promise<void> };
  /** The reading of an HTTP status of 400 and above to a request. */
  readonly explain?: ServiceRules['explain'];
}

export type Restore = (session: Pick<Session, 'call' | 'hide'>) => Promise<void>;

export interface Session {
  /** Connects, where it is not yet. Rejects with `unauthorized` for a token that is refused. */
  connect(): Promise<void>;
  /**
   * One request in this session, connecting first where needed.
   */
  call<T>(endpoint: Endpoint<T, 'read'>, values?: CallValues): Promise<T>;
  /**
   * The same for a write. It goes out once at most, and never after a wait for a connection that was lost: that rejects. In a dry run
   * nothing is connected.
   */
  readonly send: Client['send'];
  readonly plan: Client['plan'];
  /** The same, for an answer of whatever type, as it came. */
  readonly answer: Client['answer'];
  /**
   * What was pushed since the session connected, in order, nothing left out; to be read once. A slow reader holds polling back, and
   * a websocket for a second; after that it ends the events with `closed` once 64 MiB wait. Rejects where the command is interrupted.
   */
  events(): AsyncIterable<SessionEvent>;
  /**
   * `restore` is run after each reconnect, to subscribe again what the new connection does not know, by requests of the session it is
   * given. What it returns takes it back.
   */
  onReconnect(restore: Restore): () => void;
  /** The text without the token and the connection id, for whatever is shown. */
  hide(text: string): string;
  /** Gives outages to `listener` at once instead of to `events`, until the returned function is called. */
  divertOutages(listener: (event: Outage) => void): () => void;
  /** Why the gateway cannot be reached, also after `close`; undefined if it can. */
  readonly outage: SvcError | undefined;
  /** What carries the pushes now; undefined where there is no connection. */
  readonly transport: 'polling' | 'websocket' | undefined;
  /** Settles once the way that `auto` takes is known. Never rejects. */
  settled(): Promise<void>;
  /** How often a sign of life goes out, and how long one is waited for; undefined where there is no connection. */
  readonly heartbeat: { readonly pingIntervalMs: number; readonly pingTimeoutMs: number } | undefined;
  /** The gateway's clock minus ours, of the latest answer to a request that had a date. */
  readonly clockSkewMs: number | undefined;
  /** Leaves in order (bounded by two seconds) and ends everything. Never rejects; later calls do nothing. */
  close(): Promise<void>;
}
