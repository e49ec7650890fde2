/** Runs the sample of a command, against one service that a test makes misbehave. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from '../../src/cli/command.ts';
import { SvcError } from '../../src/errors.ts';
import type { ServiceName } from '../../src/http/target.ts';
import { answer, type Fault, faultServer, type Received } from '../http/servers.ts';
import { type Run, type RunOptions, svc } from '../support/svc.ts';
import { REGISTERED } from './commands.ts';
import { healthyBody } from './healthy.ts';
import { RECEIVER, SAMPLES, type Sample } from './samples.ts';

/** The credential of every run: it may stand in no output whatever. */
export const MARKER = 'MARKER-f00dfacecafe-0123456789';
export const NOW = Date.UTC(2026, 0, 15, 12);

export interface Case {
  /** The command's id and the sample's arguments: the name of its tests. */
  readonly name: string;
  readonly command: Command;
  readonly sample: Sample;
}

export const CASES: readonly Case[] = REGISTERED.flatMap(({ command }) =>
  (SAMPLES[command.id] ?? []).map((sample): Case => {
    return { name: [command.id, ...sample.args].join(' '), command, sample };
  }),
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
  /** What the service received during this run. */
  readonly requests: readonly Received[];
  readonly connections: number;
}

export interface Peer {
  readonly url: string;
  /** With `fault`, the service answers its first `after` requests as it should, and all others so. */
  run(what: Case, invocation?: Invocation, fault?: Fault, after?: number): Promise<Invoked>;
  close(): Promise<void>;
}

export async function startPeer(): Promise<Peer> {
  let behaviour: Fault = () => {};
  const server = await faultServer((socket, request, index) => behaviour(socket, request, index));
  const homes = mkdtempSync(join(tmpdir(), 'svc-registry-'));
  return {
    url: server.url,
    async run(what, invocation = {}, fault = undefined, after = 0) {
      const { command, sample } = what;
      const { args = [], unconfirmed, env, terminal: _, ...options } = invocation;
      const terminal = 'terminal' in invocation ? invocation.terminal : sample.terminal && 80;
      const [earlier, connections] = [server.requests.length, server.connections];
      behaviour = (socket, request, index) => {
        if (fault !== undefined && index > earlier + after) fault(socket, request, index);
        else socket.write(healthyAnswer(command.service, request, server.requests.slice(earlier)));
      };
      const atPeer = (arg: string): string => arg.replace(RECEIVER, `${server.url}/hook`);
      const confirmed = asks(what) && unconfirmed !== true ? ['--yes'] : [];
      const run = await svc([...command.id.split(' '), ...args, ...confirmed, ...sample.args.map(atPeer)], {
        now: () => NOW,
        home: sample.signedIn
          ? signedInHome(homes, server.url)
          : command.service === undefined
            ? freshHome(homes)
            : homes,
        env: { ...environment(what, server.url), ...sample.terminal, ...env },
        ...(sample.stdin === undefined ? {} : { stdin: sample.stdin }),
        ...(terminal === undefined ? {} : { terminal }),
        ...(sample.runsOn === undefined
          ? {}
          : { signal: AbortSignal.abort(new SvcError('interrupted', 'interrupted')) }),
        ...options,
      });
      return {
        ...run,
        requests: server.requests.slice(earlier),
        connections: server.connections - connections,
      };
    },
    async close() {
      await server.close();
      rmSync(homes, { recursive: true, force: true });
    },
  };
}

export function writes({ requests }: Invoked): readonly Received[] {
  return requests.filter(({ method }) => method !== 'GET');
}

/** What an invocation of the sample ends with when all goes well. */
export function healthyExit({ sample }: Case): number {
  return sample.runsOn === undefined ? (sample.exits ?? 0) : 130;
}

function healthyAnswer(service: ServiceName | undefined, request: Received, run: readonly Received[]): string {
  if (service === undefined && request.path === '/hook') return answer(200, '');
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

/** With a login whose every secret is the marker. */
function signedInHome(homes: string, url: string): string {
  const home = join(homes, 'signed-in');
  mkdirSync(join(home, 'config'), { mode: 0o700, recursive: true });
  const registered_at = NOW / 1000 - 86_400;
  const client = {
    issuer: url,
    client_secret: MARKER,
    token_endpoint_auth_method: 'client_secret_post',
    redirect_uris: ['http://127.0.0.1:8250/callback'],
    redirect_port: 8250,
    client_name: 'svc',
    registered_at,
  };
  const login = {
    kind: 'oauth',
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
  const file = JSON.stringify({ version: 1, gen: 1, clients, credentials: [login] });
  writeFileSync(join(home, 'config/credentials.json'), file, { mode: 0o600 });
  return home;
}

/** With the settings as they were before a command changed them. */
function freshHome(homes: string): string {
  const home = join(homes, 'local');
  mkdirSync(join(home, 'config'), { mode: 0o700, recursive: true });
  const settings = { profile: 'default', profiles: { default: { timeout: '20s' }, other: {} } };
  writeFileSync(join(home, 'config/settings.json'), JSON.stringify(settings), { mode: 0o600 });
  const kept = { base_url: null, endpoint_id: 'ep_1', secret: 'whsec_kept', stored_at: new Date(NOW).toISOString() };
  const secrets = { version: 1, secrets: [kept] };
  writeFileSync(join(home, 'config/webhook-secrets.json'), JSON.stringify(secrets), { mode: 0o600 });
  return home;
}
