/** The recording service on loopback, emulated from its document, to try `svc` out and to test. */

import { isObject, tryParseJson } from '../../json-object.ts';
import {
  type EmulatorOptions,
  findRoute,
  json,
  type LocalServer,
  Refusal,
  type Request,
  type Response,
  startServer,
} from '../http.ts';
import { hostile, type WebhooksTrap, withoutHostile } from '../traps.ts';
import {
  ACTIVE,
  Account,
  DISABLED,
  type Envelope,
  EVENT_TYPES,
  instant,
  type LogItem,
  listItem,
  QUOTA,
  type Subscription,
  seedDemo,
  syntheticEvent,
} from './account.ts';
import { Dispatcher, isLoopback } from './dispatcher.ts';
import { OAuth } from './oauth.ts';
import { sameText } from './oauth-clients.ts';

export interface RecordingsEmulatorOptions extends EmulatorOptions {
  readonly random: () => number;
  /** Divides the times until dispatch and retry, and the lifetimes of tokens. */
  readonly fast?: number;
  /** False refuses receivers on this machine, as the real service does. */
  readonly loopbackReceivers?: boolean;
  readonly receiverMs?: number;
  /** Certificates (PEM) that receivers on this machine may have. */
  readonly receiverCa?: string;
  /** Approve every sign-in without a page. */
  readonly autoApprove?: boolean;
}

export interface RecordingsEmulator extends LocalServer {
  /** Valid for every call. */
  readonly token: string;
  readonly traps: Set<WebhooksTrap>;
  /** Tests may read and change it at any time. */
  readonly account: Account;
  /** An event of a recording happens; returns its id. */
  emit(type?: string): string;
}

export async function startRecordingsEmulator(options: RecordingsEmulatorOptions): Promise<RecordingsEmulator> {
  const { port, now, random, seed, fast = 1, loopbackReceivers = true, autoApprove = false } = options;
  const traps = new Set<WebhooksTrap>();
  const account = new Account(random);
  const token = account.newId('pat_sandbox_', 24);
  if (seed === 'demo') seedDemo(account, now());
  const dispatcher = new Dispatcher(account, { ...options, fast });
  const api = new RecordingsApi(account, dispatcher, { now, traps, loopbackReceivers });
  const oauth = new OAuth({ now, fast, traps, autoApprove });

  const respond = (request: Request): Response => {
    try {
      const given = /^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
      if (request.path.startsWith('/v1/') && !sameText(given, token) && !oauth.accepts(given)) {
        throw refused(401, 'unauthorized', 'missing or invalid bearer token');
      }
      const [route, [part = ''] = []] = findRoute(api.routes, `${request.method} ${request.path}`) ?? [];
      if (route === undefined) throw refused(404, 'not_found', 'there is no such endpoint');
      const id = withoutHostile(decodeURIComponent(part));
      const query = new URLSearchParams(request.query);
      const [value, lostBy] = route({ id, query, body: request.body.toString('utf8') });
      return { ...shown(200, value), lost: lostBy !== undefined && traps.has(lostBy) };
    } catch (error) {
      if (error instanceof Refusal) return shown(error.status, error.value);
      throw error;
    }
  };
  const shown = (status: number, value: unknown): Response => {
    return json(status, traps.has('hostile-text') ? hostile(value, /^secret$/) : value);
  };

  const server: LocalServer = await startServer({
    port,
    now,
    respond: (request) => oauth.respond(request, server.url) ?? respond(request),
  });
  return {
    ...server,
    token,
    traps,
    account,
    emit(type = 'summary.completed') {
      const event = syntheticEvent(account.newId('evt_'), type, now());
      account.events.unshift(event);
      dispatcher.emit(event);
      return event.id;
    },
    async close() {
      dispatcher.close();
      await server.close();
    },
  };
}

interface ApiRequest {
  readonly id: string;
  readonly query: URLSearchParams;
  readonly body: string;
}

/** The JSON of a 200, and the trap that loses it. */
type Answer = readonly [value: unknown, lostBy?: WebhooksTrap];

type ApiOptions = Required<Pick<RecordingsEmulatorOptions, 'now' | 'loopbackReceivers'>> &
  Pick<RecordingsEmulator, 'traps'>;

function refused(status: number, code: string, message: string): Refusal {
  return new Refusal(status, { error: { code, message } });
}

class RecordingsApi {
  readonly #account: Account;
  readonly #dispatcher: Dispatcher;
  readonly #options: ApiOptions;
  readonly routes: Readonly<Record<string, (request: ApiRequest) => Answer>> = {
    'GET /v1/webhooks': () => [{ items: [...this.#account.subscriptions.values()].map(listItem) }],
    'POST /v1/webhooks': ({ body }) => this.#create(parse(body)),
    'PATCH /v1/webhooks/{}': ({ id, body }) => this.#update(this.#find(id), parse(body)),
    'DELETE /v1/webhooks/{}': ({ id }) => this.#delete(this.#find(id)),
    'POST /v1/webhooks/{}/test': ({ id }) => this.#test(this.#find(id)),
    'GET /v1/webhooks/{}/deliveries': ({ id, query }) => [{ items: this.#deliveries(this.#find(id), query) }],
    'GET /v1/webhook-events/samples': ({ query }) => [this.#samples(query)],
  };

  constructor(account: Account, dispatcher: Dispatcher, options: ApiOptions) {
    this.#account = account;
    this.#dispatcher = dispatcher;
    this.#options = options;
  }

  #has(trap: WebhooksTrap): boolean {
    return this.#options.traps.has(trap);
  }

  #find(id: string): Subscription {
    const found = this.#account.subscriptions.get(id);
    if (found === undefined) throw refused(404, 'not_found', 'webhook endpoint not found');
    return found;
  }

  #create(body: Readonly<Record<string, unknown>>): Answer {
    if (this.#has('rate-429')) throw refused(429, 'too_many_requests', 'too many requests');
    if (this.#has('failed-create')) throw refused(503, 'unavailable', 'the storage is away');
    const address = this.#checkedUrl(body['url']);
    const listed = checkedEvents(body['events'] ?? []);
    if (this.#account.subscriptions.size >= QUOTA) {
      throw refused(429, 'too_many_requests', `webhook endpoint limit reached (${QUOTA})`);
    }
    const { id, secret, url, events, status } = this.#account.subscribe(address, listed, this.#options.now());
    if (this.#has('created-but-503')) throw refused(503, 'unavailable', 'the storage is away');
    return [{ endpoint_id: id, secret, url, events, status }, 'lost-create'];
  }

  /** Rules 4 and 5: no events clear the list, no url stays. Only a new url enables again (§3). */
  #update(subscription: Subscription, body: Readonly<Record<string, unknown>>): Answer {
    const url = body['url'] ? this.#checkedUrl(body['url']) : subscription.url;
    const events = checkedEvents(body['events'] ?? []);
    if (url !== subscription.url) Object.assign(subscription, { url, status: ACTIVE, consecutive_failures: 0 });
    subscription.events = this.#has('update-clears-events') ? [] : events;
    subscription.updated_at = instant(this.#options.now());
    const item = listItem(subscription);
    if (this.#has('other-editor')) subscription.events = [...new Set([...subscription.events, 'webhook.ping'])];
    return [{ item }, 'lost-update'];
  }

  #delete({ id }: Subscription): Answer {
    if (this.#has('delete-not-ok')) return [{ ok: false }];
    this.#account.subscriptions.delete(id);
    return [{ ok: true }, 'lost-delete'];
  }

  #test(subscription: Subscription): Answer {
    if (this.#has('test-not-queued')) return [{ event_id: '', queued: false }];
    const event = syntheticEvent(this.#account.newId('evt_'), 'webhook.ping', this.#options.now());
    if (this.#has('disabled-mid-wait')) subscription.status = DISABLED;
    const isSent = subscription.events.includes(event.type) || !this.#has('ping-needs-listing');
    if (isSent && !this.#has('no-log-item')) this.#dispatcher.queue(subscription, event);
    return [{ event_id: event.id, queued: true }, 'lost-test'];
  }

  #deliveries({ id }: Subscription, query: URLSearchParams): readonly LogItem[] {
    const page = this.#has('ignored-page') ? 1 : whole(query, 'page', 1);
    const size = whole(query, 'page_size', 20, 100);
    const all = this.#account.log.filter((item) => item.endpoint_id === id).reverse();
    const [latest] = all;
    if (this.#has('shifting-pages') && latest !== undefined) {
      this.#account.log.push({ ...latest, id: this.#account.newId('dlv_') });
    }
    return all.slice((page - 1) * size, page * size);
  }

  #samples(query: URLSearchParams): readonly Envelope[] {
    const [type = 'summary.completed'] = checkedEvents([query.get('event') ?? 'summary.completed']);
    const limit = whole(query, 'limit', 3, 10);
    const real = this.#account.events.filter((event) => event.type === type).slice(0, limit);
    const id = this.#account.newId('evt_sample_');
    return real.length > 0 ? real : [syntheticEvent(id, type, this.#options.now())];
  }

  #checkedUrl(value: unknown): string {
    if (typeof value !== 'string' || value === '') throw badRequest('url is required');
    const url = withoutHostile(value);
    if (!URL.canParse(url)) throw badRequest('url is invalid');
    const address = new URL(url);
    const isLocal = isLoopback(address);
    if (isLocal && this.#options.loopbackReceivers) return url;
    if (address.protocol !== 'https:') throw badRequest('url must be https');
    if (isLocal) throw badRequest('url must be publicly resolvable');
    return url;
  }
}

function badRequest(message: string): Refusal {
  return refused(400, 'bad_request', message);
}

function parse(body: string): Readonly<Record<string, unknown>> {
  const value = tryParseJson(body);
  if (value === undefined) throw badRequest('the body is not JSON');
  if (isObject(value)) return value;
  throw badRequest('the body must be an object');
}

function checkedEvents(value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw badRequest('events must be an array');
  const types = value.map((type: unknown) => (typeof type === 'string' ? withoutHostile(type) : ''));
  const unknown = types.find((type) => !EVENT_TYPES.has(type));
  if (unknown !== undefined) throw badRequest(`unknown event type: ${unknown}`);
  return [...new Set(types)];
}

function whole(query: URLSearchParams, name: string, otherwise: number, max = Number.MAX_SAFE_INTEGER): number {
  const text = query.get(name) ?? String(otherwise);
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= max) return number;
  throw badRequest(`${name} is invalid`);
}
