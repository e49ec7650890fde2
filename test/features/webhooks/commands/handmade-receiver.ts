/** A receiver as a developer would write it, without code of svc. It is correct unless a flaw is given. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export const KEY = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

export type Flaw =
  | 'types-known-only'
  | 'duplicates-refused'
  | 'signature-optional'
  | 'timestamp-optional'
  | 'no-past-limit'
  | 'no-future-limit'
  | 'timestamp-parsed-loosely'
  | 'small-bodies-only'
  | 'redirects';

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
  /** Takes no more connections. */
  stop(): void;
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
    response.on('finish', () => taken.push({ method, path, headers: rawHeaders, body, status: response.statusCode }));
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
    stop: () => void server.close(),
  };
}

/** The answer to each delivery is its status alone. */
export async function statuses(...all: number[]): Promise<Receiver> {
  let next = 0;
  return receiver((_request, response) => response.writeHead(all[next++ % all.length] ?? 200).end());
}

/** One that keeps to the document, but for its flaws. `now` is its clock, in milliseconds. */
export async function handmade(flaws: readonly Flaw[] = [], now: () => number = Date.now): Promise<Receiver> {
  const seen = new Set<string>();
  return receiver((request, response, body) => {
    const answer = (status: number, text = ''): void => {
      if (flaws.includes('redirects')) response.writeHead(307, { location: '/other' }).end();
      else response.writeHead(status).end(text);
    };
    const status = judge(request.headers, body, flaws, now);
    if (status !== undefined) return answer(...status);
    let event: { id: string; type: string };
    try {
      event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    } catch {
      return answer(400);
    }
    const known = ['webhook.ping', 'summary.completed'].includes(event.type);
    if (flaws.includes('types-known-only') && !known) return answer(422);
    if (flaws.includes('duplicates-refused') && seen.has(event.id)) return answer(409);
    seen.add(event.id);
    answer(204);
  });
}

function judge(
  headers: IncomingMessage['headers'],
  body: Buffer,
  flaws: readonly Flaw[],
  now: () => number,
): [number] | undefined {
  const lax = (flaw: Flaw): boolean => flaws.includes(flaw);
  if (lax('small-bodies-only') && body.length > 1_048_576) return [413];
  const timestamp = headers['x-service-timestamp'];
  const signature = headers['x-service-signature'];
  if (timestamp === undefined && lax('timestamp-optional')) return undefined;
  if (signature === undefined && lax('signature-optional')) return undefined;
  if (typeof timestamp !== 'string' || typeof signature !== 'string') return [401];
  if (!lax('timestamp-parsed-loosely') && !/^\d+$/.test(timestamp)) return [401];
  const age = now() / 1000 - Number.parseInt(timestamp, 10);
  if (age > 300 && !lax('no-past-limit')) return [401];
  if (age < -300 && !lax('no-future-limit')) return [401];
  const expected = Buffer.from(
    `sha256=${createHmac('sha256', KEY).update(`${timestamp}.`).update(body).digest('hex')}`,
  );
  const given = Buffer.from(signature);
  const same = given.length === expected.length && timingSafeEqual(given, expected);
  return same ? undefined : [401];
}
