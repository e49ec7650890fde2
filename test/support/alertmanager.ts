/** A real Alertmanager on loopback, and what seeds it. Plain node:http: svc's own client must not test itself. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AlertmanagerPeer, alertmanagerBinary } from './peers.ts';
import { freePort } from './ports.ts';

/** Several receivers, one alert in two of them, and warnings inhibited by the critical alert of the same name and cluster. */
export const DEFAULT_CONFIG = `
route:
  receiver: operations
  group_by: [alertname, team]
  group_wait: 1s
  group_interval: 1s
  routes:
    - matchers: [severity="critical"]
      receiver: pager
      continue: true
    - matchers: [team="platform"]
      receiver: platform-chat
    - matchers: [team="payments"]
      receiver: payments-chat
inhibit_rules:
  - source_matchers: [severity="critical"]
    target_matchers: [severity=~"warning|info"]
    equal: [alertname, cluster]
receivers:
  - name: operations
  - name: pager
  - name: platform-chat
  - name: payments-chat
`;

export interface AlertmanagerOptions {
  /** `0.28`; 0.25 unless given. */
  readonly release?: string;
  /** The configuration, YAML. */
  readonly config?: string;
  /** The text of `--web.config.file`: TLS, basic authentication. */
  readonly webConfig?: string;
  readonly args?: readonly string[];
}

export interface RunningAlertmanager {
  /** Without a trailing slash, and without a route prefix given in `args`. */
  readonly url: string;
  /** Where its configuration and storage are; deleted by `stop`. */
  readonly dir: string;
  stop(): Promise<void>;
}

/** Starts the real server on a free port. Skip the tests where `alertmanagerBinary(release)` is undefined: here that throws. */
export async function startAlertmanager(options: AlertmanagerOptions = {}): Promise<RunningAlertmanager> {
  const peer = alertmanagerBinary(options.release);
  if (peer === undefined) throw new Error('alertmanager is missing: run node scripts/peers.mjs to see why.');
  const dir = await mkdtemp(join(tmpdir(), 'alertmanager-'));
  await writeFile(join(dir, 'alertmanager.yml'), options.config ?? DEFAULT_CONFIG);
  const args = [`--config.file=${dir}/alertmanager.yml`, `--storage.path=${dir}/data`];
  if (!options.args?.some((arg) => arg.startsWith('--cluster.'))) args.push('--cluster.listen-address=');
  if (options.webConfig !== undefined) {
    await writeFile(join(dir, 'web.yml'), options.webConfig);
    args.push(`--web.config.file=${dir}/web.yml`);
  }
  args.push(...(options.args ?? []));
  // Somebody else may take the free port before the server does.
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const child = launch(peer, [...args, `--web.listen-address=127.0.0.1:${port}`]);
    const failure = await untilListening(child);
    if (failure === undefined) {
      const stop = async () => {
        await end(child);
        await rm(dir, { recursive: true, force: true });
      };
      return {
        url: `http${options.webConfig?.includes('tls_server_config') ? 's' : ''}://127.0.0.1:${port}`,
        dir,
        stop,
      };
    }
    await end(child);
    if (attempt === 3 || !failure.includes('address already in use')) {
      await rm(dir, { recursive: true, force: true });
      throw new Error(`alertmanager did not start:\n${failure}`);
    }
  }
}

function launch(peer: AlertmanagerPeer, args: readonly string[]): ChildProcess {
  const child = spawn(peer.command, args, {
    cwd: peer.cwd,
    env: { ...process.env, ...peer.env, TZ: 'UTC' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // A test run that ends early must leave nothing behind.
  const reap = () => child.kill('SIGKILL');
  process.once('exit', reap);
  child.once('close', () => process.off('exit', reap));
  return child;
}

/** Its log says when it listens; the first answer is then at most a moment away. Resolves with the log when it ends instead. */
async function untilListening(child: ChildProcess): Promise<string | undefined> {
  let log = '';
  return await new Promise((resolve) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      // Read to its end for as long as it runs: a full pipe would stop the server.
      if (log.length < 100_000) log += text;
      if (log.includes('Listening on')) resolve(undefined);
    });
    child.once('error', (error) => resolve(error.message));
    child.once('close', () => resolve(log));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 3000);
  await closed;
  clearTimeout(late);
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export interface WireRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** One request on its own connection, its path sent exactly as given. */
export async function wire(url: string, path: string, request: WireRequest = {}): Promise<WireAnswer> {
  const { hostname, port } = new URL(url);
  return await new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = request;
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sent = http.request(
      { host: hostname, port, path, method, headers: { ...length, ...headers }, agent: false, maxHeaderSize: 1 << 21 },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.once('error', reject);
        answer.once('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

export async function postJson(url: string, path: string, body: unknown): Promise<WireAnswer> {
  const headers = { 'content-type': 'application/json' };
  return await wire(url, path, { method: 'POST', headers, body: JSON.stringify(body) });
}

export interface SeedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly startsAt?: string;
  readonly endsAt?: string;
  readonly generatorURL?: string;
}

/** Posts alerts, an hour long unless they say otherwise, and throws where the server refuses. */
export async function postAlerts(url: string, alerts: readonly SeedAlert[]): Promise<void> {
  const now = Date.now();
  const window = { startsAt: new Date(now - 60_000).toISOString(), endsAt: new Date(now + 3_600_000).toISOString() };
  const answer = await postJson(
    url,
    '/api/v2/alerts',
    alerts.map((alert) => ({ ...window, ...alert })),
  );
  if (answer.status !== 200) throw new Error(`alerts were refused: ${answer.status} ${answer.body}`);
}

export interface SeedSilence {
  readonly matchers: readonly {
    readonly name: string;
    readonly value: string;
    readonly isRegex: boolean;
    readonly isEqual?: boolean;
  }[];
  readonly id?: string;
  readonly startsAt?: string;
  readonly endsAt?: string;
  readonly createdBy?: string;
  readonly comment?: string;
}

/** As the server shows it. */
export interface StoredSilence {
  readonly id: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly comment: string;
  readonly status: { readonly state: string };
}

/** Posts a silence, from now and an hour long unless it says otherwise, and returns its id. */
export async function postSilence(url: string, silence: SeedSilence): Promise<string> {
  const now = Date.now();
  const answer = await postJson(url, '/api/v2/silences', {
    startsAt: new Date(now).toISOString(),
    endsAt: new Date(now + 3_600_000).toISOString(),
    createdBy: 'tester',
    comment: 'seeded',
    ...silence,
  });
  if (answer.status !== 200) throw new Error(`the silence was refused: ${answer.status} ${answer.body}`);
  return (JSON.parse(answer.body) as { silenceID: string }).silenceID;
}

/** The alerts or silences listed at a path such as `/api/v2/alerts?active=false`. */
export async function getJson<T>(url: string, path: string): Promise<T> {
  const answer = await wire(url, path);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body}`);
  return JSON.parse(answer.body) as T;
}
