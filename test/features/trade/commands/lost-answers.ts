/** Stands before the gateway, and treats the answer of an order as a test says; everything else goes through. */
import { once } from 'node:events';
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ORDER_PATHS } from './trader.ts';

export interface Fault {
  /** The gateway carries the order out before the fault. */
  readonly applied: boolean;
  answer(response: ServerResponse): void;
}

export interface Forwarder extends AsyncDisposable {
  readonly url: string;
  fault: Fault | undefined;
  /** Matching requests are refused by the rate limit. */
  tooOften: RegExp | undefined;
  /** What matches is refused with the status 401. */
  unauthorized: RegExp | undefined;
  /** The body of each order that came. */
  readonly orders: string[];
  /** The method and path of each poll and packet. */
  readonly engine: string[];
  /** Connections are refused. */
  isGone: boolean;
  /** Awaited before a request is passed on. */
  before: ((url: string) => Promise<void>) | undefined;
}

const json = (response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
};

/** After each of them the outcome is unknown. */
export const AMBIGUOUS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'the connection is reset': (response) => response.socket?.resetAndDestroy(),
  'the answer never comes': () => {},
  'the answer is cut off': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '90' }).write('{"response":{"exec');
    setImmediate(() => response.socket?.destroy());
  },
  'the status is 500': (response) => json(response, 500, '{"Code":500,"Message":"Internal Server Error"}'),
  'a proxy answers': (response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html><title>Sign in</title></html>'),
  'the status is 504': (response) => response.writeHead(504).end(),
  'the answer is not JSON': (response) => json(response, 200, 'executed'),
  'the answer says nothing': (response) => json(response, 200, '{}'),
  'the answer names no order': (response) => json(response, 200, '{"response":{"executed":true},"data":null}'),
  'the answer is a redirect': (response) => response.writeHead(302, { location: '/login' }).end(),
};

type Behavior = Pick<Forwarder, 'fault' | 'tooOften' | 'unauthorized' | 'before' | 'isGone' | 'orders' | 'engine'>;

const LIMITED = '{"response":{"executed":false,"error":"Error code ORA-20301, Cmd=5"},"data":{}}';

/** Passes a request on to the port, and its answer back, unless a fault answers. */
function pass(port: string, request: IncomingMessage, body: Buffer, response: ServerResponse, fault?: Fault): void {
  const { method, url, headers } = request;
  const onward = forward({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
    if (fault !== undefined) {
      answer.resume().on('end', () => fault.answer(response));
      return;
    }
    response.writeHead(answer.statusCode ?? 0, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  onward.end(body);
}

/** Whether the request was answered here. */
function refuse(state: Behavior, { method, url = '' }: IncomingMessage, response: ServerResponse): boolean {
  if (url.startsWith('/socket.io/')) {
    state.engine.push(`${method} ${url}`);
    if (state.isGone) response.destroy();
    return state.isGone;
  }
  if (state.tooOften?.test(url)) json(response, 200, LIMITED);
  else if (state.unauthorized?.test(url)) json(response, 401, '{"Code":401}');
  else return false;
  return true;
}

export async function forwarder(to: string): Promise<Forwarder> {
  const { port } = new URL(to);
  const state: Behavior = {
    orders: [],
    engine: [],
    isGone: false,
    fault: undefined,
    tooOften: undefined,
    unauthorized: undefined,
    before: undefined,
  };
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    await state.before?.(request.url ?? '');
    if (refuse(state, request, response)) return;
    if (!ORDER_PATHS.test(request.url ?? '')) {
      pass(port, request, body, response);
      return;
    }
    state.orders.push(body.toString());
    const { fault } = state;
    if (fault === undefined || fault.applied) pass(port, request, body, response, fault);
    else fault.answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  });
}
