/** One connection of Engine.IO 3, as socket.io 2.5 manages it: what is sent, and when it ends. */
import type { ServerResponse } from 'node:http';

const NOOP = '6';
export const HEARTBEAT = { pingInterval: 25_000, pingTimeout: 20_000 } as const;

export class EngineSession {
  readonly id: string;
  /** The models and symbols whose pushes it receives. */
  readonly subscriptions = new Set<string>();
  /** Between the packet `40` and the goodbye; only then its requests are accepted. */
  connected = false;
  readonly #ended: () => void;
  #queue: string[] = [];
  #poll: ServerResponse | undefined;
  #silence: NodeJS.Timeout | undefined;
  #over = false;

  constructor(id: string, ended: () => void) {
    this.id = id;
    this.#ended = ended;
    this.#restartSilence();
  }

  send(packet: string): void {
    if (this.#over) return;
    this.#queue.push(packet);
    this.#flush();
  }

  /** An event whose payload is a text, as all of the gateway's are. */
  emit(name: string, payload: string): void {
    this.send(`42${JSON.stringify([name, payload])}`);
  }

  /** Responds when there is something to send. */
  poll(response: ServerResponse): void {
    if (this.#poll !== undefined) {
      response.writeHead(500).end();
      this.end();
      return;
    }
    this.#poll = response;
    response.once('close', () => {
      if (this.#poll === response) this.end();
    });
    this.#flush();
  }

  receive(packet: string): void {
    if (this.#over) return;
    this.#restartSilence();
    if (packet.startsWith('2')) this.send('3');
    else if (packet === '41') this.connected = false;
    else if (packet === '1') this.end();
  }

  end(): void {
    this.#finish();
    if (this.#poll !== undefined) this.#answer([NOOP]);
  }

  /** Without a goodbye, as a broken network would. */
  cut(): void {
    this.#finish();
    this.#poll?.destroy();
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.connected = false;
    clearTimeout(this.#silence);
    this.#ended();
  }

  /** A client that sends nothing, not even its heartbeat, is gone. */
  #restartSilence(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.end(), HEARTBEAT.pingInterval + HEARTBEAT.pingTimeout);
  }

  #flush(): void {
    if (this.#poll !== undefined && this.#queue.length > 0) this.#answer(this.#queue.splice(0));
  }

  #answer(packets: readonly string[]): void {
    const response = this.#poll;
    this.#poll = undefined;
    const body = encodePayload(packets);
    response
      ?.writeHead(200, { 'content-type': 'text/plain; charset=UTF-8', 'content-length': Buffer.byteLength(body) })
      .end(body);
  }
}

/** Polling sends each text packet after its length in UTF-16 units (Engine.IO 3). */
export function encodePayload(packets: readonly string[]): string {
  return packets.map((packet) => `${packet.length}:${packet}`).join('');
}

/** Undefined for a body that is not framed like this. */
export function decodePayload(body: string): readonly string[] | undefined {
  const packets: string[] = [];
  for (let at = 0; at < body.length; ) {
    const [head, digits] = /^(\d{1,9}):/.exec(body.slice(at, at + 10)) ?? [];
    if (head === undefined) return undefined;
    const start = at + head.length;
    at = start + Number(digits);
    if (at > body.length) return undefined;
    packets.push(body.slice(start, at));
  }
  return packets;
}
