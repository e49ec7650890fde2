/** The connections to one service: undici's pool, the certificates it trusts and the proxy on the way. Loaded at the first request. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContext } from 'node:tls';
import { setFlagsFromString } from 'node:v8';
import type { buildConnector, Dispatcher } from 'undici';
import buildConnect from 'undici/lib/core/connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { ConnectFailure, ProxyFailure } from './failures.ts';
import { bare, openTunnel, proxyFor, proxyHeaders } from './proxy.ts';
import type { Target } from './target.ts';
import {
  type AnswerHeaders,
  CONNECT_MS,
  CONNECTIONS,
  type ExactRequest,
  KEEP_ALIVE_MS,
  type Wire,
  type WireHandler,
  type WireRequest,
} from './wire.ts';

export async function openWire(
  target: Pick<Target, 'baseUrl' | 'tls' | 'proxy' | 'deferWasmTiering'>,
): Promise<Wire<WireRequest | ExactRequest>> {
  if (target.deferWasmTiering) setFlagsFromString('--wasm-tiering-budget=1000000000');

  const { baseUrl, tls } = target;
  const proxy = proxyFor(baseUrl, target.proxy);
  const https = baseUrl.protocol === 'https:';
  const secureContext =
    https || proxy?.protocol === 'https:' ? (await import('./secure-context.ts')).secureContext(tls) : undefined;
  const toService = buildConnect({
    ...(secureContext === undefined ? {} : { secureContext }),
    rejectUnauthorized: !tls.insecure,
    timeout: CONNECT_MS,
  });
  let connect: Connect = toService;
  if (proxy !== undefined) {
    const toProxy = connectToProxy(proxy, secureContext);
    connect = https ? connectThrough(proxy, toProxy, toService) : toProxy;
  }
  const connecting = new Set<Socket>();
  const alerts = new Map<number, Error>();
  const viaProxy = proxy !== undefined && !https; // plain http asks the proxy by absolute address
  const extraHeaders = viaProxy ? { host: baseUrl.host, ...proxyHeaders(proxy) } : undefined;
  const pool = new Pool(viaProxy ? proxy.origin : baseUrl.origin, {
    connect: watched(connecting, alerts, connect),
    connections: CONNECTIONS,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    headersTimeout: 0, // the total deadline stands for it
  });
  return {
    dispatch: ({ method, path, headers, body, bodyTimeout, upgrade }, handler) => {
      pool.dispatch(
        {
          method: method as Dispatcher.HttpMethod,
          path: viaProxy ? baseUrl.origin + path : path,
          headers: isFlat(headers)
            ? [...headers, ...Object.entries(extraHeaders ?? {}).flat()]
            : { ...headers, ...extraHeaders },
          body: (body ?? null) as Dispatcher.DispatchOptions['body'] & {}, // any iterable, whatever its type says
          bodyTimeout,
          ...(upgrade === undefined ? {} : { upgrade }),
        },
        new Told(handler),
      );
    },
    origin: (error) => {
      const socket =
        error instanceof Error && 'socket' in error ? (error.socket as { localPort?: number } | null) : null;
      return alerts.get(socket?.localPort ?? 0) ?? error;
    },
    close: async () => {
      // A socket that still connects would keep the process alive for its whole time limit.
      for (const socket of connecting) socket.destroy();
      await pool.destroy();
    },
  };
}

function isFlat(headers: (WireRequest | ExactRequest)['headers']): headers is readonly string[] {
  return Array.isArray(headers);
}

/** Hands on what undici tells. */
class Told implements Dispatcher.DispatchHandler {
  readonly #handler: WireHandler;

  constructor(handler: WireHandler) {
    this.#handler = handler;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#handler.onRequestStart(controller);
  }

  onRequestUpgrade(
    _: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    socket: Duplex,
  ): void {
    this.#handler.onUpgrade(status, joined(headers), socket);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#handler.onResponseStart(controller, status, joined(headers));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#handler.onResponseData(controller, chunk);
  }

  onResponseEnd(): void {
    this.#handler.onResponseEnd();
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.#handler.onResponseError(controller, error);
  }
}

function joined(headers: IncomingHttpHeaders): AnswerHeaders {
  const flat: Record<string, string> = Object.create(null);
  for (const name in headers) {
    const value = headers[name];
    flat[name] = Array.isArray(value) ? value.join(name === 'set-cookie' ? '\n' : ', ') : (value ?? '');
  }
  return flat;
}

type Connect = (options: buildConnector.Options, callback: buildConnector.Callback) => Socket;

/**
 * Marks every failure as one before anything was sent, and keeps the sockets that are not connected yet. The mark is needed for
 * more than the message: undici tries again without end where a connection fails with its own socket error.
 */
function watched(connecting: Set<Socket>, alerts: Map<number, Error>, connect: Connect): Connect {
  return (options, callback) => {
    const socket = connect(options, (...[error, connected]) => {
      connecting.delete(socket);
      if (error !== null) {
        callback(new ConnectFailure(error), null);
        return;
      }
      const { localPort } = connected as Socket;
      if (options.protocol === 'https:' && localPort !== undefined) {
        (connected as Socket).once('error', (first: Error) => alerts.set(localPort, first));
        (connected as Socket).once('close', () => setImmediate(() => alerts.delete(localPort)));
      }
      callback(null, connected as Socket);
    });
    connecting.add(socket);
    return socket;
  };
}

function connectToProxy(proxy: URL, secureContext: SecureContext | undefined): Connect {
  const connect = buildConnect({
    ...(secureContext === undefined ? {} : { secureContext }),
    rejectUnauthorized: true,
    timeout: CONNECT_MS,
  });
  const { hostname, host, protocol, port } = proxy;
  return (_options, callback) =>
    connect({ hostname: bare(hostname), host, protocol, port }, (...[error, socket]) => {
      if (error === null) callback(null, socket as Socket);
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
      const late = (): void => void socket.destroy(new ProxyFailure(proxy, 'did not answer in time'));
      const timer = setTimeout(late, CONNECT_MS);
      openTunnel(socket, proxy, options, (failure) => {
        clearTimeout(timer);
        if (failure === undefined) toService({ ...options, httpSocket: socket }, callback);
        else callback(failure, null);
      });
    });
    return socket;
  };
}
