/**
 * A session with the gateway, which stays connected, and carries requests and pushes.
 *
 *     idle --> opening --> open     opening, open --> lost --> opening (again)
 *
 *     opening, open, lost --> failed
 *     idle, opening, open, lost, failed --> closing --> closed
 */
import { EventEmitter, once } from 'node:events';
import { AsyncQueue } from '../../../async-queue.ts';
import { SvcError } from '../../../errors.ts';
import { Client, type WholeAnswer } from '../../../http/client.ts';
import {
  type CallValues,
  type Effect,
  type Endpoint,
  type EndpointShape,
  Plan,
  type Proof,
} from '../../../http/endpoint.ts';
import { redactText, type Secret } from '../../../http/redact.ts';
import { CookieJar } from '../../../http/sender.ts';
import type { Target } from '../../../http/target.ts';
import { EngineConnection, FORM } from './engine-connection.ts';
import { explainTrading } from './failed-answer.ts';
import { Backoff, MOST_REFUSALS, mayRecover, type Outage, OutageReporter, refusedOften } from './reconnecting.ts';
import { formsInData, hideInAnswer, hideInBytes, hideInText } from './session-secrets.ts';

export type SessionEvent =
  | {
      readonly kind: 'push';
      /** A model's name, or a symbol for its price. */
      readonly name: string;
      /** JSON text as the gateway sent it, not parsed. */
      readonly payload: string;
      /** Milliseconds since 1970. */
      readonly at: number;
    }
  | Outage
  /** The first connection is made. */
  | { readonly kind: 'connected' }
  /** A new connection: pushes between the times are missing. Subscriptions are restored next. */
  | { readonly kind: 'gap'; readonly from: number; readonly to: number; readonly reason: string }
  /** The last event: the connection is lost for good. */
  | { readonly kind: 'closed'; readonly reason: string; readonly error: SvcError };

export interface SessionOptions {
  /** The API token, read at each connect. */
  readonly token: () => Secret | Promise<Secret>;
  /** Reconnects after a loss. Otherwise the loss is the last event. */
  readonly reconnect?: boolean;
  /** Keeps trying if the first connection fails. */
  readonly awaitGateway?: boolean;
  /** One line each, without secrets. */
  readonly onNotice: (text: string) => void;
  /** Waits until the pace allows one more connect. */
  readonly pace?: ((signal: AbortSignal) => Promise<void>) | undefined;
}

/** Each state, and those that may follow. `opening` includes redials. Another change is a bug. */
export const FOLLOWING = {
  idle: ['opening', 'closing'],
  opening: ['opening', 'open', 'lost', 'failed', 'closing'],
  open: ['lost', 'failed', 'closing'],
  lost: ['opening', 'failed', 'closing'],
  failed: ['closing'],
  closing: ['closed'],
  closed: [],
} as const satisfies Record<State['name'], readonly State['name'][]>;

export type StateName = keyof typeof FOLLOWING;

type State =
  | { readonly name: 'idle' }
  /** The engine connects, and then the subscriptions are restored. */
  | { readonly name: 'opening'; readonly missing: Missing | undefined; readonly engine?: EngineConnection }
  /** `since` is by the monotonic clock. */
  | { readonly name: 'open'; readonly engine: EngineConnection; readonly since: number }
  /** The next attempt follows. The engine is the one that was lost. */
  | {
      readonly name: 'lost';
      readonly error: SvcError;
      readonly missing: Missing | undefined;
      readonly engine: EngineConnection | undefined;
    }
  /** Requests under way still finish. */
  | { readonly name: 'failed'; readonly reason: SvcError; readonly engine: EngineConnection | undefined }
  | { readonly name: 'closing'; readonly reason: unknown }
  | { readonly name: 'closed'; readonly reason: unknown };

/** Pushes are missing from this time on. Undefined before the first connection. */
interface Missing {
  readonly since: number;
  readonly reason: string;
}

/** Throws for a change that the table does not have. */
export function checkChange(from: StateName, to: StateName): void {
  const following: readonly StateName[] = FOLLOWING[from];
  if (!following.includes(to)) throw new SvcError('internal', `a session that is ${from} cannot be ${to}`);
}

type Restore = (session: Pick<Session, 'call' | 'hide'>) => Promise<void>;

/** Above this many unread pushes, the gateway has to wait. */
const HIGH_WATER = 8 * 1024 * 1024;
/** The size of an event besides its text. */
const EVENT_BYTES = 128;
const CLOSED = new SvcError('connection_lost', 'the session is closed');

export class Session {
  readonly #target: Target;
  readonly #options: SessionOptions;
  readonly #client: Client;
  readonly #cookies = new CookieJar();
  readonly #queue = new AsyncQueue<SessionEvent>(sizeOf, HIGH_WATER);
  readonly #restores: Restore[] = [];
  readonly #life = new AbortController();
  readonly #backoff = new Backoff();
  readonly #outages = new OutageReporter((event) => this.#queue.push(event));
  readonly #changes = new EventEmitter().setMaxListeners(0);
  #state: State = { name: 'idle' };
  /** Ends before the session does. Never rejects. */
  #connecting: Promise<void> = Promise.resolve();
  /** Of the latest connection, in the forms in which responses and pushes may contain them. */
  #secrets: readonly string[] = [];
  /** When the latest push came, or the connection was made. Milliseconds since 1970. */
  pushedAt: number | undefined;

  /** Throws `credential_unusable` if the token must not go to the address. Does not connect yet. */
  constructor(target: Target, options: SessionOptions) {
    this.#target = target;
    this.#options = options;
    const header = async () => ({ authorization: this.#requireEngine().authorization });
    this.#client = new Client(
      { ...target, authorizer: { origin: target.baseUrl.origin, header } },
      { basePath: '', contentType: FORM, cookies: this.#cookies, inSession: true, explain: explainTrading },
    );
    target.signal.addEventListener('abort', this.#interrupt, { once: true });
    if (target.signal.aborted) this.#interrupt();
  }

  get state(): StateName {
    return this.#state.name;
  }

  get isConnected(): boolean {
    return this.#engine !== undefined;
  }

  /** The connection, if requests can use it. */
  get #engine(): EngineConnection | undefined {
    const engine = 'engine' in this.#state ? this.#state.engine : undefined;
    return engine?.isConfirmed ? engine : undefined;
  }

  #requireEngine(): EngineConnection {
    if (this.#engine !== undefined) return this.#engine;
    if ('reason' in this.#state) throw this.#state.reason;
    throw new SvcError('connection_lost', 'the connection was lost', { sent: 'no' });
  }

  /** Why the gateway cannot be reached, also after `close`; undefined if it can. */
  get outage(): SvcError | undefined {
    return this.#outages.error;
  }

  /** Reports that pushes have stopped although the connection lives, once until they come again. */
  reportSilence(reason: string): void {
    if (this.#engine !== undefined && this.#outages.silent(this.#target.now(), reason)) this.#options.onNotice(reason);
  }

  /** The gateway's clock minus ours, by the latest response with a date. */
  get clockSkewMs(): number | undefined {
    return this.#client.clockSkewMs;
  }

  /** Connects unless connected. Rejects with `unauthorized` for a refused token. */
  async connect(): Promise<void> {
    this.#beginConnecting();
    while (this.#state.name !== 'open') {
      if ('reason' in this.#state) throw this.#state.reason;
      await once(this.#changes, 'change');
    }
  }

  /** Sends a read. Connects before the first request; does not wait for a lost connection. */
  async call<T>(endpoint: Endpoint<T, 'read'>, values?: CallValues): Promise<T> {
    await this.#ready(endpoint);
    return this.#withoutSecrets(await this.#client.call(endpoint, values));
  }

  /** Sends a write at most once, and not while it reconnects. A dry run does not connect. */
  async send<T, E extends Exclude<Effect, 'read'>>(
    endpoint: Endpoint<T, E>,
    values: CallValues,
    ...proof: Proof<E>
  ): Promise<T | Plan> {
    await this.#ready(endpoint);
    const answer = await this.#client.send(endpoint, values, ...proof);
    return answer instanceof Plan ? answer : this.#withoutSecrets(answer);
  }

  /** Sends any request and returns the raw response. */
  async answer(...request: Parameters<Client['answer']>): Promise<WholeAnswer | Plan> {
    await this.#ready(request[0]);
    const answer = await this.#client.answer(...request);
    if (answer instanceof Plan) return answer;
    return { ...answer, bytes: hideInBytes(answer.bytes, this.#secrets) };
  }

  plan(endpoint: EndpointShape, values?: CallValues): Plan {
    return this.#client.plan(endpoint, values);
  }

  async #ready({ effect }: EndpointShape): Promise<void> {
    const isPlanned = this.#target.dryRun === true && effect !== 'read';
    if (isPlanned || this.#engine !== undefined) return;
    this.#beginConnecting();
    try {
      await this.#waitForFirst();
    } catch (error) {
      // Whatever a response said that ended the connection, nothing of this request was sent.
      throw effect !== 'read' && error instanceof SvcError ? unsent(error) : error;
    }
  }

  /** A request does not wait for a connection that was lost. */
  async #waitForFirst(): Promise<void> {
    for (;;) {
      const state = this.#state;
      if ('reason' in state) throw state.reason;
      if (state.name === 'open') return;
      if (state.name !== 'opening' || state.missing !== undefined) {
        throw new SvcError('connection_lost', 'the session is reconnecting', { sent: 'no' });
      }
      await once(this.#changes, 'change');
    }
  }

  #beginConnecting(): void {
    if (this.#state.name !== 'idle') return;
    this.#change({ name: 'opening', missing: undefined });
    this.#connecting = this.#stayConnected();
  }

  #change(next: State): void {
    checkChange(this.#state.name, next.name);
    this.#state = next;
    this.#changes.emit('change');
  }

  /** All pushes since the connect, to be read once. The gateway waits for slow readers. */
  events(): AsyncIterable<SessionEvent> {
    return this.#queue;
  }

  /** Resolves once the present connection is lost. */
  async untilLost(): Promise<void> {
    const engine = this.#engine;
    while (engine !== undefined && this.#engine === engine) await once(this.#changes, 'change');
  }

  /** Runs `restore` after each reconnect, to subscribe again. */
  onReconnect(restore: Restore): void {
    this.#restores.push(restore);
  }

  /** Removes the token and the connection id from a text. */
  hide(text: string): string {
    return redactText(this.#target.secrets.hide(text));
  }

  /** Disconnects, within two seconds. Never rejects; may be called again. */
  async close(reason: unknown = CLOSED): Promise<void> {
    const state = this.#state;
    if (state.name !== 'closing' && state.name !== 'closed') void this.#end(state, reason);
    while (this.#state.name === 'closing') await once(this.#changes, 'change');
  }

  async #end(state: Exclude<State, { readonly name: 'closing' | 'closed' }>, request: unknown): Promise<void> {
    const reason = state.name === 'failed' ? state.reason : request;
    this.#change({ name: 'closing', reason });
    this.#target.signal.removeEventListener('abort', this.#interrupt);
    this.#life.abort(reason);
    if (request === CLOSED) this.#queue.end();
    else this.#queue.abandon(request);
    if (state.name !== 'idle') await state.engine?.leave();
    await this.#connecting;
    await this.#client.close();
    this.#change({ name: 'closed', reason });
  }

  readonly #interrupt = (): void => void this.close(this.#target.signal.reason);

  /** Connects whenever there is no connection, until the session ends. Never rejects. */
  async #stayConnected(): Promise<void> {
    try {
      while (!('reason' in this.#state)) {
        if (this.#state.name === 'opening') await this.#attempt(this.#state.missing);
        else if (this.#state.name === 'lost') await this.#pause(this.#state);
        else await once(this.#changes, 'change');
      }
    } catch (error) {
      this.giveUp(error);
    }
  }

  /** Before the next attempt to connect. */
  async #pause(lost: Extract<State, { readonly name: 'lost' }>): Promise<void> {
    const { error, missing, engine } = lost;
    const delay = this.#backoff.nextDelay(this.#target.random());
    const when = delay < 1000 ? 'reconnecting' : `next attempt in ${Math.round(delay / 1000)} s`;
    this.#options.onNotice(`${this.hide(error.message)}; ${when}`);
    await this.#target.sleep(delay, this.#life.signal);
    await engine?.leave();
    if (this.#state === lost) this.#change({ name: 'opening', missing });
  }

  async #attempt(missing: Missing | undefined): Promise<void> {
    try {
      const engine = await this.#open(missing);
      this.#reportConnected(missing);
      if (missing !== undefined) await this.#restore(engine);
      if (!engine.isConfirmed) throw new SvcError('connection_lost', 'the connection was lost again');
      this.#change({ name: 'open', engine, since: performance.now() });
      if (missing === undefined) this.#queue.push({ kind: 'connected' });
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      this.#lose(error);
    }
  }

  /** Tries a new token if there is one: that of a token command may have expired. */
  async #open(missing: Missing | undefined): Promise<EngineConnection> {
    try {
      return await this.#dial(missing);
    } catch (error) {
      const { authorizer } = this.#target;
      if (!(error instanceof SvcError) || error.code !== 'unauthorized' || !(await authorizer?.refresh?.()))
        throw error;
      return this.#dial(missing);
    }
  }

  async #dial(missing: Missing | undefined): Promise<EngineConnection> {
    const { signal } = this.#life;
    await this.#options.pace?.(signal);
    signal.throwIfAborted();
    const token = await this.#options.token();
    signal.throwIfAborted();
    const secret = token.reveal();
    this.#target.secrets.addPassing(secret);
    // Old cookies lead to the node of the old session.
    this.#cookies.clear();
    const engine = new EngineConnection({
      target: this.#target,
      token,
      cookies: this.#cookies,
      ready: () => this.#queue.drained(),
      onPush: (name, payload, at) => this.#push(name, payload, at),
      onLost: (lost, error) => this.#lost(lost, error),
    });
    this.#change({ name: 'opening', missing, engine });
    try {
      const { sid } = await engine.handshake();
      this.#secrets = formsInData([secret, sid]);
      await engine.confirm();
      return engine;
    } catch (error) {
      await engine.leave();
      throw error;
    }
  }

  #push(name: string, payload: string, at: number): void {
    this.pushedAt = at;
    this.#outages.pushed(at);
    const hide = (text: string): string => hideInText(text, this.#secrets);
    this.#queue.push({ kind: 'push', name: hide(name), payload: hide(payload), at });
  }

  #reportConnected(missing: Missing | undefined): void {
    const at = this.#target.now();
    this.pushedAt = at;
    this.#backoff.connected();
    if (this.outage !== undefined) {
      this.#outages.end(at);
      this.#options.onNotice('reconnected');
    }
    if (missing !== undefined) this.#queue.push({ kind: 'gap', from: missing.since, to: at, reason: missing.reason });
  }

  async #restore(engine: EngineConnection): Promise<void> {
    const call: Session['call'] = async (endpoint, values) => {
      if (!engine.isConfirmed) throw new SvcError('connection_lost', 'the connection was lost again');
      return this.#withoutSecrets(await this.#client.call(endpoint, values));
    };
    for (const restore of this.#restores) await restore({ call, hide: (text) => this.hide(text) });
  }

  #lost(engine: EngineConnection, error: SvcError): void {
    const state = this.#state;
    if (!('engine' in state) || state.engine !== engine) return;
    if (state.name === 'opening') this.#reportUnreachable(error); // and the attempt fails
    if (state.name !== 'open') return;
    this.#backoff.lost(performance.now() - state.since);
    this.#lose(error);
  }

  /** Reconnects if that may help. */
  #lose(error: SvcError): void {
    const state = this.#state;
    if (state.name !== 'opening' && state.name !== 'open') return; // it is being closed
    const { awaitGateway = false, reconnect = false } = this.#options;
    const missing =
      state.name === 'opening' ? state.missing : { since: state.engine.heardAt, reason: this.hide(error.message) };
    const isFirst = missing === undefined;
    const mayRetry = (isFirst ? awaitGateway : reconnect) && mayRecover(error, isFirst);
    const isRefused = state.name === 'opening' && error.code === 'unauthorized';
    if (isRefused && this.#backoff.refused() === MOST_REFUSALS) this.giveUp(refusedOften(error));
    else if (!mayRetry) this.giveUp(error);
    else {
      this.#reportUnreachable(error);
      this.#change({ name: 'lost', error, missing, engine: state.engine });
      void state.engine?.leave();
    }
  }

  /** Ends the session, which cannot go on or cannot serve its reader: the last events say so. */
  giveUp(failure: unknown): void {
    const state = this.#state;
    if (state.name !== 'opening' && state.name !== 'open' && state.name !== 'lost') return; // it is being closed
    const reason =
      failure instanceof SvcError ? failure : new SvcError('internal', 'the session failed', { cause: failure });
    // A bug of svc is no outage.
    if (reason.code !== 'internal') this.#reportUnreachable(reason);
    this.#queue.push({ kind: 'closed', reason: this.hide(reason.message), error: reason });
    this.#queue.end();
    this.#change({ name: 'failed', reason, engine: state.engine });
    void state.engine?.leave();
  }

  #reportUnreachable(error: SvcError): void {
    this.#outages.begin(error, this.hide(error.message), this.#target.now());
  }

  #withoutSecrets<T>(answer: T): T {
    return hideInAnswer(answer, this.#secrets, this.#target.secrets);
  }
}

function sizeOf(event: SessionEvent): number {
  return EVENT_BYTES + (event.kind === 'push' ? event.name.length + event.payload.length : 0);
}

function unsent(error: SvcError): SvcError {
  const { code, message, hint, more } = error;
  return new SvcError(code, message, { hint, more, sent: 'no', cause: error });
}
