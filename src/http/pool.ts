/** The connections to one origin, with certificates and proxy. Only this file imports undici. */
import type { LookupAddress } from 'node:dns';
import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP, type LookupFunction, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { buildConnector, Dispatcher } from 'undici';
import buildConnect from 'undici/lib/core/connect.js';
import UndiciPool from 'undici/lib/dispatcher/pool.js';
import { SvcError } from '../errors.ts';
import { bare, isLoopback } from './address.ts';
import { ConnectFailure, ProxyFailure } from './failures.ts';
import { isSocks, openTunnel, proxyHeaders } from './proxy.ts';
import { redactText } from './redact.ts';
import type { Outbound, ProxySettings, TlsOptions } from './target.ts';

export type ResponseHandler = Dispatcher.DispatchHandler;
/** What a connection can do with the response. */
export type Flow = Dispatcher.DispatchController;
export type RawHeaders = IncomingHttpHeaders;

export interface PoolRequest {
  readonly method: string;
  /** Begins with a slash, and includes the query. */
  readonly path: string;
  /** Name, value, name, value, in the order and case in which they are sent. */
  readonly headers: readonly string[];
  /** A body in chunks is sent as it is read; an early response ends the connection. */
  readonly body: string | Uint8Array | Iterable<Uint8Array> | undefined;
  /** The longest silence within the body of the response. */
  readonly bodyTimeout: number;
}

type Connect = (options: buildConnector.Options, callback: buildConnector.Callback) => Socket;

const CONNECT_MS = 10_000;
const CONNECTIONS = 32;
/** Shorter than servers wait: a write on a closing connection has no known outcome. */
const KEEP_ALIVE_MS = 2_000;

/** Does not connect yet. Throws for an unusable proxy setting or certificate. */
export async function openPool(to: URL, outbound: Outbound): Promise<Pool> {
  const { tls, proxy: settings, deferWasmTiering } = outbound;
  // Saves 100 of 250 ms on Node 20. Set earlier, it would disable the code cache of Node's own
  // modules.
  if (deferWasmTiering) (await import('node:v8')).setFlagsFromString('--wasm-tiering-budget=1000000000');
  const addresses = outbound.addresses ?? (to.hostname.endsWith('.localhost') ? LOOPBACK : undefined);
  const proxy = addresses === undefined ? proxyFor(to, settings) : undefined;
  const https = to.protocol === 'https:';
  const context = https || proxy?.protocol === 'https:' ? { secureContext: await secureContext(tls) } : {};
  const lookup = addresses === undefined ? {} : { lookup: lookupIn(addresses) };
  const toService = buildConnect({ ...context, ...lookup, rejectUnauthorized: !tls.insecure, timeout: CONNECT_MS });
  if (proxy === undefined) return new Pool(to, undefined, toService);
  const toProxy = connectToProxy(proxy, buildConnect({ ...context, rejectUnauthorized: true, timeout: CONNECT_MS }));
  return new Pool(to, proxy, https || isSocks(proxy) ? connectThrough(proxy, toProxy, toService) : toProxy);
}

/** The proxy for an address, by the environment's variables. Loopback is never proxied. */
export function proxyFor(url: URL, settings: ProxySettings): URL | undefined {
  const https = url.protocol === 'https:';
  const own = https ? settings.https : settings.http;
  const text = own || settings.all;
  if (!text || isLoopback(url) || isExempt(url, settings.noProxy ?? '')) return undefined;
  const named = https ? 'https_proxy' : 'http_proxy';
  const variable = own ? named : 'all_proxy';
  let proxy: URL;
  try {
    proxy = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  } catch {
    throw new SvcError('config_invalid', `${variable} is not a URL: ${JSON.stringify(redactText(text))}`);
  }
  if (!/^(https?|socks5h?):$/.test(proxy.protocol)) {
    const kind = proxy.protocol.slice(0, -1);
    throw new SvcError(
      'config_invalid',
      `${variable} names a ${kind} proxy; svc supports http, https, socks5 and socks5h`,
    );
  }
  if (isSocks(proxy) && proxy.port === '') proxy.port = '1080';
  return proxy;
}

/** `no_proxy`: domains with subdomains, addresses, networks, perhaps ports; `*` is everything. */
function isExempt(url: URL, list: string): boolean {
  const host = bare(url.hostname).replace(/\.$/, '');
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === '*') return true;
      const match = /^(\[[^\]]*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry);
      const name = bare(match?.[1] ?? '').replace(/^\*?\.|\.$/g, '');
      if (name === '' || (match?.[2] !== undefined && match[2] !== port)) return false;
      if (isIP(host) !== 0) return matchesAddress(host, name);
      return host === name || host.endsWith(`.${name}`);
    });
}

function matchesAddress(host: string, entry: string): boolean {
  const [network = '', prefix] = entry.split('/');
  const family = isIP(network);
  if (family === 0 || family !== isIP(host)) return false;
  const kind = family === 6 ? 'ipv6' : 'ipv4';
  const bits = Number(prefix ?? (family === 6 ? 128 : 32));
  if (!Number.isInteger(bits) || bits < 0 || bits > (family === 6 ? 128 : 32)) return false;
  const networks = new BlockList();
  networks.addSubnet(network, bits, kind);
  return networks.check(host, kind);
}

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Connects to known addresses without asking a name server. */
function lookupIn(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, { all }, callback) => {
    const [first] = addresses;
    if (all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}

export class Pool {
  readonly #pool: UndiciPool;
  readonly #connecting = new Set<Socket>();
  /** The first error of each TLS connection, by its local port. */
  readonly #alerts = new Map<number, Error>();
  /** Plain http uses the absolute address at a proxy. */
  readonly #pathPrefix: string;
  readonly #proxyHeaders: readonly string[];

  constructor(to: URL, proxy: URL | undefined, connect: Connect) {
    const https = to.protocol === 'https:';
    const byAddress = proxy !== undefined && !https && !isSocks(proxy);
    this.#pathPrefix = byAddress ? to.origin : '';
    this.#proxyHeaders = byAddress ? Object.entries({ host: to.host, ...proxyHeaders(proxy) }).flat() : [];
    this.#pool = new UndiciPool(byAddress ? proxy.origin : to.origin, {
      connect: this.#watched(connect),
      connections: CONNECTIONS,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      headersTimeout: 0, // the total deadline covers it
    });
  }

  dispatch({ method, path, headers, body, bodyTimeout }: PoolRequest, handler: ResponseHandler): void {
    this.#pool.dispatch(
      {
        method: method as Dispatcher.HttpMethod,
        path: this.#pathPrefix + path,
        headers: [...headers, ...this.#proxyHeaders],
        body: (body ?? null) as string, // any iterable, whatever its type says
        bodyTimeout,
      },
      handler,
    );
  }

  /** undici forgets a TLS alert, such as a refused certificate, if the connection ends after it. */
  firstError(error: unknown): unknown {
    if (!(error instanceof Error && 'socket' in error)) return error;
    const { localPort } = (error.socket ?? {}) as { readonly localPort?: number };
    return this.#alerts.get(localPort ?? 0) ?? error;
  }

  /** Aborts everything at once. */
  async close(): Promise<void> {
    // A connecting socket would keep the process alive for its complete time limit.
    for (const socket of this.#connecting) socket.destroy();
    await this.#pool.destroy();
  }

  /**
   * Remembers sockets that are not connected yet, and marks every failure as one before anything
   * was sent. Without a mark, undici retries forever if a connection fails with its own socket
   * error.
   */
  #watched(connect: Connect): Connect {
    return (options, callback) => {
      const socket = connect(options, (...[error, connected]) => {
        this.#connecting.delete(socket);
        if (error !== null) {
          callback(new ConnectFailure(error), null);
          return;
        }
        const { localPort } = connected;
        if (options.protocol === 'https:' && localPort !== undefined) {
          connected.once('error', (first: Error) => this.#alerts.set(localPort, first));
          connected.once('close', () => setImmediate(() => this.#alerts.delete(localPort)));
        }
        callback(null, connected);
      });
      this.#connecting.add(socket);
      return socket;
    };
  }
}

function connectToProxy(proxy: URL, connect: Connect): Connect {
  const { hostname, host, protocol, port } = proxy;
  return (_options, callback) =>
    connect({ hostname: bare(hostname), host, protocol, port }, (...[error, socket]) => {
      if (error === null) callback(null, socket);
      else callback(new ProxyFailure(proxy, 'could not be reached', { cause: error }), null);
    });
}

function connectThrough(proxy: URL, toProxy: Connect, toService: Connect): Connect {
  return (options, callback) => {
    const socket = toProxy(options, (...[error]) => {
      if (error !== null) {
        callback(error, null);
        return;
      }
      const late = (): void => void socket.destroy(new ProxyFailure(proxy, 'did not respond in time'));
      const timer = setTimeout(late, CONNECT_MS);
      const https = options.protocol === 'https:';
      openTunnel(socket, proxy, { ...options, port: options.port || (https ? '443' : '80') }, (failure) => {
        clearTimeout(timer);
        if (failure !== undefined) callback(failure, null);
        else if (https) toService({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      });
    });
    return socket;
  };
}

/** The certificates that a connection trusts, and its client certificate. */
async function secureContext({ ca, extraCa, cert, key }: TlsOptions): Promise<SecureContext> {
  // Takes 7 ms to load on Node 20, and plain http does not need it.
  const { createSecureContext } = await import('node:tls');
  try {
    const context = createSecureContext({ cert, key: key ?? cert });
    if (ca !== undefined) {
      // Not the option `ca`, which replaces the platform's roots.
      if (extraCa !== undefined) context.context.addCACert(extraCa);
      context.context.addCACert(ca);
    }
    return context;
  } catch (error) {
    throw new SvcError('file_unusable', `the certificate or key cannot be used: ${(error as Error).message}`, {
      hint: 'check that --cert and --key are PEM and belong together, and that the key has no passphrase',
      cause: error,
    });
  }
}
