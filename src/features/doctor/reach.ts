/** Connects to a service step by step, without a request, and reports each step. */
import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import { SvcError } from '../../errors.ts';
import { bare, proxyFor } from '../../http/address.ts';
import { ConnectFailure, ProxyFailure, type Reason, reasonOf, tlsReason } from '../../http/failures.ts';
import { secureContext } from '../../http/pool.ts';
import { openTunnel } from '../../http/proxy.ts';
import type { Target } from '../../http/target.ts';

export interface Step {
  readonly check: 'proxy' | 'dns' | 'tcp' | 'tls';
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  readonly fix?: string | undefined;
}

export interface ReachOptions {
  /** What is left of the time, in milliseconds. */
  readonly remaining: () => number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

type Way = Pick<Target, 'baseUrl' | 'tls' | 'proxy' | 'signal'>;

/** Ends after the first step that fails: nothing is known of those after it. */
export async function* reach(target: Way, options: ReachOptions): AsyncGenerator<Step, void, void> {
  const { baseUrl } = target;
  let proxy: URL | undefined;
  try {
    proxy = proxyFor(baseUrl, target.proxy);
    yield { check: 'proxy', status: 'ok', detail: proxyText(proxy, target) };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    yield { check: 'proxy', status: 'fail', detail: error.message, fix: error.hint };
    return;
  }
  const first = proxy ?? baseUrl;
  const sockets: Socket[] = [];
  const giveUp = (): void => {
    for (const socket of sockets) socket.destroy(target.signal.reason);
  };
  target.signal.addEventListener('abort', giveUp);
  try {
    const host = bare(first.hostname);
    let check: Step['check'] = 'dns';
    try {
      if (isIP(host) === 0) {
        const found = await inTime(lookup(host, { all: true }), options, 'no response from the name server for');
        yield { check, status: 'ok', detail: `${host} is ${found.map(({ address }) => address).join(', ')}` };
      }
      check = 'tcp';
      const began = performance.now();
      const socket = connect({ host, port: portOf(first) });
      sockets.push(socket);
      await settled(socket, 'connect', options);
      const ms = Math.round(performance.now() - began);
      yield { check, status: 'ok', detail: `connected to ${socket.remoteAddress}:${socket.remotePort} in ${ms} ms` };
      if (baseUrl.protocol === 'http:') return;
      check = 'proxy';
      if (proxy !== undefined) await throughProxy(socket, proxy, baseUrl, sockets, target, options);
      check = 'tls';
      yield certified(await encrypted(sockets.at(-1) ?? socket, baseUrl, target, options), target, options.now);
    } catch (error) {
      target.signal.throwIfAborted();
      const { text, hint } = reasonIn(error, check === 'tls' ? baseUrl : first, proxy !== undefined && check !== 'tls');
      yield { check, status: 'fail', detail: text, fix: hint };
    }
  } finally {
    target.signal.removeEventListener('abort', giveUp);
    for (const socket of sockets.reverse()) socket.destroy();
  }
}

function proxyText(proxy: URL | undefined, { baseUrl, proxy: { https, http, all } }: Way): string {
  if (proxy !== undefined) return `${proxy.protocol}//${proxy.host}`;
  const named = (baseUrl.protocol === 'https:' ? https : http) || all;
  return named === undefined ? 'none' : 'none, although one is set: the address is this machine, or in no_proxy';
}

function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

class Late extends SvcError {
  constructor(what: string) {
    super('timeout', what, { hint: 'allow more time with --timeout' });
  }
}

async function inTime<T>(work: Promise<T>, { remaining }: ReachOptions, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Late(what)), remaining());
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function settled(socket: Socket, event: 'connect' | 'secureConnect', options: ReachOptions): Promise<void> {
  const done = new Promise<void>((resolve, reject) => {
    socket.once(event, resolve);
    socket.on('error', reject);
    socket.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
  });
  const what =
    event === 'connect' ? 'no response to the connection attempt from' : 'no response to the TLS handshake from';
  return inTime(done, options, what);
}

/** Leaves the socket that leads through as the last one. */
async function throughProxy(
  socket: Socket,
  proxy: URL,
  to: URL,
  sockets: Socket[],
  target: Way,
  options: ReachOptions,
): Promise<void> {
  let way = socket;
  if (proxy.protocol === 'https:') {
    way = await encrypted(socket, proxy, { ...target, tls: { ...target.tls, insecure: false } }, options);
    sockets.push(way);
    const { authorizationError } = way as TLSSocket;
    if (authorizationError) throw Object.assign(new Error(), { code: String(authorizationError) });
  }
  const through = { hostname: bare(to.hostname), port: String(portOf(to)) };
  const tunnel = new Promise<void>((resolve, reject) => {
    openTunnel(way, proxy, through, (error) => (error === undefined ? resolve() : reject(error)));
  });
  await inTime(tunnel, options, 'no tunnel through');
}

async function encrypted(socket: Socket, to: URL, { tls }: Way, options: ReachOptions): Promise<TLSSocket> {
  const host = bare(to.hostname);
  const secured = connectTls({
    socket,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ALPNProtocols: ['http/1.1'],
    secureContext: await secureContext(tls),
    // What is wrong with the certificate is reported with the rest of it.
    rejectUnauthorized: false,
  });
  await settled(secured, 'secureConnect', options);
  return secured;
}

const SOON_DAYS = 21;
const DAY_MS = 86_400_000;

function certified(socket: TLSSocket, { baseUrl, tls }: Way, now: number): Step {
  const protocol = socket.getProtocol() ?? 'TLS';
  const certificate = socket.getPeerCertificate() as Partial<DetailedPeerCertificate>;
  socket.destroy();
  const end = Date.parse(certificate.valid_to ?? '');
  const days = Math.floor((end - now) / DAY_MS);
  const until = Number.isNaN(end)
    ? ''
    : `${days < 0 ? 'ended' : 'good until'} ${new Date(end).toISOString().slice(0, 10)}`;
  const wrong = socket.authorizationError;
  if (wrong) {
    const code = String(wrong);
    const reason = tlsReason(new Error(code), code, baseUrl.host);
    const text = `${reason?.text ?? code}${until === '' ? '' : ` (${until})`}`;
    return tls.insecure
      ? { check: 'tls', status: 'warn', detail: `${text}; not checked` }
      : { check: 'tls', status: 'fail', detail: text, fix: reason?.hint };
  }
  if (days < SOON_DAYS) {
    const detail = `${protocol}; the certificate of ${baseUrl.host} expires in ${days} days (${until})`;
    return { check: 'tls', status: 'warn', detail, fix: 'have it renewed' };
  }
  return { check: 'tls', status: 'ok', detail: `${protocol}; the certificate is ${until} (${days} days)` };
}

function reasonIn(error: unknown, to: URL, isProxy: boolean): Pick<Reason, 'text' | 'hint'> {
  if (error instanceof Late) return { text: `${error.message} ${to.host}`, hint: error.hint };
  if (error instanceof SvcError) return { text: error.message, hint: error.hint };
  const cause =
    isProxy && !(error instanceof ProxyFailure)
      ? new ProxyFailure(to, 'could not be reached', { cause: error as Error })
      : error;
  return reasonOf(new ConnectFailure(cause as Error), {
    baseUrl: to,
    status: undefined,
    received: 0,
    expected: undefined,
  });
}
