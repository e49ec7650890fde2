/** What svc uses of ws beyond its published types: the two halves of a connection that was opened by its own HTTP client. */
import type { Duplex, Writable } from 'node:stream';

declare module 'ws' {
  /** Emits `message` with the data and whether it is binary, `ping` with its payload, `conclude` with the code of a close frame. */
  export class Receiver extends Writable {
    constructor(options: { maxPayload: number; maxFragments: number; maxBufferedChunks: number });
  }

  export class Sender {
    constructor(socket: Duplex);
    send(data: string, options: { readonly mask: boolean; readonly fin: boolean }): void;
    pong(payload: Buffer, mask: boolean): void;
    close(code: number | undefined, data: string | undefined, mask: boolean): void;
  }
}
