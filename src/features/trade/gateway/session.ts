/** A session with the gateway: it connects, reconnects and disconnects, and carries requests and pushes. */
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
import type { KnownSecrets } from '../../../http/known-secrets.ts';
import { redactText } from '../../../http/redact.ts';
import type { Target } from '../../../http/target.ts';
import { jsonText } from '../../../json-object.ts';
import type { Envelope } from '../schema.ts';
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
import { eventQueue, type Outage, type SessionEvent, type SessionOptions } from './session-types.ts';

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
  /** The current connection, and the latest attempt to make one. */
  #engine: EngineConnection | undefined;
  #connecting: Promise<void> | undefined;
  #authorization = '';
  #streams = false;
  #isReconnecting = false;
  readonly #backoff = new Backoff();
  readonly #outages = new OutageReporter((event) => this.#queue.push(event));
  /** When the latest push came, or the connection was made. Milliseconds since 1970. */
  pushedAt: number | undefined;
  #closing: Promise<void> | undefined;
  #leaving: Promise<void> = Promise.resolve();

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

  /** The transport of pushes; undefined without a connection. */
  get transport(): 'polling' | 'websocket' | undefined {
    return this.#engine?.transport;
  }

  /** Why the gateway cannot be reached, also after `close`; undefined if it can. */
  get outage(): SvcError | undefined {
    return this.#outages.error;
  }

  /** Gives outages to `listener` instead of `events`, until the returned function is called. */
  divertOutages(listener: (event: Outage) => void): () => void {
    return this.#outages.divertTo(listener);
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
  connect(): Promise<void> {
    if (this.#life.signal.aborted) return Promise.reject(this.#life.signal.reason);
    this.#connecting ??= this.#connectFirst();
    return this.#connecting;
  }

  /** Sends a read, connecting first if necessary. */
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

  async #ready(endpoint: EndpointShape): Promise<void> {
    const isPlanned = this.#target.dryRun === true && endpoint.effect !== 'read';
    if (!isPlanned && this.#engine === undefined) {
      if (this.#isReconnecting && endpoint.effect !== 'read') {
        throw new SvcError('connection_lost', 'the session is reconnecting; nothing was sent');
      }
      await this.connect();
    }
    if (this.#life.signal.aborted) throw this.#life.signal.reason;
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
  close(reason: unknown = CLOSED): Promise<void> {
    this.#closing ??= this.#end(reason);
    return this.#closing;
  }

  async #end(reason: unknown): Promise<void> {
    this.#target.signal.removeEventListener('abort', this.#interrupt);
    this.#life.abort(reason);
    if (reason === CLOSED) this.#queue.end();
    else this.#queue.abandon(reason);
    const engine = this.#engine;
    this.#engine = undefined;
    await engine?.leave();
    await this.#connecting?.catch(() => {});
    await this.#leaving;
    await this.#client.close();
  }

  readonly #interrupt = (): void => void this.close(this.#target.signal.reason);

  async #connectFirst(): Promise<void> {
    try {
      await this.#connect();
    } catch (error) {
      if (!(error instanceof SvcError) || this.#life.signal.aborted) throw error;
      this.#unreachable(error);
      if (this.#options.awaitGateway !== true || !mayBeGateway(error)) throw error;
      this.#backoff.tried();
      await this.#reconnect(error, undefined);
    }
  }

  async #connect(): Promise<void> {
    const engine = await withRenewal(this.#target.authorizer, () => this.#open());
    this.#adopt(engine);
    await this.#upgrade(engine);
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

  /** The connection may be lost or no longer needed by now. */
  #adopt(engine: EngineConnection): void {
    if (this.#life.signal.aborted) {
      this.#leaving = engine.leave();
      throw this.#life.signal.reason;
    }
    if (engine.over) throw new SvcError('connection_lost', 'the session ended as soon as it was connected');
    this.#engine = engine;
    this.pushedAt = this.#target.now();
    this.#backoff.connected();
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
    if (this.#engine !== engine) return; // `#adopt` finds out
    this.#engine = undefined;
    this.#leaving = engine.leave();
    if (this.#isReconnecting) {
      // While it is being restored, which has been reported as recovered.
      this.#unreachable(error);
      return;
    }
    if (this.#options.reconnect !== true || !isPassing(error)) {
      this.#give(error);
      return;
    }
    this.#unreachable(error);
    this.#backoff.lost();
    this.#connecting = this.#reconnect(error, engine.heardAt);
    this.#connecting.catch((failure: unknown) => {
      if (!this.#life.signal.aborted) this.#give(failure);
    });
  }

  #give(failure: unknown): void {
    const error =
      failure instanceof SvcError ? failure : new SvcError('internal', 'the session failed', { cause: failure });
    // Neither a slow reader nor a bug of svc is an outage.
    if (error.code !== 'partly_done' && error.code !== 'internal') this.#unreachable(error);
    this.#queue.push({ kind: 'closed', reason: this.hide(error.message), error });
    this.#queue.end();
    this.#connecting = Promise.reject(error);
    this.#connecting.catch(() => {});
  }

  #unreachable(error: SvcError): void {
    this.#outages.begin(error, this.hide(error.message), this.#target.now());
  }

  /** `from`: the start of the gap; undefined before the first connection. */
  async #reconnect(cause: SvcError, from: number | undefined): Promise<void> {
    let error = cause;
    let refusals = 0;
    this.#isReconnecting = true;
    try {
      for (;;) {
        await this.#pause(error, refusals);
        const failure = await this.#tryToRestore(cause, from);
        if (failure === undefined) return;
        error = failure;
        this.#unreachable(error);
        const mayPass = from === undefined ? mayBeGateway(error) : isPassing(error);
        if (!mayPass) throw error;
        if (error.code === 'unauthorized' && ++refusals === MOST_REFUSALS) throw refusedOften(error);
      }
    } finally {
      this.#isReconnecting = false;
    }
  }

  /** Before the next attempt to connect. */
  async #pause(error: SvcError, refusals: number): Promise<void> {
    const delay = this.#backoff.delay(refusals, this.#target.random());
    const when = delay < 1000 ? 'reconnecting' : `next attempt in ${Math.round(delay / 1000)} s`;
    this.#options.onNotice(`${this.hide(error.message)}; ${when}`);
    await this.#target.sleep(delay, this.#life.signal);
    this.#backoff.tried();
    await this.#leaving;
  }

  /** Returns why the gateway could not be reached. */
  async #tryToRestore(cause: SvcError, from: number | undefined): Promise<SvcError | undefined> {
    try {
      await this.#restore(cause, from);
      return undefined;
    } catch (error) {
      this.#life.signal.throwIfAborted();
      if (error instanceof SvcError) return error;
      throw error;
    }
  }

  async #restore(cause: SvcError, from: number | undefined): Promise<void> {
    const engine = await withRenewal(this.#target.authorizer, () => this.#open());
    this.#adopt(engine);
    this.#outages.end(this.#target.now());
    this.#options.onNotice('reconnected');
    const to = this.#target.now();
    if (from !== undefined) this.#queue.push({ kind: 'gap', from, to, reason: this.hide(cause.message) });
    const lost = new SvcError('connection_lost', 'the connection was lost again');
    const call: Session['call'] = async (endpoint, values) => {
      if (engine.over) throw lost;
      return this.#secrets.leftOut(await this.#client.call(endpoint, values));
    };
    try {
      for (const restore of this.#restores) await restore({ call, hide: (text) => this.hide(text) });
      await this.#upgrade(engine);
      if (engine.over) throw lost;
    } catch (error) {
      this.#engine = undefined;
      this.#leaving = engine.leave();
      throw error;
    }
  }
}

/** Shorter secrets could match other text in responses and pushes. */
const UNMISTAKABLE = 16;
/** With the encoded forms: those of the last few connections. */
const MOST = 16;

export class SessionSecrets {
  readonly #known: KnownSecrets;
  #unmistakable: readonly string[] = [];

  constructor(known: KnownSecrets) {
    this.#known = known;
  }

  keep(value: string): void {
    this.#known.addPassing(value);
    if (value.length < UNMISTAKABLE) return;
    const forms = new Set([value, encodeURIComponent(value)]);
    // The token is kept again with each connection.
    this.#unmistakable = [...this.#unmistakable.filter((one) => !forms.has(one)), ...forms].slice(-MOST);
  }

  /** For svc's own messages. */
  hide(text: string): string {
    return redactText(this.#known.hide(text));
  }

  leftOutOfText(text: string): string {
    return withoutSecrets(text, this.#unmistakable);
  }

  leftOut<T>(whole: T): T {
    const answer = withTexts(whole, (text) => this.leftOutOfText(text)) as T;
    const { response } = answer as Envelope;
    const error = response?.error ?? '';
    if (error === '') return answer;
    return { ...answer, response: { ...response, error: this.#known.hide(jsonText(error)) } };
  }

  /** In chunks; a possible beginning of a secret waits for the next chunk. */
  async *leftOutOfBytes(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const secrets = this.#unmistakable;
    const most = Math.max(1, ...secrets.map(({ length }) => length)) - 1;
    // latin1 maps each byte to a character, so nothing else changes.
    let pending = '';
    for await (const piece of bytes) {
      const text = withoutSecrets(pending + Buffer.from(piece).toString('latin1'), secrets);
      const cut = Math.max(0, text.length - most);
      pending = text.slice(cut);
      if (cut > 0) yield Buffer.from(text.slice(0, cut), 'latin1');
    }
    if (pending !== '') yield Buffer.from(pending, 'latin1');
  }
}

function withTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => withTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withTexts(inner, change)]));
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text);
}
