/** The emulated gateway and its clients: one written by hand from doc 3, and the real socket.io-client. Nothing of svc's own is in them. */
import { once } from 'node:events';
import { createRequire } from 'node:module';
import {
  startTradingEmulator,
  type TradingEmulator,
  type TradingEmulatorOptions,
} from '../../../src/sandbox/trade/server.ts';
import { type WireAnswer, wire } from '../../support/alertmanager.ts';

/** A Wednesday, 15:00 in London. */
export const NOW = Date.UTC(2026, 5, 3, 14);

/** As much of socket.io-client 2.5 as is used; it has no types. */
export interface Peer {
  readonly id: string;
  readonly io: { readonly engine: { readonly transport: { readonly name: string } } };
  on(event: string, listener: (payload: string) => void): void;
  once(event: string, listener: (payload: string) => void): void;
  close(): void;
}
type Connect = (url: string, options: object) => Peer;

const fromServer = createRequire(createRequire(import.meta.url).resolve('socket.io'));
const connect = fromServer('socket.io-client') as Connect;

export type Json = Readonly<Record<string, unknown>>;
export type Fields = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export interface TestGateway extends TradingEmulator, AsyncDisposable {
  /** A request in the session of this id, as doc 3 §4 asks for it. */
  send(sid: string, method: string, path: string, fields?: Fields, headers?: Fields): Promise<WireAnswer>;
  /** The parsed body. */
  call(sid: string, method: string, path: string, fields?: Fields): Promise<Json>;
  /** Through the real client; `44…` rejects with its text. */
  peer(transports?: readonly string[], token?: string): Promise<Peer>;
}

/** Ticks only on request, ten times as fast. */
export async function startGateway(options: Partial<TradingEmulatorOptions> = {}): Promise<TestGateway> {
  const emulator = await startTradingEmulator({
    now: () => NOW,
    random: Math.random,
    seed: 'demo',
    tickMs: 0,
    fast: 10,
    ...options,
  });
  const peers: Peer[] = [];
  const send: TestGateway['send'] = async (sid, method, path, fields = {}, headers = {}) => {
    const form = formOf(fields);
    const isGet = method === 'GET';
    return wire(emulator.url, isGet && form !== '' ? `${path}?${form}` : path, {
      method,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        'user-agent': 'test/1',
        authorization: `Bearer ${sid}${emulator.token}`,
        ...(headers as Record<string, string>),
      },
      ...(isGet ? {} : { body: form }),
    });
  };
  // not copied: some of its properties change
  return Object.assign(Object.create(emulator) as TradingEmulator, {
    send,
    async call(sid: string, method: string, path: string, fields?: Fields) {
      const { status, body } = await send(sid, method, path, fields);
      if (status !== 200) throw new Error(`${path}: ${status} ${body}`);
      return JSON.parse(body) as Json;
    },
    async peer(transports: readonly string[] = ['polling'], token = emulator.token) {
      const peer = connect(emulator.url, {
        query: { access_token: token },
        transports,
        forceNew: true,
        reconnection: false,
        forceBase64: true,
      });
      peers.push(peer);
      await new Promise<void>((resolve, reject) => {
        peer.once('connect', () => resolve());
        for (const event of ['error', 'connect_error']) peer.once(event, reject);
      });
      return peer;
    },
    async [Symbol.asyncDispose]() {
      for (const peer of peers) peer.close();
      await emulator.close();
    },
  });
}

export function formOf(fields: Fields): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value]) form.append(name, String(one));
  }
  return form.toString();
}

export interface Pushes {
  /** In order, as `Order I` with the record. */
  readonly seen: (readonly [string, Json])[];
  /** Once one has come that is this; those that came before count, too. */
  until(name: string, fits?: (record: Json) => boolean): Promise<Json>;
}

/** Subscribes, and keeps what is pushed of these models and symbols. */
export async function listen(gateway: TestGateway, peer: Peer, names: readonly string[]): Promise<Pushes> {
  const seen: (readonly [string, Json])[] = [];
  const events = new EventTarget();
  for (const name of names) {
    peer.on(name, (payload) => {
      seen.push([name, JSON.parse(payload) as Json]);
      events.dispatchEvent(new Event('push'));
    });
    const isSymbol = name.includes('/') || name === 'US30';
    const fields: Fields = isSymbol ? { pairs: name } : { models: name };
    await gateway.call(peer.id, 'POST', isSymbol ? '/subscribe' : '/trading/subscribe', fields);
  }
  return {
    seen,
    async until(name, fits = () => true) {
      for (;;) {
        const found = seen.find(([one, record]) => one === name && fits(record));
        if (found !== undefined) return found[1];
        await once(events, 'push');
      }
    },
  };
}

/** A market order for 5,000 EUR/USD in the hedging account, with these changes. */
export function marketOrder(changes: Fields = {}): Fields {
  return {
    account_id: '654061',
    symbol: 'EUR/USD',
    is_buy: true,
    rate: 0,
    amount: 5,
    order_type: 'AtMarket',
    time_in_force: 'GTC',
    ...changes,
  };
}

/** The decoded `response.error`. */
export function errorOf(answer: Json): unknown {
  const { error, executed } = answer['response'] as { readonly error?: string; readonly executed: boolean };
  if (executed) throw new Error('it was executed');
  return error?.startsWith('{') === true ? JSON.parse(error) : error;
}

export function rowsOf(answer: Json, name: string): readonly Json[] {
  return answer[name] as readonly Json[];
}

export function orderIdOf(answer: Json): string {
  return String((answer['data'] as { readonly orderId: number }).orderId);
}
