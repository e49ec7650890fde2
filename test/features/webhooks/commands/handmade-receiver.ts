/** A receiver as a developer would write it, without code of svc. It is correct unless a flaw is given. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, vi } from 'vitest';

export const KEY = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

export type Flaw = 'signature-optional' | 'no-past-limit';

/** The signature of a delivery, made without code of svc. */
export const sign = (timestamp: string, body: Uint8Array): string =>
  `sha256=${createHmac('sha256', KEY).update(`${timestamp}.`).update(body).digest('hex')}`;

export interface Taken {
  readonly method: string;
  readonly path: string;
  /** Names and values in turn, as they came. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** What it was answered. */
  readonly status: number;
}

export interface Receiver {
  readonly url: string;
  readonly taken: Taken[];
  /** Most requests that were under way at the same time. */
  readonly atOnce: number;
  readonly server: Server;
}

type Answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

/** A receiver with the given behavior, which ends with the test. */
export async function receiver(answer: Answer): Promise<Receiver> {
  const taken: Taken[] = [];
  let [now, most] = [0, 0];
  const server = createServer(async (request, response) => {
    most = Math.max(most, ++now);
    response.on('close', () => now--);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { method = '', url: path = '', rawHeaders } = request;
    taken.push({
      method,
      path,
      headers: rawHeaders,
      body,
      get status() {
        return response.statusCode;
      },
    });
    answer(request, response, body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    if (server.listening) await once(server.close(), 'close');
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    taken,
    get atOnce() {
      return most;
    },
    server,
  };
}

/** Moves the clock of a test that has replaced its timers, once svc waits for something. */
export async function moveClock(ms: number): Promise<void> {
  while (vi.getTimerCount() === 0) await new Promise((done) => setImmediate(done));
  vi.advanceTimersByTime(ms);
}

/** The answer to each delivery is its status alone. */
export async function statuses(...all: number[]): Promise<Receiver> {
  let next = 0;
  return receiver((_request, response) => response.writeHead(all[next++ % all.length] ?? 200).end());
}

/** One that follows the document except for its flaws. `now` is its clock, in milliseconds. */
export async function handmade(flaws: readonly Flaw[] = [], now: () => number = Date.now): Promise<Receiver> {
  return receiver((request, response, body) => {
    const isRight = isGenuine(request, body, flaws, now() / 1000);
    response.writeHead(isRight ? 204 : 401).end();
  });
}

/** Document 2 §6. */
export function isGenuine(
  { headers }: IncomingMessage,
  body: Uint8Array,
  flaws: readonly Flaw[] = [],
  nowS = Date.now() / 1000,
): boolean {
  const { 'x-service-timestamp': timestamp, 'x-service-signature': signature } = headers;
  if (signature === undefined) return flaws.includes('signature-optional');
  if (typeof timestamp !== 'string' || typeof signature !== 'string') return false;
  const age = nowS - Number(timestamp);
  const isFresh = age >= -300 && (age <= 300 || flaws.includes('no-past-limit'));
  if (!/^\d+$/.test(timestamp) || !isFresh) return false;
  const [given, expected] = [Buffer.from(signature), Buffer.from(sign(timestamp, body))];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
