/** The recording service on loopback, emulated from its document, to try `svc` out and to test. */
import { isObject, tryParseJson } from '../../json-object.ts';
import {
  type EmulatorOptions,
  findRoute,
  isLoopbackHost,
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
  EVENT_TYPES,
  instant,
  listItem,
  QUOTA,
  type Subscription,
  seedDemo,
  syntheticEvent,
} from './account.ts';
import { Dispatcher } from './dispatcher.ts';
import { OAuth } from './oauth.ts';
import { sameText } from './oauth-clients.ts';

export interface RecordingsEmulatorOptions extends EmulatorOptions {
  readonly random: () => number;
  /** Divides the times until dispatch and retry, and the lifetimes of tokens. */
  readonly fast?: number;
  readonly receiverMs?: number;
  /** Certificates (PEM) that receivers on this machine may have. */
  readonly receiverCa?: string;
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
  const { port, now, random, seed, fast = 1 } = options;
  const traps = new Set<WebhooksTrap>();
  const account = new Account(random);
  const token = account.newId('pat_sandbox_', 24);
  if (seed === 'demo') seedDemo(account, now());
  const dispatcher = new Dispatcher(account, { ...options, fast });
  const oauth = new OAuth({ now, fast, traps });
  const service: Service = { account, dispatcher, now, traps };
  const accepts = (bearer: string) => sameText(bearer, token) || oauth.accepts(bearer);
  const server: LocalServer = await startServer({
    port,
    now,
    respond: (request) => oauth.respond(request, server.url) ?? respond(service, accepts, request),
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

/** What the endpoints answer from. */
interface Service {
  readonly account: Account;
  readonly dispatcher: Dispatcher;
  readonly now: () => number;
  readonly traps: ReadonlySet<WebhooksTrap>;
}

function respond(service: Service, accepts: (bearer: string) => boolean, request: Request): Response {
  const { traps } = service;
  const answer = (status: number, value: unknown): Response =>
    json(status, traps.has('hostile-text') ? hostile(value, /^secret$/) : value);
  try {
    const bearer = /^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (request.path.startsWith('/v1/') && !accepts(bearer)) {
      throw refused(401, 'unauthorized', 'missing or invalid bearer token');
    }
    const [route, [part = ''] = []] = findRoute(ROUTES, `${request.method} ${request.path}`) ?? [];
    if (route === undefined) throw refused(404, 'not_found', 'there is no such endpoint');
    const id = withoutHostile(decodeURIComponent(part));
    const query = new URLSearchParams(request.query);
    const [value, lostBy] = route(service, { id, query, body: request.body.toString('utf8') });
    return { ...answer(200, value), lost: lostBy !== undefined && traps.has(lostBy) };
  } catch (error) {
    if (error instanceof Refusal) return answer(error.status, error.value);
    throw error;
  }
}

interface ApiRequest {
  readonly id: string;
  readonly query: URLSearchParams;
  readonly body: string;
}

/** The JSON of a 200, and the trap that loses it. */
type Answer = readonly [value: unknown, lostBy?: WebhooksTrap];

const ROUTES: Readonly<Record<string, (service: Service, request: ApiRequest) => Answer>> = {
  'GET /v1/webhooks': ({ account }) => [{ items: [...account.subscriptions.values()].map(listItem) }],
  'POST /v1/webhooks': createEndpoint,
  'PATCH /v1/webhooks/{}': updateEndpoint,
  'DELETE /v1/webhooks/{}': deleteEndpoint,
  'POST /v1/webhooks/{}/test': testEndpoint,
  'GET /v1/webhooks/{}/deliveries': listDeliveries,
  'GET /v1/webhook-events/samples': listSamples,
};

function refused(status: number, code: string, message: string): Refusal {
  return new Refusal(status, { error: { code, message } });
}

function findEndpoint({ account }: Service, { id }: ApiRequest): Subscription {
  const found = account.subscriptions.get(id);
  if (found === undefined) throw refused(404, 'not_found', 'webhook endpoint not found');
  return found;
}

function createEndpoint(service: Service, request: ApiRequest): Answer {
  const { account, traps, now } = service;
  if (traps.has('rate-429')) throw refused(429, 'too_many_requests', 'too many requests');
  if (traps.has('failed-create')) throw refused(503, 'unavailable', 'the storage is away');
  const body = parse(request.body);
  const address = checkedUrl(body['url']);
  const listed = checkedEvents(body['events'] ?? []);
  if (account.subscriptions.size >= QUOTA) {
    throw refused(429, 'too_many_requests', `webhook endpoint limit reached (${QUOTA})`);
  }
  const { id, secret, url, events, status } = account.subscribe(address, listed, now());
  if (traps.has('created-but-503')) throw refused(503, 'unavailable', 'the storage is away');
  return [{ endpoint_id: id, secret, url, events, status }, 'lost-create'];
}

/** Rules 4 and 5: no events clear the list, no url stays. Only a new url enables again (§3). */
function updateEndpoint(service: Service, request: ApiRequest): Answer {
  const subscription = findEndpoint(service, request);
  const { traps, now } = service;
  const body = parse(request.body);
  const url = body['url'] ? checkedUrl(body['url']) : subscription.url;
  const events = checkedEvents(body['events'] ?? []);
  if (url !== subscription.url) Object.assign(subscription, { url, status: ACTIVE, consecutive_failures: 0 });
  subscription.events = traps.has('update-clears-events') ? [] : events;
  subscription.updated_at = instant(now());
  const item = listItem(subscription);
  if (traps.has('other-editor')) subscription.events = [...new Set([...subscription.events, 'webhook.ping'])];
  return [{ item }, 'lost-update'];
}

function deleteEndpoint(service: Service, request: ApiRequest): Answer {
  const { id } = findEndpoint(service, request);
  if (service.traps.has('delete-not-ok')) return [{ ok: false }];
  service.account.subscriptions.delete(id);
  return [{ ok: true }, 'lost-delete'];
}

function testEndpoint(service: Service, request: ApiRequest): Answer {
  const subscription = findEndpoint(service, request);
  const { account, dispatcher, traps, now } = service;
  if (traps.has('test-not-queued')) return [{ event_id: '', queued: false }];
  const event = syntheticEvent(account.newId('evt_'), 'webhook.ping', now());
  if (traps.has('disabled-mid-wait')) subscription.status = DISABLED;
  const isSent = subscription.events.includes(event.type) || !traps.has('ping-needs-listing');
  if (isSent && !traps.has('no-log-item')) dispatcher.queue(subscription, event);
  return [{ event_id: event.id, queued: true }, 'lost-test'];
}

function listDeliveries(service: Service, request: ApiRequest): Answer {
  const { id } = findEndpoint(service, request);
  const { account, traps } = service;
  const page = traps.has('ignored-page') ? 1 : readCount(request, 'page', 1);
  const size = readCount(request, 'page_size', 20, 100);
  const all = account.log.filter((item) => item.endpoint_id === id).reverse();
  const [latest] = all;
  if (traps.has('shifting-pages') && latest !== undefined) account.log.push({ ...latest, id: account.newId('dlv_') });
  return [{ items: all.slice((page - 1) * size, page * size) }];
}

function listSamples({ account, now }: Service, request: ApiRequest): Answer {
  const [type = 'summary.completed'] = checkedEvents([request.query.get('event') ?? 'summary.completed']);
  const limit = readCount(request, 'limit', 3, 10);
  const real = account.events.filter((event) => event.type === type).slice(0, limit);
  return [real.length > 0 ? real : [syntheticEvent(account.newId('evt_sample_'), type, now())]];
}

/** Https, as at the real service, or on this machine. */
function checkedUrl(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw badRequest('url is required');
  const url = withoutHostile(value);
  if (!URL.canParse(url)) throw badRequest('url is invalid');
  const { protocol, host } = new URL(url);
  if (protocol !== 'https:' && !isLoopbackHost(host)) throw badRequest('url must be https');
  return url;
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

function readCount({ query }: ApiRequest, name: string, otherwise: number, max = Number.MAX_SAFE_INTEGER): number {
  const text = query.get(name) ?? String(otherwise);
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= max) return number;
  throw badRequest(`${name} is invalid`);
}
