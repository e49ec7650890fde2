/** The product catalog on loopback, emulated at the wire, for trying `svc` out and for tests. */
import {
  type EmulatorOptions,
  findRoute,
  type LocalServer,
  plain,
  Refusal,
  type Request,
  type Response,
  startServer,
} from '../http.ts';
import type { CatalogTrap } from '../traps.ts';
import { type CatalogRoute, catalogRoutes } from './api.ts';
import { demoCatalog } from './demo.ts';
import { Parameters } from './parameters.ts';
import { type Catalog, EMPTY_CATALOG } from './records.ts';

/** The data end at the time of the start. */
export interface CatalogEmulatorOptions extends EmulatorOptions {
  readonly catalog?: Catalog;
}

export interface CatalogEmulator extends LocalServer {
  readonly traps: Set<CatalogTrap>;
}

export async function startCatalogEmulator({
  port,
  now,
  seed,
  catalog = seed === 'demo' ? demoCatalog(now()) : EMPTY_CATALOG,
}: CatalogEmulatorOptions): Promise<CatalogEmulator> {
  const traps = new Set<CatalogTrap>();
  const routes = catalogRoutes({ traps, catalog });
  const server = await startServer({ port, now, respond: (request) => respond(routes, request) });
  return { ...server, traps };
}

function respond(routes: Readonly<Record<string, CatalogRoute>>, { method, path, query }: Request): Response {
  try {
    const decoded = decodeURIComponent(path);
    const [route, parts] = findRoute(routes, decoded) ?? [];
    if (route === undefined) throw new Refusal(404, { detail: 'Not Found' });
    if (method !== 'GET') throw new Refusal(405, { detail: 'Method Not Allowed' }, { allow: 'GET' });
    return jsonResponse(200, route(new Parameters(new URLSearchParams(query)), parts?.[0] ?? ''));
  } catch (error) {
    if (error instanceof Refusal) return jsonResponse(error.status, error.value, error.headers);
    // The framework says no more about an unexpected error.
    return plain(500, 'Internal Server Error');
  }
}

const SERVER = 'uvicorn';

function jsonResponse(status: number, value: unknown, headers: Response['headers'] = {}): Response {
  return {
    status,
    headers: { server: SERVER, ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(value),
  };
}
