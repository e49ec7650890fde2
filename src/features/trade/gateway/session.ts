/**
 * A session with the gateway: it connects, reconnects and disconnects, and carries requests and pushes.
 *
 *     idle --connect--> opening --connected--> opening --ready--> open
 *                        |   ^                                     |
 *                       lose retry                                lose
 *                        v   |                                     |
 *                        lost <------------------------------------+
 *
 *     opening, open, lost --fail--> failed
 *     idle, opening, open, lost, failed --close--> closing --left--> closed
 */
import { EventEmitter, once } from 'node:events';
import { SvcError } from '../../../errors.ts';
import { type Client, openClient, type WholeAnswer } from '../../../http/client.ts';
import {
  type CallValues,
  type Effect,
  type Endpoint,
  type EndpointShape,
  Plan,
  type Proof,
} from '../../../http/endpoint.ts';
import type { Target } from '../../../http/target.ts';
import { type EngineConnection, openEngine } from './engine-connection.ts';
import { CookieJar, FORM } from './engine-requests.ts';
import { explainTrading } from './failed-answer.ts';
import {
  Backoff,
  isPassing,
  MOST_REFUSALS,
  mayBeGateway,
  OutageReporter,
  readTooSlowly,
  refusedOften,
  withRenewal,
} from './reconnecting.ts';
import { SessionSecrets } from './session-secrets.ts';
import { eventQueue, type SessionEvent, type SessionOptions } from './session-types.ts';

/** What each event does in each state. An event that a state does not have is a bug. */
export const TRANSITIONS = {
  idle: { connect: 'opening', close: 'closing' },
  opening: { connected: 'opening', ready: 'open', lose: 'lost', fail: 'failed', close: 'closing' },
  open: { lose: 'lost', fail: 'failed', close: 'closing' },
  lost: { retry: 'opening', fail: 'failed', close: 'closing' },
  failed: { close: 'closing' },
  closing: { left: 'closed' },
  closed: {},
} as const;

export type StateName = keyof typeof TRANSITIONS;
export type Transition = { [Name in StateName]: keyof (typeof TRANSITIONS)[Name] }[StateName];
type TargetOf<Event extends Transition> = {
  [Name in StateName]: (typeof TRANSITIONS)[Name] extends Readonly<Record<Event, infer Next>> ? Next : never;
}[StateName];

type State =
  | { readonly name: 'idle' }
  /** The engine is connected, and the subscriptions are being restored. */
  | { readonly name: 'opening'; readonly missing: Missing | undefined; readonly engine?: EngineConnection }
  | { readonly name: 'open'; readonly engine: EngineConnection }
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

/** Throws for a transition that the table does not have. */
export function stateAfter(name: StateName, event: Transition): StateName {
  const next = (TRANSITIONS[name] as Partial<Record<Transition, StateName>>)[event];
  if (next === undefined) throw new SvcError('internal', `the session cannot ${event} while it is ${name}`);
  return next;
}

/** Does not connect yet. Throws `credential_unusable` if the token must not go to the target's address. */
export function openSession(target: Target, options: SessionOptions): Session {
  return new GatewaySession(target, options);
}

export type Session = Pick<GatewaySession, keyof GatewaySession>;
type Restore = (session: Pick<Session, 'call' | 'hide'>) => Promise<void>;

const MOST_WAITING = 64 * 1024 * 1024;
const CLOSED = new SvcError('connection_lost', 'the session is closed');

class GatewaySession {
  readonly #target: Target;
  readonly #options: SessionOptions;
  readonly #client: Client;
  readonly #cookies = new CookieJar();
  readonly #secrets: SessionSecrets;
  readonly #queue = eventQueue();
  readonly #restores = new Set<Restore>();
  readonly #life = new AbortController();
  readonly #backoff = new Backoff();
  readonly #outages = new OutageReporter((event) => this.#queue.push(event));
  readonly #changes = new EventEmitter().setMaxListeners(0);
  #state: State = { name: 'idle' };
  /** The latest attempts to connect, which end before the session does. Never rejects. */
  #attempts: Promise<void> = Promise.resolve();
  #authorization = '';
  #streams = false;
  /** When the latest push came, or the connection was made. Milliseconds since 1970. */
  pushedAt: number | undefined;

  constructor(target: Target, options: SessionOptions) {
    this.#target = target;
    this.#secrets = new SessionSecrets(target.secrets);
    this.#options = options;
    const explain = options.explain ?? explainTrading;
    const header = async () => ({ authorization: this.#authorization });
    this.#client = openClient(
      { ...target, authorizer: { origin: target.baseUrl.origin, header } },
      { basePath: '', contentType: FORM, cookies: this.#cookies, inSession: true, explain },
    );
    target.signal.addEventListener('abort', this.#interrupt, { once: true });
    if (target.signal.aborted) this.#interrupt();
  }

  get state(): StateName {
    return this.#state.name;
  }

  /** The transport of pushes; undefined without a connection. */
  get transport(): 'polling' | 'websocket' | undefined {
    return this.#engine?.transport;
  }

  /** The connection, if requests can use it. */
  get #engine(): EngineConnection | undefined {
    const { engine } = this.#state as { readonly engine?: EngineConnection };
    return engine?.over === false ? engine : undefined;
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
    while (isConnecting(this.#state)) await once(this.#changes, 'change');
    throwIfEnded(this.#state);
  }

  /** Sends a read. Connects before the first request, and does not wait for a connection that was lost. */
  async call<T>(endpoint: Endpoint<T, 'read'>, values?: CallValues): Promise<T> {
    await this.#ready(endpoint);
    return this.#secrets.leftOut(await this.#client.call(endpoint, values));
  }

  /** Sends a write at most once, and never after waiting for a lost connection. A dry run does not connect. */
  async send<T, E extends Exclude<Effect, 'read'>>(
    endpoint: Endpoint<T, E>,
    values: CallValues,
    ...proof: Proof<E>
  ): Promise<T | Plan> {
    await this.#ready(endpoint);
    const answer = await this.#client.send(endpoint, values, ...proof);
    return answer instanceof Plan ? answer : this.#secrets.leftOut(answer);
  }

  /** Sends any request and returns the raw response. */
  async answer(...request: Parameters<Client['answer']>): Promise<WholeAnswer | Plan> {
    await this.#ready(request[0]);
    const answer = await this.#client.answer(...request);
    if (answer instanceof Plan) return answer;
    const { bytes, ...head } = answer;
    return { ...head, bytes: this.#secrets.leftOutOfBytes(bytes) };
  }

  plan(endpoint: EndpointShape, values?: CallValues): Plan {
    return this.#client.plan(endpoint, values);
  }

  async #ready({ effect }: EndpointShape): Promise<void> {
    const isPlanned = this.#target.dryRun === true && effect !== 'read';
    if (isPlanned || this.#engine !== undefined) return;
    this.#beginConnecting();
    while (isConnecting(this.#state)) {
      if (isReconnecting(this.#state)) {
        throw new SvcError('connection_lost', 'the session is reconnecting; nothing was sent');
      }
      await once(this.#changes, 'change');
    }
    throwIfEnded(this.#state);
  }

  #beginConnecting(): void {
    if (this.#state.name !== 'idle') return;
    this.#change('connect', { name: 'opening', missing: undefined });
    this.#attempts = this.#keepTrying();
  }

  #change<Event extends Transition>(event: Event, next: Extract<State, { readonly name: TargetOf<Event> }>): void {
    stateAfter(this.#state.name, event);
    this.#state = next;
    this.#changes.emit('change');
  }

  /** All pushes since the connect, in order; to be read once. Slow readers slow polling down; 64 MiB of unread pushes end it. */
  events(): AsyncIterable<SessionEvent> {
    this.#streams = true;
    if (this.#engine !== undefined && this.#options.transport !== 'websocket') void this.#upgrade(this.#engine);
    return this.#queue;
  }

  /** Runs `restore` after each reconnect, to subscribe again; the returned function removes it. */
  onReconnect(restore: Restore): () => void {
    this.#restores.add(restore);
    return () => void this.#restores.delete(restore);
  }

  /** Removes the token and the connection id from a text. */
  hide(text: string): string {
    return this.#secrets.hide(text);
  }

  /** Disconnects, within two seconds. Never rejects; may be called again. */
  async close(reason: unknown = CLOSED): Promise<void> {
    const state = this.#state;
    if (state.name !== 'closing' && state.name !== 'closed') void this.#end(state, reason);
    while (isClosing(this.#state)) await once(this.#changes, 'change');
  }

  async #end(state: Exclude<State, { readonly name: 'closing' | 'closed' }>, request: unknown): Promise<void> {
    const reason = state.name === 'failed' ? state.reason : request;
    this.#change('close', { name: 'closing', reason });
    this.#target.signal.removeEventListener('abort', this.#interrupt);
    this.#life.abort(reason);
    if (request === CLOSED) this.#queue.end();
    else this.#queue.abandon(request);
    if (state.name !== 'idle') await state.engine?.leave();
    await this.#attempts;
    await this.#client.close();
    this.#change('left', { name: 'closed', reason });
  }

  readonly #interrupt = (): void => void this.close(this.#target.signal.reason);

  /** Attempts to connect until the session is open or ends. Never rejects. */
  async #keepTrying(): Promise<void> {
    try {
      while (isConnecting(this.#state)) {
        if (this.#state.name === 'lost') await this.#pause(this.#state);
        if (this.#state.name === 'opening') await this.#attempt(this.#state.missing);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Before the next attempt to connect. */
  async #pause(lost: Extract<State, { readonly name: 'lost' }>): Promise<void> {
    const { error, missing, engine } = lost;
    const delay = this.#backoff.delay(this.#target.random());
    const when = delay < 1000 ? 'reconnecting' : `next attempt in ${Math.round(delay / 1000)} s`;
    this.#options.onNotice(`${this.hide(error.message)}; ${when}`);
    await this.#target.sleep(delay, this.#life.signal);
    this.#backoff.tried();
    await engine?.leave();
    if (this.#state === lost) this.#change('retry', { name: 'opening', missing });
  }

  async #attempt(missing: Missing | undefined): Promise<void> {
    try {
      const engine = await withRenewal(this.#target.authorizer, () => this.#open());
      if (isClosing(this.#state)) return await engine.leave();
      if (engine.over) throw new SvcError('connection_lost', 'the session ended as soon as it was connected');
      this.#change('connected', { name: 'opening', missing, engine });
      this.#reportConnected(missing);
      if (missing !== undefined) await this.#restore(engine);
      await this.#upgrade(engine);
      if (engine.over) throw new SvcError('connection_lost', 'the connection was lost again');
      this.#change('ready', { name: 'open', engine });
      if (missing === undefined) this.#queue.push({ kind: 'connected' });
    } catch (error) {
      this.#lose(error);
    }
  }

  async #open(): Promise<EngineConnection> {
    const { signal } = this.#life;
    await this.#options.pace?.wait(signal);
    signal.throwIfAborted();
    const token = await this.#options.token();
    const secret = token.reveal();
    this.#secrets.keep(secret);
    // Old cookies lead to the node of the old session.
    this.#cookies.clear();
    const engine: EngineConnection = await openEngine({
      target: this.#target,
      token,
      signal,
      cookies: this.#cookies,
      keepSecret: (value) => this.#secrets.keep(value),
      hide: (text) => this.hide(text),
      ready: () => this.#queue.drained(),
      onPush: (name, payload, at) => {
        const shown = (text: string): string => this.#secrets.leftOutOfText(text);
        this.pushedAt = at;
        this.#outages.pushed(at);
        this.#queue.push({ kind: 'push', name: shown(name), payload: shown(payload), at });
        if (this.#queue.size > MOST_WAITING) this.#engine?.fail(readTooSlowly(MOST_WAITING));
      },
      onLost: (engine, error) => this.#lost(engine, error),
    });
    this.#authorization = `Bearer ${engine.sid}${secret}`;
    return engine;
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
      if (engine.over) throw new SvcError('connection_lost', 'the connection was lost again');
      return this.#secrets.leftOut(await this.#client.call(endpoint, values));
    };
    for (const restore of this.#restores) await restore({ call, hide: (text) => this.hide(text) });
  }

  /** Only `websocket` waits for one and fails without it. */
  async #upgrade(engine: EngineConnection): Promise<void> {
    const { transport = 'auto', onNotice } = this.#options;
    if (transport === 'websocket') await engine.upgrade();
    else if (transport === 'auto' && this.#streams) {
      engine.upgrade().catch((error: Error) => {
        if (!engine.over) onNotice(`no websocket, polling is used: ${this.hide(error.message)}`);
      });
    }
  }

  #lost(engine: EngineConnection, error: SvcError): void {
    const state = this.#state;
    if (state.name === 'opening' && state.engine === engine) this.#reportUnreachable(error);
    if (state.name !== 'open' || state.engine !== engine) return; // `#attempt` finds out
    this.#backoff.lost();
    this.#lose(error);
    // One after the other: the earlier attempts may be about to end.
    this.#attempts = this.#attempts.then(() => this.#keepTrying());
  }

  /** Reconnects if that may help. */
  #lose(error: unknown): void {
    const state = this.#state;
    if (state.name !== 'opening' && state.name !== 'open') return; // it is being closed
    if (!(error instanceof SvcError)) {
      this.#fail(error);
      return;
    }
    const { awaitGateway = false, reconnect = false } = this.#options;
    const missing =
      state.name === 'opening' ? state.missing : { since: state.engine.heardAt, reason: this.hide(error.message) };
    const mayRetry = missing === undefined ? awaitGateway && mayBeGateway(error) : reconnect && isPassing(error);
    if (!mayRetry) {
      this.#fail(error);
    } else if (state.name === 'opening' && error.code === 'unauthorized' && this.#backoff.refused() === MOST_REFUSALS) {
      this.#fail(refusedOften(error));
    } else {
      this.#reportUnreachable(error);
      this.#change('lose', { name: 'lost', error, missing, engine: state.engine });
      void state.engine?.leave();
    }
  }

  #fail(failure: unknown): void {
    const state = this.#state;
    if (state.name !== 'opening' && state.name !== 'open' && state.name !== 'lost') return; // it is being closed
    const reason =
      failure instanceof SvcError ? failure : new SvcError('internal', 'the session failed', { cause: failure });
    // Neither a slow reader nor a bug of svc is an outage.
    if (reason.code !== 'partly_done' && reason.code !== 'internal') this.#reportUnreachable(reason);
    this.#queue.push({ kind: 'closed', reason: this.hide(reason.message), error: reason });
    this.#queue.end();
    this.#change('fail', { name: 'failed', reason, engine: state.engine });
    void state.engine?.leave();
  }

  #reportUnreachable(error: SvcError): void {
    this.#outages.begin(error, this.hide(error.message), this.#target.now());
  }
}

function isConnecting({ name }: State): boolean {
  return name === 'opening' || name === 'lost';
}

function isReconnecting(state: State): boolean {
  return state.name === 'lost' || (state.name === 'opening' && state.missing !== undefined);
}

function isClosing({ name }: State): boolean {
  return name === 'closing';
}

function throwIfEnded(state: State): void {
  if (state.name === 'failed' || state.name === 'closing' || state.name === 'closed') throw state.reason;
}
