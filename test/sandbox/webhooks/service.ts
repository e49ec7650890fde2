/** The emulated service, and receivers for what it delivers. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import http, { type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type RecordingsEmulator,
  type RecordingsEmulatorOptions,
  startRecordingsEmulator,
} from '../../../src/sandbox/webhooks/server.ts';

export interface TestService extends RecordingsEmulator, AsyncDisposable {
  /** The status and the parsed body. */
  call(method: string, path: string, body?: unknown, token?: string): Promise<{ status: number; json: unknown }>;
}

export async function startService(options: Partial<RecordingsEmulatorOptions> = {}): Promise<TestService> {
  const emulator = await startRecordingsEmulator({ now: Date.now, random: Math.random, ...options });
  return {
    ...emulator,
    async call(method, path, body, token = emulator.token) {
      const answer = await fetch(`${emulator.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return { status: answer.status, json: await answer.json() };
    },
    [Symbol.asyncDispose]: emulator.close,
  };
}

export interface ReceivedDelivery {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly deliveries: readonly ReceivedDelivery[];
  /** Resolves when this many were received. */
  received(count: number): Promise<void>;
}

/** Responds to deliveries with these statuses in turn, then with the last one; 0 means no response. */
export async function startReceiver(statuses: readonly number[] = [204]): Promise<Receiver> {
  const deliveries: ReceivedDelivery[] = [];
  const server = http.createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const status = statuses[Math.min(deliveries.length, statuses.length - 1)] ?? 204;
    deliveries.push({ headers: request.headers, body });
    if (status !== 0) response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
    server.emit('delivery');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    deliveries,
    async received(count) {
      while (deliveries.length < count) await once(server, 'delivery');
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function signatureBy(secret: string, { headers, body }: ReceivedDelivery): string {
  const mac = createHmac('sha256', secret);
  return `sha256=${mac.update(`${headers['x-service-timestamp']}.`).update(body).digest('hex')}`;
}
