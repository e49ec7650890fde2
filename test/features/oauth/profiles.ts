import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach } from 'vitest';
import { answer, type FaultServer, faultServer } from '../../support/servers.ts';
import { type Run, type RunOptions, svc, temporaryHome } from '../../support/svc.ts';

/** A list of each service that `profileServer` serves. */
export const LISTS = {
  alerts: ['silences', 'list'],
  webhooks: ['webhooks', 'list'],
  catalog: ['catalog', 'products', 'list'],
};
export const SILENCE = ['silences', 'create', 'a=b', '-d', '1h', '-c', 'x', '--author', 'me', '--yes'];

interface ProfileServer extends FaultServer {
  /** The one token that requests of this method may have. */
  accepted: { readonly method: string; readonly token: string } | undefined;
  /** The credential of each request. */
  sent(): readonly string[];
}

/** A server for the tests of a file, whose lists are empty and which takes silences. It forgets its requests before each test. */
export async function profileServer(): Promise<ProfileServer> {
  const server = await faultServer((socket, { method, path, headers }) => {
    const { accepted } = profiles;
    const isRefused = accepted?.method === method && headers['authorization'] !== `Bearer ${accepted.token}`;
    if (isRefused) socket.write(answer(401, '{"message":"no"}'));
    else if (method === 'POST') socket.write(answer(200, '{"silenceID":"11111111-1111-4111-8111-111111111111"}'));
    else socket.write(answer(200, path.startsWith('/api/v2') ? '[]' : '{"items":[],"total":0}'));
  });
  const profiles: ProfileServer = Object.assign(server, {
    accepted: undefined,
    sent: () => server.requests.map(({ headers }) => headers['authorization'] ?? 'none'),
  });
  afterAll(() => server.close());
  beforeEach(() => {
    server.requests.length = 0;
    profiles.accepted = undefined;
  });
  return profiles;
}

interface Profile {
  readonly home: string;
  run(argv: readonly string[], options?: RunOptions): Promise<Run>;
}

/** Settings with a profile of these values, whose services have this address unless the values say otherwise. */
export function withProfile(
  address: string | null,
  values: (home: string) => Readonly<Record<string, unknown>>,
): Profile {
  const home = temporaryHome();
  const services = address === null ? [] : ['alerts', 'webhooks', 'catalog', 'trade'];
  const urls = Object.fromEntries(services.map((service) => [`${service}.url`, address]));
  const config = join(home, 'config');
  mkdirSync(config, { recursive: true, mode: 0o700 });
  const settings = { profiles: { default: { ...urls, ...values(home) } } };
  writeFileSync(join(config, 'settings.json'), JSON.stringify(settings), { mode: 0o600 });
  return { home, run: (argv, options = {}) => svc(argv, { home, ...options }) };
}
