/** A sender that writes its own bytes: as well behaved or as bad as a test wants. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export const KEY = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

export interface Signed {
  readonly key?: string;
  /** Unix seconds; now by default. */
  readonly timestamp?: number | string;
  readonly path?: string;
  readonly method?: string;
  /** Header lines in addition to those of the signature. */
  readonly headers?: readonly string[];
  /** Instead of a content length. */
  readonly framing?: string;
}

export function event(id: string, type = 'summary.completed', data: object = { audio_id: 'a' }): string {
  return JSON.stringify({ id, type, created_at: '2026-01-01T00:00:00Z', data });
}

/** The head of a signed delivery of this body. */
export function head(body: string | Uint8Array, options: Signed = {}): string {
  const { key = KEY, timestamp = Math.floor(Date.now() / 1000), path = '/', method = 'POST', headers = [] } = options;
  const signature = createHmac('sha256', key).update(`${timestamp}.`).update(body).digest('hex');
  return [
    `${method} ${path} HTTP/1.1`,
    'Host: receiver',
    'Content-Type: application/json',
    `X-Service-Timestamp: ${timestamp}`,
    `X-Service-Signature: sha256=${signature}`,
    ...headers,
    options.framing ?? `Content-Length: ${Buffer.byteLength(body)}`,
    '\r\n',
  ].join('\r\n');
}

export function delivery(body: string | Uint8Array, options: Signed = {}): Buffer {
  return Buffer.concat([Buffer.from(head(body, options), 'latin1'), Buffer.from(body as Uint8Array)]);
}

export interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

export class Sender {
  readonly socket: Socket;
  #bytes = '';
  #ended = false;
  #news = (): void => {};

  constructor(port: number, host = '127.0.0.1') {
    this.socket = connect(port, host);
    this.socket.on('error', () => {});
    this.socket.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.toString('latin1');
      this.#news();
    });
    this.socket.on('close', () => {
      this.#ended = true;
      this.#news();
    });
  }

  send(bytes: string | Uint8Array): this {
    this.socket.write(bytes);
    return this;
  }

  /** Resolves when these bytes are in the kernel. */
  async sent(bytes: string | Uint8Array): Promise<void> {
    await new Promise<void>((done) => this.socket.write(bytes, () => done()));
  }

  /** The next answer; 100 Continue is one. */
  async answer(): Promise<Answer> {
    for (;;) {
      const end = this.#bytes.indexOf('\r\n\r\n');
      if (end >= 0) {
        const text = this.#bytes.slice(0, end);
        const length = Number(/^content-length: (\d+)$/im.exec(text)?.[1] ?? 0);
        if (this.#bytes.length >= end + 4 + length) {
          const body = this.#bytes.slice(end + 4, end + 4 + length);
          this.#bytes = this.#bytes.slice(end + 4 + length);
          return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]), head: text, body };
        }
      }
      if (this.#ended) throw new Error(`the connection ended with ${JSON.stringify(this.#bytes)}`);
      await new Promise<void>((done) => {
        this.#news = done;
      });
    }
  }

  /** What came until the connection was closed. */
  async rest(): Promise<string> {
    if (!this.#ended) await once(this.socket, 'close');
    return this.#bytes;
  }

  close(): void {
    this.socket.destroy();
  }
}

/** One request on a connection of its own. */
export async function send(port: number, bytes: string | Uint8Array): Promise<Answer> {
  const sender = new Sender(port);
  try {
    return await sender.send(bytes).answer();
  } finally {
    sender.close();
  }
}

export async function deliver(port: number, body: string | Uint8Array, options: Signed = {}): Promise<Answer> {
  return await send(port, delivery(body, options));
}
