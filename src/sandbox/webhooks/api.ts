/** The endpoints of doc 2 §4 below /v1, as the document describes them. They know nothing of svc. */
import { isObject } from '../../json-object.ts';
import { Refusal } from '../http.ts';
import { type WebhooksTrap, withoutHostile } from '../traps.ts';
import {
  ACTIVE,
  type Account,
  DISABLED,
  type Envelope,
  EVENT_TYPES,
  instant,
  type LogItem,
  listItem,
  QUOTA,
  type Subscription,
  syntheticEvent,
} from './account.ts';
import { type Dispatcher, isLoopback } from './dispatcher.ts';

export interface ApiRequest {
  readonly id: string;
  readonly query: URLSearchParams;
  readonly body: string;
}

/** The JSON of a 200, and the trap that loses it. */
type Answer = readonly [value: unknown, lostBy?: WebhooksTrap];

export interface ApiOptions {
  readonly now: () => number;
  readonly traps: ReadonlySet<WebhooksTrap>;
  /** Receivers on this machine may subscribe by http. */
  readonly loopbackReceivers: boolean;
}

export function refused(status: number, code: string, message: string): Refusal {
  return new Refusal(status, { error: { code, message } });
}

export class RecordingsApi {
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

  /** Rules 4 and 5: without events the list is cleared; an empty or missing url stays. Only another url enables again (§3). */
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
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw badRequest('the body is not JSON');
  }
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
