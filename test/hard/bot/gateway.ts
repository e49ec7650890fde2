/**
 * A second trading gateway on socket.io 2.5, written from doc 3 part B alone: it shares nothing with svc or its sandbox. It records
 * what it received and did, for the auditor, and misbehaves as its faults say.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import listen from 'socket.io';
import { Book, type Change, Refusal, type Row } from './book.ts';
import { type Faults, NO_FAULTS, type RequestFault } from './faults.ts';

/** A POST under /trading that changes something, as it arrived. */
export interface Received {
  readonly at: number;
  readonly path: string;
  readonly form: Readonly<Record<string, string>>;
  readonly fault: RequestFault['kind'];
  /** When it was executed; undefined if it was not. */
  executedAt?: number;
  orderIds: readonly string[];
  answeredAt?: number;
  refusal?: string;
}

export interface Outage {
  readonly from: number;
  to: number;
  readonly kind: 'drop' | 'restart' | 'revoked';
}

const KEYS: Readonly<Record<string, string>> = {
  Offer: 'offers',
  OpenPosition: 'open_positions',
  ClosedPosition: 'closed_positions',
  Order: 'orders',
  Summary: 'summary',
  LeverageProfile: 'leverage_profile',
  Account: 'accounts',
  Properties: 'properties',
};
const TABLES: Readonly<Record<string, number>> = {
  OpenPosition: 1,
  ClosedPosition: 2,
  Order: 3,
  Summary: 5,
  Account: 6,
};
const READS = [
  '/subscribe',
  '/unsubscribe',
  '/trading/subscribe',
  '/trading/unsubscribe',
  '/trading/update_subscriptions',
];

interface Answer {
  readonly status: number;
  readonly body: object;
}

export class Gateway {
  readonly token = 'b07'.padEnd(40, '0123456789abcdef');
  readonly received: Received[] = [];
  readonly outages: Outage[] = [];
  /** What the document forbids and a client did. */
  readonly violations: string[] = [];
  readonly book: Book;
  /** The tables that were read, one after the other. */
  readonly reads: string[] = [];
  faults: Faults = NO_FAULTS;
  /** How far the gateway's clock is ahead. */
  clockAhead = 0;
  #isRevoked = false;
  #port = 0;
  #server = createServer();
  #io: ReturnType<typeof listen> | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** By connection: the models and symbols it has subscribed to. */
  readonly #subscriptions = new Map<string, Set<string>>();
  #delayed: (() => void)[] = [];
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
    this.book = new Book(
      () => Date.now() + this.clockAhead,
      random,
      (model, row, action) => this.#push(model, row, action),
    );
  }

  static async start(random: () => number): Promise<Gateway> {
    const gateway = new Gateway(random);
    await gateway.#listen();
    const ticking = setInterval(() => gateway.book.tick(), 250);
    gateway.#timers.add(ticking);
    return gateway;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get connections(): number {
    return Object.keys(this.#io?.sockets.connected ?? {}).length;
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#stop();
  }

  /** Every connection is reset; new ones are accepted at once. */
  drop(): void {
    const at = performance.now();
    this.outages.push({ from: at, to: at, kind: 'drop' });
    this.#cutAll();
  }

  /** Not there for so long; orders and positions stay, subscriptions and connection ids do not. */
  async restart(ms: number): Promise<void> {
    const outage: Outage = { from: performance.now(), to: Number.POSITIVE_INFINITY, kind: 'restart' };
    this.outages.push(outage);
    await this.#stop();
    await this.#sleep(ms);
    await this.#listen();
    outage.to = performance.now();
  }

  /** The token is refused for so long, and its connections end. */
  async revoke(ms: number): Promise<void> {
    const outage: Outage = { from: performance.now(), to: Number.POSITIVE_INFINITY, kind: 'revoked' };
    this.outages.push(outage);
    this.#isRevoked = true;
    this.#cutAll();
    await this.#sleep(ms);
    this.#isRevoked = false;
    outage.to = performance.now();
  }

  async #listen(): Promise<void> {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.#io = listen(this.#server, { pingInterval: 25_000, pingTimeout: 5_000, cookie: 'io', serveClient: false });
    this.#io.use((client, next) => {
      const isValid = client.handshake.query['access_token'] === this.token && !this.#isRevoked;
      next(isValid ? undefined : new Error('Not authorized'));
    });
    this.#io.on('connection', (client) => {
      this.#subscriptions.set(client.id, new Set());
      client.on('disconnect', () => this.#subscriptions.delete(client.id));
    });
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async #stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#cutAll();
    this.#io?.close();
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #cutAll(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
    for (const client of Object.values(this.#io?.sockets.connected ?? {})) client.disconnect(true);
    this.#subscriptions.clear();
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.#later(ms, resolve));
  }

  #later(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms);
    this.#timers.add(timer);
  }

  /** One push to every connection that has subscribed to the table: its payload is a text that contains JSON. */
  #push(model: string, row: Row, action?: string): void {
    const payload = JSON.stringify(action === undefined ? row : { ...row, action });
    const send = (): void => this.#emit(model, payload);
    const fault = this.faults.push(model);
    if (fault.kind === 'late') this.#later(fault.ms, send);
    else if (fault.kind === 'after_next') this.#delayed.push(send);
    else {
      send();
      if (fault.kind === 'twice') send();
      for (const one of this.#delayed.splice(0)) one();
    }
    const offer = [...this.book.offers.values()].find(({ offerId }) => model === 'Offer' && offerId === row['offerId']);
    if (offer !== undefined) this.#emit(String(offer['currency']), JSON.stringify(this.#price(offer)));
  }

  #price({ sell, buy, high, low, currency }: Row): object {
    return { Updated: Date.now() + this.clockAhead, Rates: [sell, buy, high, low], Symbol: currency };
  }

  #emit(name: string, payload: string): void {
    for (const [id, names] of this.#subscriptions) {
      if (names.has(name)) this.#io?.sockets.connected[id]?.emit(name, payload);
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const path = url.pathname.replace(/(.)\/$/, '$1');
    const isOrder = request.method === 'POST' && !READS.includes(path);
    const body = await text(request);
    const at = performance.now();
    const params = request.method === 'POST' ? new URLSearchParams(body) : url.searchParams;
    const fault = this.faults.request(path, isOrder);
    this.#checkHeaders(request, path);
    const order: Received | undefined = isOrder
      ? { at, path, form: Object.fromEntries(params), fault: fault.kind, orderIds: [] }
      : undefined;
    if (order !== undefined) this.received.push(order);
    if (fault.kind === 'cut_before') return void request.socket.resetAndDestroy();
    const answer = failure(fault) ?? this.#answer(request, path, params, order, fault);
    if (fault.kind === 'cut_after') return void request.socket.resetAndDestroy();
    if (fault.kind === 'late') await this.#sleep(fault.ms);
    const json = JSON.stringify(answer.body);
    response.writeHead(answer.status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(json),
      date: new Date(Date.now() + this.clockAhead).toUTCString(),
      ...(answer.status === 429 ? { 'retry-after': '1' } : {}),
    });
    if (fault.kind === 'cut_during') {
      response.write(json.slice(0, Math.ceil(json.length / 2)), () => request.socket.resetAndDestroy());
      return;
    }
    if (order !== undefined) order.answeredAt = performance.now();
    response.end(json);
  }

  /** Doc 3 §4: the headers that every request carries. */
  #checkHeaders({ headers, method, httpVersion }: IncomingMessage, path: string): void {
    const needed = {
      'user-agent': /./,
      accept: /^application\/json$/,
      'content-type': /^application\/x-www-form-urlencoded$/,
      authorization: /^Bearer [\w-]{20}[0-9a-f]{40}$/,
    };
    for (const [name, form] of Object.entries(needed)) {
      if (!form.test(String(headers[name] ?? ''))) this.violations.push(`${method} ${path}: header ${name}`);
    }
    if (httpVersion !== '1.1') this.violations.push(`${method} ${path}: HTTP ${httpVersion}`);
  }

  #answer(
    request: IncomingMessage,
    path: string,
    params: URLSearchParams,
    order: Received | undefined,
    fault: RequestFault,
  ): Answer {
    const credential = request.headers.authorization?.slice('Bearer '.length) ?? '';
    const names = this.#subscriptions.get(credential.slice(0, 20));
    if (names === undefined || credential.slice(20) !== this.token || this.#isRevoked) {
      if (order !== undefined) order.refusal = 'Unauthorized';
      return refused('Unauthorized');
    }
    if (order !== undefined) return this.#execute(order, fault);
    const models = params.getAll('models');
    if (path === '/trading/get_model') return this.#snapshot(models);
    if (path === '/trading/get_model/Accounts') return this.#snapshot(['Account']);
    if (path === '/trading/get_instruments') {
      const instrument = [...this.book.offers.keys()].map((symbol, index) => ({ symbol, visible: true, order: index }));
      return done({ data: { instrument } });
    }
    if (path === '/trading/subscribe' || path === '/trading/unsubscribe') {
      const unknown = models.find((model) => !(model in KEYS));
      if (models.length !== 1 || unknown !== undefined) return refused(`no such model: ${models.join()}`);
      for (const model of models) path.endsWith('/subscribe') ? names.add(model) : names.delete(model);
      return done({});
    }
    if (path === '/subscribe' || path === '/unsubscribe') {
      const pairs = params.getAll('pairs');
      for (const pair of pairs) path === '/subscribe' ? names.add(pair) : names.delete(pair);
      const rows = pairs.map((pair) => this.book.offers.get(pair)).filter((row) => row !== undefined);
      const known = rows.map((row) => this.#price(row));
      return known.length === pairs.length ? done({ pairs: known }) : refused('no such pair');
    }
    return { status: 404, body: { response: { executed: false, error: 'not found' } } };
  }

  #snapshot(models: readonly string[]): Answer {
    this.reads.push(...models);
    const unknown = models.find((model) => !(model in KEYS));
    if (unknown !== undefined || models.length === 0) return refused('no such model');
    const total = (model: string): Row[] =>
      ['OpenPosition', 'Account'].includes(model) ? [{ t: TABLES[model] ?? 0, isTotal: true, accountId: '' }] : [];
    return done(Object.fromEntries(models.map((model) => [KEYS[model], [...this.book.rows(model), ...total(model)]])));
  }

  #execute(order: Received, fault: RequestFault): Answer {
    try {
      if (fault.kind === 'lose') return done({ data: { type: 0, orderId: 799_999_999 } });
      const change = this.#apply(order);
      if (change === undefined) return { status: 404, body: { response: { executed: false, error: 'not found' } } };
      order.executedAt = performance.now();
      order.orderIds = change.orderIds;
      if (fault.kind === 'execute_twice') order.orderIds = [...order.orderIds, ...(this.#apply(order)?.orderIds ?? [])];
      const [orderId] = change.orderIds;
      return done({ data: orderId === undefined ? null : { type: 0, orderId: Number(orderId) } });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      order.refusal = error.message;
      const { code, message, parameters } = error;
      return refused(JSON.stringify({ code, message, parameters }), {});
    }
  }

  #apply(order: Received): Change | undefined {
    const change = this.book.apply(order.path, order.form);
    if (change?.later !== undefined) this.#later(1 + this.#random() * 40, change.later);
    return change;
  }
}

function done(more: object): Answer {
  return { status: 200, body: { response: { executed: true }, ...more } };
}

function refused(error: string, data?: object): Answer {
  return { status: 200, body: { response: { executed: false, error }, ...(data === undefined ? {} : { data }) } };
}

/** Failures in place of the answer: nothing is executed. */
function failure({ kind }: RequestFault): Answer | undefined {
  if (kind === 'http_401') return { status: 401, body: { Code: 401, Message: 'The access token is not valid' } };
  if (kind === 'http_429') return { status: 429, body: { Code: 429, Message: 'Too many requests' } };
  if (kind === 'ora_20301') return refused('ORA-20301: the call rate is exceeded, Cmd=46');
  return undefined;
}
