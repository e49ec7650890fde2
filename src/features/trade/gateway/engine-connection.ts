/** One Engine.IO connection to the gateway: id, polls or websocket, heartbeat and disconnect. */

import { SvcError } from '../../../errors.ts';
import type { WebSocket } from '../../../http/websocket.ts';
import type { Opening } from './engine-packet.ts';
import * as wire from './engine-packet.ts';
import { EngineRequests, type EngineTarget, tokenRefused } from './engine-requests.ts';

export interface EngineOptions extends EngineTarget {
  /** Aborted with a `SvcError` to give up connecting. */
  readonly signal: AbortSignal;
  /** The connection id becomes a secret. */
  keepSecret(value: string): void;
  /** A text of the gateway without the secrets in it. */
  hide(text: string): string;
  onPush(name: string, payload: string, at: number): void;
  /** Called once, and not after `leave`. */
  onLost(engine: EngineConnection, error: SvcError): void;
  /** Settles once the reader can take more pushes; `undefined` if it can. */
  ready(): Promise<void> | undefined;
}

/** Resolves once the connection is confirmed and its id can be used. */
export async function openEngine(options: EngineOptions): Promise<EngineConnection> {
  options.signal.throwIfAborted();
  const engine = new EngineConnection(options);
  const giveUp = (): void => engine.fail(options.signal.reason as SvcError);
  options.signal.addEventListener('abort', giveUp, { once: true });
  try {
    await engine.open();
    return engine;
  } catch (error) {
    await engine.leave();
    throw error;
  } finally {
    options.signal.removeEventListener('abort', giveUp);
  }
}

const UPGRADE_MS = 10_000;
const DISCONNECT_MS = 1_000;
const LAST_POLL_MS = 100;
/** The gateway responds to a poll with each heartbeat at the latest. */
const POLL_MARGIN_MS = 5_000;
/** How long a websocket is paused for a slow reader. */
const PAUSE_MS = 1_000;
const LEFT = new SvcError('connection_lost', 'the session is closed');

export class EngineConnection {
  readonly #options: EngineOptions;
  readonly #requests: EngineRequests;
  readonly #confirmed: Promise<void>;
  #confirm!: () => void;
  #refuse!: (error: SvcError) => void;
  #isConfirmed = false;
  #opening: wire.Opening | undefined;
  #heartbeat: Heartbeat | undefined;
  #polls: Promise<void> = Promise.resolve();
  #writing: Promise<unknown> = Promise.resolve();
  #stopsPolling = false;
  #isPaused = false;
  #isPatient = true;
  #upgrading: Promise<void> | undefined;
  #candidate: WebSocket | undefined;
  #socket: WebSocket | undefined;
  #over = false;
  #failure: SvcError | undefined;
  #left: Promise<void> | undefined;
  #answeredAt = 0;
  heardAt = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#requests = new EngineRequests(options);
    this.#confirmed = new Promise((resolve, reject) => {
      this.#confirm = resolve;
      this.#refuse = reject;
    });
    this.#confirmed.catch(() => {}); // reported by `open`
  }

  get sid(): string {
    return this.#opening?.sid ?? '';
  }

  get transport(): 'polling' | 'websocket' {
    return this.#socket === undefined ? 'polling' : 'websocket';
  }

  /** `answeredAt`: when the gateway last responded to one, or opened the connection. */
  get heartbeat() {
    if (this.#opening === undefined) return undefined;
    const { pingIntervalMs, pingTimeoutMs } = this.#opening;
    return { pingIntervalMs, pingTimeoutMs, answeredAt: this.#answeredAt };
  }

  get over(): boolean {
    return this.#over;
  }

  async open(): Promise<void> {
    const { timeoutMs, now } = this.#options.target;
    const late = setTimeout(() => {
      this.fail(
        new SvcError('timeout', `${this.#requests.host} did not confirm the connection within ${timeoutMs / 1000} s`),
      );
    }, timeoutMs);
    try {
      const [first, ...others] = await Promise.race([this.#requests.poll(timeoutMs), this.#confirmed.then(() => [])]);
      if (first?.type !== 'open') throw new wire.PacketFault('it gave no connection id');
      this.#opening = wire.readOpening(first.data);
      this.#answeredAt = now();
      this.#requests.sid = this.#opening.sid;
      this.#options.keepSecret(this.#opening.sid);
      this.#heartbeat = new Heartbeat({
        ...this.#opening,
        wall: now,
        ping: () => this.#ping(),
        isPaused: () => this.#isPaused,
        lost: (reason) =>
          this.fail(new SvcError('connection_lost', `the session with ${this.#requests.host}: ${reason}`)),
      });
      this.#receive(others);
      this.#polls = this.#polling();
      await this.#confirmed;
      this.#isConfirmed = true;
    } catch (error) {
      throw this.#requests.explained(error);
    } finally {
      clearTimeout(late);
    }
  }

  /** Switches to a websocket. Rejects if there is none, and polling continues. */
  upgrade(): Promise<void> {
    this.#upgrading ??= this.#upgrade();
    return this.#upgrading;
  }

  async #upgrade(): Promise<void> {
    if (!this.#opening?.upgrades.includes('websocket')) {
      throw new SvcError('bad_answer', `${this.#requests.host} offers no websocket`);
    }
    let probed = (_error?: SvcError): void => {};
    const probe = new Promise<void>((resolve, reject) => {
      probed = (error) => (error === undefined ? resolve() : reject(error));
    });
    probe.catch(() => {}); // it may fail before it is awaited
    const sink = {
      text: (message: string): void => {
        if (message === wire.PROBE_ANSWER) probed();
        else this.#receivePacket(wire.decodePacket(message), this.#options.target.now());
      },
      closed: (error = LEFT): void => {
        probed(error);
        if (this.#socket !== undefined) this.fail(error);
      },
      drained: () => this.#pause(),
    };
    const late = setTimeout(() => probed(new SvcError('timeout', 'no response on the websocket')), UPGRADE_MS);
    try {
      const socket = await this.#requests.openSocket(sink, UPGRADE_MS);
      this.#candidate = socket;
      socket.send(wire.PROBE);
      await probe;
      this.#stopsPolling = true;
      await this.#polls;
      await this.#writing;
      if (this.#over) throw this.#failure ?? LEFT;
      socket.send(wire.UPGRADE);
      this.#socket = socket;
    } catch (error) {
      this.#candidate?.destroy();
      if (this.#stopsPolling && !this.#over) {
        this.#stopsPolling = false;
        this.#polls = this.#polls.then(() => this.#polling());
      }
      throw this.#requests.explained(error);
    } finally {
      clearTimeout(late);
    }
  }

  /** Ends the connection with an error. */
  fail(error: SvcError): void {
    if (this.#over) return;
    this.#over = true;
    this.#failure = error;
    if (this.#isConfirmed) {
      void this.leave();
      this.#options.onLost(this, error);
    } else {
      this.#refuse(error);
      // Without an id there is nothing to disconnect.
      if (this.#opening === undefined) void this.#requests.end(error);
    }
  }

  /** Disconnects, so that the gateway drops the session at once. Bounded; never rejects. */
  leave(): Promise<void> {
    this.#left ??= this.#leave();
    return this.#left;
  }

  async #leave(): Promise<void> {
    this.#over = true;
    this.#heartbeat?.stop();
    if (this.#socket === undefined) this.#candidate?.destroy();
    try {
      if (this.#socket !== undefined) {
        this.#socket.send(wire.DISCONNECT);
        await this.#socket.close(DISCONNECT_MS);
      } else if (this.#opening !== undefined) {
        // In two requests: in one, the gateway would end the connection too early.
        if (this.#isConfirmed) await this.#requests.send(wire.DISCONNECT, DISCONNECT_MS);
        await this.#requests.send(wire.CLOSE, DISCONNECT_MS);
        await this.#lastPoll();
      }
    } catch {} // the gateway is gone already
    this.#socket?.destroy();
    await this.#requests.end(LEFT);
  }

  /** Waits for the open poll, which would otherwise look like a failure in the trace. */
  async #lastPoll(): Promise<void> {
    let late: NodeJS.Timeout | undefined;
    const longEnough = new Promise<void>((resolve) => {
      late = setTimeout(resolve, LAST_POLL_MS);
    });
    await Promise.race([this.#polls, longEnough]);
    clearTimeout(late);
  }

  async #polling(): Promise<void> {
    const { pingIntervalMs, pingTimeoutMs } = this.#opening as wire.Opening;
    try {
      while (!this.#over && !this.#stopsPolling) {
        const ready = this.#options.ready();
        if (ready !== undefined) {
          this.#isPaused = true;
          await ready;
          this.#isPaused = false;
          continue;
        }
        this.#receive(await this.#requests.poll(pingIntervalMs + pingTimeoutMs + POLL_MARGIN_MS));
      }
    } catch (error) {
      this.fail(this.#requests.explained(error));
    }
  }

  /** Pauses a websocket during a burst. A reader that stays slow then gets everything, so that the gateway is not blocked, unless it waits. */
  #pause(): Promise<void> | undefined {
    const ready = this.#options.ready();
    if (ready === undefined) this.#isPatient = true;
    if (ready === undefined || !this.#isPatient) return undefined;
    this.#isPaused = true;
    return new Promise((resolve) => {
      const goOn = (): void => {
        clearTimeout(late);
        this.#isPaused = false;
        resolve();
      };
      const late = setTimeout(() => {
        this.#isPatient = false;
        goOn();
      }, PAUSE_MS);
      void ready.then(goOn);
    });
  }

  #ping(): void {
    if (this.#socket !== undefined) {
      this.#socket.send(wire.PING);
      return;
    }
    const { pingTimeoutMs } = this.#opening as wire.Opening;
    // One after the other: the protocol does not order two requests.
    this.#writing = this.#writing
      .then(() => (this.#over ? undefined : this.#requests.send(wire.PING, pingTimeoutMs)))
      .catch((error: unknown) => this.fail(this.#requests.explained(error)));
  }

  #receive(packets: readonly wire.Packet[]): void {
    const at = this.#options.target.now();
    for (const packet of packets) this.#receivePacket(packet, at);
  }

  #receivePacket(packet: wire.Packet | undefined, at: number): void {
    if (this.#over) return;
    this.heardAt = at;
    this.#heartbeat?.heard();
    if (packet?.type === 'pong') this.#answeredAt = at;
    else if (packet?.type === 'message') this.#message(packet.data, at);
    else if (packet?.type === 'close') this.fail(this.#ended());
  }

  #message(data: string, at: number): void {
    const message = wire.readMessage(data);
    if (message?.kind === 'event') this.#options.onPush(message.name, message.payload, at);
    else if (message?.kind === 'connect') this.#confirm();
    else if (message?.kind === 'disconnect') this.fail(this.#ended());
    else if (message?.kind === 'error') this.fail(tokenRefused(this.#requests.host, this.#options.hide(message.text)));
  }

  #ended(): SvcError {
    return new SvcError('connection_lost', `${this.#requests.host} ended the session`);
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
const SHORTEST_TICK_MS = 25;
/** Clock corrections are smaller than this. */
const SLEPT_MS = 5_000;

export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #tickMs: number;
  #at = performance.now();
  #wallAt: number;
  #nextPing: number;
  /** When the unanswered ping was sent. */
  #asked: number | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#wallAt = options.wall();
    this.#nextPing = this.#at + options.pingIntervalMs;
    this.#tickMs = Math.min(LONGEST_TICK_MS, Math.max(SHORTEST_TICK_MS, options.pingIntervalMs / 4));
    this.#timer = setInterval(this.#tick, this.#tickMs);
  }

  /** Anything came from the gateway. */
  heard(): void {
    this.#asked = undefined;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  readonly #tick = (): void => {
    const { pingIntervalMs, pingTimeoutMs, wall, ping, isPaused, lost } = this.#options;
    const now = performance.now();
    const wallNow = wall();
    const passed = now - this.#at;
    const slept = wallNow - this.#wallAt - passed;
    this.#at = now;
    this.#wallAt = wallNow;
    if (slept > pingIntervalMs + pingTimeoutMs) {
      lost(`this machine slept for ${Math.round(slept / 1000)} s`);
      return;
    }
    if (isPaused()) this.#asked = this.#asked === undefined ? undefined : now;
    // After a busy phase, timers run before the responses that arrived meanwhile are read.
    else if (this.#asked !== undefined && passed < 2 * this.#tickMs && now - this.#asked > pingTimeoutMs) {
      lost(`no response to the heartbeat within ${pingTimeoutMs / 1000} s`);
      return;
    }
    if (now < this.#nextPing && slept < SLEPT_MS) return;
    this.#asked ??= now;
    this.#nextPing = now + pingIntervalMs;
    ping();
  };
}
