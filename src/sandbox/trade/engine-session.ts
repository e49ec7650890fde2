/** One connection of Engine.IO 3, as socket.io 2.5 keeps it: what is sent, by polls or by a websocket, and when it ends. */
import type { ServerResponse } from 'node:http';
import type { WebSocket } from 'ws';
import { encodePayload } from './engine-payload.ts';

const NOOP = '6';
/** So often a poll that is held up is let go while a websocket takes over. */
const UPGRADE_CHECK_MS = 100;
/** Bytes for a client that does not read; then it is cut off. */
const MOST_WAITING = 64 << 20;

export interface SessionOwner {
  /** How long nothing may be heard of a client. */
  readonly silenceMs: number;
  ended(session: EngineSession): void;
}

export class EngineSession {
  readonly id: string;
  readonly token: string;
  /** Which node of the balancer it lives on. */
  readonly node: number;
  /** What it has asked to be pushed: models and symbols. */
  readonly models = new Set<string>();
  readonly symbols = new Set<string>();
  /** Between the packet `40` and the goodbye: only then its requests are taken. */
  connected = false;
  readonly #owner: SessionOwner;
  #queue: string[] = [];
  #poll: ServerResponse | undefined;
  #socket: WebSocket | undefined;
  #silence: NodeJS.Timeout | undefined;
  #upgrading: NodeJS.Timeout | undefined;
  #over = false;

  constructor(owner: SessionOwner, id: string, token: string, node: number) {
    this.#owner = owner;
    this.id = id;
    this.token = token;
    this.node = node;
    this.#heard();
  }

  get transport(): 'polling' | 'websocket' {
    return this.#socket === undefined ? 'polling' : 'websocket';
  }

  send(packet: string): void {
    if (this.#over) return;
    if (this.#socket !== undefined) {
      this.#socket.send(packet);
      if (this.#socket.bufferedAmount > MOST_WAITING) this.#socket.terminate();
      return;
    }
    this.#queue.push(packet);
    this.#flush();
  }

  /** An event whose payload is a text, as all of the gateway's are. */
  emit(name: string, payload: string): void {
    this.send(`42${JSON.stringify([name, payload])}`);
  }

  /** Holds the poll until there is something to say. */
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
    this.#heard();
    if (packet.startsWith('2')) this.send('3');
    else if (packet === '41') this.connected = false;
    else if (packet === '1') this.end();
  }

  /** From a websocket's probe on polls are let go; the packet `5` makes it the only transport. */
  probed(): void {
    const check = (): void => {
      if (this.#poll !== undefined) this.#answer([NOOP]);
    };
    clearInterval(this.#upgrading);
    this.#upgrading = setInterval(check, UPGRADE_CHECK_MS);
    check();
  }

  /** The websocket is gone before it took over: polls go on as before. */
  notProbed(): void {
    clearInterval(this.#upgrading);
  }

  carriedBy(socket: WebSocket): void {
    clearInterval(this.#upgrading);
    if (this.#poll !== undefined) this.#answer([NOOP]);
    this.#socket = socket;
    for (const packet of this.#queue.splice(0)) socket.send(packet);
  }

  end(): void {
    this.#finish();
    if (this.#poll !== undefined) this.#answer([NOOP]);
    this.#socket?.close();
  }

  /** As a network that breaks would end it: no goodbye. */
  cut(): void {
    this.#finish();
    this.#poll?.destroy();
    this.#socket?.terminate();
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.connected = false;
    clearTimeout(this.#silence);
    clearInterval(this.#upgrading);
    this.#owner.ended(this);
  }

  #heard(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.end(), this.#owner.silenceMs);
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
