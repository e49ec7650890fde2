/** The trading gateway of these tests without its responses: polling connections and pushes. */
import type { Socket } from 'node:net';
import { answer, type Received } from '../support/servers.ts';

/** Half of a credential; no output may contain it either. */
export const SESSION_ID = 'sid-c0ffee5e551011-0123456789';

/** Packets and polls of a connection that is there, and what is taken back at its end: nothing that fails there ends a command. */
export function isWithinSession({ path }: Received): boolean {
  return /^\/socket\.io\/\?.*\bsid=/.test(path) || /^(\/trading)?\/unsubscribe$/.test(path);
}

export function isConnecting({ path }: Received): boolean {
  return path.startsWith('/socket.io/');
}

/** POSTs that change nothing but what is pushed to the one who sends them. */
export function isSubscribing({ path }: Received): boolean {
  return /^(\/trading)?\/(un)?subscribe$/.test(path);
}

export class GatewaySide {
  #poll: Socket | undefined;
  #packets: string[] = [];

  /** A new connection, in place of the one before. */
  connect(socket: Socket): void {
    this.#poll = undefined;
    this.#packets = [];
    const opening = { sid: SESSION_ID, upgrades: [], pingInterval: 25_000, pingTimeout: 20_000 };
    socket.write(payload([`0${JSON.stringify(opening)}`, '40']));
  }

  serve(socket: Socket, { method, path, body }: Received): void {
    if (!path.startsWith('/socket.io/')) socket.write(answer(200, '{"response":{"executed":true}}'));
    else if (method === 'GET') {
      this.#poll = socket;
      this.#flush();
    } else {
      socket.write(answer(200, 'ok', { 'content-type': 'text/html' }));
      if (body === '1:1') this.#push('6');
    }
  }

  /** Subscribing brings a first push at once. */
  subscribe({ body }: Received, row: (model: string) => unknown): void {
    const form = new URLSearchParams(body);
    for (const symbol of form.getAll('pairs')) {
      this.#event(symbol, { Updated: 1_768_478_400_000, Rates: [1.16, 1.16013, 1.161, 1.159], Symbol: symbol });
    }
    for (const model of form.getAll('models')) this.#event(model, row(model));
  }

  #event(name: string, record: unknown): void {
    this.#push(`42${JSON.stringify([name, JSON.stringify(record)])}`);
  }

  #push(packet: string): void {
    this.#packets.push(packet);
    this.#flush();
  }

  #flush(): void {
    if (this.#poll === undefined || this.#packets.length === 0) return;
    this.#poll.write(payload(this.#packets));
    this.#packets = [];
    this.#poll = undefined;
  }
}

function payload(packets: readonly string[]): string {
  const text = packets.map((packet) => `${packet.length}:${packet}`).join('');
  return answer(200, text, { 'content-type': 'text/plain; charset=UTF-8' });
}
