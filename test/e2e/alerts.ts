/** Many alerts as a service sends them, and services that answer badly or not at all. */
import { EventEmitter, once } from 'node:events';
import type { Socket } from 'node:net';
import { answer, type FaultServer, faultServer, type Received } from '../support/servers.ts';

export function wireAlert(index: number): Record<string, unknown> {
  return {
    fingerprint: index.toString(16).padStart(16, '0'),
    labels: { alertname: `Alert${index}`, instance: `node-${index}:9100`, severity: 'warning' },
    annotations: { summary: `${index} `.repeat(40) },
    startsAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    endsAt: '2036-01-01T00:00:00.000Z',
    generatorURL: `http://prometheus.example/${index}`,
    receivers: [{ name: 'operations' }],
    status: { state: 'active', silencedBy: [], inhibitedBy: [] },
  };
}

/** Answers every request with this body. */
export async function staticServer(body: string): Promise<FaultServer> {
  return await faultServer((socket) => socket.write(answer(200, body)));
}

export interface HangingServer extends FaultServer {
  /** Resolves with the connection of the next request of this method that is left without an answer. */
  hangs(method: string): Promise<Socket>;
}

/** Answers `reads` to a GET where it is given, and nothing to anything else; `begin` is what it sends before it falls silent. */
export async function hangingServer({ reads, begin }: { reads?: string; begin?: string } = {}): Promise<HangingServer> {
  const events = new EventEmitter();
  const server = await faultServer((socket, { method }: Received) => {
    if (method === 'GET' && reads !== undefined) {
      socket.write(answer(200, reads));
      return;
    }
    if (begin !== undefined) socket.write(begin);
    events.emit(method, socket);
  });
  return Object.assign(server, { hangs: async (method: string) => (await once(events, method))[0] as Socket });
}
