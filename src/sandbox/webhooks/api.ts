/** The endpoints of doc 2 §4 below /v1, as the document tells them. It knows nothing of how svc reads them. */

import { isObject } from '../../json-object.ts';
import { type WebhooksTrap, withoutHostile } from '../traps.ts';
import {
  ACTIVE,
  type Account,
  DISABLED,
  type Envelope,
  EVENT_TYPES,
  identifier,
  instant,
  type LogItem,
  listItem,
  QUOTA,
  type Subscription,
  syntheticEvent,
} from './account.ts';
import { type Dispatcher, isLoopback } from './dispatcher.ts';

export interface Call {
  readonly method: string;
  /** Decoded, without `/v1` and the first slash. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly json: unknown;
  /** The connection is cut instead. */
  readonly lost?: boolean;
}

export class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export interface ApiOptions {
  readonly now: () => number;
  readonly random: () => number;
  readonly traps: ReadonlySet<WebhooksTrap>;
  /** Receivers on this machine may be subscribed by http. */
  readonly loopbackReceivers: boolean;
}

export class RecordingsApi {
  readonly #account: Account;
  readonly #dispatcher: Dispatcher;
  readonly #options: ApiOptions;

  constructor(account: Account, dispatcher: Dispatcher, options: ApiOptions) {
    this.#account = account;
    this.#dispatcher = dispatcher;
    this.#options = options;
  }

  handle({ method, path, query, body }: Call): Answer {
    const [collection, id, part, ...more] = path;
    const wanted =
      more.length > 0 ? '' : `${method} ${collection}${id === undefined ? '' : '/{id}'}${part ? `/${part}` : ''}`;
    if (method === 'GET' && collection === 'webhook-events' && id === 'samples' && part === undefined) {
      return ok(this.#samples(query));
    }
    switch (wanted) {
      case 'GET webhooks':
        return ok({ items: [...this.#account.subscriptions.values()].map(listItem) });
      case 'POST webhooks':
        return this.#create(parse(body));
      case 'PATCH webhooks/{id}':
        return this.#update(this.#find(id), parse(body));
      case 'DELETE webhooks/{id}':
        return this.#delete(this.#find(id));
      case 'POST webhooks/{id}/test':
        return this.#test(this.#find(id));
      case 'GET webhooks/{id}/deliveries':
        return ok({ items: this.#deliveries(this.#find(id), query) });
      default:
        throw new Refusal(404, 'not_found', 'there is no such endpoint');
    }
  }

  #trap(name: WebhooksTrap): boolean {
    return this.#options.traps.has(name);
  }

  #find(id = ''): Subscription {
    const found = this.#account.subscriptions.get(id);
    if (found === undefined) throw new Refusal(404, 'not_found', 'webhook endpoint not found');
    return found;
  }

  #create(body: Readonly<Record<string, unknown>>): Answer {
    if (this.#trap('rate-429')) throw new Refusal(429, 'too_many_requests', 'too many requests');
    if (this.#trap('failed-create')) throw new Refusal(503, 'unavailable', 'the storage is away');
    const url = this.#checkedUrl(body['url']);
    const events = checkedEvents(body['events'] ?? []);
    if (this.#account.subscriptions.size >= QUOTA) {
      throw new Refusal(429, 'too_many_requests', `webhook endpoint limit reached (${QUOTA})`);
    }
    const { now, random } = this.#options;
    const subscription: Subscription = {
      id: identifier('ep_', random),
      secret: identifier('whsec_', random, 32),
      url,
      events,
      status: ACTIVE,
      consecutive_failures: 0,
      created_at: instant(now()),
      updated_at: instant(now()),
    };
    this.#account.subscriptions.set(subscription.id, subscription);
    if (this.#trap('created-but-503')) throw new Refusal(503, 'unavailable', 'the storage is away');
    const { id, secret, status } = subscription;
    return { ...ok({ endpoint_id: id, secret, url, events, status }), lost: this.#trap('lost-create') };
  }

  /** Rules 4 and 5: without events the list is cleared; an empty or missing url stays. Only another url enables again (§3). */
  #update(subscription: Subscription, body: Readonly<Record<string, unknown>>): Answer {
    const { url: asked } = body;
    const url = asked === undefined || asked === '' ? subscription.url : this.#checkedUrl(asked);
    const events = checkedEvents(body['events'] ?? []);
    if (url !== subscription.url) {
      subscription.url = url;
      subscription.status = ACTIVE;
      subscription.consecutive_failures = 0;
    }
    subscription.events = this.#trap('update-clears-events') ? [] : events;
    subscription.updated_at = instant(this.#options.now());
    const answer = ok({ item: listItem(subscription) });
    if (this.#trap('other-editor')) subscription.events = [...new Set([...subscription.events, 'webhook.ping'])];
    return { ...answer, lost: this.#trap('lost-update') };
  }

  #delete({ id }: Subscription): Answer {
    if (this.#trap('delete-not-ok')) return ok({ ok: false });
    this.#account.subscriptions.delete(id);
    return { ...ok({ ok: true }), lost: this.#trap('lost-delete') };
  }

  #test(subscription: Subscription): Answer {
    const { now, random } = this.#options;
    const event: Envelope = {
      id: identifier('evt_', random),
      type: 'webhook.ping',
      created_at: instant(now()),
      data: {},
    };
    if (this.#trap('test-not-queued')) return ok({ event_id: '', queued: false });
    if (this.#trap('disabled-mid-wait')) subscription.status = DISABLED;
    const listed = subscription.events.includes(event.type) || !this.#trap('ping-needs-listing');
    if (listed && !this.#trap('no-log-item')) this.#dispatcher.queue(subscription, event);
    return { ...ok({ event_id: event.id, queued: true }), lost: this.#trap('lost-test') };
  }

  #deliveries({ id }: Subscription, query: URLSearchParams): readonly LogItem[] {
    const page = this.#trap('ignored-page') ? 1 : whole(query, 'page', 1);
    const size = whole(query, 'page_size', 20, 100);
    const all = this.#account.log.filter((item) => item.endpoint_id === id).reverse();
    const latest = all[0];
    if (this.#trap('shifting-pages') && latest !== undefined) {
      this.#account.log.push({ ...latest, id: identifier('dlv_', this.#options.random) });
    }
    return all.slice((page - 1) * size, page * size);
  }

  #samples(query: URLSearchParams): readonly Envelope[] {
    const [type = 'summary.completed'] = checkedEvents([query.get('event') ?? 'summary.completed']);
    const limit = whole(query, 'limit', 3, 10);
    const real = this.#account.events.filter((event) => event.type === type).slice(0, limit);
    const { now, random } = this.#options;
    return real.length > 0 ? real : [syntheticEvent(identifier('evt_sample_', random), type, now())];
  }

  #checkedUrl(value: unknown): string {
    if (typeof value !== 'string' || value === '') throw new Refusal(400, 'bad_request', 'url is required');
    const url = withoutHostile(value);
    if (!URL.canParse(url)) throw new Refusal(400, 'bad_request', 'url is invalid');
    const address = new URL(url);
    const local = this.#options.loopbackReceivers && isLoopback(address);
    if (address.protocol !== 'https:' && !local) throw new Refusal(400, 'bad_request', 'url must be https');
    if (isLoopback(address) && !local) throw new Refusal(400, 'bad_request', 'url must be publicly resolvable');
    return url;
  }
}

function ok(json: unknown): Answer {
  return { status: 200, json };
}

function parse(body: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new Refusal(400, 'bad_request', 'the body is not JSON');
  }
  if (isObject(value)) return value;
  throw new Refusal(400, 'bad_request', 'the body must be an object');
}

function checkedEvents(value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw new Refusal(400, 'bad_request', 'events must be an array');
  const types = value.map((type: unknown) => (typeof type === 'string' ? withoutHostile(type) : ''));
  const unknown = types.find((type) => !EVENT_TYPES.has(type));
  if (unknown !== undefined) throw new Refusal(400, 'bad_request', `unknown event type: ${unknown}`);
  return [...new Set(types)];
}

function whole(query: URLSearchParams, name: string, otherwise: number, most = Number.MAX_SAFE_INTEGER): number {
  const text = query.get(name) ?? String(otherwise);
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= most) return number;
  throw new Refusal(400, 'bad_request', `${name} is invalid`);
}
