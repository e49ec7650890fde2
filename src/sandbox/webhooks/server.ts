/** The recording service on loopback, emulated from its document: for trying `svc` out, and for its tests. */
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { hostile, type WebhooksTrap, withoutHostile } from '../traps.ts';
import { Account, identifier, syntheticEvent } from './account.ts';
import { type Answer, RecordingsApi, Refusal } from './api.ts';
import { seedDemo } from './demo.ts';
import { Dispatcher } from './dispatcher.ts';
import { OAuth } from './oauth.ts';
import { jsonAnswer, type WireAnswer } from './oauth-answer.ts';
import { sameText } from './oauth-clients.ts';

export interface RecordingsEmulatorOptions {
  /** Any free one by default. */
  readonly port?: number;
  /** Milliseconds since 1970; the `Date` header says the same. */
  readonly now: () => number;
  /** Uniform in [0, 1): ids and secrets are made from it. */
  readonly random: () => number;
  readonly seed?: 'demo' | 'empty';
  /** Times until dispatch and retry, and the lives of tokens, are divided by this. */
  readonly fast?: number;
  /** False refuses receivers on this machine, as the service itself does. */
  readonly loopbackReceivers?: boolean;
  readonly receiverMs?: number;
  /** Whoever signs in is approved at once, without a page. */
  readonly autoApprove?: boolean;
}

export interface RecordingsEmulator {
  readonly url: string;
  /** Good for every call. */
  readonly token: string;
  /** Switches that may be thrown at any time. */
  readonly traps: Set<WebhooksTrap>;
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
  const traps = new Set<WebhooksTrap>();
  const token = identifier('pat_sandbox_', random, 24);
  if (seed === 'demo') seedDemo(account, now(), random);
  const dispatcher = new Dispatcher(account, { now, random, fast, receiverMs });
  const api = new RecordingsApi(account, dispatcher, { now, random, traps, loopbackReceivers });
  const oauth = new OAuth({ now, fast, traps, autoApprove: options.autoApprove ?? false });
  const server = http.createServer({ keepAliveTimeout: 0 }, (request, response) => {
    response.sendDate = false;
    response.setHeader('date', new Date(now()).toUTCString());
    answer({ api, oauth, token, traps, issuer: url() }, request)
      .then((found) => send(response, found))
      .catch(() => response.destroy());
  });
  const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: url(),
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

interface Service {
  readonly api: RecordingsApi;
  readonly oauth: OAuth;
  /** Good without signing in. */
  readonly token: string;
  readonly traps: ReadonlySet<WebhooksTrap>;
  readonly issuer: string;
}

async function answer(service: Service, request: IncomingMessage): Promise<WireAnswer> {
  const { api, oauth, traps, issuer } = service;
  const { method = 'GET', headers, url = '/' } = request;
  const { pathname: path, search, searchParams } = new URL(url, 'http://sandbox');
  const signsIn = oauth.has(path);
  try {
    // A name that resolves to loopback must not let a web page in (DNS rebinding).
    if (!/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i.test(headers.host ?? '')) {
      throw new Refusal(403, 'forbidden', 'the sandbox answers to loopback addresses only');
    }
    const body = await text(request);
    if (signsIn) return oauth.handle({ issuer, method, path, query: search.slice(1), headers, body });
    if (!path.startsWith(API)) throw new Refusal(404, 'not_found', 'there is no such endpoint');
    if (!authorized(service, headers.authorization)) {
      throw new Refusal(401, 'unauthorized', 'missing or invalid bearer token');
    }
    const names = path.slice(API.length).split('/').map(segment);
    return told(api.handle({ method, path: names, query: searchParams, body }), traps);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, code, message } = error;
    if (signsIn) return jsonAnswer(status, { error: 'invalid_request', error_description: message });
    return told({ status, json: { error: { code, message } } }, traps);
  }
}

function authorized({ oauth, token }: Service, header: string | undefined): boolean {
  const given = /^Bearer (.*)$/.exec(header ?? '')?.[1] ?? '';
  return sameText(given, token) || oauth.accepts(given);
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

function told({ status, json, lost = false }: Answer, traps: ReadonlySet<WebhooksTrap>): WireAnswer {
  const body = JSON.stringify(traps.has('hostile-text') ? hostile(json, /^secret$/) : json);
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body, lost };
}

async function send(response: ServerResponse, { status, headers, body, lost, delayMs }: WireAnswer): Promise<void> {
  if (delayMs !== undefined) await setTimeout(delayMs, undefined, { ref: false });
  if (lost) {
    response.destroy();
    return;
  }
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
