/** `svc webhooks listen`, run in this process, for tests that deliver to it from real sockets. */
import { once } from 'node:events';
import { existsSync, readFileSync, watch } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import type { DeliveryRow } from '../../../../src/features/webhooks/receiver/rows.ts';
import { type Run, type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';
import { KEY } from '../receiver-client.ts';

export const SECRET = { SVC_WEBHOOK_SECRET: KEY };

export interface Listening {
  readonly port: number;
  readonly readyFile: string;
  readonly ended: Promise<Run>;
  /** Ctrl-C */
  stop(): Promise<Run>;
}

/** Resolves when its ready file is there. */
export async function listen(args: readonly string[], options: RunOptions = {}): Promise<Listening> {
  const folder = temporaryHome();
  const readyFile = join(folder, 'ready.json');
  const interrupted = new AbortController();
  const stop = (): void => interrupted.abort(new SvcError('interrupted', 'interrupted'));
  onTestFinished(stop);
  const watcher = watch(folder);
  const argv = ['webhooks', 'listen', '--port', '0', '--ready-file', readyFile, ...args];
  const ended = svc(argv, { env: SECRET, signal: interrupted.signal, ...options });
  const gone = ended.then((run) => {
    throw new Error(`it ended: ${JSON.stringify(run)}`);
  });
  gone.catch(() => {});
  while (!existsSync(readyFile)) await Promise.race([once(watcher, 'change'), gone]);
  watcher.close();
  const { port } = JSON.parse(readFileSync(readyFile, 'utf8')) as { port: number };
  return {
    port,
    readyFile,
    ended,
    stop: async () => {
      stop();
      return await ended;
    },
  };
}

export const lines = (text: string): string[] => text.split('\n').slice(0, -1);
export const rows = ({ stdout }: Run): Record<string, unknown>[] =>
  lines(stdout).map((line) => JSON.parse(line) as Record<string, unknown>);
export const deliveries = (run: Run): DeliveryRow[] =>
  rows(run).filter(({ type }) => type === 'delivery') as unknown as DeliveryRow[];

export interface Taken {
  readonly headers: readonly string[];
  readonly body: Buffer;
  readonly path: string;
}

export interface Target {
  readonly taken: readonly Taken[];
  readonly url: string;
  readonly server: Server;
}

/** A target that answers as the test says, and keeps what it got. */
export async function target(answer: (response: ServerResponse, request: IncomingMessage) => void): Promise<Target> {
  const taken: Taken[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      taken.push({ headers: request.rawHeaders, body: Buffer.concat(pieces), path: request.url ?? '' });
      answer(response, request);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { taken, url: `http://127.0.0.1:${port}/hook?a=b&c=d`, server };
}
