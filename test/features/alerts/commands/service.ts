/** An alert manager that tests share, behind a proxy that keeps every request `svc` sends. */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import { startAlertmanagerEmulator } from '../../../../src/sandbox/alerts/server.ts';
import { startAlertmanager } from '../../../support/alertmanager.ts';
import { alertmanagerBinary } from '../../../support/peers.ts';
import { type Run, type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';

export interface Sent {
  readonly method: string;
  /** Including the raw query. */
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export interface ServiceRun extends Run {
  /** What this command line sent, in order. */
  readonly sent: readonly Sent[];
}

export interface Service {
  /** The server itself: what tests seed and check by. */
  readonly url: () => string;
  /** The proxy before it. */
  readonly address: () => string;
  /** Runs `svc` with the address of the proxy before the server in its environment. */
  svc(argv: readonly string[], options?: RunOptions): Promise<ServiceRun>;
}

/** A server for all cases of a file: of the release that is emulated or, where that is missing, the emulator. */
export function sharedService(): Service {
  let server: { readonly url: string; readonly stop: () => Promise<void> } | undefined;
  beforeAll(async () => {
    server = alertmanagerBinary() === undefined ? await emulator() : await startAlertmanager();
  });
  afterAll(() => server?.stop());
  return recorded(() => server?.url ?? '');
}

async function emulator() {
  const { url, close } = await startAlertmanagerEmulator({ now: () => Date.now() });
  return { url, stop: close };
}

/** A service on a server that the test starts itself. Call where hooks may be declared. */
export function recorded(url: () => string): Service {
  const sent: Sent[] = [];
  const home = temporaryHome();
  const agent = new http.Agent({ keepAlive: true });
  const proxy = http.createServer({ maxHeaderSize: 1 << 21 }, (request, response) => {
    void forward(request, response, url(), agent, sent).catch(() => response.destroy());
  });
  beforeAll(async () => {
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
  });
  afterAll(() => {
    proxy.close();
    proxy.closeAllConnections();
    agent.destroy();
    rmSync(home, { recursive: true, force: true });
  });
  const address = () => `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    url,
    address,
    async svc(argv, options = {}) {
      const before = sent.length;
      const run = await svc(argv, { home, ...options, env: { SVC_ALERTS_URL: address(), ...options.env } });
      return { ...run, sent: sent.slice(before) };
    },
  };
}

async function forward(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  to: string,
  agent: http.Agent,
  sent: Sent[],
): Promise<void> {
  const { method = '', url: path = '', headers } = request;
  const body = Buffer.concat(await request.toArray());
  sent.push({ method, path, headers, body: body.toString() });
  const { hostname, port } = new URL(to);
  const onward = http.request({ hostname, port, path, method, headers, agent, maxHeaderSize: 1 << 21 });
  onward.end(body);
  const [answer] = (await once(onward, 'response')) as [http.IncomingMessage];
  response.writeHead(answer.statusCode ?? 0, answer.headers);
  answer.pipe(response);
}

/** `GET /api/v2/alerts?…` for each request. */
export function lines(sent: readonly Sent[]): string[] {
  return sent.map(({ method, path }) => `${method} ${path}`);
}

export function writes(sent: readonly Sent[]): readonly Sent[] {
  return sent.filter(({ method }) => method !== 'GET');
}

/** The values of a query parameter of one request. */
export function parameter({ path }: Sent, name: string): string[] {
  return new URL(path, 'http://x').searchParams.getAll(name);
}

/** The value that `-o json` printed. Throws where anything else is on standard output. */
export function printed<T>({ stdout }: Run): T {
  return JSON.parse(stdout) as T;
}
