/** The recording service on loopback, emulated from its document: for trying `svc` out, and for its tests. */
import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Account } from './account.ts';
import { type Answer, RecordingsApi, Refusal } from './api.ts';
import { seedDemo } from './demo.ts';
import { Dispatcher } from './dispatcher.ts';
import { identifier } from './identifiers.ts';
import { syntheticEvent } from './synthetic-event.ts';
import { hostile, type Trap, withoutHostile } from './traps.ts';

export interface RecordingsEmulatorOptions {
  /** Any free one by default. */
  readonly port?: number;
  /** Milliseconds since 1970; the `Date` header says the same. */
  readonly now: () => number;
  /** Uniform in [0, 1): ids and secrets are made from it. */
  readonly random: () => number;
  readonly seed?: 'demo' | 'empty';
  /** Times until dispatch and retry are divided by this. */
  readonly fast?: number;
  /** False refuses receivers on this machine, as the service itself does. */
  readonly loopbackReceivers?: boolean;
  readonly receiverMs?: number;
}

export interface RecordingsEmulator {
  readonly url: string;
  /** Good for every call. */
  readonly token: string;
  /** Switches that may be thrown at any time. */
  readonly traps: Set<Trap>;
  /** What it knows, to be looked at and changed behind the clients' backs. */
  readonly account: Account;
  /** An event of a recording happens; its id is returned. */
  emit(type?: string): string;
  close(): Promise<void>;
}

const API = '/v1/';
const LONGEST_BODY = 1 << 20;

export async function startRecordingsEmulator(options: RecordingsEmulatorOptions): Promise<RecordingsEmulator> {
  const { port = 0, now, random, seed = 'empty', fast = 1, loopbackReceivers = true, receiverMs } = options;
  const account = new Account();
  const traps = new Set<Trap>();
  const token = identifier('pat_sandbox_', random, 24);
  if (seed === 'demo') seedDemo(account, now(), random);
  const dispatcher = new Dispatcher(account, { now, random, fast, receiverMs });
  const api = new RecordingsApi(account, dispatcher, { now, random, traps, loopbackReceivers });
  const server = http.createServer({ keepAliveTimeout: 0 }, (request, response) => {
    response.sendDate = false;
    response.setHeader('date', new Date(now()).toUTCString());
    answer(api, request, token)
      .then((found) => send(response, found, traps))
      .catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    traps,
    account,
    emit(type = 'summary.completed') {
      const event = syntheticEvent(identifier('evt_', random), type, now());
      account.events.unshift(event);
      dispatcher.emit(event);
      return event.id;
    },
    close: async () => {
      dispatcher.close();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(api: RecordingsApi, request: IncomingMessage, token: string): Promise<Answer> {
  try {
    const { method = 'GET', headers } = request;
    // A name that resolves to loopback must not let a web page in (DNS rebinding).
    if (!/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i.test(headers.host ?? '')) {
      throw new Refusal(403, 'forbidden', 'the sandbox answers to loopback addresses only');
    }
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sandbox');
    const body = await text(request);
    if (!pathname.startsWith(API)) throw new Refusal(404, 'not_found', 'there is no such endpoint');
    if (!authorized(headers.authorization, token)) {
      throw new Refusal(401, 'unauthorized', 'missing or invalid bearer token');
    }
    const path = pathname.slice(API.length).split('/').map(segment);
    return api.handle({ method, path, query: searchParams, body });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: error.status, json: { error: { code: error.code, message: error.message } } };
  }
}

function authorized(header: string | undefined, token: string): boolean {
  const given = Buffer.from(/^Bearer (.*)$/.exec(header ?? '')?.[1] ?? '');
  const known = Buffer.from(token);
  return given.length === known.length && timingSafeEqual(given, known);
}

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > LONGEST_BODY) throw new Refusal(400, 'bad_request', 'the body is too large');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function segment(encoded: string): string {
  try {
    return withoutHostile(decodeURIComponent(encoded));
  } catch {
    throw new Refusal(400, 'bad_request', 'the path is not encoded well');
  }
}

function send(response: ServerResponse, { status, json, lost }: Answer, traps: ReadonlySet<Trap>): void {
  if (lost) {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(traps.has('hostile-text') ? hostile(json) : json));
}
