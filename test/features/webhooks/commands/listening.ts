/** `svc webhooks listen`, run in this process, for tests that deliver to it from real sockets. */
import { once } from 'node:events';
import { existsSync, readFileSync, watch } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import type { DeliveryRow } from '../../../../src/features/webhooks/receiver/rows.ts';
import { type Run, type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';
import { KEY } from '../receiver-client.ts';
import { type Receiver, receiver } from './handmade-receiver.ts';

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
/** What is in a recording, or in the history. */
export const recordedIn = (file: string): Record<string, unknown>[] =>
  lines(readFileSync(file, 'utf8')).map((line) => JSON.parse(line) as Record<string, unknown>);
export const rows = ({ stdout }: Run): Record<string, unknown>[] =>
  lines(stdout).map((line) => JSON.parse(line) as Record<string, unknown>);
export const deliveries = (run: Run): DeliveryRow[] =>
  rows(run).filter(({ type }) => type === 'delivery') as unknown as DeliveryRow[];

/** The application that deliveries are forwarded to, with an address that has a path and a query. */
export async function target(answer: (response: ServerResponse) => void): Promise<Receiver> {
  const one = await receiver((_request, response) => answer(response));
  return { ...one, url: `${one.url}?a=b&c=d` };
}
