/**
 * One Engine.IO connection: handshake, polls, heartbeat, disconnect. Doc 3 §4 requires version 3
 * (`EIO=3`), and polling in text (`b64=1`).
 */
import { setTimeout as wait } from 'node:timers/promises';
import { SvcError } from '../../../errors.ts';
import { type FailedAnswer, serviceMessage } from '../../../http/answers.ts';
import type { EndpointShape, QueryValues } from '../../../http/endpoint.ts';
import { redactText, type Secret } from '../../../http/redact.ts';
import { type CookieJar, Sender } from '../../../http/sender.ts';
import type { Target } from '../../../http/target.ts';
import { isObject, JsonLimit, jsonText, parseJsonText, tryParseJson } from '../../../json-object.ts';
import { TOKEN_REFUSED_HINT } from './failed-answer.ts';

/** The types of packets (Engine.IO 3): a packet is a text, its type and its data. */
const PROTOCOL_VERSION = 3;

const OPEN = '0';
const CLOSE = '1';
const PING = '2';
const MESSAGE = '4';
/** socket.io's disconnect in an Engine.IO message. */
const DISCONNECT = '41';

export interface EngineOptions {
  readonly target: Target;
  readonly token: Secret;
  readonly cookies: CookieJar;
  /** Settles once the reader can take more pushes; `undefined` if it can. */
  ready(): Promise<void> | undefined;
  onPush(name: string, payload: string, at: number): void;
  /** Called at most once, for a confirmed connection, and not after `leave`. */
  onLost(engine: EngineConnection, error: SvcError): void;
}

/** Each state, and those that may follow. */
const FOLLOWING = {
  handshaking: ['confirming', 'left'],
  confirming: ['confirmed', 'left'],
  confirmed: ['left'],
  left: [],
} as const satisfies Record<State['name'], readonly State['name'][]>;

interface Identified {
  readonly opening: Opening;
  readonly heartbeat: Heartbeat;
}

type State =
  | { readonly name: 'handshaking' }
  /** The gateway has not accepted the token yet. `packets` came with the connection id. */
  | (Identified & { readonly name: 'confirming'; readonly packets: readonly string[] })
  | (Identified & { readonly name: 'confirmed' })
  | { readonly name: 'left'; readonly reason: SvcError; readonly goodbye: Promise<void> };

const DISCONNECT_MS = 1_000;
const LAST_POLL_MS = 100;
/** The gateway responds to a poll with each heartbeat at the latest. */
const POLL_MARGIN_MS = 5_000;
const LEFT = new SvcError('connection_lost', 'the session is closed');

export class EngineConnection {
  readonly #options: EngineOptions;
  readonly #requests: EngineRequests;
  #state: State = { name: 'handshaking' };
  /** End with the polling. Neither rejects. */
  #polls: Promise<void> = Promise.resolve();
  #pings: Promise<void> = Promise.resolve();
  /** When anything last came from the gateway, in milliseconds since 1970. */
  heardAt = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#requests = new EngineRequests(options);
  }

  /** Whether requests can use it. */
  get isConfirmed(): boolean {
    return this.#state.name === 'confirmed';
  }

  /** The header of requests (doc 3 §4 Part B). */
  get authorization(): string {
    return `Bearer ${this.#opening().sid}${this.#options.token.reveal()}`;
  }

  /** Gets a connection id from the gateway. It can be used once the connection is confirmed. */
  async handshake(): Promise<Opening> {
    const { target } = this.#options;
    try {
      this.#require('handshaking');
      const [first, ...packets] = await this.#requests.poll(undefined, target.timeoutMs);
      this.#require('handshaking');
      const opening = readOpening(first);
      target.secrets.addPassing(opening.sid);
      this.#change({ name: 'confirming', opening, heartbeat: this.#startHeartbeat(opening), packets });
      return opening;
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /** Waits until the gateway accepts the token. */
  async confirm(): Promise<void> {
    const { timeoutMs } = this.#options.target;
    const late = setTimeout(() => {
      const message = `${this.#requests.host} did not confirm the connection within ${timeoutMs / 1000} s`;
      this.fail(new SvcError('timeout', message));
    }, timeoutMs);
    try {
      if (this.#state.name === 'confirming') this.#receive(this.#state.packets);
      while (!this.isConfirmed) this.#receive(await this.#poll());
    } catch (error) {
      throw this.#explain(error);
    } finally {
      clearTimeout(late);
    }
    this.#polls = this.#keepPolling();
  }

  /** Ends the connection with an error. */
  fail(error: SvcError): void {
    if (this.#state.name === 'left') return;
    const wasConfirmed = this.isConfirmed;
    void this.leave(error);
    if (wasConfirmed) this.#options.onLost(this, error);
  }

  /** Disconnects, so that the gateway drops the session at once. Bounded; never rejects. */
  leave(reason = LEFT): Promise<void> {
    if (this.#state.name === 'left') return this.#state.goodbye;
    const goodbye = this.#sayGoodbye(this.#state, reason);
    this.#change({ name: 'left', reason, goodbye });
    return goodbye;
  }

  async #sayGoodbye(state: State, reason: SvcError): Promise<void> {
    if ('opening' in state) {
      state.heartbeat.stop();
      const { sid } = state.opening;
      try {
        // In two requests: in one, the gateway would end the connection too early.
        if (state.name === 'confirmed') await this.#requests.send(sid, DISCONNECT, DISCONNECT_MS);
        await this.#requests.send(sid, CLOSE, DISCONNECT_MS);
        // An aborted poll would look like a failure in the trace.
        await Promise.race([this.#polls, wait(LAST_POLL_MS, undefined, { ref: false })]);
      } catch {} // the gateway is gone already
    }
    await this.#requests.end(reason);
  }

  /** Throws if the connection was left meanwhile. */
  #change(next: State): void {
    const { name } = this.#state;
    const following: readonly State['name'][] = FOLLOWING[name];
    if (!following.includes(next.name)) {
      throw this.#explain(new SvcError('internal', `a connection that is ${name} cannot be ${next.name}`));
    }
    this.#state = next;
  }

  /** Throws if the connection is in another state. */
  #require(name: State['name']): void {
    if (this.#state.name === name) return;
    throw this.#explain(new SvcError('internal', `a connection that is ${this.#state.name} is not ${name}`));
  }

  /** Throws if the connection was left. */
  #opening(): Opening {
    if ('opening' in this.#state) return this.#state.opening;
    throw this.#explain(new SvcError('internal', 'there is no connection id yet'));
  }

  #poll(): Promise<string[]> {
    const { sid, pingIntervalMs, pingTimeoutMs } = this.#opening();
    return this.#requests.poll(sid, pingIntervalMs + pingTimeoutMs + POLL_MARGIN_MS);
  }

  async #keepPolling(): Promise<void> {
    try {
      while (this.isConfirmed) {
        const ready = this.#options.ready();
        if (ready === undefined) this.#receive(await this.#poll());
        else await ready;
      }
    } catch (error) {
      this.fail(this.#explain(error));
    }
  }

  #startHeartbeat(opening: Opening): Heartbeat {
    return new Heartbeat({
      ...opening,
      wall: this.#options.target.now,
      ping: () => this.#ping(opening),
      isPaused: () => this.#options.ready() !== undefined,
      lost: (reason) =>
        this.fail(new SvcError('connection_lost', `the session with ${this.#requests.host}: ${reason}`)),
    });
  }

  /** One after the other: the gateway refuses a packet while it receives another one. */
  #ping({ sid, pingTimeoutMs }: Opening): void {
    this.#pings = this.#pings
      .then(() => this.#requests.send(sid, PING, pingTimeoutMs))
      .catch((error: unknown) => this.fail(this.#explain(error)));
  }

  #receive(packets: readonly string[]): void {
    const at = this.#options.target.now();
    for (const packet of packets) this.#receivePacket(packet, at);
  }

  #receivePacket(packet: string, at: number): void {
    const state = this.#state;
    if (state.name === 'handshaking' || state.name === 'left') return;
    this.heardAt = at;
    state.heartbeat.hear();
    const type = packet.charAt(0);
    if (type === CLOSE) this.fail(this.#endedByGateway());
    if (type !== MESSAGE) return;
    const message = readMessage(packet.slice(1));
    if (message?.kind === 'event') this.#options.onPush(message.name, message.payload, at);
    else if (message?.kind === 'connect' && state.name === 'confirming') this.#change({ ...state, name: 'confirmed' });
    else if (message?.kind === 'disconnect') this.fail(this.#endedByGateway());
    else if (message?.kind === 'error') this.fail(this.#tokenRefused(message.text));
  }

  #endedByGateway(): SvcError {
    return new SvcError('connection_lost', `${this.#requests.host} ended the session`);
  }

  #tokenRefused(text: string): SvcError {
    const shown = redactText(this.#options.target.secrets.hide(text));
    const message = `${this.#requests.host} refused the token${shown === '' ? '' : `: ${shown}`}`;
    return new SvcError('unauthorized', message, { hint: TOKEN_REFUSED_HINT });
  }

  /** What a failure means to the user. Once the connection is left, everything fails. */
  #explain(error: unknown): SvcError {
    if (this.#state.name === 'left') return this.#state.reason;
    if (error instanceof SvcError) return error;
    if (!(error instanceof PacketFault)) return new SvcError('internal', 'the session failed', { cause: error });
    const message = `${this.#requests.host} does not respond like a trading gateway: ${error.message}`;
    return new SvcError('bad_answer', message);
  }
}

export interface HeartbeatOptions extends Pick<Opening, 'pingIntervalMs' | 'pingTimeoutMs'> {
  /** The wall clock, which also counts while the machine sleeps. */
  wall(): number;
  ping(): void;
  /** Responses are not read now, because the reader is slow. */
  isPaused(): boolean;
  lost(reason: string): void;
}

const LONGEST_TICK_MS = 1_000;

/** Pings at each interval, and reports a connection on which nothing comes after a ping. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #tickMs: number;
  #tickedAt = performance.now();
  #pingedAt = performance.now();
  #pingedWallAt: number;
  /** When the unanswered ping was sent. */
  #waitsSince: number | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#pingedWallAt = options.wall();
    this.#tickMs = Math.min(LONGEST_TICK_MS, options.pingIntervalMs / 4);
    this.#timer = setInterval(this.#tick, this.#tickMs);
  }

  /** Anything came from the gateway. */
  hear(): void {
    this.#waitsSince = undefined;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  readonly #tick = (): void => {
    const { pingIntervalMs, pingTimeoutMs, wall, ping, isPaused, lost } = this.#options;
    const now = performance.now();
    // After a busy phase, timers run before the responses that arrived meanwhile are read.
    const wasBusy = now - this.#tickedAt >= 2 * this.#tickMs;
    this.#tickedAt = now;
    if (isPaused() && this.#waitsSince !== undefined) this.#waitsSince = now;
    if (!wasBusy && now - (this.#waitsSince ?? now) > pingTimeoutMs) {
      lost(`no response to the heartbeat within ${pingTimeoutMs / 1000} s`);
      return;
    }
    // Only the wall clock counts while the machine sleeps, and it may be set back.
    if (Math.max(now - this.#pingedAt, wall() - this.#pingedWallAt) < pingIntervalMs) return;
    this.#pingedAt = now;
    this.#pingedWallAt = wall();
    this.#waitsSince ??= now;
    ping();
  };
}

/** The content type of every request, even without a body. */
export const FORM = 'application/x-www-form-urlencoded';

const poll: EndpointShape = { method: 'GET', path: '/socket.io/', effect: 'read', retry: false };
/** Packets of the connection itself. The gateway answers `ok` and calls it HTML. */
const post: EndpointShape = {
  method: 'POST',
  path: '/socket.io/',
  effect: 'read',
  encoding: 'text',
  retry: false,
  mislabeled: true,
};

/** A poll brings many messages. A larger one would need more memory than a stream may have. */
const LARGEST_PAYLOAD = 16 * 1024 * 1024;

/** The requests of a connection, as doc 3 §4 shows them. */
class EngineRequests {
  readonly host: string;
  readonly #options: EngineOptions;
  readonly #sender: Sender;
  readonly #life = new AbortController();
  #count = 0;

  constructor(options: EngineOptions) {
    const { dryRun: _dryRun, authorizer: _authorizer, ...rest } = options.target;
    this.host = rest.baseUrl.host;
    this.#options = options;
    this.#sender = new Sender(
      // The session's other requests warn.
      { ...rest, signal: this.#life.signal, log: { ...rest.log, warn: () => {} } },
      {
        basePath: '',
        contentType: FORM,
        cookies: options.cookies,
        hidesQuery: true,
        maxAnswerBytes: LARGEST_PAYLOAD,
        explain: (answer) => explainEngine(answer, this.host),
      },
    );
  }

  /** Without `sid` a new connection is opened. */
  async poll(sid: string | undefined, timeoutMs: number): Promise<string[]> {
    const values = { query: this.#query(sid), timeoutMs };
    const { start } = await this.#sender.request(poll, values, 'all');
    return decodePayload(start.toString());
  }

  async send(sid: string, packet: string, timeoutMs: number): Promise<void> {
    const values = { query: this.#query(sid), body: `${packet.length}:${packet}`, timeoutMs };
    const { start } = await this.#sender.request(post, values, 'all');
    if (start.toString() !== 'ok') throw new PacketFault('it did not accept a packet');
  }

  /** Aborts the requests under way and closes all connections. */
  async end(reason: SvcError): Promise<void> {
    this.#life.abort(reason);
    await this.#sender.close();
  }

  #query(sid: string | undefined): QueryValues {
    const { target, token } = this.#options;
    // Different each time, so that no cache answers.
    const t = `${target.now().toString(36)}.${this.#count++}`;
    return { access_token: token.reveal(), EIO: PROTOCOL_VERSION, transport: 'polling', t, b64: 1, sid };
  }
}

/** As seen on the public implementation. */
const UNKNOWN_CONNECTION_ID = 1;

/** Explains a status of 400 and above. */
function explainEngine(answer: FailedAnswer, host: string): SvcError | undefined {
  const { status } = answer;
  const details = { httpStatus: status };
  if (status === 401 || status === 403) {
    const message = `${host} refused the token with status ${status}`;
    return new SvcError('unauthorized', message, { hint: TOKEN_REFUSED_HINT, ...details });
  }
  if (status === 404 || status === 405) {
    const message = `${host} has no /socket.io/: the address responds, but not as a trading gateway`;
    return new SvcError('wrong_path', message, { hint: 'check the address and the path in it', ...details });
  }
  if (status !== 400) return undefined;
  const value = tryParseJson(answer.text);
  if (isObject(value) && value['code'] === UNKNOWN_CONNECTION_ID) {
    return new SvcError('connection_lost', `${host} no longer knows the connection id`, details);
  }
  const text = serviceMessage(answer);
  return new SvcError('bad_answer', `${host} refused the connection${text === '' ? '' : `: ${text}`}`, details);
}

/** The data does not follow this protocol. */
export class PacketFault extends Error {}

/** Per polling body: packets of a few bytes would fill the memory. */
const MOST_PACKETS = 200_000;

/** The packets of one polling body, each after its length in UTF-16 units. Throws `PacketFault`. */
export function decodePayload(body: string): string[] {
  // The later version separates packets with a character, and so begins with the packet itself.
  if (/^0\{/.test(body)) throw new PacketFault(`it speaks Engine.IO 4, svc speaks Engine.IO ${PROTOCOL_VERSION}`);
  const packets: string[] = [];
  for (let at = 0; at < body.length; ) {
    const colon = body.indexOf(':', at);
    const digits = colon < 0 ? '' : body.slice(at, colon);
    const length = /^\d{1,9}$/.test(digits) ? Number(digits) : 0;
    at = colon + 1 + length;
    if (length === 0 || at > body.length) throw new PacketFault('it does not follow the Engine.IO protocol');
    packets.push(body.slice(colon + 1, at));
    if (packets.length > MOST_PACKETS) throw new PacketFault(`it sent more than ${MOST_PACKETS} packets at once`);
  }
  return packets;
}

export interface Opening {
  readonly sid: string;
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
}

/** Replaces missing and absurd values. */
const PING_INTERVAL_MS = { least: 100, most: 300_000, otherwise: 25_000 };
/** A slow response is no lost connection, whatever the gateway says. */
const PING_TIMEOUT_MS = { least: 1_000, most: 300_000, otherwise: 5_000 };

/** The first packet of a connection. Throws `PacketFault`. */
export function readOpening(packet = ''): Opening {
  const data = packet.startsWith(OPEN) ? tryParseJson(packet.slice(1)) : undefined;
  const { sid, pingInterval, pingTimeout } = isObject(data) ? data : {};
  // It becomes part of a header and of addresses.
  if (typeof sid !== 'string' || !/^[\w.~-]{1,128}$/.test(sid)) throw new PacketFault('it gave no connection id');
  return {
    sid,
    pingIntervalMs: within(pingInterval, PING_INTERVAL_MS),
    pingTimeoutMs: within(pingTimeout, PING_TIMEOUT_MS),
  };
}

function within(value: unknown, { least, most, otherwise }: typeof PING_INTERVAL_MS): number {
  return typeof value === 'number' && value > 0 ? Math.min(most, Math.max(least, value)) : otherwise;
}

export type Message =
  | { readonly kind: 'connect' }
  | { readonly kind: 'disconnect' }
  | { readonly kind: 'event'; readonly name: string; readonly payload: string }
  /** The gateway's message, unchanged. */
  | { readonly kind: 'error'; readonly text: string };

/** The data of an Engine.IO message. `undefined` for another namespace or another type. */
export function readMessage(data: string): Message | undefined {
  const type = data.charAt(0);
  if (type === '2') return readEvent(data);
  if (data.charAt(1) === '/') return undefined;
  if (type === '0') return { kind: 'connect' };
  if (type === '1') return { kind: 'disconnect' };
  if (type !== '4') return undefined;
  return { kind: 'error', text: unquoted(data.slice(1)) };
}

/** An event, with or without an acknowledgement number before it. */
function readEvent(data: string): Message | undefined {
  const start = data.indexOf('[');
  if (start < 0 || (start > 1 && !/^\d+$/.test(data.slice(1, start)))) return undefined;
  let parts: unknown;
  try {
    parts = parseJsonText(start === 0 ? data : data.slice(start));
  } catch (error) {
    if (error instanceof JsonLimit)
      throw new SvcError('bad_answer', `the gateway sent an event that is ${error.message}`);
    return undefined;
  }
  const [name, payload] = parts as unknown[];
  if (typeof name !== 'string') return undefined;
  // Doc 3 §6 says a JSON record; it is sent as a string that contains one, or as itself.
  return { kind: 'event', name, payload: typeof payload === 'string' ? payload : (JSON.stringify(payload) ?? '') };
}

function unquoted(text: string): string {
  const value = tryParseJson(text);
  if (typeof value === 'string') return value;
  return isObject(value) && 'message' in value ? jsonText(value['message']) : text;
}
