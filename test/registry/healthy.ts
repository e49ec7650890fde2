/** Handwritten responses of a healthy service. Its texts have characters that must never reach a terminal unescaped. */
import type { ServiceName } from '../../src/http/target.ts';
import type { Received } from '../support/servers.ts';

/** The body of a success, empty where the interface has none; undefined for what these tests do not know. */
type Answers = (method: string, path: string, run: readonly Received[]) => string | undefined;

const HOSTILE = 'red \u001b[31m \u202e \u009b2J \u65e5\u672c\u8a9e';

const ALERT = {
  labels: { alertname: 'NodeDown', severity: 'critical', team: 'db', instance: HOSTILE },
  annotations: { summary: `the node is down, and nobody knows for how long it has been: ${HOSTILE}` },
  generatorURL: 'http://prometheus.example:9090/graph?g0.expr=up',
  receivers: [{ name: 'pager' }, { name: 'platform-chat' }],
  fingerprint: '1a58c20e77c09d3b',
  startsAt: '2026-01-15T11:00:00.000Z',
  updatedAt: '2026-01-15T11:30:00.000Z',
  endsAt: '2026-01-15T12:10:00.000Z',
  status: { state: 'active', silencedBy: [], inhibitedBy: [] },
};
const ALERTS = [
  ALERT,
  {
    ...ALERT,
    labels: { alertname: 'DiskFull', team: 'web' },
    fingerprint: '77c09d3b1a58c20e',
    status: { state: 'suppressed', silencedBy: ['2f1a4c0e-1111-4222-8333-444455556666'], inhibitedBy: [] },
  },
];
const SILENCE = {
  id: '2f1a4c0e-1111-4222-8333-444455556666',
  matchers: [{ name: 'alertname', value: 'NodeDown', isRegex: false, isEqual: true }],
  startsAt: '2026-01-15T11:00:00.000Z',
  updatedAt: '2026-01-15T11:00:00.000Z',
  endsAt: '2026-01-15T13:00:00.000Z',
  createdBy: 'ann',
  comment: HOSTILE,
  status: { state: 'active' },
};
const EXPIRED = {
  ...SILENCE,
  id: '77c09d3b-1111-4222-8333-444455556666',
  endsAt: '2026-01-15T11:30:00.000Z',
  status: { state: 'expired' },
};
const STATUS = {
  cluster: { name: 'one', status: 'ready', peers: [{ name: 'one', address: '10.0.0.1:9094' }] },
  config: { original: `route:\n  receiver: pager\nreceivers:\n  - name: pager # ${HOSTILE}\n` },
  uptime: '2026-01-01T00:00:00.000Z',
  versionInfo: {
    branch: 'HEAD',
    buildDate: '20230101-00:00:00',
    buildUser: 'debian',
    goVersion: 'go1.19',
    revision: '0.25.0',
    version: '0.25.0',
  },
};

const ALERT_MANAGER: Readonly<Record<string, unknown>> = {
  'GET /alerts': ALERTS,
  'GET /alerts/groups': [{ labels: { team: 'db' }, receiver: { name: 'pager' }, alerts: ALERTS }],
  'GET /receivers': [{ name: 'pager' }, { name: HOSTILE }],
  'GET /status': STATUS,
  'GET /silences': [SILENCE, EXPIRED],
  [`GET /silence/${SILENCE.id}`]: SILENCE,
  [`GET /silence/${EXPIRED.id}`]: EXPIRED,
  'POST /alerts': '',
  'POST /silences': { silenceID: SILENCE.id },
  [`DELETE /silence/${SILENCE.id}`]: '',
};

const SUBSCRIPTION = {
  id: 'ep_1',
  url: `https://192.0.2.8/example/${HOSTILE}`,
  events: ['summary.completed', 'webhook.ping'],
  status: 1,
  consecutive_failures: 14,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-15T11:30:00Z',
};
const DISABLED = { ...SUBSCRIPTION, id: 'ep_2', url: 'https://192.0.2.9/hook', status: 2, consecutive_failures: 20 };

const DELIVERED = {
  id: 'dlv_1',
  endpoint_id: 'ep_1',
  event_id: 'evt_1',
  event_type: 'webhook.ping',
  status: 1,
  attempts: 2,
  last_error: `http_502 ${HOSTILE}`,
  delivered_at: '2026-01-15T11:31:00Z',
  created_at: '2026-01-15T11:30:00Z',
};
const PENDING = { ...DELIVERED, id: 'dlv_2', event_id: 'evt_2', status: 0, delivered_at: '' };
const EVENT = {
  id: 'evt_1',
  type: 'summary.completed',
  created_at: '2026-01-15T11:30:00Z',
  data: { audio_id: 'aud_1', title: HOSTILE, transcript: { text: HOSTILE, truncated: false } },
};

const RECORDINGS: Readonly<Record<string, unknown>> = {
  'GET /webhooks': { items: [SUBSCRIPTION, DISABLED] },
  'POST /webhooks': {
    endpoint_id: 'ep_3',
    secret: 'whsec_c2VjcmV0',
    url: `https://192.0.2.7/new${HOSTILE}`,
    events: ['summary.completed'],
    status: 1,
  },
  'POST /webhooks/ep_1/test': { event_id: 'evt_1', queued: true },
  'GET /webhooks/ep_1/deliveries': { items: [DELIVERED, PENDING] },
  'GET /webhooks/ep_2/deliveries': { items: [{ ...DELIVERED, status: 2 }] },
  'POST /webhooks/ep_3/test': { event_id: 'evt_1', queued: true },
  'GET /webhooks/ep_3/deliveries': { items: [DELIVERED] },
  'GET /webhook-events/samples': [EVENT, { ...EVENT, id: 'evt_sample_1', data: {} }],
  'DELETE /webhooks/ep_1': { ok: true },
  'DELETE /webhooks/ep_2': { ok: true },
};

const PRODUCT_ID = '5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10';
/** The same product at another store. */
const MATCHED_ID = '6a0d5c3e-1b2f-4c4d-8e57-9c3f2a1b0d11';
const PRODUCT = {
  canonical_product_id: PRODUCT_ID,
  title: `Milk 3.2% ${HOSTILE}`,
  brand: HOSTILE,
  price_from: 89.9,
  price_unit: 'RUB',
  sources_count: 2,
  observed_at_latest: '2026-01-15T11:30:00Z',
  image_url: `https://img.example/${HOSTILE}`,
  parsers: ['fixprice', HOSTILE],
};
const SOURCE = {
  id: 7,
  canonical_product_id: PRODUCT_ID,
  parser_name: 'fixprice',
  source_id: 'receiver:run-1:1',
  title_original: HOSTILE,
  price: 99.9,
  discount_price: '89.90',
  loyal_price: null,
  price_unit: 'RUB',
  promo: true,
  adult: false,
  available_count: 12.0,
  observed_at: '2026-01-15T11:30:00Z',
  image_urls: [],
  primary_category: { id: 1, source_uid: 'milk', title: HOSTILE },
  settlement: { id: 3, name: HOSTILE, region: 'Moscow', country: 'RU' },
};
const SNAPSHOT = {
  ...SOURCE,
  valid_from_at: '2026-01-14T00:00:00Z',
  valid_to_at: null,
  source_event_uid: HOSTILE,
};
const EARLIER_SNAPSHOT = {
  ...SNAPSHOT,
  id: 6,
  price: 109.9,
  discount_price: null,
  observed_at: '2026-01-13T00:00:00Z',
  valid_from_at: '2026-01-10T00:00:00Z',
  valid_to_at: '2026-01-13T00:00:00Z',
};
const CATEGORY = {
  id: 1,
  parser_name: 'fixprice',
  source_uid: 'food',
  parent_source_uid: null,
  title: HOSTILE,
  depth: 0,
  updated_at: '2026-01-15T11:30:00Z',
};
const SETTLEMENT = { id: 3, name: HOSTILE, region: 'Moscow', region_normalized: 'moscow', country: 'RU' };
const page = (...items: readonly unknown[]) => ({ items, meta: { limit: 100, offset: 0, total: items.length } });

const CATALOG: Readonly<Record<string, unknown>> = {
  'GET /healthz': { status: 'ok' },
  'GET /products': page(
    PRODUCT,
    { ...PRODUCT, canonical_product_id: HOSTILE, price_from: null },
    { ...PRODUCT, canonical_product_id: MATCHED_ID, parsers: ['chizhik'] },
  ),
  'GET /products/count': { products_count: 2, stores: ['fixprice'], regions: [HOSTILE] },
  'GET /products/common/count': {
    scope: 'stores',
    common_products_count: 1,
    required_stores: 2,
    required_regions: null,
    stores: [HOSTILE],
    regions: null,
  },
  [`GET /products/${PRODUCT_ID}`]: PRODUCT,
  [`GET /products/${PRODUCT_ID}/sources`]: page(SOURCE),
  [`GET /products/${MATCHED_ID}/sources`]: page({
    ...SOURCE,
    canonical_product_id: MATCHED_ID,
    parser_name: 'chizhik',
  }),
  [`GET /products/${PRODUCT_ID}/snapshots`]: page(SNAPSHOT, EARLIER_SNAPSHOT),
  [`GET /products/${PRODUCT_ID}/dynamics`]: {
    dates: ['2026-01-13T12:00:00Z', '2026-01-14T12:00:00Z', '2026-01-15T12:00:00Z'],
    values: [99.9, null, 89.9],
    meta: { canonical_product_id: PRODUCT_ID, parser_name: 'fixprice', source_id: HOSTILE, field: 'price' },
  },
  'GET /categories': page(CATEGORY, { ...CATEGORY, id: 2, source_uid: 'milk', parent_source_uid: 'food' }),
  'GET /categories/1': CATEGORY,
  'GET /settlements': page(SETTLEMENT),
  'GET /settlements/3': SETTLEMENT,
  'GET /sync/cursors': {
    items: [{ parser_name: 'fixprice', ingested_at: '2026-01-15T11:30:00+00:00', product_id: 7, updated_at: HOSTILE }],
  },
};

const OFFER = {
  t: 0,
  offerId: 1,
  currency: 'EUR/USD',
  instrumentType: 1,
  ratePrecision: 5,
  pip: 0.0001,
  pipCost: 0.1,
  sell: 1.16,
  buy: 1.16013,
  high: 1.161,
  low: 1.159,
  spread: 1.3,
  mmr: 38.41,
  time: '2026-01-15T11:59:59.000Z',
  buyTradable: true,
  sellTradable: true,
  minQuantity: 1,
  maxQuantity: 50_000,
  instrBaseUnitSize: 1,
};
const ACCOUNT = {
  t: 6,
  accountId: '654061',
  accountName: '00654061',
  balance: 50_000,
  equity: 49_990.5,
  usableMargin: 49_000,
  grossPL: -9.5,
  dayPL: -9.5,
  mc: 'N',
  hedging: 'Y',
};
const POSITION = {
  t: 1,
  tradeId: '170162801',
  accountId: '654061',
  currency: 'EUR/USD',
  ratePrecision: 5,
  isBuy: true,
  amountK: 5,
  open: 1.1619,
  close: 1.16,
  grossPL: -9.5,
  visiblePL: -19,
  stop: 0,
  limit: 1.17,
  time: '01152026110000000',
};
const ORDER = {
  t: 3,
  orderId: '390285837',
  tradeId: '170162802',
  accountId: '654061',
  currency: 'EUR/USD',
  ratePrecision: 5,
  isBuy: true,
  buy: 1.15,
  sell: 0,
  type: 'LE',
  status: 1,
  amountK: 10,
  stopRate: 1.14,
  limitRate: 0,
  timeInForce: 'GTC',
  expireDate: '',
  ocoBulkId: 0,
  time: '01152026110000',
};
const SUMMED = {
  t: 5,
  offerId: 1,
  currency: 'EUR/USD',
  ratePrecision: 5,
  amountKSell: 0,
  avgSell: 0,
  amountKBuy: 5,
  avgBuy: 1.1619,
  grossPL: -9.5,
  netPL: -10,
};

/** A plain row of each table, then hostile rows, then a total. */
const TABLES: Readonly<Record<string, readonly [rows: string, plain: object, ...more: object[]]>> = {
  Offer: ['offers', OFFER, { ...OFFER, offerId: 2, currency: HOSTILE, sellTradable: false, time: HOSTILE }],
  Account: ['accounts', ACCOUNT, { ...ACCOUNT, accountId: '654062', accountName: HOSTILE, mc: 'Y', hedging: HOSTILE }],
  OpenPosition: ['open_positions', POSITION, { ...POSITION, tradeId: '170162803', currency: HOSTILE }],
  ClosedPosition: ['closed_positions', { ...POSITION, tradeId: '1', openTime: HOSTILE, closeTime: '01152026113000' }],
  Order: [
    'orders',
    ORDER,
    { ...ORDER, orderId: '390285838', currency: HOSTILE, type: HOSTILE, timeInForce: HOSTILE, time: HOSTILE },
  ],
  Summary: ['summary', SUMMED, { ...SUMMED, offerId: 2, currency: HOSTILE }],
  LeverageProfile: ['leverage_profile', { profile: HOSTILE }],
  Properties: ['properties', { [HOSTILE]: HOSTILE }],
};

export function gatewayRow(model: string): Readonly<Record<string, unknown>> {
  return (TABLES[model]?.[1] ?? {}) as Readonly<Record<string, unknown>>;
}

const GONE: Readonly<Record<string, string>> = {
  OpenPosition: '/trading/close_all_for_symbol',
  Order: '/trading/delete_order',
};

function trading(method: string, path: string, run: readonly Received[]): unknown {
  const { searchParams } = new URL(run.at(-1)?.path ?? '', 'http://gateway');
  const model = path === '/trading/get_model/Accounts' ? 'Account' : searchParams.get('models');
  const [rows, ...table] = TABLES[model ?? ''] ?? [];
  const executed = { response: { executed: true, error: '' } };
  // What the run closed and canceled is gone.
  const isGone = run.some((one) => one.path === GONE[model ?? '']);
  if (isGone && rows !== undefined) return { ...executed, [rows]: [] };
  if (method === 'GET' && path.startsWith('/trading/get_model') && rows !== undefined) {
    return { ...executed, [rows]: [...table, { isTotal: true, accountId: '', grossPL: -9.5 }] };
  }
  if (method === 'GET' && path === '/trading/get_instruments') {
    const hidden = ['USD/CHF', HOSTILE].map((symbol, index) => ({ symbol, visible: false, order: index + 2 }));
    return { ...executed, data: { instrument: [{ symbol: 'EUR/USD', visible: true, order: 1 }, ...hidden] } };
  }
  if (method === 'GET' && path === '/candles/1/H1') return { ...executed, ...hourlyCandles(searchParams) };
  if (method !== 'POST') return undefined;
  if (/^(\/trading)?\/subscribe$/.test(path) || path === '/trading/update_subscriptions') return executed;
  return { ...executed, data: { type: 0, orderId: 390_285_839 } };
}

function hourlyCandles(asked: URLSearchParams): object {
  const end = Math.min(Number(asked.get('to')), Date.UTC(2026, 0, 15, 12) / 1000);
  const start = Math.max(Number(asked.get('from')), end - 5 * 3600);
  const candles = [];
  for (let at = Math.ceil(start / 3600) * 3600; at <= end; at += 3600)
    candles.push([at, 1.16, 1.161, 1.162, 1.159, 1.1601, 1.1611, 1.1621, 1.1591, 18_744]);
  return { instrument_id: '1', period_id: 'H1', candles };
}

/** Its responses have its own address and the values of the request. */
function signIn({ method, path, headers, body }: Received): unknown {
  const origin = `http://${headers['host']}`;
  switch (`${method} ${path}`) {
    case 'GET /.well-known/oauth-authorization-server':
      return {
        issuer: origin,
        authorization_endpoint: `${origin}/oauth/authorize`,
        token_endpoint: `${origin}/oauth/token`,
        registration_endpoint: `${origin}/oauth/register`,
        scopes_supported: ['mcp:connect', HOSTILE],
        response_types_supported: ['code'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      };
    case 'POST /oauth/register': {
      const asked = JSON.parse(body) as Readonly<Record<string, unknown>>;
      const secret = asked['token_endpoint_auth_method'] === 'none' ? {} : { client_secret: 'b2F1dGg-secret' };
      return { ...asked, ...secret, client_id: `client_1${HOSTILE}` };
    }
    case 'POST /oauth/token':
      return {
        access_token: 'at-fresh-0123456789',
        token_type: 'Bearer',
        expires_in: 3600,
        refresh_token: 'rt-fresh-0123456789',
        scope: `mcp:connect ${HOSTILE}`,
        email: HOSTILE,
      };
  }
  return undefined;
}

/** Later requests of this run see the updated subscription. */
const recordings: Answers = (method, path, run) => {
  const update = run.findLast((request) => request.method === 'PATCH');
  if (update !== undefined && (method === 'PATCH' || (method === 'GET' && path === '/v1/webhooks'))) {
    const before = update.path.endsWith(DISABLED.id) ? DISABLED : SUBSCRIPTION;
    const change = JSON.parse(update.body) as Partial<typeof SUBSCRIPTION>;
    const item = { ...before, events: [], ...change, status: change.url === undefined ? before.status : 1 };
    return text(method === 'PATCH' ? { item } : { items: [item] });
  }
  return text(RECORDINGS[`${method} ${path.replace(/^\/v1/, '')}`]);
};

const SERVICES: Readonly<Partial<Record<ServiceName, Answers>>> = {
  alerts: (method, path) => text(ALERT_MANAGER[`${method} ${path.replace(/^\/api\/v2/, '')}`]),
  webhooks: recordings,
  catalog: (method, path) => text(CATALOG[`${method} ${path}`]),
  trade: (method, path, run) => text(trading(method, path, run)),
};

function text(value: unknown): string | undefined {
  return value === undefined || value === '' ? (value as '' | undefined) : `${JSON.stringify(value)}\n`;
}

/** `run`: what the command has sent so far, this request among it. */
export function healthyBody(
  service: ServiceName,
  request: Received,
  run: readonly Received[] = [],
): string | undefined {
  const { method, path } = request;
  const answer = SERVICES[service]?.(method, path.replace(/\?.*/, ''), run);
  return answer ?? (service === 'webhooks' ? text(signIn(request)) : undefined);
}
