/** The product catalog on loopback, emulated at the wire: for trying `svc` out, and for its tests. */
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLoopbackHost } from '../alerts/requests.ts';
import { CatalogApi } from './api.ts';
import { demoCatalog, observedAt, remembered, uuidOf } from './demo.ts';
import { history } from './history.ts';
import { Parameters, parseQuery, unquoted } from './parameters.ts';
import { type Catalog, EMPTY_CATALOG, type SourceRow } from './records.ts';
import { Refusal } from './refusal.ts';
import { type CatalogTrap, hostile, withoutHostile } from './traps.ts';

export interface CatalogEmulatorOptions {
  /** Any free one by default. */
  readonly port?: number;
  /** Milliseconds since 1970; the `Date` header says the same, and the data end at the time of the start. */
  readonly now: () => number;
  readonly seed?: 'demo' | 'empty';
  /** What a slow answer takes is divided by this. */
  readonly fast?: number;
  /** Instead of the data of the seed. */
  readonly catalog?: Catalog;
}

export interface CatalogEmulator {
  readonly url: string;
  /** Switches that may be thrown at any time. */
  readonly traps: Set<CatalogTrap>;
  close(): Promise<void>;
}

const SLOW_MS = 3000;

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly location?: string;
}

export async function startCatalogEmulator(options: CatalogEmulatorOptions): Promise<CatalogEmulator> {
  const { port = 0, now, seed = 'empty', fast = 1 } = options;
  const traps = new Set<CatalogTrap>();
  const base = options.catalog ?? (seed === 'demo' ? demoCatalog(now()) : EMPTY_CATALOG);
  let many: Catalog | undefined;
  const catalog = (): Catalog => {
    if (!traps.has('many-products')) return base;
    many ??= withManyProducts(base, now());
    return many;
  };
  const api = new CatalogApi({ catalog, traps });
  const server = http.createServer({ keepAliveTimeout: 0 }, (request, response) => {
    response.sendDate = false;
    const sent = (): void => send(response, answer(api, request, traps), now());
    if (!traps.has('slow-catalog')) return sent();
    const timer = setTimeout(sent, SLOW_MS / fast);
    response.once('close', () => clearTimeout(timer));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    traps,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function answer(
  api: CatalogApi,
  { method, url = '/', headers }: IncomingMessage,
  traps: ReadonlySet<CatalogTrap>,
): Answer {
  // A name that resolves to loopback must not let a web page in (DNS rebinding).
  if (!isLoopbackHost(headers.host)) return plain(403, 'The sandbox answers to loopback addresses only.\n');
  const [rawPath = '', ...rest] = url.split('?');
  const search = rest.join('?');
  const mean = traps.has('hostile-catalog');
  const given = (text: string): string => (mean ? withoutHostile(text) : text);
  const path = unquoted(rawPath).split('/').map(given).join('/');
  try {
    const handler = api.find(path);
    if (handler === undefined) {
      const other = path.endsWith('/') ? path.replace(/\/+$/, '') : `${path}/`;
      if (other === '' || api.find(other) === undefined) throw new Refusal(404, 'Not Found');
      const location = `http://${headers.host}${quoted(other)}${search === '' ? '' : `?${search}`}`;
      return { status: 307, body: '', location };
    }
    if (method !== 'GET') throw new Refusal(405, 'Method Not Allowed', { allow: 'GET' });
    const query = new Map([...parseQuery(search)].map(([name, values]) => [name, values.map(given)]));
    const found = handler(new Parameters(query));
    return json(200, traps.has('wrong-shape') ? { data: found } : found, mean);
  } catch (error) {
    // the framework says no more of what its author did not think of
    if (!(error instanceof Refusal) || error.detail === undefined) return plain(500, 'Internal Server Error');
    return { ...json(error.status, { detail: error.detail }, mean), headers: error.headers };
  }
}

function json(status: number, value: unknown, mean: boolean): Answer {
  return { status, type: 'application/json', body: pythonJson(mean ? hostile(value) : value) };
}

function plain(status: number, body: string): Answer {
  return { status, type: 'text/plain; charset=utf-8', body };
}

/** Nothing but these headers, in this order, as the real server has it. */
function send(response: ServerResponse, { status, type, body, headers = {}, location }: Answer, now: number): void {
  response.removeHeader('connection');
  response.writeHead(status, {
    date: new Date(now).toUTCString(),
    server: 'uvicorn',
    ...headers,
    'content-length': Buffer.byteLength(body),
    ...(location === undefined ? {} : { location }),
    ...(type === undefined ? {} : { 'content-type': type }),
  });
  response.end(body);
}

/** A path as the framework writes it into `location`. */
function quoted(path: string): string {
  return path.replace(/[^A-Za-z0-9_.\-~:/%#?=@[\]!$&'()*+,;]+/gu, encodeURIComponent);
}

/** Fields whose numbers are floats; a list's numbers are what the list is. */
const FLOATS: ReadonlySet<string> = new Set([
  'price',
  'discount_price',
  'loyal_price',
  'price_from',
  'rating',
  'available_count',
  'package_quantity',
  'latitude',
  'longitude',
  'values',
]);

export function pythonJson(value: unknown, name = ''): string {
  if (Array.isArray(value)) return `[${value.map((item) => pythonJson(item, name)).join(',')}]`;
  if (typeof value === 'number') return Number.isInteger(value) && FLOATS.has(name) ? `${value}.0` : String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}:${pythonJson(inner, key)}`);
  return `{${members.join(',')}}`;
}

const MANY = 10_000;
const FIRST_ID = 100_000;

/** `nowMs` in milliseconds since 1970. */
function withManyProducts(base: Catalog, nowMs: number): Catalog {
  const now = Math.floor(nowMs) * 1000;
  const rows = new Map<string, SourceRow>();
  for (let index = 0; index < MANY; index++) {
    const row = rowOf(index, base, observedAt(now, index));
    rows.set(row.canonical_product_id, row);
  }
  return {
    ...base,
    sources: [...base.sources, ...rows.values()],
    snapshots: remembered((id) => {
      const row = rows.get(id);
      return row === undefined ? base.snapshots(id) : history(row, 'wavy');
    }),
  };
}

function rowOf(index: number, { settlements, categories }: Catalog, observed_at: number): SourceRow {
  const title = `Sample product ${String(index + 1).padStart(5, '0')}`;
  const category = categories[index % categories.length] ?? null;
  const parser_name = category?.parser_name ?? 'chizhik';
  return {
    id: FIRST_ID + index,
    canonical_product_id: uuidOf(title),
    parser_name,
    source_id: `receiver:run-many:${index + 1}`,
    plu: String(FIRST_ID + index),
    sku: null,
    title_original: title,
    title_normalized_no_stopwords: title.toLowerCase(),
    brand: `Brand ${index % 97}`,
    price: 20 + ((index * 7919) % 100_000) / 100,
    discount_price: null,
    loyal_price: null,
    price_unit: 'RUB',
    rating: null,
    reviews_count: null,
    promo: false,
    is_new: false,
    hit: false,
    adult: false,
    unit: 'PCE',
    available_count: null,
    package_quantity: null,
    package_unit: null,
    composition_original: null,
    observed_at,
    image_urls: [],
    category,
    settlement: settlements[index % settlements.length] ?? null,
  };
}
