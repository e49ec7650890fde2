/** What svc uses of ws beyond its published types: the two halves of a connection that was opened by its own HTTP client. */
import type { Duplex, Writable } from 'node:stream';

declare module 'ws' {
  export interface ReceiverOptions {
    readonly isServer?: boolean;
    /** In bytes. */
    readonly maxPayload?: number;
    readonly maxFragments?: number;
    readonly maxBufferedChunks?: number;
  }

  export interface ReceiverEvents {
    message: [data: Buffer, isBinary: boolean];
    ping: [payload: Buffer];
    /** A close frame; 1005 where it has no status. */
    conclude: [code: number, reason: Buffer];
    error: [error: Error & { readonly code?: string }];
  }

  export interface Receiver extends Writable {
    on<Name extends keyof ReceiverEvents>(name: Name, listener: (...values: ReceiverEvents[Name]) => void): this;
  }
  export const Receiver: new (options?: ReceiverOptions) => Receiver;

  export interface Sender {
    send(data: string, options: { readonly mask: boolean; readonly fin: boolean }): void;
    pong(payload: Buffer, mask: boolean): void;
    close(code: number | undefined, data: string | undefined, mask: boolean): void;
  }
  export const Sender: new (socket: Duplex) => Sender;
}
