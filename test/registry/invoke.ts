/** Runs the sample of a command, against one service that a test makes misbehave. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Command } from '../../src/cli/command.ts';
import { SvcError } from '../../src/errors.ts';
import { recordSandbox } from '../../src/features/sandbox/records.ts';
import type { ServiceName } from '../../src/http/target.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { credentialsText, signingSecretsText } from '../support/credentials.ts';
import { SCRATCH } from '../support/scratch.ts';
import { answer, type Fault, faultServer, type Received } from '../support/servers.ts';
import { type Run, type RunOptions, svc } from '../support/svc.ts';
import { IS_HARD } from '../support/turns.ts';
import { REGISTERED } from './commands.ts';
import { GatewaySide, isConnecting, isSubscribing, isWithinSession, SESSION_ID } from './gateway.ts';
import { gatewayRow, healthyBody } from './healthy.ts';
import { RECEIVER, SAMPLES, type Sample } from './samples.ts';
import { shellCommands } from './shell-commands.ts';

/** The credential of every run; no output may contain it. */
export const MARKER = 'MARKER-f00dfacecafe-0123456789';
export const NOW = Date.UTC(2026, 0, 15, 12);

export interface Case {
  /** The command's id and the sample's arguments: the name of its tests. */
  readonly name: string;
  readonly command: Command;
  readonly sample: Sample;
}

const ALL_CASES: readonly Case[] = REGISTERED.flatMap(({ command }) =>
  (SAMPLES[command.id] ?? [firstExample(command)]).map((sample): Case => {
    return { name: [command.id, ...sample.args].join(' '), command, sample };
  }),
);

export const CASES = ALL_CASES.filter(({ sample }) => !sample.screen);
/** The first sample of each command stands for it; the long suites run all. */
export const SAMPLED = IS_HARD
  ? CASES
  : CASES.filter(({ command }, index) => CASES.findIndex((one) => one.command === command) === index);
/** They have no output: of the tests that all commands get only those of the other streams apply. */
export const SCREENS = ALL_CASES.filter(({ sample }) => sample.screen);

/** How a command without a sample is called. */
function firstExample({ id, examples }: Command): Sample {
  const [typed = []] = shellCommands(examples[0].run);
  return { args: typed.slice(1 + id.split(' ').length) };
}

/** Those that fail as all others do when their service fails. */
export const REMOTE: readonly Case[] = CASES.filter(
  ({ command, sample }) => command.service !== undefined && sample.apart === undefined && !sample.silent,
);

/** Whether it must be confirmed. */
export function asks({ command, sample }: Case): boolean {
  return command.effect === 'destroy' || command.effect === 'money' || sample.asks === true;
}

export interface Invocation extends Omit<RunOptions, 'terminal'> {
  /** Undefined for none, whatever the sample needs. */
  readonly terminal?: number | undefined;
  /** Options of this run. */
  readonly args?: readonly string[];
  /** Without `--yes` where a confirmation is needed. */
  readonly unconfirmed?: true;
}

export interface Invoked extends Run {
  /** What the service received during this run; of a connection to the trading gateway the request to connect alone. */
  readonly requests: readonly Received[];
  readonly connections: number;
}

export interface Peer {
  readonly url: string;
  /** Replaces the placeholders of a sample by addresses. */
  atPeer(arg: string): string;
  /** With `fault`, the service answers its first `after` requests as it should, and all others so. */
  run(what: Case, invocation?: Invocation, fault?: Fault, after?: number): Promise<Invoked>;
  close(): Promise<void>;
}

export async function startPeer(): Promise<Peer> {
  let behavior: Fault = () => {};
  const server = await faultServer((socket, request, index) => behavior(socket, request, index));
  const homes = mkdtempSync(join(SCRATCH, 'svc-registry-'));
  const gateway = new GatewaySide();
  const atPeer = (arg: string): string => arg.replace(RECEIVER, `${server.url}/hook`);
  let sandbox: Promise<Sandbox> | undefined;
  /** Records the sandbox in the home of a case that needs one. */
  const keepSandbox = async ({ sample }: Case, home: string): Promise<void> => {
    if (!sample.sandbox) return;
    sandbox ??= startSandbox({ now: () => NOW, random: Math.random });
    const { env } = await sandbox;
    const paths = { config: join(home, 'config'), state: join(home, 'state') };
    const context = { paths, now: () => NOW, random: Math.random, identity: () => 'tester@host' };
    rmSync(join(home, 'state/sandboxes'), { recursive: true, force: true });
    recordSandbox(context, { startedBy: 'start', traps: [], env });
  };
  const received = (from: number): Received[] => withoutSessions(server.requests.slice(from));
  return {
    url: server.url,
    atPeer,
    async run(what, invocation = {}, fault = undefined, after = 0) {
      const { command, sample } = what;
      const { args = [], unconfirmed, env, terminal: _, ...options } = invocation;
      const terminal = 'terminal' in invocation ? invocation.terminal : sample.terminal && 80;
      const [earlier, connections] = [server.requests.length, server.connections];
      const healthy = healthyService(command.service, gateway, () => received(earlier));
      behavior = (socket, request, index) => {
        const isFaulty = fault !== undefined && !isWithinSession(request) && received(earlier).length > after;
        (isFaulty ? fault : healthy)(socket, request, index);
      };
      const home = homeOf(what, homes, server.url);
      await keepSandbox(what, home);
      const confirmed = asks(what) && unconfirmed !== true ? ['--yes'] : [];
      const run = await svc([...command.id.split(' '), ...args, ...confirmed, ...sample.args.map(atPeer)], {
        at: NOW,
        sleeps: 1,
        home,
        env: { HOME: home, ...environment(what, server.url), ...sample.terminal, ...env },
        ...(sample.stdin === undefined ? {} : { stdin: sample.stdin }),
        ...(terminal === undefined ? {} : { terminal }),
        ...(sample.runsOn === undefined
          ? {}
          : { signal: AbortSignal.abort(new SvcError('interrupted', 'interrupted', { isInterruption: true })) }),
        ...options,
      });
      return {
        ...run,
        requests: received(earlier),
        connections: server.connections - connections,
      };
    },
    async close() {
      await server.close();
      await (await sandbox)?.close();
      rmSync(homes, { recursive: true, force: true });
    },
  };
}

/** Of a connection to the trading gateway, the request to connect alone. */
function withoutSessions(requests: readonly Received[]): Received[] {
  return requests
    .filter((request) => !isWithinSession(request))
    .map((request) => (isConnecting(request) ? { ...request, path: '/socket.io/' } : request));
}

export function isWrite(request: Received): boolean {
  return request.method !== 'GET' && !isSubscribing(request);
}

export function writes({ requests }: Invoked): readonly Received[] {
  return requests.filter(isWrite);
}

/** No credential comes out, no stack trace, and nothing that a terminal obeys. */
export function expectClean({ stdout, stderr }: Run, where: string): void {
  expect(stdout + stderr, where).not.toContain(MARKER);
  expect(stdout + stderr, where).not.toContain(SESSION_ID);
  expect(stderr, where).not.toMatch(/^\s+at .*[:(]/m);
  expect(stdout + stderr, where).not.toContain('\u001b');
}

/** What an invocation of the sample ends with when all goes well. */
export function healthyExit({ sample }: Case): number {
  return sample.runsOn === undefined ? (sample.exits ?? 0) : 130;
}

function healthyService(service: ServiceName | undefined, gateway: GatewaySide, run: () => readonly Received[]): Fault {
  return (socket, request) => {
    if (isWithinSession(request)) gateway.serve(socket, request);
    else if (isConnecting(request)) gateway.connect(socket);
    else {
      socket.write(healthyAnswer(service, request, run()));
      if (isSubscribing(request)) gateway.subscribe(request, gatewayRow);
    }
  };
}

function healthyAnswer(service: ServiceName | undefined, request: Received, run: readonly Received[]): string {
  if (service === undefined && request.path === '/hook') {
    const isForged = request.headers['x-service-signature'] === `sha256=${'0'.repeat(64)}`;
    return answer(isForged ? 401 : 200, '');
  }
  // What is below it is the service of a command that is told which one.
  if (service === undefined && request.path.startsWith('/hook/')) return answer(200, '{"status":"ok"}');
  const body = service === undefined ? undefined : healthyBody(service, request, run);
  return body === undefined
    ? answer(501, `"no answer to ${request.method} ${request.path} in healthy.ts"`)
    : answer(200, body);
}

function environment({ command: { service }, sample }: Case, url: string): Record<string, string> {
  // Those that verify and sign deliveries have it, too.
  if (service === undefined) return { SVC_WEBHOOK_SECRET: MARKER };
  const prefix = `SVC_${service.toUpperCase()}`;
  return { [`${prefix}_URL`]: url, ...(sample.signedIn ? {} : { [`${prefix}_TOKEN`]: MARKER }) };
}

function homeOf({ command, sample }: Case, homes: string, url: string): string {
  if (sample.signedIn) return signedInHome(homes, url);
  if (command.service === undefined) return freshHome(homes);
  return command.service === 'trade' ? tradersHome(homes, url) : homes;
}

/** No calls counted yet, and some orders sent. */
function tradersHome(homes: string, url: string): string {
  const home = join(homes, 'trader');
  rmSync(home, { recursive: true, force: true });
  keepOrders(home, url);
  return home;
}

/** A journal with a refused order and an unknown outcome. */
function keepOrders(home: string, base_url: string): void {
  const order = {
    at: new Date(NOW).toISOString(),
    profile: 'default',
    base_url,
    path: '/trading/open_trade',
  };
  const lines = [
    { id: '1', ...order, command: 'buy', form: { symbol: 'EUR/USD', amount: '5' } },
    { id: '1', at: order.at, outcome: 'refused', message: `no \u001b[31m \u202e margin` },
    { id: '2', ...order, command: 'close', form: { trade_id: '170162801' } },
  ];
  mkdirSync(join(home, 'state/trade'), { mode: 0o700, recursive: true });
  writeFileSync(join(home, 'state/trade/orders.ndjson'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

/** With a login whose every secret is the marker. */
function signedInHome(homes: string, url: string): string {
  const home = join(homes, 'signed-in');
  mkdirSync(join(home, 'config'), { mode: 0o700, recursive: true });
  const registered_at = NOW / 1000 - 86_400;
  const client = {
    issuer: url,
    client_secret: MARKER,
    token_endpoint_auth_method: 'client_secret_post' as const,
    redirect_uris: ['http://127.0.0.1:8250/callback'],
    redirect_port: 8250,
    client_name: 'svc',
    registered_at,
  };
  const login = {
    kind: 'oauth' as const,
    profile: 'default',
    base_url: url,
    issuer: url,
    token_endpoint: `${url}/oauth/token`,
    client_id: 'client-1',
    access_token: MARKER,
    obtained_at: registered_at,
    expires_at: NOW / 1000 + 3600,
    refresh_token: MARKER,
    scope: 'mcp:connect',
    email: 'ann@example.com \u001b[31m',
  };
  const clients = [
    { ...client, client_id: 'client-1' },
    { ...client, client_id: 'client-2' },
  ];
  const file = credentialsText({ clients, credentials: [login] });
  writeFileSync(join(home, 'config/credentials.json'), file, { mode: 0o600 });
  return home;
}

/** With the settings as they were before a command changed them. */
function freshHome(homes: string): string {
  const home = join(homes, 'local');
  mkdirSync(join(home, 'config'), { mode: 0o700, recursive: true });
  const settings = { profile: 'default', profiles: { default: { timeout: '20s' }, other: {} } };
  writeFileSync(join(home, 'config/settings.json'), JSON.stringify(settings), { mode: 0o600 });
  mkdirSync(join(home, '.config/amtool'), { recursive: true });
  writeFileSync(join(home, '.config/amtool/config.yml'), 'author: ann');
  const stored = { base_url: null, endpoint_id: 'ep_1', secret: 'whsec_kept', stored_at: new Date(NOW).toISOString() };
  writeFileSync(join(home, 'config/webhook-secrets.json'), signingSecretsText([stored]), { mode: 0o600 });
  return home;
}
