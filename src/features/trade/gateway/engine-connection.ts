/** One Engine.IO connection to the gateway: handshake, polls or websocket, heartbeat, disconnect. */
import { setTimeout as wait } from 'node:timers/promises';
import { SvcError } from '../../../errors.ts';
import { type FailedAnswer, serviceMessage } from '../../../http/answers.ts';
import { endpoint, type QueryValues } from '../../../http/endpoint.ts';
import { redactText, type Secret } from '../../../http/redact.ts';
import { Sender } from '../../../http/sender.ts';
import type { Target } from '../../../http/target.ts';
import { openWebSocket, type WebSocket, type WebSocketSink } from '../../../http/websocket.ts';
import { isObject, tryParseJson } from '../../../json-object.ts';
import type { CookieJar } from './cookie-jar.ts';
import * as wire from './engine-packet.ts';
import { TOKEN_REFUSED_HINT } from './failed-answer.ts';

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
  confirming: ['polling', 'left'],
  polling: ['probing', 'left'],
  probing: ['probing', 'polling', 'switching', 'left'],
  switching: ['websocket', 'left'],
  websocket: ['left'],
  left: [],
} as const satisfies Record<State['name'], readonly State['name'][]>;

interface Identified {
  readonly opening: wire.Opening;
  readonly heartbeat: Heartbeat;
}

type State =
  | { readonly name: 'handshaking' }
  /** The gateway has not accepted the token yet. `packets` came with the connection id. */
  | (Identified & { readonly name: 'confirming'; readonly packets: readonly string[] })
  | (Identified & { readonly name: 'polling' })
  /** A websocket is tried while polling continues. */
  | (Identified & { readonly name: 'probing'; readonly socket?: WebSocket })
  /** The websocket works, and the last poll ends. */
  | (Identified & { readonly name: 'switching'; readonly socket: WebSocket })
  | (Identified & { readonly name: 'websocket'; readonly socket: WebSocket })
  | { readonly name: 'left'; readonly reason: SvcError; readonly goodbye: Promise<void> };

type StateOf<Name extends State['name']> = Extract<State, { readonly name: Name }>;

const UPGRADE_MS = 10_000;
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
    const { name } = this.#state;
    return name !== 'handshaking' && name !== 'confirming' && name !== 'left';
  }

  get transport(): 'polling' | 'websocket' {
    return this.#state.name === 'websocket' ? 'websocket' : 'polling';
  }

  /** The header of requests (doc 3 §4 Part B). */
  get authorization(): string {
    return `Bearer ${this.#opening().sid}${this.#options.token.reveal()}`;
  }

  /** Gets a connection id from the gateway. It can be used once the connection is confirmed. */
  async handshake(): Promise<wire.Opening> {
    const { target } = this.#options;
    try {
      this.#requireState('handshaking');
      const [first, ...packets] = await this.#requests.poll(undefined, target.timeoutMs);
      this.#requireState('handshaking');
      const opening = wire.readOpening(first);
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

  /** Switches to a websocket. Rejects if there is none, and polling continues. */
  async upgrade(): Promise<void> {
    const polling = this.#requireState('polling');
    const socket = await this.#probe(polling);
    // The gateway has seen the probe, and ends the poll that is open.
    this.#change({ ...polling, name: 'switching', socket });
    await this.#polls;
    await this.#pings;
    this.#change({ ...polling, name: 'websocket', socket });
    socket.send(wire.UPGRADE);
  }

  /** Ends the connection with an error. */
  fail(error: SvcError): void {
    if (this.#state.name === 'left') return;
    const wasConfirmed = this.isConfirmed;
    void this.#leave(error);
    if (wasConfirmed) this.#options.onLost(this, error);
  }

  /** Disconnects, so that the gateway drops the session at once. Bounded; never rejects. */
  leave(): Promise<void> {
    return this.#state.name === 'left' ? this.#state.goodbye : this.#leave(LEFT);
  }

  #leave(reason: SvcError): Promise<void> {
    const goodbye = this.#sayGoodbye(this.#state, reason);
    this.#change({ name: 'left', reason, goodbye });
    return goodbye;
  }

  async #sayGoodbye(state: State, reason: SvcError): Promise<void> {
    if ('heartbeat' in state) state.heartbeat.stop();
    const socket = 'socket' in state ? state.socket : undefined;
    try {
      if (state.name === 'websocket') {
        state.socket.send(wire.DISCONNECT);
        await state.socket.close(DISCONNECT_MS);
      } else if ('opening' in state) {
        socket?.destroy();
        const { sid } = state.opening;
        // In two requests: in one, the gateway would end the connection too early.
        if (state.name !== 'confirming') await this.#requests.send(sid, wire.DISCONNECT, DISCONNECT_MS);
        await this.#requests.send(sid, wire.CLOSE, DISCONNECT_MS);
        // An aborted poll would look like a failure in the trace.
        await Promise.race([this.#polls, wait(LAST_POLL_MS, undefined, { ref: false })]);
      }
    } catch {} // the gateway is gone already
    socket?.destroy();
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
  #requireState<Name extends State['name']>(name: Name): StateOf<Name> {
    if (this.#state.name === name) return this.#state as StateOf<Name>;
    throw this.#explain(new SvcError('internal', `a connection that is ${this.#state.name} is not ${name}`));
  }

  /** Throws if the connection was left. */
  #opening(): wire.Opening {
    if ('opening' in this.#state) return this.#state.opening;
    throw this.#explain(new SvcError('internal', 'there is no connection id yet'));
  }

  #poll(): Promise<string[]> {
    const { sid, pingIntervalMs, pingTimeoutMs } = this.#opening();
    return this.#requests.poll(sid, pingIntervalMs + pingTimeoutMs + POLL_MARGIN_MS);
  }

  async #keepPolling(): Promise<void> {
    try {
      while (isPolling(this.#state)) {
        const ready = this.#options.ready();
        if (ready === undefined) this.#receive(await this.#poll());
        else await ready;
      }
    } catch (error) {
      this.fail(this.#explain(error));
    }
  }

  /** Opens a websocket, and waits for a packet on it. */
  async #probe(polling: StateOf<'polling'>): Promise<WebSocket> {
    const { sid, offersWebsocket } = polling.opening;
    if (!offersWebsocket) throw new SvcError('bad_answer', `${this.#requests.host} offers no websocket`);
    this.#change({ ...polling, name: 'probing' });
    let end = (_error?: SvcError): void => {};
    const answer = new Promise<void>((resolve, reject) => {
      end = (error) => (error === undefined ? resolve() : reject(error));
    });
    answer.catch(() => {}); // it may fail before it is awaited
    const late = setTimeout(() => end(new SvcError('timeout', 'no response on the websocket')), UPGRADE_MS);
    const sink: WebSocketSink = {
      text: (message) => {
        if (message === wire.PROBE_ANSWER) end();
        else this.#receive([message]);
      },
      closed: (error = LEFT) => {
        end(error);
        const { name } = this.#state;
        if (name === 'switching' || name === 'websocket') this.fail(error);
      },
      drained: () => this.#options.ready(),
    };
    let socket: WebSocket | undefined;
    try {
      socket = await this.#requests.openSocket(sid, sink, UPGRADE_MS);
      this.#change({ ...polling, name: 'probing', socket });
      socket.send(wire.PROBE);
      await answer;
      return socket;
    } catch (error) {
      socket?.destroy();
      if (this.#state.name === 'probing') this.#change(polling);
      throw this.#explain(error);
    } finally {
      clearTimeout(late);
    }
  }

  #startHeartbeat(opening: wire.Opening): Heartbeat {
    return new Heartbeat({
      ...opening,
      wall: this.#options.target.now,
      ping: () => this.#ping(opening),
      isPaused: () => this.#options.ready() !== undefined,
      lost: (reason) =>
        this.fail(new SvcError('connection_lost', `the session with ${this.#requests.host}: ${reason}`)),
    });
  }

  #ping({ sid, pingTimeoutMs }: wire.Opening): void {
    const state = this.#state;
    if (state.name === 'websocket') {
      state.socket.send(wire.PING);
      return;
    }
    // One after the other: the gateway refuses a packet while it receives another one.
    this.#pings = this.#pings
      .then(() => this.#requests.send(sid, wire.PING, pingTimeoutMs))
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
    if (type === wire.CLOSE) this.fail(this.#endedByGateway());
    if (type !== wire.MESSAGE) return;
    const message = wire.readMessage(packet.slice(1));
    if (message?.kind === 'event') this.#options.onPush(message.name, message.payload, at);
    else if (message?.kind === 'connect' && state.name === 'confirming') this.#change({ ...state, name: 'polling' });
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
    if (!(error instanceof wire.PacketFault)) return new SvcError('internal', 'the session failed', { cause: error });
    const message = `${this.#requests.host} does not respond like a trading gateway: ${error.message}`;
    return new SvcError('bad_answer', message);
  }
}

function isPolling({ name }: State): boolean {
  return name === 'polling' || name === 'probing';
}

export interface HeartbeatOptions extends Pick<wire.Opening, 'pingIntervalMs' | 'pingTimeoutMs'> {
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

const poll = endpoint({ method: 'GET', path: '/socket.io/', effect: 'read', retry: false });
/** Packets of the connection itself. The gateway answers `ok` and calls it HTML. */
const post = endpoint({
  method: 'POST',
  path: '/socket.io/',
  effect: 'read',
  encoding: 'text',
  retry: false,
  mislabeled: true,
});

/** A poll brings many messages. A larger one would need more memory than a stream may have. */
const LARGEST_PAYLOAD = 16 * 1024 * 1024;
const LARGEST_MESSAGE = 4 * 1024 * 1024;

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
    const values = { query: this.#query('polling', sid), timeoutMs };
    const { start } = await this.#sender.request(poll, values, 'all');
    return wire.decodePayload(start.toString());
  }

  async send(sid: string, packet: string, timeoutMs: number): Promise<void> {
    const values = { query: this.#query('polling', sid), body: wire.encodePayload([packet]), timeoutMs };
    const { start } = await this.#sender.request(post, values, 'all');
    if (start.toString() !== 'ok') throw new wire.PacketFault('it did not accept a packet');
  }

  openSocket(sid: string, sink: WebSocketSink, timeoutMs: number): Promise<WebSocket> {
    const values = { query: this.#query('websocket', sid), timeoutMs };
    return openWebSocket(this.#sender, poll, values, sink, LARGEST_MESSAGE);
  }

  /** Aborts the requests under way and closes all connections. */
  async end(reason: SvcError): Promise<void> {
    this.#life.abort(reason);
    await this.#sender.close();
  }

  #query(transport: 'polling' | 'websocket', sid: string | undefined): QueryValues {
    const { target, token } = this.#options;
    const shared = { access_token: token.reveal(), EIO: wire.PROTOCOL_VERSION, transport };
    if (transport === 'websocket') return { ...shared, sid };
    // Different each time, so that no cache answers.
    return { ...shared, t: `${target.now().toString(36)}.${this.#count++}`, b64: 1, sid };
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
